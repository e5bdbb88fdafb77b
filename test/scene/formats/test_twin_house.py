# SPDX-License-Identifier: Apache-2.0
"""One house in every format: all readers must give the same scene as the truth beside them."""

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.scene import Layer, Provenance, SceneGraph, load_scene
from fcp_ros.scene.shapes.footprint import Polygon, footprint_of

CENTIMETRE = 0.01
DEGREE = math.radians(1.0)

FORMATS = ["canonical", "house", "spark json", "spark binary"]
WITHOUT_DOORS = {"spark json", "spark binary"}
"""Spark-DSG knows that rooms are connected, but has no door nodes: they become passages."""
WITHOUT_STATES = {"spark json", "spark binary"}
"""Spark-DSG as Hydra writes it has no states such as is_open."""


@pytest.fixture(scope="module")
def truth(data_dir: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((data_dir / "twin_house_expected.json").read_text())
    return document


@pytest.fixture(params=FORMATS)
def format_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def graph(format_name: str, data_dir: Path, house_file: Path) -> SceneGraph:
    files = {
        "canonical": house_file,
        "house": data_dir / "twin_house_expected.json",
        "spark json": data_dir / "twin_house_spark_v1.1.3.json",
        "spark binary": data_dir / "twin_house_spark_v1.1.3.sparkdsg",
    }
    return load_scene(files[format_name])


def test_rooms(graph: SceneGraph, truth: dict[str, Any]) -> None:
    rooms = {room.id: room for room in graph.in_layer(Layer.ROOM)}
    assert rooms.keys() == {room["id"] for room in truth["rooms"]}
    for expected in truth["rooms"]:
        room = rooms[expected["id"]]
        assert room.category == expected["cls"]
        assert room.height == pytest.approx(expected["height"], abs=CENTIMETRE)
        assert len(room.polygon) == len(expected["polygon"])
        for corner in expected["polygon"]:
            assert min(math.dist(corner, other) for other in room.polygon) < CENTIMETRE
        assert room.pose is not None
        assert room.pose.position[2] == pytest.approx(expected["height"] / 2, abs=CENTIMETRE)


def test_doors_or_passages(graph: SceneGraph, truth: dict[str, Any], format_name: str) -> None:
    passages = {relation.elements[2] for relation in graph.related("connected")}
    assert len(passages) == len(truth["doors"])
    for expected in truth["doors"]:
        id_ = "kitchen_1__living_room_1_passage" if format_name in WITHOUT_DOORS else expected["id"]
        door = graph.nodes[id_]
        assert door.pose is not None
        assert math.dist(door.pose.position[:2], expected["center"][:2]) < CENTIMETRE
        if format_name not in WITHOUT_DOORS:
            assert door.pose.position == pytest.approx(expected["center"], abs=CENTIMETRE)
            assert door.size == pytest.approx(expected["size"], abs=CENTIMETRE)
            assert door.attributes["is_open"] is expected["open"]
        legs = {relation.elements for relation in graph.related("connected")}
        a, b = expected["rooms"]
        assert legs == {(a, b, id_), (b, a, id_)}


def test_objects_and_boxes(graph: SceneGraph, truth: dict[str, Any], format_name: str) -> None:
    objects = {
        node.id: node
        for node in graph.in_layer(Layer.OBJECT)
        if node.category not in ("door", "passage", "floor")
    }
    assert objects.keys() == {entry["id"] for entry in truth["objects"]}
    for expected in truth["objects"]:
        node = objects[expected["id"]]
        assert node.category == expected["cls"]
        assert node.pose is not None
        assert node.pose.position == pytest.approx(expected["center"], abs=CENTIMETRE)
        assert node.pose.yaw == pytest.approx(math.radians(expected["yaw_deg"]), abs=DEGREE)
        assert node.size == pytest.approx(expected["size"], abs=CENTIMETRE)
        if format_name not in WITHOUT_STATES:
            assert node.attributes == expected["state"]


def test_relations(graph: SceneGraph, truth: dict[str, Any]) -> None:
    """The truth lists no floors and each connection once; doors are compared above."""
    floors = {f"{room['id']}_floor" for room in truth["rooms"]}
    found = {
        (relation.name, *relation.elements)
        for relation in graph.relations
        if relation.name in ("on", "inside", "in_room")
        and not floors.intersection(relation.elements)
    }
    expected = {tuple(entry) for entry in truth["relations"] if entry[0] != "connected"}
    assert found == expected


def test_what_is_added_says_so(graph: SceneGraph) -> None:
    added = {
        (relation.name, *relation.elements): relation.provenance
        for relation in graph.relations
        if relation.provenance is not Provenance.GIVEN
    }
    assert added["in_room", "kitchen_1_floor", "kitchen_1"] is Provenance.INFERRED
    assert added["on", "fridge_1", "kitchen_1_floor"] is Provenance.GEOMETRIC
    assert ("at", "robot_1", "kitchen_1") in added
    assert graph.notes == ("the scene has no robot: robot_1 was put in kitchen_1",)


def separated(one: Polygon, two: Polygon) -> bool:
    """Whether a line along an edge has all of one convex polygon on the one side (or on it)."""
    for edges in (one, two):
        for (x0, y0), (x1, y1) in zip(edges, edges[1:] + edges[:1], strict=True):
            sides = [
                [(x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) for x, y in polygon]
                for polygon in (one, two)
            ]
            if max(sides[0]) <= min(sides[1]) + 1e-9 or max(sides[1]) <= min(sides[0]) + 1e-9:
                return True
    return False


def test_the_furnished_house_is_physically_sensible(furnished: SceneGraph) -> None:
    """Nothing overlaps but what is inside, and the geometry alone says what the file says."""
    inside = {frozenset(relation.elements) for relation in furnished.related("inside")}
    solid = [
        node
        for node in furnished.nodes.values()
        if node.layer in (Layer.OBJECT, Layer.AGENT) and node.category != "floor"
    ]
    for a, b in combinations(solid, 2):
        assert a.pose is not None
        assert b.pose is not None
        assert a.size is not None
        assert b.size is not None
        apart = abs(a.pose.position[2] - b.pose.position[2]) >= (a.size[2] + b.size[2]) / 2 - 1e-9
        beside = separated(footprint_of(a), footprint_of(b))
        assert apart or beside or frozenset((a.id, b.id)) in inside, (a.id, b.id)
    assert furnished.notes == ()
