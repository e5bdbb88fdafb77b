# SPDX-License-Identifier: Apache-2.0
"""The part of tf2_ros's interface that fcp_ros uses, for environments where tf2_ros is missing.

ROS 2 as wheels has no tf2. What tests see through this is real: messages on ``/tf`` and
``/tf_static``, the listener's node, its thread, and the waits. Where tf2_ros is installed, it is
used instead.
"""

from __future__ import annotations

import threading
import time as clock
from bisect import bisect_left
from collections.abc import Iterator

import yaml
from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from scipy.spatial.transform import Rotation, Slerp
from tf2_msgs.msg import TFMessage

from fcp_ros.scene.graph.transforms import FrameLink, FrameTree, Transform

AT_ONCE = Duration()

CACHE = 10 * 10**9
"""Nanoseconds for which transforms are kept."""


class LookupException(Exception):
    """There is no such transform."""


class Buffer:
    """Transforms of the last seconds, interpolated between the times at which they came."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._links: dict[str, list[tuple[int, FrameLink]]] = {}  # by child; a static one at -1

    def set_transform(self, transform: TransformStamped, _authority: str) -> None:
        """Add a transform at its time."""
        self._put(transform, Time.from_msg(transform.header.stamp).nanoseconds)

    def set_transform_static(self, transform: TransformStamped, _authority: str) -> None:
        """Add a transform that always holds."""
        self._put(transform, -1)

    def can_transform(
        self, target: str, source: str, time: Time, timeout: Duration = AT_ONCE
    ) -> bool:
        """Return True if there is a transform; wait for it, in the caller's thread."""
        end = clock.monotonic() + timeout.nanoseconds / 1e9
        while self._find(target, source, time.nanoseconds) is None:
            if clock.monotonic() >= end:
                return False
            clock.sleep(0.02)
        return True

    def lookup_transform(self, target: str, source: str, time: Time) -> TransformStamped:
        """Return the transform at a time; at zero, the newest that all its parts have."""
        found = self._find(target, source, time.nanoseconds)
        if found is None:
            raise LookupException(f"no transform from {source} to {target}")
        transform, at = found
        message = TransformStamped(child_frame_id=source)
        message.header.frame_id, message.header.stamp = target, Time(nanoseconds=at).to_msg()
        move, turn = message.transform.translation, message.transform.rotation
        move.x, move.y, move.z = transform.translation
        turn.x, turn.y, turn.z, turn.w = transform.rotation
        return message

    def all_frames_as_yaml(self) -> str:
        """Return all children, with their parents."""
        with self._lock:
            return yaml.safe_dump(
                {child: {"parent": links[-1][1].parent} for child, links in self._links.items()}
            )

    def _put(self, message: TransformStamped, at: int) -> None:
        move, turn = message.transform.translation, message.transform.rotation
        link = FrameLink(
            message.header.frame_id,
            message.child_frame_id,
            Transform((move.x, move.y, move.z), (turn.x, turn.y, turn.z, turn.w)),
        )
        with self._lock:
            kept = [one for one in self._links.get(link.child, ()) if at - one[0] <= CACHE]
            kept = [one for one in kept if one[0] not in (at, -1)]
            self._links[link.child] = sorted([*kept, (at, link)], key=lambda one: one[0])

    def _find(self, target: str, source: str, at: int) -> tuple[Transform, int] | None:
        with self._lock:
            path = set(self._list_above(target)) ^ set(self._list_above(source))
            moving = [self._links[child] for child in path if self._links[child][-1][0] >= 0]
            if at == 0:
                at = min((links[-1][0] for links in moving), default=0)
            found = [_interpolate(self._links[child], at) for child in path]
        links = [link for link in found if link is not None]
        if len(links) < len(found):
            return None
        between = FrameTree(links).between(source, target)
        return None if between is None else (between, at)

    def _list_above(self, frame: str) -> Iterator[str]:
        """Yield a frame and those above it, but the root, which is nobody's child."""
        while frame in self._links:
            yield frame
            frame = self._links[frame][-1][1].parent


def _interpolate(links: list[tuple[int, FrameLink]], at: int) -> FrameLink | None:
    times = [time for time, _ in links]
    if times[-1] < 0:
        return links[-1][1]
    if not times[0] <= at <= times[-1]:
        return None
    after = bisect_left(times, at)
    later = links[after][1]
    if times[after] == at:
        return later
    earlier = links[after - 1][1].transform
    share = (at - times[after - 1]) / (times[after] - times[after - 1])
    ends = zip(earlier.translation, later.transform.translation, strict=True)
    x, y, z = (a + share * (b - a) for a, b in ends)
    turns = Rotation.from_quat([earlier.rotation, later.transform.rotation])
    turn = tuple(Slerp([0.0, 1.0], turns)(share).as_quat())
    return FrameLink(later.parent, later.child, Transform((x, y, z), turn))


class TransformListener:
    """Puts what is sent on ``/tf`` and ``/tf_static`` into a buffer, by the executor of a node."""

    def __init__(self, buffer: Buffer, node: Node) -> None:
        group = ReentrantCallbackGroup()
        latched = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._node = node
        self._subscriptions = [
            node.create_subscription(
                TFMessage,
                topic,
                lambda message, put=put: [put(one, "") for one in message.transforms],
                qos,
                callback_group=group,
            )
            for topic, put, qos in (
                ("/tf", buffer.set_transform, QoSProfile(depth=100)),
                ("/tf_static", buffer.set_transform_static, latched),
            )
        ]

    def unregister(self) -> None:
        """Stop listening."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
