# SPDX-License-Identifier: Apache-2.0
"""The posterior of a recalibration: Bayes' rule, bounded loss, and what predicates teach."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.grounding.calibration.pooled_map import (
    GRID,
    LAPSE,
    MIDDLE,
    RIGHT,
    SCATTERS,
    SPREADS,
    Floats,
    MapEvidence,
    average_maps,
    measure_evidence,
    pool_predicates,
    to_degree,
    to_logit,
)

Outcome = tuple[int, float, float]
"""Degree in hundredths, quality, weight."""
OUTCOMES = st.lists(st.tuples(st.integers(1, 99), st.floats(0, 1), st.floats(0, 1)), max_size=25)
ALONE = pool_predicates([])
NOTHING = measure_evidence(*np.zeros((3, 0)))


def measure(outcomes: Sequence[Outcome]) -> MapEvidence:
    degree, quality, weight = np.asarray(outcomes, dtype=float).reshape(-1, 3).T
    return measure_evidence(degree / 100, quality, weight)


def biased(random: np.random.Generator, count: int, slope: float, shift: float) -> MapEvidence:
    """Outcomes whose log-odds are a line of the degrees' log-odds."""
    prior = random.uniform(0.03, 0.97, count)
    rate = to_degree(slope * to_logit(prior) + shift)
    return measure_evidence(prior, (random.random(count) < rate).astype(float), np.ones(count))


def test_without_evidence_it_is_the_identity() -> None:
    values, right = average_maps(ALONE, NOTHING)
    assert values == pytest.approx(GRID, abs=1e-12)
    assert right == pytest.approx(RIGHT)


def lapse(rate: Floats) -> Floats:
    """Add outcomes that say nothing."""
    return (1.0 - LAPSE) * rate + 0.5 * LAPSE


def integrate_slowly(own: Sequence[Outcome], other: Sequence[Outcome], count: int) -> Floats:
    """The slow twin: worlds drawn from the prior, weighted by the chance of what was seen.

    A world is a model's slope and intercept, and those of two predicates.
    """
    random = np.random.default_rng(0)

    def draw(kinds: Sequence[tuple[float, float, float]]) -> tuple[Floats, Floats]:
        kind = random.choice(len(kinds), count, p=[chance for chance, _, _ in kinds])
        spread = np.asarray(kinds)[kind]
        return random.normal(0.0, spread[:, 1]), random.normal(0.0, spread[:, 2])

    (slope, intercept), kind = draw(SPREADS), random.choice(3, count, p=[p for p, _, _ in SCATTERS])
    scatter = np.asarray(SCATTERS)[kind]
    maps = [
        (
            MIDDLE * np.exp(slope + random.normal(0.0, scatter[:, 1])),
            intercept + random.normal(0.0, scatter[:, 2]),
        )
        for _ in range(2)
    ]
    odds = to_logit(GRID)
    chance, right = np.ones(count), 1.0
    for (slopes, intercepts), outcomes in zip(maps, (own, other), strict=True):
        for place, quality, weight in outcomes:
            rate = lapse(to_degree(slopes * odds[place] + intercepts))
            chance *= (rate**quality * (1.0 - rate) ** (1.0 - quality)) ** weight
            degree = lapse(GRID[place])
            right *= (degree**quality * (1.0 - degree) ** (1.0 - quality)) ** weight
    # The oracle is right in RIGHT of all worlds, and `count` worlds stand for the others.
    rates = [to_degree(maps[0][0] * x + maps[0][1]) for x in odds]
    # Without evidence nothing moves: how much of that holds depends on what is left of the prior.
    left = np.minimum(chance / chance.sum(), 1.0 / count).sum()
    chance *= (1.0 - RIGHT) / count
    right *= RIGHT
    total = chance.sum() + right
    means = [
        rate @ chance + chance.sum() * left**2 * (x - rate.mean())
        for rate, x in zip(rates, GRID, strict=True)
    ]
    return (np.asarray(means) + right * GRID) / total


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ([(90, 0.0, 1.0)], []),
        ([(90, 0.0, 1.0), (70, 0.0, 1.0), (80, 0.3, 0.5)], []),
        ([(30, 1.0, 1.0)] * 4 + [(60, 1.0, 1.0)] * 2, [(40, 1.0, 1.0)] * 6),
        ([], [(80, 0.0, 1.0)] * 8),
        ([(80, 1.0, 1.0)] * 5, [(80, 0.0, 1.0)] * 5),
    ],
)
def test_it_is_what_bayes_rule_says(own: Sequence[Outcome], other: Sequence[Outcome]) -> None:
    found, _ = average_maps(pool_predicates([measure(other)] if other else []), measure(own))
    slow = integrate_slowly(own, other, 150_000)
    assert found[5:96] == pytest.approx(slow[5:96], abs=0.015)


ADDED = 0.25
"""Gain of an adversary by the shift that keeps degrees unmoved without evidence: 0.23 was seen."""


@dataclass
class Contest:
    """The log-loss of two predicates beyond the oracle's, outcomes foretold from earlier ones."""

    seen: tuple[list[Outcome], list[Outcome]] = field(default_factory=lambda: ([], []))
    regret: float = 0.0

    def foretell(self, place: int) -> Floats:
        """Recalibrate all degrees of a predicate."""
        values, _ = average_maps(
            pool_predicates([measure(self.seen[1 - place])]), measure(self.seen[place])
        )
        return values

    def add(self, place: int, outcome: Outcome) -> None:
        degree, quality, weight = outcome
        ours, theirs = lapse(np.asarray([self.foretell(place)[degree], GRID[degree]])).tolist()
        good, bad = math.log(theirs / ours), math.log((1.0 - theirs) / (1.0 - ours))
        self.regret += weight * (quality * good + (1.0 - quality) * bad)
        self.seen[place].append(outcome)


@settings(deadline=None, max_examples=60)
@given(OUTCOMES, OUTCOMES)
def test_over_any_outcomes_it_loses_little_to_the_oracle(
    first: list[Outcome], second: list[Outcome]
) -> None:
    contest = Contest()
    for place, outcome in [(0, one) for one in first] + [(1, one) for one in second]:
        contest.add(place, outcome)
    assert contest.regret <= -math.log(RIGHT) + ADDED


def test_an_adversary_gains_little() -> None:
    """Each degree and outcome is the one at which the oracle is best."""
    contest = Contest()
    for turn in range(60):
        ours, theirs = lapse(contest.foretell(turn % 2)), lapse(GRID)
        gain = np.log(np.stack([(1.0 - theirs) / (1.0 - ours), theirs / ours]))[:, 1:100]
        quality, degree = divmod(int(gain.argmax()), 99)
        contest.add(turn % 2, (degree + 1, float(quality), 1.0))
        assert contest.regret <= -math.log(RIGHT) + ADDED
    assert contest.regret > 0.1  # it does gain


@pytest.mark.parametrize(("slope", "shift"), [(1.0, 1.5), (1.0, -1.5), (0.4, 0.0), (2.0, 0.5)])
def test_many_outcomes_show_the_bias(slope: float, shift: float) -> None:
    values, right = average_maps(ALONE, biased(np.random.default_rng(3), 4000, slope, shift))
    assert right < 1e-6
    rates = to_degree(slope * to_logit(GRID) + shift)
    # Up to lapses, these models are members of the family; one that bends log-odds leaves 0.06.
    assert np.abs(values - rates)[3:98].max() < 0.035


def test_degrees_that_are_right_are_soon_known_to_be() -> None:
    values, right = average_maps(ALONE, biased(np.random.default_rng(4), 400, 1.0, 0.0))
    assert right > 0.95
    assert values == pytest.approx(GRID, abs=0.01)


def test_the_order_never_turns_round() -> None:
    values, _ = average_maps(ALONE, biased(np.random.default_rng(4), 2000, -2.0, 0.0))
    assert np.all(np.diff(values) >= 0.0)
    assert values[20:81] == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(("alike", "least", "most"), [(True, 0.7, 1.1), (False, 0.0, 0.4)])
def test_predicates_teach_one_another_where_they_are_alike(
    alike: bool, least: float, most: float
) -> None:
    """How far a predicate without outcomes is moved, of what the others were wrong by."""
    random = np.random.default_rng(5)
    shifts = [-1.5, -1.5, -1.5, -1.5] if alike else [-1.5, 1.5, 0.0, -1.0]
    taught = pool_predicates([biased(random, 60, 1.0, shift) for shift in shifts])
    values, _ = average_maps(taught, NOTHING)
    wrong = GRID - to_degree(to_logit(GRID) - 1.5)
    assert least <= (GRID - values)[50] / wrong[50] <= most


def test_a_predicate_that_differs_is_believed_itself() -> None:
    random = np.random.default_rng(6)
    taught = pool_predicates([biased(random, 60, 1.0, -1.5) for _ in range(3)])
    values, _ = average_maps(taught, biased(random, 100, 1.0, 1.5))
    rates = to_degree(to_logit(GRID) + 1.5)
    assert np.abs(values - rates)[10:90].max() < 0.15
