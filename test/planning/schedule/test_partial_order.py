# SPDX-License-Identifier: Apache-2.0
"""Partial orders against their slow obvious twin: filter all permutations."""

from itertools import permutations
from random import Random

import networkx
import pytest
from explored_order import ExploredOrder
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.planning.schedule.order import OrderError

PAIRS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9)


@settings(max_examples=150, deadline=None)
@given(size=st.integers(0, 6), drawn=PAIRS, seed=st.integers(0, 9))
def test_linear_extensions_are_the_permutations_that_keep_the_pairs(
    size: int, drawn: set[tuple[int, int]], seed: int
) -> None:
    pairs = {(min(pair), max(pair)) for pair in drawn if len(set(pair)) == 2 and max(pair) < size}
    order = ExploredOrder.of(size, pairs)
    kept = [
        numbers
        for numbers in permutations(range(size))
        if all(numbers.index(before) < numbers.index(after) for before, after in pairs)
    ]
    assert list(order.linear_extensions()) == kept
    assert all(order.admits(numbers) == (numbers in kept) for numbers in permutations(range(size)))
    assert order.sample(Random(seed)) in kept
    for before, after in permutations(range(size), 2):
        always = all(numbers.index(before) < numbers.index(after) for numbers in kept)
        assert order.precedes(before, after) == always
        both = not always and not order.precedes(after, before)
        assert order.are_independent(before, after) == both
    graph = networkx.DiGraph(order.pairs())
    assert networkx.transitive_reduction(graph).edges == graph.edges


def test_only_immediate_predecessors_are_kept() -> None:
    order = ExploredOrder.of(4, [(0, 1), (1, 2), (0, 2), (0, 3)])
    assert order.predecessors == (frozenset(), frozenset({0}), frozenset({1}), frozenset({0}))
    assert order.pairs() == ((0, 1), (0, 3), (1, 2))
    assert not order.admits((0, 1, 2))
    assert not order.admits((0, 1, 2, 2))


def test_what_is_no_order_is_refused() -> None:
    with pytest.raises(OrderError, match=r"cycle 0 < 2 < 1 \(each after the next\)"):
        ExploredOrder.of(3, [(0, 1), (1, 2), (2, 0)])
    with pytest.raises(OrderError, match="cycle 1"):
        ExploredOrder.of(2, [(1, 1)])
    with pytest.raises(OrderError, match=r"\(0, 3\) orders numbers outside 0 .. 2"):
        ExploredOrder.of(3, [(0, 3)])
