# SPDX-License-Identifier: Apache-2.0
"""Facts back into the scene: relations, states and poses agree afterwards."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.binding.facts_to_scene import delta_from_facts
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import Fact, Schema, facts
from fcp_ros.domain.scene_names import AttributeFact, SceneMapping
from fcp_ros.scene import (
    Layer,
    Pose,
    SceneError,
    SceneGraph,
    SceneNode,
    apply_delta,
    complete_relations,
)


def fact(text: str) -> Fact:
    name, _, arguments = text.rstrip(")").partition("(")
    return Fact(name, tuple(arguments.split(", ")))


def changed(graph: SceneGraph, added: str = "", removed: str = "") -> SceneGraph:
    delta = delta_from_facts(
        graph,
        [fact(text) for text in added.split(";") if text],
        [fact(text) for text in removed.split(";") if text],
    )
    return apply_delta(graph, delta)


def texts(graph: SceneGraph, element: str) -> set[str]:
    return {str(relation) for relation in graph.relations if element in relation.elements}


def position(graph: SceneGraph, id_: str) -> tuple[float, float, float]:
    pose = graph.nodes[id_].pose
    assert pose is not None
    return pose.position


def test_picking_up_carrying_and_putting_down(furnished: SceneGraph) -> None:
    picked = changed(furnished, "holding(robot_1, apple_1)", "on(apple_1, counter_1)")
    assert texts(picked, "apple_1") == {"holding(robot_1, apple_1)", "in_room(apple_1, kitchen_1)"}
    assert position(picked, "apple_1") == position(picked, "robot_1")
    moved = changed(picked, "at(robot_1, living_room_1)", "at(robot_1, kitchen_1)")
    assert texts(moved, "robot_1") == {"at(robot_1, living_room_1)", "holding(robot_1, apple_1)"}
    assert "in_room(apple_1, living_room_1)" in texts(moved, "apple_1")
    assert position(moved, "apple_1") == position(moved, "robot_1")
    placed = changed(moved, "on(apple_1, table_1)", "holding(robot_1, apple_1)")
    assert texts(placed, "apple_1") == {"on(apple_1, table_1)", "in_room(apple_1, living_room_1)"}
    assert math.isclose(position(placed, "apple_1")[2], 0.75 + 0.04)
    assert placed.sequence == 3


def test_geometry_alone_agrees_with_the_facts_afterwards(furnished: SceneGraph) -> None:
    graph = furnished
    for item in ("apple_1", "bowl_1", "vase_1", "sponge_1", "drinking_glass_1"):
        graph = changed(graph, f"on({item}, table_1)", f"on({item}, counter_1)")
    graph = changed(graph, "inside(mug_1, fridge_1)", "on(mug_1, table_1)")
    graph = changed(graph, "on(book_1, living_room_1_floor)", "on(book_1, couch_1)")
    bare = replace(graph, relations=graph.relations_named("connected"))
    redone = complete_relations(bare)

    def places(scene: SceneGraph) -> set[str]:
        return {str(r) for r in scene.relations if r.name in ("on", "inside", "in_room")}

    assert places(redone) == places(complete_relations(graph))


def test_the_robot_stands_clear_of_the_furniture(furnished: SceneGraph) -> None:
    moved = changed(furnished, "at(robot_1, living_room_1)", "at(robot_1, kitchen_1)")
    x, y, z = position(moved, "robot_1")
    assert math.isclose(z, 0.6)
    for other in ("table_1", "couch_1", "tv_stand_1", "person_1"):
        ox, oy, _ = position(moved, other)
        assert math.dist((x, y), (ox, oy)) > 0.5


def test_what_stands_on_a_thing_comes_with_it() -> None:
    def thing(id_: str, category: str, z: float, size: tuple[float, float, float]) -> SceneNode:
        return SceneNode(id_, Layer.OBJECT, category, pose=Pose.at(1, 1, z), size=size)

    kitchen = SceneNode("k", Layer.ROOM, "room", polygon=((0, 0), (4, 0), (4, 4), (0, 4)), height=2)
    hall = SceneNode("h", Layer.ROOM, "room", polygon=((5, 0), (9, 0), (9, 4), (5, 4)), height=2)
    shelf = SceneNode("shelf", Layer.OBJECT, "shelf", Pose.at(7, 2, 0.5), (1, 1, 1))
    graph = complete_relations(
        SceneGraph.of(
            [
                kitchen,
                hall,
                shelf,
                thing("table", "table", 0.4, (1, 1, 0.8)),
                thing("tray", "tray", 0.81, (0.5, 0.3, 0.02)),
                thing("cup", "cup", 0.87, (0.1, 0.1, 0.1)),
            ]
        )
    )
    assert "on(cup, tray)" in texts(graph, "cup")
    moved = changed(graph, "on(tray, shelf)", "on(tray, table)")
    assert texts(moved, "cup") == {"on(cup, tray)", "in_room(cup, h)"}
    assert math.isclose(position(moved, "cup")[2], 1.02 + 0.05)
    assert position(moved, "cup")[:2] == position(moved, "tray")[:2]


def test_states_change_the_attribute_that_carries_them(furnished: SceneGraph) -> None:
    opened = changed(furnished, removed="closed(fridge_1)")
    assert opened.nodes["fridge_1"].attributes["is_open"] is True
    assert "closed(fridge_1)" not in texts(opened, "fridge_1")
    closed = changed(opened, "closed(fridge_1)")
    assert closed.nodes["fridge_1"].attributes["is_open"] is False


def test_states_without_an_attribute_are_relations(furnished: SceneGraph) -> None:
    wiped = changed(furnished, removed="dirty(counter_1)")
    assert "dirty(counter_1)" not in texts(wiped, "counter_1")
    on = changed(wiped, "switched_on(television_1)")
    assert "switched_on(television_1)" in texts(on, "television_1")


def test_what_has_ended_is_known_by_an_attribute(furnished: SceneGraph) -> None:
    rules = [AttributeFact("is_dirty", True, "dirty")]
    delta = delta_from_facts(furnished, [], [fact("dirty(table_1)")], rules)
    assert apply_delta(furnished, delta).nodes["table_1"].attributes == {"is_dirty": False}


def test_other_attribute_facts(furnished: SceneGraph) -> None:
    node = replace(furnished.nodes["mug_1"], attributes={"state": "full"})
    graph = replace(furnished, nodes={**furnished.nodes, "mug_1": node})
    rules = [AttributeFact("state", "full", "filled")]
    delta = delta_from_facts(graph, [], [fact("filled(mug_1)")], rules)
    assert apply_delta(graph, delta).nodes["mug_1"].attributes == {}


def test_a_fact_that_is_removed_and_added_stays(furnished: SceneGraph) -> None:
    same = [fact("on(apple_1, counter_1)")]
    assert delta_from_facts(furnished, same, same).is_empty


def test_a_tuple_that_the_domain_read_otherwise_is_dropped_too(furnished: SceneGraph) -> None:
    """The state may say on(mug, table) where the scene says inside: an item is in one place."""
    delta = delta_from_facts(
        furnished, [fact("holding(robot_1, milk_1)")], [fact("on(milk_1, fridge_1)")]
    )
    assert "inside(milk_1, fridge_1)" not in texts(apply_delta(furnished, delta), "milk_1")


@pytest.mark.parametrize("where", ["added", "removed"])
def test_unknown_elements_are_refused(furnished: SceneGraph, where: str) -> None:
    with pytest.raises(SceneError, match=r"on\(ghost, table_1\): the fact names 'ghost'"):
        changed(furnished, **{where: "on(ghost, table_1)"})


def test_without_geometry_relations_change_and_poses_stay_unknown() -> None:
    nodes = [
        SceneNode("r", Layer.ROOM, "room"),
        SceneNode("table", Layer.OBJECT, "table"),
        SceneNode("mug", Layer.OBJECT, "mug"),
    ]
    graph = complete_relations(SceneGraph.of(nodes))
    after = changed(graph, "on(mug, table)", "on(mug, r_floor)")
    assert texts(after, "mug") == {"on(mug, table)", "in_room(mug, r)"}
    assert after.nodes["mug"].pose is None


ITEMS = ("apple_1", "mug_1", "milk_1", "book_1", "bowl_1")
PLACES = ("on:table_1", "on:counter_1", "on:couch_1", "on:kitchen_1_floor", "inside:fridge_1")


@given(st.lists(st.tuples(st.sampled_from(ITEMS), st.sampled_from(PLACES)), max_size=6))
@settings(max_examples=30, deadline=None)
def test_the_state_made_from_the_changed_scene_has_the_changed_facts(
    furnished: SceneGraph, schema: Schema, mapping: SceneMapping, moves: list[tuple[str, str]]
) -> None:
    graph = furnished
    for item, place in moves:
        before = facts(scene_to_instance(graph, schema, mapping).instance)
        relation, holder = place.split(":")
        old = {f for f in before if f.relation in ("on", "inside") and f.arguments[0] == item}
        new = {Fact(relation, (item, holder))}
        graph = apply_delta(graph, delta_from_facts(graph, new, old))
        wanted = (before - old) | new
        assert facts(scene_to_instance(graph, schema, mapping).instance) == wanted
        completed = complete_relations(graph)
        assert facts(scene_to_instance(completed, schema, mapping).instance) == wanted
