# SPDX-License-Identifier: Apache-2.0
"""Names of rooms stay inside their rooms, however long they are."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.report.label_placement import fit_name

WIDE = np.array([(0.0, 0.0), (300.0, 0.0), (300.0, 200.0), (0.0, 200.0)])


def is_inside(x: float, y: float, outline: np.ndarray) -> bool:
    """By the angles under which the edges are seen from the point."""
    seen = np.arctan2(outline[:, 1] - y, outline[:, 0] - x)
    turns = (np.diff(np.append(seen, seen[0])) + math.pi) % (2 * math.pi) - math.pi
    return abs(turns.sum()) > math.pi


@given(
    st.lists(st.tuples(st.floats(0, 6.2), st.floats(20, 150)), min_size=3, max_size=9),
    st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=40),
    st.integers(0, 6),
)
def test_names_stay_inside(star: list[tuple[float, float]], letters: str, spaces: int) -> None:
    """In any outline around a point: no point of the edge of the name's box is outside."""
    angles = sorted(angle for angle, _ in star)
    outline = np.array(
        [(far * math.cos(a), far * math.sin(a)) for a, (_, far) in zip(angles, star, strict=True)]
    )
    step = max(1, len(letters) // (spaces + 1))
    text = " ".join(letters[start : start + step] for start in range(0, len(letters), step))
    name = fit_name(text, outline, [])
    if name is not None:
        west, south, east, north = name.box
        for part in np.linspace(0, 1, 13):
            x, y = west + part * (east - west), south + part * (north - south)
            for place in ((x, south), (x, north), (west, y), (east, y)):
                assert is_inside(*place, outline)


def test_a_short_name_is_at_the_upper_left() -> None:
    name = fit_name("kitchen", WIDE, [])
    assert name is not None
    assert (name.lines, name.size) == (("kitchen",), 9.0)
    west, _, _, north = name.box
    assert west < 5
    assert north > 195


@pytest.mark.parametrize(
    ("width", "height", "lines"),
    [
        (300, 200, ["the room of the grandmother upstairs"]),
        (120, 200, ["the room of the", "grandmother upstairs"]),
        (70, 200, ["the room", "of the", "grandmother", "upstairs"]),
    ],
)
def test_long_names_are_wrapped(width: float, height: float, lines: list[str]) -> None:
    name = fit_name("the room of the grandmother upstairs", WIDE * (width / 300, height / 200), [])
    assert name is not None
    assert list(name.lines) == lines


def test_names_are_cut_short_where_they_must_be() -> None:
    name = fit_name("laboratory", WIDE * (0.08, 0.06), [])
    assert name is not None
    assert name.lines[0].endswith("\N{HORIZONTAL ELLIPSIS}")
    assert fit_name("laboratory", WIDE * 0.01, []) is None


def test_furniture_is_covered_only_where_it_must_be() -> None:
    name = fit_name("kitchen", WIDE, [(0, 150, 300, 200)])
    assert name is not None
    assert name.box[3] <= 150
    assert fit_name("kitchen", WIDE, [(0, 0, 300, 200)]) is not None
