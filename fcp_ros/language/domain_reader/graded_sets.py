# SPDX-License-Identifier: Apache-2.0
"""Sets of things that only belong to a degree: "everything that I could drink from".

In a goal of degrees, a plan is better the farther it keeps from what hardly belongs to the set: the
sponge, which serves for drinking to a degree of 0.02. What is meant are the things that belong.
"""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.domain.expressions.syntax import (
    AT_ALPHA,
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    TrajectoryConstraint,
)
from fcp_ros.domain.model import Domain


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
