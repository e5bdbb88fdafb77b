# SPDX-License-Identifier: Apache-2.0
"""The parameter ``static_transforms``.

Each text holds the arguments of one ``static_transform_publisher`` of tf2_ros, so that a line of a
launch file can be copied.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable

from fcp_ros.scene.graph.elements import Quaternion
from fcp_ros.scene.graph.transforms import (
    FrameLink,
    FrameTree,
    Transform,
    from_euler,
    require_unit,
)

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
