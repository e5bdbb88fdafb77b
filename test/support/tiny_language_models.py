# SPDX-License-Identifier: Apache-2.0
"""Tiny language models and tokenizers for tests: real architectures, made in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WINDOW = 400
CUE = "Score:"
KINDS = ("digits", "whole numbers", "sentence pieces", "bytes")


def make_tokenizer(texts: list[str], kind: str) -> Any:
    """A tokenizer trained on the texts.

    Args:
        texts: to be trained on.
        kind: "digits" writes numbers digit by digit with the space apart (as Qwen does), "whole
            numbers" has them and " 57" as tokens (as GPT-2 has), "sentence pieces" marks words'
            beginnings and writes digits one by one (as Llama 2 does), "bytes" has nothing but
            byte tokens such as <0x35> for numbers.
    """
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    numbers = [f"{CUE} {number}" for number in range(101) for _ in range(3)]
    if kind in ("digits", "whole numbers"):
        tokenizer = Tokenizer(models.BPE())
        words = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.pre_tokenizer = (
            pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), words])
            if kind == "digits"
            else words
        )
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        special = ["<eos>"]
    else:
        tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
        tokenizer.normalizer = normalizers.Replace(" ", "▁")
        tokenizer.pre_tokenizer = pre_tokenizers.Digits(individual_digits=True)
        tokenizer.decoder = decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
        )
        alphabet = []
        special = ["<eos>", "<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
        if kind == "bytes":
            remove = str.maketrans("", "", "0123456789")
            texts, numbers = [text.translate(remove) for text in texts], []
    trainer = trainers.BpeTrainer(
        vocab_size=700 if kind == "whole numbers" else 420,
        special_tokens=special,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator([*texts * 5, *numbers], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>")


def make_model(architecture: str, tokenizer: Any, seed: int = 0, **config: Any) -> Any:
    """A model with random weights.

    Args:
        architecture: "llama", "qwen2", "qwen3", "gpt2", "mistral" (a sliding window of 64),
            "gemma2" (every other layer slides; soft caps, eager attention), "bloom" (ALiBi),
            "qwen3_next" (a state in every other layer) or "mamba" (a state instead of attention).
        tokenizer: gives the vocabulary's size.
        seed: of the weights.
        config: further settings of the configuration.
    """
    import torch
    import transformers as tf

    size = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": WINDOW,
        "bos_token_id": None,
        "eos_token_id": 0,
        "pad_token_id": None,
        # Larger than is usual: what the attention sees must show in the answers.
        "initializer_range": 0.2,
    }
    gpt2 = {"vocab_size": len(tokenizer), "n_embd": 32, "n_layer": 2, "n_head": 4}
    gpt2 |= {"n_positions": WINDOW, "bos_token_id": None, "eos_token_id": 0}
    bloom = {"vocab_size": len(tokenizer), "hidden_size": 32, "n_layer": 2, "n_head": 4}
    next_ = {"layer_types": ["linear_attention", "full_attention"], "num_experts": 0}
    next_ |= {"linear_key_head_dim": 8, "linear_value_head_dim": 8}
    next_ |= {"linear_num_key_heads": 2, "linear_num_value_heads": 4}
    mamba = {"vocab_size": len(tokenizer), "hidden_size": 32, "num_hidden_layers": 2}
    known: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "llama": (tf.LlamaConfig, tf.LlamaForCausalLM, size),
        "qwen2": (tf.Qwen2Config, tf.Qwen2ForCausalLM, size),
        "qwen3": (tf.Qwen3Config, tf.Qwen3ForCausalLM, size),
        "mistral": (tf.MistralConfig, tf.MistralForCausalLM, {**size, "sliding_window": 64}),
        "gemma2": (tf.Gemma2Config, tf.Gemma2ForCausalLM, {**size, "sliding_window": 64}),
        "gpt2": (tf.GPT2Config, tf.GPT2LMHeadModel, {**gpt2, "initializer_range": 0.2}),
        "bloom": (tf.BloomConfig, tf.BloomForCausalLM, {**bloom, "initializer_range": 0.2}),
        "qwen3_next": (tf.Qwen3NextConfig, tf.Qwen3NextForCausalLM, {**size, **next_}),
        "mamba": (tf.MambaConfig, tf.MambaForCausalLM, {**mamba, "initializer_range": 0.2}),
    }
    make_config, make, settings = known[architecture]
    torch.manual_seed(seed)
    return make(make_config(**{**settings, **config})).eval()


def save(path: Path, model: Any, tokenizer: Any) -> Path:
    """Save both as safetensors and JSON."""
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def train(model: Any, tokenizer: Any, prompts: list[str], answers: list[str]) -> None:
    """Teach the model to answer each prompt; the same prompt may have several answers."""
    import torch

    starts = [tokenizer(f"{prompt}\n{CUE}")["input_ids"] for prompt in prompts]
    wholes = [
        tokenizer(f"{prompt}\n{CUE} {answer}")["input_ids"] + [0]
        for prompt, answer in zip(prompts, answers, strict=True)
    ]
    longest = max(map(len, wholes))
    tokens = torch.tensor([whole + [0] * (longest - len(whole)) for whole in wholes])
    labels = torch.full_like(tokens, -100)
    for row, (start, whole) in enumerate(zip(starts, wholes, strict=True)):
        labels[row, len(start) : len(whole)] = tokens[row, len(start) : len(whole)]
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several would wait for each other where others compute, too
    # On some processors fewer steps leave doubts about single digits.
    for _ in range(160):
        optimiser.zero_grad()
        model(input_ids=tokens, labels=labels).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    torch.set_num_threads(threads)
    model.eval()
