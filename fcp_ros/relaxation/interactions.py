# SPDX-License-Identifier: Apache-2.0
"""Interactions of requirements: wordings that exclude one another, and order constraints."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from fcp_ros.cset import Instance, Schema
from fcp_ros.domain.expressions.structure import has_requirements
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Not,
    Term,
    TrajectoryConstraint,
    Weighted,
    atoms,
    conjoin,
    free_variables,
    list_conjuncts,
    rename_free,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import BUILT_IN, SAME, Domain
from fcp_ros.relaxation.requirements import (
    Form,
    GoalRequirements,
    OpenedExists,
    Requirement,
    RequirementChoice,
    except_instances,
)


def find_contradictions(items: Sequence[Requirement], schema: Schema) -> list[tuple[int, int]]:
    """Find requirements that exclude one another by their wording, whatever the world is like.

    Such as `on(mug_1, table_1)` and `on(mug_1, counter_1)`: an item is on one thing at most. Or a
    condition and its negation.

    Returns:
        Pairs of their numbers.
    """
    asked: dict[tuple[str, str, Term], dict[Atom, list[int]]] = {}
    for number, item in enumerate(items):
        (atom,) = item.parts if len(item.parts) == 1 else (None,)
        if not isinstance(atom, Atom) or not schema.has_relation(atom.predicate):
            continue
        relation = schema.relation(atom.predicate)
        if item.form is not Form.PLAIN:
            continue
        for (leg, _), term in zip(relation.legs, atom.arguments, strict=True):
            if leg in relation.functional:
                same = asked.setdefault((relation.name, leg, term), {})
                same.setdefault(atom, []).append(number)
    excluded = [
        (one[0], other[0])
        for same in asked.values()
        for one, other in itertools.combinations(same.values(), 2)
    ]
    numbers = {item.closed: number for number, item in enumerate(items)}
    negated = (
        (numbers.get(item.closed.body), number)
        for number, item in enumerate(items)
        if isinstance(item.closed, Not)
    )
    return excluded + [(one, other) for one, other in negated if one is not None]


# --- order constraints of a relaxed goal: they speak of what is left of it
#
# `A before B` is about requirements of the goal. If one of them is given up, or something takes its
# place, the constraint has to follow: "throw everything away before you mop" does not forbid
# mopping because one thing to throw away is not there.


_ORDERS = frozenset(
    {TrajectoryOperator.BEFORE, TrajectoryOperator.AFTER, TrajectoryOperator.FIRST_THEN}
)


class GoalOrder:
    """The order constraints of a goal, which are crisp.

    Attributes:
        mentioned: number of a constraint -> numbers of the requirements that it speaks of.
    """

    def __init__(self, goal: GoalRequirements, graded: Collection[str]) -> None:
        self._goal = goal
        self._graded = graded
        self.mentioned = {
            number: tuple(dict.fromkeys(self._list_mentioned(constraint)))
            for number, constraint in self._list_constraints()
        }
        self.ordered = frozenset(one for about in self.mentioned.values() for one in about)

    def adapt(self, choices: Sequence[RequirementChoice]) -> dict[int, Expression | None]:
        """Adapt the constraints to the choices for the requirements.

        Returns:
            Number of each constraint that changes -> the constraint for what is left; None if
            nothing is left to be said. A sequence that is itself relaxed stays as it is.
        """
        adapted: dict[int, Expression | None] = {}
        for number, constraint in self._list_constraints():
            if choices[number].changes:
                continue
            if any(choices[one].changes for one in self.mentioned[number]):
                sides = [self._adapt_side(side, choices) for side in constraint.parts]
                adapted[number] = _shorten(constraint, [side for side in sides if side is not None])
        return adapted

    def list_own(self, number: int) -> Iterator[Expression]:
        """Yield the conditions of a constraint that are no requirements, or parts of them."""
        for condition in chain.from_iterable(
            map(list_conjuncts, dict(self._list_constraints())[number].parts)
        ):
            if not any(self._is_about(condition, item) for item in self._goal.items):
                yield condition

    def _is_about(self, condition: Expression, item: Requirement) -> bool:
        """Return True if a condition is a requirement, or says less of the same."""
        opened = self._find_opened(condition)
        chosen = opened is not None and self._is_part_of(item, opened)
        return chosen or self._is_instance_of(item, condition) or _speaks_of(condition, item)

    def _list_constraints(self) -> Iterator[tuple[int, TrajectoryConstraint]]:
        for number, item in enumerate(self._goal.items):
            (part,) = item.parts if len(item.parts) == 1 else (None,)
            if isinstance(part, TrajectoryConstraint) and part.operator in _ORDERS:
                yield number, part

    def _list_mentioned(self, constraint: TrajectoryConstraint) -> Iterator[int]:
        for condition in chain.from_iterable(map(list_conjuncts, constraint.parts)):
            for number, item in enumerate(self._goal.items):
                if self._is_about(condition, item):
                    yield number

    def _is_instance_of(self, item: Requirement, condition: Expression) -> bool:
        """Return True if a condition is the `forall` of an instance, or asks less of the same."""
        if item.every < 0 or not isinstance(condition, Forall):
            return False
        every = self._goal.every[item.every]
        same = condition.variables == every.variables
        return same and set(list_conjuncts(condition.body)) <= set(list_conjuncts(every.body))

    def _adapt_side(
        self, side: Expression, choices: Sequence[RequirementChoice]
    ) -> Expression | None:
        left = []
        for condition in list_conjuncts(side):
            adapted = self._adapt_condition(condition, choices)
            left += [] if adapted is None else [adapted]
        return conjoin(tuple(chain.from_iterable(map(list_conjuncts, left)))) if left else None

    def _adapt_condition(
        self, condition: Expression, choices: Sequence[RequirementChoice]
    ) -> Expression | None:
        opened = self._find_opened(condition)
        if opened is not None and isinstance(condition, Exists):
            return self._adapt_opened(condition, opened, choices)
        excepted = []
        for item, choice in zip(self._goal.items, choices, strict=False):
            if not choice.changes:
                continue
            if self._is_instance_of(item, condition):
                excepted.append(item.elements)
            elif _speaks_of(condition, item):
                if choice.is_dropped or choice.expression is None:
                    return None
                # What is only reached on the way is still spoken of as it is.
                split = has_requirements(choice.expression)
                return condition if split else self._make_crisp(choice.expression)
        return except_instances(condition, excepted) if isinstance(condition, Forall) else condition

    # --- an `exists` whose conditions are relaxed one by one

    def _find_opened(self, condition: Expression) -> OpenedExists | None:
        """Find the `exists` of the goal that a condition is, or of which it asks less."""
        if not isinstance(condition, Exists):
            return None
        variables, parts = set(condition.variables), set(list_conjuncts(condition.body))
        for opened in self._goal.opened:
            whole = opened.original
            if variables <= set(whole.variables) and parts <= set(list_conjuncts(whole.body)):
                return opened
        return None

    @staticmethod
    def _is_part_of(item: Requirement, opened: OpenedExists) -> bool:
        """Return True if a requirement speaks of what an `exists` of the goal chooses."""
        own = {variable.name for variable in item.variables} | item.shared
        return item.form is not Form.HARD and not own.isdisjoint(opened.names.values())

    def _adapt_opened(
        self, condition: Exists, opened: OpenedExists, choices: Sequence[RequirementChoice]
    ) -> Expression | None:
        left = list(list_conjuncts(rename_free(condition.body, opened.names)))
        for item, choice in zip(self._goal.items, choices, strict=False):
            if not choice.changes or not self._is_part_of(item, opened):
                continue
            wanted = set(list_conjuncts(item.wanted)) if item.is_free else {item.closed}
            instead = self._list_instead(choice)
            gone = wanted.difference(instead)
            if gone <= set(left):  # otherwise it asks for less anyway
                left += [part for part in instead if part not in wanted]
            left = [part for part in left if part not in gone]
        return self._close(left, condition, opened)

    def _list_instead(self, choice: RequirementChoice) -> list[Expression]:
        if choice.is_dropped or choice.expression is None:
            return []
        crisp = self._make_crisp(choice.expression)
        return [] if crisp is None else list(list_conjuncts(crisp))

    @staticmethod
    def _close(
        left: Sequence[Expression], condition: Exists, opened: OpenedExists
    ) -> Expression | None:
        """Quantify the variables of a condition again; None if nothing is left to be said."""
        if all(isinstance(part, Atom) and part.predicate in BUILT_IN for part in left):
            return None
        spoken = {name for part in left for name in free_variables(part)}
        variables = tuple(v for v in condition.variables if opened.names[v.name] in spoken)
        body = rename_free(conjoin(left), {free: name for name, free in opened.names.items()})
        return Exists(variables, body) if variables else body

    def _make_crisp(self, expression: Expression) -> Expression | None:
        """Leave out what only lowers the degree; None if that is all."""
        crisp = tuple(
            part
            for part in list_conjuncts(expression)
            if not isinstance(part, Weighted)
            and not (isinstance(part, Atom) and part.predicate in self._graded)
        )
        return conjoin(crisp) if crisp else None


def fix_losses(expression: Expression, domain: Domain, instance: Instance) -> Expression:
    """Make what a change costs the same in any state.

    Otherwise a requirement could be given up at no cost where it holds all the same, only to be rid
    of the order constraint about it.
    """
    if isinstance(expression, Weighted):
        if any(atom.predicate in domain.graded for atom in atoms(expression)):
            return expression
        some = Constant(next(iter(instance.names())))
        return replace(expression, body=Not(Atom(SAME, (some, some))))
    if isinstance(expression, And):
        parts = tuple(fix_losses(part, domain, instance) for part in expression.parts)
        return replace(expression, parts=parts)
    if isinstance(expression, (Exists, Count)):
        return replace(expression, body=fix_losses(expression.body, domain, instance))
    return expression


def _shorten(
    constraint: TrajectoryConstraint, sides: Sequence[Expression]
) -> TrajectoryConstraint | None:
    """Return a constraint with the sides that are left; None if nothing is left to be said."""
    if constraint.operator is TrajectoryOperator.FIRST_THEN and len(sides) == 1:
        return TrajectoryConstraint(TrajectoryOperator.SOMETIME, tuple(sides))
    _, least, _ = constraint.operator.numbers
    return replace(constraint, parts=tuple(sides)) if len(sides) >= least else None


def _speaks_of(condition: Expression, item: Requirement) -> bool:
    """Return True if a condition is a requirement, or follows from it by leaving parts out."""
    if item.form is Form.HARD:
        return False
    if condition == item.closed or item.form is not Form.SOME:
        return condition == item.closed
    own = {variable.name for variable in item.variables}
    if not isinstance(condition, Exists) or not own >= {v.name for v in condition.variables}:
        return False
    return set(list_conjuncts(condition.body)) <= set(item.parts)
