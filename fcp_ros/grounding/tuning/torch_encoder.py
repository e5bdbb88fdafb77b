# SPDX-License-Identifier: Apache-2.0
"""The encoder of `bert_encoder` with a head over pairs, in torch, for training.

Like there, the tokens of a batch are one matrix without padding; only attention goes pair by pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from fcp_ros.grounding.models.bert_encoder import (
    Affine,
    EncoderWeights,
    LayerWeights,
    classify_distances,
)
from fcp_ros.grounding.tuning.pair_texts import PairText

DROPOUT = 0.1
HIDDEN = 256  # Width of the head
GROUPS = 4  # Tables of attention, of texts of about one length: less of them is padding
Made = TypeVar("Made", nn.Linear, nn.LayerNorm)


@dataclass(frozen=True, slots=True)
class AlikeTexts:
    """Texts of about one length, among whose tokens attention is computed in one table."""

    rows: slice  # their tokens
    slots: Tensor  # int64[t], in a table of (texts, longest text)
    mask: Tensor  # float32[n, 1, 1, longest]: -inf where a text has no token


@dataclass(frozen=True, slots=True)
class PackedPairs:
    """The tokens of a batch in one row, shorter texts first, and where each belongs."""

    tokens: Tensor  # int64[t]
    places: Tensor  # int64[t], in its text
    sides: Tensor  # int64[t]: 2 i and 2 i + 1 of the sides of text i, 2 n of what is neither
    groups: tuple[AlikeTexts, ...]
    count: int  # n, the texts


def pack(texts: Sequence[PairText]) -> PackedPairs:
    lengths = np.array([len(text.tokens) for text in texts])
    order = np.argsort(lengths, kind="stable")
    places = np.concatenate([np.arange(lengths[number]) for number in order])
    sides = np.full(len(places), 2 * len(texts))
    starts = np.zeros(len(texts) + 1, np.int64)  # of the texts in their new order
    np.cumsum(lengths[order], out=starts[1:])
    for number, start in zip(order, starts[:-1], strict=True):
        text, begin = texts[number], start + 1
        sides[begin : begin + text.left] = 2 * number
        begin += text.left + 1
        sides[begin : begin + text.right] = 2 * number + 1
    parts = [part for part in np.array_split(np.arange(len(texts)), GROUPS) if len(part)]
    tokens = np.concatenate([texts[number].tokens for number in order])
    return PackedPairs(
        torch.from_numpy(tokens.astype(np.int64)),
        torch.from_numpy(places),
        torch.from_numpy(sides),
        tuple(_group(lengths[order[part]], starts[part[0]], places) for part in parts),
        len(texts),
    )


def _group(lengths: NDArray[np.int64], start: int, places: NDArray[np.int64]) -> AlikeTexts:
    longest = int(lengths.max())
    rows = slice(int(start), int(start + lengths.sum()))
    slots = np.repeat(np.arange(len(lengths)), lengths) * longest + places[rows]
    mask = np.where(np.arange(longest) < lengths[:, None], 0.0, -np.inf).astype(np.float32)
    return AlikeTexts(rows, torch.from_numpy(slots), torch.from_numpy(mask)[:, None, None, :])


def make_linear(affine: Affine) -> nn.Linear:
    outputs, inputs = affine.weight.shape
    made = nn.Linear(inputs, outputs)
    return _fill(made, affine)


def make_norm(affine: Affine, epsilon: float) -> nn.LayerNorm:
    return _fill(nn.LayerNorm(len(affine.weight), eps=epsilon), affine)


def _fill(made: Made, affine: Affine) -> Made:
    with torch.no_grad():
        made.weight.copy_(torch.from_numpy(np.array(affine.weight)))
        made.bias.copy_(torch.from_numpy(np.array(affine.bias)))
    return made


class EncoderLayer(nn.Module):  # type: ignore[misc]
    """One layer; its parts are named like those of `LayerWeights`."""

    def __init__(self, weights: LayerWeights, heads: int, epsilon: float) -> None:
        super().__init__()
        self._heads = heads
        for part in fields(LayerWeights):
            affine = getattr(weights, part.name)
            is_norm = affine.weight.ndim == 1
            made = make_norm(affine, epsilon) if is_norm else make_linear(affine)
            self.add_module(part.name, made)

    def forward(self, hidden: Tensor, batch: PackedPairs, biases: Sequence[Tensor]) -> Tensor:
        attended = self.attended(self._attend(hidden, batch, biases))
        attended = functional.dropout(attended, DROPOUT, self.training)
        hidden = self.attended_norm(hidden + attended)
        outer = self.outer(functional.gelu(self.inner(hidden)))
        outer = functional.dropout(outer, DROPOUT, self.training)
        normalised: Tensor = self.outer_norm(hidden + outer)
        return normalised

    def _attend(self, hidden: Tensor, batch: PackedPairs, biases: Sequence[Tensor]) -> Tensor:
        projected = [part(hidden) for part in (self.query, self.key, self.value)]
        seen = [
            self._attend_alike([values[group.rows] for values in projected], group, bias)
            for group, bias in zip(batch.groups, biases, strict=True)
        ]
        return torch.cat(seen)

    def _attend_alike(self, projected: Sequence[Tensor], group: AlikeTexts, bias: Tensor) -> Tensor:
        count, longest = group.mask.shape[0], group.mask.shape[-1]
        width = projected[0].shape[1]

        def spread(values: Tensor) -> Tensor:
            table = values.new_zeros(count * longest, width).index_copy(0, group.slots, values)
            return table.view(count, longest, self._heads, -1).transpose(1, 2)

        query, key, value = map(spread, projected)
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        return seen.transpose(1, 2).reshape(count * longest, width)[group.slots]


class PairEncoder(nn.Module):  # type: ignore[misc]
    """Logits of pairs, one for each set. The vectors of words and places are not trained."""

    def __init__(self, weights: EncoderWeights, heads: int, epsilon: float, sets: int) -> None:
        super().__init__()
        self._weights = weights
        self._norm = make_norm(weights.norm, epsilon).requires_grad_(False)
        self.layers = nn.ModuleList(EncoderLayer(layer, heads, epsilon) for layer in weights.layers)
        width = weights.words.shape[1]
        self.head = nn.Sequential(
            nn.LayerNorm(4 * width),
            nn.Linear(4 * width, HIDDEN),
            nn.GELU(),
            nn.Dropout(DROPOUT),
            nn.Linear(HIDDEN, sets),
        )
        self._distances = (
            torch.from_numpy(np.array(weights.distances)) if weights.distances is not None else None
        )

    def forward(self, batch: PackedPairs) -> Tensor:
        """Compute the logits, shape (pairs, sets)."""
        words = self._weights.words[batch.tokens.numpy()]
        places = self._weights.positions[batch.places.numpy()]
        with torch.no_grad():
            hidden = self._norm(torch.from_numpy(words + places))
        biases = [self._compute_bias(group) for group in batch.groups]
        for layer in self.layers:
            hidden = layer(hidden, batch, biases)
        count = 2 * batch.count
        sums = hidden.new_zeros(count + 1, hidden.shape[1]).index_add(0, batch.sides, hidden)
        sizes = torch.bincount(batch.sides, minlength=count + 1)[:count, None]
        means = (sums[:count] / sizes).view(-1, 2, hidden.shape[1])
        a, b = means[:, 0], means[:, 1]
        logits: Tensor = self.head(torch.cat([a, b, (a - b).abs(), a * b], dim=1))
        return logits

    def _compute_bias(self, group: AlikeTexts) -> Tensor:
        if self._distances is None:
            return group.mask
        places = np.arange(group.mask.shape[-1])
        classes = classify_distances(places[None, :] - places[:, None])
        return self._distances[torch.from_numpy(classes)].permute(2, 0, 1)[None] + group.mask
