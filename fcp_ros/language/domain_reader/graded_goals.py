# SPDX-License-Identifier: Apache-2.0
"""Graded predicates in the goal of an instruction: guides, and sets that are meant as such.

Guides: "the mug is in the kitchen" asks for a place that people use for mugs, if the robot brings
it there. As a condition, a prohibition or a description it speaks of any place there.

Sets: "everything that I could drink from". In a goal of degrees, a plan is better the farther it
keeps from what hardly belongs to the set: the sponge, which serves for drinking to a degree of
0.02. What is meant are the things that belong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fcp_ros.domain.expressions.syntax import (
    AT_ALPHA,
    And,
    Atom,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    TrajectoryConstraint,
    Weighted,
)
from fcp_ros.domain.model import Domain, GradedPredicate


def list_judging(domain: Domain) -> Mapping[str, GradedPredicate]:
    """List the graded predicates that say something by themselves."""
    return {name: one for name, one in domain.graded.items() if not one.guides}


def drop_idle_guides(goal: Expression, domain: Domain) -> Expression:
    """Leave out the guides in conditions, prohibitions, and constraints on the way."""
    guides = {name for name, one in domain.graded.items() if one.guides}
    if not guides:
        return goal
    kept = _drop(goal, guides, demanded=True)
    return goal if kept is None else kept


def drop_guides(condition: Expression, domain: Domain) -> Expression:
    """Leave out all guides, as in a description: "the mug in the kitchen" is in any place there."""
    guides = {name for name, one in domain.graded.items() if one.guides}
    kept = _drop(condition, guides, demanded=False)
    return condition if kept is None else kept


def _drop(formula: Expression, guides: set[str], demanded: bool) -> Expression | None:
    """Return a formula without its idle guides; None if nothing else is in it."""
    match formula:
        case Atom():
            return None if formula.predicate in guides and not demanded else formula
        case And():
            parts = [_drop(part, guides, demanded) for part in formula.parts]
            said = tuple(part for part in parts if part is not None)
            if len(said) < 2:
                return said[0] if said else None
            return And(said)
        case Or():
            parts = [_drop(part, guides, demanded) for part in formula.parts]
            found = tuple(part for part in parts if part is not None)
            return Or(found) if len(found) == len(parts) else None
        case Not() | Initially():
            body = _drop(formula.body, guides, demanded=False)
            return None if body is None else replace(formula, body=body)
        case Exists() | Forall() | Count() | Weighted() | Preference():
            body = _drop(formula.body, guides, demanded)
            return None if body is None else replace(formula, body=body)
        case TrajectoryConstraint():
            ways = [_drop(part, guides, demanded=False) or part for part in formula.parts]
            return replace(formula, parts=tuple(ways))
    return formula


def decide_sets(goal: Expression, domain: Domain) -> Expression:
    """Compare the degrees by which a goal chooses all things, or none, with alpha."""
    match goal:
        case Atom():
            return goal
        case Forall(body=Or() as choice):
            parts = (
                _decide(part, domain) if isinstance(part, Not) else decide_sets(part, domain)
                for part in choice.parts
            )
            return replace(goal, body=Or(tuple(parts)))
        case Not(body=Exists()):
            return _decide(goal, domain)
        case And() | Or() | TrajectoryConstraint():
            return replace(goal, parts=tuple(decide_sets(part, domain) for part in goal.parts))
    return replace(goal, body=decide_sets(goal.body, domain))


def _decide(condition: Expression, domain: Domain) -> Expression:
    if isinstance(condition, Atom):
        graded = condition.predicate in domain.graded and condition.least is None
        return replace(condition, least=AT_ALPHA) if graded else condition
    if isinstance(condition, (And, Or, TrajectoryConstraint)):
        parts = tuple(_decide(part, domain) for part in condition.parts)
        return replace(condition, parts=parts)
    return replace(condition, body=_decide(condition.body, domain))
