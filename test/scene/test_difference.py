# SPDX-License-Identifier: Apache-2.0
"""What is different between two scenes is found and told in metres, degrees and words."""

import math
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, SceneRelation
from fcp_ros.scene.difference import (
    DifferenceTolerances,
    NodeDifference,
    SceneDifference,
    compare_scenes,
)
from fcp_ros.scene.live_matching import match_scenes

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


# --- Things of two scenes are paired by id, else by category and place


PLACES = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 4)).map(lambda p: (p[0] / 4, p[1] / 4)), max_size=5
)


def thing(id_: str, category: str, x: float | None, y: float = 0.0) -> SceneNode:
    pose = None if x is None else Pose.at(x, y, 0.0)
    return SceneNode(id_, Layer.OBJECT, category, pose=pose)


def pairs(mine: list[SceneNode], others: list[SceneNode]) -> dict[str, str]:
    return match_scenes(SceneGraph.of(mine), SceneGraph.of(others))


def test_by_id_then_by_place_then_as_the_only_ones_left() -> None:
    mine = [thing("m1", "mug", 0), thing("m2", "mug", 1), thing("f", "fork", None)]
    mine += [thing("x", "cup", 0), thing("p", "plate", 0), thing("p2", "plate", 9)]
    others = [thing("a", "Mug_7", 1.1), thing("m1", "mug", 9), thing("b", "fork", 3)]
    others += [thing("x", "bowl", 0), thing("q", "plate", 9.1), thing("q2", "plate", 5)]
    assert pairs(mine, others) == {"a": "m2", "m1": "m1", "b": "f", "q": "p2", "q2": "p"}


def test_then_by_type() -> None:
    mine = [thing("a", "couch", 0), thing("b", "mug", 1), thing("c", "sofa", 3)]
    others = [thing("x", "sofa", 0.2), thing("y", "cup", 1), thing("z", "sofa", 3)]
    types = {"couch": "couch", "sofa": "couch", "mug": "cup", "cup": "cup"}
    found = match_scenes(
        SceneGraph.of(mine), SceneGraph.of(others), type_of=lambda node: types[node.category]
    )
    assert found == {"x": "a", "y": "b", "z": "c"}
    assert pairs(mine, others) == {"z": "c"}


def test_many_of_one_kind() -> None:
    mine = [thing(f"a{i}", "book", i * 0.2) for i in range(3000)]
    others = [thing(f"b{i}", "book", i * 0.2 + 0.05) for i in range(3000)]
    assert pairs(mine, others) == {f"b{i}": f"a{i}" for i in range(3000)}


@given(PLACES, PLACES)
def test_as_many_pairs_as_can_be_and_the_nearest(
    mine: list[tuple[float, float]], others: list[tuple[float, float]]
) -> None:
    """Against trying all assignments; an unplaced pair of other things keeps the last rule out."""
    spare = [thing("s", "mug", None), thing("t", "mug", None)]
    a = [thing(f"a{i}", "mug", *place) for i, place in enumerate(mine)] + spare
    b = [thing(f"b{i}", "mug", *place) for i, place in enumerate(others)]
    found = pairs(a, b)
    assert len(set(found.values())) == len(found)
    total = sum(math.dist(others[int(k[1:])], mine[int(v[1:])]) for k, v in found.items())
    assert (len(found), round(-total, 6)) == _best(mine, others)


def _best(
    mine: list[tuple[float, float]], others: list[tuple[float, float]], reach: float = 0.5
) -> tuple[int, float]:
    few, many = sorted((mine, others), key=len)
    best = (0, 0.0)
    for chosen in permutations(range(len(many)), len(few)):
        near = [
            math.dist(place, many[index])
            for place, index in zip(few, chosen, strict=True)
            if math.dist(place, many[index]) <= reach
        ]
        best = max(best, (len(near), round(-sum(near), 6)))
    return best
