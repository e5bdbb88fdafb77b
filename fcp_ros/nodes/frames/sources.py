# SPDX-License-Identifier: Apache-2.0
"""Sources of transforms between frames: the parameter alone, or tf2 if tf2_ros is installed."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.time import Time as ClockTime

from fcp_ros.foundation.yaml_text import load_yaml
from fcp_ros.nodes.runtime.rclpy_repairs import spin_until
from fcp_ros.scene.graph.elements import SceneNode
from fcp_ros.scene.graph.transforms import (
    IDENTITY,
    FrameLink,
    FrameTree,
    Transform,
    move_node,
    normalise,
)


@dataclass(frozen=True)
class FoundTransform:
    """A transform from a frame to the graph's.

    Attributes:
        transform: The transform.
        note: The assumption behind it, as one sentence; "" for none.
    """

    transform: Transform
    note: str = ""

    def move(self, nodes: Iterable[SceneNode]) -> tuple[SceneNode, ...]:
        """Return nodes with their coordinates transformed.

        Raises:
            SceneError: A room's outline would be tilted.
        """
        if self.transform == IDENTITY:
            return tuple(nodes)
        return tuple(move_node(node, self.transform) for node in nodes)


class TransformSource(Protocol):
    """A source of transforms between frames."""

    def find(self, source: str, target: str, stamp: Time) -> FoundTransform | None:
        """Return the transform from `source` to `target` at a time; None if unknown."""

    def list_frames(self) -> tuple[str, ...]:
        """List all known frames."""

    def close(self) -> None:
        """Stop listening."""


class StaticTransforms:
    """The transforms of the parameter alone; they never change."""

    def __init__(self, links: Iterable[FrameLink]) -> None:
        self._tree = FrameTree(links)

    def find(self, source: str, target: str, stamp: Time) -> FoundTransform | None:
        """Return the transform; the time does not matter."""
        found = self._tree.between(source, target)
        return None if found is None else FoundTransform(found)

    def list_frames(self) -> tuple[str, ...]:
        """List the frames of the parameter."""
        return self._tree.frames

    def close(self) -> None:
        """Do nothing."""


STOP_TIMEOUT = 5.0
"""Seconds to wait for the listener's thread at the end."""

FIRST_WAIT = 2.0
"""Seconds to wait for the first transform, since publishers must be discovered."""


def tf2_is_installed() -> bool:
    """Return True if tf2_ros can be imported."""
    try:
        import tf2_ros  # noqa: F401
    except ImportError:
        return False
    return True


class Tf2Transforms:
    """The transforms on ``/tf`` and ``/tf_static``, and those of the parameter.

    It begins to listen on the first request: following ``/tf`` costs a Python node a good part of a
    core, needlessly if everything is sent in the graph's frame. It listens on a node and in a
    thread of its own: whoever waits, even in a callback of the only thread of the graph's executor,
    does not keep out what it waits for.

    Args:
        node: The node whose namespace and ROS context the listener has.
        links: The parameter's transforms.
        timeout: Longest wait for the transform at a given time (s).
    """

    def __init__(self, node: Node, links: Iterable[FrameLink], timeout: float) -> None:
        self._node = node
        self._links = tuple(links)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._buffer: Any = None
        self._listener: _ListenerThread | None = None

    def find(self, source: str, target: str, stamp: Time) -> FoundTransform | None:
        """Return the transform at a time; the newest, with a note, if that one does not come."""
        buffer, wait = self._listen()
        # A time before 1970 is a sender's mistake, and rclpy has none.
        at, newest = ClockTime.from_msg(stamp) if stamp.sec >= 0 else ClockTime(), ClockTime()
        if buffer.can_transform(target, source, at, Duration(seconds=wait)):
            return FoundTransform(self._look_up(buffer, source, target, at)[0])
        if not buffer.can_transform(target, source, newest):
            return None
        transform, made = self._look_up(buffer, source, target, newest)
        late = (at.nanoseconds - made.nanoseconds) / 1e9
        note = (
            f"the transform from {source} to {target} at the time of the message is unknown: the "
            f"newest was taken, {abs(late):.2f} s {'older' if late > 0 else 'younger'}"
        )
        return FoundTransform(transform, note)

    def list_frames(self) -> tuple[str, ...]:
        """List all frames that have come so far."""
        frames = load_yaml(self._listen()[0].all_frames_as_yaml())
        table = frames if isinstance(frames, dict) else {}
        parents = {str(entry["parent"]) for entry in table.values()}
        return tuple(sorted(parents | {str(frame) for frame in table}))

    def close(self) -> None:
        """Stop listening."""
        with self._lock:
            listener, self._listener, self._buffer = self._listener, None, None
        if listener is not None:
            listener.close()

    def _listen(self) -> tuple[Any, float]:
        """Return the buffer, and the longest wait for a transform this time (s)."""
        import tf2_ros

        with self._lock:
            if self._buffer is not None:
                return self._buffer, self._timeout
            self._buffer = tf2_ros.Buffer()
            for link in self._links:
                self._buffer.set_transform_static(_to_message(link), "static_transforms")
            self._listener = _ListenerThread(self._buffer, self._node)
            return self._buffer, max(FIRST_WAIT, self._timeout)

    def _look_up(
        self, buffer: Any, source: str, target: str, at: ClockTime
    ) -> tuple[Transform, ClockTime]:
        found = buffer.lookup_transform(target, source, at)
        move, turn = found.transform.translation, found.transform.rotation
        transform = Transform((move.x, move.y, move.z), normalise((turn.x, turn.y, turn.z, turn.w)))
        return transform, ClockTime.from_msg(found.header.stamp)


class _ListenerThread:
    """A listener of tf2 with a node, an executor and a thread of its own.

    Args:
        buffer: Gets the transforms.
        owner: The node that they are for.
    """

    def __init__(self, buffer: Any, owner: Node) -> None:
        import tf2_ros

        name = f"{owner.get_name()}_transforms"
        self._node = Node(
            name,
            context=owner.context,
            namespace=owner.get_namespace(),
            # Before the command line, which may rename the node that it is meant for.
            cli_args=["--ros-args", "--remap", f"__node:={name}"],
            enable_rosout=False,
            start_parameter_services=False,
        )
        self._listener = tf2_ros.TransformListener(buffer, self._node)
        self._executor = SingleThreadedExecutor(context=owner.context)
        self._executor.add_node(self._node)
        self._stopping = threading.Event()
        self._thread = threading.Thread(
            target=spin_until,
            args=(self._stopping, self._executor, owner.context),
            name=name,
            daemon=True,
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._stopping.set()
        self._executor.create_task(lambda: None)  # wakes it
        self._thread.join(STOP_TIMEOUT)
        self._executor.shutdown(timeout_sec=STOP_TIMEOUT)
        self._listener.unregister()
        self._node.destroy_node()


def _to_message(link: FrameLink) -> TransformStamped:
    message = TransformStamped(child_frame_id=link.child)
    message.header.frame_id = link.parent
    move, turn = message.transform.translation, message.transform.rotation
    move.x, move.y, move.z = link.transform.translation
    turn.x, turn.y, turn.z, turn.w = link.transform.rotation
    return message
