# SPDX-License-Identifier: Apache-2.0
"""Lookahead plans: relaxed plans carried out as far as they go, one after the other.

In tasks with many things to move, a relaxed plan is nearly a plan: a dozen estimates lead to the
goal, where a search needs one for almost every step and every alternative to it (Vidal, "A
lookahead strategy for heuristic search planning", 2004). Nothing is taken back: a path ends at the
goal, or when relaxed plans get no shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.axioms import AxiomScratch, derive_values, make_scratch
from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.flat.semantics import is_goal
from fcp_ros.planning.flat.task import Flags, FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.ff import ff
from fcp_ros.planning.heuristics.relaxed_task import (
    RelaxedTask,
    Workspace,
    make_workspace,
    reweigh,
)
from fcp_ros.planning.search.kernel.dominance import spend_resources
from fcp_ros.planning.search.kernel.switch_tree import is_forbidden
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.outcome import FlatPlan, make_plan
from fcp_ros.planning.search.prepared import PreparedTask

MOST_FAILURES = 20
"""A path is given up after this many relaxed plans in a row that are no shorter than the shortest
one before."""
TRIES = 10
"""Number of paths. Equals come in another random order each time, and never in the same order
twice: a path that goes to and fro would do so forever."""

UNFIT, FIT, DONE = 0, 1, 2
"""An operator of a relaxed plan is not applicable now, is applicable, or was applied."""


class LookaheadPath(NamedTuple):
    """The end of a path so far, and scratch memory.

    Attributes:
        state: the value of each variable, int32[n].
        amounts: two unused numbers, then the resources, float64[2 + R]: the layout of a label, so
            that `spend_resources` can read it.
        after: scratch, int32[n].
        left: scratch, float64[R].
        fits: UNFIT, FIT or DONE for each operator to be carried out, by its place in the list,
            uint8[m].
        axioms: scratch of the axioms.
    """

    state: Ints
    amounts: Floats
    after: Ints
    left: Floats
    fits: Flags
    axioms: AxiomScratch


def begin_path(task: FlatTask) -> LookaheadPath:
    """Begin a path at the initial state."""
    return LookaheadPath(
        task.initial.copy(),
        np.concatenate([[0.0, 0.0], task.amount]),
        task.initial.copy(),
        task.amount.copy(),
        np.zeros(len(task.loss), np.uint8),
        make_scratch(task.axioms),
    )


def find_lookahead_plan(
    prepared: PreparedTask, objective: Objective, check: Callable[[], None]
) -> FlatPlan | None:
    """Find the best of some lookahead plans within the budgets; None if no path led to one.

    Args:
        prepared: the task.
        objective: what is optimised.
        check: called before each relaxed plan; may raise to interrupt.
    """
    task = prepared.task
    relaxed = reweigh(prepared.relaxed, np.ones(len(task.loss)))
    work = make_workspace(relaxed)
    best = None
    for seed in range(TRIES):
        operators = _go_ahead(task, relaxed, work, np.random.default_rng(seed), check)
        if operators is None:
            continue
        plan = make_plan(task, operators, objective.composition)
        if plan.is_within(objective) and (best is None or plan.is_better(best, objective)):
            best = plan
    return best


def _go_ahead(
    task: FlatTask,
    relaxed: RelaxedTask,
    work: Workspace,
    draw: np.random.Generator,
    check: Callable[[], None],
) -> tuple[int, ...] | None:
    """Follow relaxed plans to the goal, budgets aside; None if this path does not lead there."""
    path = begin_path(task)
    done = np.empty(len(task.loss), np.int32)
    found: list[int] = []
    least, failures = np.inf, 0
    while not is_goal(task, tuple(path.state.tolist())):
        check()
        length = ff(relaxed, work, path.state)
        failures = 0 if length < least else failures + 1
        if length == np.inf or failures > MOST_FAILURES:
            return None
        least = min(least, length)
        count = follow(task, path, order_relaxed_plan(relaxed, work, draw), done)
        found += done[:count].tolist()
        if count == 0:
            return None
    return tuple(found)


def order_relaxed_plan(relaxed: RelaxedTask, work: Workspace, draw: np.random.Generator) -> Ints:
    """Sort the operators of the relaxed plan that FF has just found by the cost of their needs.

    Equals are in random order.
    """
    chosen = np.flatnonzero(work.operator_mark[:-1] == work.generation[0])
    needs = np.where(work.missing == 0, work.total, np.inf)
    start = relaxed.action_start
    soonest = np.array([needs[start[o] : start[o + 1]].min() for o in chosen.tolist()])
    return chosen[np.lexsort((draw.random(len(chosen)), soonest))].astype(np.int32)


@kernel
def follow(task: FlatTask, path: LookaheadPath, pending: Ints, done: Ints) -> int:
    """Apply operators, each at most once, as long as one of them is applicable.

    An operator waits while it would destroy a precondition of another one that is applicable now.

    Args:
        task: the task.
        path: its end moves to the state after the operators.
        pending: distinct operators in order of preference, int32[k].
        done: receives those that were applied, in order, int32[k].

    Returns:
        The number of operators in `done`.
    """
    fits = path.fits
    for place in range(len(pending)):
        fits[place] = UNFIT
    count = 0
    while True:
        for place in range(len(pending)):
            if fits[place] != DONE:
                fits[place] = FIT if _is_applicable(task, path, pending[place]) else UNFIT
        chosen = -1
        for place in range(len(pending)):
            if fits[place] == FIT:
                disturbs = _disturbs(task, path, pending, place)
                if chosen < 0 or not disturbs:
                    chosen = place
                if not disturbs:
                    break
        if chosen < 0:
            return count
        _apply(task, path, pending[chosen])
        fits[chosen] = DONE
        done[count] = pending[chosen]
        count += 1


@part
def _is_applicable(task: FlatTask, path: LookaheadPath, operator: int) -> bool:
    """Return True if an operator is applicable; `path.left` then has the resources after it."""
    for c in range(task.pre_start[operator], task.pre_start[operator + 1]):
        if path.state[task.pre_var[c]] != task.pre_val[c]:
            return False
    if is_forbidden(task, path.state, operator):
        return False
    return spend_resources(task, path.amounts, operator, path.left)


@part
def _disturbs(task: FlatTask, path: LookaheadPath, pending: Ints, place: int) -> bool:
    """Return True if an operator destroys a precondition of another applicable one."""
    operator = pending[place]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        var, val = task.eff_var[effect], task.eff_val[effect]
        if path.state[var] == val:
            continue
        for other in range(len(pending)):
            if path.fits[other] != FIT or other == place:
                continue
            asking = pending[other]
            for c in range(task.pre_start[asking], task.pre_start[asking + 1]):
                if task.pre_var[c] == var and task.pre_val[c] != val:
                    return True
    return False


@part
def _apply(task: FlatTask, path: LookaheadPath, operator: int) -> None:
    """Apply an applicable operator."""
    spend_resources(task, path.amounts, operator, path.left)
    for resource in range(len(path.left)):
        path.amounts[2 + resource] = path.left[resource]
    for var in range(len(path.state)):
        path.after[var] = path.state[var]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        happens = True
        for c in range(task.cond_start[effect], task.cond_start[effect + 1]):
            holds = path.state[task.cond_var[c]] == task.cond_val[c]
            if holds == (task.cond_neg[c] != 0):
                happens = False
                break
        if happens:
            path.after[task.eff_var[effect]] = task.eff_val[effect]
    if len(task.axioms.head) > 0:
        derive_values(task.axioms, path.axioms, path.after)
    for var in range(len(path.state)):
        path.state[var] = path.after[var]
