# SPDX-License-Identifier: Apache-2.0
"""A plan straight ahead: relaxed plans are carried out as far as they go, one after the other.

Where much has to be moved about, a relaxed plan is nearly a plan: a dozen of estimates leads to the
goal, where a search needs one for almost every step and every other step that it could do instead
(Vidal, "A lookahead strategy for heuristic search planning", 2004). Nothing is taken back: a way
ends at the goal, or where relaxed plans get no shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.kernel import kernel, part
from fcp_ros.planning.flat.semantics import is_goal
from fcp_ros.planning.flat.task import Flags, FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.ff import ff
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace, reweigh, workspace
from fcp_ros.planning.search.grid import composed
from fcp_ros.planning.search.labels import spend
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.outcome import FlatPlan
from fcp_ros.planning.search.prepared import Prepared
from fcp_ros.planning.search.switch_tree import forbidden

IN_VAIN = 20
"""So many relaxed plans in a row may be no shorter than the shortest one before."""
TIMES = 10
"""It begins so many times. Equals come in another random order each time, and never in the same one
twice: what goes to and fro would do so for ever."""

UNFIT, FIT, DONE = 0, 1, 2
"""Whether an operator can't be applied now, can be, or was."""


class Way(NamedTuple):
    """How far operators have led, and scratch memory.

    Attributes:
        state: the value of each variable, int32[n].
        amounts: two numbers without meaning, then the resources, float64[2 + R].
        after: scratch, int32[n].
        left: scratch, float64[R].
        fits: UNFIT, FIT or DONE for each operator that is to be carried out, uint8[m].
    """

    state: Ints
    amounts: Floats
    after: Ints
    left: Floats
    fits: Flags


def first_way(task: FlatTask) -> Way:
    """Where everything begins."""
    return Way(
        task.initial.copy(),
        np.concatenate([[0.0, 0.0], task.amount]),
        task.initial.copy(),
        task.amount.copy(),
        np.zeros(len(task.loss), np.uint8),
    )


def dive(prepared: Prepared, objective: Objective, check: Callable[[], None]) -> FlatPlan | None:
    """The best of some plans, within the budgets; None where no way led to one.

    Arguments:
        prepared: what is searched.
        objective: what counts.
        check: called before each relaxed plan; may raise to interrupt.
    """
    task = prepared.task
    relaxed = reweigh(prepared.relaxed, np.ones(len(task.loss)))
    work = workspace(relaxed)
    best = None
    for seed in range(TIMES):
        operators = _straight_on(task, relaxed, work, np.random.default_rng(seed), check)
        plan = None if operators is None else _within_budgets(task, objective, operators)
        if plan is not None and (best is None or plan.is_better(best, objective)):
            best = plan
    return best


def _straight_on(
    task: FlatTask,
    relaxed: RelaxedTask,
    work: Workspace,
    draw: np.random.Generator,
    check: Callable[[], None],
) -> tuple[int, ...] | None:
    """Operators that lead to the goal, budgets aside; None where this way does not lead there."""
    way = first_way(task)
    done = np.empty(len(task.loss), np.int32)
    found: list[int] = []
    least, in_vain = np.inf, 0
    while not is_goal(task, tuple(way.state.tolist())):
        check()
        length = ff(relaxed, work, way.state)
        in_vain = 0 if length < least else in_vain + 1
        if length == np.inf or in_vain > IN_VAIN:
            return None
        least = min(least, length)
        count = follow(task, way, relaxed_plan(relaxed, work, draw), done)
        found += done[:count].tolist()
        if count == 0:
            return None
    return tuple(found)


def relaxed_plan(relaxed: RelaxedTask, work: Workspace, draw: np.random.Generator) -> Ints:
    """The operators of the relaxed plan that FF has just found, the soonest possible ones first.

    Equally soon ones are in random order.
    """
    chosen = np.flatnonzero(work.operator_mark[:-1] == work.generation[0])
    needs = np.where(work.missing == 0, work.total, np.inf)
    start = relaxed.action_start
    soonest = np.array([needs[start[o] : start[o + 1]].min() for o in chosen.tolist()])
    return chosen[np.lexsort((draw.random(len(chosen)), soonest))].astype(np.int32)


def _within_budgets(
    task: FlatTask, objective: Objective, operators: tuple[int, ...]
) -> FlatPlan | None:
    maximum = objective.composition is Composition.MAXIMUM
    loss = composed(task.loss, operators, maximum)
    cost = composed(task.cost, operators, False)
    if loss > objective.loss_budget + EPSILON or cost > objective.cost_budget + EPSILON:
        return None
    return FlatPlan(operators, loss, cost)


@kernel
def follow(task: FlatTask, way: Way, pending: Ints, done: Ints) -> int:
    """Carries out operators, each once, as long as one of them may be applied; how many.

    An operator waits while it would take away what another one needs that may be applied now.

    Arguments:
        task: the task.
        way: where it begins; receives where it ends.
        pending: the operators in order of preference, int32[k], each once.
        done: receives those that were applied, in order, int32[k].
    """
    fits = way.fits
    for place in range(len(pending)):
        fits[place] = UNFIT
    count = 0
    while True:
        for place in range(len(pending)):
            if fits[place] != DONE:
                fits[place] = FIT if _fits(task, way, pending[place]) else UNFIT
        chosen = -1
        for place in range(len(pending)):
            if fits[place] == FIT:
                disturbs = _disturbs(task, way, pending, place)
                if chosen < 0 or not disturbs:
                    chosen = place
                if not disturbs:
                    break
        if chosen < 0:
            return count
        _apply(task, way, pending[chosen])
        fits[chosen] = DONE
        done[count] = pending[chosen]
        count += 1


@part
def _fits(task: FlatTask, way: Way, operator: int) -> bool:
    """Whether an operator may be applied; then `way.left` is what is left of the resources."""
    for c in range(task.pre_start[operator], task.pre_start[operator + 1]):
        if way.state[task.pre_var[c]] != task.pre_val[c]:
            return False
    if forbidden(task, way.state, operator):
        return False
    return spend(task, way.amounts, operator, way.left)


@part
def _disturbs(task: FlatTask, way: Way, pending: Ints, place: int) -> bool:
    """Whether an operator takes away what another one needs that may be applied now."""
    operator = pending[place]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        var, val = task.eff_var[effect], task.eff_val[effect]
        if way.state[var] == val:
            continue
        for other in range(len(pending)):
            if way.fits[other] != FIT or other == place:
                continue
            asking = pending[other]
            for c in range(task.pre_start[asking], task.pre_start[asking + 1]):
                if task.pre_var[c] == var and task.pre_val[c] != val:
                    return True
    return False


@part
def _apply(task: FlatTask, way: Way, operator: int) -> None:
    """Applies an operator that fits."""
    spend(task, way.amounts, operator, way.left)
    for resource in range(len(way.left)):
        way.amounts[2 + resource] = way.left[resource]
    for var in range(len(way.state)):
        way.after[var] = way.state[var]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        happens = True
        for c in range(task.cond_start[effect], task.cond_start[effect + 1]):
            holds = way.state[task.cond_var[c]] == task.cond_val[c]
            if holds == (task.cond_neg[c] != 0):
                happens = False
                break
        if happens:
            way.after[task.eff_var[effect]] = task.eff_val[effect]
    for var in range(len(way.state)):
        way.state[var] = way.after[var]
