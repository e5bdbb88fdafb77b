# SPDX-License-Identifier: Apache-2.0
"""A causal language model in memory: loaded from a checked folder, with its score trie."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fcp_ros.grounding.language_model.score_trie import ScoreTrie, build_trie, find_number_tokens
from fcp_ros.grounding.model_files.store import suggest_repair
from fcp_ros.grounding.models.model_folder import CONFIG
from fcp_ros.grounding.models.torch_device import (
    build_loading_arguments,
    choose_device,
    choose_precision,
    is_out_of_memory,
    suppress_progress_bars,
)
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Device, Precision

UNBOUNDED = 1 << 30
SAFE = {"local_files_only": True, "trust_remote_code": False}
"""Arguments of every ``from_pretrained``: nothing is fetched, no code of a model runs."""


@dataclass(frozen=True, slots=True)
class Attention:
    """The reach of the attention of a model's layers."""

    sliding: int = 0  # tokens that sliding layers see, including the token itself; 0 if none slides
    mixed: bool = False  # True if other layers see everything
    # tokens of a chunk, which see nothing before it; UNBOUNDED without chunks
    chunk: int = UNBOUNDED


@dataclass(frozen=True)
class LanguageModel:
    """A model in memory."""

    model: Any  # of transformers, in evaluation mode
    tokenizer: Any
    device: str  # "cpu" or "cuda"
    precision: Precision
    trie: ScoreTrie  # the ways in which its tokens write a score
    window: int  # the most tokens that it reads
    attention: Attention  # the reach of its layers


def check_architecture(folder: Path) -> None:
    """Refuse (NOT_A_MODEL) what is clearly no language model, such as a sentence model."""
    names = read_architectures(folder)
    generative = ("CausalLM", "LMHeadModel", "ForConditionalGeneration")
    if names and not any(name.endswith(generative) for name in names):
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the model in {folder} is a {', '.join(names)}, not a causal language model; "
            "give it to the embedding oracle, or give the folder of a causal language model",
        )


def read_architectures(folder: Path) -> list[str]:
    """Read the names of a checked folder's architectures, such as "LlamaForCausalLM"."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    return [str(name) for name in config.get("architectures") or ()]


def load_language_model(folder: Path, device: Device, precision: Precision) -> LanguageModel:
    """Load the model of a checked folder."""
    where = choose_device(device)
    chosen = choose_precision(precision, where)
    with explain_loading(folder, where):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(str(folder), **SAFE)
        model, found = AutoModelForCausalLM.from_pretrained(
            str(folder),
            use_safetensors=True,
            output_loading_info=True,
            **build_loading_arguments(chosen),
            **SAFE,
        )
        # transformers would only warn, and draw the missing weights at random.
        if missing := sorted(found["missing_keys"]):
            raise ValueError(f"its files lack {len(missing)} weights, such as {missing[0]}")
        if chosen is not Precision.FOUR_BIT:
            model = model.to(where)
    return make_language_model(model, tokenizer, where, chosen, str(folder))


def make_language_model(
    model: Any, tokenizer: Any, device: str, precision: Precision, name: str
) -> LanguageModel:
    """Prepare a transformers model, on its device, for scoring; NOT_A_MODEL without digits."""
    config = model.config.get_text_config()
    size = getattr(config, "vocab_size", None) or UNBOUNDED
    texts = find_number_tokens(tokenizer)
    # The model can't produce a token that was added to the tokenizer alone.
    trie = build_trie({token: text for token, text in texts.items() if token < size})
    if missing := trie.find_missing_scores():
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the tokenizer of {name} can't write {len(missing)} of the scores 0 to 100, "
            f"such as {missing[0]}: it lacks digits; use another language model",
        )
    window = getattr(config, "max_position_embeddings", None) or UNBOUNDED
    return LanguageModel(
        model.eval(), tokenizer, device, precision, trie, int(window), read_attention(config)
    )


def read_attention(config: Any) -> Attention:
    """Read the reach of the attention from a configuration of transformers."""
    kinds = getattr(config, "layer_types", None)
    slides = [kinds is None or "sliding" in str(kind) for kind in kinds or (None,)]
    used = any(slides) and getattr(config, "use_sliding_window", True) is not False
    return Attention(
        (getattr(config, "sliding_window", None) or 0) if used else 0,
        not all(slides),
        getattr(config, "attention_chunk_size", None) or UNBOUNDED,
    )


@contextmanager
def explain_loading(folder: Path, device: str = "cpu") -> Iterator[None]:
    """Turn what libraries raise while they load a model into errors that say what to do."""
    try:
        with suppress_progress_bars(), _suppress_warnings():  # about layers that are left out
            yield
    except GroundingError:
        raise
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"a language model needs transformers ({error}); pip install transformers",
        ) from error
    except Exception as error:  # a damaged file makes libraries raise anything
        if is_out_of_memory(error):
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the language model in {folder} is too large for the memory of the device "
                f"{device!r} ({error}); use a smaller model, a lower precision, or a model server "
                "(endpoint)",
            ) from error
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the language model in {folder} can't be loaded ({type(error).__name__}: {error}); "
            f"{suggest_repair(folder)}",
        ) from error


@contextmanager
def _suppress_warnings() -> Iterator[None]:
    from transformers.utils import logging as transformers_logging

    before = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(before)
