# SPDX-License-Identifier: Apache-2.0
"""Conditions that no sequence of actions can bring about, each by itself: relaxed reachability.

All conditions are compiled into one task with everything that can matter. A condition is out of
reach if none of its alternatives has facts that all can be reached there and do not exclude one
another. That is a proof; a condition for which it fails may still have no plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fcp_ros.domain.expressions.structure import has_requirements
from fcp_ros.domain.expressions.syntax import (
    And,
    Count,
    Exists,
    Expression,
    TypedVariable,
    free_variables,
)
from fcp_ros.planning.encoding.goal_task import GoalSetting
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.degree_formula import KnownDegree
from fcp_ros.planning.goal.formula import (
    FALSE,
    TRUE,
    Formula,
    drop_instantiations,
    find_wanted,
    make_both,
    make_either,
    make_instantiation,
)
from fcp_ros.planning.goal.grounding import ConditionGrounding
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.relevance.closure import Breadth, TooManyOperators

MOST = 20_000
"""Operators of the task; a larger one is not made, and nothing is shown."""

_MARK = "condition"


def find_unreachable(
    conditions: Sequence[Expression],
    types: Mapping[str, str],
    setting: GoalSetting,
    known: KnownDegree,
    watch: Watch,
) -> frozenset[int]:
    """Find conditions that are proven to be out of reach.

    Args:
        conditions: checked goals or parts of one.
        types: the types of their free variables.
        setting: domain and state.
        known: the degrees known now.
        watch: checked all the time.

    Returns:
        The positions of those that no plan meets, even alone. Trajectory constraints and what is
        preferred are never among them.

    Raises:
        Interrupted: cancelled, out of time.
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
        """Find the positions of the conditions that are out of reach."""
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
        """Yield what a condition demands: of each list of formulas so many must hold."""
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
        """Find the marks of the formulas that are not shown to be out of reach."""
        if not pieces:
            return frozenset()
        setting, watch = self._setting, self._watch
        whole = make_both(pieces.values())
        try:
            task = setting.compiler.task(
                setting.instance, find_wanted(whole), Breadth.FULL, watch, MOST
            )
            marked = make_either(
                make_instantiation(_MARK, mark, formula) for mark, formula in pieces.items()
            )
            found = find_alternatives(marked, self._known, setting.tnorm, task, watch)
        except TooManyOperators:
            return frozenset(pieces)
        except Interrupted:
            watch.check()
            return frozenset(pieces)  # too many alternatives to look at
        return frozenset(
            element
            for alternative in found
            if not alternative.missing
            for variable, element in alternative.binding
            if variable == _MARK
        )
