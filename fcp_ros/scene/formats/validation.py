# SPDX-License-Identifier: Apache-2.0
"""Checks that readers share: types, errors that name the entry, repeated keys, outlines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fcp_ros.scene.formats.scene_file import SceneFile, Syntax
from fcp_ros.scene.graph.elements import FARTHEST, SceneError, SceneNode
from fcp_ros.scene.shapes.polygons import find_crossing

Coordinate = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-FARTHEST, le=FARTHEST)]
Extent = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0.0, le=FARTHEST)]
Share = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0.0, le=1.0)]
Position = tuple[Coordinate, Coordinate, Coordinate]
Extents = tuple[Extent, Extent, Extent]
Rotation = tuple[Coordinate, Coordinate, Coordinate, Coordinate]
Name = Annotated[str, Field(strict=True, min_length=1)]
Flag = Annotated[bool, Field(strict=True)]
Number = Annotated[int, Field(strict=True)]

_NAMES = ("id", "objectId", "name")
_MAX_PROBLEMS = 5
_Value = TypeVar("_Value")


class ToolModel(BaseModel):
    """The part of a tool's entry that is read; its validator is built at the first document."""

    model_config = ConfigDict(extra="ignore", defer_build=True)


def validate(type_: type[_Value], document: Any, source: str = "", advice: str = "") -> _Value:
    """Return a document as a value of a type; SceneError names the first few wrong entries.

    `loading` adds the file that is read and its reader's advice: pass them for other files only.
    """
    try:
        return TypeAdapter(type_).validate_python(document)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        shown = [
            f"{format_place(problem['loc'], document)}: {problem['msg']}"
            for problem in problems[:_MAX_PROBLEMS]
        ]
        if len(problems) > _MAX_PROBLEMS:
            shown.append(f"and {len(problems) - _MAX_PROBLEMS} more")
        raise SceneError("; ".join(shown), source=source, advice=advice) from None


def refuse_repeated_keys(file: SceneFile) -> None:
    """Raise SceneError if a JSON object has a key twice: a parser silently keeps the last.

    For formats that people write, or whose ids are keys. It takes twice the time of parsing.
    Other syntaxes are left alone: YAML with such keys is not parsed.
    """
    if file.syntax is not Syntax.JSON:
        return

    def build_table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            raise _RepeatedKey
        return table

    try:
        json.loads(file.content.decode("utf-8-sig"), object_pairs_hook=build_table)
    except _RepeatedKey:
        raise SceneError(
            "this key is there twice in one JSON object",
            source=file.name,
            element=_find_repeated_key(file),
        ) from None
    except (ValueError, RecursionError) as error:  # text that only the faster parser reads
        reason = f"its JSON cannot be parsed ({type(error).__name__})"
        raise SceneError(reason, source=file.name) from None


class _RepeatedKey(Exception):
    """An object of the text has a key twice."""


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with all its pairs; a plain list is an array."""


def _find_repeated_key(file: SceneFile) -> str:
    """Return the place of the first key that is there twice, such as ``nodes[3] (mug_1).size``."""
    document = json.loads(file.content.decode("utf-8-sig"), object_pairs_hook=_Pairs)
    waiting: list[tuple[tuple[int | str, ...], Any]] = [((), document)]
    while waiting:
        location, value = waiting.pop()
        entries: Iterable[tuple[int | str, Any]] = ()
        if isinstance(value, _Pairs):
            for key, count in Counter(key for key, _ in value).items():
                if count > 1:
                    return format_place((*location, key), file.document)
            entries = value
        elif isinstance(value, list):
            entries = enumerate(value)
        waiting += reversed([((*location, part), entry) for part, entry in entries])
    return "the file"


def describe_crossing_outlines(nodes: Iterable[SceneNode]) -> list[str]:
    """Write a sentence for each outline that crosses itself: its inside is a matter of the rule."""
    found = []
    for node in nodes:
        edges = find_crossing(node.polygon) if len(node.polygon) > 3 else None
        if edges is not None:
            corners = node.polygon
            first, second = (f"{corners[i]} to {corners[(i + 1) % len(corners)]}" for i in edges)
            found.append(
                f"the polygon of {node.id} crosses itself (the edge {first} and the edge {second}):"
                " what it goes around twice counts as outside; list its corners along the walls"
            )
    return found


def keys_of_first(entries: Any) -> frozenset[str]:
    """Return the keys of the first entry of a list or table; empty if it is not a table itself."""
    first = None
    if isinstance(entries, list) and entries:
        first = entries[0]
    elif isinstance(entries, dict) and entries:
        first = next(iter(entries.values()))
    return frozenset(first) if isinstance(first, dict) else frozenset()


def format_place(location: Iterable[int | str], document: Any) -> str:
    """Write pydantic's ("nodes", 3, "size") as ``nodes[3] (mug_1).size``."""
    text = ""
    value = document
    for part in location:
        if isinstance(part, int):
            text += f"[{part}]"
            value = value[part] if isinstance(value, list) and part < len(value) else None
            if isinstance(value, dict):
                names = [value[key] for key in _NAMES if isinstance(value.get(key), str)]
                text += f" ({names[0]})" if names else ""
        else:
            text += f".{part}" if text else part
            value = value.get(part) if isinstance(value, Mapping) else None
    return text or "the file"
