# SPDX-License-Identifier: Apache-2.0
"""The structure of goals: where counts, constraints and preferences may stand.

A goal is a requirement: a condition, a trajectory constraint, a preference, or a conjunction or
`forall` of requirements. A preference is one for a requirement without further preferences. The
parts of a constraint are conditions without graded predicates. Within a condition, everything else
may stand in any place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

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
    atoms,
    children,
    free_variables,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import BUILT_IN


def check_structure(goal: Expression, graded: Collection[str], text: str = "") -> None:
    """Check that everything in a goal stands where it may.

    `graded`: names of the graded predicates. `text`: the user's text, to which the columns of the
    goal refer. Raises ExpressionError for a constraint or a preference within a condition, a
    preference within a preference, a graded predicate or a free variable within a constraint.
    """
    free = frozenset(free_variables(goal))
    for part in walk_requirements(goal):
        if isinstance(part, Preference):
            _check_choice(part, free, text)
            for inner in walk_requirements(part.body):
                _check_preferred(inner, text)
                _check_part(inner, graded, free, text)
        else:
            _check_part(part, graded, free, text)


def refuse_times(expression: Expression, text: str = "") -> None:
    """Refuse constraints with times, where nobody has said how long actions take.

    Raises ExpressionError for the first one; the fix names what to do.
    """
    if isinstance(expression, TrajectoryConstraint) and expression.times:
        message = (
            f"The constraint `{expression.operator.value}` needs to know how long actions take: "
            "give them durations in a YAML domain (docs/domain.md), or write it without a time."
        )
        raise ExpressionError(message, text, _find_column(expression))
    for part in children(expression):
        refuse_times(part, text)


def walk_requirements(goal: Expression) -> Iterator[Expression]:
    """Yield the requirements that a goal consists of: conjunctions and `forall` are taken apart."""
    if isinstance(goal, And):
        for part in goal.parts:
            yield from walk_requirements(part)
    elif isinstance(goal, Forall) and has_requirements(goal.body):
        yield from walk_requirements(goal.body)
    else:
        yield goal


def has_requirements(expression: Expression) -> bool:
    """Return True if there is a constraint, a preference or `as many as possible` in it."""
    return has_constraints(expression) or has_preferences(expression)


def has_preferences(expression: Expression) -> bool:
    """Return True if there is a preference or `as many as possible` in it."""
    most = isinstance(expression, Count) and expression.bound is Bound.MOST
    if most or isinstance(expression, Preference):
        return True
    return any(map(has_preferences, children(expression)))


def has_constraints(expression: Expression) -> bool:
    """Return True if there is a trajectory constraint in it."""
    if isinstance(expression, TrajectoryConstraint):
        return True
    return any(map(has_constraints, children(expression)))


def counts_from_trigger(expression: Expression) -> bool:
    """Return True if there is a constraint in it that counts time from a trigger."""
    if isinstance(expression, TrajectoryConstraint):
        return expression.operator is TrajectoryOperator.ALWAYS_WITHIN
    return any(map(counts_from_trigger, children(expression)))


def _check_part(part: Expression, graded: Collection[str], free: frozenset[str], text: str) -> None:
    if isinstance(part, TrajectoryConstraint):
        for condition in part.parts:
            _check_crisp(part, condition, graded, free, text)
            _check_condition(condition, text)
    elif isinstance(part, Count) and part.bound is Bound.MOST:
        _check_condition(part.body, text)
    else:
        _check_condition(part, text)


def _check_preferred(part: Expression, text: str) -> None:
    message = ""
    if isinstance(part, Preference):
        message = "A preference stands within a preference: take the inner one out."
    elif isinstance(part, Count) and part.bound is Bound.MOST:
        message = "`as many as possible` stands within a preference: take it out."
    if message:
        raise ExpressionError(message, text, _find_column(part))


def _check_choice(preference: Preference, free: frozenset[str], text: str) -> None:
    """Check a preference about an element that the planner chooses: it has a weight only."""
    chosen = sorted(free.intersection(free_variables(preference)))
    if chosen and (preference.cost or has_requirements(preference.body)):
        message = (
            f"?{chosen[0]} has no quantifier within the preference: a preference about an element "
            "that is chosen has a weight and a condition, no cost and no trajectory constraint."
        )
        raise ExpressionError(message, text, preference.column)


def _check_condition(condition: Expression, text: str) -> None:
    if isinstance(condition, (TrajectoryConstraint, Preference)):
        name = "preference" if isinstance(condition, Preference) else "trajectory constraint"
        message = (
            f"A {name} stands within a condition: "
            "join it to the rest of the goal by `and`, at the top or within `forall`."
        )
        raise ExpressionError(message, text, _find_column(condition))
    if isinstance(condition, Count) and condition.bound is Bound.MOST:
        message = "`as many as possible` stands within a condition: write `at least` and a number."
        raise ExpressionError(message, text, condition.column)
    for part in children(condition):
        _check_condition(part, text)


def _check_crisp(
    constraint: TrajectoryConstraint,
    condition: Expression,
    graded: Collection[str],
    free: frozenset[str],
    text: str,
) -> None:
    for atom in atoms(condition):
        if atom.predicate in graded:
            message = (
                f"{atom.predicate} is graded, but a trajectory constraint is kept or broken: "
                "use relations in it."
            )
            raise ExpressionError(message, text, atom.column)
    loose = sorted(free.intersection(free_variables(condition)))
    if loose:
        message = (
            f"?{loose[0]} has no quantifier within the trajectory constraint: "
            f"write exists ?{loose[0]}: ... (...) inside it, or forall around it."
        )
        raise ExpressionError(message, text, _find_column(constraint))


def _find_column(expression: Expression) -> int:
    """Find where an expression begins; 0 if unknown."""
    own = getattr(expression, "column", 0)
    if own or isinstance(expression, Atom):
        return int(own)
    return next(filter(None, map(_find_column, children(expression))), 0)


def split_choice(
    body: Expression, schema: Schema
) -> tuple[tuple[Expression, ...], Expression | None]:
    """Split the body of `as many as possible` into what chooses the elements and what is preferred.

    Parts of a conjunction that no action can change choose: those about labels, about static
    relations, and about the initial state. Elements for which one of them fails are not counted.
    `body`: the body, with resolved names. `schema`: says which relations are static. Returns the
    choosing parts, and the conjunction of the others; None if there are none.
    """
    parts = tuple(_flatten(body))
    choosing = tuple(part for part in parts if is_settled(part, schema, False))
    others = tuple(part for part in parts if not is_settled(part, schema, False))
    return choosing, And(others) if len(others) > 1 else next(iter(others), None)


def _flatten(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, And):
        for part in condition.parts:
            yield from _flatten(part)
    else:
        yield condition


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
