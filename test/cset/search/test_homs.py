# SPDX-License-Identifier: Apache-2.0
"""Homomorphism search: numbered cases whose counts are known, and agreement with brute force.

The cases are the homomorphism cases 1 to 7 of the engine's specification; the comments derive them.
"""

from collections.abc import Callable
from typing import Any

import pytest
from example_graphs import cycle, graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Function,
    Instance,
    InstanceBuilder,
    Relation,
    Schema,
    SchemaError,
    find_hom,
    find_homs,
)

SYMMETRIC = Schema(
    "symmetric_graph",
    {"V": (), "E": ()},
    (Function("src", "E", "V"), Function("tgt", "E", "V"), Function("inv", "E", "E")),
)
DYNAMICS = Schema("dynamics", {"X": ()}, (Function("next", "X", "X"),))


def rows_of(instance: Instance) -> list[int]:
    return [row for relation in instance.schema.relations for row in instance.tuples(relation.name)]


def count(pattern: Instance, target: Instance, **options: Any) -> int:
    options.setdefault("monic", False)
    return sum(1 for _ in find_homs(pattern, target, **options))


def ids(instance: Instance, *names: str) -> list[int]:
    return [instance.id_of(name) for name in names]


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


def test_case_1_paths_and_loops() -> None:
    # A path of 2 edges fits at the 1st and 2nd vertex of P4; around a loop it fits once, but not
    # monically; a loop needs a loop.
    assert count(path(3), path(4)) == 2
    assert count(path(3), cycle(1)) == 1
    assert count(path(3), cycle(1), monic=True) == 0
    assert count(cycle(1), path(4)) == 0


@pytest.mark.parametrize(
    ("fixed", "expected"),
    [
        ({"v1": "v2", "v2": "v3", "v3": "v4"}, 1),
        ({"v1": "v2", "v3": "v4"}, 1),
        ({"e1": "e2"}, 1),
        # v1 and v2 are joined by an edge, and P4 has no loop at 3.
        ({"v1": "v2", "v2": "v3", "v3": "v3"}, 0),
        ({"v1": "v3", "v2": "v3"}, 0),
    ],
)
def test_case_2_what_is_fixed_from_the_start(fixed: dict[str, str], expected: int) -> None:
    pattern, target = path(3), path(4)
    initial = {pattern.id_of(key): target.id_of(value) for key, value in fixed.items()}
    assert count(pattern, target, initial=initial) == expected


def test_case_3_monic_by_type() -> None:
    # Two parallel edges: both to any one of the 6 edges, or to the two parallel ones in 2 orders:
    # 8. Different vertices leave out the 3 loops: 5. Different edges leave the 2 orders.
    parallel = graph(2, [(1, 2), (1, 2)])
    target = graph(3, [(1, 2), (2, 3), (2, 3), (1, 1), (2, 2), (3, 3)])
    assert count(parallel, target) == 8
    assert count(parallel, target, monic=["V"]) == 5
    assert count(parallel, target, monic=["E"]) == 2
    assert count(parallel, target, monic=True) == 2


def test_case_4_functions_between_sets() -> None:
    # 2^4 = 16 maps, all but the 2 constant ones onto both; 5^3 = 125 maps, 5 * 4 * 3 = 60 monic.
    homs = list(find_homs(graph(4), graph(2), monic=False))
    assert len(homs) == 16
    assert sum(len(hom.image()) == 2 for hom in homs) == 14
    assert count(graph(3), graph(5)) == 125
    assert count(graph(3), graph(5), monic=True) == 60


def test_case_5_walks() -> None:
    # Walks of 3 edges: 1111, 1112, 1123, 1233, 2333, 3333. Those that visit all three vertices are
    # 1123 and 1233; 3 edges cannot cover 4.
    target = graph(3, [(1, 2), (2, 3), (1, 1), (3, 3)])
    homs = list(find_homs(path(4), target, monic=False))
    vertices, edges = frozenset(target.elements("V")), frozenset(target.elements("E"))
    assert len(homs) == 6
    assert sum(hom.image() >= vertices for hom in homs) == 2
    assert sum(hom.image() >= edges for hom in homs) == 0


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


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_join_search_equals_brute_force(
    data: st.DataObject, searches: Callable[..., Any], brute_force: Callable[..., Any]
) -> None:
    pattern, target, options = searches(data)
    homs = list(find_homs(pattern, target, **options))
    found = [(frozenset(hom.mapping.items()), frozenset(hom.values.items())) for hom in homs]
    assert len(found) == len(set(found))
    assert set(found) == brute_force(pattern, target, **options)
    assert all(not hom.violations() for hom in homs)


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_tuple_may_be_fixed_too(data: st.DataObject, instances: Callable[..., Any]) -> None:
    pattern, target = data.draw(instances(2)), data.draw(instances(2))
    homs = list(find_homs(pattern, target, monic=False))
    for row in pattern.tuples("on"):
        for image in target.tuples("on"):
            fixed = list(find_homs(pattern, target, monic=False, initial={row: image}))
            assert set(fixed) == {hom for hom in homs if hom(row) == image}


def test_subtypes_and_attributes() -> None:
    schema = Schema(
        "s", {"item": (), "mug": ("item",), "place": ()}, (), (Relation("on", (("x", "item"),)),)
    )
    builder = InstanceBuilder(schema)
    item, mug = builder.add("item", "item"), builder.add("mug", "mug")
    builder.relate("on", item)
    builder.relate("on", mug)
    target = builder.build()
    for type_, expected in (("item", {"item", "mug"}), ("mug", {"mug"})):
        builder = InstanceBuilder(schema)
        builder.relate("on", builder.add(type_, "x"))
        homs = find_homs(builder.build(), target)
        assert {hom.by_name()["x"] for hom in homs} == expected


def test_a_limit_and_the_empty_pattern() -> None:
    assert count(graph(1), graph(5), limit=3) == 3
    assert count(graph(1), graph(5), limit=0) == 0
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
    with pytest.raises(ValueError, match="'allowed' has id 77"):
        find_homs(graph(1), graph(1), allowed={77: [1]})
    with pytest.raises(ValueError, match="the pattern has schema 'dynamics', the target 'graph'"):
        find_homs(dynamics([0]), graph(1))
    with pytest.raises(SchemaError, match="no type 'W'"):
        find_homs(graph(1), graph(1), monic=["W"])


def test_an_image_that_does_not_exist_matches_nothing() -> None:
    pattern = path(2)
    for name in ("v1", "e1"):
        assert count(pattern, path(3), initial={pattern.id_of(name): 999}) == 0
