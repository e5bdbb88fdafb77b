# SPDX-License-Identifier: Apache-2.0
"""Tuning of an encoder on judgements, in float32, in steps that can be taken up again.

The loss is the cross entropy of the degrees, and the logistic loss of the order of pairs that share
a purpose (Burges et al. 2005, "Learning to rank using gradient descent", section 3). Lower layers
learn more slowly, each by a factor (Howard and Ruder 2018, "Universal language model fine-tuning",
section 3.2). A state with the moments of AdamW is kept every `KEEP` steps; chance depends on the
seed and the number of the step alone, so a training that was killed ends with the same weights.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.bert_encoder import (
    Affine,
    EncoderWeights,
    LayerWeights,
    classify_distances,
    map_model,
)
from fcp_ros.grounding.tuning.adapter import PairText, PairWriter, make_writer
from fcp_ros.grounding.tuning.batches import (
    BatchOptions,
    Example,
    TrainingPairs,
    count_batches,
    draw_batches,
)
from fcp_ros.grounding.tuning.training_state import (
    KEEP,
    compute_rate,
    keep_state,
    restore_state,
)

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


# --- tuning in steps that can be taken up again ---

TIED = 0.04  # Judgements that are closer say nothing about an order

Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class TuningOptions:
    """Settings of a tuning."""

    rate: float = 2e-4  # of the uppermost layer
    layer_decay: float = 0.8
    frozen: int = 0  # lowest layers that stay as they are
    passes: int = 3
    head_rate: float = 1e-3
    warm_up: float = 0.08  # share of the steps
    weight_decay: float = 0.01
    ranks: float = 0.5  # weight of the loss of the order
    largest_gradient: float = 1.0
    batches: BatchOptions = field(default_factory=BatchOptions)


PRESETS = {
    "bert": TuningOptions(),
    "mpnet": TuningOptions(rate=1e-4, layer_decay=0.9, frozen=4, passes=2),
}
"""By the model type; found on a third of the training kinds, all but `frozen`: that saves a fifth
of the time, and a third of the file."""


class Tuner:
    """The tuning of one encoder, with its state in a file."""

    def __init__(
        self, folder: Path, pairs: TrainingPairs, forms: Sequence[str], options: TuningOptions
    ) -> None:
        mapped = map_model(folder)
        torch.manual_seed(options.batches.seed)
        self.model = PairEncoder(mapped.weights, mapped.heads, mapped.epsilon, len(pairs.names))
        for layer in self.model.layers[: options.frozen]:
            layer.requires_grad_(False)
        self.options = options
        self._pairs = pairs
        self._forms = tuple(forms)
        self._writer = make_writer(folder)
        self._optimizer = torch.optim.AdamW(
            list_groups(self.model, options), weight_decay=options.weight_decay, fused=True
        )
        self._rates = [group["lr"] for group in self._optimizer.param_groups]
        self.steps = options.passes * count_batches(pairs, options.batches)
        self.done = 0
        self.identity = self._identify(folder)

    def run(self, state: Path, report: Report, until: int | None = None) -> None:
        """Train to the end (or to a step), from where the state in the file was."""
        self.done = restore_state(state, self.identity, self._name_trained(), self._optimizer)
        self.model.train()
        end = self.steps if until is None else min(until, self.steps)
        for batch in itertools.islice(self._draw(), max(end - self.done, 0)):
            report("tuning", self.done, self.steps)
            self._step(batch)
            if self.done % KEEP == 0 or self.done == end:
                trained = self._name_trained()
                keep_state(state, self.identity, trained, self._optimizer, self.done)
        self.model.eval()
        report("tuning", self.done, self.steps)

    def score(self, kind: int, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """Compute the logits of pairs of a set; float64[n]."""
        self.model.eval()
        texts = self._writer.write(pairs, self._forms[kind])
        order = sorted(range(len(texts)), key=lambda place: len(texts[place].tokens))
        found = np.empty(len(texts))
        with torch.inference_mode():
            for start in range(0, len(order), 64):
                places = order[start : start + 64]
                logits = self.model(pack([texts[place] for place in places]))[:, kind]
                found[places] = logits.double().numpy()
        return found

    def _draw(self) -> Iterator[list[Example]]:
        count = count_batches(self._pairs, self.options.batches)
        for number in range(self.done // count, self.options.passes):
            batches = draw_batches(self._pairs, self.options.batches, number)
            yield from itertools.islice(batches, self.done - number * count, None)

    def _step(self, batch: Sequence[Example]) -> None:
        torch.manual_seed(self.options.batches.seed * 1_000_003 + self.done)
        share = compute_rate(self.done, self.steps, self.options.warm_up)
        for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * share
        logits = self.model(pack(write_texts(self._writer, self._forms, batch)))
        kinds = torch.tensor([example.kind for example in batch])
        loss = compute_loss(logits[torch.arange(len(batch)), kinds], batch, self.options.ranks)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        trained = self._name_trained().values()
        torch.nn.utils.clip_grad_norm_(trained, self.options.largest_gradient)
        self._optimizer.step()
        self.done += 1

    def _name_trained(self) -> dict[str, Tensor]:
        return {name: p for name, p in self.model.named_parameters() if p.requires_grad}

    def _identify(self, folder: Path) -> str:
        """Hash all that the outcome depends on, so that no state of another training is used."""
        digest = hashlib.sha256(repr((asdict(self.options), self._pairs.names)).encode())
        digest.update(repr((self._forms, self._pairs.training, self._pairs.extra)).encode())
        digest.update((folder / "model.safetensors").read_bytes())
        return digest.hexdigest()[:24]


def write_texts(
    writer: PairWriter, forms: Sequence[str], batch: Sequence[Example]
) -> list[PairText]:
    """Write a batch whose examples may be of different sets, in order."""
    found: dict[int, PairText] = {}
    for kind in sorted({example.kind for example in batch}):
        places = [place for place, example in enumerate(batch) if example.kind == kind]
        texts = writer.write([(batch[p].left, batch[p].right) for p in places], forms[kind])
        found.update(zip(places, texts, strict=True))
    return [found[place] for place in range(len(batch))]


def list_groups(model: PairEncoder, options: TuningOptions) -> list[dict[str, object]]:
    """List the trained parameters with their rates: the head, then the layers from above."""
    groups: list[dict[str, object]] = [
        {"params": list(model.head.parameters()), "lr": options.head_rate}
    ]
    for height, layer in enumerate(reversed(model.layers[options.frozen :])):
        rate = options.rate * options.layer_decay**height
        groups.append({"params": list(layer.parameters()), "lr": rate})
    return groups


def compute_loss(logits: Tensor, batch: Sequence[Example], ranks: float) -> Tensor:
    """Compute the loss of a batch from the logits of its pairs in their own sets."""
    degrees = torch.tensor([example.degree for example in batch])
    loss = functional.binary_cross_entropy_with_logits(logits, degrees)
    numbers: dict[tuple[int, str], int] = {}
    groups = torch.tensor([numbers.setdefault((e.kind, e.right), len(numbers)) for e in batch])
    gaps = degrees[:, None] - degrees[None, :]
    weights = torch.where((groups[:, None] == groups[None, :]) & (gaps > TIED), gaps, 0.0)
    total = weights.sum()
    if float(total) > 0.0:
        wrong = functional.softplus(logits[None, :] - logits[:, None])
        loss = loss + ranks * (weights * wrong).sum() / total
    if not math.isfinite(float(loss.detach())):
        raise GroundingError(
            GroundingCode.MODEL_FAILED,
            "the loss of the training is not finite; its weights or judgements are damaged",
        )
    return loss
