# SPDX-License-Identifier: Apache-2.0
"""Transforms scenes and changes from other frames into the scene graph's frame.

Transforms come from tf2 (if installed) and from the parameter ``static_transforms``. An unknown
frame is refused.
"""

from __future__ import annotations

import math
import shlex
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.time import Time as ClockTime

from fcp_ros.foundation.yaml_text import load_yaml
from fcp_ros.nodes.runtime.lifecycle import TransitionsNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec
from fcp_ros.nodes.runtime.rclpy_repairs import spin_until
from fcp_ros.scene.graph.elements import Quaternion, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import (
    IDENTITY,
    FrameLink,
    FrameTree,
    Transform,
    from_euler,
    move_node,
    normalise,
    require_unit,
)

# --- sources of transforms between frames ---


@dataclass(frozen=True)
class FoundTransform:
    """A transform from a frame to the graph's."""

    transform: Transform
    note: str = ""  # The assumption behind it, as one sentence; "" for none

    def move(self, nodes: Iterable[SceneNode]) -> tuple[SceneNode, ...]:
        """Return nodes with their coordinates transformed.

        Raises SceneError if a room's outline would be tilted.
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
        found = self._tree.between(source, target)
        return None if found is None else FoundTransform(found)

    def list_frames(self) -> tuple[str, ...]:
        return self._tree.frames

    def close(self) -> None:
        """Do nothing."""


STOP_TIMEOUT = 5.0
"""Seconds to wait for the listener's thread at the end."""

FIRST_WAIT = 2.0
"""Seconds to wait for the first transform, since publishers must be discovered."""


def tf2_is_installed() -> bool:
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
    does not keep out what it waits for. `node`: the node whose namespace and ROS context the
    listener has. `timeout`: longest wait for the transform at a given time (s).
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
        frames = load_yaml(self._listen()[0].all_frames_as_yaml())
        table = frames if isinstance(frames, dict) else {}
        parents = {str(entry["parent"]) for entry in table.values()}
        return tuple(sorted(parents | {str(frame) for frame in table}))

    def close(self) -> None:
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
    """A listener of tf2 with a node, an executor and a thread of its own."""

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


# --- transforms scenes and changes from other frames into the scene graph's frame ---

# --- the parameter ``static_transforms`` ---
#
# Each text holds the arguments of one ``static_transform_publisher`` of tf2_ros, so that a line of
# a launch file can be copied.

EXAMPLE = "--frame-id map --child-frame-id odom --x 1.5 --yaw 0.3"
_FRAMES = ("frame-id", "child-frame-id")
_ANGLES = ("roll", "pitch", "yaw")
_QUATERNION = ("qx", "qy", "qz", "qw")
_NUMBERS = ("x", "y", "z", *_ANGLES, *_QUATERNION)


def parse_static_transform(text: str) -> FrameLink:
    """Parse one transform.

    `text`: such as `EXAMPLE`: ``--x --y --z`` (m), then either ``--roll --pitch --yaw`` (rad) or
    ``--qx --qy --qz --qw``; what is left out is 0 (a quaternion is given whole). Raises ValueError
    if it is wrong; the sentence says what.
    """
    values = _split_arguments(text)
    for name in _FRAMES:
        if not normalise_frame(values.get(name, "")):
            raise ValueError(f"{text!r} has no --{name}: write it like {EXAMPLE!r}")
    numbers = {name: _parse_number(text, name, values[name]) for name in _NUMBERS if name in values}
    translation = (numbers.get("x", 0.0), numbers.get("y", 0.0), numbers.get("z", 0.0))
    return FrameLink(
        normalise_frame(values["frame-id"]),
        normalise_frame(values["child-frame-id"]),
        Transform(translation, _parse_rotation(text, numbers)),
    )


def parse_static_transforms(texts: Iterable[str]) -> tuple[FrameLink, ...]:
    """Parse all texts but empty ones.

    Raises ValueError if one is wrong, or a frame has two parents, or frames form a cycle.
    """
    links = tuple(parse_static_transform(text) for text in texts if text.strip())
    FrameTree(links)
    return links


def normalise_frame(frame_id: str) -> str:
    """Return a frame id in the form of tf2, without the leading slash of ROS 1."""
    return frame_id.strip().lstrip("/")


def _split_arguments(text: str) -> dict[str, str]:
    words = shlex.split(text)
    values: dict[str, str] = {}
    for name, value in zip(words[::2], words[1::2], strict=False):
        key = name.removeprefix("--")
        if key == name or key not in (*_FRAMES, *_NUMBERS):
            raise ValueError(f"{text!r} has the argument {name!r}: write it like {EXAMPLE!r}")
        if key in values:
            raise ValueError(f"{text!r} has {name} twice: remove one of them")
        values[key] = value
    if len(words) % 2:
        raise ValueError(f"{text!r} has no value for {words[-1]!r}")
    return values


def _parse_number(text: str, name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{text!r} has {value!r} for --{name}: give a finite number")
    return number


def _parse_rotation(text: str, numbers: dict[str, float]) -> Quaternion:
    if not any(name in numbers for name in _QUATERNION):
        roll, pitch, yaw = (numbers.get(name, 0.0) for name in _ANGLES)
        return from_euler(roll, pitch, yaw)
    if any(name in numbers for name in _ANGLES):
        raise ValueError(f"{text!r} has angles and a quaternion: give one of the two")
    if not all(name in numbers for name in _QUATERNION):
        raise ValueError(f"{text!r} has only a part of the quaternion --qx --qy --qz --qw")
    qx, qy, qz, qw = (numbers[name] for name in _QUATERNION)
    return require_unit((qx, qy, qz, qw), repr(text))


# --- scenes and changes transformed from other frames into the scene graph's ---


def _check_frame(frame_id: str) -> None:
    if not normalise_frame(frame_id):
        raise ValueError('a scene graph needs a frame: give one such as "map"')


PARAMETERS = (
    ParameterSpec(
        "frame_id",
        "map",
        "Frame of the scene graph; what comes in another one is transformed into it.",
        check=_check_frame,
    ),
    ParameterSpec(
        "static_transforms",
        [""],
        "Transforms beside those of tf2 (or instead, where tf2 is missing), each as the arguments "
        f'of a static_transform_publisher: "{EXAMPLE}".',
        check=parse_static_transform,
    ),
    ParameterSpec(
        "transform_timeout",
        0.2,
        "Longest wait for the transform at a message's time; then the newest is taken, with a "
        "note [s].",
        minimum=0.0,
        maximum=10.0,
    ),
)


class Frames:
    """The graph's frame, and the transforms into it.

    `advice`: what to do about an unknown frame, one sentence.
    """

    def __init__(self, frame_id: str, source: TransformSource, advice: str) -> None:
        self.frame_id = normalise_frame(frame_id)
        self._source = source
        self._advice = advice

    def find_transform(self, frame_id: str, stamp: Time, topic: str) -> FoundTransform:
        """Find the transform from a frame to the graph's.

        Raises SceneError if the frame is unknown.

        Args:
            frame_id: The frame; "" is the graph's own.
            stamp: Time of the transform; zero for the newest.
            topic: Topic of the coordinates, for the error.
        """
        frame = normalise_frame(frame_id)
        if frame in ("", self.frame_id):
            return FoundTransform(IDENTITY)
        found = self._source.find(frame, self.frame_id, stamp)
        if found is None:
            known = ", ".join(self._source.list_frames()) or "none"
            raise SceneError(
                f"it is in the frame {frame!r}, and no transform from there to the graph's frame "
                f"{self.frame_id!r} is known (known frames: {known})",
                source=topic,
                advice=self._advice,
            )
        return found

    def transform_graph(self, graph: SceneGraph, stamp: Time) -> SceneGraph:
        """Transform a whole graph into the graph's frame; notes say what was assumed.

        Raises SceneError if its frame is unknown, or a room's outline would be tilted.
        """
        found = self.find_transform(graph.frame_id, stamp, graph.source)
        if graph.frame_id == self.frame_id:
            return graph
        nodes = {node.id: node for node in found.move(graph.nodes.values())}
        moved = replace(graph, nodes=nodes, frame_id=self.frame_id)
        return moved.with_added_notes([found.note] if found.note else [])

    def close(self) -> None:
        self._source.close()


def make_frames(node: TransitionsNode) -> Frames:
    """Make the frames that a node's parameters (`PARAMETERS`) describe.

    Raises ValueError if the static transforms contradict each other.
    """
    links = parse_static_transforms(node.parameters.texts("static_transforms"))
    frame_id = node.parameters.text("frame_id")
    if not tf2_is_installed():
        advice = (
            "Name that transform in the parameter static_transforms, or install tf2_ros, which is "
            "missing here."
        )
        return Frames(frame_id, StaticTransforms(links), advice)
    source = Tf2Transforms(node, links, node.parameters.number("transform_timeout"))
    advice = "Publish that transform on /tf, or name it in the parameter static_transforms."
    return Frames(frame_id, source, advice)
