# SPDX-License-Identifier: Apache-2.0
"""Colimits: numbered cases, universal properties by brute force, types, attributes, relations."""

from collections.abc import Callable
from typing import Any

import pytest
from example_graphs import GRAPH, cycle, edges_of, graph, path
from hypothesis import assume, given, settings
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
from fcp_ros.cset.instance.constraints import find_conflicts
from fcp_ros.cset.instance.expressions import Operator, ValueOperation, ValueVariable
from fcp_ros.cset.limits.chase import FunctionalLegs
from fcp_ros.cset.limits.colimits import Colimit, coequaliser, coproduct, initial, pushout
from fcp_ros.cset.limits.diagrams import LimitError, PresentationError, Square, list_ids
from fcp_ros.cset.limits.limits import pullback

KINDS = ["graph", "reflexive", "rich", "hierarchy"]
KEEP, MERGE = FunctionalLegs.KEEP, FunctionalLegs.MERGE
Homs = Callable[[Instance, Instance], list[Morphism]]
Cocones = Callable[..., list[tuple[Morphism, ...]]]
Into = Callable[..., st.SearchStrategy[list[Morphism]]]


def to(source: Instance, target: Instance, **elements: str) -> Morphism:
    """The morphism that sends elements so; the others must follow uniquely."""
    fixed = {source.id_of(key): target.id_of(value) for key, value in elements.items()}
    found = find_hom(source, target, monic=False, initial=fixed)
    assert found is not None
    return found


def assert_universal(colimit: Colimit, vertex: Instance, homs: Homs, cocones: Cocones) -> None:
    """Cocones to `vertex` and morphisms from the apex correspond: existence and uniqueness."""
    for injection in colimit.injections:
        assert not injection.violations()
    starts = [injection.source for injection in colimit.injections]
    found = cocones(vertex, starts, colimit.squares)
    through = {tuple(sorted(hom.mapping.items())) for hom in homs(colimit.apex, vertex)}
    assert len(through) == len(found)
    for cocone in found:
        hom = colimit.universal(cocone, vertex)
        assert tuple(sorted(hom.mapping.items())) in through
        for injection, leg in zip(colimit.injections, cocone, strict=True):
            assert all(hom(injection(id_)) == leg(id_) for id_ in list_ids(leg.source))


def test_case_09_gluing_and_coequalising() -> None:
    # The target of 1->2 is glued to the vertex of a loop: 1->2 and 2->2. The two ends of 1->2 made
    # equal: its edge is a loop.
    point, edge, loop = graph(1), path(2), cycle(1)
    glued = pushout(to(point, edge, v1="v2"), to(point, loop)).apex
    assert edges_of(glued) == [("v1", "v2"), ("v2", "v2")]
    assert glued.names() == ("v1", "v2", "e1", "e1_2")
    ends = to(point, edge, v1="v1"), to(point, edge, v1="v2")
    assert is_isomorphic(coequaliser(*ends).apex, loop)


def test_a_coproduct_keeps_the_names_that_are_free() -> None:
    colimit = coproduct(path(2), path(3))
    assert colimit.apex.names() == ("v1", "v2", "e1", "v1_2", "v2_2", "v3", "e1_2", "e2")
    assert len(colimit.apex.elements("E")) == 1 + 2
    assert coproduct(path(2)).apex == path(2)


def test_the_initial_instance_is_empty() -> None:
    colimit = initial(GRAPH)
    assert colimit.apex == graph(0)
    assert dict(colimit.universal((), path(2)).mapping) == {}


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_coproducts_are_universal(
    kind: str, data: Any, kinds: Any, homs: Homs, cocones: Cocones
) -> None:
    first, second, vertex = (data.draw(kinds[kind]()) for _ in range(3))
    assert_universal(coproduct(first, second), vertex, homs, cocones)
    assert_universal(initial(vertex.schema), vertex, homs, cocones)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_pushouts_are_universal(
    kind: str, data: Any, kinds: Any, into: Into, homs: Homs, cocones: Cocones
) -> None:
    shared, first, second, vertex = (data.draw(kinds[kind]()) for _ in range(4))
    legs = [data.draw(into(part, shared))[0] for part in (first, second)]
    square = Square(0, legs[0], 1, legs[1])
    try:
        colimit = pushout(*legs, functional=KEEP)
    except LimitError:
        # Glued colours differ: then no instance has both, and there is no cocone to any.
        assert kind == "rich"
        assert not cocones(vertex, [leg.target for leg in legs], [square])
        return
    assert_universal(colimit, vertex, homs, cocones)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_coequalisers_are_universal(
    kind: str, data: Any, kinds: Any, into: Into, homs: Homs, cocones: Cocones
) -> None:
    source, target, vertex = (data.draw(kinds[kind]()) for _ in range(3))
    first, second = data.draw(into(target, source, source))
    try:
        colimit = coequaliser(first, second, functional=KEEP)
    except LimitError:
        assert kind == "rich"
        assert not cocones(vertex, [first.target], [Square(0, first, 0, second)])
        return
    assert colimit.injections[0].is_epic or kind == "hierarchy"
    assert_universal(colimit, vertex, homs, cocones)


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_pushouts_that_merge_are_universal_among_instances_with_functional_legs(
    data: Any, kinds: Any, into: Into, homs: Homs, cocones: Cocones
) -> None:
    shared, *parts, vertex = (data.draw(kinds["rich"]()) for _ in range(4))
    legs = [data.draw(into(part, shared))[0] for part in parts]
    assume(not find_conflicts(vertex))
    try:
        colimit = pushout(*legs, functional=MERGE)
    except LimitError:
        square = Square(0, legs[0], 1, legs[1])
        assert not cocones(vertex, [leg.target for leg in legs], [square])
        return
    assert not find_conflicts(colimit.apex)
    assert_universal(colimit, vertex, homs, cocones)


@pytest.mark.parametrize("kind", ["graph", "reflexive"])
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_the_pushout_of_monic_morphisms_is_a_pullback(
    kind: str, data: Any, kinds: Any, homs: Homs
) -> None:
    # Categories of functors to sets are adhesive (Lack and Sobocinski, 2005).
    whole = [data.draw(kinds[kind]()) for _ in range(2)]
    shared = data.draw(kinds[kind]())
    legs = []
    for part in whole:
        monic = [hom for hom in homs(shared, part) if hom.is_monic]
        legs.append(
            data.draw(st.sampled_from(monic)) if monic else coproduct(shared, part).injections[0]
        )
    square = pushout(*legs)
    assert all(injection.is_monic for injection in square.injections)
    limit = pullback(*square.injections)
    comparison = limit.universal(legs)
    assert comparison.is_monic
    assert comparison.is_epic


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_gluing_along_identities_changes_nothing(kind: str, data: Any, kinds: Any) -> None:
    instance = data.draw(kinds[kind]())
    same = identity(instance)
    assert pushout(same, same, functional=KEEP).apex == instance
    assert coequaliser(same, same, functional=KEEP).apex == instance
    nothing = initial(instance.schema)
    glued = pushout(
        nothing.universal((), instance), nothing.universal((), instance), functional=KEEP
    )
    assert is_isomorphic(glued.apex, coproduct(instance, instance).apex)


# --- types

VIEWS = Schema(
    "views",
    {"thing": (), "tool": ("thing",), "toy": ("thing",), "hammer": ("tool", "toy"), "box": ()},
    (Function("kept_in", "hammer", "box"),),
)


def glued_types(first: str, second: str, schema: Schema = VIEWS) -> Instance:
    """A thing that is a `first` and a `second`."""
    legs = []
    builder = InstanceBuilder(schema)
    builder.add("thing", "x")
    shared = builder.build()
    for type_ in (first, second):
        builder = InstanceBuilder(schema)
        builder.add(type_, f"my_{type_}")
        legs.append(morphism(shared, builder.build(), {1: 1}))
    return pushout(*legs).apex


def test_glued_elements_have_the_greatest_common_subtype() -> None:
    assert glued_types("thing", "toy").type_of(1) == "toy"
    apex = glued_types("tool", "toy")
    # A hammer is kept in a box, which neither a tool nor a toy is: the box is created.
    assert apex.names() == ("my_tool", "kept_in(my_tool)")
    assert [apex.type_of(id_) for id_ in apex.all_elements()] == ["hammer", "box"]


def test_types_without_a_common_subtype_cannot_be_glued() -> None:
    apart = Schema("apart", {"thing": (), "cup": ("thing",), "box": ("thing",)})
    message = "'my_cup', 'my_box' must be one element, but 'box', 'cup' have no greatest common"
    with pytest.raises(LimitError, match=message):
        glued_types("cup", "box", apart)


def test_gluing_may_need_more_elements_than_the_bound() -> None:
    endless = Schema(
        "endless",
        {"thing": (), "tool": ("thing",), "toy": ("thing",), "hammer": ("tool", "toy")},
        (Function("spare", "hammer", "hammer"),),
    )
    with pytest.raises(PresentationError, match="hammer -spare-> hammer"):
        glued_types("tool", "toy", endless)


# --- attributes and relations

WORLD = Schema(
    "world",
    {"thing": ()},
    (),
    (Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),),
    (
        Attribute("colour", "thing", AttributeKind.STRING),
        Attribute("size", "thing", AttributeKind.INT),
        Attribute("since", "on", AttributeKind.INT),
    ),
)


def thing(name: str, **attributes: Any) -> Instance:
    builder = InstanceBuilder(WORLD)
    builder.add("thing", name, attributes)
    return builder.build()


def glued(*parts: Instance) -> Colimit:
    """Two instances glued at their first elements."""
    return pushout(*(Morphism(thing("x"), part, {1: 1}) for part in parts))


def test_glued_elements_have_the_attributes_of_both() -> None:
    apex = glued(thing("a", colour="red"), thing("b", size=3)).apex
    assert apex.names() == ("a",)
    assert apex.attributes(1) == {"colour": "red", "size": 3}


def test_attributes_that_differ_cannot_be_glued() -> None:
    with pytest.raises(
        LimitError, match="'a', 'b' must be one, but 'colour' cannot be: red is not blue"
    ):
        glued(thing("a", colour="red"), thing("b", colour="blue"))


def test_variables_become_what_they_are_glued_to() -> None:
    colimit = glued(thing("a", size=ValueVariable("n")), thing("b", size=3))
    assert colimit.apex.attributes(1) == {"size": 3}
    assert [dict(injection.values) for injection in colimit.injections] == [{"n": 3}, {}]


def test_variables_of_different_parts_are_different() -> None:
    parts = thing("a", size=ValueVariable("n")), thing("b", size=ValueVariable("n"))
    colimit = coproduct(*parts)
    values = [colimit.apex.attribute(id_, "size") for id_ in colimit.apex.all_elements()]
    assert values == [ValueVariable("n"), ValueVariable("n_2")]
    assert [dict(injection.values) for injection in colimit.injections] == [
        {},
        {"n": ValueVariable("n_2")},
    ]
    target = coproduct(thing("c", size=1), thing("d", size=2)).apex
    cocone = [Morphism(p, target, {1: i + 1}, {"n": i + 1}) for i, p in enumerate(parts)]
    assert dict(colimit.universal(cocone).values) == {"n": 1, "n_2": 2}
    assert [glued(*parts).apex.attribute(1, "size")] == [ValueVariable("n")]


def test_operations_are_equal_only_if_written_alike() -> None:
    def plus(name: str, number: int) -> ValueOperation:
        return ValueOperation(Operator.ADD, (ValueVariable(name), number))

    colimit = glued(thing("a", size=plus("n", 1)), thing("b", size=ValueVariable("m")))
    assert colimit.apex.attributes(1) == {"size": plus("n", 1)}
    assert dict(colimit.injections[1].values) == {"m": plus("n", 1)}
    with pytest.raises(LimitError, match=r"'size' cannot be: \(\?n \+ 1\) is not 3"):
        glued(thing("a", size=plus("n", 1)), thing("b", size=3))


def on(support: str, since: int | None = None) -> Instance:
    """A cup on something."""
    builder = InstanceBuilder(WORLD)
    row = builder.relate("on", builder.add("thing", "cup"), builder.add("thing", support))
    if since is not None:
        builder.set_attribute(row, "since", since)
    return builder.build()


def test_tuples_with_the_same_legs_are_one() -> None:
    shared = coproduct(thing("x"), thing("y")).apex
    first, second = on("table"), on("table", since=5)
    colimit = pushout(*(Morphism(shared, part, {1: 1, 2: 2}) for part in (first, second)))
    assert colimit.apex == second
    with pytest.raises(LimitError, match=r"on\(cup, table\)' must be one, but 'since' cannot be"):
        pushout(*(Morphism(shared, on("table", since=n), {1: 1, 2: 2}) for n in (4, 5)))


def test_a_functional_leg_that_would_break_needs_a_choice() -> None:
    legs = [Morphism(thing("x"), part, {1: 1}) for part in (on("table"), on("shelf"))]
    with pytest.raises(LimitError, match=r"choose FunctionalLegs\.MERGE"):
        pushout(*legs)
    assert len(find_conflicts(pushout(*legs, functional=KEEP).apex)) == 1
    # The cup is on one thing only: the table is the shelf.
    assert pushout(*legs, functional=MERGE).apex == on("table")


# --- what is refused


def test_diagrams_that_are_none() -> None:
    edge, loop = path(2), cycle(1)
    down = to(edge, loop)
    with pytest.raises(LimitError, match="not parallel"):
        coequaliser(down, identity(edge))
    with pytest.raises(LimitError, match="not in one"):
        pushout(down, identity(loop))
    with pytest.raises(LimitError, match="morphism 1 of the diagram is not natural"):
        pushout(Morphism(edge, loop, {}), down)
    with pytest.raises(LimitError, match="instance 2 has schema 'world', not 'graph'"):
        coproduct(edge, thing("a"))
    with pytest.raises(LimitError, match="give its schema"):
        coproduct()


def test_cocones_that_are_none() -> None:
    edge, point = path(2), graph(1)
    ends = [to(point, edge, v1=name) for name in ("v1", "v2")]
    chain = pushout(ends[1], ends[0])
    assert is_isomorphic(chain.apex, path(3))
    with pytest.raises(LimitError, match="1 legs were given"):
        chain.universal([identity(edge)])
    with pytest.raises(LimitError, match="leg 2 starts in"):
        chain.universal([identity(edge), ends[0]])
    with pytest.raises(LimitError, match="leg 2 does not end at"):
        chain.universal([identity(edge), to(edge, cycle(1))])
    message = "do not commute: 'v1' is sent to 'v2' one way, and to 'v1' the other"
    with pytest.raises(LimitError, match=message):
        chain.universal([identity(edge), identity(edge)])
    with pytest.raises(LimitError, match="give `vertex`"):
        initial(GRAPH).universal(())


def test_a_cocone_to_an_instance_that_breaks_functional_legs_has_no_map_from_what_merges() -> None:
    parts = on("table"), on("shelf")
    legs = [Morphism(thing("x"), part, {1: 1}) for part in parts]
    kept = pushout(*legs, functional=KEEP)
    merged = pushout(*legs, functional=MERGE)
    with pytest.raises(LimitError, match="'table' would be sent to 'table' and to 'shelf'"):
        merged.universal(kept.injections)
