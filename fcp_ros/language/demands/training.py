# SPDX-License-Identifier: Apache-2.0
"""Training of demands, roles and names (`fcp language train`). Nothing here is needed to read.

Three logistic regressions, one on the results of the other: kinds of demands from the vectors of a
clause; roles from pairs of markers; and the weights of all features from rows beside every meaning
of their domain. Equal rows give equal weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fcp_ros.language.demands.frames import Frame
from fcp_ros.language.demands.model import (
    FEATURES,
    Array,
    ClauseComparison,
    DemandWeights,
    Encode,
    FrameTable,
    Places,
    TextVectors,
    choose,
    describe_best,
    find_kinds,
    weigh_fits,
)
from fcp_ros.language.demands.roles import (
    ROLE_FEATURES,
    Assignment,
    Fit,
    RoleModel,
    compute_role_features,
    fit_anything,
)
from fcp_ros.language.demands.rows import Row, TrainingRows, list_labels

KIND_PENALTY, ROLE_PENALTY, FEATURE_PENALTY = 2e-5, 1e-3, 1e-4
"""L2 penalties of the three regressions, per row."""
FOLDS = 3
"""A row's kind is predicted by a regression that has not seen it, so that the weight of this
feature is that which it deserves on new clauses."""
ROUNDS = 3
"""Times that the best frame of each meaning is chosen again by the weights found."""
MOST_COUNT = 20
"""A clause that was said more often counts this often."""
_START = np.array([4.0, 2.0, 1.0, 2.0, 0.5, -0.5, 4.0, 1.0, -1.0, 1.0, -0.5, -0.5])
_BOUNDS = [(0.0, None) if start > 0 else (None, 0.0) for start in _START]
"""Signs of the weights: likeness never speaks against a meaning, whatever few rows say."""

Report = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and how much there is."""


def report_nothing(_what: str, _done: int, _every: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class RowScores:
    """RowScores on rows, all in [0, 1], each clause counted once."""

    rows: int
    demands: float  # share of rows whose first meaning is right
    roles: float  # share of rows whose meaning and all whose marked arguments are right


def train_demands(
    data: TrainingRows, encode: Encode, encoder: str, report: Report = report_nothing
) -> DemandWeights:
    """Train all weights.

    Args:
        report: is told how far it is.
    """
    rows = merge_rows(data.rows)
    vectors = TextVectors(encode)
    report("encoding", 0, 1)
    examples = _list_examples(rows, data.frames)
    inputs = _find_inputs(vectors, examples.clauses)
    names = tuple(dict.fromkeys(examples.labels))
    target = np.array([names.index(label) for label in examples.labels])
    report("kinds of demands", 0, FOLDS + 1)
    kinds = fit_softmax(inputs, target, len(names), examples.weights, KIND_PENALTY)
    known = np.zeros((len(rows), len(names)), np.float32)
    for fold in range(FOLDS):
        report("kinds of demands", fold + 1, FOLDS + 1)
        held = np.arange(len(examples.labels)) % FOLDS == fold
        held[len(rows) :] = False  # phrases of the domains are always known
        part = fit_softmax(
            inputs[~held], target[~held], len(names), examples.weights[~held], KIND_PENALTY
        )
        known[held[: len(rows)]] = _predict(inputs[: len(rows)][held[: len(rows)]], part)
    roles = _train_roles(rows, data.frames, vectors)
    model = RoleModel(roles, vectors.compare)
    comparison = ClauseComparison(vectors, model, kinds)
    tables = {name: comparison.make_table(frames) for name, frames in data.frames.items()}
    compared = []
    for i, row in enumerate(rows):
        if i % 200 == 0:
            report("comparing", i, len(rows))
        fit = data.fits.get(row.domain, fit_anything)
        compared.append(comparison.compare(row.clause, tables[row.domain], fit, known[i]))
    features = _train_features(rows, tables, compared)
    report("what is unknown to a domain", 0, 1)
    familiarity = _train_familiarity(rows, tables, compared, comparison, features)
    rounded = kinds.astype(np.float16).astype(np.float32)  # as the file keeps them
    return DemandWeights(features, roles, familiarity, rounded, names, encoder, data.names)


def merge_rows(rows: Sequence[Row]) -> list[Row]:
    """Make one row of those that differ in their nouns only, with the sum of their counts."""
    merged: dict[tuple[object, ...], Row] = {}
    for row in rows:
        slots = tuple(sorted(row.slots.items()))
        clause = row.clause.as_state or row.clause  # as `DemandModel.rank` sees it
        key = (row.domain, row.asks, clause.masked, slots)
        first = merged.setdefault(key, replace(row, clause=clause, count=0))
        merged[key] = replace(first, count=first.count + row.count)
    return list(merged.values())


@dataclass(frozen=True)
class _Examples:
    clauses: list[tuple[str, str, str]]
    labels: list[str]
    weights: Array


def _list_examples(rows: Sequence[Row], frames: Mapping[str, Sequence[Frame]]) -> _Examples:
    """List what kinds are learned from: the rows, then the phrases of the domains."""
    clauses = [(row.clause.masked, row.clause.action, row.clause.complement) for row in rows]
    labels = [f"{row.domain}: {row.asks}" for row in rows]
    counts = [min(row.count, MOST_COUNT) ** 0.5 for row in rows]
    for name, some in frames.items():
        for frame in some:
            clauses.append((frame.masked, frame.action, frame.complement))
            labels.append(f"{name}: {list_labels(frame)[0]}")
            counts.append(1.0)
    return _Examples(clauses, labels, np.array(counts))


def _find_inputs(
    vectors: TextVectors, clauses: Sequence[tuple[str, str, str]]
) -> NDArray[np.float32]:
    parts = [vectors.find(list(texts)) for texts in zip(*clauses, strict=True)]
    return np.hstack([*parts, np.ones((len(clauses), 1), np.float32)])


def _predict(inputs: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    size = (inputs.shape[1] - 1) // 3
    first, second, third = (inputs[:, i * size : (i + 1) * size] for i in range(3))
    return find_kinds(first, second, third, weights)


def fit_softmax(
    inputs: NDArray[np.float32],
    target: NDArray[np.intp],
    classes: int,
    counts: Array,
    penalty: float,
) -> NDArray[np.float32]:
    """Fit a multinomial logistic regression, shape (columns of the inputs, classes)."""
    from scipy.optimize import minimize

    share = (counts / counts.sum()).astype(np.float32)
    given = np.arange(len(target))

    def loss(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(inputs.shape[1], classes).astype(np.float32)
        scores = inputs @ weights
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        value = -float(share @ np.log(np.maximum(chances[given, target], 1e-12)))
        chances[given, target] -= 1.0
        slope = inputs.T @ (chances * share[:, None])
        total = value + penalty * float((flat**2).sum())
        return total, slope.astype(np.float64).ravel() + 2 * penalty * flat

    start = np.zeros(inputs.shape[1] * classes)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 80})
    return np.asarray(found.x.reshape(inputs.shape[1], classes), np.float32)


def _train_roles(
    rows: Sequence[Row], frames: Mapping[str, Sequence[Frame]], vectors: TextVectors
) -> Array:
    """Learn which pairs of markers are one role from the marked arguments of the rows."""
    pairs: dict[tuple[str, str, bool], float] = {}
    for row in rows:
        marked = {place: slot for slot, place in row.slots.items()}
        right = [f for f in frames[row.domain] if _is_right(f, row)]
        right = [f for f in right if f.verb == row.clause.verb] or right
        for frame in right[:8]:
            for place, argument in enumerate(row.clause.arguments):
                for role in frame.roles:
                    if role.slot:  # an argument that isn't marked fills no slot
                        key = (argument.marker, role.marker, role.slot == marked.get(place))
                        pairs[key] = pairs.get(key, 0.0) + 1.0 / len(right[:8])
    inputs = np.array(
        [compute_role_features(a, b, vectors.compare(a, b)) for a, b, _ in pairs]
    ).reshape(-1, len(ROLE_FEATURES))
    target = np.array([same for _, _, same in pairs], np.intp)
    counts = np.sqrt(np.array(list(pairs.values())))
    both = fit_softmax(inputs.astype(np.float32), target, 2, counts, ROLE_PENALTY)
    return np.asarray(both[:, 1] - both[:, 0], np.float64)


def _is_right(frame: Frame, row: Row) -> bool:
    return not set(list_labels(frame)).isdisjoint(row.asks.split("|"))


def _train_features(
    rows: Sequence[Row],
    tables: Mapping[str, FrameTable],
    compared: Sequence[tuple[Places, Array, list[Assignment]]],
) -> Array:
    """Learn the weights of the features; every domain counts alike."""
    from scipy.optimize import minimize

    right = [
        np.array([_is_right(tables[row.domain].frames[int(p)], row) for p in places])
        for row, (places, _, _) in zip(rows, compared, strict=True)
    ]
    per_domain: dict[str, float] = {}
    for row in rows:
        per_domain[row.domain] = per_domain.get(row.domain, 0.0) + min(row.count, MOST_COUNT) ** 0.5
    weights = _START.copy()
    for _ in range(ROUNDS):
        chosen = []
        for row, (places, features, found), correct in zip(rows, compared, right, strict=True):
            fits = weigh_fits(found)
            best = _choose_best(tables[row.domain].groups[places], features @ weights + fits)
            if correct[best].any():
                share = min(row.count, MOST_COUNT) ** 0.5 / per_domain[row.domain]
                chosen.append((features[best], fits[best], correct[best], share))

        def loss(w: Array, chosen: list[_Example] = chosen) -> tuple[float, Array]:
            value, slope = 0.0, np.zeros_like(w)
            for features, fits, correct, share in chosen:
                scores = features @ w + fits
                scores -= scores.max()
                chances = np.exp(scores)
                chances /= chances.sum()
                mass = max(float(chances[correct].sum()), 1e-12)
                value -= share * float(np.log(mass))
                wanted = np.where(correct, chances, 0.0) / mass
                slope += share * ((chances - wanted) @ features)
            value /= len(per_domain)
            slope /= len(per_domain)
            apart = w - _START  # few rows leave the weights where they start
            value += FEATURE_PENALTY * float(apart @ apart)
            return value, slope + 2 * FEATURE_PENALTY * apart

        weights = minimize(loss, weights, jac=True, method="L-BFGS-B", bounds=_BOUNDS).x
    return np.asarray(weights, np.float64).reshape(len(FEATURES))


_Example = tuple[Array, Array, Array, float]
"""Features and fits of the best frame of each meaning, True for the right ones, the row's share."""


def _train_familiarity(
    rows: Sequence[Row],
    tables: Mapping[str, FrameTable],
    compared: Sequence[tuple[Places, Array, list[Assignment]]],
    comparison: ClauseComparison,
    weights: Array,
) -> Array:
    """Learn to tell a clause of a domain from the clauses of the others, each in the next one."""
    names = sorted({row.domain for row in rows})
    inputs, target, counts = [], [], []
    per_domain = {name: sum(row.domain == name for row in rows) for name in names}
    for i, (row, (places, features, found)) in enumerate(zip(rows, compared, strict=True)):
        others = [name for name in names if name != row.domain]
        stranger = tables[others[i % len(others)]] if others else None
        cases = [(tables[row.domain], places, features, found, 1)]
        if stranger is not None:
            cases.append((stranger, *comparison.compare(row.clause, stranger), 0))
        for table, where, values, filled, known in cases:
            best = _choose_best(table.groups[where], values @ weights + weigh_fits(filled))
            inputs.append(describe_best(values[best], weights))
            target.append(known)
            counts.append(1.0 / per_domain[row.domain])
    both = fit_softmax(
        np.array(inputs, np.float32), np.array(target), 2, np.array(counts), FEATURE_PENALTY
    )
    return np.asarray(both[:, 1] - both[:, 0], np.float64)


def _choose_best(groups: NDArray[np.intp], scores: Array) -> list[int]:
    """Return the position of the best frame of each meaning."""
    best: dict[int, int] = {}
    for i, group in enumerate(groups):
        if int(group) not in best or scores[i] > scores[best[int(group)]]:
            best[int(group)] = i
    return list(best.values())


def score_rows(
    weights: DemandWeights,
    rows: Sequence[Row],
    frames: Sequence[Frame],
    encode: Encode,
    fit: Fit = fit_anything,
) -> RowScores:
    """Score weights on the rows of one domain."""
    vectors = TextVectors(encode)
    model = RoleModel(weights.roles, vectors.compare)
    comparison = ClauseComparison(vectors, model, weights.kinds)
    table = comparison.make_table(frames)
    rows = merge_rows(rows)
    demands = roles = 0
    for row in rows:
        places, features, assignments = comparison.compare(row.clause, table, fit)
        first = choose(table, places, features, assignments, weights, model.compare_best())[0]
        if _is_right(first.frame, row):
            demands += 1
            roles += all(first.slots.get(slot) == place for slot, place in row.slots.items())
    count = max(len(rows), 1)
    return RowScores(len(rows), demands / count, roles / count)


def score_held_out(weights: DemandWeights, data: TrainingRows, encode: Encode) -> RowScores | None:
    """Score weights on the verbs that they were not trained on, in all domains; None for none."""
    scores = [
        score_rows(
            weights,
            [row for row in data.held_out if row.domain == name],
            data.frames[name],
            encode,
            data.fits.get(name, fit_anything),
        )
        for name in sorted({row.domain for row in data.held_out})
    ]
    count = sum(score.rows for score in scores)
    if not count:
        return None
    demands = sum(score.rows * score.demands for score in scores) / count
    return RowScores(count, demands, sum(score.rows * score.roles for score in scores) / count)


def leave_one_out(
    data: TrainingRows, encode: Encode, report: Report = report_nothing
) -> dict[str, RowScores]:
    """Score every domain by weights that were trained on the others alone."""
    found = {}
    with_rows = sorted({row.domain for row in data.rows})
    for number, name in enumerate(with_rows):
        report("leaving one domain out", number, len(with_rows))
        others = replace(
            data,
            rows=tuple(row for row in data.rows if row.domain != name),
            frames={n: frames for n, frames in data.frames.items() if n != name},
        )
        mine = [row for row in data.rows if row.domain == name]
        if others.rows:
            weights = train_demands(others, encode, "")
            fit = data.fits.get(name, fit_anything)
            found[name] = score_rows(weights, mine, data.frames[name], encode, fit)
    return found
