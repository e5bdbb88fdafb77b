# SPDX-License-Identifier: Apache-2.0
"""Labels in a picture keep off each other."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.report.label_placement import (
    TextLabel,
    fit_name,
    measure_text,
    place_labels,
)

SPREAD = st.integers(0, 4)


def box(placed):
    label = placed.label
    half = measure_text(label.text) * label.size / 2
    x, y = label.x + placed.dx, label.y + placed.dy
    return x - half, y - 0.6 * label.size, x + half, y + 0.6 * label.size


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@given(st.lists(st.tuples(SPREAD, SPREAD), min_size=1, max_size=6))
def test_labels_of_a_crowd_do_not_overlap(points):
    labels = [TextLabel("mug 1", 4.0 * x, 4.0 * y, 7.5) for x, y in points]
    placed = place_labels(labels)
    assert [p.label for p in placed] == labels
    assert not any(overlap(box(a), box(b)) for a, b in combinations(placed, 2))


def test_a_centred_label_stands_on_its_point_unless_something_is_there():
    label = TextLabel("table 1", 100, 100, 8, centred=True)
    assert (place_labels([label])[0].dx, place_labels([label])[0].dy) == (0, 0)
    moved = place_labels([label], taken=[(95, 95, 105, 105)])[0]
    assert (moved.dx, moved.dy) != (0, 0)


def test_a_label_without_a_free_place_is_left_out():
    label = TextLabel("mug 1", 50, 50, 8)
    assert place_labels([label], taken=[(-900, -900, 900, 900)]) == [None]
    assert place_labels([label, label], taken=[(0, 0, 40, 40)])[1] is not None


def test_labels_stay_in_the_picture():
    for x, y in ((0, 0), (99, 0), (0, 99), (99, 99)):
        (placed,) = place_labels([TextLabel("mug 1", x, y, 8)], within=(0, 0, 100, 100))
        west, south, east, north = box(placed)
        assert min(west, south) >= 0
        assert max(east, north) <= 100


@pytest.mark.parametrize("character", ["i", "M", "\u4e2d", " "])
def test_widths_are_those_of_letters(character):
    assert measure_text(character * 3) == pytest.approx(3 * measure_text(character))
    assert measure_text("i") < measure_text("M") < measure_text("\u4e2d") * 1.01


# --- Names of rooms stay inside their rooms, however long they are


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
