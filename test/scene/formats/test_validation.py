# SPDX-License-Identifier: Apache-2.0
"""Validation of tools' files: strict types, finite numbers, and errors that name the entry."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from fcp_ros.scene import SceneError
from fcp_ros.scene.formats.validation import (
    Coordinate,
    Extents,
    Flag,
    Name,
    Number,
    ToolModel,
    find_cycle,
    format_place,
    refuse_cycles,
    validate,
)


@pytest.mark.parametrize(
    ("type_", "wrong"),
    [
        (Coordinate, [math.nan, math.inf, "1", True, None, 1e7, 10**20]),
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


tables = st.dictionaries(st.integers(0, 9), st.integers(0, 9), max_size=10)


def slow_circle(holders: dict[int, int]) -> bool:
    """Whether something comes back to itself within as many steps as there are things."""
    for start in holders:
        current: int | None = start
        for _ in range(len(holders)):
            current = holders.get(current) if current is not None else None
            if current == start:
                return True
    return False


@given(tables)
def test_a_circle_is_found_if_there_is_one(holders: dict[int, int]) -> None:
    cycle = find_cycle(holders)
    assert bool(cycle) is slow_circle(holders)
    for here, there in zip(cycle, (*cycle[1:], *cycle[:1]), strict=True):
        assert holders[here] == there


def test_a_long_chain_is_quick_and_no_recursion() -> None:
    chain = {n: n + 1 for n in range(100_000)}
    assert find_cycle(chain) == ()
    assert len(find_cycle({**chain, 100_000: 50_000})) == 50_001


def test_the_refusal_names_the_circle() -> None:
    with pytest.raises(SceneError, match=r"b: it lies on or in itself \(b > c > b\)\. Do this"):
        refuse_cycles({"a": "b", "b": "c", "c": "b"}, "Do this.")
