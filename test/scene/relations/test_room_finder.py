# SPDX-License-Identifier: Apache-2.0
"""In which room a point is, beside one polygon and one point at a time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneNode
from fcp_ros.scene.relations.rooms import STOREY, RoomFinder
from fcp_ros.scene.shapes.polygons import area

Corner = tuple[float, float]

SHAPES: dict[str, tuple[Corner, ...]] = {
    "square": ((0, 0), (4, 0), (4, 4), (0, 4)),
    "beside": ((4, 0), (8, 0), (8, 4), (4, 4)),
    "inner": ((1, 1), (2, 1), (2, 2), (1, 2)),
    "l": ((0, 0), (6, 0), (6, 1), (1, 1), (1, 6), (0, 6)),
    "u": ((0, 0), (6, 0), (6, 6), (4, 6), (4, 2), (2, 2), (2, 6), (0, 6)),
    "kite": ((3, -1), (7, 3), (3, 7), (-1, 3)),
}


def room(id_: str, shape: str, level: float | None, away: float = 0.0) -> SceneNode:
    corners = tuple((x + away, y) for x, y in SHAPES[shape])
    pose = None if level is None else Pose.at(away, 0, level + 1.25)
    height = None if level is None else 2.5
    return SceneNode(id_, Layer.ROOM, "room", pose=pose, polygon=corners, height=height)


def crossings(corners: tuple[Corner, ...], x: float, y: float) -> bool:
    """Even-odd rule with a ray to the right, edge after edge."""
    inside = False
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
            inside = not inside
    return inside


def to_outline(corners: tuple[Corner, ...], x: float, y: float) -> float:
    least = math.inf
    for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True):
        length = math.dist((x0, y0), (x1, y1))
        along = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length**2
        along = min(1.0, max(0.0, along))
        least = min(least, math.dist((x, y), (x0 + along * (x1 - x0), y0 + along * (y1 - y0))))
    return least


def slow_room(
    rooms: list[SceneNode], point: tuple[float, float, float]
) -> tuple[str, float] | None:
    ranks = []
    for each in rooms:
        excess = 0.0
        if each.height is not None and each.pose is not None:
            level = each.pose.position[2] - each.height / 2
            excess = max(0.0, level - point[2], point[2] - level - each.height)
        if excess <= STOREY and crossings(each.polygon, point[0], point[1]):
            ranks.append((excess, area(each.polygon), each.id))
    if not ranks:
        return None
    best = min(ranks)[2]
    corners = next(each.polygon for each in rooms if each.id == best)
    return best, 0.5 + 0.5 * min(1.0, to_outline(corners, point[0], point[1]) / 0.05)


@st.composite
def houses(draw: st.DrawFn) -> list[SceneNode]:
    away = draw(st.sampled_from([0.0, 1e6]))
    return [
        room(f"r{number}", draw(st.sampled_from(list(SHAPES))), level, away)
        for number, level in enumerate(
            draw(st.lists(st.sampled_from([None, 0.0, 2.8, 0.3]), max_size=5))
        )
    ]


@given(
    houses(),
    st.lists(
        st.tuples(
            st.integers(-8, 32).map(lambda step: step * 0.2503),
            st.integers(-8, 32).map(lambda step: step * 0.2497),
            st.sampled_from([-0.6, -0.4, 0.1, 1.0, 2.6, 2.9, 3.4, 6.0]),
        ),
        max_size=8,
    ),
)
@settings(max_examples=200, deadline=None)
def test_the_same_as_one_by_one(
    rooms: list[SceneNode], points: list[tuple[float, float, float]]
) -> None:
    away = rooms[0].polygon[0][0] if rooms and rooms[0].polygon[0][0] > 1e5 else 0.0
    away = 1e6 if away else 0.0
    moved = [(x + away, y, z) for x, y, z in points]
    names = [str(number) for number in range(len(moved))]
    found = RoomFinder(rooms, 0.05).find_containing(names, np.array(moved).reshape(-1, 3))
    for name, point in zip(names, moved, strict=True):
        slow = slow_room(rooms, point)
        assert found.get(name, (None,))[0] == (slow and slow[0])
        if slow:
            assert found[name][1] == pytest.approx(slow[1], abs=1e-6)


def test_a_point_on_a_shared_wall_is_in_one_room() -> None:
    finder = RoomFinder([room("a", "square", 0.0), room("b", "beside", 0.0)], 0.05)
    found = finder.find_containing(["p"], np.array([(4.0, 2.0, 1.0)]))
    assert found["p"] == ("a", 0.5), "as large, and the lesser id"


def test_the_storey_that_holds_a_point_best() -> None:
    rooms = [room("low", "inner", 0.0), room("high", "square", 2.8)]
    finder = RoomFinder(rooms, 0.05)
    heights = {"mat": 2.79, "lamp": 2.45, "between": 2.6}
    points = np.array([(1.5, 1.5, z) for z in heights.values()])
    rooms_of = {
        id_: room for id_, (room, _) in finder.find_containing(list(heights), points).items()
    }
    assert rooms_of == {"mat": "high", "lamp": "low", "between": "low"}


def test_rooms_beside_a_point() -> None:
    finder = RoomFinder([room("a", "square", 0.0), room("up", "beside", 5.0)], 0.05)
    point, near, away = finder.find_beside(np.array([(4.3, 2.0, 1.0)]), 0.5)
    assert (point.tolist(), [finder.id_of(number) for number in near]) == ([0], ["a"])
    assert away.tolist() == pytest.approx([0.3])
