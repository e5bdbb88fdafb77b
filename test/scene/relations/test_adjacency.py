# SPDX-License-Identifier: Apache-2.0
"""Adjacent rooms, beside small steps along the outlines."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, RelationOptions, SceneNode
from fcp_ros.scene.relations.passages import SLANT, find_adjacent_rooms, measure_length_beside

Corner = tuple[float, float]
OPTIONS = RelationOptions(also=frozenset({"adjacent"}))
STEP = 0.01


def room(id_: str, *corners: Corner, level: float = 0.0) -> SceneNode:
    pose = Pose.at(0, 0, level + 1.25)
    return SceneNode(id_, Layer.ROOM, "room", pose=pose, polygon=corners, height=2.5)


def rectangle(id_: str, x0: float, y0: float, x1: float, y1: float, level: float = 0.0):
    return room(id_, (x0, y0), (x1, y0), (x1, y1), (x0, y1), level=level)


def adjacent(*rooms: SceneNode) -> dict[tuple[str, ...], float]:
    return {
        relation.elements: relation.confidence for relation in find_adjacent_rooms(rooms, OPTIONS)
    }


def slow_length(one: list[Corner], other: list[Corner], wall: float) -> float:
    """In steps of a centimetre along each edge: is the other edge beside it there?"""
    total = 0.0
    for p, q in zip(one, one[1:] + one[:1], strict=True):
        length = math.dist(p, q)
        ux, uy = (q[0] - p[0]) / length, (q[1] - p[1]) / length
        for r, s in zip(other, other[1:] + other[:1], strict=True):
            t0, t1 = ((c[0] - p[0]) * ux + (c[1] - p[1]) * uy for c in (r, s))
            d0, d1 = ((c[1] - p[1]) * ux - (c[0] - p[0]) * uy for c in (r, s))
            if t0 == t1 or abs(math.atan((d1 - d0) / (t1 - t0))) > SLANT:
                continue
            steps = round(length / STEP)
            for step in range(steps):
                t = (step + 0.5) * length / steps
                if min(t0, t1) <= t <= max(t0, t1):
                    aside = d0 + (d1 - d0) * (t - t0) / (t1 - t0)
                    total += length / steps if abs(aside) <= wall else 0.0
    return total


@st.composite
def quadrangles(draw: st.DrawFn) -> list[Corner]:
    x, y = draw(st.integers(-3, 3)), draw(st.integers(-3, 3))
    angle = draw(st.sampled_from([0.0, 0.1, 0.4, 0.9]))
    width, depth = draw(st.sampled_from([1.0, 2.3])), draw(st.sampled_from([1.0, 3.1]))
    cos, sin = math.cos(angle), math.sin(angle)
    return [
        (x + cos * i * width - sin * j * depth, y + sin * i * width + cos * j * depth)
        for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]


@given(quadrangles(), quadrangles())
@settings(max_examples=60, deadline=None)
def test_the_length_is_that_of_small_steps(one: list[Corner], other: list[Corner]) -> None:
    fast = measure_length_beside(np.array(one), np.array(other), 0.5)
    assert fast == pytest.approx(slow_length(one, other, 0.5), abs=16 * STEP)


def test_a_wall_between_and_none() -> None:
    a, b = rectangle("a", 0, 0, 4, 3), rectangle("b", 4.4, 0, 8, 3)
    assert adjacent(a, b) == {("a", "b"): 1.0, ("b", "a"): 1.0}
    assert adjacent(a, rectangle("b", 4.6, 0, 8, 3)) == {}


def test_a_short_stretch_is_less_certain() -> None:
    a, b = rectangle("a", 0, 0, 4, 3), rectangle("b", 4.2, 2.25, 8, 5)
    assert adjacent(a, b)["a", "b"] == pytest.approx(0.75)
    assert adjacent(a, rectangle("b", 4.2, 2.6, 8, 5)) == {}


def test_rooms_at_a_corner_or_above_each_other_are_not_adjacent() -> None:
    a = rectangle("a", 0, 0, 4, 3)
    assert adjacent(a, rectangle("corner", 4.1, 3.1, 8, 6)) == {}
    assert adjacent(a, rectangle("above", 4.1, 0, 8, 3, level=2.8)) == {}
