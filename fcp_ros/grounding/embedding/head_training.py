# SPDX-License-Identifier: Apache-2.0
"""Training of a head: ridge regression on supports, and its map to degrees, in seconds.

Nothing is random: supports and extra pairs are drawn by a generator with a fixed seed, so equal
judgements and vectors give equal weights. (Vectors differ in the seventh digit with what else was
encoded in the same batch; degrees follow to about 0.00002.)

Where unrelated sides don't fit at all (`UNRELATED_FIT_NOT`), random pairs are added with degree 0:
authors rather judge near misses, but a planner asks about everything in the house.

The map from score to degree is fitted on *cross-validated* scores, each by a regression that saw no
item with the same head word, because scores of pairs that were trained on are too good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.embedding.degree_map import DegreeMap, monotone_map
from fcp_ros.grounding.embedding.head import Head, Known, Scaling, Supports, pair_key
from fcp_ros.grounding.embedding.judgement_set import Judgement, JudgementSet
from fcp_ros.grounding.embedding.judgement_split import fraction
from fcp_ros.grounding.embedding.pair_features import (
    SHARED_WORDS,
    Array,
    Basis,
    fit_basis,
    pair_features,
    word_vectors,
)
from fcp_ros.grounding.embedding.phrasing import Encode
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

Reals = NDArray[np.float64]

LEAST_JUDGEMENTS = 20
UNRELATED_FIT_NOT = ("function", "substitution")
"""Sets in which two sides that have nothing to do with each other are worth 0."""
UNRELATED_SHARE = 1.0
"""Random pairs that are added, as a share of the judgements."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a head is trained.

    Args:
        supports: pairs that are kept to compare with, at most.
        ridge: how strongly weights are held small, > 0; in units of squared degrees.
        folds: of the cross-validation behind the map, >= 2.
        knots: quantiles of the scores at which the map may bend, at most.
        seed: of supports and random pairs.
    """

    supports: int = 2500
    ridge: float = 0.3
    folds: int = 4
    knots: int = 16
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Sums:
    """The normal equations of the ridge regression: likeness^T likeness, and likeness^T degrees."""

    square: Reals
    linear: Reals

    def without(self, other: _Sums) -> _Sums:
        return _Sums(self.square - other.square, self.linear - other.linear)

    def weights(self, among: Reals, ridge: float) -> Reals:
        """Solve for the weights.

        Args:
            among: likeness of the supports with each other.
            ridge: see the options.
        """
        matrix = self.square + ridge * among
        # Supports that are nearly the same pair make the matrix singular to working precision.
        matrix[np.diag_indices_from(matrix)] += 1e-12 * np.trace(matrix)
        return np.asarray(np.linalg.solve(matrix, self.linear), np.float64)


def train_head(
    kind: JudgementSet,
    judgements: Sequence[Judgement],
    encode: Encode,
    options: TrainingOptions | None = None,
) -> Head:
    """Train on the judgements given, which may be a part of the set's.

    Args:
        kind: the set; all of its judgements become known pairs.
        judgements: those to train on.
        encode: the embedding model.
        options: None: the defaults.

    Raises:
        GroundingError: NO_ANCHORS: too few judgements, or all of one degree.
    """
    options = options or TrainingOptions()
    degrees = [judgement.degree for judgement in judgements]
    if len(judgements) < LEAST_JUDGEMENTS or max(degrees) - min(degrees) < 0.1:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            f"the set {kind.name} has {len(judgements)} judgements to train on; a head needs "
            f"{LEAST_JUDGEMENTS} or more, of different degrees, besides the fifth held out",
        )
    generator = np.random.default_rng(options.seed)
    pairs = [judgement.pair for judgement in judgements]
    if kind.name in UNRELATED_FIT_NOT:
        extra = _unrelated(pairs, {j.pair for j in kind.judgements}, generator)
        pairs, degrees = [*pairs, *extra], [*degrees, *[0.0] * len(extra)]
    target = np.array(degrees)
    words = word_vectors([word for pair in pairs for word in pair], encode)
    basis = _stored(fit_basis(words))
    raw = pair_features(pairs, words, basis)
    scaling = _fit_scaling(raw)
    features, projected = scaling.apply(raw), words.projected(basis)
    left, right = (words.rows([pair[side] for pair in pairs]) for side in (0, 1))
    chosen = np.sort(generator.choice(len(pairs), min(options.supports, len(pairs)), replace=False))
    supports = _make_supports(features[chosen], projected, left[chosen], right[chosen])
    likeness = supports.kernel(features, projected, left, right).astype(np.float64)
    mean = float(target[: len(judgements)].mean())
    weights, scores = _fit(likeness, chosen, target - mean, pairs, options)
    return Head(
        kind.name,
        kind.columns,
        basis,
        scaling,
        supports,
        np.asarray(weights, np.float32),
        mean,
        _fit_map(scores + mean, target, options.knots),
        _known(kind),
    )


def _unrelated(
    pairs: Sequence[tuple[str, str]],
    judged: set[tuple[str, str]],
    generator: np.random.Generator,
) -> list[tuple[str, str]]:
    """Random pairs of a left and a right side that nobody judged."""
    count = int(UNRELATED_SHARE * len(pairs))
    lefts, rights = generator.integers(len(pairs), size=(2, count))
    drawn = ((pairs[i][0], pairs[j][1]) for i, j in zip(lefts, rights, strict=True))
    return [pair for pair in dict.fromkeys(drawn) if pair not in judged and pair[0] != pair[1]]


def _fit_scaling(features: Array) -> Scaling:
    """Each feature to the same spread; the sum of squares of a pair's features to 1 on average."""
    deviation = features.std(axis=0)
    factor = 1.0 / (np.maximum(deviation, 1e-3) * np.sqrt(features.shape[1]))
    # Shared words are 0 or 1 with a meaning of their own: their size is not that of rareness.
    factor[-SHARED_WORDS:] = 1.5 / np.sqrt(features.shape[1])
    return Scaling(np.asarray(features.mean(axis=0), np.float32), np.asarray(factor, np.float32))


def _stored(basis: Basis) -> Basis:
    """The basis as the file will hold it (half precision), so that the head is trained on that."""
    return Basis(basis.hubs, basis.components.astype(np.float16).astype(np.float32))


def _make_supports(
    features: Array, projected: Array, left: NDArray[np.intp], right: NDArray[np.intp]
) -> Supports:
    """Supports as the file will hold them, with those words only that they need."""
    used, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    return Supports(
        features.astype(np.float16).astype(np.float32),
        projected[used].astype(np.float16).astype(np.float32),
        np.asarray(places[: len(left)], np.int32),
        np.asarray(places[len(left) :], np.int32),
    )


def _fit(
    likeness: Reals,
    chosen: NDArray[np.intp],
    target: Reals,
    pairs: Sequence[tuple[str, str]],
    options: TrainingOptions,
) -> tuple[Reals, Reals]:
    """The weights from all pairs, and each pair's cross-validated score."""
    among = likeness[chosen]
    among = (among + among.T) / 2.0
    whole = _sums(likeness, target)
    scores = np.zeros(len(pairs))
    fold_of = np.array([int(fraction("fold", pair[0]) * options.folds) for pair in pairs])
    for fold in range(options.folds):
        inside = fold_of == fold
        items = {pair[0] for pair, own in zip(pairs, inside, strict=True) if own}
        # As in the split of the held-out part: nothing about these items, on either side.
        about = inside | np.array([pair[1] in items for pair in pairs])
        rest = whole.without(_sums(likeness[about], target[about]))
        scores[inside] = likeness[inside] @ rest.weights(among, options.ridge)
    return whole.weights(among, options.ridge), scores


def _sums(likeness: Reals, target: Reals) -> _Sums:
    return _Sums(likeness.T @ likeness, likeness.T @ target)


def _fit_map(scores: Reals, target: Reals, knots: int) -> DegreeMap:
    """Mean degree by quantile of the score, made monotone."""
    order = np.argsort(scores, kind="stable")
    parts = np.array_split(order, min(knots, max(2, len(order) // 10)))
    return monotone_map([(scores[p].mean(), target[p].mean(), float(len(p))) for p in parts])


def _known(kind: JudgementSet) -> Known:
    keys = np.array([pair_key(judgement.pair) for judgement in kind.judgements], np.uint64)
    degrees = np.array([round(100 * j.degree) for j in kind.judgements], np.uint8)
    order = np.argsort(keys)
    return Known(keys[order], degrees[order])
