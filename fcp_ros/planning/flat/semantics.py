# SPDX-License-Identifier: Apache-2.0
"""The meaning of a flat task, slow and obvious: the twin that every kernel is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.task import FlatTask, count_operators, read_row

FlatState = tuple[int, ...]
"""The value of each variable."""
Amounts = tuple[float, ...]
"""The amount of each resource."""


def initial_state(task: FlatTask) -> FlatState:
    return tuple(int(value) for value in task.initial)


def initial_amounts(task: FlatTask) -> Amounts:
    return tuple(float(value) for value in task.amount)


def is_goal(task: FlatTask, state: FlatState) -> bool:
    goal = zip(task.goal_var.tolist(), task.goal_val.tolist(), strict=True)
    return all(state[var] == val for var, val in goal)


def is_applicable(task: FlatTask, state: Sequence[int], operator: int) -> bool:
    """Return True if an operator is applicable in a state, resources and windows aside."""
    pre = read_row(task.pre_start, task.pre_var, task.pre_val, operator)
    unequal = read_row(task.not_start, task.not_var, task.not_val, operator)
    return (
        all(state[var] == val for var, val in pre)
        and all(state[var] != val for var, val in unequal)
        and not any(
            _is_blocked(task, state, block)
            for block in range(task.block_start[operator], task.block_start[operator + 1])
        )
    )


def find_applicable(task: FlatTask, state: FlatState) -> list[int]:
    """Find the operators applicable in a state, resources and windows aside, in order."""
    return [o for o in range(count_operators(task)) if is_applicable(task, state, o)]


def successor(task: FlatTask, state: FlatState, operator: int) -> FlatState:
    after = list(state)
    advance(task, after, operator)
    return tuple(after)


def derive(task: FlatTask, state: Sequence[int]) -> FlatState:
    """Return a state with its derived variables as they follow from the others."""
    axioms, now = task.axioms, list(state)
    for variable in axioms.derived.tolist():
        now[variable] = 0
    for first, end in pairwise(axioms.stratum_start.tolist()):
        while True:
            new = {
                int(axioms.head[axiom])
                for axiom in range(first, end)
                if now[axioms.head[axiom]] == 0 and _fires(task, now, axiom)
            }
            if not new:
                break
            for variable in new:
                now[variable] = 1
    return tuple(now)


def _fires(task: FlatTask, state: Sequence[int], axiom: int) -> bool:
    axioms = task.axioms
    return all(
        (state[axioms.need_var[k]] == axioms.need_val[k]) != bool(axioms.need_neg[k])
        for k in range(axioms.need_start[axiom], axioms.need_start[axiom + 1])
    )


def advance(task: FlatTask, state: list[int], operator: int) -> None:
    """Turn a state into the one after an operator.

    Without axioms, the time depends on the operator only.
    """
    effects = range(task.eff_start[operator], task.eff_start[operator + 1])
    for effect in [one for one in effects if _happens(task, state, one)]:
        state[task.eff_var[effect]] = int(task.eff_val[effect])
    if len(task.axioms.derived):
        state[:] = derive(task, state)


def amounts_after(task: FlatTask, amounts: Amounts, operator: int) -> Amounts | None:
    """The resources after an operator; None if they do not allow it."""
    left = []
    for resource, before in enumerate(amounts):
        amount = before
        if resource == task.clock:
            amount = max(amount, float(task.opens[operator]))
        use = float(task.use[operator, resource])
        amount -= use
        if use != 0.0 and not (
            task.low[resource] - EPSILON <= amount <= task.high[resource] + EPSILON
        ):
            return None
        if resource == task.clock and amount > task.closes[operator] + EPSILON:
            return None
        left.append(amount)
    return tuple(left)


def _is_blocked(task: FlatTask, state: Sequence[int], block: int) -> bool:
    rest = read_row(task.rest_start, task.rest_var, task.rest_val, block)
    done = read_row(task.done_start, task.done_var, task.done_val, block)
    return all(state[var] == val for var, val in rest) and not all(
        state[var] == val for var, val in done
    )


def _happens(task: FlatTask, state: Sequence[int], effect: int) -> bool:
    first, last = task.cond_start[effect], task.cond_start[effect + 1]
    return all(
        (state[task.cond_var[c]] == task.cond_val[c]) != bool(task.cond_neg[c])
        for c in range(first, last)
    )
