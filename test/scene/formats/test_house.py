# SPDX-License-Identifier: Apache-2.0
"""The twin house in the house layout and in the canonical format."""

from itertools import combinations
from pathlib import Path

from twin_house import differences, truth_of

from fcp_ros.scene import Layer, Provenance, SceneGraph, load_scene
from fcp_ros.scene.shapes.polygons import Polygon, footprint_of


def test_the_house_layout_is_the_truth_itself(data_dir: Path) -> None:
    file = data_dir / "twin_house_expected.json"
    assert differences(load_scene(file), truth_of(file)) == []


def test_the_canonical_format_has_everything(house_file: Path, data_dir: Path) -> None:
    truth = truth_of(data_dir / "twin_house_expected.json")
    assert differences(load_scene(house_file), truth) == []


def test_what_is_added_says_so(house: SceneGraph) -> None:
    added = {
        (relation.name, *relation.elements): relation.provenance
        for relation in house.relations
        if relation.provenance is not Provenance.GIVEN
    }
    assert added["in_room", "kitchen_1_floor", "kitchen_1"] is Provenance.INFERRED
    assert added["on", "fridge_1", "kitchen_1_floor"] is Provenance.GEOMETRIC
    assert ("at", "robot_1", "kitchen_1") in added
    assert house.notes == ("the scene has no robot: robot_1 was put in kitchen_1",)


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
    inside = {frozenset(relation.elements) for relation in furnished.relations_named("inside")}
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
