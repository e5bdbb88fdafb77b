# SPDX-License-Identifier: Apache-2.0
"""Canonical hashes: equal for isomorphic instances always, different for others where complete."""

import random
import subprocess
import sys
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from example_graphs import cycle, graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Instance,
    InstanceBuilder,
    Relation,
    Schema,
    morphism,
)
from fcp_ros.cset.instance.expressions import (
    Operator,
    ValueExpression,
    ValueOperation,
    ValueVariable,
)
from fcp_ros.cset.instance.instance import InstanceError
from fcp_ros.cset.isomorphism.canonical import canonical_hash
from fcp_ros.cset.isomorphism.search import find_isomorphism, is_isomorphic

Edges = list[tuple[int, int]]


def undirected(vertices: int, edges: Edges) -> Instance:
    return graph(vertices, [arrow for a, b in edges for arrow in ((a, b), (b, a))])


def shuffled(vertices: int, edges: Edges, seed: int = 1) -> tuple[int, Edges]:
    order = random.Random(seed)
    names = list(range(1, vertices + 1))
    order.shuffle(names)
    renamed = [(names[a - 1], names[b - 1]) for a, b in edges]
    order.shuffle(renamed)
    return vertices, renamed


def torus(steps: set[tuple[int, int]]) -> Edges:
    """Edges between places on a 4 x 4 torus that are one of the steps apart."""
    places = [(row, column) for row in range(4) for column in range(4)]
    return [
        (4 * a + b + 1, 4 * c + d + 1)
        for a, b in places
        for c, d in places
        if (a, b) < (c, d) and ((c - a) % 4, (d - b) % 4) in steps
    ]


# Two strongly regular graphs with the same parameters (16, 6, 2, 2), the smallest such pair: every
# vertex has 6 neighbours, every two vertices have 2 in common. No colouring by counts tells them
# apart. (The 6 neighbours of a vertex form two triangles in the one, and a hexagon in the other.)
ROOK = torus({(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)})
SHRIKHANDE = torus({(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)})
TWO_TRIANGLES = [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)]


def renamed(original: Instance, order: list[int]) -> Instance:
    """A copy whose elements are made in this order, with other names."""
    builder = InstanceBuilder(original.schema)
    new = {
        old: builder.add(original.type_of(old), f"x{old}", original.attributes(old))
        for old in order
    }
    for function in original.schema.functions:
        for old, value in original.function_table(function.name).values.items():
            builder.set_function(function.name, new[old], new[value])
    for relation in reversed(original.schema.relations):
        for legs in reversed(original.tuples(relation.name).values()):
            builder.relate(relation.name, *(new[leg] for leg in legs))
    return builder.build(allow_conflicts=True)


def same_by_brute_force(first: Instance, second: Instance) -> bool:
    """Whether some bijection of the elements is a morphism both ways."""
    ours, theirs = first.all_elements(), second.all_elements()
    if len(ours) != len(theirs):
        return False
    for images in permutations(theirs):
        pairs = dict(zip(ours, images, strict=True))
        try:
            morphism(first, second, pairs)
            morphism(second, first, {image: element for element, image in pairs.items()})
        except InstanceError:
            continue
        return True
    return False


@settings(max_examples=60, deadline=None)
@given(data=st.data(), bound=st.sampled_from([0, 60, 200_000]))
def test_a_renamed_copy_has_the_same_hash(
    data: st.DataObject, bound: int, instances: Callable[..., Any]
) -> None:
    original = data.draw(instances(4))
    copy = renamed(original, list(data.draw(st.permutations(original.all_elements()))))
    assert canonical_hash(copy, bound=bound) == canonical_hash(original, bound=bound)
    found = find_isomorphism(original, copy)
    assert found is not None
    assert not found.violations()
    assert found.is_monic
    assert found.is_epic


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_equal_hashes_are_isomorphisms(data: st.DataObject, instances: Callable[..., Any]) -> None:
    first, second = data.draw(instances(2)), data.draw(instances(2))
    expected = same_by_brute_force(first, second)
    assert is_isomorphic(first, second) == expected
    assert (canonical_hash(first) == canonical_hash(second)) == expected


@settings(max_examples=80, deadline=None)
@given(
    size=st.integers(1, 5),
    edges=st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=8),
    moved=st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=1),
    seed=st.integers(0, 100),
)
def test_graphs_against_brute_force(size: int, edges: Edges, moved: Edges, seed: int) -> None:
    inside = [(a, b) for a, b in edges if max(a, b) <= size]
    other = inside[len(moved) :] + [(a, b) for a, b in moved if max(a, b) <= size]
    first, second = graph(size, inside), graph(*shuffled(size, other, seed))
    wanted = sorted(other)
    expected = any(
        sorted((names[a - 1], names[b - 1]) for a, b in inside) == wanted
        for names in permutations(range(1, size + 1))
    )
    assert is_isomorphic(first, second) == expected
    assert (canonical_hash(first) == canonical_hash(second)) == expected


def test_regular_graphs_are_told_apart() -> None:
    assert canonical_hash(cycle(6)) != canonical_hash(graph(6, TWO_TRIANGLES))
    assert not is_isomorphic(cycle(6), graph(6, TWO_TRIANGLES))
    one_way = canonical_hash(undirected(6, [(i, i % 6 + 1) for i in range(1, 7)]))
    assert one_way != canonical_hash(undirected(6, TWO_TRIANGLES))


def test_strongly_regular_graphs_are_told_apart() -> None:
    rook, shrikhande = undirected(16, ROOK), undirected(16, SHRIKHANDE)
    assert not is_isomorphic(rook, shrikhande)
    assert is_isomorphic(shrikhande, undirected(*shuffled(16, SHRIKHANDE)))
    first, second = canonical_hash(rook), canonical_hash(shrikhande)
    assert first.is_complete
    assert second.is_complete
    assert first != second
    assert first == canonical_hash(undirected(*shuffled(16, ROOK)))


def test_bounded_work_may_collide_but_says_so() -> None:
    rook, shrikhande = undirected(16, ROOK), undirected(16, SHRIKHANDE)
    first = canonical_hash(rook, bound=0)
    assert not first.is_complete
    assert first == canonical_hash(shrikhande, bound=0)
    assert first == canonical_hash(undirected(*shuffled(16, ROOK)), bound=0)


@pytest.mark.parametrize(
    "instance",
    [
        graph(300),
        path(300),
        graph(200, [(1, leaf) for leaf in range(2, 201)]),
        graph(12, [(a, b) for a in range(1, 13) for b in range(1, 13) if a != b]),
        graph(200, [(2 * i - 1, 2 * i) for i in range(1, 101)]),
    ],
    ids=["points", "path", "star", "clique", "copies"],
)
def test_what_is_interchangeable_needs_no_search(instance: Instance) -> None:
    assert canonical_hash(instance, bound=0).is_complete


def test_ten_thousand_elements() -> None:
    order = random.Random(7)
    edges = [(order.randint(1, 4_000), order.randint(1, 4_000)) for _ in range(6_000)]
    first, second = graph(4_000, edges), graph(*shuffled(4_000, edges))
    assert canonical_hash(first) == canonical_hash(second)
    assert is_isomorphic(first, second)
    start, end = edges[0]
    other = graph(*shuffled(4_000, [(end, start), *edges[1:]]))
    assert not is_isomorphic(first, other)


def test_the_same_in_every_process() -> None:
    digest = canonical_hash(cycle(5)).digest
    program = (
        "from example_graphs import cycle\n"
        "from fcp_ros.cset.isomorphism.canonical import canonical_hash\n"
        "print(canonical_hash(cycle(5)).digest)"
    )
    for seed in ("1", "2"):
        shown = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stdout.strip() == digest


NUMBERS = Schema(
    "numbers",
    {"x": ()},
    relations=(Relation("r", (("from", "x"), ("to", "x"))),),
    attributes=(Attribute("n", "x", AttributeKind.FLOAT), Attribute("n", "r", AttributeKind.INT)),
)


def number(*values: ValueExpression) -> Instance:
    builder = InstanceBuilder(NUMBERS)
    for value in values:
        builder.add("x", attributes={"n": value})
    return builder.build()


def test_equal_values_are_alike() -> None:
    assert canonical_hash(number(0.0)) == canonical_hash(number(-0.0))
    assert canonical_hash(number(1.0)) != canonical_hash(number(2.0))
    assert is_isomorphic(number(0.0), number(-0.0))
    assert not is_isomorphic(number(1.0), number(2.0))
    # A value that is not set is not a value like others.
    builder = InstanceBuilder(NUMBERS)
    builder.add("x", "a")
    assert canonical_hash(builder.build()) != canonical_hash(number(0.0))


def test_values_of_tuples_count() -> None:
    def pair(value: int | None) -> Instance:
        builder = InstanceBuilder(NUMBERS)
        row = builder.relate("r", builder.add("x"), builder.add("x"))
        builder.set_attribute(row, "n", value)
        return builder.build()

    assert len({canonical_hash(pair(value)) for value in (None, 1, 2)}) == 3
    assert canonical_hash(pair(1)) == canonical_hash(pair(1))
    assert not is_isomorphic(pair(1), pair(2))
    assert is_isomorphic(pair(2), pair(2))


X, Y = ValueVariable("x"), ValueVariable("y")


def test_variables_count_up_to_renaming() -> None:
    assert canonical_hash(number(X, X, Y)) == canonical_hash(number(X, Y, Y))
    assert canonical_hash(number(X, X, Y)) != canonical_hash(number(X, Y, ValueVariable("z")))
    assert canonical_hash(number(X)) != canonical_hash(number(1.0))
    found = find_isomorphism(number(X, X, Y), number(Y, X, X))
    assert found is not None
    assert found.values == {"x": X, "y": Y}
    assert not found.violations()
    assert find_isomorphism(number(X, X, Y), number(X, X, X)) is None
    assert find_isomorphism(number(X, X), number(X, Y)) is None


def test_expressions_count_up_to_renaming() -> None:
    def minus(first: ValueExpression, second: ValueExpression) -> ValueExpression:
        return ValueOperation(Operator.SUBTRACT, (first, second))

    assert canonical_hash(number(minus(X, Y), X)) == canonical_hash(number(Y, minus(Y, X)))
    assert canonical_hash(number(minus(X, Y), X)) != canonical_hash(number(minus(Y, X), X))
    assert canonical_hash(number(minus(X, X))) != canonical_hash(number(minus(X, Y)))
    assert canonical_hash(number(minus(X, 1.0))) != canonical_hash(number(minus(X, 2.0)))
    assert is_isomorphic(number(minus(X, Y), X), number(minus(Y, X), Y))
    assert not is_isomorphic(number(minus(X, Y), X), number(minus(Y, X), X))
