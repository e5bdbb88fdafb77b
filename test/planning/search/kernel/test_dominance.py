# SPDX-License-Identifier: Apache-2.0
"""Which resources count in which direction, and labels that cover each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.planning.flat import semantics
from fcp_ros.planning.flat.builder import FlatBuilder, FlatOperator, FlatResource
from fcp_ros.planning.flat.task import count_operators
from fcp_ros.planning.search.kernel.dominance import (
    dominates,
    find_directions,
    insert_label,
    outdo,
    spend_resources,
)
from fcp_ros.planning.search.kernel.space import CLOSED, DEAD, NEXT, OPEN
from fcp_ros.planning.search.settings import LEXICOGRAPHIC, PARETO, SEEN


def direction(resource: FlatResource, uses: list[float]) -> int:
    made = [FlatOperator(use=(use,)) for use in uses]
    return int(find_directions(FlatBuilder([2], [0], ((0, 1),), made, [resource]).build())[0])


@pytest.mark.parametrize(
    ("resource", "uses", "expected"),
    [
        (FlatResource(5.0, 0.0, 9.0), [1.0], 1),
        (FlatResource(5.0, 0.0, 9.0), [-1.0], -1),
        (FlatResource(5.0, 0.0, 9.0), [1.0, -1.0], 2),
        (FlatResource(5.0, 0.0, math.inf), [1.0, -1.0], 1),
        (FlatResource(5.0, -math.inf, 9.0), [1.0, -1.0], -1),
        (FlatResource(5.0), [1.0, -1.0], 0),
        (FlatResource(5.0, 0.0, 4.0), [1.0], 2),  # too much of it at first
        (FlatResource(-1.0, 0.0, 4.0), [-1.0], 2),  # too little
    ],
)
def test_the_direction_of_a_resource(resource, uses, expected):
    assert direction(resource, uses) == expected


def test_a_window_that_closes_makes_time_precious():
    made = [FlatOperator(use=(-1.0,), closes=4.0)]
    task = FlatBuilder([2], [0], ((0, 1),), made, [FlatResource(0.0)], 0).build()
    assert find_directions(task).tolist() == [-1]


def test_waiting_can_pass_the_end_of_time():
    made = [FlatOperator(use=(0.0,), opens=9.0)]
    task = FlatBuilder([2], [0], ((0, 1),), made, [FlatResource(0.0, 0.0, 8.0)], 0).build()
    assert find_directions(task).tolist() == [-1]


@settings(max_examples=150)
@given(st.data(), flat_tasks())
def test_spending_is_that_of_the_semantics(data, task):
    amounts = tuple(data.draw(st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.5, 6.0])) for _ in task.amount)
    operator = data.draw(st.integers(0, count_operators(task) - 1))
    left = np.zeros(len(amounts))
    works = spend_resources(task, np.array([0.0, 0.0, *amounts]), operator, left)
    expected = semantics.amounts_after(task, amounts, operator)
    assert works == (expected is not None)
    if expected is not None:
        assert left.tolist() == list(expected)


@pytest.mark.parametrize(
    ("one", "other", "dominance", "expected"),
    [
        ((1.0, 9.0), (2.0, 1.0), LEXICOGRAPHIC, True),
        ((1.0, 9.0), (1.0, 9.0), LEXICOGRAPHIC, True),
        ((1.0, 9.0), (1.0, 8.0), LEXICOGRAPHIC, False),
        ((1.0, 9.0), (2.0, 1.0), PARETO, False),
        ((1.0, 1.0), (2.0, 1.0), PARETO, True),
        ((3.0, 3.0), (2.0, 1.0), SEEN, True),
    ],
)
def test_labels_cover_each_other_by_their_criteria(one, other, dominance, expected):
    nothing = np.zeros(0, np.int32)
    assert dominates(np.array(one), np.array(other), dominance, nothing, True) == expected


@pytest.mark.parametrize(
    ("way", "amounts", "expected"),
    [(1, (2.0, 1.0), True), (1, (1.0, 2.0), False), (-1, (1.0, 2.0), True), (-1, (2.0, 1.0), False),
     (2, (1.0, 2.0), False), (2, (2.0, 1.0), False), (2, (1.0, 1.0), True), (0, (1.0, 2.0), True)],
)  # fmt: skip
def test_labels_cover_each_other_by_their_resources(way, amounts, expected):
    one, other = (np.array([0.0, 0.0, amount]) for amount in amounts)
    assert dominates(one, other, PARETO, np.array([way], np.int32), True) == expected
    assert dominates(one, other, PARETO, np.array([way], np.int32), False)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), max_size=9),
    st.sampled_from([SEEN, PARETO]),
)
def test_labels_that_wait_by_other_estimates_compete_until_one_is_taken(steps, dominance):
    """Each step inserts a label and, if it says so, closes the oldest one that is still open."""
    nothing = np.zeros(0, np.int32)
    first, link = np.full(1, -1, np.int32), np.full((10, 4), -1, np.int32)
    status, way = np.zeros(10, np.uint8), np.zeros((10, 2))
    kept: list[int] = []  # the twin: labels that were let in, by number

    def covers(one: int, other: int) -> bool:
        return bool(dominance == SEEN or (way[one] <= way[other]).all())

    for label, (loss, cost, closes) in enumerate(steps):
        way[label] = loss, cost
        barred = any(status[other] == CLOSED and covers(other, label) for other in kept)
        arguments = (first, link, status, way, 0, label, dominance, nothing, False)
        assert insert_label(*arguments, True) != barred
        if not barred:
            status[label] = OPEN
            kept.append(label)
        waiting = [other for other in kept if status[other] == OPEN]
        if closes and waiting:
            status[waiting[0]] = CLOSED
            expected = [other for other in waiting[1:] if covers(waiting[0], other)]
            outdo(first, link, status, way, 0, waiting[0], dominance, nothing, False)
            assert [o for o in waiting if status[o] == DEAD] == expected
    chain, label = [], int(first[0])
    while label >= 0:
        chain.append(label)
        label = int(link[label, NEXT])
    assert chain == kept[::-1]
