# SPDX-License-Identifier: Apache-2.0
"""Regression: the states from which an operator leads into a pattern (Rintanen 2008, section 3).

An operator without conditional effects has one such pattern. With conditional effects there is one
for each way in which those that matter may come out; together they are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.search.bidirectional.operators import Operator, Write, negation
from fcp_ros.planning.search.bidirectional.pattern import Clause, Literal, Pattern, conjunction


class Case(NamedTuple):
    """What an operator does to one variable, and when.

    Attributes:
        value: what it writes; None: nothing.
        units: literals that must hold for it in the state before.
        clauses: clauses that must hold for it in the state before.
    """

    value: int | None
    units: tuple[Literal, ...]
    clauses: tuple[Clause, ...]


class Regression:
    """Regresses patterns through the operators of one task.

    Args:
        task: the task.
        operators: its operators.
    """

    def __init__(self, task: FlatTask, operators: Sequence[Operator]) -> None:
        self._operators = operators
        self._cases = [_cases(task, operator) for operator in operators]
        self._writers: dict[int, list[tuple[int, int]]] = {}
        for number, operator in enumerate(operators):
            if operator.needs is None:
                continue
            for variable, value in {(write.variable, write.value) for write in operator.writes}:
                self._writers.setdefault(variable, []).append((value, number))

    def achievers(self, pattern: Pattern) -> set[int]:
        """The operators that may make a literal of the pattern true."""
        literals = [*pattern.units, *(literal for clause in pattern.clauses for literal in clause)]
        return {
            number
            for variable, mask in literals
            for value, number in self._writers.get(variable, ())
            if mask >> value & 1
        }

    def before(self, pattern: Pattern, number: int, *, idle: bool = False) -> Iterator[Pattern]:
        """The patterns of states from which an operator leads into `pattern`.

        Args:
            pattern: where it leads.
            number: the operator.
            idle: whether to give also those cases in which it makes no literal true (they need
                more than the pattern itself, and are of use for resources only).
        """
        needs = self._operators[number].needs
        if needs is None:
            return
        spoken = {variable for variable, _ in pattern.units}
        spoken.update(variable for clause in pattern.clauses for variable, _ in clause)
        written = [
            [(variable, case) for case in cases]
            for variable, cases in self._cases[number].items()
            if variable in spoken
        ]
        for choice in product(*written):
            found = _regressed(pattern, needs, dict(choice), idle)
            if found is not None:
                yield found


def _cases(task: FlatTask, operator: Operator) -> dict[int, list[Case]]:
    """For each variable that an operator writes: what it may write to it."""
    by_variable: dict[int, list[Write]] = {}
    for write in operator.writes:
        by_variable.setdefault(write.variable, []).append(write)
    return {variable: _of_variable(task, writes) for variable, writes in by_variable.items()}


def _of_variable(task: FlatTask, writes: Sequence[Write]) -> list[Case]:
    """One case for each effect that may be the last one to happen, and one for none of them."""
    found = []
    later: list[Clause] = []
    for write in reversed(writes):
        found.append(Case(write.value, write.when, tuple(later)))
        if not write.when:
            return found
        clause = negation(task, write.when)
        if clause is not None:
            later.append(clause)
    found.append(Case(None, (), tuple(later)))
    return found


def _regressed(
    pattern: Pattern, needs: Pattern, cases: dict[int, Case], idle: bool
) -> Pattern | None:
    written = {variable: case.value for variable, case in cases.items() if case.value is not None}
    clauses = [*needs.clauses]
    units = dict(needs.units)
    achieves = idle

    def require(variable: int, mask: int) -> None:
        units[variable] = units.get(variable, mask) & mask

    for variable, mask in pattern.units:
        if variable not in written:
            require(variable, mask)
        elif mask >> written[variable] & 1:
            achieves = True
        else:
            return None
    for clause in pattern.clauses:
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
    return conjunction(units, clauses)
