# SPDX-License-Identifier: Apache-2.0
"""The structure of goals: where counts, constraints and preferences may stand.

A goal is a requirement: a condition, a trajectory constraint, a preference, or a conjunction or
`forall` of requirements. A preference is one for a requirement without further preferences. The
parts of a constraint are conditions without graded predicates. Within a condition, everything else
may stand in any place.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Count,
    Expression,
    ExpressionError,
    Forall,
    Initially,
    Preference,
    TrajectoryConstraint,
    Weighted,
    children,
    conjoin,
    free_variables,
    list_conjuncts,
    walk,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import BUILT_IN


class _Place(Enum):
    """The place of a part of a goal, which says what may stand there."""

    GOAL = "the goal, through conjunctions and `forall`"
    PREFERENCE = "the same of a preference"
    CONDITION = "a condition"
    CONSTRAINT = "a condition of a trajectory constraint"


def check_structure(
    goal: Expression, graded: Collection[str], text: str = "", timed: bool = True
) -> None:
    """Check in one walk that everything in a goal stands where it may.

    `graded`: names of the graded predicates. `text`: the user's text, to which the columns of the
    goal refer. `timed`: constraints may have times; if nobody has said how long actions take, they
    may not. Raises ExpressionError for the first fault.
    """
    _Checker(graded, frozenset(free_variables(goal)), text, timed).check(goal, _Place.GOAL)


@dataclass(frozen=True)
class _Checker:
    graded: Collection[str]
    free: frozenset[str]
    text: str
    timed: bool

    def check(self, part: Expression, place: _Place) -> None:
        """Check a part at its place, and what is in it."""
        if isinstance(part, TrajectoryConstraint):
            self._check_constraint(part, place)
            place = _Place.CONSTRAINT
        elif isinstance(part, Preference):
            self._check_preference(part, place)
            place = _Place.PREFERENCE
        elif isinstance(part, Count) and part.bound is Bound.MOST:
            self._check_most(part, place)
            place = _Place.CONDITION
        elif isinstance(part, Atom):
            if place is _Place.CONSTRAINT and part.predicate in self.graded:
                message = (
                    f"{part.predicate} is graded, but a trajectory constraint is kept or broken: "
                    "use relations in it."
                )
                raise self._fault(message, part)
        elif not isinstance(part, (And, Forall)) and place is not _Place.CONSTRAINT:
            place = _Place.CONDITION
        for inner in children(part):
            self.check(inner, place)

    def _check_constraint(self, constraint: TrajectoryConstraint, place: _Place) -> None:
        if place not in (_Place.GOAL, _Place.PREFERENCE):
            raise self._fault(_WITHIN_CONDITION.format("trajectory constraint"), constraint)
        if constraint.times and not self.timed:
            message = (
                f"The constraint `{constraint.operator.value}` needs to know how long actions "
                "take: give them durations in a YAML domain (docs/domain.md), or write it without "
                "a time."
            )
            raise self._fault(message, constraint)
        if loose := sorted(self.free.intersection(free_variables(constraint))):
            message = (
                f"?{loose[0]} has no quantifier within the trajectory constraint: "
                f"write exists ?{loose[0]}: ... (...) inside it, or forall around it."
            )
            raise self._fault(message, constraint)

    def _check_preference(self, preference: Preference, place: _Place) -> None:
        """Check its place; one about an element that the planner chooses has a weight only."""
        if place is _Place.PREFERENCE:
            message = "A preference stands within a preference: take the inner one out."
            raise self._fault(message, preference)
        if place is not _Place.GOAL:
            raise self._fault(_WITHIN_CONDITION.format("preference"), preference)
        chosen = sorted(self.free.intersection(free_variables(preference)))
        if chosen and (preference.cost or has_requirements(preference.body)):
            message = (
                f"?{chosen[0]} has no quantifier within the preference: a preference about an "
                "element that is chosen has a weight and a condition, no cost and no trajectory "
                "constraint."
            )
            raise self._fault(message, preference)

    def _check_most(self, count: Count, place: _Place) -> None:
        message = "`as many as possible` stands within a "
        if place is _Place.PREFERENCE:
            raise self._fault(f"{message}preference: take it out.", count)
        if place is not _Place.GOAL:
            raise self._fault(f"{message}condition: write `at least` and a number.", count)

    def _fault(self, message: str, part: Expression) -> ExpressionError:
        return ExpressionError(message, self.text, _find_column(part))


_WITHIN_CONDITION = (
    "A {} stands within a condition: "
    "join it to the rest of the goal by `and`, at the top or within `forall`."
)


def has_requirements(expression: Expression) -> bool:
    """Return True if there is a constraint, a preference or `as many as possible` in it."""
    return has_constraints(expression) or has_preferences(expression)


def has_preferences(expression: Expression) -> bool:
    """Return True if there is a preference or `as many as possible` in it."""
    return any(
        isinstance(part, Preference) or (isinstance(part, Count) and part.bound is Bound.MOST)
        for part in walk(expression)
    )


def has_constraints(expression: Expression) -> bool:
    """Return True if there is a trajectory constraint in it."""
    return any(isinstance(part, TrajectoryConstraint) for part in walk(expression))


def counts_from_trigger(expression: Expression) -> bool:
    """Return True if there is a constraint in it that counts time from a trigger."""
    return any(
        isinstance(part, TrajectoryConstraint) and part.operator is TrajectoryOperator.ALWAYS_WITHIN
        for part in walk(expression)
    )


def _find_column(expression: Expression) -> int:
    """Find where an expression begins; 0 if unknown."""
    columns = (getattr(part, "column", 0) for part in walk(expression))
    return next(filter(None, columns), 0)


def split_choice(
    body: Expression, schema: Schema
) -> tuple[tuple[Expression, ...], Expression | None]:
    """Split the body of `as many as possible` into what chooses the elements and what is preferred.

    Parts of a conjunction that no action can change choose: those about labels, about static
    relations, and about the initial state. Elements for which one of them fails are not counted.
    `body`: the body, with resolved names. `schema`: says which relations are static. Returns the
    choosing parts, and the conjunction of the others; None if there are none.
    """
    parts = tuple(list_conjuncts(body))
    choosing = tuple(part for part in parts if is_settled(part, schema, False))
    others = tuple(part for part in parts if not is_settled(part, schema, False))
    return choosing, conjoin(others) if others else None


def is_settled(condition: Expression, schema: Schema, initially: bool = False) -> bool:
    """Return True if a condition is crisp and no action can change it.

    Args:
        condition: a condition with resolved names.
        schema: says which relations are static.
        initially: True within `initially`, where nothing changes.
    """
    if isinstance(condition, Atom):
        name = condition.predicate
        known = schema.has_relation(name) and (initially or schema.relation(name).static)
        return known or (name in BUILT_IN and not schema.has_relation(name))
    if isinstance(condition, (Weighted, Preference, TrajectoryConstraint)):
        return False
    initially = initially or isinstance(condition, Initially)
    return all(is_settled(part, schema, initially) for part in children(condition))
