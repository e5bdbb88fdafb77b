# SPDX-License-Identifier: Apache-2.0
"""AI2-THOR event metadata: frame, boxes, receptacles, what is held, rooms, and bad files."""

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from scene_documents import changed, written
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, SceneError, SceneGraph, SceneLimits, load_scene

TWIN = "ai2thor/twin_house_event_metadata.json"
FILE = "event.json"
LACKS = Lacks(
    ids=True,
    labels={"refrigerator": "Fridge", "counter": "CounterTop", "couch": "Sofa", "milk": "Bottle"},
    rooms=True,
    doors=True,
    turns=True,
    relations=frozenset({"in_room", "connected"}),
)
"""No Floor is listed, so there are no rooms; furniture has the upright box around it only."""


def vector(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


def upright(low: tuple[float, ...], high: tuple[float, ...]) -> dict[str, Any]:
    """An axisAlignedBoundingBox from its least and greatest corner in Unity's axes."""
    return {
        "center": vector(*((a + b) / 2 for a, b in zip(low, high, strict=True))),
        "size": vector(*(b - a for a, b in zip(low, high, strict=True))),
        "cornerPoints": [list(corner) for corner in product(*zip(low, high, strict=True))],
    }


def thing(id_: str, low: tuple[float, ...], high: tuple[float, ...], **more: Any) -> dict[str, Any]:
    box = upright(low, high)
    return {
        "objectId": id_,
        "objectType": id_.split("|")[0],
        "position": box["center"],
        "rotation": vector(0, 0, 0),
        "axisAlignedBoundingBox": box,
        **more,
    }


def metadata(*objects: dict[str, Any], scene: str = "Procedural", **more: Any) -> dict[str, Any]:
    agent = {"position": vector(0, 0.9, 0), "rotation": vector(0, 90, 0)}
    return {"sceneName": scene, "agent": agent, "objects": list(objects), **more}


def words(graph: SceneGraph) -> set[str]:
    return {str(r) for r in graph.relations if r.name in ("on", "inside", "holding")}


def test_the_twin_house(data_dir: Path) -> None:
    graph = load_scene(data_dir / TWIN)
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    assert graph.nodes["fridge_1"].attributes == {
        "source_id": "Fridge|-00.50|+00.90|+00.50",
        "is_open": False,
    }
    assert graph.notes == (
        "counter_top_1, dining_table_1, fridge_1, sofa_1 stand on a Floor that is not listed: "
        "taken as the floor of their room",
        "the scene has no room: room_1 was put around everything",
    )


def test_unity_becomes_rep_103(load: Any) -> None:
    """A box 1 m right, 2 m up, 3 m ahead, turned right by 90 degrees: 0.1 m wide, 0.2 high, 0.3
    deep. Turned, its depth is along Unity's x.
    """
    corners = upright((0.85, 1.9, 2.95), (1.15, 2.1, 3.05))["cornerPoints"]
    box = thing(
        "Box|1",
        (0.85, 1.9, 2.95),
        (1.15, 2.1, 3.05),
        rotation=vector(0, 90, 0),
        objectOrientedBoundingBox={"cornerPoints": corners[::-1]},
    )
    graph = load(metadata(box))
    node = graph.nodes["box_1"]
    assert node.pose.position == pytest.approx((3.0, -1.0, 2.0))
    assert node.size == pytest.approx((0.3, 0.1, 0.2))
    assert node.pose.yaw == pytest.approx(-math.pi / 2)
    robot = graph.nodes["robot_1"]
    assert robot.pose.position == pytest.approx((0.0, 0.0, 0.9))
    assert robot.pose.yaw == pytest.approx(-math.pi / 2), "turned right"


def test_an_oriented_box_that_stands_askew(load: Any) -> None:
    """Turned right by 30 degrees about y; 0.4 m along its own z, 0.2 m along its own x."""
    turn = math.radians(30.0)
    corners = []
    for right in (-0.1, 0.1):
        for up in (0.0, 0.5):
            for ahead in (-0.2, 0.2):
                x = right * math.cos(turn) + ahead * math.sin(turn)
                z = ahead * math.cos(turn) - right * math.sin(turn)
                corners.append([2.0 + x, up, 5.0 + z])
    box = thing("Box|1", (1.0, 0.0, 4.0), (3.0, 0.5, 6.0), rotation=vector(0, 30, 0))
    node = load(metadata({**box, "objectOrientedBoundingBox": {"cornerPoints": corners}})).nodes[
        "box_1"
    ]
    assert node.pose.position == pytest.approx((5.0, -2.0, 0.25))
    assert node.size == pytest.approx((0.4, 0.2, 0.5))
    assert math.degrees(node.pose.yaw) == pytest.approx(-30.0)


def test_corners_of_no_box_leave_the_upright_one(load: Any) -> None:
    corners = upright((0, 0, 0), (1, 2, 3))["cornerPoints"]
    corners[0] = [0.5, 0.5, 0.5]
    box = thing("Box|1", (0, 0, 0), (1, 2, 3), objectOrientedBoundingBox={"cornerPoints": corners})
    graph = load(metadata(box))
    assert graph.nodes["box_1"].size == (3.0, 1.0, 2.0)
    assert any("oriented box of box_1 is flat or no box" in note for note in graph.notes)


def test_on_and_inside_told_apart(load: Any) -> None:
    fridge, sofa = ((0, 0, 0), (1, 2, 1)), ((3, 0, 0), (4, 1, 2))
    graph = load(
        metadata(
            thing("Fridge|1", *fridge, receptacleObjectIds=["Egg|1", "Box|1"]),
            thing("Sofa|1", *sofa, receptacleObjectIds=["Book|1"]),
            thing("Egg|1", (0.4, 1, 0.4), (0.5, 1.1, 0.5), parentReceptacles=["Fridge|1"]),
            thing("Box|1", (0.4, 2, 0.4), (0.5, 2.1, 0.5), parentReceptacles=["Fridge|1"]),
            thing("Book|1", (3.4, 0.5, 1), (3.5, 0.6, 1.1), parentReceptacles=["Sofa|1"]),
        )
    )
    found = {"inside(egg_1, fridge_1)", "on(box_1, fridge_1)", "on(book_1, sofa_1)"}
    assert found <= words(graph), "on top of the fridge; on the seat, within the sofa's box"
    confidence = {str(r): r.confidence for r in graph.relations}
    assert confidence["on(box_1, fridge_1)"] == 1.0
    assert confidence["inside(egg_1, fridge_1)"] == 0.8, "only the type says inside"


def test_of_several_receptacles_the_smallest_counts(load: Any) -> None:
    graph = load(
        metadata(
            thing("CounterTop|1", (0, 0, 0), (2, 1, 1)),
            thing("Bowl|1", (0.2, 1, 0.2), (0.5, 1.1, 0.5), parentReceptacles=["CounterTop|1"]),
            thing(
                "Egg|1",
                (0.3, 1.02, 0.3),
                (0.35, 1.07, 0.35),
                parentReceptacles=["CounterTop|1", "Bowl|1"],
            ),
        )
    )
    assert {"inside(egg_1, bowl_1)", "on(bowl_1, counter_top_1)"} <= words(graph)
    assert "on(egg_1, counter_top_1)" not in words(graph)
    assert any("smallest counts for egg_1" in note for note in graph.notes)


def test_what_either_side_says_counts(load: Any) -> None:
    graph = load(
        metadata(
            thing("CounterTop|1", (0, 0, 0), (2, 1, 1), receptacleObjectIds=["Egg|1"]),
            thing("Egg|1", (0.3, 1, 0.3), (0.35, 1.05, 0.35), parentReceptacles=[]),
        )
    )
    assert "on(egg_1, counter_top_1)" in words(graph)
    assert any("differ, a relation in either counts: egg_1" in note for note in graph.notes)


def test_what_the_agent_holds(load: Any) -> None:
    table = thing("DiningTable|1", (0, 0, 0), (1, 0.7, 1))
    mug = thing("Mug|1", (0.3, 0.7, 0.3), (0.4, 0.8, 0.4), isPickedUp=True)
    graph = load(metadata(table, mug, inventoryObjects=[{"objectId": "Mug|1"}]))
    assert "holding(robot_1, mug_1)" in words(graph)
    assert not {word for word in words(graph) if word.startswith(("on(mug", "inside(mug"))}
    assert not any("isPickedUp" in note for note in graph.notes)
    differing = load(
        metadata(table, {**mug, "isPickedUp": False}, inventoryObjects=[{"objectId": "Mug|1"}])
    )
    assert "holding(robot_1, mug_1)" in words(differing)
    assert any("inventoryObjects and isPickedUp differ" in note for note in differing.notes)


@pytest.mark.parametrize(
    ("scene", "kind"),
    [("FloorPlan28", "kitchen"), ("FloorPlan201_physics", "living_room"), ("Other", "room")],
)
def test_a_floor_is_a_room(load: Any, scene: str, kind: str) -> None:
    floor = thing("Floor|+00.00|+00.00|+00.00", (-2, -0.1, 1), (2, 0.0, 7))
    sofa = thing("Sofa|1", (0, 0, 2), (1, 1, 4), parentReceptacles=[floor["objectId"]])
    graph = load(metadata(floor, sofa, scene=scene))
    room = graph.nodes[f"{kind}_1"]
    assert room.layer is Layer.ROOM
    assert set(room.polygon) == {(1.0, -2.0), (1.0, 2.0), (7.0, -2.0), (7.0, 2.0)}
    assert "on(sofa_1, floor_1)" in words(graph)
    assert str(graph.relations_named("in_room")[0]) == f"in_room(sofa_1, {kind}_1)"
    assert [node.id for node in graph.in_layer(Layer.ROOM)] == [room.id]


def test_the_rooms_of_a_procthor_scene(load: Any) -> None:
    """ProcTHOR's rooms are floors, too; the floor of the house and the walls are left out."""
    house = thing("Floor", (0, -0.1, 0), (8, 0, 4))
    rooms = [
        {**thing(f"room|{n}", (4 * n, -0.1, 0), (4 * n + 4, 0, 4)), "objectType": "Floor"}
        for n in (0, 1)
    ]
    wall = thing("Wall|1", (0, 0, 0), (4, 2, 0.1))
    door = thing("Doorway|1", (3.9, 0, 1), (4.1, 2, 2), openable=True, isOpen=True)
    graph = load(metadata(house, *rooms, wall, door))
    assert [node.id for node in graph.in_layer(Layer.ROOM)] == ["room_1", "room_2"]
    assert {r.elements for r in graph.relations_named("connected")} == {
        ("room_1", "room_2", "doorway_1"),
        ("room_2", "room_1", "doorway_1"),
    }
    assert graph.nodes["doorway_1"].attributes["is_open"] is True
    assert any(note.startswith("2 walls, ceilings and floors") for note in graph.notes)


def test_a_bottle_does_not_hold_its_fridge(data_dir: Path, tmp_path: Path) -> None:
    """Unity's triggers say so at times: that place is left out, and a note says it."""
    document = json.loads((data_dir / TWIN).read_text(encoding="utf-8"))
    document["objects"][0]["parentReceptacles"] = ["Bottle|-00.50|+01.00|+00.50"]
    graph = load_scene(written(document, tmp_path / "scene.json"))
    assert graph.relation("inside", "bottle_1", "fridge_1") is not None
    assert graph.relation("inside", "fridge_1", "bottle_1") is None
    assert any("left out" in note and "(fridge_1, bottle_1)" in note for note in graph.notes)


# ---- bad files ----------------------------------------------------------------------------------

FRIDGE, APPLE = ("objects", 0), ("objects", 4)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        ((*APPLE, "objectId"), "Fridge|-00.50|+00.90|+00.50", "given to two elements"),
        ((*APPLE, "parentReceptacles"), ["Shelf|1"], "'Shelf|1', which is not listed"),
        ((*FRIDGE, "receptacleObjectIds"), ["Egg|1"], "'Egg|1', which is not listed"),
        (("inventoryObjects",), [{"objectId": "Egg|1"}], "'Egg|1', which is not listed"),
        ((*APPLE, "position", "x"), math.nan, "position.x"),
        ((*APPLE, "axisAlignedBoundingBox", "size", "x"), 5.0, "cornerPoints differ"),
        ((*APPLE, "axisAlignedBoundingBox", "size", "x"), -0.08, "cornerPoints differ"),
        ((*APPLE, "axisAlignedBoundingBox", "cornerPoints"), [[0, 0, 0]], "cornerPoints"),
    ],
)
def test_bad_entries_are_refused(
    load: Any, twin: Any, place: tuple[Any, ...], value: Any, reason: str
) -> None:
    with pytest.raises(SceneError) as refusal:
        load(changed(twin, place, value))
    assert reason in str(refusal.value)
    assert "event.json" in str(refusal.value)


def test_a_negative_size_without_corners(load: Any) -> None:
    box = thing("Box|1", (0, 0, 0), (1, 1, 1))
    box["axisAlignedBoundingBox"] = {"center": vector(0, 0, 0), "size": vector(1, -1, 1)}
    with pytest.raises(SceneError, match="negative size"):
        load(metadata(box))


def test_ids_that_differ_in_case_only(load: Any) -> None:
    graph = load(metadata(thing("mug", (0, 0, 0), (1, 1, 1)), thing("Mug", (2, 0, 0), (3, 1, 1))))
    assert {"mug", "mug_1"} <= graph.nodes.keys()
    assert graph.nodes["mug_1"].attributes["source_id"] == "Mug"
    assert any("differ in case only: mug and Mug" in note for note in graph.notes)


def test_a_scene_without_objects_is_its_agent(load: Any) -> None:
    assert "robot_1" in load(metadata()).nodes


def test_too_many_objects_are_refused_unread(load: Any) -> None:
    """Before validation: the entries are no objects at all."""
    with pytest.raises(SceneError, match="1000 nodes, more than the limit of 100"):
        load({**metadata(), "objects": [None] * 1000}, SceneLimits(max_nodes=100))
