# SPDX-License-Identifier: Apache-2.0
"""Validation of parsed documents by pydantic models, with errors that name the entry."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.graph.errors import SceneError

FARTHEST = 1e6
"""No coordinate or extent of a tool's file may be larger (its unit)."""

Coordinate = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-FARTHEST, le=FARTHEST)]
Extent = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0.0, le=FARTHEST)]
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
    """What we need of a tool's entry; what else it holds is left alone."""

    model_config = ConfigDict(extra="ignore")


def validated(type_: type[_Value], document: Any, source: str, advice: str) -> _Value:
    """A document as a value of a pydantic model (or of a type made of such).

    Raises:
        SceneError: Entries are missing or wrong; the first few are named.
    """
    try:
        return TypeAdapter(type_).validate_python(document)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        shown = [
            f"{place_in(problem['loc'], document)}: {problem['msg']}"
            for problem in problems[:_MAX_PROBLEMS]
        ]
        if len(problems) > _MAX_PROBLEMS:
            shown.append(f"and {len(problems) - _MAX_PROBLEMS} more")
        raise SceneError("; ".join(shown), source=source, advice=advice) from None


def refuse_repeated_keys(file: SceneFile, advice: str) -> None:
    """Raise SceneError where a JSON object has one key twice: a parser keeps the last in silence.

    For formats whose ids are keys.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            raise SceneError(
                "this key is there twice in one JSON object",
                source=file.name,
                element=counts.most_common(1)[0][0],
                advice=advice,
            )
        return table

    try:
        json.loads(file.content.decode("utf-8-sig"), object_pairs_hook=unique)
    except SceneError:
        raise
    except (ValueError, RecursionError) as error:  # what only the faster parser reads
        reason = f"its JSON cannot be parsed ({type(error).__name__})"
        raise SceneError(reason, source=file.name, advice=advice) from None


def place_in(location: Iterable[int | str], document: Any) -> str:
    """``nodes[3] (mug_1).size`` for pydantic's ("nodes", 3, "size")."""
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
