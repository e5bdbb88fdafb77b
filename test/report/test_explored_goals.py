# SPDX-License-Identifier: Apache-2.0
"""The relaxed goals that were looked at: as text, and in the page."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fcp_ros.planning import PlanningResult, PlanStatus
from fcp_ros.planning.model.result import ExploredRelaxation, Relaxation, RelaxationOutcome
from fcp_ros.report.console import render_result
from fcp_ros.report.explored_goals import MOST_IN_LEVEL, arrange_explored
from fcp_ros.report.plan_page import PlanRequest, render_plan_page

CUP = "teacup -> mug_1 (0.97)"
FEWER = "at least 2 ?g: glass (on(?g, table_1)) -> at least 1 ?g: glass (on(?g, table_1)) (0.60)"
GOALS = (
    ExploredRelaxation(0, -1, (), 1.0, 0.0, RelaxationOutcome.IMPOSSIBLE, "No <teacup>."),
    ExploredRelaxation(1, 0, (CUP,), 0.97, 0.0, RelaxationOutcome.IMPOSSIBLE, "One glass."),
    ExploredRelaxation(2, 1, (CUP, FEWER), 0.57, 0.53, RelaxationOutcome.SOLVED, "A plan."),
)


def make_result(explored, *, membership=None, alpha=0.5, **fields):
    """A result whose plan has nothing but a membership: what is looked at."""
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
def test_each_goal_is_in_its_level_and_the_answer_is_shown(goals, has_plan):
    solved = [g.membership for g in goals if g.outcome is RelaxationOutcome.SOLVED]
    membership = max(solved) if has_plan and solved else None
    explored = arrange_explored(make_result(goals, membership=membership))
    listed = [goal for level in explored.levels for goal in (*level.shown, *level.hidden)]
    assert sorted(goal.number for goal in listed) == [goal.number for goal in goals]
    for level in explored.levels:
        assert {len(goal.changes) for goal in (*level.shown, *level.hidden)} == {level.changes}
        assert len(level.shown) <= MOST_IN_LEVEL
    shown = {goal.number: goal for level in explored.levels for goal in level.shown}
    assert explored.answer in {-1, *shown}
    if membership is not None:
        assert shown[explored.answer].membership == membership
        assert explored.is_chosen


def render(result):
    return render_plan_page(result, PlanRequest("household", "house", "x"))


def test_the_page_marks_the_closest_goal():
    below = replace(GOALS[2], membership=0.4, outcome=RelaxationOutcome.BELOW_ALPHA)
    page = render(make_result((*GOALS[:2], below)))
    table = page.partition('class="explored"')[2]
    rows = re.findall(r"<tr[^>]*title.*?</tr>", table, re.DOTALL)
    assert ["chosen" in row for row in rows] == [False, False, True]
    assert "closest" in rows[2]
    assert "0.57" in rows[2]
    assert "0.40" in rows[2]
    assert "explored" not in render(make_result(())).partition("<body>")[2]


@pytest.mark.parametrize("name", ["\x1b[31mred", "<script>", "a" * 3000])
def test_strange_names_do_no_harm(name):
    """Elements' names come from scenes of others."""
    strange = replace(GOALS[1], changes=(f"cup -> {name}",), reason=name)
    page = render(make_result((GOALS[0], strange))).partition("<details>")[0]
    assert "\x1b" not in page
    assert "<script" not in page


def show(result, *, explain):
    console = Console(width=160, file=io.StringIO())
    console.print(render_result(result, explain=explain))
    return console.file.getvalue()


def test_the_console_tells_what_was_looked_at_and_what_was_refused():
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
    assert "2 changes: 1 goal" in text
