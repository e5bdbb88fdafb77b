# SPDX-License-Identifier: Apache-2.0
"""Completion: what is derived, what is assumed, and that what is given always wins."""

import time
from dataclasses import replace

import pytest
from circles import find_circle
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.scene import (
    Layer,
    Pose,
    Provenance,
    RelationOptions,
    SceneGraph,
    SceneNode,
    SceneRelation,
    complete_relations,
)


def room(id_: str, x: float, *, width: float = 4.0, **changes: object) -> SceneNode:
    corners = ((x, 0.0), (x + width, 0.0), (x + width, 4.0), (x, 4.0))
    return SceneNode(id_, Layer.ROOM, "room", polygon=corners, height=2.5, **changes)  # type: ignore[arg-type]


def thing(
    id_: str,
    at: tuple[float, float, float] | None = None,
    size: tuple[float, float, float] | None = (0.1, 0.1, 0.1),
    category: str = "thing",
    **changes: object,
) -> SceneNode:
    pose = None if at is None else Pose.at(*at)
    size = None if at is None else size
    return SceneNode(id_, Layer.OBJECT, category, pose=pose, size=size, **changes)  # type: ignore[arg-type]


ROBOT = SceneNode("robot_1", Layer.AGENT, "robot", pose=Pose.at(0.5, 0.5, 0.0))
TABLE = thing("table", (2, 2, 0.4), (1.0, 1.0, 0.8))
SHELF = thing("shelf", (1, 3.5, 0.4), (1.0, 0.4, 0.8))


def completed(*nodes: SceneNode, relations: tuple[SceneRelation, ...] = ()) -> SceneGraph:
    return complete_relations(SceneGraph.of(nodes, relations))


def texts(graph: SceneGraph, *names: str) -> set[str]:
    return {str(r) for r in graph.relations if not names or r.name in names}


def provenance(graph: SceneGraph, text: str) -> Provenance:
    return next(r.provenance for r in graph.relations if str(r) == text)


# ---- on and inside -------------------------------------------------------------------------------


def test_resting_and_standing() -> None:
    mug = thing("mug", (2.2, 2, 0.85))
    graph = completed(room("r", 0), TABLE, mug, ROBOT)
    assert texts(graph, "on", "inside") == {"on(mug, table)", "on(table, r_floor)"}
    assert provenance(graph, "on(mug, table)") is Provenance.GEOMETRIC
    assert provenance(graph, "on(table, r_floor)") is Provenance.GEOMETRIC


def test_a_given_place_wins_and_the_contradiction_is_noted() -> None:
    mug = thing("mug", (2.2, 2, 0.85))
    given_on = SceneRelation("on", ("mug", "shelf"))
    graph = completed(room("r", 0), TABLE, SHELF, mug, ROBOT, relations=(given_on,))
    assert "on(mug, shelf)" in texts(graph)
    assert "on(mug, table)" not in texts(graph)
    assert any("mug (given shelf, drawn on table)" in note for note in graph.notes)


def test_what_is_held_lies_nowhere() -> None:
    mug = thing("mug", (2.2, 2, 0.85))
    holding = SceneRelation("holding", ("robot_1", "mug"))
    graph = completed(room("r", 0), TABLE, mug, ROBOT, relations=(holding,))
    assert not any(r.elements[0] == "mug" for r in graph.relations if r.name in ("on", "inside"))
    assert "in_room(mug, r)" in texts(graph)


def test_a_thing_in_the_air_is_nowhere_with_a_note() -> None:
    graph = completed(room("r", 0), thing("lamp", (2, 2, 2.2)), ROBOT)
    assert texts(graph, "on", "inside", "attached") == set()
    assert "in_room(lamp, r)" in texts(graph)
    assert any("nothing is known that carries lamp" in note for note in graph.notes)


def test_a_thing_without_a_size_is_on_the_floor_unless_it_hangs() -> None:
    graph = completed(
        room("r", 0),
        thing("chair", (1, 1, 0.5), None),
        thing("photo", (2, 2, 1.0), None, category="photo"),
        thing("high", (2, 2, 1.6), None),
        ROBOT,
    )
    assert texts(graph, "on") == {"on(chair, r_floor)"}
    assert provenance(graph, "on(chair, r_floor)") is Provenance.INFERRED


def test_tolerances_are_options() -> None:
    graph = SceneGraph.of([room("r", 0), TABLE, thing("mug", (2, 2, 0.95)), ROBOT])
    sure = {r.elements: r.confidence for r in complete_relations(graph).relations_named("on")}
    assert sure["mug", "table"] < 0.5
    assert "on(mug, table)" not in texts(complete_relations(graph, RelationOptions(hovering=0.08)))
    assert "on(mug, table)" in texts(complete_relations(graph, RelationOptions(resting=0.12)))


# ---- rooms ---------------------------------------------------------------------------------------


def test_rooms_by_containment_hierarchy_support_and_distance() -> None:
    graph = completed(
        room("a", 0),
        room("b", 5),
        SceneNode("p", Layer.PLACE, "place", parents=("b",)),
        thing("inside_a", (1, 1, 0.05)),
        thing("by_parent", None, parents=("p",)),
        thing("by_support"),
        thing("outside", (20, 1, 0.05)),
        thing("nowhere"),
        ROBOT,
        relations=(SceneRelation("on", ("by_support", "by_parent")),),
    )
    assert texts(graph, "in_room") == {
        "in_room(inside_a, a)",
        "in_room(by_parent, b)",
        "in_room(by_support, b)",
        "in_room(outside, b)",
        "in_room(a_floor, a)",
        "in_room(b_floor, b)",
    }
    assert provenance(graph, "in_room(outside, b)") is Provenance.INFERRED
    assert provenance(graph, "in_room(by_parent, b)") is Provenance.INFERRED
    assert any("the room of nowhere is not known" in note for note in graph.notes)


def test_a_given_room_wins_and_is_noted() -> None:
    given_room = SceneRelation("in_room", ("chair", "b"))
    graph = completed(
        room("a", 0), room("b", 5), thing("chair", (1, 1, 0.05)), ROBOT, relations=(given_room,)
    )
    assert "in_room(chair, b)" in texts(graph)
    assert "in_room(chair, a)" not in texts(graph)
    assert any("chair (given b, drawn in a)" in note for note in graph.notes)


def test_rooms_above_each_other() -> None:
    low, high = room("low", 0), replace(room("high", 0), pose=Pose.at(2, 2, 4.25))
    graph = completed(low, high, thing("a", (1, 1, 0.05)), thing("b", (1, 1, 3.05)), ROBOT)
    assert {"in_room(a, low)", "in_room(b, high)"} <= texts(graph)
    assert "on(b, high_floor)" in texts(graph)
    assert provenance(graph, "on(b, high_floor)") is Provenance.GEOMETRIC


def test_without_a_room_there_is_one_around_everything() -> None:
    graph = completed(TABLE, thing("mug", (9, 9, 0.05)))
    assert {"in_room(table, room_1)", "in_room(mug, room_1)", "at(robot_1, room_1)"} <= texts(graph)
    xs = [x for x, _ in graph.nodes["room_1"].polygon]
    assert min(xs) < 1.5
    assert max(xs) > 9.05
    assert any("the scene has no room" in note for note in graph.notes)


def test_a_scene_without_any_geometry() -> None:
    graph = completed(thing("table"), thing("mug"))
    assert texts(graph) == {
        "in_room(table, room_1)",
        "in_room(mug, room_1)",
        "in_room(room_1_floor, room_1)",
        "at(robot_1, room_1)",
        "on(table, room_1_floor)",
        "on(mug, room_1_floor)",
    }


def test_taken_names_are_avoided() -> None:
    graph = completed(thing("room_1"), thing("robot_1"), thing("room_1_2_floor"))
    assert graph.nodes["room_1_2"].layer is Layer.ROOM
    assert graph.nodes["robot_1_2"].layer is Layer.AGENT
    assert graph.nodes["room_1_2_floor_2"].category == "floor"


# ---- floors --------------------------------------------------------------------------------------


def test_each_room_has_one_floor_at_its_level() -> None:
    graph = completed(room("a", 0), replace(room("b", 5), pose=Pose.at(7, 2, 1.45)), ROBOT)
    for id_, level in (("a", 0.0), ("b", 0.2)):
        floor = graph.nodes[f"{id_}_floor"]
        assert floor.category == "floor"
        assert floor.layer is Layer.OBJECT
        assert floor.parents == (id_,)
        assert floor.pose is not None
        assert floor.size is not None
        assert floor.pose.position[2] + floor.size[2] / 2 == pytest.approx(level)
        assert floor.polygon == graph.nodes[id_].polygon


def test_the_floor_of_a_room_of_unknown_height_is_below_its_things() -> None:
    unknown = replace(room("r", 0, pose=Pose.at(2, 2, 1.7)), height=None)
    graph = completed(unknown, thing("chair", (1, 1, 1.5), (0.4, 0.4, 1.0)), ROBOT)
    floor = graph.nodes["r_floor"]
    assert floor.pose is not None
    assert floor.pose.position[2] == pytest.approx(1.0 - 0.01)


def test_a_floor_that_is_there_is_used() -> None:
    given_floor = thing("ground", (2, 2, -0.05), (4, 4, 0.1), "floor", parents=("r",))
    graph = completed(room("r", 0), given_floor, TABLE, ROBOT)
    assert "r_floor" not in graph.nodes
    assert "on(table, ground)" in texts(graph)


# ---- connections ---------------------------------------------------------------------------------


def test_an_adjacency_becomes_a_passage_both_ways() -> None:
    adjacent = SceneRelation("connected", ("b", "a"))
    graph = completed(room("a", 0), room("b", 4.4), ROBOT, relations=(adjacent,))
    assert texts(graph, "connected") == {
        "connected(a, b, a__b_passage)",
        "connected(b, a, a__b_passage)",
    }
    passage = graph.nodes["a__b_passage"]
    assert passage.category == "passage"
    assert passage.pose is not None
    assert passage.pose.position == pytest.approx((4.2, 2.0, 0.0))
    assert "in_room" not in {r.name for r in graph.relations if "a__b_passage" in r.elements}


def test_a_known_door_serves_an_adjacency() -> None:
    door = thing("door", (4.2, 2, 1), (0.4, 0.9, 2.0), "door")
    given_door = SceneRelation("connected", ("a", "b", "door"))
    adjacent = SceneRelation("connected", ("b", "a"))
    graph = completed(room("a", 0), room("b", 4.4), door, ROBOT, relations=(given_door, adjacent))
    assert texts(graph, "connected") == {"connected(a, b, door)", "connected(b, a, door)"}


@pytest.mark.parametrize("parents", [(), ("a", "b")])
def test_a_door_between_two_rooms_joins_them(parents: tuple[str, ...]) -> None:
    door = thing("door", (4.2, 2, 1), (0.4, 0.9, 2.0), "Door_7", parents=parents)
    graph = completed(room("a", 0), room("b", 4.4), room("c", 9), door, ROBOT)
    assert texts(graph, "connected") == {"connected(a, b, door)", "connected(b, a, door)"}
    expected = Provenance.INFERRED if parents else Provenance.GEOMETRIC
    assert provenance(graph, "connected(a, b, door)") is expected
    assert any("no connection from a is known to c" in note for note in graph.notes)


def test_a_door_in_the_middle_of_nowhere_is_noted() -> None:
    door = thing("door", (2, 2, 1), (0.4, 0.9, 2.0), "door")
    graph = completed(room("a", 0), room("b", 9), door, ROBOT)
    assert texts(graph, "connected") == set()
    assert any("which rooms are joined by door" in note for note in graph.notes)


@pytest.mark.parametrize("legs", [("a", "table"), ("a", "a"), ("a", "b", "table", "b"), ("a",)])
def test_a_connection_that_is_none_is_left_out(legs: tuple[str, ...]) -> None:
    odd = SceneRelation("connected", legs)
    graph = completed(room("a", 0), room("b", 5), TABLE, ROBOT, relations=(odd,))
    assert texts(graph, "connected") == set()
    assert any("does not join two rooms" in note for note in graph.notes)


# ---- agents --------------------------------------------------------------------------------------


def test_agents_are_at_a_room() -> None:
    person = SceneNode("tom", Layer.AGENT, "person", pose=Pose.at(6, 1, 0))
    graph = completed(room("a", 0), room("b", 5), person)
    assert texts(graph, "at") == {"at(tom, b)", "at(robot_1, a)"}, "a person is no robot"


def test_an_agent_of_unknown_place_is_in_the_first_room() -> None:
    agent = SceneNode("rob", Layer.AGENT, "robot")
    graph = completed(room("a", 0), room("b", 5), agent)
    assert texts(graph, "at") == {"at(rob, a)"}
    assert provenance(graph, "at(rob, a)") is Provenance.INFERRED


def test_the_assumed_robot_is_inside_an_l_shaped_room() -> None:
    corners = ((0, 0), (9, 0), (9, 1), (1, 1), (1, 9), (0, 9))
    hall = SceneNode("hall", Layer.ROOM, "hall", polygon=corners, height=2.0)
    graph = completed(hall, room("inner", 1.5))
    assert texts(graph, "at") == {"at(robot_1, hall)"}


# ---- the whole -----------------------------------------------------------------------------------


spot = st.tuples(st.integers(-2, 12), st.integers(-1, 5), st.sampled_from([0.05, 0.45, 0.85]))


@st.composite
def scenes(draw: st.DrawFn) -> SceneGraph:
    nodes = [room(id_, x) for id_, x in (("a", 0.0), ("b", 4.4))][: draw(st.integers(0, 2))]
    for index in range(draw(st.integers(1, 6))):
        at = draw(st.none() | spot)
        size = draw(st.sampled_from([(0.1, 0.1, 0.1), (1.0, 1.0, 0.8), (0.5, 2.0, 1.6)]))
        category = draw(st.sampled_from(["thing", "door", "floor", "table"]))
        nodes.append(thing(f"o{index}", at, size, category))
    ids = [node.id for node in nodes]
    pair = st.tuples(st.sampled_from(ids), st.sampled_from(ids))
    name = st.sampled_from(["on", "inside", "in_room", "connected", "part_of", "near"])
    stated = draw(st.lists(st.tuples(name, pair), unique=True, max_size=4))
    return SceneGraph.of(
        nodes,
        [
            SceneRelation(n, legs)
            for n, legs in stated
            if n not in ("on", "inside") or legs[0] < legs[1]  # else a circle, which is refused
        ],
    )


@given(scenes())
@settings(max_examples=150, deadline=None)
def test_completion_adds_and_is_stable(graph: SceneGraph) -> None:
    once = complete_relations(graph)
    assert {r for r in graph.relations if r.name != "connected"} <= set(once.relations)
    assert graph.nodes.keys() <= once.nodes.keys()
    for node in graph.in_layer(Layer.OBJECT):
        assert once.nodes[node.id] == node
    again = complete_relations(once)
    assert again.nodes == once.nodes
    assert set(again.relations) == set(once.relations)
    assert find_circle(once) == []


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 3, *[st.sampled_from([0.01, 0.03, 1.0])] * 3)))
def test_thin_things_among_one_another_make_no_circle(
    boxes: list[tuple[int, int, int, float, float, float]],
) -> None:
    things = [
        thing(f"o{i}", (0.1 * x, 0.1 * y, 0.01 * z), size)
        for i, (x, y, z, *size) in enumerate(boxes)
    ]
    assert find_circle(completed(room("a", 0.0), *things)) == []


def test_a_given_place_against_the_boxes_makes_no_circle() -> None:
    """The source says that the table is on the mug."""
    mug = thing("mug", (2.2, 2, 0.85))
    wrong = SceneRelation("on", ("table", "mug"))
    graph = complete_relations(SceneGraph.of([room("r", 0), TABLE, mug, ROBOT], [wrong]))
    assert texts(graph, "on") >= {"on(table, mug)"}
    assert "on(mug, table)" not in texts(graph, "on")
    assert (
        "mug would be on, in or attached to themselves: their places by geometry are left out"
        in graph.notes
    )


def test_what_moves_is_derived_anew() -> None:
    mug = thing("mug", (2.2, 2, 0.85))
    graph = completed(room("r", 0), TABLE, SHELF, mug, ROBOT)
    moved = replace(mug, pose=Pose.at(1, 3.5, 0.85))
    after = complete_relations(replace(graph, nodes={**graph.nodes, "mug": moved}))
    assert {text for text in texts(after, "on") if "mug" in text} == {"on(mug, shelf)"}


def test_deep_nesting_costs_no_more_than_flat() -> None:
    """Each thing is a part of the one before; the room is above the first."""

    def measure(is_deep: bool) -> float:
        room = SceneNode("kitchen", Layer.ROOM, "kitchen")
        parents = ["kitchen", *(f"n{i}" if is_deep else "kitchen" for i in range(4999))]
        nodes = [
            SceneNode(f"n{i}", Layer.OBJECT, "box", parents=(p,)) for i, p in enumerate(parents)
        ]
        graph = SceneGraph.of([room, *nodes])
        start = time.process_time()
        completed = complete_relations(graph)
        assert completed.relation("in_room", "n4999", "kitchen") is not None
        return time.process_time() - start

    flat = measure(False)
    assert measure(True) < 4 * flat + 0.5  # 8.7 s before, when each thing asked all above it
