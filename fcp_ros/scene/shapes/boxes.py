# SPDX-License-Identifier: Apache-2.0
"""Oriented boxes as arrays, and which rests on or is inside which, computed for all at once.

Definitions (DESIGN section 6; each has a slow obvious twin in the tests):

- a *rests on* b: a's centre is within b's footprint (turned by b's yaw), a's centre is above
  b's, and a's bottom is within the tolerance of b's top. The nearest b below wins, then the
  smaller footprint, then the first.
- a *is inside* b: a's box, shrunk about its centre to ``CORE`` of its extents, lies in b's box,
  and b is larger. The smallest b wins, then the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.graph import SceneNode

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

CORE = 0.8
"""The share of a box's extents that must be within another for "inside"."""

EDGE = 1e-6
"""Slack (m) of containment: files store 32-bit numbers."""

TILT = 0.17
"""Boxes tilted by more than this (about 10 degrees, as a sine) are replaced by upright ones."""

_CHUNK = 512


@dataclass(frozen=True)
class Boxes:
    """n boxes that stand upright.

    Attributes:
        ids: Node ids, n.
        centre: Shape (n, 3), metres.
        half: Half extents along the box's own axes, shape (n, 3), metres.
        yaw: Shape (n,), radians.
    """

    ids: tuple[str, ...]
    centre: Floats
    half: Floats
    yaw: Floats

    @property
    def bottom(self) -> Floats:
        """Height of the undersides, shape (n,)."""
        low: Floats = self.centre[:, 2] - self.half[:, 2]
        return low

    @property
    def top(self) -> Floats:
        """Height of the tops, shape (n,)."""
        high: Floats = self.centre[:, 2] + self.half[:, 2]
        return high

    @property
    def volume(self) -> Floats:
        """Volumes (m3), shape (n,)."""
        volume: Floats = 8.0 * np.prod(self.half, axis=1)
        return volume


def boxes_of(nodes: Iterable[SceneNode]) -> Boxes:
    """The boxes of those nodes that have a pose and a size; tilted ones become upright."""
    boxed = [node for node in nodes if node.pose is not None and node.size is not None]
    count = len(boxed)
    centre = np.array([n.pose.position for n in boxed if n.pose], dtype=np.float64)
    half = np.array([n.size for n in boxed if n.size], dtype=np.float64).reshape(count, 3) / 2.0
    turn = np.array([n.pose.orientation for n in boxed if n.pose], dtype=np.float64)
    x, y, z, w = turn.reshape(count, 4).T
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    tilted = np.hypot(2.0 * (x * z + w * y), 2.0 * (y * z - w * x)) > TILT
    if tilted.any():
        half, yaw = half.copy(), np.where(tilted, 0.0, yaw)
        half[tilted] = _upright_halves(turn[tilted], half[tilted])
    return Boxes(tuple(n.id for n in boxed), centre.reshape(count, 3), half, yaw)


def _upright_halves(turn: Floats, half: Floats) -> Floats:
    """Half extents of the upright boxes around turned ones."""
    from scipy.spatial.transform import Rotation

    matrices = np.abs(Rotation.from_quat(turn).as_matrix())
    around: Floats = np.einsum("nij,nj->ni", matrices, half)
    return around


def supports_below(boxes: Boxes, tolerance: float = 0.05) -> dict[int, int]:
    """Which box each box rests on, by index; boxes that rest on nothing are absent.

    Args:
        boxes: n boxes.
        tolerance: How far (m) a bottom may be from the top below it.
    """
    best: dict[int, tuple[float, float, int]] = {}
    footprint = boxes.half[:, 0] * boxes.half[:, 1]
    bottom, top, height = boxes.bottom, boxes.top, boxes.centre[:, 2]
    for item, support in _centre_in_footprint(boxes):
        gap = np.abs(bottom[item] - top[support])
        rests = (gap <= tolerance) & (height[item] > height[support])
        for a, b, distance in zip(
            item[rests].tolist(), support[rests].tolist(), gap[rests].tolist(), strict=True
        ):
            rank = (distance, float(footprint[b]), b)
            if a not in best or rank < best[a]:
                best[a] = rank
    return {a: rank[2] for a, rank in sorted(best.items())}


def containers_around(boxes: Boxes) -> dict[int, int]:
    """Which box each box is inside of, by index; boxes inside nothing are absent."""
    best: dict[int, tuple[float, int]] = {}
    volume = boxes.volume
    for item, around in _centre_in_footprint(boxes):
        larger = volume[around] > volume[item]
        item, around = item[larger], around[larger]
        held = _core_within(boxes, item, around)
        for a, b in zip(item[held].tolist(), around[held].tolist(), strict=True):
            rank = (float(volume[b]), b)
            if a not in best or rank < best[a]:
                best[a] = rank
    return {a: rank[1] for a, rank in sorted(best.items())}


def _centre_in_footprint(boxes: Boxes) -> Iterator[tuple[Indices, Indices]]:
    """Pairs (a, b), a != b, with a's centre within b's footprint, in chunks of b.

    Both relations need this: a convex box that holds more than half of another holds its centre.
    """
    count = len(boxes.ids)
    if count < 2:
        return
    from scipy.spatial import cKDTree

    tree = cKDTree(boxes.centre[:, :2])
    radius = np.hypot(boxes.half[:, 0], boxes.half[:, 1]) + EDGE
    for start in range(0, count, _CHUNK):
        chunk = np.arange(start, min(start + _CHUNK, count))
        found = tree.query_ball_point(boxes.centre[chunk, :2], radius[chunk])
        lengths = np.fromiter((len(near) for near in found), dtype=np.intp, count=len(chunk))
        item = np.fromiter((a for near in found for a in near), np.intp, int(lengths.sum()))
        support = np.repeat(chunk, lengths)
        across, along = _in_frame_of(boxes, item, support)
        within = (
            (np.abs(across) <= boxes.half[support, 0] + EDGE)
            & (np.abs(along) <= boxes.half[support, 1] + EDGE)
            & (item != support)
        )
        yield item[within], support[within]


def _in_frame_of(boxes: Boxes, item: Indices, frame: Indices) -> tuple[Floats, Floats]:
    """Centres of ``item`` in the axes of ``frame``'s boxes."""
    offset = boxes.centre[item, :2] - boxes.centre[frame, :2]
    cos, sin = np.cos(boxes.yaw[frame]), np.sin(boxes.yaw[frame])
    return (
        cos * offset[:, 0] + sin * offset[:, 1],
        cos * offset[:, 1] - sin * offset[:, 0],
    )


def _core_within(boxes: Boxes, item: Indices, around: Indices) -> NDArray[np.bool_]:
    core = boxes.half[item] * CORE
    outer = boxes.half[around] + EDGE
    rise = np.abs(boxes.centre[item, 2] - boxes.centre[around, 2])
    across, along = _in_frame_of(boxes, item, around)
    turn = boxes.yaw[item] - boxes.yaw[around]
    cos, sin = np.abs(np.cos(turn)), np.abs(np.sin(turn))
    reach_across = np.abs(across) + cos * core[:, 0] + sin * core[:, 1]
    reach_along = np.abs(along) + sin * core[:, 0] + cos * core[:, 1]
    within: NDArray[np.bool_] = (
        (rise + core[:, 2] <= outer[:, 2])
        & (reach_across <= outer[:, 0])
        & (reach_along <= outer[:, 1])
    )
    return within
