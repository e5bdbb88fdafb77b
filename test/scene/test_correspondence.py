# SPDX-License-Identifier: Apache-2.0
"""Things of two scenes are paired by id, else by category and place."""

import math
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode
from fcp_ros.scene.live_matching import match_scenes

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
