# SPDX-License-Identifier: Apache-2.0
"""Labels in a picture keep off each other."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.report.drawing.label_placement import CHARACTER_WIDTH, TextLabel, place_labels

SPREAD = st.integers(0, 4)


def box(placed):
    label = placed.label
    half = CHARACTER_WIDTH * label.size * len(label.text) / 2
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
