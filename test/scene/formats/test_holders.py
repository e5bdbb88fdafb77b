# SPDX-License-Identifier: Apache-2.0
"""Circles of things that hold each other, against following each thing step by step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import SceneError
from fcp_ros.scene.formats.holders import cycle_of, refuse_cycles

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
    cycle = cycle_of(holders)
    assert bool(cycle) is slow_circle(holders)
    for here, there in zip(cycle, (*cycle[1:], *cycle[:1]), strict=True):
        assert holders[here] == there


def test_a_long_chain_is_quick_and_no_recursion() -> None:
    chain = {n: n + 1 for n in range(100_000)}
    assert cycle_of(chain) == ()
    assert len(cycle_of({**chain, 100_000: 50_000})) == 50_001


def test_the_refusal_names_the_circle() -> None:
    with pytest.raises(SceneError, match=r"b: it lies on or in itself \(b > c > b\)\. Do this"):
        refuse_cycles({"a": "b", "b": "c", "c": "b"}, "Do this.")
