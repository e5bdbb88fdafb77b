# SPDX-License-Identifier: Apache-2.0
"""The operators of a flat task as values that both directions use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.planning.flat.builder import Assignment, FlatBlock, read_body
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
    """One operator."""

    # the states in which it is applicable, resources and windows aside; None: in none
    needs: PartialState | None
    # its effects, in order; conditions are read in the state before, later ones win
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
        for effect in read_body(task, number).effects:
            if effect.is_conditional:
                ways[effect.variable] = ways.get(effect.variable, 1) + 1
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
    body = read_body(task, number)
    units: dict[int, int] = {}
    for variable, mask in _read_literals(task, body.pre, body.unequal):
        units[variable] = units.get(variable, mask) & mask
    clauses = [clause for block in body.blocks for clause in _read_block(task, block)]
    writes = (
        Write(one.variable, one.value, _read_literals(task, one.equal, one.unequal))
        for one in body.effects
    )
    return MaskedOperator(conjoin(units, clauses), tuple(writes))


def _read_block(task: FlatTask, block: FlatBlock) -> list[Clause]:
    """Read a block, "not all of rest, or all of done", as a clause for each literal of done."""
    clauses = [negate(task, _read_literals(task, block.rest, (done,))) for done in block.done]
    return [clause for clause in clauses if clause is not None]


def _read_literals(
    task: FlatTask, equal: Sequence[Assignment], unequal: Sequence[Assignment]
) -> tuple[Literal, ...]:
    return (
        *((variable, 1 << value) for variable, value in equal),
        *((variable, full_mask(task, variable) & ~(1 << value)) for variable, value in unequal),
    )
