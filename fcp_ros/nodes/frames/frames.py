# SPDX-License-Identifier: Apache-2.0
"""Transforms scenes and changes from other frames into the scene graph's frame.

Transforms come from tf2 (if installed) and from the parameter ``static_transforms``. An unknown
frame is refused.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable
from dataclasses import replace

from builtin_interfaces.msg import Time

from fcp_ros.nodes.frames.sources import (
    FoundTransform,
    StaticTransforms,
    Tf2Transforms,
    TransformSource,
    tf2_is_installed,
)
from fcp_ros.nodes.runtime.lifecycle import TransitionsNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec
from fcp_ros.scene.graph.elements import Quaternion, SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import (
    IDENTITY,
    FrameLink,
    FrameTree,
    Transform,
    from_euler,
    require_unit,
)

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

    Args:
        text: Such as `EXAMPLE`: ``--x --y --z`` (m), then either ``--roll --pitch --yaw`` (rad) or
            ``--qx --qy --qz --qw``; what is left out is 0 (a quaternion is given whole).

    Raises:
        ValueError: It is wrong; the sentence says what.
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

    Raises:
        ValueError: One is wrong, or a frame has two parents, or frames form a cycle.
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

    Args:
        frame_id: Frame of the scene graph.
        source: Source of the transforms.
        advice: What to do about an unknown frame, one sentence.
    """

    def __init__(self, frame_id: str, source: TransformSource, advice: str) -> None:
        self.frame_id = normalise_frame(frame_id)
        self._source = source
        self._advice = advice

    def find_transform(self, frame_id: str, stamp: Time, topic: str) -> FoundTransform:
        """Find the transform from a frame to the graph's.

        Args:
            frame_id: The frame; "" is the graph's own.
            stamp: Time of the transform; zero for the newest.
            topic: Topic of the coordinates, for the error.

        Raises:
            SceneError: The frame is unknown.
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

        Raises:
            SceneError: Its frame is unknown, or a room's outline would be tilted.
        """
        found = self.find_transform(graph.frame_id, stamp, graph.source)
        if graph.frame_id == self.frame_id:
            return graph
        nodes = {node.id: node for node in found.move(graph.nodes.values())}
        moved = replace(graph, nodes=nodes, frame_id=self.frame_id)
        return moved.with_added_notes([found.note] if found.note else [])

    def close(self) -> None:
        """Stop listening."""
        self._source.close()


def make_frames(node: TransitionsNode) -> Frames:
    """Make the frames that a node's parameters (`PARAMETERS`) describe.

    Raises:
        ValueError: The static transforms contradict each other.
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
