# SPDX-License-Identifier: Apache-2.0
"""What is different between two scenes is found and told in metres, degrees and words."""

import math
from dataclasses import replace

import pytest

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.difference import (
    DifferenceTolerances,
    NodeDifference,
    SceneDifference,
    compare_scenes,
)

ROOM = SceneNode(
    "r", Layer.ROOM, "kitchen", polygon=((0, 0), (4, 0), (4, 3), (0, 3)), pose=Pose.at(2, 1.5, 1)
)
TABLE = SceneNode(
    "t", Layer.OBJECT, "table", Pose.at(1, 1, 0.4), (1, 0.6, 0.8), attributes={"is_dirty": True}
)
MUG = SceneNode("m", Layer.OBJECT, "mug", Pose.at(1, 1, 0.85), (0.1, 0.1, 0.1), parents=("r",))
ON = SceneRelation("on", ("m", "t"))
BEFORE = SceneGraph.of([ROOM, TABLE, MUG], [ON])


def test_a_scene_is_like_itself() -> None:
    assert compare_scenes(BEFORE, BEFORE).is_empty
    turned = replace(ROOM, polygon=((4, 3), (4, 0), (0, 0), (0, 3)))
    slightly = replace(TABLE, pose=Pose.at(1.009, 1, 0.4, math.radians(0.9)))
    assert compare_scenes(BEFORE, SceneGraph.of([turned, slightly, MUG], [ON])).is_empty


def test_what_came_went_and_moved() -> None:
    table = replace(TABLE, pose=Pose.at(1.3, 1.4, 0.4, math.pi / 2), category="desk")
    fork = SceneNode("f", Layer.OBJECT, "fork")
    held = SceneRelation("on", ("f", "t"))
    near = SceneRelation("near", ("t", "r"))
    found = compare_scenes(
        BEFORE, SceneGraph.of([ROOM, table, fork], [held, near], frame_id="odom")
    )
    assert found.added == (fork,)
    assert found.removed == (MUG,)
    (change,) = found.changed
    assert change.id == "t"
    assert change.moved == pytest.approx(0.5)
    assert change.turned == pytest.approx(90)
    assert change.changes == (("category", "table", "desk"),)
    assert found.relations_added == (near,)
    assert found.relations_removed == ()  # it went with the mug
    assert found.frames == ("map", "odom")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"pose": None}, ("position", "1.000 1.000 0.400", "unknown")),
        ({"size": None}, ("size", "1.000 0.600 0.800", "unknown")),
        ({"size": (1, 0.6, 0.82)}, ("size", "1.000 0.600 0.800", "1.000 0.600 0.820")),
        ({"polygon": ((0, 0), (1, 0), (0, 1))}, ("outline", "0 corners", "3 corners")),
        ({"height": 2.5}, ("height", "unknown", "2.500")),
        ({"layer": Layer.PLACE}, ("layer", "object", "place")),
        ({"parents": ("r",)}, ("parents", "none", "r")),
        ({"attributes": {}}, ("is_dirty", "True", "unknown")),
        ({"attributes": {"is_dirty": 1}}, ("is_dirty", "True", "1")),
    ],
)
def test_each_kind_of_change_is_told(change: dict[str, object], told: tuple[str, ...]) -> None:
    after = SceneGraph.of([ROOM, replace(TABLE, **change), MUG], [ON])  # type: ignore[arg-type]
    assert compare_scenes(BEFORE, after).changed == (NodeDifference("t", changes=(told,)),)


def test_partners_make_other_ids_the_same() -> None:
    after = SceneGraph.of(
        [replace(ROOM, id="R0"), replace(TABLE, id="m"), replace(MUG, id="O1", parents=("R0",))],
        [SceneRelation("on", ("O1", "m"))],
    )
    assert not compare_scenes(BEFORE, after).is_empty
    assert compare_scenes(BEFORE, after, partners={"R0": "r", "m": "t", "O1": "m"}).is_empty
    # Without a partner, a node whose id means another thing gets a name of its own.
    found = compare_scenes(BEFORE, after, partners={"R0": "r", "O1": "m"})
    assert [node.id for node in found.removed] == ["t"]
    assert [node.category for node in found.added] == ["table"]
    assert found.changed == ()


def test_tolerances_are_the_users() -> None:
    after = SceneGraph.of([ROOM, replace(TABLE, pose=Pose.at(1.2, 1, 0.4, 0.1)), MUG], [ON])
    assert not compare_scenes(BEFORE, after).is_empty
    assert compare_scenes(BEFORE, after, DifferenceTolerances(0.25, 10)) == SceneDifference()
