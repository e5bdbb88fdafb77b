# SPDX-License-Identifier: Apache-2.0
"""Training of heads: ridge regression on supports, a map to degrees, and held-out figures.

Nothing is random: supports and extra pairs are drawn by a generator with a fixed seed, so equal
judgements and vectors give equal weights. (Vectors differ in the seventh digit with the batch that
a phrase was encoded in; degrees follow to about 0.00002.)

In sets where unrelated sides are worth 0 (`UNRELATED_FIT_NOT`), random pairs of degree 0 are added:
authors tend to judge near misses, but a planner asks about everything in the house.

The map from score to degree is fitted on *cross-validated* scores, each by a regression that saw no
item with the same head word, because the scores of training pairs are too good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.degree_map import DegreeMap, fit_monotone_map
from fcp_ros.grounding.heads.head import Head, Scaling, Supports
from fcp_ros.grounding.heads.head_file import Heads
from fcp_ros.grounding.heads.pair_features import (
    SHARED_WORDS,
    Array,
    Basis,
    Pairs,
    compute_features,
    encode_words,
    fit_basis,
)
from fcp_ros.grounding.judged.agreement import Agreement, measure_agreement
from fcp_ros.grounding.judged.judgement_set import (
    Judgement,
    JudgementSet,
    compute_fraction,
    hash_judgements,
    split,
)
from fcp_ros.grounding.models.sentence_encoder import Encode, SentenceEncoder
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

Reals = NDArray[np.float64]

LEAST_JUDGEMENTS = 20
UNRELATED_FIT_NOT = ("function", "substitution")
"""The sets in which two unrelated sides are worth 0."""
UNRELATED_SHARE = 1.0
"""The number of random pairs that are added, as a share of the judgements."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Settings of the training of a head.

    Args:
        supports: most pairs to compare with.
        ridge: penalty on the weights, > 0; in units of squared degrees.
        folds: of the cross-validation behind the map, >= 2.
        knots: most quantiles of the scores at which the map may bend.
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

    def subtract(self, other: _Sums) -> _Sums:
        return _Sums(self.square - other.square, self.linear - other.linear)

    def solve(self, among: Reals, ridge: float) -> Reals:
        """Solve for the weights.

        Args:
            among: likeness of the supports among each other.
            ridge: see `TrainingOptions`.
        """
        matrix = self.square + ridge * among
        # Nearly equal supports make the matrix singular to working precision.
        matrix[np.diag_indices_from(matrix)] += 1e-12 * np.trace(matrix)
        return np.asarray(np.linalg.solve(matrix, self.linear), np.float64)


def train_head(
    kind: JudgementSet,
    judgements: Sequence[Judgement],
    encode: Encode,
    options: TrainingOptions | None = None,
) -> Head:
    """Train on some judgements, which may be a part of the set's.

    Args:
        kind: the set; none of its pairs is drawn as unrelated.
        judgements: those to train on.
        encode: the embedding model.
        options: None means the defaults.

    Raises:
        GroundingError: NO_ANCHORS: too few judgements, or all of one degree.
    """
    options = options or TrainingOptions()
    degrees = [judgement.degree for judgement in judgements]
    if len(judgements) < LEAST_JUDGEMENTS or max(degrees) - min(degrees) < 0.1:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            f"the set {kind.name} has {len(judgements)} judgements to train on; a head needs "
            f"{LEAST_JUDGEMENTS} or more, of different degrees, besides the fifth that is held out",
        )
    generator = np.random.default_rng(options.seed)
    pairs = [judgement.pair for judgement in judgements]
    if kind.name in UNRELATED_FIT_NOT:
        extra = _draw_unrelated(pairs, {j.pair for j in kind.judgements}, generator)
        pairs, degrees = [*pairs, *extra], [*degrees, *[0.0] * len(extra)]
    target = np.array(degrees)
    words = encode_words([word for pair in pairs for word in pair], encode)
    basis = _round_basis(fit_basis(words))
    raw = compute_features(pairs, words, basis)
    scaling = _fit_scaling(raw)
    features, projected = scaling.apply(raw), words.project(basis)
    left, right = (words.find_rows([pair[side] for pair in pairs]) for side in (0, 1))
    chosen = np.sort(generator.choice(len(pairs), min(options.supports, len(pairs)), replace=False))
    supports = _make_supports(features[chosen], projected, left[chosen], right[chosen])
    likeness = supports.compute_kernel(features, projected, left, right).astype(np.float64)
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
    )


def _draw_unrelated(
    pairs: Sequence[tuple[str, str]],
    judged: set[tuple[str, str]],
    generator: np.random.Generator,
) -> list[tuple[str, str]]:
    """Draw random pairs of a left and a right side that nobody judged."""
    count = int(UNRELATED_SHARE * len(pairs))
    lefts, rights = generator.integers(len(pairs), size=(2, count))
    drawn = ((pairs[i][0], pairs[j][1]) for i, j in zip(lefts, rights, strict=True))
    return [pair for pair in dict.fromkeys(drawn) if pair not in judged and pair[0] != pair[1]]


def _fit_scaling(features: Array) -> Scaling:
    """Scale features to equal spread, and a pair's sum of squares to 1 on average."""
    deviation = features.std(axis=0)
    factor = 1.0 / (np.maximum(deviation, 1e-3) * np.sqrt(features.shape[1]))
    # Shared words are 0 or 1: scaling them by their spread would reward rarity.
    factor[-SHARED_WORDS:] = 1.5 / np.sqrt(features.shape[1])
    return Scaling(np.asarray(features.mean(axis=0), np.float32), np.asarray(factor, np.float32))


def _round_basis(basis: Basis) -> Basis:
    """Round the basis to the half precision of the file, so that the head is trained on that."""
    return Basis(basis.hubs, basis.components.astype(np.float16).astype(np.float32))


def _make_supports(
    features: Array, projected: Array, left: NDArray[np.intp], right: NDArray[np.intp]
) -> Supports:
    """Make the supports, rounded as in the file, with only the words that they need."""
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
    """Fit the weights to all pairs; also return each pair's cross-validated score."""
    among = likeness[chosen]
    among = (among + among.T) / 2.0
    whole = _sum_equations(likeness, target)
    scores = np.zeros(len(pairs))
    fold_of = np.array([int(compute_fraction("fold", pair[0]) * options.folds) for pair in pairs])
    for fold in range(options.folds):
        inside = fold_of == fold
        items = {pair[0] for pair, own in zip(pairs, inside, strict=True) if own}
        # Invariant, as for the held-out part: nothing about these items, on either side.
        about = inside | np.array([pair[1] in items for pair in pairs])
        rest = whole.subtract(_sum_equations(likeness[about], target[about]))
        scores[inside] = likeness[inside] @ rest.solve(among, options.ridge)
    return whole.solve(among, options.ridge), scores


def _sum_equations(likeness: Reals, target: Reals) -> _Sums:
    return _Sums(likeness.T @ likeness, likeness.T @ target)


def _fit_map(scores: Reals, target: Reals, knots: int) -> DegreeMap:
    """Fit the mean degree by quantile of the score, made monotone."""
    order = np.argsort(scores, kind="stable")
    parts = np.array_split(order, min(knots, max(2, len(order) // 10)))
    return fit_monotone_map([(scores[p].mean(), target[p].mean(), float(len(p))) for p in parts])


WORDS_AT_A_TIME = 400


@dataclass(frozen=True, slots=True)
class HeadComparison:
    """A head and the baseline on the same held-out judgements.

    Args:
        head: by the trained head, without looking up judged pairs.
        cosine: by the cosine of the bare words, with the best monotone map of the training part.
    """

    head: Agreement
    cosine: Agreement


def compare_with_cosine(head: Head, kind: JudgementSet, encode: Encode) -> HeadComparison:
    """Compare a head with raw cosine on the held-out part of its set."""
    parts = split(kind.judgements)
    pairs = [judgement.pair for judgement in parts.held_out]
    given = [judgement.degree for judgement in parts.held_out]
    cosine_map = fit_cosine_map(parts.training, encode)
    baseline = [cosine_map.apply(value) for value in compute_cosines(pairs, encode)]
    return HeadComparison(
        measure_agreement(head.judge(pairs, encode), given), measure_agreement(baseline, given)
    )


def fit_cosine_map(judgements: tuple[Judgement, ...], encode: Encode) -> DegreeMap:
    """Fit the monotone map of raw cosine with the least squared error on these judgements."""
    raw = compute_cosines([judgement.pair for judgement in judgements], encode)
    order = np.argsort(raw, kind="stable")
    parts = np.array_split(order, max(2, min(50, len(order) // 10)))
    degree = np.array([judgement.degree for judgement in judgements])
    value = np.array(raw)
    knots = [(float(value[p].mean()), float(degree[p].mean()), float(len(p))) for p in parts]
    return fit_monotone_map(knots)


def compute_cosines(pairs: Pairs, encode: Encode) -> list[float]:
    """Compute the cosine of the bare words of each pair: the baseline."""
    left, right = (encode([pair[side] for pair in pairs]) for side in (0, 1))
    return [float(value) for value in np.einsum("nd,nd->n", left, right)]


def train_heads(
    sets: Mapping[str, JudgementSet],
    encoder: SentenceEncoder,
    options: TrainingOptions | None = None,
    report: Callable[[str, int, int], None] | None = None,
) -> tuple[Heads, dict[str, HeadComparison]]:
    """Train a head for each set on its training part, and measure it on the held-out part.

    Args:
        sets: by name.
        encoder: the embedding model.
        options: None means the defaults.
        report: called with the current step in words, the steps done, and the number of steps.

    Raises:
        GroundingError: too few judgements in a set, or the encoder fails.
    """
    say = report or (lambda *_: None)
    batches = [_batch_words(kind) for kind in sets.values()]
    steps = sum(len(batch) for batch in batches) + len(sets)
    done = 0
    heads: dict[str, Head] = {}
    comparisons: dict[str, HeadComparison] = {}
    for kind, batch in zip(sets.values(), batches, strict=True):
        for words in batch:
            say(f"{kind.name}: phrases", done, steps)
            encode_words(words, encoder.encode)  # fills the encoder's cache
            done += 1
        say(f"{kind.name}: training", done, steps)
        head = train_head(kind, split(kind.judgements).training, encoder.encode, options)
        heads[kind.name] = head
        comparisons[kind.name] = compare_with_cosine(head, kind, encoder.encode)
        done += 1
    say("done", steps, steps)
    measured = {name: asdict(comparison.head) for name, comparison in comparisons.items()}
    return Heads(heads, encoder.model, hash_judgements(sets), measured), comparisons


def _batch_words(kind: JudgementSet) -> list[list[str]]:
    words = sorted({word for judgement in kind.judgements for word in judgement.pair})
    return [words[i : i + WORDS_AT_A_TIME] for i in range(0, len(words), WORDS_AT_A_TIME)]
