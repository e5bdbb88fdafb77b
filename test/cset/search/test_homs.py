# SPDX-License-Identifier: Apache-2.0
"""Homomorphism search: numbered cases whose counts are known, and agreement with brute force.

The cases are the homomorphism cases 1 to 7 of the engine's specification; the comments derive them.
"""

from collections.abc import Callable
from typing import Any

import pytest
from example_graphs import graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Function,
    Instance,
    InstanceBuilder,
    Schema,
    find_hom,
    find_homs,
)

SYMMETRIC = Schema(
    "symmetric_graph",
    {"V": (), "E": ()},
    (Function("src", "E", "V"), Function("tgt", "E", "V"), Function("inv", "E", "E")),
)
DYNAMICS = Schema("dynamics", {"X": ()}, (Function("next", "X", "X"),))


def count(pattern: Instance, target: Instance, **options: Any) -> int:
    options.setdefault("monic", False)
    return sum(1 for _ in find_homs(pattern, target, **options))


def symmetric(vertices: int, edges: list[tuple[int, int]]) -> Instance:
    """An undirected graph: each edge both ways, exchanged by `inv`."""
    builder = InstanceBuilder(SYMMETRIC)
    points = [builder.add("V") for _ in range(vertices)]
    for edge in edges:
        there, back = builder.add("E"), builder.add("E")
        for arrow, other, (a, b) in ((there, back, edge), (back, there, edge[::-1])):
            builder.set_function("src", arrow, points[a - 1])
            builder.set_function("tgt", arrow, points[b - 1])
            builder.set_function("inv", arrow, other)
    return builder.build()


def symmetric_path(n: int) -> Instance:
    return symmetric(n, [(i, i + 1) for i in range(1, n)])


def symmetric_cycle(n: int) -> Instance:
    return symmetric(n, [(i, i % n + 1) for i in range(1, n + 1)])


def complete(n: int) -> Instance:
    return symmetric(n, [(i, j) for i in range(1, n + 1) for j in range(i + 1, n + 1)])


@pytest.mark.parametrize(
    ("pattern", "target", "monic", "expected"),
    [
        # Walks of 3 steps in P4: 2 + 3 + 3 + 2 vertices' degrees, twice multiplied out: 16.
        (symmetric_path(4), symmetric_path(4), False, 16),
        # The identity and the reversal.
        (symmetric_path(4), symmetric_path(4), True, 2),
        # Two windows, two directions.
        (symmetric_path(3), symmetric_path(4), True, 4),
        # An odd cycle has no 2-colouring; C5 has 2^5 - 2 = 30 colourings by 3 colours, C6 has two
        # by 2 colours.
        (symmetric_cycle(5), complete(2), False, 0),
        (symmetric_cycle(5), complete(3), False, 30),
        (symmetric_cycle(6), complete(2), False, 2),
        # Colourings of K6 by 6 colours: 6!.
        (complete(6), complete(6), False, 720),
    ],
)
def test_case_6_symmetric_graphs(
    pattern: Instance, target: Instance, monic: bool, expected: int
) -> None:
    assert count(pattern, target, monic=monic) == expected


def test_case_7_discrete_dynamical_systems() -> None:
    # The product of {2,3,4,3,4} and {2,3,3} (written out here) into {2,2,4,4}.
    left, right = [2, 3, 4, 3, 4], [2, 3, 3]
    pairs = [(i, j) for i in range(5) for j in range(3)]
    steps = {(i, j): (left[i] - 1, right[j] - 1) for i, j in pairs}
    source = dynamics([pairs.index(steps[pair]) for pair in pairs])
    assert count(source, dynamics([1, 1, 3, 3])) == 1024


def dynamics(successors: list[int]) -> Instance:
    builder = InstanceBuilder(DYNAMICS)
    states = [builder.add("X") for _ in successors]
    for state, successor in zip(states, successors, strict=True):
        builder.set_function("next", state, states[successor])
    return builder.build()


@settings(max_examples=1000, deadline=None)
@given(data=st.data())
def test_join_search_equals_brute_force(
    data: st.DataObject, searches: Callable[..., Any], brute_force: Callable[..., Any]
) -> None:
    pattern, target, options = searches(data)
    homs = list(find_homs(pattern, target, **options))
    found = [frozenset(hom.mapping.items()) for hom in homs]
    assert len(found) == len(set(found))
    assert set(found) == brute_force(pattern, target, **options)
    assert all(not hom.violations() for hom in homs)


def test_the_empty_pattern() -> None:
    assert count(graph(0), graph(5)) == 1
    assert count(graph(0), graph(0)) == 1
    assert count(graph(1), graph(0)) == 0
    assert find_hom(path(2), graph(3)) is None
    assert find_hom(path(2), path(3)) is not None


def test_long_patterns_do_not_exhaust_the_stack() -> None:
    pattern = path(1500)
    assert count(pattern, pattern, initial={pattern.id_of("v1"): pattern.id_of("v1")}) == 1


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="'initial' has id 77, which is neither an element"):
        find_homs(graph(1), graph(1), initial={77: 1})
    with pytest.raises(ValueError, match="the pattern has schema 'dynamics', the target 'graph'"):
        find_homs(dynamics([0]), graph(1))
