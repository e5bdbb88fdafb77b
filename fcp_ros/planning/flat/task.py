# SPDX-License-Identifier: Apache-2.0
"""The flat task: a planning task in finite-domain variables, as arrays that kernels read.

A state is one value for each variable. Everything an operator, an effect or a block owns lies in
one slice of a flat array: operator `o` has the preconditions `pre_start[o] .. pre_start[o + 1]`.
`semantics.py` defines the meaning, slowly; every kernel is compared with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.jit import kernel

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Flags = NDArray[np.uint8]
Marks = NDArray[np.int64]

EXACT = 2**53
"""Whole numbers up to this one are exact in float64."""

# --- axioms: derived variables, which follow from the others in every state
#
# A derived variable has two values: 1 if an axiom makes it so, else 0. Axioms fire stratum by
# stratum, within one until nothing changes. The kernel counts what each axiom still waits for, so
# that it looks at each need once (Dowling, Gallier, Linear-time algorithms for testing the
# satisfiability of propositional Horn formulae, 1984); Fast Downward does the same in each state
# (Helmert, The Fast Downward planning system, 2006).


@dataclass(frozen=True, slots=True)
class FlatAxiom:
    """head := 1 if all of `equal` hold and none of `unequal` does.

    Attributes:
        equal, unequal: pairs of a variable and a value.
    """

    head: int
    # of the axiom, the same for all of its head. Needs on derived variables of the same stratum are
    # (variable, 1) in `equal`; others are of earlier strata.
    stratum: int
    equal: tuple[tuple[int, int], ...] = ()
    unequal: tuple[tuple[int, int], ...] = ()


class FlatAxioms(NamedTuple):
    """a axioms on d derived variables, in s strata.

    Attributes:
        need_start, need_var, need_val, need_neg: what each axiom needs: variable = value, or !=
            if need_neg is 1; int32[a + 1] and flat. Needs on its own stratum come last.
        user_start, user: axioms that need a derived variable of their own stratum, int32[n + 1]
            and flat, for n variables.
    """

    derived: Ints  # the derived variables, int32[d]
    stratum_start: Ints  # first axiom of each stratum, int32[s + 1]
    head: Ints  # derived variable of each axiom, int32[a]
    need_start: Ints
    need_var: Ints
    need_val: Ints
    need_neg: Flags
    own_start: Ints  # the first need of each axiom on its own stratum, int32[a]
    user_start: Ints
    user: Ints


class AxiomScratch(NamedTuple):
    """Scratch arrays, of one thread at a time."""

    missing: Ints
    queue: Ints


def pack_axioms(axioms: Sequence[FlatAxiom], variables: int) -> FlatAxioms:
    ordered = sorted(dict.fromkeys(axioms), key=lambda axiom: axiom.stratum)
    stratum_of = {axiom.head: axiom.stratum for axiom in ordered}
    sizes: dict[int, int] = {}
    needs: list[tuple[int, int, int]] = []
    starts, own_starts = [0], []
    users: list[list[int]] = [[] for _ in range(variables)]
    for number, axiom in enumerate(ordered):
        sizes[axiom.stratum] = sizes.get(axiom.stratum, 0) + 1
        own = [pair for pair in axiom.equal if stratum_of.get(pair[0]) == axiom.stratum]
        needs += [(*pair, 0) for pair in axiom.equal if pair not in own]
        needs += [(*pair, 1) for pair in axiom.unequal]
        own_starts.append(len(needs))
        needs += [(*pair, 0) for pair in own]
        starts.append(len(needs))
        for variable, _ in own:
            users[variable].append(number)
    columns = np.array(needs, np.int32).reshape(-1, 3)
    return FlatAxioms(
        np.array(sorted(stratum_of), np.int32),
        np.array([0, *accumulate(sizes.values())], np.int32),
        np.array([axiom.head for axiom in ordered], np.int32),
        np.array(starts, np.int32),
        np.ascontiguousarray(columns[:, 0]),
        np.ascontiguousarray(columns[:, 1]),
        columns[:, 2].astype(np.uint8),
        np.array(own_starts, np.int32),
        np.array([0, *accumulate(map(len, users))], np.int32),
        np.array([number for row in users for number in row], np.int32),
    )


NO_AXIOMS = pack_axioms((), 0)


def make_scratch(axioms: FlatAxioms) -> AxiomScratch:
    return AxiomScratch(
        np.zeros(len(axioms.head), np.int32), np.zeros(len(axioms.derived), np.int32)
    )


@kernel
def derive_values(axioms: FlatAxioms, scratch: AxiomScratch, values: Ints) -> None:
    """Set the derived variables of a state: of `values`, int32[n], which is changed in place.

    Args:
        values: value of each variable, int32[n]; derived ones are overwritten.
    """
    missing, queue = scratch.missing, scratch.queue
    for d in range(len(axioms.derived)):
        values[axioms.derived[d]] = 0
    for stratum in range(len(axioms.stratum_start) - 1):
        tail = 0
        for axiom in range(axioms.stratum_start[stratum], axioms.stratum_start[stratum + 1]):
            own, end = axioms.own_start[axiom], axioms.need_start[axiom + 1]
            missing[axiom] = end - own
            for k in range(axioms.need_start[axiom], own):
                holds = values[axioms.need_var[k]] == axioms.need_val[k]
                if holds == (axioms.need_neg[k] != 0):
                    missing[axiom] = -1  # it waits for ever
                    break
            head = axioms.head[axiom]
            if missing[axiom] == 0 and values[head] == 0:
                values[head] = 1
                queue[tail] = head
                tail += 1
        # Needs on the stratum itself were counted as missing, so each new fact is told once.
        front = 0
        while front < tail:
            variable = queue[front]
            front += 1
            for k in range(axioms.user_start[variable], axioms.user_start[variable + 1]):
                axiom = axioms.user[k]
                if missing[axiom] <= 0:
                    continue
                missing[axiom] -= 1
                head = axioms.head[axiom]
                if missing[axiom] == 0 and values[head] == 0:
                    values[head] = 1
                    queue[tail] = head
                    tail += 1


# --- the task as arrays


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
    return len(task.domain)


def has_axioms(task: FlatTask) -> bool:
    """Return True if some variables follow from the others."""
    return len(task.axioms.head) > 0


def count_operators(task: FlatTask) -> int:
    return len(task.loss)


def read_row(start: Ints, var: Ints, val: Ints, row: int) -> tuple[tuple[int, int], ...]:
    """Read the pairs of variable and value in one slice of flat arrays."""
    part = slice(start[row], start[row + 1])
    return tuple(zip(var[part].tolist(), val[part].tolist(), strict=True))
