# SPDX-License-Identifier: Apache-2.0
"""Training of heads, from the name of a model to the file of its heads.

It is regression on supports, maps to degrees and errors, and figures on the held-out part.

Nothing is random: supports and extra pairs are drawn by a generator with a fixed seed, so equal
judgements and vectors give equal weights. (Vectors differ in the seventh digit with the batch that
a phrase was encoded in, hidden states in bfloat16 in the third; degrees follow.)

In sets where unrelated sides are worth 0 (`UNRELATED_FIT_NOT`), random pairs of degree 0 are added:
authors tend to judge near misses, but a planner asks about everything in the house.

Both maps are fitted on *cross-validated* scores, each by a regression that saw no item with the
same head word, because the scores of training pairs are too good. The error of a degree is a second
regression, of the distance between such degrees and the judgements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.feature_maker import (
    FeatureMaker,
    Pairs,
    Report,
    SentenceMaker,
    StateMaker,
    locate_features,
)
from fcp_ros.grounding.heads.head import (
    KNOTS,
    DegreeMap,
    Head,
    Kernel,
    PairFeatures,
    ReducedSupports,
    ScoreEvidence,
    fit_error_map,
    fit_quantile_map,
)
from fcp_ros.grounding.heads.head_file import Heads, save_heads
from fcp_ros.grounding.heads.hidden_states import StatePlaces, count_layers
from fcp_ros.grounding.heads.pair_features import HeadEncoder, make_encoder
from fcp_ros.grounding.heads.ridge_regression import (
    Folds,
    RegressionOptions,
    RegressionRows,
    make_folds,
    prepare_regression,
)
from fcp_ros.grounding.heads.state_features import StateEncoder, write_form
from fcp_ros.grounding.judged_pairs import JudgedPairs
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.judgement_set import (
    Agreement,
    Judgement,
    JudgementSet,
    compute_fraction,
    hash_judgements,
    measure_agreement,
    split,
)
from fcp_ros.grounding.models.sentence_encoder import Encode

#
# The bells of these blocks are wide (half of them lie above 0.8), so that 2,500 of them say little
# more than a quarter of them. Those are chosen one after the other, each the one that the chosen
# ones explain worst (pivoted Cholesky decomposition); their weights are the least squares fit to
# the sums at all supports. What is lost is measured at points between supports, where nothing was
# fitted.

Array = NDArray[np.float32]
Reals = NDArray[np.float64]

KEPT = 640
RIDGE = 1e-8  # Makes the fit well-posed; from 1e-7 to 1e-9 the loss is the same
MOST_LOST = 0.005  # The largest difference of a score; with more of it all supports are kept
LEAST_GAIN = 2.0  # Supports for each one that is kept, below which a reduction isn't worth it


def reduce_supports(
    kernel: Kernel, supports: Array, weights: Array, kept: int = KEPT
) -> ReducedSupports | None:
    """Reduce the supports of the blocks of whole pairs.

    Shapes (supports, features), (supports, columns). None without such blocks, with too few
    supports, or if too much would be lost.
    """
    if len(supports) < LEAST_GAIN * kept or all(sides for *_, sides in kernel.list_blocks()):
        return None
    likeness = compute_likeness(kernel, supports, supports)
    places = choose_pivots(likeness, kept)
    columns = likeness[:, places]
    count = len(supports)
    normal = columns.T @ columns / count + RIDGE * likeness[np.ix_(places, places)]
    target = columns.T @ (likeness @ weights.astype(np.float64)) / count
    fitted = np.linalg.solve(normal, target).astype(np.float32)
    reduced = ReducedSupports(places, fitted)
    lost = measure_loss(kernel, supports, weights, reduced)
    return reduced if lost <= MOST_LOST else None


def compute_likeness(kernel: Kernel, rows: Array, others: Array) -> Reals:
    """Compute the likeness by the blocks of whole pairs, in double precision."""
    total = np.zeros((len(rows), len(others)))
    for block, sharpness, sides in kernel.list_blocks():
        if not sides:
            a, b = rows[:, block].astype(np.float64), others[:, block].astype(np.float64)
            squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T
            total += np.exp(-sharpness * squares.clip(0.0))
    return total


def choose_pivots(likeness: Reals, count: int) -> NDArray[np.intp]:
    """Choose rows of a positive semidefinite matrix by pivoted Cholesky decomposition."""
    left = likeness.diagonal().copy()
    factors = np.zeros((count, len(likeness)))
    places = np.zeros(count, np.intp)
    for number in range(count):
        place = places[number] = int(np.argmax(left))
        row = likeness[place] - factors[:number, place] @ factors[:number]
        factors[number] = row / np.sqrt(max(left[place], 1e-12))
        left -= factors[number] ** 2
        left[places[: number + 1]] = -np.inf
    return places


def measure_loss(
    kernel: Kernel, supports: Array, weights: Array, reduced: ReducedSupports
) -> float:
    """Measure the largest difference of a score at points between two supports each."""
    generator = np.random.default_rng(0)
    one, other = generator.integers(len(supports), size=(2, min(len(supports), 1000)))
    rows = (supports[one] + supports[other]) / np.float32(2.0)
    whole = compute_likeness(kernel, rows, supports) @ weights.astype(np.float64)
    part = compute_likeness(kernel, rows, supports[reduced.places])
    return float(np.abs(whole - part @ reduced.weights.astype(np.float64)).max())


# --- raw cosine of the words with its best monotone map: what a head has to be better than ---


def compute_cosines(pairs: Sequence[tuple[str, str]], encode: Encode) -> list[float]:
    left, right = (encode([pair[side] for pair in pairs]) for side in (0, 1))
    return [float(value) for value in np.einsum("nd,nd->n", left, right)]


def fit_cosine_map(judgements: Sequence[Judgement], encode: Encode) -> DegreeMap:
    """Fit the monotone map of raw cosine with the least squared error on these judgements."""
    raw = np.array(compute_cosines([judgement.pair for judgement in judgements], encode))
    degrees = np.array([judgement.degree for judgement in judgements])
    return fit_quantile_map(raw, degrees, 50)


# --- training of heads: regression on supports, maps to degrees and errors, held-out figures ---


LEAST_JUDGEMENTS = 20
UNRELATED_FIT_NOT = ("function", "substitution")
"""The sets in which two unrelated sides are worth 0."""
UNRELATED_IN_MAP = 0.3
"""What a random pair counts for in the map to degrees, of a judgement.

They say what scores of 0 look like; but most of those that a head is asked about have been taken
for candidates by somebody, and with a full count what is judged 0.9 would be answered as 0.5.
"""
CHUNK = 2048  # Pairs whose features are computed at a time
SHARPNESS = 0.5  # Of the kernel, before the factors of the regression
FOLDS = 4  # Of the cross-validation


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Settings of the training of a head."""

    regression: RegressionOptions = field(default_factory=RegressionOptions)
    most_unrelated: int = 1 << 30  # random pairs that are added to as many judgements


@dataclass(frozen=True, slots=True)
class HeadComparison:
    """A head and the baseline on the same held-out judgements."""

    head: Agreement  # by the trained head, without looking up judged pairs
    # by the cosine of the bare words, with the best monotone map of the training part; None for a
    # model without vectors of words
    cosine: Agreement | None


@dataclass(frozen=True, slots=True)
class TrainingPart:
    """Pairs and degrees that the head of a set is trained on."""

    kind: JudgementSet
    pairs: Pairs  # the judged ones of the training part, then unrelated ones
    degrees: Reals
    judged: int

    def weigh(self, unrelated: float) -> Reals:
        """Return the worth of each pair: 1 of the judged ones."""
        worth = np.ones(len(self.pairs))
        worth[self.judged :] = unrelated
        return worth


def train_heads(
    sets: Mapping[str, JudgementSet],
    maker: FeatureMaker,
    options: TrainingOptions | None = None,
    report: Report | None = None,
) -> tuple[Heads, dict[str, HeadComparison]]:
    """Train a head for each set on its training part, and measure it on the held-out part."""
    options = options or TrainingOptions()
    say = report or (lambda *_: None)
    parts = {name: collect_part(kind, options) for name, kind in sets.items()}
    maker.prepare(
        {name: part.pairs for name, part in parts.items()},
        {name: _list_held_out(kind)[0] for name, kind in sets.items()},
    )
    heads: dict[str, Head] = {}
    comparisons: dict[str, HeadComparison] = {}
    for number, (name, part) in enumerate(parts.items()):
        say(f"{name}: training", number, len(parts))
        heads[name] = train_head(part, maker.make(name, part.pairs), options)
        comparisons[name] = compare_with_cosine(heads[name], part.kind, maker.encode)
    say("done", len(parts), len(parts))
    measured = {name: asdict(comparison.head) for name, comparison in comparisons.items()}
    return (
        Heads(heads, maker.model, maker.weights, hash_judgements(sets), maker.places, measured),
        comparisons,
    )


def collect_part(kind: JudgementSet, options: TrainingOptions) -> TrainingPart:
    """Collect what the head of a set is trained on; NO_ANCHORS if that is too little."""
    judgements = split(kind.judgements).training
    degrees = [judgement.degree for judgement in judgements]
    if len(judgements) < LEAST_JUDGEMENTS or max(degrees) - min(degrees) < 0.1:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            f"the set {kind.name} has {len(judgements)} judgements to train on; a head needs "
            f"{LEAST_JUDGEMENTS} or more, of different degrees, besides the fifth that is held out",
        )
    pairs = [judgement.pair for judgement in judgements]
    extra = draw_unrelated(kind, pairs, options) if kind.name in UNRELATED_FIT_NOT else []
    return TrainingPart(
        kind, [*pairs, *extra], np.array([*degrees, *[0.0] * len(extra)]), len(pairs)
    )


def draw_unrelated(
    kind: JudgementSet, pairs: Pairs, options: TrainingOptions
) -> list[tuple[str, str]]:
    """Draw random pairs of a left and a right side that nobody judged."""
    judged = {judgement.pair for judgement in kind.judgements}
    generator = np.random.default_rng(0)
    lefts, rights = generator.integers(len(pairs), size=(2, len(pairs)))
    drawn = ((pairs[i][0], pairs[j][1]) for i, j in zip(lefts, rights, strict=True))
    found = [pair for pair in dict.fromkeys(drawn) if pair not in judged and pair[0] != pair[1]]
    return found[: options.most_unrelated]


def train_head(part: TrainingPart, features: PairFeatures, options: TrainingOptions) -> Head:
    rows = np.concatenate(
        [
            features.compute(part.pairs[start : start + CHUNK]).astype(np.float16)
            for start in range(0, len(part.pairs), CHUNK)
        ]
    ).astype(np.float32)
    sharpness = (SHARPNESS,) * len(features.widths)
    kernel = Kernel(tuple(features.widths), sharpness, tuple(features.sides))
    mean = float(part.degrees[: part.judged].mean())
    target = part.degrees - mean
    judged = part.weigh(0.0)
    known = RegressionRows(rows, judged > 0, _split_into_folds(part.pairs, FOLDS))
    regression = prepare_regression(known, target, kernel, options.regression)
    weights, scores = regression.fit(target)
    degree_map = _fit_degree_map(part, scores + mean)
    distance = np.abs(degree_map.apply_all(scores + mean) - part.degrees)
    mean_error = float(distance[: part.judged].mean())
    error_weights, errors = regression.fit(distance - mean_error)
    error_map = fit_error_map(errors + mean_error, distance**2, judged)
    supports = rows[regression.chosen]
    both = np.asarray(np.stack([weights, error_weights], axis=1), np.float32)
    head = Head(
        part.kind.name,
        part.kind.columns,
        features,
        regression.kernel,
        supports,
        both,
        (mean, mean_error),
        degree_map,
        error_map,
        _NO_EVIDENCE,
        reduce_supports(regression.kernel, supports, both),
    )
    expected = np.sqrt(error_map.apply_all(errors + mean_error))
    return _add_evidence(head, part, scores + mean, expected)


def _fit_degree_map(part: TrainingPart, scores: Reals) -> DegreeMap:
    in_map = part.weigh(UNRELATED_IN_MAP)
    try:
        return fit_quantile_map(scores, part.degrees, KNOTS, in_map)
    except GroundingError as error:
        raise GroundingError(
            GroundingCode.NO_ANCHORS,
            f"nothing is learned about the set {part.kind.name}: of new kinds of "
            f"{part.kind.columns[0]}, the model can't tell those judged high from those judged "
            "low; add judgements, or use another model",
        ) from error


_NOTHING: Array = np.zeros((0, 3), np.float32)
_NO_EVIDENCE = ScoreEvidence(_NOTHING, _NOTHING, _NOTHING)


def _add_evidence(head: Head, part: TrainingPart, scores: Reals, errors: Reals) -> Head:
    """Add the scores of the pairs that it is measured with."""
    table = np.stack([scores, errors, head.features.compare(part.pairs)], axis=1)
    held_out = head.score(_list_held_out(part.kind)[0])
    evidence = ScoreEvidence(
        np.asarray(table[: part.judged], np.float32),
        np.asarray(table[part.judged :], np.float32),
        np.stack([held_out.values, held_out.errors, held_out.cosines], axis=1),
    )
    return replace(head, evidence=evidence)


def _split_into_folds(pairs: Pairs, folds: int) -> Folds:
    """Split pairs by the head word of their item.

    Invariant, as for the held-out part: a fold's regression sees nothing about its items, on either
    side.
    """
    numbers = [int(compute_fraction("fold", pair[0]) * folds) for pair in pairs]
    barred = []
    for fold in range(folds):
        items = {pair[0] for pair, own in zip(pairs, numbers, strict=True) if own == fold}
        barred.append(np.array([pair[1] in items for pair in pairs]))
    return make_folds(numbers, barred)


def _list_held_out(kind: JudgementSet) -> tuple[list[tuple[str, str]], list[float]]:
    held_out = split(kind.judgements).held_out
    return [judgement.pair for judgement in held_out], [judgement.degree for judgement in held_out]


def compare_with_cosine(head: Head, kind: JudgementSet, encode: Encode | None) -> HeadComparison:
    """Compare a head with raw cosine on the held-out part of its set."""
    pairs, given = _list_held_out(kind)
    own = measure_agreement(head.judge(pairs), given)
    if encode is None:
        return HeadComparison(own, None)
    cosine_map = fit_cosine_map(split(kind.judgements).training, encode)
    baseline = [cosine_map.apply(value) for value in compute_cosines(pairs, encode)]
    return HeadComparison(own, measure_agreement(baseline, given))


LAYER_SHARES = (4 / 7, 5 / 7)
"""Layers whose states are read, as shares of a model's layers: 16 and 20 of 28."""
COMPONENTS = 512
CAUSAL_OPTIONS = TrainingOptions(
    RegressionOptions(supports=4000, ridges=(0.03, 0.1, 0.3)), most_unrelated=4000
)
"""A causal model takes some 70 ms of a processor for each question."""


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """Model, judgements and settings of a training."""

    model: str
    sets: Mapping[str, JudgementSet]
    wordings: Mapping[str, str]  # the question of each set, for causal models
    out: Path
    # pairs that are looked up in the place of the package's
    judged: Mapping[str, JudgedPairs] = field(default_factory=dict)
    # of a causal model, whose states are read; none: chosen by the model's depth
    layers: tuple[int, ...] = ()
    components: int = COMPONENTS  # features of a pair of a causal model
    # of the training; None: the defaults for the kind of model
    options: TrainingOptions | None = None
    features: Path = field(default_factory=locate_features)  # folder of what encoders have computed


def train(request: TrainingRequest, report: Report) -> dict[str, HeadComparison]:
    """Train heads, and write the file; return figures on the held-out part of each set."""
    maker = make_maker(request, make_encoder(request.model), report)
    try:
        kind = TrainingOptions() if maker.places is None else CAUSAL_OPTIONS
        heads, comparisons = train_heads(request.sets, maker, request.options or kind, report)
    finally:
        maker.close()
    save_heads(heads, request.out, request.judged)
    return comparisons


def make_maker(request: TrainingRequest, encoder: HeadEncoder, report: Report) -> FeatureMaker:
    """Make what gives the features of pairs by an encoder."""
    if not isinstance(encoder, StateEncoder):
        return SentenceMaker(encoder, request.features, report)
    tokenizer = encoder.load_tokenizer()
    forms = {
        name: write_form(tokenizer, request.wordings[name], kind)
        for name, kind in request.sets.items()
    }
    layers = request.layers or choose_layers(count_layers(encoder.folder))
    return StateMaker(
        encoder, forms, StatePlaces(layers), request.components, request.features, report
    )


def choose_layers(count: int) -> tuple[int, ...]:
    """Choose the layers whose states are read in a model of so many."""
    return tuple(sorted({max(1, round(share * count)) for share in LAYER_SHARES}))
