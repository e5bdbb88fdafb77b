# SPDX-License-Identifier: Apache-2.0
"""Oriented boxes as arrays, from which the relations of all things are computed at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import Pose, SceneNode, Vector
from fcp_ros.scene.graph.roles import find_holding_role, is_often_mounted

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# --- the smallest upright box around points ---
#
# Things stand on floors and tops, so their boxes are level; a box that may tilt fits the noise of
# a scan better and the thing worse. The best turn has one side along an edge of the convex hull
# (Freeman and Shapira, *Determining the minimum-area encasing rectangle*, 1975).


STRAY = 0.005  # Share of a scanned thing's points that readers leave beyond each side of its box

_QUARTER = math.pi / 2.0


def fit_upright_box(points: Floats, stray: float = 0.0) -> tuple[Pose, Vector]:
    """Fit the upright box of least footprint to n >= 1 points, shape (n, 3), metres.

    Up to the share ``stray``, in [0, 0.5), may lie beyond each side: segmentation leaves a few
    points of the background with a thing. Yaw in (-45, 45] degrees; size (m) along the box's own
    axes.
    """
    yaw = _find_best_yaw(_drop_stray(points, stray)[:, :2])
    cos, sin = math.cos(yaw), math.sin(yaw)
    own = np.column_stack(
        (
            cos * points[:, 0] + sin * points[:, 1],
            cos * points[:, 1] - sin * points[:, 0],
            points[:, 2],
        )
    )
    low, high = (
        np.quantile(own, (stray, 1.0 - stray), axis=0) if stray else (own.min(0), own.max(0))
    )
    across, along, up = ((low + high) / 2.0).tolist()
    size_x, size_y, size_z = (high - low).tolist()
    pose = Pose.at(cos * across - sin * along, sin * across + cos * along, up, yaw)
    return pose, (size_x, size_y, size_z)


def _drop_stray(points: Floats, stray: float) -> Floats:
    if not stray:
        return points
    low, high = np.quantile(points, (stray, 1.0 - stray), axis=0)
    kept = points[((points >= low) & (points <= high)).all(axis=1)]
    return kept if len(kept) else points


def _find_best_yaw(points: Floats) -> float:
    """Find the yaw (rad) in (-pi/4, pi/4] of the rectangle of least area around plane points."""
    edges = _find_hull_edges(points)
    angles = np.unique(np.round(np.arctan2(edges[:, 1], edges[:, 0]) % _QUARTER, 9))
    if not len(angles):
        return 0.0
    cos, sin = np.cos(angles), np.sin(angles)
    middle = points.mean(axis=0)  # areas are exact far from the origin too
    x, y = (points - middle).T
    width = np.ptp(cos[:, None] * x + sin[:, None] * y, axis=1)
    depth = np.ptp(cos[:, None] * y - sin[:, None] * x, axis=1)
    areas = width * depth
    # Among equally good turns, take the one nearest to the axes.
    turns = np.where(angles > _QUARTER / 2.0, angles - _QUARTER, angles)
    good = areas <= areas.min() * (1.0 + 1e-9) + 1e-15
    return float(turns[good][np.argmin(np.abs(turns[good]))])


def _find_hull_edges(points: Floats) -> Floats:
    """Return the edges of the convex hull, shape (k, 2); for points on one line, its direction."""
    hull = shapely.convex_hull(shapely.multipoints(points))
    return np.diff(shapely.get_coordinates(hull), axis=0)


# --- oriented boxes as arrays ---

Flags = NDArray[np.bool_]

EDGE = 1e-6  # Slack (m) of containment: files store 32-bit numbers

_CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])

AT_ONCE = 256
"""Boxes whose pairs are held at the same time: in a crowd, each has one with all others."""

TILT = 0.17
"""Boxes tilted by more than this (about 10 degrees, as a sine) are replaced by upright ones."""


@dataclass(frozen=True)
class Boxes:
    """n boxes that stand upright."""

    ids: Sequence[str]
    centre: Floats  # Shape (n, 3), metres
    half: Floats  # Half extents along the box's own axes, shape (n, 3), metres
    cos: Floats  # Cosine of the box's yaw, shape (n,)
    sin: Floats  # Sine of the box's yaw, shape (n,)
    role: NDArray[np.uint8]  # ``HoldingRole`` of each box, shape (n,)
    hangs: Flags  # True for what is often mounted (``is_often_mounted``), shape (n,)
    turn: Floats  # Orientations as quaternions x, y, z, w, shape (n, 4)
    # Half extents along the axes of ``turn``, shape (n, 3), metres. For tilted boxes, which
    # ``half`` replaces by the upright box around them; for others the same as ``half``.
    own: Floats
    # Sine of the angle to the upright for boxes that were replaced; else 0, shape (n,)
    tilt: Floats

    def bottom(self, which: Indices) -> Floats:
        """Return the heights of some boxes' undersides (m); shape (k,), like ``which``."""
        low: Floats = self.centre[which, 2] - self.half[which, 2]
        return low

    def top(self, which: Indices) -> Floats:
        """Return the heights of some boxes' tops (m)."""
        high: Floats = self.centre[which, 2] + self.half[which, 2]
        return high

    def footprint(self, which: Indices) -> Floats:
        """Return the areas of some footprints (m2)."""
        area: Floats = 4.0 * self.half[which, 0] * self.half[which, 1]
        return area

    def volume(self, which: Indices) -> Floats:
        """Return the volumes of some boxes (m3)."""
        volume: Floats = 8.0 * self.half[which, 0] * self.half[which, 1] * self.half[which, 2]
        return volume

    @property
    def reach(self) -> Floats:
        """Half extents of the upright rectangles around the footprints, shape (n, 2)."""
        return _compute_reach(self.cos, self.sin, self.half)

    def bounds(self, margin: float = EDGE) -> tuple[Floats, Floats]:
        """Return least and greatest x and y of the footprints, (n, 2), widened by a margin (m)."""
        return _widen(self.centre[:, :2], self.reach, margin)

    def bounds_of(self, which: Indices, margin: float = EDGE) -> tuple[Floats, Floats]:
        """Return the ``bounds`` of some boxes, two arrays of shape (k, 2)."""
        reach = _compute_reach(self.cos[which], self.sin[which], self.half[which])
        return _widen(self.centre[which, :2], reach, margin)

    @cached_property
    def _tree(self) -> shapely.STRtree:
        low, high = self.bounds()
        return shapely.STRtree(shapely.box(*low.T, *high.T))

    def pair_with_holders(self) -> Iterator[tuple[Indices, Indices]]:
        """Yield pairs (box, other) with the centre of a box in the other's upright rectangle."""
        for start in range(0, len(self.ids), AT_ONCE):
            points = shapely.points(self.centre[start : start + AT_ONCE, :2])
            found, other = self._tree.query(points)
            yield found + start, other

    def pair_with_near(
        self, reach: float, which: Indices | None = None
    ) -> Iterator[tuple[Indices, Indices]]:
        """Yield pairs (a, b), both ways, whose upright rectangles are at most ``reach`` (m) apart.

        All pairs of one ``a`` are in one batch. ``which`` are the numbers of those that are to be
        ``a``; None for all. Others may be in it that are a little farther away.
        """
        first = np.arange(len(self.ids)) if which is None else which
        for start in range(0, len(first), AT_ONCE):
            some = first[start : start + AT_ONCE]
            low, high = self.bounds_of(some, reach + EDGE)
            found, b = self._tree.query(shapely.box(*low.T, *high.T))
            a = some[found]
            rise = np.abs(self.centre[a, 2] - self.centre[b, 2])
            keep = (a != b) & (rise - (self.half[a, 2] + self.half[b, 2]) <= reach + EDGE)
            yield a[keep], b[keep]

    def outlines(self, which: Indices) -> NDArray[Any]:
        """Return the footprints of some boxes as polygons of shapely, shape (k,)."""
        corners = self.half[which, None, :2] * _CORNERS
        cos, sin = self.cos[which, None], self.sin[which, None]
        x = cos * corners[..., 0] - sin * corners[..., 1] + self.centre[which, None, 0]
        y = sin * corners[..., 0] + cos * corners[..., 1] + self.centre[which, None, 1]
        found: NDArray[Any] = shapely.polygons(np.stack((x, y), axis=2))
        return found

    def take(self, which: Indices) -> Boxes:
        return Boxes(
            [self.ids[number] for number in which.tolist()],
            self.centre[which],
            self.half[which],
            self.cos[which],
            self.sin[which],
            self.role[which],
            self.hangs[which],
            self.turn[which],
            self.own[which],
            self.tilt[which],
        )

    def axes(self, which: Indices) -> Floats:
        """Return the unit vectors along the sides of some boxes, shape (k, 3, 3): [box, side]."""
        return np.stack(_compute_axes(self.turn[which]), axis=2)


def _compute_reach(cos: Floats, sin: Floats, half: Floats) -> Floats:
    cos, sin = np.abs(cos), np.abs(sin)
    x = cos * half[:, 0] + sin * half[:, 1]
    y = sin * half[:, 0] + cos * half[:, 1]
    return np.stack((x, y), axis=1)


def _widen(centre: Floats, reach: Floats, margin: float) -> tuple[Floats, Floats]:
    # Far from the origin, floats are coarser than the margin: add one step between floats.
    reach = reach + margin + np.spacing(np.abs(centre))
    return centre - reach, centre + reach


def build_boxes(nodes: Iterable[SceneNode]) -> Boxes:
    """Build the boxes of those nodes that have a pose and a size; tilted ones become upright."""
    boxed = [node for node in nodes if node.pose is not None and node.size is not None]
    centre = _to_rows((n.pose.position for n in boxed if n.pose), len(boxed), 3)
    own = _to_rows((n.size for n in boxed if n.size), len(boxed), 3) / 2.0
    half = own
    turn = _to_rows((n.pose.orientation for n in boxed if n.pose), len(boxed), 4)
    x, y, z, w = turn.T
    cos, sin = 1.0 - 2.0 * (y * y + z * z), 2.0 * (w * z + x * y)
    length = np.sqrt(cos * cos + sin * sin)
    slope = np.sqrt((2.0 * (x * z + w * y)) ** 2 + (2.0 * (y * z - w * x)) ** 2)
    upright = (slope > TILT) | (length < EDGE)
    length[upright] = 1.0
    cos, sin = np.where(upright, 1.0, cos / length), np.where(upright, 0.0, sin / length)
    tilt = np.zeros(len(boxed))
    if upright.any():
        half = own.copy()
        half[upright] = _compute_upright_halves(turn[upright], own[upright])
        tilt[upright] = _measure_tilt(turn[upright])
    labels = [node.category for node in boxed]
    role = np.fromiter(map(find_holding_role, labels), np.uint8, len(boxed))
    hangs = np.fromiter(map(is_often_mounted, labels), np.bool_, len(boxed))
    ids = tuple([node.id for node in boxed])
    return Boxes(ids, centre, half, cos, sin, role, hangs, turn, own, tilt)


def measure_upright_half(node: SceneNode) -> float:
    """Measure half the height (m) of a node's box as ``build_boxes`` has it; 0 without one."""
    if node.pose is None or node.size is None:
        return 0.0
    x, y, z, w = node.pose.orientation
    level = abs(1.0 - 2.0 * (x * x + y * y))
    if math.hypot(2.0 * (x * z + w * y), 2.0 * (y * z - w * x)) <= TILT and level > EDGE:
        return node.size[2] / 2.0
    sides = (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), level)
    return sum(abs(side) * extent for side, extent in zip(sides, node.size, strict=True)) / 2.0


def _measure_tilt(turn: Floats) -> Floats:
    """Measure the sine of the angle between the vertical and the side nearest to it, shape (n,)."""
    up = np.abs(_compute_axes(turn)[2]).max(axis=1, initial=0.0)
    sine: Floats = np.sqrt(np.maximum(1.0 - up * up, 0.0))
    return sine


def _to_rows(values: Iterable[tuple[float, ...]], count: int, width: int) -> Floats:
    flat = chain.from_iterable(values)
    return np.fromiter(flat, np.float64, count * width).reshape(count, width)


def _compute_axes(turn: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute, for each axis of the world, its component of each side of the boxes, (n, 3)."""
    x, y, z, w = (turn / np.sqrt((turn * turn).sum(axis=1))[:, None]).T
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
        (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    )
    first, second, third = (np.stack(row, axis=1) for row in rows)
    return first, second, third


def _compute_upright_halves(turn: Floats, half: Floats) -> Floats:
    """Compute the half extents of the upright boxes around turned ones."""
    return np.stack([(np.abs(row) * half).sum(axis=1) for row in _compute_axes(turn)], axis=1)


def to_box_frame(boxes: Boxes, item: Indices, frame: Indices) -> tuple[Floats, Floats]:
    """Return the centres of ``item`` in the axes of ``frame``'s boxes: across (x) and along (y)."""
    offset = boxes.centre[item, :2] - boxes.centre[frame, :2]
    cos, sin = boxes.cos[frame], boxes.sin[frame]
    return (cos * offset[:, 0] + sin * offset[:, 1], cos * offset[:, 1] - sin * offset[:, 0])


def measure_depth(boxes: Boxes, item: Indices, around: Indices) -> Floats:
    """Measure how far (m) the centres of ``item`` are within the footprints of ``around``.

    It is the distance to the nearest side of the footprint; negative outside it.
    """
    across, along = to_box_frame(boxes, item, around)
    depth: Floats = np.minimum(
        boxes.half[around, 0] - np.abs(across), boxes.half[around, 1] - np.abs(along)
    )
    return depth


def measure_core_depth(
    boxes: Boxes, item: Indices, around: Indices, core: float, *, upward: bool = True
) -> Floats:
    """Measure how far (m) boxes, shrunk about their centres to a share ``core``, are within others.

    Least distance of the shrunk box to a side of the other one, of the sides only unless
    ``upward``; negative where it sticks out.
    """
    inner, outer = boxes.half[item] * core, boxes.half[around]
    rise = np.abs(boxes.centre[item, 2] - boxes.centre[around, 2])
    across, along = to_box_frame(boxes, item, around)
    # |cos| and |sin| of the angle between the two
    cos = np.abs(boxes.cos[item] * boxes.cos[around] + boxes.sin[item] * boxes.sin[around])
    sin = np.abs(boxes.sin[item] * boxes.cos[around] - boxes.cos[item] * boxes.sin[around])
    depth: Floats = np.minimum(
        outer[:, 0] - (np.abs(across) + cos * inner[:, 0] + sin * inner[:, 1]),
        outer[:, 1] - (np.abs(along) + sin * inner[:, 0] + cos * inner[:, 1]),
    )
    return np.minimum(depth, outer[:, 2] - (rise + inner[:, 2])) if upward else depth
