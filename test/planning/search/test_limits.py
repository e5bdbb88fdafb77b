# SPDX-License-Identifier: Apache-2.0
"""Searches stop when they are told to, and keep what they have found."""

from __future__ import annotations

import pytest
from flat_enumeration import replayed

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.best_first import BestFirst
from fcp_ros.planning.search.portfolio import Portfolio
from fcp_ros.planning.search.settings import Criterion, Objective, SearchOutcome

FEWEST = Objective((Criterion.COST, Criterion.LOSS))
BLIND = SearchOptions(Algorithm.ASTAR, Heuristic.BLIND, 1.0, Heuristic.BLIND, 1.0)


def switches(count: int) -> FlatTask:
    """Switches that can be turned on and off, all to be on; 2^count states."""
    made = [
        FlatOperator(pre=((v, old),), effects=(FlatEffect(v, 1 - old),))
        for v in range(count)
        for old in (0, 1)
    ]
    goal = [(v, 1) for v in range(count)]
    return FlatBuilder([2] * count, [0] * count, goal, made).build()


def pairs(count: int) -> FlatTask:
    """Neighbouring switches turn together, so no odd number of them is ever on: 2^(count-1)
    states, and no plan where `count` is odd, though each switch alone could be on.
    """
    made = [
        FlatOperator(
            pre=((v, one), (v + 1, other)),
            effects=(FlatEffect(v, 1 - one), FlatEffect(v + 1, 1 - other)),
        )
        for v in range(count - 1)
        for one in (0, 1)
        for other in (0, 1)
    ]
    goal = [(v, 1) for v in range(count)]
    return FlatBuilder([2] * count, [0] * count, goal, made).build()


def test_memory_is_limited_and_told_apart_from_no_plan():
    report = BestFirst(pairs(21), FEWEST, BLIND, memory=1 << 20).run(10**7)
    assert report.outcome is SearchOutcome.OUT_OF_MEMORY
    assert report.best is None
    assert report.stored * 50 < 1 << 20


def test_growing_memory_changes_nothing():
    report = BestFirst(switches(14), FEWEST, BLIND).run(10**7)
    assert report.outcome is SearchOutcome.OPTIMAL
    assert report.best is not None
    assert report.best.cost == 14.0
    assert report.stored >= 2**14 - 1


def test_thousands_of_labels_that_are_put_back_with_keys_of_their_own():
    count = 5000
    made = [FlatOperator(((0, 0),), effects=(FlatEffect(0, 2 + n),)) for n in range(count)]
    made += [
        FlatOperator(((0, 2 + n),), effects=(FlatEffect(0, 1),), cost=9.0 + (n * 7 % count) / 64)
        for n in range(count)
    ]
    task = FlatBuilder([2 + count], [0], ((0, 1),), made).build()
    options = SearchOptions(Algorithm.ASTAR, Heuristic.MAX, 1.0, Heuristic.BLIND, 1.0)
    report = BestFirst(task, FEWEST, options, incumbent=None).run(10**6)
    assert report.outcome is SearchOutcome.OPTIMAL
    assert report.best is not None
    assert report.best.cost == 10.0


def test_all_states_are_expanded_once_before_there_is_no_plan():
    report = BestFirst(pairs(13), FEWEST, BLIND).run(10**7)
    assert report.outcome is SearchOutcome.EXHAUSTED
    assert report.expanded == 2**12
    assert report.generated == 12 * 2**12


class Stop(Exception):
    """Something ran out."""


def stopper(after: int):
    """Raises `Stop` once, at a slice after so many expansions."""
    seen = 0

    def spent(expanded: int, _stored: int) -> None:
        nonlocal seen
        before, seen = seen, seen + expanded
        if before < after <= seen:
            raise Stop

    return spent


@pytest.mark.parametrize("kind", [BestFirst, Portfolio])
def test_a_search_can_be_stopped_and_goes_on_as_if_it_had_not_been(kind):
    task = pairs(13)
    whole = kind(task, FEWEST, BLIND).run(10**7)
    search = kind(task, FEWEST, BLIND, spent=stopper(500))
    with pytest.raises(Stop):
        search.run(10**7)
    stopped = search.report()
    assert stopped.outcome is SearchOutcome.PAUSED
    assert 0 < stopped.expanded < whole.expanded
    assert search.run(10**7) == whole


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_same_seed_gives_the_same_plan(seed):
    options = SearchOptions(Algorithm.LAZY_GREEDY, Heuristic.FF, seed=seed)
    plans = [BestFirst(switches(6), FEWEST, options).run(10**5).best for _ in range(2)]
    assert plans[0] == plans[1]


def test_another_seed_gives_another_plan():
    found = {
        BestFirst(
            switches(6), FEWEST, SearchOptions(Algorithm.LAZY_GREEDY, Heuristic.FF, seed=seed)
        )
        .run(10**5)
        .best
        for seed in range(6)
    }
    assert len(found) > 1
    assert all(replayed(switches(6), p.operators, Composition.SUM) == (0.0, 6.0) for p in found)


def test_a_search_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="bidirectional"):
        BestFirst(switches(2), FEWEST, SearchOptions(Algorithm.BIDIRECTIONAL))
