# SPDX-License-Identifier: Apache-2.0
"""The relaxed goals that were looked at, arranged for a picture or a text.

They are levels by the number of changes. A goal hangs below the one that makes all but a few of its
changes. Of many goals in a level only those that tell something are shown; the others are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
"""Goals of a level that are shown; the chosen one and those above it are always among them."""

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
class ShownGoal:
    """A relaxed goal that is shown."""

    goal: ExploredRelaxation
    parent: int  # number of the shown goal above it; -1 for the goal as stated
    added: tuple[str, ...]  # its changes that the goal above it does not make
    in_chain: bool = False  # True for the goal of the answer, and for those above it


@dataclass(frozen=True, slots=True)
class GoalLevel:
    """The relaxed goals with the same number of changes."""

    changes: int
    shown: tuple[ShownGoal, ...]  # in the order in which they are shown, from left to right
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

    def walk(self) -> Iterator[tuple[int, ShownGoal]]:
        """Yield the goals that are shown, each with its depth, below the one that it hangs from."""
        below: dict[int, list[ShownGoal]] = {}
        for level in self.levels:
            for one in level.shown:
                below.setdefault(one.parent, []).append(one)
        waiting = [(0, one) for one in reversed(below.get(-1, ()))]
        while waiting:
            depth, one = waiting.pop()
            yield depth, one
            waiting += [(depth + 1, each) for each in reversed(below.get(one.goal.number, ()))]


def arrange_explored(result: PlanningResult) -> ExploredGoals:
    """Arrange the relaxed goals that were looked at in levels of MOST_IN_LEVEL, and the chain."""
    goals = {goal.number: goal for goal in result.explored}
    answer = find_answer(result)
    above = _find_above(goals[answer], goals) if answer >= 0 else ()
    chain = {answer, *above}
    by_level: dict[int, list[ExploredRelaxation]] = {}
    for goal in result.explored:
        by_level.setdefault(len(goal.changes), []).append(goal)
    levels: list[GoalLevel] = []
    upper: dict[int, ExploredRelaxation] = {}
    places: dict[int, int] = {}
    for changes, members in sorted(by_level.items()):
        ranked = sorted(members, key=lambda goal: _rank(goal, chain))
        kept = max(MOST_IN_LEVEL, sum(goal.number in chain for goal in members))
        shown = [_hang(goal, upper, goals, chain) for goal in ranked[:kept]]
        shown.sort(key=lambda one: (places.get(one.parent, -1), one.goal.number))
        places = {one.goal.number: place for place, one in enumerate(shown)}
        upper.update((one.goal.number, one.goal) for one in shown)
        levels.append(GoalLevel(changes, tuple(shown), tuple(ranked[kept:])))
    chosen = answer >= 0 and result.plan is not None
    return ExploredGoals(tuple(levels), answer, chosen)


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


def _rank(goal: ExploredRelaxation, chain: set[int]) -> tuple[bool, int, float, float, int]:
    interest = _INTEREST[goal.outcome]
    return (goal.number not in chain, interest, -goal.membership, -goal.bound, goal.number)


def _hang(
    goal: ExploredRelaxation,
    upper: Mapping[int, ExploredRelaxation],
    goals: Mapping[int, ExploredRelaxation],
    chain: set[int],
) -> ShownGoal:
    """Hang a goal below the shown goal with the most of its changes, if possible one before it."""
    in_chain = goal.number in chain
    fitting = [one for one in upper.values() if _is_below(one, goal)]
    if in_chain:
        fitting = [one for one in fitting if one.number in chain]
    if not fitting:
        return ShownGoal(goal, -1, goal.changes, in_chain)
    before = _find_above(goal, goals)
    parent = min(fitting, key=lambda o: (-len(o.changes), o.number not in before, o.number))
    added = Counter(goal.changes) - Counter(parent.changes)
    return ShownGoal(goal, parent.number, tuple(added.elements()), in_chain)


def _find_above(
    goal: ExploredRelaxation, goals: Mapping[int, ExploredRelaxation]
) -> tuple[int, ...]:
    """Find the goals that led to a goal and make some of its changes, the nearest first.

    The search may also reach a goal from one with another change in the place of one of its own:
    that one is none of them.
    """
    found: list[int] = []
    seen = {goal.number}
    number, fewest = goal.parent, goal
    while number in goals and number not in seen:
        seen.add(number)
        step = goals[number]
        if _is_below(step, fewest):
            found.append(number)
            fewest = step
        number = step.parent
    return tuple(found)


def _is_below(one: ExploredRelaxation, other: ExploredRelaxation) -> bool:
    """Return True if the changes of one goal are some, but not all, of another's."""
    fewer = len(one.changes) < len(other.changes)
    return fewer and not Counter(one.changes) - Counter(other.changes)


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
    """Render the relaxed goals that were looked at as a tree, the goal as stated on top."""
    explored = arrange_explored(result)
    head = f"looked at {len(result.explored)} goals ({count_outcomes(result.explored)})"
    top = Tree(Text(head, style="bold"), guide_style="dim")
    path = [top]
    for depth, shown in explored.walk():
        path[depth + 1 :] = [path[depth].add(_build_goal_text(shown, explored))]
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
