# SPDX-License-Identifier: Apache-2.0
"""The path of a policy: its steps by abstract actions, and its features along the plan."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.planning.model.plan import PolicyFeature, PolicyMove, PolicyTrace
from fcp_ros.report.console import group_steps
from fcp_ros.report.plan_page import (
    LINE,
    MOST_BANDS,
    MOST_ROWS,
    WIDTH,
    draw_feature_paths,
)

FEATURES = (
    PolicyFeature("carrying", "any(on)", True),
    PolicyFeature("left", "count(<goal> & at)", False),
)
TRACE = PolicyTrace(
    FEATURES, (PolicyMove("fetch", (0, 1), 2), PolicyMove("bring", (1, 1), 5)), (0, 0)
)


@st.composite
def traces(draw):
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=4))
    features = tuple(PolicyFeature(f"f{i}<", "any(a & b)", kind) for i, kind in enumerate(kinds))
    values = st.tuples(*(st.integers(0, 1 if kind else 9) for kind in kinds))
    moves, done = [], 0
    for steps in draw(st.lists(st.integers(1, 5), max_size=6)):
        done += steps
        moves.append(PolicyMove("go & see", draw(values), done))
    return PolicyTrace(features, tuple(moves), draw(values))


def draw(trace):
    return ElementTree.fromstring(draw_feature_paths(trace))


def list_kind(svg, kind):
    return [one for one in svg.iter() if kind in one.get("class", "").split()]


def test_steps_are_grouped_with_the_changes_of_their_action():
    groups = group_steps(TRACE)
    assert list(groups) == [0, 2]
    assert [(one.number, one.action, one.steps) for one in groups.values()] == [
        (1, "fetch", 2),
        (2, "bring", 3),
    ]
    assert groups[0].condition == "not carrying, left = 1"
    assert groups[2].condition == "carrying, left = 1"
    changed = [[one.name for one in group.changes if one.is_change] for group in groups.values()]
    assert changed == [["carrying"], ["carrying", "left"]]
    assert [(one.before, one.after) for one in groups[2].changes] == [("yes", "no"), ("1", "0")]


@given(traces())
def test_every_step_belongs_to_one_group(trace):
    covered = []
    for first, group in group_steps(trace).items():
        covered += range(first, first + group.steps)
    assert covered == list(range(trace.moves[-1].steps if trace.moves else 0))


def test_bands_bars_and_lines_meet_where_an_action_ends():
    svg = draw(TRACE)
    bands = [(float(one.get("x")), float(one.get("width"))) for one in list_kind(svg, "band")]
    (bar,) = list_kind(svg, "true")
    assert (float(bar.get("x")), float(bar.get("width"))) == bands[1]
    (line,) = list_kind(svg, "line")
    start, *ends = [float(x) for x in re.findall(r"[MH]([\d.]+)", line.get("d"))]
    assert start == bands[0][0]
    assert ends[0] == bands[1][0]
    heights = [float(y) for y in re.findall(r"[,V]([\d.]+)", line.get("d"))]
    assert heights[1] == heights[0]
    assert heights[2] == heights[0] + LINE


def test_a_distance_without_a_way_is_a_gap():
    way = PolicyFeature("way", "distance(here, road, goal.at)", False, 7)
    moves = [PolicyMove("go", (value,), steps) for value, steps in ((1, 1), (7, 2), (3, 4))]
    trace = PolicyTrace((way,), tuple(moves), (7,))
    assert [one.condition for one in group_steps(trace).values()] == [
        "way = 1",
        "way = \u221e",
        "way = 3",
    ]
    svg = draw(trace)
    bands = [float(one.get("x")) for one in list_kind(svg, "band")]
    starts = [float(one.get("d").split(",")[0][1:]) for one in list_kind(svg, "line")]
    assert starts == [bands[0], bands[2]]
    heights = [float(re.search(r",([\d.]+)", one.get("d"))[1]) for one in list_kind(svg, "line")]
    assert heights[0] - heights[1] == pytest.approx(LINE * 2 / 3, abs=0.1)


@given(traces())
def test_the_picture_is_well_formed_and_within_its_frame(trace):
    if not trace.moves:
        assert draw_feature_paths(trace) == ""
        return
    svg = draw(trace)
    height = float(svg.get("height"))
    for one in svg.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, wide, high = (float(one.get(name)) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + wide <= WIDTH
        assert 0 <= y <= y + high <= height
    for path in svg.iter("{http://www.w3.org/2000/svg}path"):
        assert all(0 <= float(y) <= height for y in re.findall(r"V([\d.]+)", path.get("d")))
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {feature.name for feature in trace.features} <= set(texts)


def test_much_of_it_is_counted_instead():
    features = tuple(PolicyFeature(f"f{i}", "any(a)", True) for i in range(MOST_ROWS + 3))
    values = (1,) * len(features)
    moves = tuple(PolicyMove("go", values, i + 1) for i in range(MOST_BANDS + 1))
    svg = draw(PolicyTrace(features, moves, values))
    texts = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert "and 3 more features" in texts
    assert f"{MOST_BANDS + 1} of them" in texts
    assert not list_kind(svg, "band")
