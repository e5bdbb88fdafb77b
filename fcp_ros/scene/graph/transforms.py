# SPDX-License-Identifier: Apache-2.0
"""Rigid transforms between coordinate frames, trees of static frames, and nodes moved by them.

Plain mathematics without ROS. As in tf2, the transform of a child frame in its parent turns and
moves coordinates of the child into coordinates of the parent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from fcp_ros.scene.graph.checks import UNIT_TOLERANCE
from fcp_ros.scene.graph.elements import Pose, Quaternion, SceneError, SceneNode, Vector

TILT = 0.01  # Greatest tilt of a floor outline (sine of the angle): outlines are level


@dataclass(frozen=True, slots=True)
class Transform:
    """A rotation (unit quaternion x, y, z, w), then a translation (m)."""

    translation: Vector = (0.0, 0.0, 0.0)
    rotation: Quaternion = (0.0, 0.0, 0.0, 1.0)

    def __matmul__(self, first: Transform) -> Transform:
        """Return ``first`` followed by this transform: (a from b) @ (b from c) = a from c."""
        return Transform(
            self.transform_point(first.translation), multiply(self.rotation, first.rotation)
        )

    def inverse(self) -> Transform:
        x, y, z, w = self.rotation
        back: Quaternion = (-x, -y, -z, w)
        rx, ry, rz = rotate(back, self.translation)
        return Transform((-rx, -ry, -rz), back)

    def transform_point(self, point: Vector) -> Vector:
        """Return a point (m) in the other frame."""
        x, y, z = rotate(self.rotation, point)
        dx, dy, dz = self.translation
        return x + dx, y + dy, z + dz

    def transform_pose(self, pose: Pose) -> Pose:
        orientation = multiply(self.rotation, pose.orientation)
        return Pose(self.transform_point(pose.position), orientation)

    @property
    def tilt(self) -> float:
        """Sine of the angle between the z axes of the two frames."""
        x, y, _ = rotate(self.rotation, (0.0, 0.0, 1.0))
        return math.hypot(x, y)

    @property
    def is_upright(self) -> bool:
        """True if the z axis stays upright; upside down has no tilt either, but is not upright."""
        return self.tilt <= TILT and rotate(self.rotation, (0.0, 0.0, 1.0))[2] > 0.0


IDENTITY = Transform()


def multiply(first: Quaternion, second: Quaternion) -> Quaternion:
    """Return the rotation ``second`` followed by ``first`` (product of quaternions x, y, z, w)."""
    ax, ay, az, aw = first
    bx, by, bz, bw = second
    return normalise(
        (
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        )
    )


def rotate(rotation: Quaternion, point: Vector) -> Vector:
    x, y, z, w = rotation
    px, py, pz = point
    # t = 2 q x p; p + w t + q x t
    tx, ty, tz = 2.0 * (y * pz - z * py), 2.0 * (z * px - x * pz), 2.0 * (x * py - y * px)
    return (
        px + w * tx + y * tz - z * ty,
        py + w * ty + z * tx - x * tz,
        pz + w * tz + x * ty - y * tx,
    )


def normalise(rotation: Quaternion) -> Quaternion:
    """Scale a quaternion to length 1, so that rounding errors don't add up along a chain."""
    length = math.sqrt(sum(part * part for part in rotation))
    x, y, z, w = rotation
    return x / length, y / length, z / length, w / length


def require_unit(rotation: Quaternion, what: str) -> Quaternion:
    """Check that a quaternion (x, y, z, w) is about 1 long (else ValueError), and normalise it."""
    length = math.sqrt(sum(part * part for part in rotation))
    if not abs(length - 1.0) <= UNIT_TOLERANCE:  # also NaN
        raise ValueError(
            f"the rotation of {what} is {rotation}, of length {length:.3g}: write a unit "
            "quaternion x, y, z, w"
        )
    return normalise(rotation)


def measure_turn(first: Quaternion, second: Quaternion) -> float:
    """Return the angle (rad) of the rotation from one unit quaternion to another."""
    x, y, z, w = first
    dx, dy, dz, dw = multiply((-x, -y, -z, w), second)
    # By atan2, since acos loses half of the digits for small angles.
    return 2.0 * math.atan2(math.hypot(dx, dy, dz), abs(dw))


def from_euler(x: float, y: float, z: float, *, order: str = "xyz") -> Quaternion:
    """Return the rotation about fixed axes (rad), one after the other; as in URDF and tf2."""
    turn: Quaternion = (0.0, 0.0, 0.0, 1.0)
    for axis in order:
        at = "xyz".index(axis)
        if half := (x, y, z)[at] / 2.0:  # a yaw alone stays exact
            sine = math.sin(half)
            own = (sine * (at == 0), sine * (at == 1), sine * (at == 2), math.cos(half))
            turn = own if turn == (0.0, 0.0, 0.0, 1.0) else multiply(own, turn)
    return turn


@dataclass(frozen=True, slots=True)
class FrameLink:
    """A child frame in its parent."""

    parent: str
    child: str
    transform: Transform


class FrameTree:
    """Frames that don't move relative to each other; several trees are possible.

    Raises ValueError if a frame has two parents, is its own, or frames form a cycle.
    """

    def __init__(self, links: Iterable[FrameLink]) -> None:
        self._parents: dict[str, FrameLink] = {}
        for link in links:
            if link.child in self._parents:
                other = self._parents[link.child].parent
                raise ValueError(
                    f"the frame {link.child!r} has two parents, {other!r} and {link.parent!r}: "
                    "remove one of them"
                )
            self._parents[link.child] = link
        for frame in self._parents:
            self._to_root(frame)

    @property
    def frames(self) -> tuple[str, ...]:
        parents = {link.parent for link in self._parents.values()}
        return tuple(sorted(parents | set(self._parents)))

    def between(self, source: str, target: str) -> Transform | None:
        """Return the transform from ``source`` to ``target``; None across trees."""
        if source == target:
            return IDENTITY
        up, down = self._to_root(source), self._to_root(target)
        for frame, to_common in up.items():
            if frame in down:
                return down[frame].inverse() @ to_common
        return None

    def _to_root(self, frame: str) -> dict[str, Transform]:
        """Collect a frame and its ancestors upward, each with the transform into it."""
        chain = {frame: IDENTITY}
        while link := self._parents.get(frame):
            if link.parent in chain:
                raise ValueError(
                    f"the frames {', '.join(sorted(chain))} form a cycle: remove one of them"
                )
            chain[link.parent] = link.transform @ chain[frame]
            frame = link.parent
        return chain


def move_node(node: SceneNode, transform: Transform) -> SceneNode:
    """Return a node in another frame; SceneError if its outline, without heights, would tilt."""
    if transform == IDENTITY:
        return node
    pose = None if node.pose is None else transform.transform_pose(node.pose)
    if not node.polygon:
        return node if pose is None else replace(node, pose=pose)
    if not transform.is_upright:
        raise SceneError(
            "its outline would not be level in the graph's frame",
            element=node.id,
            advice="Send rooms in a frame whose z axis points up, such as map or odom.",
        )
    level = 0.0 if node.pose is None else node.pose.position[2]
    corners = (transform.transform_point((x, y, level)) for x, y in node.polygon)
    return replace(node, pose=pose, polygon=tuple((x, y) for x, y, _ in corners))
