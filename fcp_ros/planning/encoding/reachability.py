# SPDX-License-Identifier: Apache-2.0
"""Conditions that no sequence of actions can bring about, each by itself: relaxed reachability.

All conditions are compiled into one task with everything that can matter. A condition is out of
reach if none of its alternatives has facts that all can be reached there and do not exclude one
another. That is a proof; a condition for which it fails may still have no plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.structure import has_requirements
from fcp_ros.domain.expressions.syntax import (
    And,
    Count,
    Exists,
    Expression,
    TypedVariable,
    free_variables,
)
from fcp_ros.planning.encoding.encode import GoalSetting
from fcp_ros.planning.goal.alternatives import KnownDegree, find_alternatives
from fcp_ros.planning.goal.division import divide_formula, is_possible
from fcp_ros.planning.goal.formula import (
    FALSE,
    TRUE,
    Crisp,
    Formula,
    Graded,
    Settled,
    drop_instantiations,
    find_demand,
    find_wanted,
    make_both,
)
from fcp_ros.planning.goal.grounding import ConditionGrounding
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.relevance.closure import TooManyOperators
from fcp_ros.planning.task.task import FactKey, Task

MOST = 20_000
"""Operators of the task; a larger one is not made, and nothing is shown."""


def find_unreachable(
    conditions: Sequence[Expression],
    types: Mapping[str, str],
    setting: GoalSetting,
    known: KnownDegree,
    watch: Watch,
) -> frozenset[int]:
    """Find conditions that are proven to be out of reach.

    Returns:
        The positions of those that no plan meets, even alone. Trajectory constraints and what is
        preferred are never among them.
    """
    return _Reach(types, setting, known, watch).find(conditions)


class _Reach:
    def __init__(
        self, types: Mapping[str, str], setting: GoalSetting, known: KnownDegree, watch: Watch
    ) -> None:
        self._types = types
        self._setting = setting
        self._known = known
        self._watch = watch
        self._grounding = ConditionGrounding(setting.compiler.domain, setting.instance, watch)

    def find(self, conditions: Sequence[Expression]) -> frozenset[int]:
        never: set[int] = set()
        needed: dict[int, list[tuple[int, list[str]]]] = {}
        pieces: dict[str, Formula] = {}
        for position, condition in enumerate(conditions):
            if has_requirements(condition):
                continue
            needed[position] = []
            for number, formulas in self._list_demands(condition):
                left = number - sum(one == TRUE for one in formulas)
                marks = []
                for one in formulas:
                    if left > 0 and one not in (TRUE, FALSE):
                        mark = str(len(pieces))
                        pieces[mark] = drop_instantiations(one)
                        marks.append(mark)
                if left > len(marks):
                    never.add(position)
                needed[position].append((left, marks))
        reached = self._find_reached(pieces)
        for position, demands in needed.items():
            if any(sum(mark in reached for mark in marks) < left for left, marks in demands):
                never.add(position)
        return frozenset(never)

    def _list_demands(self, condition: Expression) -> Iterator[tuple[int, list[Formula]]]:
        if isinstance(condition, And) and not free_variables(condition):
            for part in condition.parts:
                yield from self._list_demands(part)
        elif isinstance(condition, Count) and not free_variables(condition):
            yield from self._grounding.list_counts(condition, {})
        else:
            free = tuple(
                TypedVariable(name, self._types[name]) for name in free_variables(condition)
            )
            closed = Exists(free, condition) if free else condition
            yield 1, [self._grounding.ground(closed, {})]

    def _find_reached(self, pieces: Mapping[str, Formula]) -> frozenset[str]:
        if not pieces:
            return frozenset()
        setting, watch = self._setting, self._watch
        whole = make_both(pieces.values())
        try:
            task = setting.compiler.wide_task(setting.instance, find_wanted(whole), watch, MOST)
        except TooManyOperators:
            return frozenset(pieces)
        return frozenset(mark for mark, one in pieces.items() if self._may_hold(one, task))

    def _may_hold(self, formula: Formula, task: Task) -> bool:
        watch = self._watch
        if not is_possible(formula, task):
            return False
        if _choose_literals(formula, True, _Literals(), task) is not None:
            return True
        try:
            return divide_formula(
                formula,
                lambda part: find_alternatives(part, self._known, self._setting.tnorm, task, watch),
                task,
            ).leads_on
        except Interrupted:
            watch.check()
            return True  # too many alternatives to look at


@dataclass(frozen=True, slots=True)
class _Literals:
    """Facts that hold, facts that do not, and the functional legs that the former occupy."""

    positive: frozenset[int] = frozenset()
    negative: frozenset[int] = frozenset()
    occupied: frozenset[FactKey] = frozenset()


def _choose_literals(
    formula: Formula, wanted: bool, given: _Literals, task: Task
) -> _Literals | None:
    """Choose literals under which a formula may hold, or may not, beside some that are given.

    Of each disjunction the first part is taken that agrees with what was taken before; so None does
    not mean that there are none.
    """
    if isinstance(formula, Settled):
        return given if (formula.degree > 0.0 if wanted else formula.degree < 1.0) else None
    if isinstance(formula, Graded):
        return given
    if isinstance(formula, Crisp):
        return _add_literal(task.fact_ids.get(formula.fact), wanted, given, task)
    number, parts, wanted = find_demand(formula, wanted)
    for part in parts:
        if number == 0:
            break
        found = _choose_literals(part, wanted, given, task)
        if found is not None:
            given, number = found, number - 1
    return given if number == 0 else None


def _add_literal(fact: int | None, holds: bool, given: _Literals, task: Task) -> _Literals | None:
    if fact is None:
        return None if holds else given
    if not holds:
        return None if fact in given.positive else replace(given, negative=given.negative | {fact})
    if fact in given.positive:
        return given
    keys = frozenset(key for key in task.keys_of(fact) if key not in task.broken)
    if fact in given.negative or not keys.isdisjoint(given.occupied):
        return None
    return replace(given, positive=given.positive | {fact}, occupied=given.occupied | keys)
