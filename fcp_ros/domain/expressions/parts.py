# SPDX-License-Identifier: Apache-2.0
"""The parts of a goal that may be left out where a budget does not allow for all of them.

A goal that says itself what is preferred has no such parts: it is taken at its word.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.structure import has_preferences, has_requirements
from fcp_ros.domain.expressions.syntax import (
    And,
    Constant,
    Exists,
    Expression,
    Forall,
    TrajectoryConstraint,
    TypedVariable,
    Weighted,
    conjoin,
    free_variables,
    substitute,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator

_ACHIEVEMENTS = frozenset(
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
        return part.operator in _ACHIEVEMENTS
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
