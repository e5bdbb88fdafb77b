# SPDX-License-Identifier: Apache-2.0
"""Delta: instances pulled back."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from example_graphs import GRAPH, cycle, graph
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    InstanceBuilder,
    Relation,
    Schema,
    find_homs,
    identity,
    is_isomorphic,
)
from fcp_ros.cset.limits.presentation import representable
from fcp_ros.cset.migration.delta import delta_migration, delta_of_morphism
from fcp_ros.cset.migration.images import MigrationError
from fcp_ros.cset.migration.schema_map import RelationImage, SchemaMap
from fcp_ros.cset.schema.symbols import PathEquation


def test_case_12_delta_of_the_3_cycle_dynamical_system(maps: Mapping[str, SchemaMap]) -> None:
    # V = E = {x1, x2, x3}; the edge x goes from src(x) = x to tgt(x) = phi(x). So there are three
    # vertices and the edges x1 -> x2 -> x3 -> x1: the graph C3.
    map_ = maps["graphs to dynamical systems"]
    builder = InstanceBuilder(map_.target)
    ids = [builder.add("X", f"x{number}") for number in (1, 2, 3)]
    for at, element in enumerate(ids):
        builder.set_function("phi", element, ids[(at + 1) % 3])
    delta = delta_migration(map_, builder.build())
    assert is_isomorphic(delta.instance, cycle(3))
    edge = delta.instance.id_of("E(x1)")
    assert delta.instance.name_of(delta.instance.apply("tgt", edge)) == "V(x2)"
    assert delta.origins[edge] == ids[0]
    assert delta.find_element(ids[0], "V") == delta.instance.id_of("V(x1)")


SMALL = ["graphs to reflexive graphs", "graphs to sets", "sets to graphs",
         "graphs to simple graphs", "simple graphs to graphs", "household"]  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_elements_are_those_of_the_image(
    name: str,
    data: st.DataObject,
    maps: Mapping[str, SchemaMap],
    instances: Callable[..., Any],
) -> None:
    """By the Yoneda lemma these are the morphisms from the representable of the image."""
    map_ = maps[name]
    original = data.draw(instances(map_.target))
    delta = delta_migration(map_, original)
    for type_, image in map_.types.items():
        homs = find_homs(representable(map_.target, image).instance, original, monic=False)
        assert len(delta.instance.elements(type_)) == len(list(homs))
    assert delta_of_morphism(map_, identity(original)) == identity(delta.instance)


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_pulling_back_along_a_composite_is_pulling_back_twice(
    data: st.DataObject, maps: Mapping[str, SchemaMap], instances: Callable[..., Any]
) -> None:
    back, there = maps["graphs to simple graphs"], maps["simple graphs to graphs"]
    original = data.draw(instances(there.target))
    twice = delta_migration(back, delta_migration(there, original).instance)
    assert is_isomorphic(delta_migration(back.then(there), original).instance, original)
    # In between the relation made one arrow of parallel edges.
    pairs = {(original.apply("src", e), original.apply("tgt", e)) for e in original.elements("E")}
    assert len(twice.instance.elements("E")) == len(pairs)


@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_morphisms_are_pulled_back(
    data: st.DataObject, household: SchemaMap, instances: Callable[..., Any]
) -> None:
    first, second = (data.draw(instances(household.target)) for _ in range(2))
    for found in list(find_homs(first, second, monic=False, limit=5)):
        pulled = delta_of_morphism(household, found)
        assert pulled.violations() == ()
        for again in list(find_homs(second, first, monic=False, limit=2)):
            twice = delta_of_morphism(household, found.compose(again))
            assert twice == pulled.compose(delta_of_morphism(household, again))


TYPES = Schema("types", {"vessel": (), "bowl": ("vessel",)})


def test_an_element_has_the_least_type_that_fits() -> None:
    words = Schema("words", {"thing": (), "dish": ("thing",), "soup dish": ("dish",)})
    map_ = SchemaMap(words, TYPES, {"thing": "vessel", "dish": "vessel", "soup dish": "bowl"})
    builder = InstanceBuilder(TYPES)
    builder.add("vessel", "cup")
    builder.add("bowl", "bowl")
    delta = delta_migration(map_, builder.build()).instance
    assert delta.type_of(delta.id_of("cup")) == "dish"
    assert delta.type_of(delta.id_of("bowl")) == "soup dish"


def test_an_element_that_would_have_several_types_is_refused() -> None:
    words = Schema("words", {"thing": (), "mug": ("thing",), "vase": ("thing",)})
    map_ = SchemaMap(words, TYPES, dict.fromkeys(words.types, "vessel"))
    builder = InstanceBuilder(TYPES)
    builder.add("bowl", "grail")
    with pytest.raises(MigrationError) as caught:
        delta_migration(map_, builder.build())
    for part in ("no type for 'grail', which is a 'bowl'", "'mug' and 'vase' fit, and none is"):
        assert part in str(caught.value)


def test_what_breaks_a_functional_leg_is_refused(household: SchemaMap) -> None:
    # Where nothing is functional, a thing may be in two places; in the robot's words it may not.
    house = household.target
    loose = Schema(
        "loose house",
        house.types,
        house.functions,
        (Relation("placement", house.relation("placement").legs),),
        house.attributes,
    )
    map_ = SchemaMap(
        household.source, loose, household.types, household.functions, household.relations,
        household.attributes,
    )  # fmt: skip
    builder = InstanceBuilder(loose)
    zone, person = builder.add("zone"), builder.add("person")
    mug = builder.add("vessel", "mug")
    builder.set_function("owner", mug, person)
    for name in ("table", "shelf"):
        surface = builder.add("surface", name)
        builder.set_function("zone_of", surface, zone)
        builder.relate("placement", mug, surface)
    with pytest.raises(MigrationError) as caught:
        delta_migration(map_, builder.build())
    for part in ("pulled back to 'robot', is none of its instances", "mug", "table", "shelf"):
        assert part in str(caught.value)


def test_an_equation_that_was_not_proven_is_checked_on_the_result() -> None:
    functions = (Function("f", "X", "X"), Function("g", "X", "X"))
    same, steady = (
        PathEquation("X", path, end) for path, end in ((("f",), ()), (("f",) * 2, ("f",)))
    )
    identities = Schema("identities", {"X": ()}, functions[:1], equations=(same,))
    idempotents = Schema("idempotents", {"X": ()}, functions, equations=(steady,))
    map_ = SchemaMap(identities, idempotents, bound=100)
    assert map_.unproven
    builder = InstanceBuilder(idempotents)
    fixed, moving = builder.add("X", "fixed"), builder.add("X", "moving")
    for element in (fixed, moving):
        builder.set_function("f", element, fixed)
        builder.set_function("g", element, element)
    with pytest.raises(MigrationError, match=r"'X\.f = X' does not hold at 'moving'"):
        delta_migration(map_, builder.build())


def test_tuples_that_become_one() -> None:
    simple = Schema(
        "weighted arrows",
        {"V": ()},
        (),
        (Relation("arrow", (("from", "V"), ("to", "V"))),),
        (Attribute("weight", "arrow", AttributeKind.INT),),
    )
    weighted = Schema(
        "weighted", GRAPH.types, GRAPH.functions, (), (Attribute("w", "E", AttributeKind.INT),)
    )
    image = RelationImage("E", {"from": "src", "to": "tgt"})
    map_ = SchemaMap(simple, weighted, {}, {}, {"arrow": image}, {"arrow.weight": "w"})
    builder = InstanceBuilder(weighted)
    vertex = builder.add("V", "v")
    for name in ("loop", "knot"):
        edge = builder.add("E", name, {"w": 1})
        builder.set_function("src", edge, vertex)
        builder.set_function("tgt", edge, vertex)
    delta = delta_migration(map_, builder.build())
    (arrow,) = delta.instance.elements("arrow")
    assert delta.instance.attributes(arrow) == {"weight": 1}
    assert delta.original.name_of(delta.origins[arrow]) == "loop"
    builder.set_attribute(builder.id_of("knot"), "w", 2)
    with pytest.raises(MigrationError) as caught:
        delta_migration(map_, builder.build())
    assert "one tuple of 'arrow' for loop and knot, whose attributes differ" in str(caught.value)
    behind = SchemaMap(simple, weighted, {}, {}, {"arrow": image}, {"arrow.weight": None})
    delta = delta_migration(behind, builder.build())
    assert delta.instance.attributes(delta.instance.elements("arrow")[0]) == {}


def test_a_value_that_the_source_does_not_admit_is_refused() -> None:
    def with_values(*values: str) -> Schema:
        attribute = Attribute("colour", "cup", AttributeKind.ENUM, values)
        return Schema("cups", {"cup": ()}, attributes=(attribute,))

    map_ = SchemaMap(with_values("red"), with_values("red", "blue"))
    builder = InstanceBuilder(map_.target)
    builder.add("cup", "blue cup", {"colour": "blue"})
    with pytest.raises(MigrationError, match="'colour' of 'blue cup' is 'blue'; give one of: red"):
        delta_migration(map_, builder.build())


def test_an_instance_of_another_schema_is_refused(household: SchemaMap) -> None:
    with pytest.raises(MigrationError, match="the map ends in 'house', but the instance is one of"):
        delta_migration(household, graph(1))
