# SPDX-License-Identifier: Apache-2.0
"""Relaxed plans carried out as far as they go (Vidal, "A lookahead strategy", 2004)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.axioms import AxiomScratch, derive_values, make_scratch
from fcp_ros.planning.flat.jit import kernel, part
from fcp_ros.planning.flat.task import Flags, FlatTask, Floats, Ints
from fcp_ros.planning.search.kernel.dominance import spend_resources
from fcp_ros.planning.search.kernel.switch_tree import is_forbidden

UNFIT, FIT, DONE = 0, 1, 2
"""An operator of a relaxed plan is not applicable now, is applicable, or was applied."""


class RelaxedPath(NamedTuple):
    """The end of a path so far, and scratch memory."""

    state: Ints  # the value of each variable, int32[n]
    # two unused numbers, then the resources, float64[2 + R]: the layout of a label, so that
    # `spend_resources` can read it
    amounts: Floats
    after: Ints  # scratch, int32[n]
    left: Floats  # scratch, float64[R]
    # UNFIT, FIT or DONE for each operator to be carried out, by its place in the list, uint8[m]
    fits: Flags
    axioms: AxiomScratch


def begin_path(task: FlatTask) -> RelaxedPath:
    """Begin a path at the initial state."""
    return RelaxedPath(
        task.initial.copy(),
        np.concatenate([[0.0, 0.0], task.amount]),
        task.initial.copy(),
        task.amount.copy(),
        np.zeros(len(task.loss), np.uint8),
        make_scratch(task.axioms),
    )


@kernel
def follow(task: FlatTask, path: RelaxedPath, pending: Ints, done: Ints) -> int:
    """Apply operators, each at most once, as long as one of them is applicable.

    An operator waits while it would destroy a precondition of another one that is applicable now.

    Args:
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
def _is_applicable(task: FlatTask, path: RelaxedPath, operator: int) -> bool:
    """Return True if an operator is applicable; `path.left` then has the resources after it."""
    for c in range(task.pre_start[operator], task.pre_start[operator + 1]):
        if path.state[task.pre_var[c]] != task.pre_val[c]:
            return False
    if is_forbidden(task, path.state, operator):
        return False
    return spend_resources(task, path.amounts, operator, path.left)


@part
def _disturbs(task: FlatTask, path: RelaxedPath, pending: Ints, place: int) -> bool:
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
def _apply(task: FlatTask, path: RelaxedPath, operator: int) -> None:
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
