# SPDX-License-Identifier: Apache-2.0
"""The canonical graph refuses what is no scene, and says which node is wrong."""

import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneError, SceneGraph, SceneNode, SceneRelation


def thing(id_: str, **changes: object) -> SceneNode:
    return SceneNode(id_, Layer.OBJECT, "thing", **changes)  # type: ignore[arg-type]


@given(st.floats(-3.1, 3.1))
def test_yaw_reads_back(yaw: float) -> None:
    assert Pose.at(1, 2, 3, yaw=yaw).yaw == pytest.approx(yaw, abs=1e-9)


def test_a_graph_is_a_value() -> None:
    nodes = {"a": thing("a")}
    graph = SceneGraph(nodes)
    nodes["b"] = thing("b")
    assert list(graph.nodes) == ["a"]
    assert pickle.loads(pickle.dumps(graph)) == graph


def test_notes_are_not_repeated() -> None:
    graph = SceneGraph.of([thing("a")], notes=["one"])
    assert graph.with_added_notes(["one", "two"]).notes == ("one", "two")


NAN = float("nan")


@pytest.mark.parametrize(
    ("nodes", "relations", "words"),
    [
        ([thing("a"), thing("a")], [], "a: this id is given to two nodes"),
        ([thing("")], [], "empty or has space"),
        ([thing(" a")], [], "empty or has space"),
        ([SceneNode("a", Layer.OBJECT, "")], [], "a: the category is empty"),
        ([thing("a", pose=Pose((0, NAN, 0)))], [], "a: the position holds a number"),
        ([thing("a", size=(1, math.inf, 1))], [], "a: the size holds a number"),
        ([thing("a", size=(1, -1, 1))], [], "negative extent"),
        ([thing("a", pose=Pose((0, 0, 0), (0, 0, 0, 2)))], [], "no unit quaternion"),
        ([thing("a", polygon=((0, 0), (1, 1)))], [], "fewer than 3 corners"),
        ([thing("a", polygon=((0, 0), (1, NAN), (1, 1)))], [], "the polygon holds a number"),
        ([thing("a", height=0.0)], [], "height"),
        ([thing("a", attributes={"mass": NAN})], [], "the attribute mass"),
        (
            [thing("a", attributes={str(number): True for number in range(1_001)})],
            [],
            "a: it has 1,001 attributes, more than 1,000",
        ),
        ([thing("a", attributes={"x" * 70_000: 1})], [], "a: its id, category and attributes have"),
        ([thing("a" * 70_000)], [], "characters, more than 65,536"),
        ([thing("a", attributes={"n": -(2**1024)})], [], "the attribute n has 1,025 bits"),
        (
            [thing("a", polygon=tuple((0.0, float(y)) for y in range(2_001)))],
            [],
            "the polygon has 2,001 corners, more than 2,000",
        ),
        ([thing("a", parents=("b",))], [], "its parent 'b' is not in the graph"),
        ([thing("a", parents=("a",))], [], "lead back to itself"),
        ([thing("a", parents=("b",)), thing("b", parents=("a",))], [], "(a > b > a)"),
        ([thing("a")], [SceneRelation("on", ("a", "z"))], "on(a, z): the relation names 'z'"),
        ([thing("a")], [SceneRelation("on", ())], "needs a name and elements"),
        ([thing("a")], [SceneRelation("x", ("a",), 1.5)], "outside [0, 1]"),
        ([thing("a")], [SceneRelation("x", ("a",), NAN)], "outside [0, 1]"),
        ([thing("a")], [SceneRelation("x", ("a",))] * 2, "given twice"),
        ([thing("a")], [SceneRelation("on", ("a", "a"))], "a: it lies on or in itself (a > a)"),
        (
            [thing("a"), thing("b")],
            [SceneRelation("on", ("a", "b")), SceneRelation("inside", ("b", "a"))],
            "a: it lies on or in itself (a > b > a)",
        ),
    ],
)
def test_what_is_no_scene_is_refused(
    nodes: list[SceneNode], relations: list[SceneRelation], words: str
) -> None:
    with pytest.raises(SceneError) as caught:
        SceneGraph.of(nodes, relations, source="file.json")
    assert words in str(caught.value)
    assert str(caught.value).startswith("file.json: ")
    assert str(caught.value).endswith(".")


def test_a_deep_hierarchy_is_no_problem() -> None:
    chain = [thing("n0")] + [thing(f"n{i}", parents=(f"n{i - 1}",)) for i in range(1, 5000)]
    assert len(SceneGraph.of(reversed(chain)).nodes) == 5000
