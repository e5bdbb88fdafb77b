# SPDX-License-Identifier: Apache-2.0
"""Language models with random weights in the shape of known ones, for measurements of speed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fcp_ros.grounding.language_model.loading import LanguageModel, make_language_model
from fcp_ros.grounding.protocol.options import Precision

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Shape:
    """The shape of a Qwen2.5 model.

    Args:
        name: for tables.
        hidden: width.
        inner: width of the feed-forward part.
        layers: how many.
        heads: of the queries.
        groups: of heads that share keys and values.
        vocabulary: rows of the embedding, which is the output's, too, unless it has its own.
        tied: True if it is.
    """

    name: str
    hidden: int
    inner: int
    layers: int
    heads: int
    vocabulary: int = 151_936
    groups: int = 2
    tied: bool = True


TINY = Shape("tiny", 128, 512, 4, 4, 12_000)
HALF_BILLION = Shape("0.5B (Qwen2.5)", 896, 4864, 24, 14)
ONE_AND_A_HALF_BILLION = Shape("1.5B (Qwen2.5)", 1536, 8960, 28, 12)
THREE_BILLION = Shape("3B (Qwen2.5)", 2048, 11008, 36, 16)
SEVEN_BILLION = Shape("7B (Qwen2.5)", 3584, 18944, 28, 28, 152_064, groups=4, tied=False)


def make_tokenizer() -> Any:
    """Make a byte-level BPE trained on this project's documents, with single digits as in Qwen.

    The domain files are left out, so that the prompts are as new to it as to other tokenizers.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=TINY.vocabulary,
        special_tokens=["<eos>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    files = [*sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "README.md"]
    tokenizer.train_from_iterator((file.read_text(encoding="utf-8") for file in files), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<eos>")


def make_random_model(shape: Shape, device: str, precision: Precision) -> LanguageModel:
    """Make a model of a shape on a device.

    Args:
        shape: of the model.
        device: "cpu" or "cuda".
        precision: what it computes with; not 4bit.
    """
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.groups,
        max_position_embeddings=32_768,
        tie_word_embeddings=shape.tied,
        bos_token_id=None,
        eos_token_id=None,
    )
    before = torch.get_default_dtype()
    torch.manual_seed(0)
    torch.set_default_dtype(getattr(torch, precision.value))
    try:
        with torch.device(device):
            model = Qwen2ForCausalLM(config)
    finally:
        torch.set_default_dtype(before)
    return make_language_model(model, make_tokenizer(), device, precision, shape.name)


def parameter_count(loaded: LanguageModel) -> int:
    """Count the weights on a token's way to its logits; the tied embedding counts once."""
    return sum(parameter.numel() for parameter in loaded.model.parameters())
