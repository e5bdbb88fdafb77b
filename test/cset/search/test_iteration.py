# SPDX-License-Identifier: Apache-2.0
"""Iteration that goes on with columns where matches are rare among many candidates."""

from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import pytest
from example_graphs import GRAPH
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.cset import Instance, InstanceBuilder, find_hom, find_homs
from fcp_ros.cset.search import homs
from fcp_ros.cset.search.backtracking import Backtracking


def with_patience(patience: int) -> Any:
    """Let searches try only so many candidates one by one."""
    return patch.multiple(homs, _LEAST_PATIENCE=patience, _ROWS_PER_CANDIDATE=1 << 30)


@given(data=st.data(), patience=st.integers(0, 40), rows=st.integers(1, 8))
def test_the_switch_changes_nothing(
    data: st.DataObject, patience: int, rows: int, searches: Callable[..., Any]
) -> None:
    pattern, target, options = searches(data)
    options["where"] = []
    expected = list(find_homs(pattern, target, **options))
    with with_patience(patience), patch.object(homs, "_LAZY_ROWS", rows):
        found = list(find_homs(pattern, target, **options))
        some = list(find_homs(pattern, target, limit=3, **options))
    assert [(m.mapping, m.values) for m in found] == [(m.mapping, m.values) for m in expected]
    assert [m.mapping for m in some] == [m.mapping for m in expected[:3]]


def ring(nodes: int, steps: tuple[int, ...]) -> Instance:
    """A ring of nodes, each with an edge to those some steps ahead."""
    builder = InstanceBuilder(GRAPH)
    ids = [builder.add("V") for _ in range(nodes)]
    for number in range(nodes):
        for step in steps:
            edge = builder.add("E")
            builder.set_function("src", edge, ids[number])
            builder.set_function("tgt", edge, ids[(number + step) % nodes])
    return builder.build()


@pytest.fixture
def tried() -> Iterator[list[int]]:
    """Count the candidates that are accepted one by one."""
    counts: list[int] = []
    plain = Backtracking.run

    def run(self: Backtracking, *arguments: Any) -> Iterator[None]:
        number = 0
        for _ in plain(self, *arguments):
            number += 1
            yield
        counts.append(number)

    with patch.object(Backtracking, "run", run):
        yield counts


def triangle() -> Instance:
    """Three nodes in a circle."""
    return ring(3, (1,))


def test_rare_matches_among_many_candidates_are_joined(tried: list[int]) -> None:
    """1, 7 and 592 steps ahead make 600: a triangle at each node, in each of its three turns."""
    target, pattern = ring(600, (1, 7, 13, 29, 31, 101, 592)), triangle()
    found = [m.mapping for m in find_homs(pattern, target)]
    assert len(found) == find_homs(pattern, target).count() > 0
    assert tried[0] < len(found), "the rest came from columns"


def test_a_search_that_ends_early_is_not_joined(tried: list[int]) -> None:
    target = ring(3, (1,))
    assert find_hom(triangle(), target) is not None
    assert len(list(find_homs(triangle(), target))) == 3
    assert tried == [3]
