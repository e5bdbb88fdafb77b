# SPDX-License-Identifier: Apache-2.0
"""Entities as changes of a scene graph, without ROS messages of the standard."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.nodes.simulation.entities import (
    ENTITY,
    Entity,
    EntityFrames,
    Shape,
    merge_entities,
)
from fcp_ros.package_files import find_scene
from fcp_ros.scene.formats.source_graph import SOURCE_ID
from fcp_ros.scene.graph.delta import apply_delta
from fcp_ros.scene.graph.elements import Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.loading import load_scene

TABLE = SceneNode("table_1", Layer.OBJECT, "table", Pose.at(0.0, 0.0, 0.4), (1.0, 1.0, 0.8))
MUG = SceneNode("mug_1", Layer.OBJECT, "mug", Pose.at(0.0, 0.0, 0.85), (0.1, 0.1, 0.1))
ROBOT = SceneNode("robot_1", Layer.AGENT, "robot", Pose.at(1.0, 0.0, 0.5), (0.5, 0.5, 1.0))

places = st.builds(Pose.at, *[st.floats(-5.0, 5.0)] * 4)
entities = st.lists(
    st.builds(
        Entity,
        st.sampled_from(["mug_1", "/World/mug_1", "vase_1", "Cup 7", "a::b", "kitchen_1", "x"]),
        places,
        st.sampled_from(["mug", "vase", "cup", ""]),
        st.none() | st.just(Layer.AGENT),
        st.none() | st.just(Shape((0.0, 0.1, 0.2), (0.1, 0.2, 0.3))),
    ),
    max_size=5,
    unique_by=lambda entity: entity.name,
)


def merge(graph, *present, frames=None, **options):
    """The graph after a look, and the change."""
    delta = merge_entities(graph, present, frames=frames, **options)
    return (graph, None) if delta is None else (apply_delta(graph, delta), delta)


def graph_of(*nodes, relations=()):
    return SceneGraph.of(nodes, relations)


@given(st.lists(entities, min_size=1, max_size=4))
def test_each_look_leaves_one_node_for_each_entity_and_nothing_to_do(looks):
    graph, frames = load_scene(find_scene("twin_house")), EntityFrames()
    for look in looks:
        graph, _ = merge(graph, *look, frames=frames)
        assert merge_entities(graph, look, frames=frames) is None
        names = [n.attributes[ENTITY] for n in graph.nodes.values() if ENTITY in n.attributes]
        assert sorted(names) == sorted(entity.name for entity in look)
        assert "kitchen_1" in graph.nodes


def test_a_box_stays_where_it_is_in_the_frame_of_its_entity():
    """A mug whose frame is at its foot, as in most models of simulators."""
    frames = EntityFrames()
    foot = Entity("mug_1", Pose.at(0.0, 0.0, 0.8))
    graph, delta = merge(graph_of(TABLE, MUG), foot, frames=frames)
    assert delta.upserted[0].pose == MUG.pose
    over = Pose((0.5, 0.0, 0.8), (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))  # a quarter about x
    graph, _ = merge(graph, Entity("mug_1", over), frames=frames)
    assert graph.nodes["mug_1"].pose.position == pytest.approx((0.5, -0.05, 0.8))


def test_a_thing_that_was_moved_before_it_was_seen_is_where_its_frame_is():
    graph, _ = merge(graph_of(TABLE, MUG), Entity("mug_1", Pose.at(3.0, 0.0, 0.8)))
    assert graph.nodes["mug_1"].pose.position == (3.0, 0.0, 0.8)


def test_what_was_moved_loses_its_place_and_what_follows_keeps_it():
    relations = [SceneRelation("on", ("mug_1", "table_1")), SceneRelation("at", ("robot_1", "r"))]
    room = SceneNode("r", Layer.ROOM, "room")
    graph = graph_of(room, TABLE, MUG, ROBOT, relations=relations)
    look = [Entity("mug_1", MUG.pose), Entity("robot_1", ROBOT.pose), Entity("table_1", TABLE.pose)]
    graph, delta = merge(graph, *look)
    assert delta.dropped == ()
    look[0] = Entity("mug_1", Pose.at(2.0, 0.0, 0.05))
    _, delta = merge(graph, *look)
    assert [str(relation) for relation in delta.dropped] == ["on(mug_1, table_1)"]


@pytest.mark.parametrize(("x", "held"), [(1.2, True), (3.0, False)])
def test_a_thing_far_from_the_hand_is_not_held(x, held):
    graph = graph_of(MUG, ROBOT, relations=[SceneRelation("holding", ("robot_1", "mug_1"))])
    look = (Entity("mug_1", Pose.at(x, 0.0, 0.5)), Entity("robot_1", ROBOT.pose))
    graph, _ = merge(graph, *look)
    assert (graph.relation("holding", "robot_1", "mug_1") is not None) is held


def test_a_robot_that_has_moved_alone_still_holds_what_comes_after_it():
    graph = graph_of(MUG, ROBOT, relations=[SceneRelation("holding", ("robot_1", "mug_1"))])
    look = (Entity("mug_1", MUG.pose), Entity("robot_1", Pose.at(9.0, 0.0, 0.5)))
    graph, _ = merge(graph, *look)
    assert graph.relation("holding", "robot_1", "mug_1")


def test_names_that_may_be_two_nodes_are_nobody():
    """Two prims end alike: which node is which entity can't be told."""
    graph = graph_of(
        SceneNode("a", Layer.OBJECT, "mug", MUG.pose, attributes={SOURCE_ID: "/Left/mug"}),
        SceneNode("b", Layer.OBJECT, "mug", TABLE.pose, attributes={SOURCE_ID: "/Right/mug"}),
    )
    same, delta = merge(graph, Entity("/Other/mug", Pose.at(5.0, 0.0, 0.0)), only_known=True)
    assert (same, delta) == (graph, None)
    graph, _ = merge(graph, Entity("/Right/mug", TABLE.pose), only_known=True)
    assert graph.nodes["b"].attributes[ENTITY] == "/Right/mug"
