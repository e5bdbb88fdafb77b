# SPDX-License-Identifier: Apache-2.0
"""The relaxed goals that were looked at: as a picture, as text, and in the page."""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy.optimize import isotonic_regression

from fcp_ros.planning import PlanningResult, PlanStatus
from fcp_ros.planning.model.result import ExploredRelaxation, Relaxation, RelaxationOutcome
from fcp_ros.report.console import render_result
from fcp_ros.report.explored_goals import MOST_IN_LEVEL, arrange_explored
from fcp_ros.report.relaxation_lattice import (
    GAP,
    WIDTH,
    draw_relaxation_lattice,
    spread_apart,
)

SVG = "{http://www.w3.org/2000/svg}"
CUP = "teacup -> mug_1 (0.97)"
FEWER = "at least 2 ?g: glass (on(?g, table_1)) -> at least 1 ?g: glass (on(?g, table_1)) (0.60)"
GOALS = (
    ExploredRelaxation(0, -1, (), 1.0, 0.0, RelaxationOutcome.IMPOSSIBLE, "No <teacup>."),
    ExploredRelaxation(1, 0, (CUP,), 0.97, 0.0, RelaxationOutcome.IMPOSSIBLE, "One glass."),
    ExploredRelaxation(2, 1, (CUP, FEWER), 0.57, 0.53, RelaxationOutcome.SOLVED, "A plan."),
)


def make_result(explored, *, membership=None, alpha=0.5, **fields):
    """A result whose plan has nothing but a membership: what the picture looks at."""
    plan = None if membership is None else SimpleNamespace(membership=membership)
    status = PlanStatus.UNSOLVABLE_AT_ALPHA if plan is None else PlanStatus.SOLVED_OPTIMALLY
    return PlanningResult(status, "It.", explored=tuple(explored), alpha=alpha, plan=plan, **fields)


@st.composite
def explored_goals(draw):
    """Goals as the search visits them: each makes one change more than its parent, or another."""
    count = draw(st.integers(1, 60))
    outcomes = list(RelaxationOutcome)
    goals = [ExploredRelaxation(0, -1, (), 1.0, 0.0, RelaxationOutcome.IMPOSSIBLE)]
    seen = {frozenset()}
    for _ in range(count):
        parent = draw(st.sampled_from(goals))
        own = dict(change.split("=") for change in parent.changes)
        own[draw(st.sampled_from("abcde"))] = draw(st.sampled_from("123"))
        changes = tuple(f"{name}={value}" for name, value in sorted(own.items()))
        if frozenset(changes) in seen:
            continue
        seen.add(frozenset(changes))
        outcome = draw(st.sampled_from(outcomes))
        has_plan = outcome in (RelaxationOutcome.SOLVED, RelaxationOutcome.BELOW_ALPHA)
        bound = 1.0 - 0.15 * len(changes)
        membership = bound * draw(st.sampled_from([0.5, 0.9, 1.0])) if has_plan else 0.0
        goals.append(
            ExploredRelaxation(len(goals), parent.number, changes, bound, membership, outcome)
        )
    return goals


@given(explored_goals(), st.booleans())
def test_goals_hang_below_goals_with_some_of_their_changes(goals, has_plan):
    solved = [g.membership for g in goals if g.outcome is RelaxationOutcome.SOLVED]
    membership = max(solved) if has_plan and solved else None
    explored = arrange_explored(make_result(goals, membership=membership))
    shown = {one.goal.number: one for level in explored.levels for one in level.shown}
    hidden = [goal.number for level in explored.levels for goal in level.hidden]
    assert sorted([*shown, *hidden]) == [goal.number for goal in goals]
    assert shown[0].parent == -1
    for one in shown.values():
        if one.goal.number == 0:
            continue
        above = shown[one.parent].goal
        assert Counter(above.changes) + Counter(one.added) == Counter(one.goal.changes)
        assert one.added
    for level in explored.levels:
        chain = sum(one.in_chain for one in level.shown)
        assert len(level.shown) <= max(MOST_IN_LEVEL, chain)
        assert chain <= 1
    if membership is not None:
        assert shown[explored.answer].goal.membership == membership
        assert explored.is_chosen
    number = explored.answer
    while number > 0:  # the chain is shown without a gap
        assert shown[number].in_chain
        number = shown[number].parent


@given(explored_goals())
def test_boxes_do_not_overlap_and_lie_within_the_picture(goals):
    svg = ElementTree.fromstring(draw_relaxation_lattice(make_result(goals), "x"))
    left, top, width, height = map(float, svg.get("viewBox").split())
    boxes = [
        tuple(float(rect.get(name)) for name in ("x", "y", "width", "height"))
        for rect in svg.iter(f"{SVG}rect")
        if rect.get("class") == "box"
    ]
    for x, y, wide, high in boxes:
        assert left <= x <= x + wide <= left + width + 1e-6
        assert top <= y <= y + high <= height + 1e-6
    rows = {}
    for x, y, _, _ in boxes:
        rows.setdefault(y, []).append(x)
    for places in rows.values():
        places.sort()
        # Places are written with one decimal.
        assert all(b - a >= WIDTH + GAP - 0.11 for a, b in pairwise(places))
    lines = [path for path in svg.iter(f"{SVG}path") if "edge" in path.get("class", "")]
    assert len(lines) == len(boxes) - 1


@given(st.lists(st.floats(-500, 500), min_size=1, max_size=7), st.floats(0, 100))
def test_places_are_moved_apart_as_little_as_possible(wanted, spare):
    """The slow twin: least squares under the constraint that distances are kept."""
    wanted = sorted(wanted)
    step, room = 50.0, 50.0 * (len(wanted) - 1) + spare
    flat = [place - number * step for number, place in enumerate(wanted)]
    best = isotonic_regression(flat).x.clip(0.0, spare)
    expected = [place + number * step for number, place in enumerate(best)]
    assert spread_apart(wanted, step, room) == pytest.approx(expected, abs=1e-6)


def test_a_small_lattice_tells_all_in_words():
    result = make_result(GOALS, membership=0.53)
    svg = draw_relaxation_lattice(result, 'on(?x, "a<b")')
    texts = [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    for word in ("the goal as stated", "impossible", "solved", "chosen", "0.53 \u2264 0.57"):
        assert word in texts
    assert "teacup \u2192 mug_1 (0.97)" in texts
    tips = [title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert any("No <teacup>." in tip and 'a<b"' in tip for tip in tips)
    assert any(FEWER in tip and "A plan." in tip for tip in tips)
    assert not re.search(r'\bid="|https?://(?!www.w3.org/2000/svg)', svg)


def test_without_a_plan_the_closest_goal_is_marked():
    below = replace(GOALS[2], membership=0.4, outcome=RelaxationOutcome.BELOW_ALPHA)
    svg = draw_relaxation_lattice(make_result((*GOALS[:2], below)), "x")
    assert ">closest<" in svg
    assert ">chosen<" not in svg
    assert "chain closest" in svg


def test_without_relaxed_goals_there_is_no_picture():
    assert draw_relaxation_lattice(make_result(()), "x") == ""


@pytest.mark.parametrize("name", ["\x1b[31mred", "]]>", "<script>", "a" * 3000, ""])
def test_strange_names_do_no_harm(name):
    """Elements' names come from scenes of others."""
    strange = replace(GOALS[1], changes=(f"cup -> {name}",), reason=name)
    svg = draw_relaxation_lattice(make_result((GOALS[0], strange)), name)
    ElementTree.fromstring(svg)
    assert "\x1b" not in svg
    assert "<script" not in svg


def show(result, *, explain):
    console = Console(width=160, file=io.StringIO())
    console.print(render_result(result, explain=explain))
    return console.file.getvalue()


def test_the_console_tells_the_chain_and_what_was_refused():
    taken = Relaxation("drop", "a fork", "", 0.4, "A fork is given up.")
    refused = Relaxation("substitution", "teacup", "vase_1", 0.2, "It [is] dirty.")
    result = make_result(
        GOALS, relaxations=(taken,), refused_relaxations=(refused,), would_take="A fork."
    )
    text = show(result, explain=False)
    assert "relaxed drop (0.40)" in text
    assert "as stated: A fork." in text
    assert "vase_1" not in text
    text = show(result, explain=True)
    assert "refused substitution (0.20): It [is] dirty." in text
    assert "looked at 3 goals (1 solved, 2 impossible)" in text
    (line,) = [line for line in text.splitlines() if "solved" in line and "0.57" in line]
    assert "at least 1" in line
    assert line.startswith("        ")  # two levels below the goal as stated
