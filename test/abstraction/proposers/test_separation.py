# SPDX-License-Identifier: Apache-2.0
"""Selections on graphs made by hand: what they promise is checked by walking the graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from fcp_ros.abstraction.proposers.feature_selection import Selector, widen_good
from fcp_ros.abstraction.proposers.separation import (
    Selection,
    SeparationProblem,
    collapse_transitions,
    find_conflict,
)

COINS = (1, 3, 5)
Place = tuple[int, tuple[int, ...]]


def state_problem(
    values: Iterable[Iterable[int]],
    edges: Iterable[tuple[int, int]],
    goal: Iterable[int],
    dead: Iterable[int] = (),
    initial: Iterable[int] | None = None,
    weights: Iterable[int] | None = None,
    boolean: Iterable[int] = (),
    refused: Iterable[int] = (),
) -> SeparationProblem:
    rows = np.array(list(values), dtype=np.int64)
    ends = np.array(list(edges), dtype=np.int64)
    places = np.arange(len(rows))
    alive = ~np.isin(places, list(dead))
    return SeparationProblem(
        values=rows,
        weights=np.array(list(weights or [1] * rows.shape[1])),
        boolean=np.isin(np.arange(rows.shape[1]), list(boolean)),
        sources=ends[:, 0],
        targets=ends[:, 1],
        goal=np.isin(places, list(goal)),
        alive=alive,
        expanded=np.ones(len(rows), dtype=bool),
        initial=np.isin(places, list(initial)) if initial is not None else alive,
        refused=np.isin(np.arange(len(ends)), list(refused)),
    )


@pytest.fixture
def coins() -> SeparationProblem:
    """A corridor of seven cells with three coins: collect all, then go to its end."""
    places: list[Place] = list(itertools.product(range(7), itertools.product((0, 1), repeat=3)))
    number = {place: index for index, place in enumerate(places)}
    edges = []
    for cell, left in places:
        if cell == 0 and not any(left):
            continue
        edges += [((cell, left), (cell + move, left)) for move in (-1, 1) if 0 <= cell + move < 7]
        for coin, where in enumerate(COINS):
            if cell == where and left[coin]:
                rest = tuple(0 if other == coin else kept for other, kept in enumerate(left))
                edges.append(((cell, left), (cell, rest)))
    noise = np.random.default_rng(3).integers(0, 3, size=(40, 7, 8))
    features: list[Callable[[int, tuple[int, ...]], int]] = [
        lambda cell, left: cell,
        lambda cell, left: sum(left),
        lambda cell, left: min(
            (abs(cell - w) for w, kept in zip(COINS, left, strict=True) if kept), default=9
        ),
        *(
            lambda cell, left, table=table: int(table[cell, left[0] + 2 * left[1] + 4 * left[2]])
            for table in noise
        ),
    ]
    return state_problem(
        [[feature(*place) for feature in features] for place in places],
        [(number[start], number[end]) for start, end in edges],
        [number[0, (0, 0, 0)]],
        weights=[2, 2, 5] + [6] * 40,
    )


def follow(problem: SeparationProblem, good: np.ndarray) -> None:
    """Check that every way along good transitions ends, and at a goal."""
    left = {int(state) for state in np.flatnonzero(problem.initial & ~problem.goal)}
    ahead: dict[int, set[int]] = {}
    for source, target in zip(problem.sources[good], problem.targets[good], strict=True):
        ahead.setdefault(int(source), set()).add(int(target))
    todo = list(left)
    for state in todo:
        assert ahead.get(state), "a state without a good transition"
        for target in ahead[state]:
            assert problem.alive[target]
            if not problem.goal[target] and target not in left:
                left.add(target)
                todo.append(target)
    while left:
        done = {state for state in left if not ahead[state] & left}
        assert done, "a cycle of good transitions"
        left -= done


def select(problem: SeparationProblem) -> Selection | None:
    return Selector(problem).select(lambda: None)


def test_the_three_telling_features_are_found_among_noise(coins: SeparationProblem) -> None:
    selection = select(coins)
    assert selection is not None
    assert selection.features == (0, 1, 2)
    assert selection.cost == 9
    assert selection.proven
    follow(coins, selection.good)


def test_the_policy_is_one_of_the_features_alone(coins: SeparationProblem) -> None:
    selection = select(coins)
    assert selection is not None
    chosen = list(selection.features)
    before, after = coins.values[coins.sources][:, chosen], coins.values[coins.targets][:, chosen]
    seen: dict[tuple[bytes, bytes], bool] = {}
    used = ~coins.goal[coins.sources]
    for row, sign, good in zip(
        before[used] > 0, np.sign(after - before)[used], selection.good[used], strict=True
    ):
        assert seen.setdefault((row.tobytes(), sign.tobytes()), bool(good)) == good


def test_widened_policies_end_at_goals_too(coins: SeparationProblem) -> None:
    selection = select(coins)
    assert selection is not None
    good = widen_good(coins, selection)
    assert (good | ~selection.good).all()
    follow(coins, good)


def test_dead_ends_are_told_apart() -> None:
    # 0 -> 1 -> 3 (goal); 0 -> 2 is a dead end. The first feature sees both as the same step.
    problem = state_problem(
        [[2, 0], [1, 0], [1, 1], [0, 0]], [(0, 1), (0, 2), (1, 3)], [3], dead=[2], boolean=[1]
    )
    selection = select(problem)
    assert selection is not None
    assert selection.features == (0, 1)
    assert selection.good.tolist() == [True, False, True]


def test_a_number_that_only_increases_is_no_reason_to_end() -> None:
    rows = [[0, 3], [1, 2], [2, 1], [3, 0]]
    edges = [(0, 1), (1, 2), (2, 3)]
    falling = state_problem(rows, edges, [3], weights=[1, 9])
    selection = select(falling)
    assert selection is not None
    assert selection.features == (1,)
    assert select(state_problem([row[:1] for row in rows], edges, [3])) is None


def test_only_reached_states_need_a_transition() -> None:
    # State 2 looks like state 0, but needs another way; it is reached from 1 by a bad step only.
    rows, edges = [[1, 1], [1, 0], [1, 1], [0, 0]], [(0, 1), (1, 3), (1, 2), (2, 1)]
    selection = select(state_problem(rows, edges, [3], initial=[0], boolean=[1]))
    assert selection is not None
    assert selection.good.tolist()[:2] == [True, True]
    assert not selection.good[2]


def test_a_conflict_names_the_transition_that_looks_the_same() -> None:
    # From 0 a step leads on, from 1 the same step, as far as features see, into a dead end.
    problem = state_problem(
        [[2], [2], [1], [1], [0]], [(0, 2), (1, 3), (1, 4), (2, 4)], [4], dead=[3]
    )
    assert select(problem) is None
    conflict = find_conflict(problem)
    assert conflict is not None
    assert (problem.sources[conflict.needed], problem.sources[conflict.refused]) == (0, 1)


def test_no_conflict_where_a_selection_exists(coins: SeparationProblem) -> None:
    assert find_conflict(coins) is None


def test_states_with_the_same_values_are_one_node() -> None:
    problem = state_problem([[2], [1], [1], [0]], [(0, 1), (0, 2), (1, 2), (2, 3)], [3])
    classes = collapse_transitions(problem)
    assert classes.node_of_state.tolist() == [0, 1, 1, 2]
    changes_nothing = classes.of_transition[2]
    assert classes.bad[changes_nothing]
    assert classes.of_transition[0] == classes.of_transition[1]


def test_nothing_is_selected_once_the_time_is_over(coins: SeparationProblem) -> None:
    asked: list[None] = []
    with pytest.raises(TimeoutError):
        Selector(coins).select(lambda: asked.append(None), deadline=0.0)
    assert not asked
