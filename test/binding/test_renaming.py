# SPDX-License-Identifier: Apache-2.0
"""A perceived scene in the words of a domain, by overrides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fcp_ros.binding.label_types import TypeReason
from fcp_ros.binding.renaming import PERCEIVED_AS, rename_scene
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.domain.scene_names import AttributeReading, RelationReading, SceneNames
from fcp_ros.package_files import find_domain
from fcp_ros.scene import SceneError, SceneGraph, complete_relations
from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation

NODES = (
    SceneNode("r1", Layer.ROOM, "kitchen"),
    SceneNode("r2", Layer.ROOM, "hall"),
    SceneNode("p", Layer.OBJECT, "Portal_3", attributes={"shut": True, "note": "x"}),
    SceneNode("t", Layer.OBJECT, "prep surface"),
    SceneNode("g", Layer.OBJECT, "glorp", attributes={"shut": True}),
    SceneNode("m", Layer.OBJECT, "mug"),
    SceneNode("e", Layer.OBJECT, "egg"),
    SceneNode("a", Layer.AGENT, "robot"),
)
RELATIONS = (
    SceneRelation("supports", ("t", "m")),
    SceneRelation("holds", ("g", "e")),
    SceneRelation("holds", ("r1", "t")),
    SceneRelation("holds", ("r1", "g")),
    SceneRelation("links", ("p", "r1", "r2")),
    SceneRelation("at", ("a", "r1")),
)
NAMES = SceneNames(
    {"portal": "door", "prep surface": "counter", "glorp": "openable_container"},
    {
        "supports": (RelationReading("on", (1, 0)),),
        "holds": (RelationReading("inside", (1, 0)), RelationReading("in_room", (1, 0))),
        "links": (RelationReading("connected", (1, 2, 0)),),
    },
    {"shut": AttributeReading("is_open", negated=True)},
)


@pytest.fixture(scope="module")
def household() -> Domain:
    domain = load_domain(find_domain("household"))
    return replace(domain, mapping=domain.mapping.with_names(NAMES))


def test_names_relations_and_attributes_are_read_in_the_domains_words(household: Domain) -> None:
    graph = rename_scene(SceneGraph.of(NODES, RELATIONS), household.schema, household.mapping)
    assert {str(one) for one in graph.relations} == {
        "on(m, t)",
        "inside(e, g)",
        "in_room(t, r1)",
        "in_room(g, r1)",
        "connected(r1, r2, p)",
        "at(a, r1)",
    }
    assert graph.nodes["t"].category == "counter"
    assert graph.nodes["t"].attributes[PERCEIVED_AS] == "prep surface"
    assert graph.nodes["p"].attributes == {"is_open": False, "note": "x", PERCEIVED_AS: "Portal_3"}
    state = scene_to_instance(complete_relations(graph), household.schema, household.mapping)
    assert state.typing["g"].type == "openable_container"
    assert state.typing["g"].reason is TypeReason.OVERRIDE
    instance = state.instance
    for relation, *elements in (
        ("on", "m", "t"),
        ("closed", "g"),
        ("closed", "p"),
        ("connected", "r2", "r1", "p"),
    ):
        legs = tuple(instance.id_of(element) for element in elements)
        assert instance.find_tuple(relation, legs) is not None, relation


def test_scene_stays_as_it_is_without_overrides(household: Domain) -> None:
    graph = SceneGraph.of(NODES, RELATIONS)
    plain = replace(household.mapping, names=SceneNames())
    assert rename_scene(graph, household.schema, plain) is graph


def test_a_reading_in_which_a_thing_lies_on_itself_is_refused(household: Domain) -> None:
    turned = (SceneRelation("on", ("t", "m")), SceneRelation("supports", ("t", "m")))
    with pytest.raises(SceneError):
        rename_scene(SceneGraph.of(NODES, turned), household.schema, household.mapping)
