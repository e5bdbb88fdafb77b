# SPDX-License-Identifier: Apache-2.0
"""The change of an encoder by a tuning, in low rank, and the logits of pairs that follow.

A tuned matrix is the encoder's own plus the product of two narrow ones (Hu et al. 2021, "LoRA",
section 4.1), which are here the largest singular directions of what the tuning changed. It reads a
pair as one text: ``[CLS] fork [SEP] used for eating spaghetti [SEP]``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.array_file import Arrays
from fcp_ros.grounding.models.bert_encoder import (
    Affine,
    EncoderWeights,
    LayerWeights,
    MappedModel,
    Matrix,
    TokenPasses,
    apply_gelu,
    split_batches,
)

MOST_TOKENS = 32
"""Tokens of a side that are read; a label has ten words at most (`request_reading`)."""
FORMS: Mapping[str, str] = {
    "function": "used for {}",
    "substitution": "instead of {}",
    "stability": "standing on {}",
    "safety": "within reach of {}",
}
"""How the second side is asked about, by set; of a set of one's own, its column and the words."""


class PairText(NamedTuple):
    """Tokens of a pair, with the number of those of each side."""

    tokens: list[int]
    left: int
    right: int


def write_form(name: str, columns: tuple[str, str]) -> str:
    """Write the form of a set's second side."""
    return FORMS.get(name, f"{columns[1].replace('_', ' ')} {{}}")


@dataclass(frozen=True, slots=True)
class PairWriter:
    """Writes pairs as tokens. `form` has one place for the second side."""

    tokenizer: Any
    first: int
    between: int

    def write(self, pairs: Sequence[tuple[str, str]], form: str) -> list[PairText]:
        lefts = self._encode([left for left, _ in pairs])
        rights = self._encode([form.format(right) for _, right in pairs])
        first, between = self.first, self.between
        return [
            PairText([first, *a, between, *b, between], len(a), len(b))
            for a, b in zip(lefts, rights, strict=True)
        ]

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        signs = {self.first, self.between}  # tokenizers find them in plain text, too
        sides = ([one for one in item.ids if one not in signs][:MOST_TOKENS] for item in found)
        return [side or [self.between] for side in sides]  # a side without tokens has no mean


def make_writer(folder: Path) -> PairWriter:
    """Make the writer of a model's folder.

    Raises ImportError: tokenizers is not installed; OSError, ValueError, KeyError: damaged files.
    """
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    special = json.loads((folder / "special_tokens_map.json").read_text(encoding="utf-8"))
    numbers = []
    for role in ("cls_token", "sep_token"):
        name = special[role]
        number = tokenizer.token_to_id(name["content"] if isinstance(name, dict) else name)
        if number is None:
            raise ValueError(f"the tokenizer has no {role}")
        numbers.append(number)
    return PairWriter(tokenizer, *numbers)


# --- what a tuning changed of an encoder, in low rank ---

PARTS = tuple(field.name for field in fields(LayerWeights))
HEAD_PARTS = {"head.0": "norm", "head.1": "inner", "head.4": "outer"}
"""The parts of the head by their names in `PairEncoder`."""
HEAD_EPSILON = np.float32(1e-5)  # Of torch's norm


def reduce_change(before: EncoderWeights, after: Mapping[str, Matrix], rank: int) -> Arrays:
    """Reduce what was changed to arrays; `after`: weights by their names in `PairEncoder`."""
    arrays: Arrays = {}
    for number, layer in enumerate(before.layers):
        for part in PARTS:
            name, own = f"layers.{number}.{part}", getattr(layer, part)
            change = after[f"{name}.weight"] - own.weight
            if change.ndim == 2:
                left, right = _factor(change, rank if change.any() else 0)
                arrays[f"{name}.left"], arrays[f"{name}.right"] = left, right
            else:
                arrays[f"{name}.weight"] = change.astype(np.float16)
            arrays[f"{name}.bias"] = (after[f"{name}.bias"] - own.bias).astype(np.float16)
    for theirs, ours in HEAD_PARTS.items():
        for kind in ("weight", "bias"):
            arrays[f"head.{ours}.{kind}"] = after[f"{theirs}.{kind}"].astype(np.float16)
    return arrays


def _factor(change: Matrix, rank: int) -> tuple[Matrix, Matrix]:
    """Factor a change into two narrow matrices; of rank 0 where nothing was changed."""
    if rank == 0:
        return np.zeros((len(change), 0), np.float16), np.zeros((0, change.shape[1]), np.float16)
    left, sizes, right = np.linalg.svd(change, full_matrices=False)
    roots = np.sqrt(sizes[:rank])
    factors = left[:, :rank] * roots, roots[:, None] * right[:rank]
    return factors[0].astype(np.float16), factors[1].astype(np.float16)


def adapt(weights: EncoderWeights, arrays: Mapping[str, Matrix]) -> EncoderWeights:
    """Add a change to an encoder's weights.

    Raises KeyError, ValueError: it is not one of this encoder.
    """
    layers = tuple(
        replace(
            layer,
            **{
                part: _change(getattr(layer, part), f"layers.{number}.{part}", arrays)
                for part in PARTS
            },
        )
        for number, layer in enumerate(weights.layers)
    )
    return replace(weights, layers=layers)


def _change(own: Affine, name: str, arrays: Mapping[str, Matrix]) -> Affine:
    bias = _read(arrays, f"{name}.bias")
    if own.weight.ndim == 2:
        left, right = (_read(arrays, f"{name}.{side}") for side in ("left", "right"))
        shapes = (left.shape[0], right.shape[1], bias.shape)
        fits = shapes == (*own.weight.shape, own.bias.shape) and left.shape[1] == len(right)
        changed = Affine(own.weight, own.bias + bias, (left, right) if len(right) else None)
    else:
        change = _read(arrays, f"{name}.weight")
        fits = (change.shape, bias.shape) == (own.weight.shape, own.bias.shape)
        changed = Affine(own.weight + change, own.bias + bias) if fits else own
    if not fits:
        raise ValueError(f"{name} is of another encoder than {own.weight.shape}")
    return changed


def _read(arrays: Mapping[str, Matrix], name: str) -> Matrix:
    found = np.asarray(arrays[name], np.float32)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} is not finite")
    return found


@dataclass(frozen=True, slots=True)
class PairHead:
    """From the means of both sides' states to a logit a set."""

    norm: Affine
    inner: Affine
    outer: Affine

    def apply(self, left: Matrix, right: Matrix) -> Matrix:
        """Compute the logits, shape (pairs, sets)."""
        rows = np.concatenate([left, right, np.abs(left - right), left * right], axis=1)
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows)[:, None] / np.float32(rows.shape[1])
        rows /= np.sqrt(variance + HEAD_EPSILON)
        inner = self.inner.apply(rows * self.norm.weight + self.norm.bias)
        apply_gelu(inner)
        return self.outer.apply(inner)


class TunedEncoder:
    """Logits of pairs by an encoder and what was changed of it.

    `forms`: of the second side, by set. Raises ImportError, OSError, ValueError, KeyError: a
    library is missing, or the files are damaged or don't fit.
    """

    def __init__(
        self, model: MappedModel, arrays: Mapping[str, Matrix], forms: Mapping[str, str]
    ) -> None:
        self._writer: PairWriter = make_writer(model.folder)
        self._passes = TokenPasses(replace(model, weights=adapt(model.weights, arrays)))
        self._forms = forms
        self._columns = {name: place for place, name in enumerate(forms)}
        self._head = PairHead(
            *(
                Affine(_read(arrays, f"head.{part}.weight"), _read(arrays, f"head.{part}.bias"))
                for part in HEAD_PARTS.values()
            )
        )
        width = model.weights.words.shape[1]
        if self._head.inner.weight.shape[1] != 4 * width or len(self._head.outer.bias) != len(
            forms
        ):
            raise ValueError("its head doesn't fit the encoder or the sets")

    def score(self, name: str, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Compute the logits of pairs of a set."""
        texts = self._writer.write(pairs, self._forms[name])
        found = np.empty(len(texts))
        for batch in split_batches([len(text.tokens) for text in texts]):
            logits = self._score_batch([texts[place] for place in batch])
            found[batch] = logits[:, self._columns[name]]
        return found

    def _score_batch(self, texts: Sequence[PairText]) -> Matrix:
        """Compute the logits of texts that are sorted by length."""
        states, _ = self._passes.compute_states([text.tokens for text in texts])
        # Each text has five parts: a sign, a side, a sign, a side, a sign.
        sizes = np.array([(1, text.left, 1, text.right, 1) for text in texts]).ravel()
        sums = np.add.reduceat(states, np.cumsum(sizes) - sizes, axis=0)
        means = np.asarray(sums / sizes[:, None], np.float32)
        return self._head.apply(means[1::5], means[3::5])
