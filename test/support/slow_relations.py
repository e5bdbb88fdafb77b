# SPDX-License-Identifier: Apache-2.0
"""The relations between boxes as they are defined, over all pairs and number by number.

Everything is written down again from the definitions, with other formulas where there are any
(corners instead of projections), and nothing of the package but its boxes is used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hypothesis import strategies as st

from fcp_ros.scene import Layer, Pose, SceneNode

EDGE = 1e-6
CORE = 0.8
DEEP = 0.3


@dataclass(frozen=True)
class Box:
    """An upright box: centre, half extents (m), yaw (rad), and its label."""

    id: str
    centre: tuple[float, float, float]
    half: tuple[float, float, float]
    yaw: float
    label: str = "thing"

    @property
    def bottom(self) -> float:
        return self.centre[2] - self.half[2]

    @property
    def top(self) -> float:
        return self.centre[2] + self.half[2]

    @property
    def area(self) -> float:
        return 4 * self.half[0] * self.half[1]

    @property
    def volume(self) -> float:
        return 8 * self.half[0] * self.half[1] * self.half[2]

    def own(self, x: float, y: float) -> tuple[float, float]:
        """A point in the box's own axes."""
        dx, dy = x - self.centre[0], y - self.centre[1]
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return cos * dx + sin * dy, cos * dy - sin * dx

    def corners(self, share: float = 1.0) -> list[tuple[float, float]]:
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return [
            (
                self.centre[0] + cos * i * self.half[0] * share - sin * j * self.half[1] * share,
                self.centre[1] + sin * i * self.half[0] * share + cos * j * self.half[1] * share,
            )
            for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]

    def depth(self, x: float, y: float) -> float:
        across, along = self.own(x, y)
        return min(self.half[0] - abs(across), self.half[1] - abs(along))


def confidence(clearness: float) -> float:
    return 0.5 + 0.5 * min(1.0, max(0.0, clearness))


def core_depth(a: Box, b: Box) -> float:
    """How far a's core is within b: by its corners, of which the least deep one counts."""
    rise = b.half[2] - abs(a.centre[2] - b.centre[2]) - CORE * a.half[2]
    return min(rise, *(b.depth(x, y) for x, y in a.corners(CORE)))


def is_between_legs(a: Box, b: Box) -> bool:
    if b.label == "table":
        return a.bottom < b.centre[2]
    return b.label == "chair" and a.bottom < b.bottom + 0.25 * 2 * b.half[2]


def is_inside(a: Box, b: Box) -> bool:
    return b.volume > a.volume and not is_between_legs(a, b) and core_depth(a, b) >= -EDGE


def enclosure(a: Box, b: Box, resting: float, clear: float) -> float | None:
    """How far a is in b, by either condition; None if it is not."""
    if "window" in (a.label, b.label) or b.depth(*a.centre[:2]) < -EDGE or is_between_legs(a, b):
        return None
    if b.label == "table" and a.top >= b.top - EDGE:
        return None
    if b.volume > a.volume and core_depth(a, b) >= -EDGE:
        return core_depth(a, b)
    sides = min(b.depth(x, y) for x, y in a.corners(CORE))
    stands = (
        b.label == "thing"
        and b.area > a.area
        and b.bottom - resting <= a.bottom <= b.centre[2]
        and a.top > b.top
        and b.half[2] >= DEEP * min(b.half[:2])
        and sides >= -EDGE
        and not is_inside(b, a)
    )
    if not stands:
        return None
    sunk = (b.top - a.bottom) / (2 * b.half[2])
    return min(sides, min(1.0, max(0.0, 2 * sunk - 1)) * clear)


def rests_on(a: Box, b: Box, resting: float) -> bool:
    return (
        b.depth(*a.centre[:2]) >= -EDGE
        and a.centre[2] > b.centre[2]
        and abs(a.bottom - b.top) <= resting
        and not is_inside(b, a)
        and can_carry(b, a)
    )


def can_carry(b: Box, a: Box) -> bool:
    """Not what is much smaller; of a window, which is mounted, the volume decides alone."""
    flatter = b.area < 0.1 * a.area or a.label == "window"
    return not (flatter and b.volume < 0.1 * a.volume)


Places = dict[str, tuple[str, float]]


def slow_places(boxes: list[Box], resting: float, clear: float) -> tuple[Places, Places]:
    """On and inside."""
    on: Places = {}
    inside: Places = {}
    for a in boxes:
        others = [b for b in boxes if b is not a and "window" not in (a.label, b.label)]
        depths = {b.id: enclosure(a, b, resting, clear) for b in others}
        around = [b for b in others if depths[b.id] is not None]
        container = min(around, key=lambda b: (round(b.volume, 9), b.id)) if around else None
        below = [b for b in others if rests_on(a, b, resting)]
        if below:
            b = min(below, key=lambda b: (-b.centre[2], round(abs(a.bottom - b.top), 9), b.id))
            if container is None or is_inside(b, container):
                gap = abs(a.bottom - b.top)
                clearness = min(1 - gap / resting, b.depth(*a.centre[:2]) / clear)
                on[a.id] = b.id, confidence(clearness)
        if container is not None:
            sure = confidence((depths[container.id] or 0.0) / clear)
            if container.label not in ("chair", "bookcase"):
                inside[a.id] = container.id, sure
            elif a.id not in on:
                on[a.id] = container.id, min(sure, 0.9)
    return on, inside


def slow_under(
    boxes: list[Box], resting: float, clear: float, most: float
) -> dict[str, tuple[str, float]]:
    found = {}
    for a in boxes:
        covers = []
        for b in boxes:
            depth = b.depth(*a.centre[:2])
            if b is a or depth < -EDGE or b.area < a.area or not a.centre[2] < b.centre[2]:
                continue
            gap = b.bottom - a.top
            below = -resting <= gap <= most
            stands = b.bottom - resting <= a.bottom and a.top <= b.top
            between = is_between_legs(a, b) and stands
            if (below or between) and not rests_on(b, a, resting):
                left = gap if below else b.top - a.top
                sure = confidence(min(depth, left) / clear)
                covers.append((round(left, 9), round(b.area, 9), b.id, sure))
        if covers:
            _, _, cover, sure = min(covers)
            found[a.id] = cover, sure
    return found


def slow_distance(a: Box, b: Box) -> float:
    """By the sides: 0 where footprints overlap, else the least distance of two of their sides."""
    up = max(0.0, a.bottom - b.top, b.bottom - a.top)
    inside = any(b.depth(x, y) >= 0 for x, y in a.corners()) or any(
        a.depth(x, y) >= 0 for x, y in b.corners()
    )
    beside = math.inf
    first, second = a.corners(), b.corners()
    for p, q in zip(first, first[1:] + first[:1], strict=True):
        for r, s in zip(second, second[1:] + second[:1], strict=True):
            if crosses(p, q, r, s):
                inside = True
            for point, side in ((p, (r, s)), (q, (r, s)), (r, (p, q)), (s, (p, q))):
                beside = min(beside, to_side(point, *side))
    return math.hypot(0.0 if inside else beside, up)


def crosses(
    p: tuple[float, float], q: tuple[float, float], r: tuple[float, float], s: tuple[float, float]
) -> bool:
    def turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return turn(p, q, r) * turn(p, q, s) < 0 and turn(r, s, p) * turn(r, s, q) < 0


def to_side(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    along = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / length if length else 0.0
    along = min(1.0, max(0.0, along))
    return math.hypot(point[0] - a[0] - along * dx, point[1] - a[1] - along * dy)


# ---- crowds of boxes -----------------------------------------------------------------------------

# Coarse numbers make touching, nesting and ties common; odd extents keep corners off the edges.
_STEP = st.integers(-4, 4).map(lambda step: step * 0.25)
_EXTENT = st.sampled_from([0.11, 0.26, 0.53, 1.07, 2.13])
_FLAT = st.sampled_from([0.0, 0.01, 0.04, 0.26, 1.07])
_TURN = st.sampled_from([0.0, 0.31, 0.9, 1.7, -2.4])
_NUDGE = st.sampled_from([0.0, 0.049, 0.051, -0.049, -0.051, 0.3])
_LABEL = st.sampled_from([*["thing"] * 5, "table", "table", "chair", "bookcase", "window"])


@st.composite
def crowds(draw: st.DrawFn) -> list[Box]:
    """Boxes in a small place, often stacked with a gap at the tolerance, maybe far away."""
    away = draw(st.sampled_from([0.0, 1e6, -3.3e5]))
    boxes: list[Box] = []
    for number in range(draw(st.integers(0, 12))):
        size = draw(st.tuples(_EXTENT, _EXTENT, _FLAT))
        x, y, z = draw(_STEP), draw(_STEP), draw(_STEP)
        if boxes and draw(st.booleans()):
            under = draw(st.sampled_from(boxes))
            x, y = under.centre[0] - away, under.centre[1]
            z = under.top + size[2] / 2 + draw(_NUDGE)
        half = (size[0] / 2, size[1] / 2, size[2] / 2)
        label = draw(_LABEL)
        id_ = f"{draw(st.sampled_from('abc'))}{number}"
        boxes.append(Box(id_, (x + away, y, z), half, draw(_TURN), label))
    return boxes


def as_node(box: Box) -> SceneNode:
    x, y, z = box.centre
    size = (2 * box.half[0], 2 * box.half[1], 2 * box.half[2])
    return SceneNode(box.id, Layer.OBJECT, box.label, pose=Pose.at(x, y, z, yaw=box.yaw), size=size)
