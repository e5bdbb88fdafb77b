# SPDX-License-Identifier: Apache-2.0
"""Regression: the states from which an operator leads into a partial state (Rintanen 2008, sec. 3).

For an operator without conditional effects they are one partial state. With conditional effects
there is one for each combination of outcomes of those that matter; together they are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.bidirectional.operators import MaskedOperator, Write, negate
from fcp_ros.planning.search.bidirectional.partial_state import (
    Clause,
    Literal,
    PartialState,
    conjoin,
)


class EffectCase(NamedTuple):
    """One outcome of an operator for one variable, and its conditions."""

    value: int | None  # the value written; None: none
    units: tuple[Literal, ...]  # literals that must hold for it in the state before
    clauses: tuple[Clause, ...]  # clauses that must hold for it in the state before


class Regression:
    """Regresses partial states through the operators of one task."""

    def __init__(self, task: FlatTask, operators: Sequence[MaskedOperator]) -> None:
        self._operators = operators
        self._cases = [_find_cases(task, operator) for operator in operators]
        self._writers: dict[int, list[tuple[int, int]]] = {}
        for number, operator in enumerate(operators):
            if operator.needs is None:
                continue
            for variable, value in {(write.variable, write.value) for write in operator.writes}:
                self._writers.setdefault(variable, []).append((value, number))

    def find_achievers(self, partial: PartialState) -> set[int]:
        """Find the operators that may make a literal of a partial state true."""
        literals = [*partial.units, *(literal for clause in partial.clauses for literal in clause)]
        return {
            number
            for variable, mask in literals
            for value, number in self._writers.get(variable, ())
            if mask >> value & 1
        }

    def regress(
        self, partial: PartialState, number: int, *, idle: bool = False
    ) -> Iterator[PartialState]:
        """Yield the partial states from which an operator leads into `partial`.

        Args:
            idle: yield also the cases in which it makes no literal true (they need more than
                `partial` itself, and are of use for resources only).
        """
        needs = self._operators[number].needs
        if needs is None:
            return
        restricted = {variable for variable, _ in partial.units}
        restricted.update(variable for clause in partial.clauses for variable, _ in clause)
        written = [
            [(variable, case) for case in cases]
            for variable, cases in self._cases[number].items()
            if variable in restricted
        ]
        for choice in product(*written):
            found = _regress(partial, needs, dict(choice), idle)
            if found is not None:
                yield found


def _find_cases(task: FlatTask, operator: MaskedOperator) -> dict[int, list[EffectCase]]:
    by_variable: dict[int, list[Write]] = {}
    for write in operator.writes:
        by_variable.setdefault(write.variable, []).append(write)
    return {
        variable: _find_variable_cases(task, writes) for variable, writes in by_variable.items()
    }


def _find_variable_cases(task: FlatTask, writes: Sequence[Write]) -> list[EffectCase]:
    found = []
    later: list[Clause] = []
    for write in reversed(writes):
        found.append(EffectCase(write.value, write.when, tuple(later)))
        if not write.when:
            return found
        clause = negate(task, write.when)
        if clause is not None:
            later.append(clause)
    found.append(EffectCase(None, (), tuple(later)))
    return found


def _regress(
    partial: PartialState, needs: PartialState, cases: dict[int, EffectCase], idle: bool
) -> PartialState | None:
    """Regress a partial state through an operator in one case of each variable that it writes."""
    written = {variable: case.value for variable, case in cases.items() if case.value is not None}
    clauses = [*needs.clauses]
    units = dict(needs.units)
    achieves = idle

    def require(variable: int, mask: int) -> None:
        units[variable] = units.get(variable, mask) & mask

    for variable, mask in partial.units:
        if variable not in written:
            require(variable, mask)
        elif mask >> written[variable] & 1:
            achieves = True
        else:
            return None
    for clause in partial.clauses:
        if any(variable in written and mask >> written[variable] & 1 for variable, mask in clause):
            achieves = True
        else:
            clauses.append(tuple(literal for literal in clause if literal[0] not in written))
    if not achieves:
        return None
    for case in cases.values():
        for variable, mask in case.units:
            require(variable, mask)
        clauses.extend(case.clauses)
    return conjoin(units, clauses)
