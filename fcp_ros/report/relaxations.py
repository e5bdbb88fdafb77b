# SPDX-License-Identifier: Apache-2.0
"""Relaxations as rich text for a terminal: the chain, what was refused, the goals looked at."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from fcp_ros.foundation.wording import to_printable
from fcp_ros.planning.model.result import PlanningResult, Relaxation, RelaxationOutcome
from fcp_ros.report.explored_goals import (
    ExploredGoals,
    ShownGoal,
    arrange_explored,
    count_outcomes,
)

REFUSED_SHOWN = 6
"""Refused changes that are shown; the JSON and the HTML page have all of them."""

_COLOURS = {
    RelaxationOutcome.SOLVED: "green",
    RelaxationOutcome.BELOW_ALPHA: "yellow",
    RelaxationOutcome.IMPOSSIBLE: "red",
}


def render_relaxations(result: PlanningResult, *, explain: bool = False) -> RenderableType:
    """Render what was changed to reach the goal, and what it would take to reach it as stated.

    Args:
        result: the planner's answer.
        explain: add what was refused, and the relaxed goals that were looked at.
    """
    parts: list[RenderableType] = []
    for relaxation in result.relaxations:
        told = relaxation.reason in result.message
        reason = "" if told else f": {escape(to_printable(relaxation.reason))}"
        change = escape(describe_change(relaxation))
        parts.append(Text.from_markup(f"[yellow]relaxed[/] {change}{reason}"))
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
    """Render the relaxed goals that were looked at as a tree, the goal as stated on top."""
    explored = arrange_explored(result)
    head = f"looked at {len(result.explored)} goals ({count_outcomes(result.explored)})"
    nodes: dict[int, Tree] = {}
    top = Tree(Text(head, style="bold"), guide_style="dim")
    for level in explored.levels:
        for shown in level.shown:
            above = nodes.get(shown.parent, top)
            nodes[shown.goal.number] = above.add(_build_goal_text(shown, explored))
    hidden = [level.describe() for level in explored.levels if level.hidden]
    return Group(top, *(Text(line, style="dim") for line in hidden))


def _build_goal_text(shown: ShownGoal, explored: ExploredGoals) -> Text:
    goal = shown.goal
    changes = " and ".join(map(to_printable, shown.added)) or "the goal as stated"
    text = Text(changes, style="bold" if shown.in_chain else "")
    text.append(f"  {goal.outcome.value}", style=_COLOURS.get(goal.outcome, "dim"))
    plan = f" {goal.membership:.2f}" if goal.membership > 0.0 else ""
    text.append(f"{plan} \N{LESS-THAN OR EQUAL TO} {goal.bound:.2f}", style="dim")
    if goal.number == explored.answer:
        text.append("  chosen" if explored.is_chosen else "  closest", style="bold green")
    return text
