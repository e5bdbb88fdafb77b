# SPDX-License-Identifier: Apache-2.0
"""Random instances of several schemas, and all (co)cones over a diagram by brute force."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import pytest
from example_graphs import graph
from hypothesis import strategies as st

from fcp_ros.cset import Function, Instance, InstanceBuilder, Morphism, Schema, find_hom, find_homs
from fcp_ros.cset.limits.colimits import coproduct
from fcp_ros.cset.limits.diagrams import Square, list_ids
from fcp_ros.cset.schema.schema import PathEquation, Relation

REFLEXIVE = Schema(
    "reflexive_graph",
    {"V": (), "E": ()},
    (Function("src", "E", "V"), Function("tgt", "E", "V"), Function("refl", "V", "E")),
    equations=(PathEquation("V", ("refl", "src"), ()), PathEquation("V", ("refl", "tgt"), ())),
)

HIERARCHY = Schema(
    "hierarchy",
    {"top": (), "left": ("top",), "right": ("top",), "both": ("left", "right"), "other": ()},
    (Function("near", "left", "top"), Function("mate", "both", "other")),
    (Relation("sees", (("who", "top"), ("whom", "right"))),),
)
"""Gluing a left and a right makes one of both, with a mate that neither had."""

Kinds = Mapping[str, Callable[[], st.SearchStrategy[Instance]]]


@st.composite
def graphs(draw: st.DrawFn) -> Instance:
    count = draw(st.integers(0, 3))
    vertices = st.integers(1, max(count, 1))
    edges = st.lists(st.tuples(vertices, vertices), max_size=3 if count else 0)
    return graph(count, draw(edges))


@st.composite
def reflexive_graphs(draw: st.DrawFn) -> Instance:
    return reflexive(draw(graphs()))


def reflexive(plain: Instance) -> Instance:
    """A graph with a loop for each vertex as its `refl`."""
    builder = InstanceBuilder(REFLEXIVE)
    ids = {id_: builder.add("V", plain.name_of(id_)) for id_ in plain.elements("V")}
    for vertex in ids.values():
        loop = builder.add("E")
        builder.set_function("refl", vertex, loop)
        for end in ("src", "tgt"):
            builder.set_function(end, loop, vertex)
    for id_ in plain.elements("E"):
        edge = builder.add("E", plain.name_of(id_))
        for end in ("src", "tgt"):
            builder.set_function(end, edge, ids[plain.apply(end, id_)])
    return builder.build()


@st.composite
def hierarchies(draw: st.DrawFn) -> Instance:
    builder = InstanceBuilder(HIERARCHY)
    counts = {type_: draw(st.integers(0, 1)) for type_ in HIERARCHY.types}
    counts["top"] = draw(st.integers(0, 2))
    ids = {type_: [builder.add(type_) for _ in range(n)] for type_, n in counts.items()}
    tops = [id_ for type_ in ("top", "left", "right", "both") for id_ in ids[type_]]
    for element in ids["both"]:
        mate = draw(st.sampled_from(ids["other"])) if ids["other"] else builder.add("other")
        builder.set_function("mate", element, mate)
    for element in ids["left"] + ids["both"]:
        builder.set_function("near", element, draw(st.sampled_from(tops)))
    for pair in product(tops, ids["right"] + ids["both"]):
        if draw(st.integers(0, 3)) == 0:
            builder.relate("sees", *pair)
    return builder.build()


@pytest.fixture(scope="session")
def kinds(instances: Callable[..., st.SearchStrategy[Instance]]) -> Kinds:
    """Strategies for small instances, by schema."""
    return {
        "graph": graphs,
        "reflexive": reflexive_graphs,
        "rich": lambda: instances(1),
        "hierarchy": hierarchies,
    }


@pytest.fixture(scope="session")
def reflexive_of() -> Callable[[Instance], Instance]:
    """Makes a reflexive graph of a graph."""
    return reflexive


@pytest.fixture(scope="session")
def into() -> Callable[..., st.SearchStrategy[list[Morphism]]]:
    """Random morphisms from some instances to a common one, which is grown where there are none."""

    @st.composite
    def draw_morphisms(draw: st.DrawFn, target: Instance, *sources: Instance) -> list[Morphism]:
        for source in sources:
            if find_hom(source, target, monic=False) is None:
                target = coproduct(target, source).apex
        found = (list(find_homs(s, target, monic=False, limit=20)) for s in sources)
        return [draw(st.sampled_from(morphisms)) for morphisms in found]

    return draw_morphisms


@pytest.fixture(scope="session")
def homs() -> Callable[[Instance, Instance], list[Morphism]]:
    """All morphisms between two instances."""
    return lambda source, target: list(find_homs(source, target, monic=False))


@pytest.fixture(scope="session")
def cones() -> Callable[..., list[tuple[Morphism, ...]]]:
    """All cones from an instance over the ends of a limit, found by trying all legs."""

    def search(
        vertex: Instance, ends: Sequence[Instance], squares: Sequence[Square]
    ) -> Iterator[tuple[Morphism, ...]]:
        legs = [list(find_homs(vertex, end, monic=False)) for end in ends]
        for cone in product(*legs):
            if all(
                square.by_first(cone[square.first](id_))
                == square.by_second(cone[square.second](id_))
                for square in squares
                for id_ in list_ids(vertex)
            ):
                yield cone

    return lambda *arguments: list(search(*arguments))


@pytest.fixture(scope="session")
def cocones() -> Callable[..., list[tuple[Morphism, ...]]]:
    """All cocones to an instance under the starts of a colimit, found by trying all legs."""

    def search(
        vertex: Instance, starts: Sequence[Instance], squares: Sequence[Square]
    ) -> Iterator[tuple[Morphism, ...]]:
        legs = [list(find_homs(start, vertex, monic=False)) for start in starts]
        for cocone in product(*legs):
            if all(
                cocone[square.first](square.by_first(id_))
                == cocone[square.second](square.by_second(id_))
                for square in squares
                for id_ in list_ids(square.by_first.source)
            ):
                yield cocone

    return lambda *arguments: list(search(*arguments))
