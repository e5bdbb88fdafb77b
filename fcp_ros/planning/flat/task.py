# SPDX-License-Identifier: Apache-2.0
"""The flat task: a planning task in finite-domain variables, as arrays that kernels read.

A state is one value for each variable. Everything an operator, an effect or a block owns lies in
one slice of a flat array: operator `o` has the preconditions `pre_start[o] .. pre_start[o + 1]`.
`semantics.py` defines the meaning, slowly; every kernel is compared with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.axioms import NO_AXIOMS, FlatAxioms

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]
Marks = NDArray[np.int64]

EXACT = 2**53
"""Whole numbers up to this one are exact in float64."""


class FlatTask(NamedTuple):
    """n variables, m operators, R resources; compiled kernels take it as one argument.

    Attributes:
        domain: number of values of each variable, int32[n], each at least 1.
        initial: initial value of each variable, int32[n].

        pre_start, pre_var, pre_val: operator needs variable = value; int32[m + 1] and flat.

        eff_start, eff_var, eff_val: effects variable := value of each operator. All conditions are
            read in the state before; effects are written in order, so a later one wins.
        cond_start, cond_var, cond_val, cond_neg: the conditions of each *effect* (indexed like
            eff_var): variable = value, or != if cond_neg is 1. An effect without conditions always
            happens.

        block_start: the blocks of each operator. Block b forbids the operator in states where all
            of its `rest` hold and not all of its `done` do (it would newly complete a pattern that
            a constraint forbids); `done` is never empty.
        rest_start, rest_var, rest_val: those conjunctions, for each block.
        done_start, done_var, done_val: those conjunctions, for each block.

        loss: loss of each operator in the t-norm's scale, float64[m], >= 0.
        cost: cost of each operator in the secondary scale (steps, duration or cost), >= 0.

        use: the amount that each operator takes from each resource, float64[m, R]; a negative one
            is given.
        amount: initial amount of each resource, float64[R].
        low, high: bounds that no resource may leave after a step, float64[R].
        clock: number of the resource that counts time *upwards* in seconds (its use is -duration),
            or -1.
        opens, closes: an operator starts no earlier than `opens` and ends no later than `closes`
            on the clock, in seconds, float64[m]; 0 and infinity without a window. An operator that
            would start too early waits: the clock is set to `opens` first. Ignored if clock is -1.
        axioms: what follows in each state; no effect is on a derived variable.
    """

    domain: Ints
    initial: Ints
    goal_var: Ints
    goal_val: Ints

    pre_start: Ints
    pre_var: Ints
    pre_val: Ints
    not_start: Ints
    not_var: Ints
    not_val: Ints

    eff_start: Ints
    eff_var: Ints
    eff_val: Ints
    cond_start: Ints
    cond_var: Ints
    cond_val: Ints
    cond_neg: Flags

    block_start: Ints
    rest_start: Ints
    rest_var: Ints
    rest_val: Ints
    done_start: Ints
    done_var: Ints
    done_val: Ints

    loss: Floats
    cost: Floats

    use: Floats
    amount: Floats
    low: Floats
    high: Floats
    clock: int
    opens: Floats
    closes: Floats
    axioms: FlatAxioms = NO_AXIOMS


def count_variables(task: FlatTask) -> int:
    """Count the variables."""
    return len(task.domain)


def has_axioms(task: FlatTask) -> bool:
    """Return True if some variables follow from the others."""
    return len(task.axioms.head) > 0


def count_operators(task: FlatTask) -> int:
    """Count the operators."""
    return len(task.loss)


def read_row(start: Ints, var: Ints, val: Ints, row: int) -> tuple[tuple[int, int], ...]:
    """Read the pairs of variable and value in one slice of flat arrays."""
    part = slice(start[row], start[row + 1])
    return tuple(zip(var[part].tolist(), val[part].tolist(), strict=True))
