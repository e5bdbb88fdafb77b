# SPDX-License-Identifier: Apache-2.0
"""Oriented boxes as arrays, from which the relations of all things are computed at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import SceneNode
from fcp_ros.scene.graph.roles import stands_on_legs

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]

EDGE = 1e-6
"""Slack (m) of containment: files store 32-bit numbers."""

TILT = 0.17
"""Boxes tilted by more than this (about 10 degrees, as a sine) are replaced by upright ones."""


@dataclass(frozen=True)
class Boxes:
    """n boxes that stand upright.

    Attributes:
        ids: Node ids, n.
        centre: Shape (n, 3), metres.
        half: Half extents along the box's own axes, shape (n, 3), metres.
        cos: Cosine of the box's yaw, shape (n,).
        sin: Sine of the box's yaw, shape (n,).
        legs: True for a box that is open below, such as a table's, shape (n,).
    """

    ids: Sequence[str]
    centre: Floats
    half: Floats
    cos: Floats
    sin: Floats
    legs: Flags

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
        cos, sin = np.abs(self.cos), np.abs(self.sin)
        x = cos * self.half[:, 0] + sin * self.half[:, 1]
        y = sin * self.half[:, 0] + cos * self.half[:, 1]
        return np.stack((x, y), axis=1)

    def bounds(self, margin: float = EDGE) -> tuple[Floats, Floats]:
        """Return the least and greatest x and y of the footprints, widened by a margin (m).

        Returns:
            Two arrays of shape (n, 2).
        """
        # Far from the origin, floats are coarser than the margin: add one step between floats.
        reach = self.reach + margin + np.spacing(np.abs(self.centre[:, :2]))
        return self.centre[:, :2] - reach, self.centre[:, :2] + reach

    def take(self, which: Indices) -> Boxes:
        """Return the boxes with these numbers."""
        return Boxes(
            [self.ids[number] for number in which.tolist()],
            self.centre[which],
            self.half[which],
            self.cos[which],
            self.sin[which],
            self.legs[which],
        )


def build_boxes(nodes: Iterable[SceneNode]) -> Boxes:
    """Build the boxes of those nodes that have a pose and a size; tilted ones become upright."""
    boxed = [node for node in nodes if node.pose is not None and node.size is not None]
    centre = _to_rows((n.pose.position for n in boxed if n.pose), len(boxed), 3)
    half = _to_rows((n.size for n in boxed if n.size), len(boxed), 3) / 2.0
    turn = _to_rows((n.pose.orientation for n in boxed if n.pose), len(boxed), 4)
    x, y, z, w = turn.T
    cos, sin = 1.0 - 2.0 * (y * y + z * z), 2.0 * (w * z + x * y)
    length = np.sqrt(cos * cos + sin * sin)
    tilted = np.sqrt((2.0 * (x * z + w * y)) ** 2 + (2.0 * (y * z - w * x)) ** 2) > TILT
    upright = tilted | (length < EDGE)
    length[upright] = 1.0
    cos, sin = np.where(upright, 1.0, cos / length), np.where(upright, 0.0, sin / length)
    if upright.any():
        half[upright] = _compute_upright_halves(turn[upright], half[upright])
    legs = np.fromiter((stands_on_legs(n.category) for n in boxed), np.bool_, len(boxed))
    return Boxes(tuple([node.id for node in boxed]), centre, half, cos, sin, legs)


def _to_rows(values: Iterable[tuple[float, ...]], count: int, width: int) -> Floats:
    flat = chain.from_iterable(values)
    return np.fromiter(flat, np.float64, count * width).reshape(count, width)


def _compute_upright_halves(turn: Floats, half: Floats) -> Floats:
    """Compute the half extents of the upright boxes around turned ones."""
    x, y, z, w = (turn / np.sqrt((turn * turn).sum(axis=1))[:, None]).T
    rows = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
        (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    )
    around = [sum(np.abs(part) * half[:, axis] for axis, part in enumerate(row)) for row in rows]
    return np.stack(around, axis=1)


def to_box_frame(boxes: Boxes, item: Indices, frame: Indices) -> tuple[Floats, Floats]:
    """Return the centres of ``item`` in the axes of ``frame``'s boxes: across (x) and along (y)."""
    offset = boxes.centre[item, :2] - boxes.centre[frame, :2]
    cos, sin = boxes.cos[frame], boxes.sin[frame]
    return (
        cos * offset[:, 0] + sin * offset[:, 1],
        cos * offset[:, 1] - sin * offset[:, 0],
    )


def measure_depth(boxes: Boxes, item: Indices, around: Indices) -> Floats:
    """Measure how far (m) the centres of ``item`` are within the footprints of ``around``.

    Returns:
        Distance to the nearest side of the footprint; negative outside it.
    """
    across, along = to_box_frame(boxes, item, around)
    depth: Floats = np.minimum(
        boxes.half[around, 0] - np.abs(across), boxes.half[around, 1] - np.abs(along)
    )
    return depth


def measure_core_depth(boxes: Boxes, item: Indices, around: Indices, core: float) -> Floats:
    """Measure how far (m) boxes, shrunk about their centres to a share ``core``, are within others.

    Returns:
        Least distance of the shrunk box to a side of the other one; negative where it sticks out.
    """
    inner, outer = boxes.half[item] * core, boxes.half[around]
    rise = np.abs(boxes.centre[item, 2] - boxes.centre[around, 2])
    across, along = to_box_frame(boxes, item, around)
    # |cos| and |sin| of the angle between the two
    cos = np.abs(boxes.cos[item] * boxes.cos[around] + boxes.sin[item] * boxes.sin[around])
    sin = np.abs(boxes.sin[item] * boxes.cos[around] - boxes.cos[item] * boxes.sin[around])
    depth: Floats = np.minimum(
        outer[:, 2] - (rise + inner[:, 2]),
        np.minimum(
            outer[:, 0] - (np.abs(across) + cos * inner[:, 0] + sin * inner[:, 1]),
            outer[:, 1] - (np.abs(along) + sin * inner[:, 0] + cos * inner[:, 1]),
        ),
    )
    return depth
