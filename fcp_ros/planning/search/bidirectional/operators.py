# SPDX-License-Identifier: Apache-2.0
"""The operators of a flat task as values that both directions use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.flat.task import operators as operator_count
from fcp_ros.planning.search.bidirectional.pattern import Clause, Literal, Pattern, conjunction

CASES = 256
"""Ways in which the conditional effects of one operator may come out, at most."""


@dataclass(frozen=True, slots=True)
class Write:
    """variable := value, where all of `when` hold; without any, always."""

    variable: int
    value: int
    when: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator.

    Attributes:
        needs: the states that it may be applied in, resources and windows aside; None: in no state.
        writes: its effects, in order; conditions are read in the state before, later ones win.
    """

    needs: Pattern | None
    writes: tuple[Write, ...]


def operators_of(task: FlatTask) -> list[Operator]:
    """All operators of a task, in order."""
    return [_operator(task, number) for number in range(operator_count(task))]


def goal_of(task: FlatTask) -> Pattern | None:
    """The goal of a task; None where it contradicts itself."""
    units: dict[int, int] = {}
    for variable, value in zip(task.goal_var.tolist(), task.goal_val.tolist(), strict=True):
        units[variable] = units.get(variable, everything(task, variable)) & 1 << value
    return conjunction(units, ())


def successor(operator: Operator, state: tuple[int, ...]) -> tuple[int, ...]:
    """The state after an operator."""
    after = list(state)
    for write in operator.writes:
        if all(mask >> state[variable] & 1 for variable, mask in write.when):
            after[write.variable] = write.value
    return tuple(after)


def unsuitable(task: FlatTask) -> str:
    """Why this task can't be searched backwards; "" where it can.

    An operator with many conditional effects regresses into one pattern for each way in which they
    may come out. Where those are too many, search forward.
    """
    for number in range(operator_count(task)):
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


def everything(task: FlatTask, variable: int) -> int:
    """The mask of all values of a variable."""
    return (1 << int(task.domain[variable])) - 1


def negation(task: FlatTask, literals: Sequence[Literal]) -> Clause | None:
    """The clause that says that not all of the literals hold; None where that is always so."""
    masks: dict[int, int] = {}
    for variable, mask in literals:
        full = everything(task, variable)
        masks[variable] = masks.get(variable, 0) | (full & ~mask)
        if masks[variable] == full:
            return None
    return tuple(sorted((variable, mask) for variable, mask in masks.items() if mask))


def _operator(task: FlatTask, number: int) -> Operator:
    units: dict[int, int] = {}
    clauses: list[Clause] = []
    equal = range(task.pre_start[number], task.pre_start[number + 1])
    unequal = range(task.not_start[number], task.not_start[number + 1])
    literals = [_equal(int(task.pre_var[c]), int(task.pre_val[c])) for c in equal]
    literals += [_unequal(task, int(task.not_var[c]), int(task.not_val[c])) for c in unequal]
    for variable, mask in literals:
        units[variable] = units.get(variable, mask) & mask
    for block in range(task.block_start[number], task.block_start[number + 1]):
        clauses += _block(task, block)
    effects = range(task.eff_start[number], task.eff_start[number + 1])
    return Operator(conjunction(units, clauses), tuple(_write(task, e) for e in effects))


def _block(task: FlatTask, block: int) -> list[Clause]:
    """Not all of rest, or all of done: a clause for each literal of done."""
    rest = [
        _equal(int(task.rest_var[c]), int(task.rest_val[c]))
        for c in range(task.rest_start[block], task.rest_start[block + 1])
    ]
    found = []
    for c in range(task.done_start[block], task.done_start[block + 1]):
        done = _unequal(task, int(task.done_var[c]), int(task.done_val[c]))
        clause = negation(task, [*rest, done])
        if clause is not None:
            found.append(clause)
    return found


def _write(task: FlatTask, effect: int) -> Write:
    when = []
    for c in range(task.cond_start[effect], task.cond_start[effect + 1]):
        variable, value = int(task.cond_var[c]), int(task.cond_val[c])
        negative = bool(task.cond_neg[c])
        when.append(_unequal(task, variable, value) if negative else _equal(variable, value))
    return Write(int(task.eff_var[effect]), int(task.eff_val[effect]), tuple(when))


def _equal(variable: int, value: int) -> Literal:
    return variable, 1 << value


def _unequal(task: FlatTask, variable: int, value: int) -> Literal:
    return variable, everything(task, variable) & ~(1 << value)
