# SPDX-License-Identifier: Apache-2.0
"""XML of untrusted files: no entities, no external files, bounded depth and number of elements."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

DEEPEST = 200
"""Greatest depth of elements: what walks the tree may recurse."""

MOST_ELEMENTS = 2_000_000
"""Greatest number of elements of a file."""


class XmlError(Exception):
    """A text that is no XML that a scene needs; the message says why, a clause."""


def parse_xml(content: bytes) -> Element:
    """Parse a whole file; prefixes of namespaces stay part of the names.

    Raises:
        XmlError: It is wrong, declares entities (which may multiply, or name other files), or is
            deeper or larger than any real scene.
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
