# SPDX-License-Identifier: Apache-2.0
"""Validation of tools' files: strict types, finite numbers, and errors that name the entry."""

import math
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from fcp_ros.scene import SceneError
from fcp_ros.scene.formats.validation import (
    Coordinate,
    Extents,
    Flag,
    Name,
    Number,
    ToolModel,
    format_place,
    validate,
)


@pytest.mark.parametrize(
    ("type_", "wrong"),
    [
        (Coordinate, [math.nan, math.inf, "1", True, None, 2e7, 10**20]),
        (Extents, [(1, 1, -1), (1, 1), (1, 1, math.nan), "123", None]),
        (Name, ["", 1, None, b"a", "\ud800"]),
        (Flag, [0, 1, "yes", None]),
        (Number, [True, 1.0, "1", None]),
    ],
)
def test_wrong_values_are_never_converted(type_: Any, wrong: list[Any]) -> None:
    for value in wrong:
        with pytest.raises(ValidationError):
            TypeAdapter(type_).validate_python(value)


class Thing(ToolModel):
    objectId: Name
    size: Extents


def test_errors_name_the_first_few_entries() -> None:
    document = [{"objectId": f"mug_{n}", "size": [1, 1]} for n in range(7)]
    with pytest.raises(SceneError) as refusal:
        validate(list[Thing], document, "file.json", "Do this.")
    text = str(refusal.value)
    assert text.startswith("file.json: [0] (mug_0).size[2]: Field required; ")
    assert text.endswith("[4] (mug_4).size[2]: Field required; and 2 more. Do this.")


def test_other_keys_are_left_alone() -> None:
    document = [{"objectId": "mug_1", "size": [1, 2, 3], "colour": "red"}]
    (thing,) = validate(list[Thing], document, "file.json", "")
    assert thing.size == (1.0, 2.0, 3.0)


def test_places_in_documents() -> None:
    document = {"nodes": [{"id": "a"}, {"name": "b", "size": [1]}]}
    assert format_place(("nodes", 1, "size", 0), document) == "nodes[1] (b).size[0]"
    assert format_place((), document) == "the file"
    assert format_place(("nodes", 9, "id"), document) == "nodes[9].id"
