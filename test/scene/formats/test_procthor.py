# SPDX-License-Identifier: Apache-2.0
"""ProcTHOR houses: frame, rooms, doors along walls, open boundaries, children, and bad files."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scene_documents import changed
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, SceneError, SceneLimits, load_scene
from fcp_ros.scene.formats.ai2thor import UNITY
from fcp_ros.scene.formats.procthor import ProcthorWall, find_openings
from fcp_ros.scene.shapes.polygons import Polygon

TWIN = "procthor/twin_house_house.json"
FILE = "house.json"
LACKS = Lacks(
    ids=True,
    labels={"refrigerator": "Fridge", "counter": "CounterTop", "couch": "Sofa", "milk": "Bottle"},
    heights=True,
    sizes=True,
    door_boxes=True,
    states=True,
)
"""Sizes are in Unity's assets; the twin lists no walls, which have the heights and the doors."""


def vector(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


def room(number: int, x0: float, x1: float) -> dict[str, Any]:
    """4 m deep (Unity's z), from x0 to x1."""
    corners = [(x0, 0), (x0, 4), (x1, 4), (x1, 0)]
    return {
        "id": f"room|{number}",
        "roomType": "Bedroom",
        "floorPolygon": [vector(x, 0, z) for x, z in corners],
    }


def wall(
    number: int, start: tuple[float, float], end: tuple[float, float], **more: Any
) -> dict[str, Any]:
    """2.5 m high, from one point to another on the floor."""
    (x0, z0), (x1, z1) = start, end
    corners = [vector(x0, 0, z0), vector(x1, 0, z1), vector(x0, 2.5, z0), vector(x1, 2.5, z1)]
    return {
        "id": f"wall|{number}|{x0}|{z0}|{x1}|{z1}",
        "roomId": f"room|{number}",
        "polygon": corners,
        **more,
    }


def house(**more: Any) -> dict[str, Any]:
    """Two rooms side by side, 3 and 5 m wide; the wall between them counts from its far end."""
    return {
        "rooms": [room(1, 0, 3), room(2, 3, 8)],
        "walls": [wall(1, (3, 4), (3, 0)), wall(2, (3, 0), (3, 4))],
        "doors": [],
        "objects": [],
        **more,
    }


def door(**more: Any) -> dict[str, Any]:
    return {
        "id": "door|1|2",
        "assetId": "Doorway_1",
        "room0": "room|1",
        "room1": "room|2",
        "wall0": "wall|1|3|4|3|0",
        "holePolygon": [vector(0.5, 0, 0), vector(1.5, 2.0, 0)],
        "openable": True,
        "openness": 0,
        **more,
    }


def test_the_twin_house(data_dir: Path) -> None:
    graph = load_scene(data_dir / TWIN)
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    assert graph.nodes["door_1"].attributes == {"source_id": "door|1|2", "is_open": True}
    assert math.degrees(graph.nodes["dining_table_1"].pose.yaw) == pytest.approx(30.0)
    assert graph.notes == ("the walls of door_1 are not listed: the doors have no place",)


def test_unity_becomes_rep_103(load: Any) -> None:
    """Room 1 m right of the origin is at our -y; an object turned right by 90 degrees."""
    lamp = {"id": "Lamp|1|0", "position": vector(1, 2, 3), "rotation": vector(0, 90, 0)}
    graph = load(house(objects=[lamp]))
    assert graph.nodes["bedroom_1"].polygon == ((0, 0), (4, 0), (4, -3), (0, -3))
    assert graph.nodes["bedroom_1"].height == 2.5
    assert graph.nodes["bedroom_1"].pose.position == pytest.approx((2.0, -1.5, 1.25))
    assert graph.nodes["lamp_1"].pose.position == (3.0, -1.0, 2.0)
    assert graph.nodes["lamp_1"].pose.yaw == pytest.approx(-math.pi / 2)
    assert graph.nodes["lamp_1"].size is None


def test_a_door_counts_along_its_wall(load: Any) -> None:
    """1 m from the far end of the wall, which is at z = 4: so at z = 3."""
    graph = load(house(doors=[door()]))
    node = graph.nodes["door_1"]
    assert node.pose.position == pytest.approx((3.0, -3.0, 1.0))
    assert node.size == pytest.approx((1.0, 0.0, 2.0))
    assert math.degrees(node.pose.yaw) % 180.0 == pytest.approx(0.0), "along our x"
    assert node.attributes["is_open"] is False
    assert ("bedroom_1", "bedroom_2", "door_1") in {
        r.elements for r in graph.relations_named("connected")
    }


def test_frames_are_open_and_outer_doors_left_out(load: Any) -> None:
    frame = door(id="door|f", assetId="Doorframe_5", openness=None)
    del frame["openness"]
    graph = load(house(doors=[frame, door(id="door|out", room1="room|1")]))
    assert graph.nodes["doorway_1"].attributes["is_open"] is True
    assert not [node for node in graph.nodes.values() if node.category == "door"]
    assert "doors that lead outside were left out: door|out" in graph.notes


def test_an_empty_wall_is_an_opening(load: Any) -> None:
    walls = [wall(1, (3, 4), (3, 0), empty=True), wall(2, (3, 0), (3, 4), empty=True)]
    graph = load(house(walls=walls))
    assert [node.id for node in graph.nodes.values() if node.category == "opening"] == ["opening_1"]
    assert graph.nodes["opening_1"].pose.position == pytest.approx((2.0, -3.0, 1.25))
    assert graph.nodes["opening_1"].size == pytest.approx((4.0, 0.0, 2.5))
    assert {r.elements[2] for r in graph.relations_named("connected")} == {"opening_1"}


def test_an_empty_wall_to_nowhere_is_none(load: Any) -> None:
    graph = load(house(walls=[wall(1, (0, 4), (0, 0), empty=True)]))
    assert graph.relations_named("connected") == ()


def slow_boundaries(
    walls: list[ProcthorWall], outlines: dict[str, Polygon]
) -> set[tuple[str, str, str]]:
    """Each empty wall against each outline, edge by edge."""
    found = set()
    for one in walls:
        start, end = (UNITY.to_point(corner.values) for corner in one.polygon[:2])
        x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        for room, outline in outlines.items():
            edges = zip(outline, (*outline[1:], outline[0]), strict=True)
            if room != one.roomId and any(
                math.dist(a, (x, y)) + math.dist((x, y), b) <= math.dist(a, b) + 1e-9
                for a, b in edges
            ):
                found.add((one.id, one.roomId, room))
    return found


@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9))
def test_open_boundaries_on_a_grid_of_rooms(cells: set[tuple[int, int]]) -> None:
    """Square rooms of 4 m; every wall is empty; the middle of each is on one other room at most."""
    outlines, walls = {}, []
    for n, (i, k) in enumerate(sorted(cells)):
        low, high = (4.0 * i, 4.0 * k), (4.0 * i + 4, 4.0 * k + 4)
        corners = [low, (high[0], low[1]), high, (low[0], high[1])]
        outlines[f"room|{n}"] = tuple(UNITY.to_point((x, 0.0, z))[:2] for x, z in corners)
        walls += [
            ProcthorWall.model_validate(wall(n, a, b, empty=True))
            for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)
        ]
    slow = {frozenset((a, b)) for _, a, b in slow_boundaries(walls, outlines)}
    found = find_openings(walls, outlines)
    assert {frozenset(rooms) for rooms in found.values()} == slow
    assert len(found) == len(slow), "each once, though two walls say so"


def test_children_are_on_or_inside_by_type(load: Any) -> None:
    def thing(id_: str, *children: Any) -> dict[str, Any]:
        return {"id": id_, "position": vector(1, 0.5, 1), "children": list(children)}

    apple, bowl = thing("Apple|surface|1|0"), thing("Bowl|surface|1|1", thing("Egg|surface|1|2"))
    graph = load(house(objects=[thing("Fridge|1|0", apple), thing("Desk|1|1", bowl)]))
    placed = {str(r) for r in graph.relations if r.name in ("on", "inside")}
    assert {"inside(apple_1, fridge_1)", "on(bowl_1, desk_1)", "inside(egg_1, bowl_1)"} <= placed


def test_states_and_windows(load: Any) -> None:
    lamp = {"id": "Lamp|1|0", "position": vector(1, 0, 1), "isOn": True, "openness": 0.5}
    graph = load(house(objects=[lamp], windows=[door(id="window|1", room1="room|1")]))
    assert graph.nodes["lamp_1"].attributes == {
        "source_id": "Lamp|1|0",
        "is_open": True,
        "is_on": True,
    }
    assert "in_room(window_1, bedroom_1)" in {str(r) for r in graph.relations}


def test_the_real_house(shared_dir: Path) -> None:
    """Trimmed when it was copied: all 10 rooms and 8 doors (one leads outside), but 6 walls."""
    file = shared_dir / "bench" / "scenes" / "procthor" / "procthor_train_1_trimmed.json"
    graph = load_scene(file)
    rooms = Counter(node.category for node in graph.in_layer(Layer.ROOM))
    assert rooms == {"LivingRoom": 3, "Bedroom": 3, "Bathroom": 3, "Kitchen": 1}
    things = Counter(node.category for node in graph.in_layer(Layer.OBJECT))
    assert {label: things[label] for label in ("door", "doorway", "opening", "floor")} == {
        "door": 6,
        "doorway": 1,
        "opening": 2,
        "floor": 10,
    }
    assert sum(things.values()) == 6 + 1 + 2 + 10 + 4 + 16
    assert len(graph.relations_named("connected")) == 2 * 9
    assert len(graph.relations_named("inside")) == 2, "an apple and a tomato in the fridge"
    assert len(graph.relations_named("on")) == 14 + 4, "on the counter, and on the floor"
    in_room = [r.elements for r in graph.relations_named("in_room")]
    kitchen = {item for item, room in in_room if room == "kitchen_1"}
    assert len(kitchen) == 1 + 4 + 16, "all objects that were not trimmed are in the kitchen"
    assert [r.elements for r in graph.relations_named("at")] == [("robot_1", "kitchen_1")]
    frame = graph.nodes["doorway_1"]
    assert frame.pose.position == pytest.approx((5.26, -13.75, 1.05), abs=0.01)
    assert graph.notes == (
        "doors that lead outside were left out: door|1|3",
        "the walls of door_1, door_2, door_3, door_4, door_5 and 1 more are not listed: "
        "the doors have no place",
    )


# ---- bad files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("doors", 0, "room1"), "room|9", "'room|9', which is not listed"),
        (("rooms", 1, "id"), "room|1", "given to two elements"),
        (("objects", 1, "id"), "Fridge|1|0", "given to two elements"),
        (("objects", 0, "position", "y"), math.nan, "position.y"),
        (("rooms", 0, "floorPolygon"), [], "floorPolygon"),
        (("doors", 0, "openness"), 2, "openness"),
        (("rooms",), [], "'room|1', which is not listed"),
    ],
)
def test_bad_entries_are_refused(
    load: Any, twin: Any, place: tuple[Any, ...], value: Any, reason: str
) -> None:
    with pytest.raises(SceneError) as refusal:
        load(changed(twin, place, value))
    assert reason in str(refusal.value)
    assert "house.json" in str(refusal.value)


def test_a_hole_beyond_its_wall_is_refused(load: Any) -> None:
    beyond = door(holePolygon=[vector(3.5, 0, 0), vector(4.5, 2, 0)])
    with pytest.raises(SceneError, match="along a wall of 4 m"):
        load(house(doors=[beyond]))


def test_deeply_nested_children_are_refused(load: Any, tmp_path: Path) -> None:
    file = tmp_path / "house.json"
    nested = '{"id": "A", "position": {"x": 0, "y": 0, "z": 0}, "children": ['
    file.write_text(
        '{"rooms": [], "proceduralParameters": {}, "objects": [' + nested * 300 + "]}" * 300 + "]}"
    )
    with pytest.raises(SceneError):
        load_scene(file)


def test_too_many_objects_are_refused_unread(load: Any) -> None:
    children = [{"children": [None] * 50} for _ in range(20)]
    with pytest.raises(SceneError, match="more than the limit of 100"):
        load(house(objects=children), SceneLimits(max_nodes=100))
