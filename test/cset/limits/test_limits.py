# SPDX-License-Identifier: Apache-2.0
"""Limits: numbered cases, universal properties by brute force, and what they do to types."""

from collections.abc import Callable
from typing import Any

import pytest
from example_graphs import GRAPH, cycle, edges_of, graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Schema,
    find_hom,
    identity,
    is_isomorphic,
    morphism,
)
from fcp_ros.cset.limits.diagrams import LimitError, list_ids
from fcp_ros.cset.limits.limits import Limit, equaliser, product, pullback, terminal
from fcp_ros.cset.limits.presentation import representable

KINDS = ["graph", "reflexive", "rich", "hierarchy"]
Homs = Callable[[Instance, Instance], list[Morphism]]
Into = Callable[..., st.SearchStrategy[list[Morphism]]]
Cones = Callable[..., list[tuple[Morphism, ...]]]


def sizes(instance: Instance) -> tuple[int, int]:
    return len(instance.elements("V")), len(instance.elements("E"))


def to(source: Instance, target: Instance, **vertices: str) -> Morphism:
    """The morphism of graphs that sends vertices so; edges must follow uniquely."""
    initial = {source.id_of(key): target.id_of(value) for key, value in vertices.items()}
    found = find_hom(source, target, monic=False, initial=initial)
    assert found is not None
    return found


def assert_universal(limit: Limit, vertex: Instance, homs: Homs, cones: Cones) -> None:
    """Cones from `vertex` and morphisms to the apex correspond: existence and uniqueness."""
    for projection in limit.projections:
        assert not projection.violations()
    ends = [projection.target for projection in limit.projections]
    found = cones(vertex, ends, limit.squares)
    through = {tuple(sorted(hom.mapping.items())) for hom in homs(vertex, limit.apex)}
    assert len(through) == len(found)
    for cone in found:
        hom = limit.universal(cone, vertex)
        assert tuple(sorted(hom.mapping.items())) in through
        for projection, leg in zip(limit.projections, cone, strict=True):
            assert all(projection(hom(id_)) == leg(id_) for id_ in list_ids(vertex))


def test_case_08_products_of_paths() -> None:
    # Vertices of a product are pairs of vertices, edges are pairs of edges: 2 * 2 and 1 * 1;
    # 2 * 2 * 2 and 1 * 1 * 1; 4 * 1 and 3 * 0.
    assert sizes(product(path(2), path(2)).apex) == (4, 1)
    assert sizes(product(path(2), path(2), path(2)).apex) == (8, 1)
    assert sizes(product(path(4), graph(1)).apex) == (4, 0)


def test_a_product_is_named_by_its_pairs() -> None:
    limit = product(path(2), path(2))
    assert limit.apex.names() == ("(v1,v1)", "(v1,v2)", "(v2,v1)", "(v2,v2)", "(e1,e1)")
    assert edges_of(limit.apex) == [("(v1,v1)", "(v2,v2)")]
    first, second = limit.projections
    assert first.by_name()["(v1,v2)"] == "v1"
    assert second.by_name()["(v1,v2)"] == "v2"


def test_case_11_a_pullback_of_graphs() -> None:
    # Base: 1->1, 1->2, 2->2. Left: P3 with a loop at 3, over vertices 1, 2, 2; so its edges lie
    # over 1->2, 2->2, 2->2. Right: the base's vertices with edges 1->1 and twice 2->2. Pairs of
    # vertices: (1,1), (2,2), (3,2). Nothing on the right lies over 1->2; the left edges 2->3 and
    # 3->3 lie over the base's 2->2, as do two edges on the right: each is there twice.
    base = graph(2, [(1, 1), (1, 2), (2, 2)])
    left = graph(3, [(1, 2), (2, 3), (3, 3)])
    right = graph(2, [(1, 1), (2, 2), (2, 2)])
    limit = pullback(to(left, base, v1="v1", v2="v2", v3="v2"), to(right, base, v1="v1", v2="v2"))
    assert limit.apex.names()[:3] == ("(v1,v1)", "(v2,v2)", "(v3,v2)")
    assert edges_of(limit.apex) == [("(v2,v2)", "(v3,v2)")] * 2 + [("(v3,v2)", "(v3,v2)")] * 2
    # Pulling back along an identity changes nothing.
    assert is_isomorphic(
        pullback(to(left, base, v1="v1", v2="v2", v3="v2"), identity(base)).apex, left
    )


def test_the_pullback_of_inclusions_is_their_intersection() -> None:
    # In P4, the parts {1->2->3} and {2->3->4} share {2->3}.
    whole = path(4)
    first = to(path(3), whole, v1="v1")
    second = to(path(3), whole, v1="v2")
    assert is_isomorphic(pullback(first, second).apex, path(2))


def test_an_equaliser_is_where_two_morphisms_agree() -> None:
    # P2 into two parallel edges, in two ways: they agree on vertices only.
    edge, parallel = path(2), graph(2, [(1, 2), (1, 2)])
    vertices = {edge.id_of(v): parallel.id_of(v) for v in ("v1", "v2")}
    first, second = (
        morphism(edge, parallel, {**vertices, edge.id_of("e1"): parallel.id_of(e)})
        for e in ("e1", "e2")
    )
    limit = equaliser(first, second)
    assert limit.apex == graph(2)
    assert equaliser(first, first).apex == edge


def test_the_terminal_graph_is_a_loop() -> None:
    limit = terminal(GRAPH)
    assert is_isomorphic(limit.apex, cycle(1))
    assert product(schema=GRAPH).apex == limit.apex
    assert limit.universal((), path(3)).is_epic


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_products_are_universal(kind: str, data: Any, kinds: Any, homs: Homs, cones: Cones) -> None:
    first, second, vertex = (data.draw(kinds[kind]()) for _ in range(3))
    assert_universal(product(first, second), vertex, homs, cones)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_pullbacks_are_universal(
    kind: str, data: Any, kinds: Any, into: Into, homs: Homs, cones: Cones
) -> None:
    base, first, second, vertex = (data.draw(kinds[kind]()) for _ in range(4))
    limit = pullback(*data.draw(into(base, first, second)))
    assert_universal(limit, vertex, homs, cones)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_equalisers_are_universal(
    kind: str, data: Any, kinds: Any, into: Into, homs: Homs, cones: Cones
) -> None:
    source, target, vertex = (data.draw(kinds[kind]()) for _ in range(3))
    limit = equaliser(*data.draw(into(target, source, source)))
    assert limit.projections[0].is_monic
    assert_universal(limit, vertex, homs, cones)


@pytest.mark.parametrize("kind", ["graph", "reflexive", "hierarchy"])
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_the_terminal_instance_has_one_morphism_from_each(
    kind: str, data: Any, kinds: Any, homs: Homs
) -> None:
    vertex = data.draw(kinds[kind]())
    limit = terminal(vertex.schema)
    assert homs(vertex, limit.apex) == [limit.universal((), vertex)]


@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_the_product_with_the_terminal_instance_changes_nothing(data: Any, kinds: Any) -> None:
    instance = data.draw(kinds["hierarchy"]())
    # An element becomes a pair with an element of the least type, which is below its own type.
    assert is_isomorphic(product(instance, terminal(instance.schema).apex).apex, instance)
    assert product(instance).apex == instance


# --- types, attributes, relations

WORLD = Schema(
    "world",
    {"thing": (), "box": ("thing",), "cup": ("thing",), "robot": ()},
    (),
    (Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),),
    (
        Attribute("colour", "thing", AttributeKind.STRING),
        Attribute("size", "box", AttributeKind.INT),
        Attribute("since", "on", AttributeKind.INT),
    ),
)


def test_a_pair_has_the_least_common_ancestor_as_type() -> None:
    builder = InstanceBuilder(WORLD)
    for type_ in ("box", "cup", "robot"):
        builder.add(type_, type_)
    apex = product(builder.build(), builder.build()).apex
    types = {name: apex.type_of(apex.id_of(name)) for name in apex.names()}
    # A box and a cup are things both; a robot and a thing are nothing both.
    assert types == {
        "(box,box)": "box",
        "(box,cup)": "thing",
        "(cup,box)": "thing",
        "(cup,cup)": "cup",
        "(robot,robot)": "robot",
    }


def test_a_pair_has_the_attributes_on_which_both_agree() -> None:
    builder = InstanceBuilder(WORLD)
    builder.add("box", "a", {"colour": "red", "size": 3})
    builder.add("box", "b", {"colour": "red", "size": 4})
    builder.add("cup", "c", {"colour": "red"})
    builder.add("cup", "d")
    apex = product(builder.build(), builder.build()).apex

    def found(name: str) -> dict[str, Any]:
        return apex.attributes(apex.id_of(name))

    assert found("(a,a)") == {"colour": "red", "size": 3}
    assert found("(a,b)") == {"colour": "red"}
    assert found("(a,c)") == {"colour": "red"}
    assert found("(a,d)") == {}


def test_tuples_of_a_product_are_pairs_of_tuples() -> None:
    builder = InstanceBuilder(WORLD)
    cup, box = builder.add("cup", "cup"), builder.add("box", "box")
    row = builder.relate("on", cup, box)
    builder.set_attribute(row, "since", 5)
    instance = builder.build()
    apex = product(instance, instance).apex
    (legs,) = apex.tuples("on").values()
    assert [apex.name_of(leg) for leg in legs] == ["(cup,cup)", "(box,box)"]
    assert [apex.attribute(row, "since") for row in apex.tuples("on")] == [5]
    assert product(instance).apex == instance


def test_a_pair_of_two_unrelated_common_ancestors_is_there_twice(homs: Homs, cones: Cones) -> None:
    # A robot and a person are both things, and both agents; nothing is above thing and agent.
    schema = Schema(
        "two_views",
        {
            "thing": (),
            "agent": (),
            "robot": ("thing", "agent"),
            "person": ("thing", "agent"),
            "place": (),
        },
        (Function("at", "thing", "place"), Function("home", "agent", "place")),
        (Relation("trusted", (("who", "agent"),)),),
    )
    parts = []
    for type_ in ("robot", "person"):
        builder = InstanceBuilder(schema)
        element = builder.add(type_, type_)
        for name in ("at", "home"):
            builder.set_function(name, element, builder.add("place", name))
        builder.relate("trusted", element)
        parts.append(builder.build())
    limit = product(*parts)
    apex = limit.apex
    thing, agent = apex.id_of("(robot,person)"), apex.id_of("(robot,person)_2")
    assert (apex.type_of(thing), apex.type_of(agent)) == ("thing", "agent")
    assert apex.name_of(apex.apply("at", thing)) == "(at,at)"
    assert apex.name_of(apex.apply("home", agent)) == "(home,home)"
    assert list(apex.tuples("trusted").values()) == [(agent,)]
    for type_ in schema.types:
        assert_universal(limit, representable(schema, type_).instance, homs, cones)


def test_the_terminal_instance_has_the_least_types() -> None:
    chain = Schema("chain", {"thing": (), "box": ("thing",)})
    assert [terminal(chain).apex.type_of(e) for e in terminal(chain).apex.all_elements()] == ["box"]


def test_an_attribute_with_one_value_keeps_the_terminal_instance() -> None:
    only = Attribute("state", "thing", AttributeKind.ENUM, ("there",))
    limit = terminal(Schema("flags", {"thing": ()}, attributes=(only,)))
    (element,) = limit.apex.all_elements()
    assert limit.apex.attributes(element) == {"state": "there"}


# --- what is refused


def test_types_without_a_least_common_ancestor() -> None:
    schema = Schema(
        "tangle",
        {"top": (), "a": ("top",), "b": ("top",), "x": ("a", "b"), "y": ("a", "b")},
    )
    parts = []
    for type_ in ("x", "y"):
        builder = InstanceBuilder(schema)
        builder.add(type_, f"my_{type_}")
        parts.append(builder.build())
    with pytest.raises(
        LimitError, match=r"'\(my_x,my_y\)' has no type: types 'a', 'b' are minimal"
    ):
        product(*parts)
    with pytest.raises(LimitError, match="'x', 'y' are minimal"):
        terminal(schema)


def test_a_schema_with_attributes_has_no_terminal_instance() -> None:
    with pytest.raises(LimitError, match="'colour' of 'thing'"):
        terminal(WORLD)


def test_diagrams_that_are_none() -> None:
    edge, loop = path(2), cycle(1)
    down = to(edge, loop)
    with pytest.raises(LimitError, match="not parallel"):
        equaliser(down, identity(edge))
    with pytest.raises(LimitError, match="not in one"):
        pullback(down, identity(edge))
    with pytest.raises(LimitError, match="morphism 2 of the diagram is not natural"):
        pullback(down, Morphism(edge, loop, {}))
    with pytest.raises(LimitError, match="instance 2 has schema 'world', not 'graph'"):
        product(edge, InstanceBuilder(WORLD).build())
    with pytest.raises(LimitError, match="give its schema"):
        product()


def test_cones_that_are_none() -> None:
    edge, loop = path(2), cycle(1)
    down = to(edge, loop)
    limit = pullback(down, down)
    with pytest.raises(LimitError, match="1 legs were given"):
        limit.universal([identity(edge)])
    with pytest.raises(LimitError, match="leg 2 does not start at"):
        limit.universal([identity(edge), to(graph(1), edge, v1="v1")])
    with pytest.raises(LimitError, match="leg 2 ends in"):
        limit.universal([identity(edge), down])
    with pytest.raises(LimitError, match="leg 1 is no morphism"):
        limit.universal([Morphism(edge, edge, {}), identity(edge)])
    with pytest.raises(LimitError, match="give `vertex`"):
        terminal(GRAPH).universal(())
    same = equaliser(identity(edge), identity(edge))
    assert same.universal([identity(edge)]).is_monic
    point = graph(1)
    ends = [to(point, edge, v1=name) for name in ("v1", "v2")]
    nowhere = equaliser(*ends)
    message = "do not commute: 'v1' is sent to 'v1' one way, and to 'v2' the other"
    with pytest.raises(LimitError, match=message):
        nowhere.universal([identity(point)])
