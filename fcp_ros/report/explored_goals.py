# SPDX-License-Identifier: Apache-2.0
"""The relaxed goals that were looked at, in levels by the number of their changes.

Of many goals in a level only those that tell something are shown; the others are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from fcp_ros.foundation.wording import to_printable
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.result import (
    ExploredRelaxation,
    PlanningResult,
    Relaxation,
    RelaxationOutcome,
)

MOST_IN_LEVEL = 5
"""Goals of a level that are shown; that of the answer is always among them."""

_INTEREST = {
    RelaxationOutcome.SOLVED: 0,
    RelaxationOutcome.BELOW_ALPHA: 1,
    RelaxationOutcome.UNKNOWN: 2,
    RelaxationOutcome.TRIVIAL: 3,
    RelaxationOutcome.IMPOSSIBLE: 4,
    RelaxationOutcome.IMPLIED: 5,
}
"""The order in which goals of a level are shown."""


@dataclass(frozen=True, slots=True)
class GoalLevel:
    """The relaxed goals with the same number of changes."""

    changes: int
    shown: tuple[ExploredRelaxation, ...]  # the most interesting first
    hidden: tuple[ExploredRelaxation, ...]

    def describe(self) -> str:
        """Describe the level: "2 changes: 9 goals, 4 not shown (3 implied, 1 impossible)"."""
        count = len(self.shown) + len(self.hidden)
        text = f"{_count(self.changes, 'change')}: {_count(count, 'goal')}"
        if not self.hidden:
            return text
        return f"{text}, {len(self.hidden)} not shown ({count_outcomes(self.hidden)})"


@dataclass(frozen=True, slots=True)
class ExploredGoals:
    """All relaxed goals that were looked at."""

    levels: tuple[GoalLevel, ...]  # by the number of changes, the goal as stated first
    answer: int  # number of the goal of the answer; -1 without one
    is_chosen: bool  # True if its plan was taken; otherwise it only came closest


def arrange_explored(result: PlanningResult) -> ExploredGoals:
    """Arrange the relaxed goals that were looked at in levels of MOST_IN_LEVEL."""
    answer = find_answer(result)
    by_level: dict[int, list[ExploredRelaxation]] = {}
    for goal in sorted(result.explored, key=lambda goal: _rank(goal, answer)):
        by_level.setdefault(len(goal.changes), []).append(goal)
    levels = (
        GoalLevel(changes, tuple(goals[:MOST_IN_LEVEL]), tuple(goals[MOST_IN_LEVEL:]))
        for changes, goals in sorted(by_level.items())
    )
    return ExploredGoals(tuple(levels), answer, answer >= 0 and result.plan is not None)


def find_answer(result: PlanningResult) -> int:
    """Find the number of the goal that the answer is about, or that came closest; -1: no plan."""
    relaxed = [goal for goal in result.explored if goal.membership > EPSILON]
    solved = [goal for goal in relaxed if goal.outcome is RelaxationOutcome.SOLVED]
    if result.plan is not None:
        wanted = result.plan.membership
        solved.sort(key=lambda goal: abs(goal.membership - wanted) > 1e-6)  # stable: first found
        return solved[0].number if solved else -1
    best = max(solved or relaxed, key=lambda goal: goal.membership, default=None)
    return -1 if best is None else best.number


def count_outcomes(goals: Iterable[ExploredRelaxation]) -> str:
    """Count outcomes in words: "1 solved, 4 impossible"."""
    counts = Counter(goal.outcome for goal in goals)
    order = sorted(counts, key=_INTEREST.__getitem__)
    return ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in order)


def _rank(goal: ExploredRelaxation, answer: int) -> tuple[bool, int, float, float, int]:
    interest = _INTEREST[goal.outcome]
    return (goal.number != answer, interest, -goal.membership, -goal.bound, goal.number)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


# --- relaxations as rich text for a terminal ---

REFUSED_SHOWN = 6  # Refused changes that are shown; the JSON and the HTML page have all of them

_COLOURS = {
    RelaxationOutcome.SOLVED: "green",
    RelaxationOutcome.BELOW_ALPHA: "yellow",
    RelaxationOutcome.IMPOSSIBLE: "red",
}


def render_relaxations(result: PlanningResult, *, explain: bool = False) -> RenderableType:
    """Render what was changed to reach the goal, and what it would take as stated."""
    parts: list[RenderableType] = []
    for relaxation in result.relaxations:
        # The message, which stands above, says why.
        parts.append(Text.from_markup(f"[yellow]relaxed[/] {escape(describe_change(relaxation))}"))
    if result.would_take:
        parts.append(Text(f"as stated: {to_printable(result.would_take)}", style="yellow"))
    if explain:
        refused = result.refused_relaxations
        for relaxation in refused[:REFUSED_SHOWN]:
            change = escape(describe_change(relaxation))
            reason = escape(to_printable(relaxation.reason))
            parts.append(Text.from_markup(f"[dim]refused {change}: {reason}[/]"))
        if len(refused) > REFUSED_SHOWN:
            parts.append(Text(f"... {len(refused) - REFUSED_SHOWN} more refused", style="dim"))
        if result.explored:
            parts.append(render_explored(result))
    return Group(*parts)


def describe_change(relaxation: Relaxation) -> str:
    """Describe the kind of a change and its degree: "substitution (0.97)"."""
    return f"{to_printable(relaxation.kind)} ({relaxation.degree:.2f})"


def remove_reasons(result: PlanningResult) -> str:
    """Return the message of a result without the reasons of its changes, if it begins with them."""
    reasons = " ".join(relaxation.reason for relaxation in result.relaxations)
    return result.message.removeprefix(reasons).strip() or result.message


def render_explored(result: PlanningResult) -> RenderableType:
    """Render the relaxed goals that were looked at as a tree of levels."""
    explored = arrange_explored(result)
    head = f"looked at {len(result.explored)} goals ({count_outcomes(result.explored)})"
    top = Tree(Text(head, style="bold"), guide_style="dim")
    for level in explored.levels:
        branch = top.add(Text(level.describe(), style="dim"))
        for goal in level.shown:
            branch.add(_build_goal_text(goal, explored))
    return top


def _build_goal_text(goal: ExploredRelaxation, explored: ExploredGoals) -> Text:
    is_answer = goal.number == explored.answer
    changes = " and ".join(map(to_printable, goal.changes)) or "the goal as stated"
    text = Text(changes, style="bold" if is_answer else "")
    text.append(f"  {goal.outcome.value}", style=_COLOURS.get(goal.outcome, "dim"))
    plan = f" {goal.membership:.2f}" if goal.membership > 0.0 else ""
    text.append(f"{plan} \N{LESS-THAN OR EQUAL TO} {goal.bound:.2f}", style="dim")
    if is_answer:
        text.append("  chosen" if explored.is_chosen else "  closest", style="bold green")
    return text
