# SPDX-License-Identifier: Apache-2.0
"""The structure of goals: where counts, constraints and preferences may stand, and what is a part.

A goal is a requirement: a condition, a trajectory constraint, a preference, or a conjunction or
`forall` of requirements. A preference is one for a requirement without further preferences. The
parts of a constraint are conditions without graded predicates. Within a condition, everything else
may stand in any place.

A budget may leave out parts of a goal. One that says itself what is preferred has no such parts: it
is taken at its word.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from fcp_ros.cset import Instance, Schema
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Forall,
    Initially,
    Preference,
    TrajectoryConstraint,
    TypedVariable,
    Weighted,
    children,
    conjoin,
    free_variables,
    list_conjuncts,
    substitute,
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


def is_settled(
    condition: Expression,  # with resolved names
    schema: Schema,
    initially: bool = False,  # True within `initially`, where nothing changes
) -> bool:
    """Return True if a condition is crisp and no action can change it."""
    if isinstance(condition, Atom):
        name = condition.predicate
        known = schema.has_relation(name) and (initially or schema.relation(name).static)
        return known or (name in BUILT_IN and not schema.has_relation(name))
    if isinstance(condition, (Weighted, Preference, TrajectoryConstraint)):
        return False
    initially = initially or isinstance(condition, Initially)
    return all(is_settled(part, schema, initially) for part in children(condition))


ACHIEVEMENTS = frozenset(
    {TrajectoryOperator.SOMETIME, TrajectoryOperator.FIRST_THEN, TrajectoryOperator.WITHIN}
)
"""Constraints that a plan has to do something for. The others restrict what it does, such as
`never`: a budget is no reason to break them."""


@dataclass(frozen=True)
class GoalParts:
    """A goal taken apart."""

    hard: tuple[Expression, ...]  # the requirements that no plan may leave out
    optional: tuple[Expression, ...]  # those that may be left out, each without free variables


def split_goal(goal: Expression, types: Mapping[str, str], instance: Instance) -> GoalParts:
    """Take a goal apart.

    Its conjuncts are parts, also each instance of a `forall`; conjuncts that speak of the same
    element chosen for a free variable are one part. Hard are the constraints that restrict what a
    plan does, and weighted conditions, which hold anyway. `instance`: the initial state; a `forall`
    speaks of its elements.
    """
    if has_preferences(goal):
        return GoalParts((goal,), ())
    hard: list[Expression] = []
    optional: list[Expression] = []
    for part in _unfold(goal, instance):
        (optional if _may_be_left_out(part) else hard).append(part)
    chosen = {name for part in hard for name in free_variables(part)}
    joined = _join_by_variables(optional)
    hard += [one for one in joined if chosen.intersection(free_variables(one))]
    bound = (
        _bind_free(one, types) for one in joined if not chosen.intersection(free_variables(one))
    )
    return GoalParts(tuple(hard), tuple(dict.fromkeys(bound)))


def _unfold(goal: Expression, instance: Instance) -> Iterator[Expression]:
    """Yield the conjuncts of a goal, with one for each instance of a `forall`."""
    if isinstance(goal, And):
        for part in goal.parts:
            yield from _unfold(part, instance)
    elif isinstance(goal, Forall) and not free_variables(goal):
        ranges = [map(instance.name_of, instance.elements(one.type)) for one in goal.variables]
        names = [one.name for one in goal.variables]
        for elements in itertools.product(*ranges):
            terms = dict(zip(names, map(Constant, elements), strict=True))
            yield from _unfold(substitute(goal.body, terms), instance)
    else:
        yield goal


def _may_be_left_out(part: Expression) -> bool:
    if isinstance(part, TrajectoryConstraint):
        return part.operator in ACHIEVEMENTS
    return not isinstance(part, Weighted) and not has_requirements(part)


def _join_by_variables(parts: Sequence[Expression]) -> list[Expression]:
    """Join the parts that share free variables, in the order of their first ones."""
    groups: list[tuple[set[str], list[Expression]]] = []
    for part in parts:
        names = set(free_variables(part))
        sharing = [group for group in groups if names & group[0]]
        if not sharing:
            groups.append((names, [part]))
            continue
        first, *others = sharing
        for other in others:
            first[0].update(other[0])
            first[1].extend(other[1])
            groups.remove(other)
        first[0].update(names)
        first[1].append(part)
    return [conjoin(group) for _, group in groups]


def _bind_free(part: Expression, types: Mapping[str, str]) -> Expression:
    """Quantify the free variables of a part: they mean "for some"."""
    free = tuple(TypedVariable(name, types[name]) for name in free_variables(part))
    return Exists(free, part) if free else part
