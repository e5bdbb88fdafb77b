# SPDX-License-Identifier: Apache-2.0
"""Heads: a kernel on pair features, and the degree and spread that it gives.

A score or similarity becomes a degree by a monotone map, which a rubric's examples shift.

*Fitting.* Each anchor (score 0, 50, 100) gives one knot: the median similarity of its examples.
Neighbouring knots in the wrong order are pooled into one (isotonic regression, weighted by the
number of examples). Between knots the degree is linear, outside it is that of the last knot.

*Shifting.* The judgements behind a trained head say what people mean by "function" in general; the
examples of a rubric say what the author of *this* predicate means by 0, 50 and 100. At the median
score of each anchor's examples the head's map is moved towards the anchor's degree:

    shift = n / (n + PATIENCE) * (anchor's degree - map(median score))

for n examples. Between the anchors the shift is interpolated, beyond them it is constant, and
knots that no longer rise are pooled. The shift is used only if it brings examples, left out one at
a time, closer to their anchor's degree.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judgement import GroundingCode, GroundingError

STEEPEST = 0.02
"""The least distance in similarity of two knots; closer ones would make a step of noise."""


@dataclass(frozen=True, slots=True)
class DegreeMap:
    """A piecewise linear, non-decreasing map."""

    similarities: tuple[float, ...]
    degrees: tuple[float, ...]  # of the knots, non-decreasing, in [0, 1]

    def apply(self, similarity: float) -> float:
        """Map a similarity to a degree; constant beyond the first and the last knot."""
        xs, ys = self.similarities, self.degrees
        right = bisect_left(xs, similarity)
        if right == 0:
            return ys[0]
        if right == len(xs):
            return ys[-1]
        share = (similarity - xs[right - 1]) / (xs[right] - xs[right - 1])
        return ys[right - 1] + share * (ys[right] - ys[right - 1])

    def apply_all(self, similarities: NDArray[Any]) -> NDArray[np.float64]:
        found = np.interp(similarities, self.similarities, self.degrees)
        return np.asarray(found, np.float64)


def fit_degree_map(examples: Mapping[int, Sequence[float]]) -> DegreeMap:
    """Fit the map to a rubric's examples: similarities by the anchor's score (0 to 100).

    NO_ANCHORS with fewer than two anchors, or if similarities don't rise with scores.
    """
    knots = [
        (median(values), score / 100.0, float(len(values)))
        for score, values in sorted(examples.items())
        if len(values) > 0
    ]
    if len(knots) < 2:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            "similarity can be mapped to a degree only with examples at two anchors or more; add "
            "examples to the rubric's anchors 0 and 100",
        )
    return fit_monotone_map(knots)


def fit_monotone_map(knots: Sequence[tuple[float, float, float]]) -> DegreeMap:
    """Fit the non-decreasing map nearest to knots (pooling of adjacent violators).

    Knots: (similarity, degree, weight), sorted by either; NO_ANCHORS if all pool into one.
    """
    pooled: list[tuple[float, float, float]] = []
    for knot in knots:
        pooled.append(knot)
        while len(pooled) > 1 and not _rises(*pooled[-2:]):
            (x0, y0, n0), (x1, y1, n1) = pooled[-2:]
            whole = n0 + n1
            pooled[-2:] = [((x0 * n0 + x1 * n1) / whole, (y0 * n0 + y1 * n1) / whole, whole)]
    if len(pooled) < 2:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            "examples judged high are no more similar to the model than those judged low; "
            "use clearer examples, or another oracle for this predicate",
        )
    return DegreeMap(tuple(k[0] for k in pooled), tuple(k[1] for k in pooled))


def _rises(low: tuple[float, float, float], high: tuple[float, float, float]) -> bool:
    return high[0] - low[0] >= STEEPEST and high[1] >= low[1]


Reals = NDArray[np.float64]

KNOTS = 16  # Most quantiles of the scores at which the maps may bend


def fit_quantile_map(
    scores: Reals, targets: Reals, most: int, worth: Reals | None = None
) -> DegreeMap:
    """Fit the mean target by quantile of the score, made monotone, with `most` knots.

    `worth` is that of each pair, in [0, 1].
    """
    worth = np.ones(len(scores)) if worth is None else worth
    order = np.flatnonzero(worth)
    order = order[np.argsort(scores[order], kind="stable")]
    parts = min(most, max(2, len(order) // 10))
    reached = np.cumsum(worth[order])
    cuts = np.searchsorted(reached, np.linspace(0.0, reached[-1], parts + 1)[1:-1])
    return fit_monotone_map(
        [
            (
                float(np.average(scores[part], weights=worth[part])),
                float(np.average(targets[part], weights=worth[part])),
                float(worth[part].sum()),
            )
            for part in np.split(order, cuts)
            if len(part)
        ]
    )


def fit_error_map(errors: Reals, squares: Reals, worth: Reals) -> DegreeMap:
    """Fit the map from the second score to the mean squared distance.

    On judged pairs alone: unrelated ones are easy, and would make near misses look so, too.
    """
    try:
        return fit_quantile_map(errors, squares, KNOTS, worth)
    except GroundingError:  # no pair can be told to be better known than another
        return DegreeMap((0.0, 1.0), (float(np.average(squares, weights=worth)),) * 2)


PATIENCE = 12.0  # Number of examples of an anchor that moves the map half of the way
LEAST_EXAMPLES = 3  # The least number of examples of an anchor that moves the map

Examples = Sequence[tuple[float, float]]


def shift_by_rubric(plain_map: DegreeMap, examples: Examples) -> DegreeMap:
    """Shift a map by examples (score, degree), or return it unchanged if that would not help."""
    if len(examples) < 2 * LEAST_EXAMPLES:
        return plain_map
    before = after = 0.0
    for i, (score, degree) in enumerate(examples):
        others = [*examples[:i], *examples[i + 1 :]]
        before += abs(plain_map.apply(score) - degree)
        after += abs(_shift(plain_map, others).apply(score) - degree)
    return _shift(plain_map, examples) if after < before else plain_map


def _shift(plain_map: DegreeMap, examples: Examples) -> DegreeMap:
    by_degree: dict[float, list[float]] = {}
    for score, degree in examples:
        by_degree.setdefault(degree, []).append(score)
    places, shifts = [], []
    for degree, scores in by_degree.items():
        if len(scores) >= LEAST_EXAMPLES:
            middle = median(scores)
            share = len(scores) / (len(scores) + PATIENCE)
            places.append(middle)
            shifts.append(share * (degree - plain_map.apply(middle)))
    if not places:
        return plain_map
    order = np.argsort(places, kind="stable")
    at, by = np.array(places)[order], np.array(shifts)[order]
    knots = sorted({*plain_map.similarities, *places})
    moved = [plain_map.apply(x) + float(np.interp(x, at, by)) for x in knots]
    try:
        return fit_monotone_map(
            [(x, min(max(y, 0.0), 1.0), 1.0) for x, y in zip(knots, moved, strict=True)]
        )
    except GroundingError:  # the examples are in the wrong order: all knots pool into one
        return plain_map


Array = NDArray[np.float32]
Rows = NDArray[np.intp]

CHUNK = 128  # Rows that are compared at a time; their likeness fits into a processor's cache
CROWDED = 4
"""Pairs of all words with all words, for each pair that is asked, up to which all are computed."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """Likeness of rows of features."""

    widths: tuple[int, ...]  # number of columns of each block
    sharpness: tuple[float, ...]  # of each block, > 0; 1 / (2 * squared width of the bell)
    # for each block, True if it holds both sides, one half each; empty: none does
    sides: tuple[bool, ...] = ()

    def compute(self, rows: Array, others: Array) -> Array:
        """Compute the likeness of rows to others, shape (len(rows), len(others))."""
        total = np.zeros((len(rows), len(others)), np.float32)
        for block, sharpness, _ in self.list_blocks():
            total += compute_bells(rows[:, block], others[:, block], sharpness)
        return total

    def sharpen(self, factor: float) -> Kernel:
        return replace(self, sharpness=tuple(factor * value for value in self.sharpness))

    def list_blocks(self) -> list[tuple[slice, float, bool]]:
        """List the columns, the sharpness and `sides` of each block."""
        edges = np.cumsum((0, *self.widths)).tolist()
        sides = self.sides or (False,) * len(self.widths)
        blocks = [slice(a, b) for a, b in itertools.pairwise(edges)]
        return list(zip(blocks, self.sharpness, sides, strict=True))


@dataclass(frozen=True, slots=True)
class ReducedSupports:
    """Fewer supports for the blocks of whole pairs, with weights of their own."""

    places: Rows
    weights: Array  # shape (kept, columns)


class WeighedSupports:
    """Rows with weights, prepared for others to be compared with them again and again.

    Shapes (supports, features) and (supports, columns). `reduced`: what stands for them in the
    blocks of whole pairs; None: all of them.
    """

    def __init__(
        self,
        kernel: Kernel,
        supports: Array,
        weights: Array,
        reduced: ReducedSupports | None = None,
    ) -> None:
        self._weights = weights
        self._whole_weights = weights if reduced is None else reduced.weights
        whole = supports if reduced is None else supports[reduced.places]
        self._blocks: list[tuple[slice, float, tuple[Array, ...]]] = []
        for block, sharpness, of_sides in kernel.list_blocks():
            parts = np.split(supports[:, block], 2, axis=1) if of_sides else [whole[:, block]]
            extended = tuple(np.ascontiguousarray(_extend_right(part).T) for part in parts)
            self._blocks.append((block, sharpness, extended))

    def weigh(self, rows: Array, words: tuple[Rows, Rows]) -> Array:
        """Compute the likeness of rows to the supports, times weights; shape (rows, columns).

        `words`: numbers of each row's sides; equal ones have equal features in the blocks of sides.
        """
        total = np.zeros((len(rows), self._weights.shape[1]), np.float32)
        for block, sharpness, supports in self._blocks:
            own = rows[:, block]
            if len(supports) == 1:
                total += self._weigh_rows(_extend_left(own, sharpness), supports[0])
            else:
                total += self._weigh_sides(own, sharpness, supports, words)
        return total

    def _weigh_rows(self, rows: Array, supports: Array) -> Array:
        weights = self._whole_weights
        total = np.empty((len(rows), weights.shape[1]), np.float32)
        bells = np.empty((min(CHUNK, len(rows)), supports.shape[1]), np.float32)
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            own = rows[part]
            total[part] = _compute_bells(own, supports, bells[: len(own)]) @ weights
        return total

    def _weigh_sides(
        self, rows: Array, sharpness: float, supports: tuple[Array, ...], words: tuple[Rows, Rows]
    ) -> Array:
        bells, places = [], []
        halves = np.split(rows, 2, axis=1)
        for half, theirs, numbers in zip(halves, supports, words, strict=True):
            _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
            bells.append(_compute_bells(_extend_left(half[first], sharpness), theirs))
            places.append(place)
        (lefts, rights), (left, right) = bells, places
        weights = self._weights
        total = np.empty((len(rows), weights.shape[1]), np.float32)
        if len(lefts) * len(rights) <= CROWDED * len(rows):
            for column in range(weights.shape[1]):
                every = (lefts * weights[:, column]) @ rights.T
                total[:, column] = every[left, right]
            return total
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            total[part] = (lefts[left[part]] * rights[right[part]]) @ weights
        return total


def compute_bells(a: Array, b: Array, sharpness: float) -> Array:
    """Compute exp(-sharpness * |a_i - b_j|^2), shape (len(a), len(b))."""
    found = _extend_left(a, sharpness) @ _extend_right(b).T
    np.minimum(found, 0.0, out=found)  # a bell of equal rows is 1, whatever the rounding
    return np.asarray(np.exp(found, out=found), np.float32)


def _compute_bells(left: Array, right: Array, out: Array | None = None) -> Array:
    found = np.matmul(left, right, out=out)
    return np.asarray(np.exp(found, out=found), np.float32)


def _extend_left(rows: Array, sharpness: float) -> Array:
    """Add the squared norms as columns: so the product of both has no pass over a large result."""
    squares = np.einsum("nd,nd->n", rows, rows)[:, None]
    extended = np.concatenate([2.0 * rows, -squares, -np.ones_like(squares)], axis=1)
    return np.asarray(extended * np.float32(sharpness), np.float32)


def _extend_right(rows: Array) -> Array:
    squares = np.einsum("nd,nd->n", rows, rows)[:, None]
    return np.concatenate([rows, np.ones_like(squares), squares], axis=1, dtype=np.float32)


# --- a trained head ---

Pairs = Sequence[tuple[str, str]]

MOST_KEPT = 65_536  # Pairs whose scores are kept; a pair gets the same score again


class PairFeatures(Protocol):
    """Turns pairs into rows of features."""

    @property
    def widths(self) -> tuple[int, ...]:
        """Number of columns of each block."""
        ...

    @property
    def sides(self) -> tuple[bool, ...]:
        """For each block, True if it holds both sides, one half each."""
        ...

    def compute(self, pairs: Pairs) -> Array:
        """Compute the features of pairs, shape (len(pairs), sum of the widths)."""
        ...

    def compare(self, pairs: Pairs) -> Array:
        """Compute the plain similarity of both sides; zeros if the model has none."""
        ...


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of pairs; shape (pairs,) each."""

    values: Array  # before the map to degrees
    errors: Array  # root of the expected squared error of the degree
    cosines: Array  # plain similarity of both sides; zeros if the model has none


@dataclass(frozen=True, slots=True)
class ScoreMemory:
    """Scores of pairs that were asked about: score, error and cosine; the oldest are dropped."""

    rows: OrderedDict[tuple[str, str], list[float]] = field(default_factory=OrderedDict)

    def score(self, pairs: Pairs, compute: Callable[[Pairs], Array]) -> Scores:
        """Score pairs; those of new ones are computed in one call, shape (pairs, 3)."""
        rows = self.rows
        new = [pair for pair in dict.fromkeys(pairs) if pair not in rows]
        table = compute(new) if new else np.zeros((0, 3), np.float32)
        fresh = dict(zip(new, table.tolist(), strict=True))
        if len(new) < len(pairs):
            found = [fresh.get(pair) or rows[pair] for pair in pairs]
            table = np.array(found, np.float32).reshape(-1, 3)
        rows.update(fresh)
        while len(rows) > MOST_KEPT:
            rows.popitem(last=False)
        return Scores(table[:, 0], table[:, 1], table[:, 2])


@dataclass(frozen=True, slots=True)
class ScoreEvidence:
    """Scores of the pairs that a head was measured with: its figures can be computed again.

    Each has the columns score, error and cosine.
    """

    training: Array  # of the training part, cross-validated
    unrelated: Array  # of the random pairs, cross-validated
    held_out: Array


class ScoringHead(Protocol):
    """Scores pairs of one kind, and knows what degrees the scores mean."""

    @property
    def name(self) -> str:
        """The set of judgements: "substitution"."""
        ...

    @property
    def columns(self) -> tuple[str, str]:
        """Names of the sides: ("item", "wanted")."""
        ...

    @property
    def degree_map(self) -> DegreeMap: ...

    def score(self, pairs: Pairs) -> Scores:
        """Score pairs in plain spelling, with one call of the model for all new words."""
        ...


@dataclass(frozen=True)
class Head:
    """Judges pairs of one kind."""

    name: str  # of the set of judgements: "substitution"
    columns: tuple[str, str]  # names of the sides: ("item", "wanted")
    features: PairFeatures
    kernel: Kernel
    supports: Array  # features of judged pairs, shape (supports, features)
    weights: Array  # of the supports, for the score and for the error; shape (supports, 2)
    means: tuple[float, float]  # score and error of a pair unlike all judged ones
    degree_map: DegreeMap
    error_map: DegreeMap  # from the second score to the expected squared error
    evidence: ScoreEvidence
    # fewer supports that score the blocks of whole pairs nearly alike; None: all
    reduced: ReducedSupports | None = None

    # scores of pairs that were asked about
    memory: ScoreMemory = field(default_factory=ScoreMemory, compare=False)

    def score(self, pairs: Pairs) -> Scores:
        """Score pairs in plain spelling; the features of new ones are computed in one call."""
        return self.memory.score(pairs, self._compute)

    def judge(self, pairs: Pairs) -> list[float]:
        """Judge pairs by the score alone, including pairs that were judged themselves."""
        return [self.degree_map.apply(score) for score in self.score(pairs).values.tolist()]

    @cached_property
    def _prepared(self) -> WeighedSupports:
        return WeighedSupports(self.kernel, self.supports, self.weights, self.reduced)

    def _compute(self, pairs: Pairs) -> Array:
        """Compute score, error and cosine of pairs, shape (pairs, 3)."""
        features = self.features.compute(pairs)
        weighed = self._prepared.weigh(features, _number_words(pairs))
        scores = weighed + np.array(self.means, np.float32)
        errors = np.sqrt(self.error_map.apply_all(scores[:, 1]))
        columns = [scores[:, 0], errors, self.features.compare(pairs)]
        return np.stack(columns, axis=1, dtype=np.float32, casting="same_kind")


def _number_words(pairs: Pairs) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number the words of the left and of the right sides."""
    numbers: dict[str, int] = {}
    rows = [numbers.setdefault(word, len(numbers)) for pair in pairs for word in pair]
    return np.array(rows[::2], np.intp), np.array(rows[1::2], np.intp)
