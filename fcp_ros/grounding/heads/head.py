# SPDX-License-Identifier: Apache-2.0
"""A trained head: the degree of a pair from its likeness to judged pairs. Only numpy.

The score of a pair is kernel ridge regression on a few hundred to thousand *supports*, judged
pairs that were drawn when the head was trained (learning/). Features come from a sentence model
(pair_features.py) or from a causal one (state_features.py). A monotone piecewise linear map makes
the score a degree. A second column of weights on the same supports gives the error that is to be
expected, as it was among pairs like this one whose kind was not in the training.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.degree_map import DegreeMap
from fcp_ros.grounding.heads.kernel import Kernel, ReducedSupports, WeighedSupports

Array = NDArray[np.float32]
Pairs = Sequence[tuple[str, str]]

MOST_KEPT = 65_536
"""Pairs whose scores are kept."""


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
    """Scores of pairs; shape (pairs,) each.

    Args:
        values: before the map to degrees.
        errors: root of the expected squared error of the degree.
        cosines: plain similarity of both sides; zeros if the model has none.
    """

    values: Array
    errors: Array
    cosines: Array


@dataclass(frozen=True, slots=True)
class ScoreMemory:
    """Scores of pairs that were asked about: score, error and cosine; the oldest are dropped."""

    rows: OrderedDict[tuple[str, str], list[float]] = field(default_factory=OrderedDict)


@dataclass(frozen=True, slots=True)
class ScoreEvidence:
    """Scores of the pairs that a head was measured with: its figures can be computed again.

    Each has the columns score, error and cosine.

    Args:
        training: of the training part, cross-validated.
        unrelated: of the random pairs, cross-validated.
        held_out: of the held-out part.
    """

    training: Array
    unrelated: Array
    held_out: Array


@dataclass(frozen=True)
class Head:
    """Judges pairs of one kind.

    Args:
        name: of the set of judgements: "substitution".
        columns: names of the sides: ("item", "wanted").
        features: of pairs.
        kernel: likeness of features.
        supports: features of judged pairs, shape (supports, features).
        weights: of the supports, for the score and for the error; shape (supports, 2).
        means: score and error of a pair unlike all judged ones.
        degree_map: from score to degree.
        error_map: from the second score to the expected squared error.
        evidence: scores of the pairs that it was measured with.
        reduced: fewer supports that score the blocks of whole pairs nearly alike; None: all.
        memory: scores of pairs that were asked about.
    """

    name: str
    columns: tuple[str, str]
    features: PairFeatures
    kernel: Kernel
    supports: Array
    weights: Array
    means: tuple[float, float]
    degree_map: DegreeMap
    error_map: DegreeMap
    evidence: ScoreEvidence
    reduced: ReducedSupports | None = None
    memory: ScoreMemory = field(default_factory=ScoreMemory, compare=False)

    def score(self, pairs: Pairs) -> Scores:
        """Score pairs in plain spelling; the features of new ones are computed in one call."""
        rows = self.memory.rows
        new = [pair for pair in dict.fromkeys(pairs) if pair not in rows]
        table = self._compute(new) if new else np.zeros((0, 3), np.float32)
        fresh = dict(zip(new, table.tolist(), strict=True))
        if len(new) < len(pairs):
            found = [fresh.get(pair) or rows[pair] for pair in pairs]
            table = np.array(found, np.float32).reshape(-1, 3)
        rows.update(fresh)
        while len(rows) > MOST_KEPT:
            rows.popitem(last=False)
        return Scores(table[:, 0], table[:, 1], table[:, 2])

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
