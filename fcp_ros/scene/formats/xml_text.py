# SPDX-License-Identifier: Apache-2.0
"""XML of untrusted files: bounded, without entities; and the numbers and poses in it."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import numpy as np

from fcp_ros.scene.formats.geometry import Floats
from fcp_ros.scene.graph.elements import FARTHEST, SceneError

DEEPEST = 200  # Greatest depth of elements: what walks the tree may recurse
MOST_ELEMENTS = 2_000_000  # Greatest number of elements of a file


class XmlError(Exception):
    """A text that is no XML that a scene needs; the message says why, a clause."""


def parse_xml(content: bytes) -> Element:
    """Parse a whole file; prefixes of namespaces stay part of the names.

    Raises XmlError if it is wrong, declares entities (which may multiply, or name other files), or
    is deeper or larger than any real scene.
    """
    builder, parser = TreeBuilder(), expat.ParserCreate()
    depth = count = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > DEEPEST:
            raise XmlError(f"its elements are nested deeper than {DEEPEST}")
        if count > MOST_ELEMENTS:
            raise XmlError(f"it has more than {MOST_ELEMENTS:,} elements")
        builder.start(name, attributes)

    def finish(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = _refuse_entity
    parser.StartElementHandler, parser.EndElementHandler = begin, finish
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise XmlError(f"its XML is wrong at line {error.lineno}: {reason}") from None
    return builder.close()


def _refuse_entity(*_: object) -> int:
    raise XmlError("its XML declares entities, which scenes have no use for")


# --- numbers and poses in the XML of worlds ---


def read_numbers(text: str | None, count: int, where: str, default: Sequence[float] = ()) -> Floats:
    """Read ``count`` numbers; a missing text is the default; SceneError: others, or too large."""
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
