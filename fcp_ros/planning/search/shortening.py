# SPDX-License-Identifier: Apache-2.0
"""Shorter plans: elimination of needless steps, and searches of bounded effort for cheaper plans.

Action elimination (Nakhost and Mueller, Action Elimination and Plan Neighborhood Graph Search,
ICAPS 2010): each step in turn is left out together with all later ones that then are not
applicable; if the goal is still reached, they stay out. Neither loss nor cost can grow by that.

A proven plan of least loss is shortened by searches for the same loss at less cost. The first one
has no estimate, takes no time and settles small tasks for good. Then follow one by the landmarks
ahead, which are counted faster than a relaxation is explored, and one by FF. In tasks with hundreds
of steps both find much better orders than the greedy search that came first. What makes a plan long
there is the order in which it serves its goals; looking at a few neighbouring steps at a time was
measured to help less.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.builder import Situation, Stepper
from fcp_ros.planning.flat.semantics import is_goal
from fcp_ros.planning.flat.task import FlatTask, has_axioms
from fcp_ros.planning.model.request import Algorithm, Heuristic, SearchOptions
from fcp_ros.planning.search.best_first import MEMORY, BestFirst, SpentCallback, ignore_spent
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import (
    Criterion,
    FlatPlan,
    Objective,
    SearchOutcome,
    step_below,
)

MOST_APPLIED = 20_000
"""Work of action elimination: operators that it applies, and conditional effects that it looks at;
the rest of a very long plan stays as it is. Measured: 5 us each, 0.1 s in all."""
SLOW = 20
"""Work of applying an operator with blocks or resources."""
BLIND_EFFORT = 2000
"""States to expand without an estimate."""
LANDMARK_EFFORT = 20
"""States to expand for each step of the plan when landmarks are counted."""
FF_EFFORT = 40
"""States to expand or evaluate for each step of the plan by FF."""
WEIGHT = 5.0
"""Weight of the heuristics."""
LESS_WEIGHT = 3.0
"""Weight of FF once it has found a shorter plan: from the start again, as in LAMA."""


# --- elimination of needless steps


def eliminate_actions(task: FlatTask, operators: tuple[int, ...]) -> tuple[int, ...]:
    """Leave out the steps that a plan does not need."""
    walker = _Walker(task)
    place = walker.stepper.start
    position = 0
    try:
        while position < len(operators):
            rest = walker.walk(place, operators[position + 1 :])
            if rest is not None:
                operators = operators[:position] + rest
                continue
            after = walker.apply(place, operators[position])
            assert after is not None, "the plan works"
            place = after
            position += 1
    except _LimitReached:
        pass
    return operators


class _LimitReached(Exception):
    """Enough operators were applied."""


class _Walker:
    """Applies operators, and counts them."""

    def __init__(self, task: FlatTask) -> None:
        self.stepper = Stepper(task)
        self._is_plain = not (len(task.amount) or has_axioms(task))
        self._left = MOST_APPLIED

    def walk(self, start: Situation, operators: tuple[int, ...]) -> tuple[int, ...] | None:
        """Apply the applicable operators, leave out the others; None if that misses the goal."""
        kept = []
        for operator in operators:
            after = self.apply(start, operator)
            if after is not None:
                kept.append(operator)
                start = after
        return tuple(kept) if is_goal(self.stepper.task, start[0]) else None

    def apply(self, start: Situation, operator: int) -> Situation | None:
        """Apply an operator; None if it is not applicable."""
        if self._left <= 0:
            raise _LimitReached
        body = self.stepper.read(operator)
        conditional = len(body.effects) if body.is_conditional else 0
        is_plain = self._is_plain and not body.blocks
        self._left -= 1 + conditional // 10 if is_plain else SLOW + conditional
        return self.stepper.apply(start, operator)


# --- searches for cheaper plans


@dataclass(frozen=True, slots=True)
class ShorteningStage:
    """One search for a plan that costs less."""

    options: SearchOptions
    effort: int
    # the searches that follow once it has found a plan; without a plan the next stage does
    then: tuple[ShorteningStage, ...] = ()


def shorten(
    prepared: PreparedTask,
    # the objective by which the plan is the best; its first criterion is the loss
    objective: Objective,
    plan: FlatPlan,
    effort: int,  # states that were expanded or evaluated until it was found
    options: SearchOptions | None = None,
    memory: int = MEMORY,
    spent: SpentCallback = ignore_spent,
    most_loss: float = 0.0,
) -> tuple[FlatPlan, bool]:
    """Look for a plan with no more loss, or an acceptable one, that costs less.

    Returns:
        the best plan, which is the given one if none is found, and True if it is proven to be the
        cheapest with no more loss than that.
    """
    if objective.order[0] is not Criterion.LOSS or plan.cost <= EPSILON:
        return plan, plan.cost <= EPSILON
    share = prepared.effort_share
    waiting = list(list_stages(options or SearchOptions(), len(plan.operators), effort, share))
    best = plan
    while waiting:
        stage = waiting.pop(0)
        cheaper = replace(
            objective,
            order=(Criterion.COST, Criterion.LOSS),
            loss_budget=max(plan.loss, most_loss),
            cost_budget=step_below(best.cost),
        )
        search = BestFirst(prepared, cheaper, stage.options, memory, spent=spent)
        report = search.run(max(1, stage.effort))
        if report.best is not None:
            best, waiting = report.best, list(stage.then)
            if report.outcome is SearchOutcome.OPTIMAL:
                return best, True
        elif report.outcome is SearchOutcome.EXHAUSTED:  # there is none at all
            return best, True
    return best, False


def list_stages(
    options: SearchOptions, steps: int, spent: int, share: float
) -> tuple[ShorteningStage, ...]:
    """List the searches, in order.

    Args:
        spent: states that were expanded or evaluated until it was found and proven.
        share: 1, or less in tasks where each state takes long.
    """
    blind = replace(
        options,
        algorithm=Algorithm.ASTAR,
        heuristic=Heuristic.BLIND,
        tie_heuristic=Heuristic.BLIND,
        tie_weight=1.0,
    )
    weighted = replace(blind, algorithm=Algorithm.WEIGHTED_ASTAR, weight=WEIGHT)
    by_ff = replace(weighted, heuristic=Heuristic.FF)
    effort = int(share * FF_EFFORT * steps) + spent
    again = ShorteningStage(replace(by_ff, weight=LESS_WEIGHT), effort)
    return (
        ShorteningStage(blind, int(share * BLIND_EFFORT)),
        ShorteningStage(
            replace(weighted, heuristic=Heuristic.LANDMARK_COUNT),
            int(share * LANDMARK_EFFORT * steps),
        ),
        ShorteningStage(by_ff, effort, (again,)),
    )
