# SPDX-License-Identifier: Apache-2.0
"""Orders of features that each state can improve, beside all orders tried one by one."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from fcp_ros.abstraction.proposers import attempt
from fcp_ros.abstraction.proposers.attempt import DescentSearch
from fcp_ros.abstraction.proposers.separation import Selection, SeparationProblem

Ranked = tuple[tuple[int, int], ...]


def draw_problem(seed: int) -> SeparationProblem:
    """Draw a small graph whose only goal can be reached from all states but the dead ones."""
    source = np.random.default_rng(seed)
    size, width = int(source.integers(4, 9)), int(source.integers(2, 5))
    boolean = source.random(width) < 0.4
    values = source.integers(0, 3, size=(size, width))
    values[:, boolean] = np.minimum(values[:, boolean], 1)
    # A number that counts down to the goal makes an answer likely.
    values[:, 0], boolean[0] = np.arange(size) // int(source.integers(1, 3)), False
    ends = [(one, other) for one in range(1, size) for other in range(size) if one != other]
    kept = [ends[place] for place in np.flatnonzero(source.random(len(ends)) < 0.45)]
    dead = source.random(size) < 0.15
    dead[0] = False
    alive = ~dead
    edges = np.array([*kept, *((one, one - 1) for one in range(1, size))])
    return SeparationProblem(
        values=values,
        weights=source.integers(1, 5, size=width),
        boolean=boolean,
        sources=edges[:, 0],
        targets=edges[:, 1],
        goal=np.arange(size) == 0,
        alive=alive,
        expanded=np.ones(size, dtype=bool),
        initial=alive & (np.arange(size) > 0),
        refused=source.random(len(edges)) < 0.05,
    )


def improves(problem: SeparationProblem, order: Ranked, edge: int) -> bool:
    before = problem.values[problem.sources[edge]]
    after = problem.values[problem.targets[edge]]
    for feature, direction in order:
        if before[feature] != after[feature]:
            return bool(direction * (after[feature] - before[feature]) < 0)
    return False


def holds(problem: SeparationProblem, order: Ranked) -> bool:
    """Return True if each state has a step that improves the order, and none that is wrong does."""
    chosen = [feature for feature, _ in order]
    truth = problem.values[:, chosen] > 0
    for state in np.flatnonzero(problem.alive & ~problem.goal).tolist():
        steps = np.flatnonzero(problem.sources == state).tolist()
        better = [edge for edge in steps if improves(problem, order, edge)]
        wrong = [e for e in better if problem.refused[e] or not problem.alive[problem.targets[e]]]
        if not better or wrong:
            return False
    return all(bool((truth[state] != truth[0]).any()) for state in np.flatnonzero(~problem.goal))


def try_all(problem: SeparationProblem) -> int | None:
    """Return the least weight of an order of up to three features; None if there is none."""
    ranked = [
        (feature, direction)
        for feature in range(problem.values.shape[1])
        for direction in ((1, -1) if problem.boolean[feature] else (1,))
    ]
    weights = [
        int(sum(problem.weights[feature] for feature, _ in order))
        for size in (1, 2, 3)
        for order in itertools.permutations(ranked, size)
        if holds(problem, order)
    ]
    return min((weight for weight in weights if weight <= attempt.MOST_WEIGHT), default=None)


@pytest.mark.parametrize("first", [1, 24])
def test_the_cheapest_order_is_found_as_by_trying_all(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number of states that are tried first."""
    monkeypatch.setattr(attempt, "FIRST", first)
    found = 0
    for seed in range(300):
        problem = draw_problem(seed)
        selection = DescentSearch(problem, seed).find(lambda: None)
        assert (selection and selection.cost) == try_all(problem), seed
        if selection is not None:
            found += 1
            check(problem, selection)
    assert 30 < found < 270


def check(problem: SeparationProblem, selection: Selection) -> None:
    assert holds(problem, selection.order)
    live = problem.alive & ~problem.goal
    for edge, good in enumerate(selection.good):
        expected = improves(problem, selection.order, edge) and live[problem.sources[edge]]
        assert good == expected


def test_policies_that_begin_elsewhere_have_none() -> None:
    """A state that needs no step would be asked for one."""
    problem = next(p for p in map(draw_problem, range(300)) if try_all(p) is not None)
    assert DescentSearch(problem).find(lambda: None) is not None
    problem.initial[np.flatnonzero(problem.initial)[0]] = False
    assert DescentSearch(problem).find(lambda: None) is None


def test_it_stops_at_its_deadline() -> None:
    problem = next(p for p in map(draw_problem, range(300)) if try_all(p) is not None)
    assert DescentSearch(problem).find(lambda: None, deadline=0.0) is None


def test_without_any_feature_there_is_none() -> None:
    problem = draw_problem(0)
    nothing = replace(
        problem,
        values=problem.values[:, :0],
        weights=problem.weights[:0],
        boolean=problem.boolean[:0],
    )
    assert DescentSearch(nothing).find(lambda: None) is None
