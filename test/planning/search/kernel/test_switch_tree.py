# SPDX-License-Identifier: Apache-2.0
"""The switch tree finds the operators that `semantics.find_applicable` finds."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.planning.flat import semantics
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.task import FlatTask, count_operators, count_variables
from fcp_ros.planning.search.kernel.switch_tree import (
    SwitchTree,
    build_switch_tree,
    find_applicable,
    is_forbidden,
)


def found(task: FlatTask, tree: SwitchTree, state: tuple[int, ...]) -> list[int]:
    """The operators that may be applied, by the tree."""
    values = np.array(state, np.int32)
    waiting = np.zeros(tree.depth, np.int32)
    into = np.zeros(count_operators(task), np.int32)
    count = find_applicable(tree.nodes, tree.listed, tree.root, values, waiting, into)
    return sorted(
        int(o) for o in into[:count] if tree.simple[o] or not is_forbidden(task, values, int(o))
    )


def states(task: FlatTask) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*(st.integers(0, int(size) - 1) for size in task.domain))


@settings(max_examples=150)
@given(st.data(), flat_tasks(max_variables=6, max_operators=15))
def test_the_tree_finds_what_is_applicable(data, task):
    tree = build_switch_tree(task)
    for _ in range(4):
        state = data.draw(states(task))
        assert found(task, tree, state) == semantics.find_applicable(task, state)


def place_task(places: int) -> FlatTask:
    """Two things on many places: single values are tested, not switched on."""
    made = [
        FlatOperator(pre=((0, p), (1, q)), effects=(FlatEffect(2, 1),))
        for p in (0, 3, places - 1)
        for q in (1, places - 1)
    ]
    made.append(FlatOperator(effects=(FlatEffect(0, 0),)))
    return FlatBuilder([places, places, 2], [0, 0, 0], ((2, 1),), made).build()


def test_values_that_nobody_asks_for_take_no_room():
    task = place_task(1000)
    tree = build_switch_tree(task)
    assert len(tree.nodes) < 200
    for state in ((0, 1, 0), (3, 999, 1), (999, 1, 0), (4, 1, 0), (0, 0, 0)):
        assert found(task, tree, state) == semantics.find_applicable(task, state)


def test_an_operator_that_asks_for_two_values_at_once_is_never_found():
    made = [FlatOperator(pre=((0, 0), (0, 1)), effects=(FlatEffect(0, 1),))]
    task = FlatBuilder([2], [0], ((0, 1),), made).build()
    assert found(task, build_switch_tree(task), (0,)) == []


def test_a_condition_said_twice_counts_once():
    made = [FlatOperator(pre=((0, 0), (0, 0)), effects=(FlatEffect(0, 1),))]
    task = FlatBuilder([2], [0], ((0, 1),), made).build()
    assert found(task, build_switch_tree(task), (0,)) == [0]


def test_thousands_of_variables_make_a_long_chain():
    count = 3000
    made = [FlatOperator(pre=((v, 0),), effects=(FlatEffect(v, 1),)) for v in range(count)]
    task = FlatBuilder([2] * count, [0] * count, ((0, 1),), made).build()
    assert count_variables(task) == count
    tree = build_switch_tree(task)
    assert found(task, tree, (0,) * count) == list(range(count))


def test_an_operator_may_ask_for_thousands_of_variables():
    count = 3000
    everything = tuple((v, 1) for v in range(count - 1))
    made = [FlatOperator(pre=everything, effects=(FlatEffect(count - 1, 1),))]
    task = FlatBuilder([2] * count, [0] * count, ((count - 1, 1),), made).build()
    tree = build_switch_tree(task)
    assert found(task, tree, (1,) * count) == [0]
    assert found(task, tree, (1,) * (count - 2) + (0, 1)) == []
