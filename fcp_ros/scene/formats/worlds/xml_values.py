# SPDX-License-Identifier: Apache-2.0
"""Numbers and poses in the XML of worlds."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

import numpy as np

from fcp_ros.scene.formats.geometry import Floats
from fcp_ros.scene.graph.elements import FARTHEST, SceneError


def read_numbers(text: str | None, count: int, where: str, default: Sequence[float] = ()) -> Floats:
    """Read as many numbers as asked for; a missing text is the default.

    Raises:
        SceneError: There are others, or they are not finite or too large.
    """
    if text is None or not text.strip():
        text = " ".join(map(str, default))
    try:
        numbers = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(abs(number) <= FARTHEST for number in numbers):
        raise SceneError(
            f"{text[:60]!r} stands where {count} numbers belong",
            element=where,
            advice="Correct it, or export the world again.",
        )
    return np.array(numbers, dtype=np.float64)


def turn_by_quaternion(quaternion: Sequence[float] | Floats) -> Floats:
    """Return the rotation matrix (3, 3) of a quaternion x, y, z, w of any length but 0."""
    from scipy.spatial.transform import Rotation  # takes tenths of a second

    matrix: Floats = Rotation.from_quat(quaternion).as_matrix()
    return matrix


def turn_by_angles(angles: Sequence[float] | Floats, degrees: bool) -> Floats:
    """Return the rotation matrix (3, 3) of angles about fixed x, y, z, in this order."""
    from scipy.spatial.transform import Rotation

    matrix: Floats = Rotation.from_euler("xyz", angles, degrees=degrees).as_matrix()
    return matrix


def make_matrix(position: Sequence[float] | Floats, turn: Floats) -> Floats:
    """Return the matrix (4, 4) of a place (m) and a rotation (3, 3)."""
    matrix = np.eye(4)
    matrix[:3, :3] = turn
    matrix[:3, 3] = position
    return matrix


def find_text(element: Element, path: str) -> str:
    """Return the text of the first element at a path, without space around it; empty without."""
    return (element.findtext(path) or "").strip()
