# SPDX-License-Identifier: Apache-2.0
"""Outcomes of simulators that are not exact: when they count, and when nothing can be learned."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from fcp_ros.alignment.evidence import CONFIRMATIONS
from fcp_ros.alignment.simulator import (
    MOST_RUNS,
    ConfirmingSimulator,
    GroundAction,
    Observation,
    ReliabilityLog,
)

PLAN: tuple[GroundAction, ...] = tuple(("go", (str(at),)) for at in range(11))
WORLDS = 300


class Counting:
    """A simulator that answers by a function of the plan's length, and counts its runs."""

    def __init__(self, answer: Callable[[int], Observation], is_exact: bool = False) -> None:
        self._answer = answer
        self.is_exact = is_exact
        self.runs = 0

    def run(self, actions: Sequence[GroundAction]) -> Observation:
        self.runs += 1
        return self._answer(len(actions))


def make_clumsy(rate: float, seed: int, wall: int = 1000) -> Callable[[int], Observation]:
    """Make a world in which actions fail by chance, and all plans at one action."""
    draw = random.Random(seed)

    def answer(count: int) -> Observation:
        for done in range(min(count, wall)):
            if draw.random() < rate:
                return Observation(done, False, "by chance")
        return Observation(min(count, wall), count <= wall)

    return answer


def make_liar(seed: int) -> Callable[[int], Observation]:
    draw = random.Random(seed)

    def answer(count: int) -> Observation:
        done = draw.randint(0, count)
        return Observation(done, done == count and draw.random() < 0.5)

    return answer


def confirm(answer: Callable[[int], Observation]) -> tuple[Observation, int]:
    world = Counting(answer)
    seen = ConfirmingSimulator(world, lambda: None).run(PLAN)
    return seen, world.runs


def weigh_slowly(plans: Sequence[tuple[int, Sequence[int]]]) -> float:
    """Return the log odds by adding up over rates of mishaps, run by run."""
    rates = (np.arange(20_000) + 0.5) / 20_000
    likelihood = 9.0 * (1.0 - rates) ** 8
    at_random = 1.0
    for steps, runs in plans:
        likelihood = likelihood * (0.5 if max(runs) == steps else 0.5 / steps)
        for run in runs:
            likelihood = likelihood * (1.0 - rates) ** run
            if run < max(runs):
                likelihood = likelihood * rates
            at_random /= steps + 1
    return float(np.log(likelihood.mean() / at_random))


@pytest.mark.parametrize(
    "plans",
    [
        [(12, [12])],
        [(12, [3, 7, 12, 0, 12])],
        [(5, [2, 2, 2]), (12, [12])],
        [(3, [1, 1, 0, 1]), (2, [2, 1, 2]), (8, [5, 6, 7, 8])],
    ],
)
def test_odds_are_those_of_the_two_models(plans: list[tuple[int, list[int]]]) -> None:
    log = ReliabilityLog()
    for steps, runs in plans[:-1]:
        log.add(steps, runs)
    assert log.weigh(*plans[-1]) == pytest.approx(weigh_slowly(plans), abs=1e-3)


def test_more_than_one_mishap_in_five_actions_is_too_many() -> None:
    assert ReliabilityLog().weigh(2, [2] * 16 + [0] * 8) > 0.0
    assert ReliabilityLog().weigh(2, [2] * 15 + [0] * 8) == -np.inf


def test_exact_simulator_is_believed_at_once() -> None:
    world = Counting(make_clumsy(0.0, 0), is_exact=True)
    assert ConfirmingSimulator(world, lambda: None).run(PLAN).reached
    assert world.runs == 1


def test_success_is_seen_again_and_failure_three_times() -> None:
    seen, runs = confirm(make_clumsy(0.0, 0))
    assert (seen.reached, seen.repeats, seen.stumbles, runs) == (True, 2, 0, 2)
    seen, runs = confirm(make_clumsy(0.0, 0, wall=6))
    assert (seen.done, seen.reached, seen.repeats) == (6, False, CONFIRMATIONS)
    assert runs == CONFIRMATIONS
    assert not seen.is_scattered


def test_success_counts_at_once_where_the_world_has_proven_itself() -> None:
    world = Counting(make_clumsy(0.0, 0, wall=11))
    simulator = ConfirmingSimulator(world, lambda: None)
    assert not simulator.run((*PLAN, *PLAN)).reached
    world.runs = 0
    assert simulator.run(PLAN).repeats == 1
    assert world.runs == 1


def test_success_after_many_mishaps_is_seen_more_often_than_a_clean_one() -> None:
    outcomes = [Observation(done, False) for done in (3, 9, 5)]
    more = iter(outcomes)
    seen, runs = confirm(lambda count: next(more, Observation(count, True)))
    assert (seen.reached, seen.stumbles, seen.is_scattered) == (True, 3, False)
    assert seen.repeats == runs - 3 > 1


def test_mishaps_at_a_small_rate_are_borne_and_answers_at_random_are_not() -> None:
    for rate, least in ((0.01, 1.0), (0.05, 0.98), (0.1, 0.92)):
        found = [confirm(make_clumsy(rate, seed))[0] for seed in range(WORLDS)]
        right = sum(one.reached and not one.is_scattered for one in found)
        assert right >= least * WORLDS, f"{right} of {WORLDS} at {rate}"
    liars = [confirm(make_liar(seed)) for seed in range(WORLDS)]
    assert all(runs <= MOST_RUNS for _, runs in liars)
    believed = sum(seen.reached and not seen.is_scattered for seen, _ in liars)
    assert believed <= 0.06 * WORLDS, f"{believed} of {WORLDS} were believed"
