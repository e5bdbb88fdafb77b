# SPDX-License-Identifier: Apache-2.0
"""The operators of a flat task as values that both directions use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.planning.flat.task import FlatTask, count_operators, has_axioms
from fcp_ros.planning.search.bidirectional.partial_state import (
    Clause,
    Literal,
    PartialState,
    conjoin,
)

CASES = 256
"""Most combinations of outcomes of the conditional effects of one operator."""


@dataclass(frozen=True, slots=True)
class Write:
    """variable := value, if all of `when` hold; always without any."""

    variable: int
    value: int
    when: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class MaskedOperator:
    """One operator.

    Attributes:
        needs: the states in which it is applicable, resources and windows aside; None: in none.
        writes: its effects, in order; conditions are read in the state before, later ones win.
    """

    needs: PartialState | None
    writes: tuple[Write, ...]


def read_operators(task: FlatTask) -> list[MaskedOperator]:
    """Read the operators of a task, in order."""
    return [_read_operator(task, number) for number in range(count_operators(task))]


def read_goal(task: FlatTask) -> PartialState | None:
    """Read the goal of a task; None if it contradicts itself."""
    units: dict[int, int] = {}
    for variable, value in zip(task.goal_var.tolist(), task.goal_val.tolist(), strict=True):
        units[variable] = units.get(variable, full_mask(task, variable)) & 1 << value
    return conjoin(units, ())


def apply_operator(operator: MaskedOperator, state: tuple[int, ...]) -> tuple[int, ...]:
    """Apply an operator to a state."""
    after = list(state)
    for write in operator.writes:
        if all(mask >> state[variable] & 1 for variable, mask in write.when):
            after[write.variable] = write.value
    return tuple(after)


def explain_unsuitable(task: FlatTask) -> str:
    """Explain in one sentence why a task cannot be searched backwards; "" if it can.

    An operator with conditional effects regresses into one partial state for each combination of
    their outcomes. If those are too many, search forward. What an axiom needs is not written by
    operators, so they don't regress at all.
    """
    if has_axioms(task):
        return "the task has axioms: search forward"
    for number in range(count_operators(task)):
        ways: dict[int, int] = {}
        for effect in range(task.eff_start[number], task.eff_start[number + 1]):
            if task.cond_start[effect] < task.cond_start[effect + 1]:
                variable = int(task.eff_var[effect])
                ways[variable] = ways.get(variable, 1) + 1
        if math.prod(ways.values()) > CASES:
            return (
                f"operator {number} has conditional effects that may come out in "
                f"{math.prod(ways.values())} ways, more than {CASES}: search forward"
            )
    return ""


def full_mask(task: FlatTask, variable: int) -> int:
    """Return the mask of all values of a variable."""
    return (1 << int(task.domain[variable])) - 1


def negate(task: FlatTask, literals: Sequence[Literal]) -> Clause | None:
    """Make the clause that not all of the literals hold; None if that is always so."""
    masks: dict[int, int] = {}
    for variable, mask in literals:
        full = full_mask(task, variable)
        masks[variable] = masks.get(variable, 0) | (full & ~mask)
        if masks[variable] == full:
            return None
    return tuple(sorted((variable, mask) for variable, mask in masks.items() if mask))


def _read_operator(task: FlatTask, number: int) -> MaskedOperator:
    units: dict[int, int] = {}
    clauses: list[Clause] = []
    equal = range(task.pre_start[number], task.pre_start[number + 1])
    unequal = range(task.not_start[number], task.not_start[number + 1])
    literals = [_equal_to(int(task.pre_var[c]), int(task.pre_val[c])) for c in equal]
    literals += [_unequal_to(task, int(task.not_var[c]), int(task.not_val[c])) for c in unequal]
    for variable, mask in literals:
        units[variable] = units.get(variable, mask) & mask
    for block in range(task.block_start[number], task.block_start[number + 1]):
        clauses += _read_block(task, block)
    effects = range(task.eff_start[number], task.eff_start[number + 1])
    return MaskedOperator(conjoin(units, clauses), tuple(_read_write(task, e) for e in effects))


def _read_block(task: FlatTask, block: int) -> list[Clause]:
    """Read a block, "not all of rest, or all of done", as a clause for each literal of done."""
    rest = [
        _equal_to(int(task.rest_var[c]), int(task.rest_val[c]))
        for c in range(task.rest_start[block], task.rest_start[block + 1])
    ]
    found = []
    for c in range(task.done_start[block], task.done_start[block + 1]):
        done = _unequal_to(task, int(task.done_var[c]), int(task.done_val[c]))
        clause = negate(task, [*rest, done])
        if clause is not None:
            found.append(clause)
    return found


def _read_write(task: FlatTask, effect: int) -> Write:
    when = []
    for c in range(task.cond_start[effect], task.cond_start[effect + 1]):
        variable, value = int(task.cond_var[c]), int(task.cond_val[c])
        negative = bool(task.cond_neg[c])
        when.append(_unequal_to(task, variable, value) if negative else _equal_to(variable, value))
    return Write(int(task.eff_var[effect]), int(task.eff_val[effect]), tuple(when))


def _equal_to(variable: int, value: int) -> Literal:
    return variable, 1 << value


def _unequal_to(task: FlatTask, variable: int, value: int) -> Literal:
    return variable, full_mask(task, variable) & ~(1 << value)
