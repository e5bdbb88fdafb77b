# SPDX-License-Identifier: Apache-2.0
"""Wholeness: who asks for "a glass" means one that is whole and clean, unless they say otherwise.

A broken glass is a glass, and "the broken glass" and "throw it away" mean it. But it is none of
those from which the robot may choose. So things whose label has a word that rules out what they
are for (foundation/vetoes.py) are left out of what is asked for by its kind alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY, is_a
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Not,
    Or,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    to_text,
)
from fcp_ros.domain.model import SAME, Domain
from fcp_ros.foundation.vetoes import find_veto, is_about_state
from fcp_ros.relaxation.choices.conjunctions import flatten, join
from fcp_ros.relaxation.choices.substitution import list_labels


@dataclass(frozen=True, slots=True)
class WholeGoal:
    """A goal that leaves flawed things alone.

    Attributes:
        remark: sentences about what is left alone; "" if nothing is.
    """

    goal: str
    remark: str = ""


def leave_flawed(goal: str, instruction: str, domain: Domain, instance: Instance) -> WholeGoal:
    """Leave flawed things out of what a goal asks for by its kind.

    Args:
        goal: the reading of an instruction.
        instruction: if it is about throwing away, cleaning or repairing, nothing is left out.
    """
    if is_about_state(instruction):
        return WholeGoal(goal)
    try:
        checked = check_goal(parse_expression(goal), domain, instance, goal)
    except ExpressionError:
        return WholeGoal(goal)  # whoever plans it says what is wrong with it
    left: dict[str, str] = {}
    whole = _leave(checked, instance, left)
    if not left:
        return WholeGoal(goal)
    remark = " ".join(f"{name} is left alone: {why}." for name, why in left.items())
    return WholeGoal(to_text(whole), remark)


def _leave(expression: Expression, instance: Instance, left: dict[str, str]) -> Expression:
    if isinstance(expression, (And, Or, TrajectoryConstraint)):
        parts = tuple(_leave(part, instance, left) for part in expression.parts)
        return replace(expression, parts=parts)
    is_least = not isinstance(expression, Count) or expression.bound not in (
        Bound.AT_MOST,
        Bound.MOST,
    )
    if not isinstance(expression, (Exists, Count)) or not is_least:
        return expression
    body = _leave(expression.body, instance, left)
    parts = tuple(flatten([body]))
    added: list[Expression] = []
    for variable in expression.variables:
        for name, why in _list_flawed(variable, list_labels(variable.name, parts), instance):
            left[name] = why
            added.append(Not(Atom(SAME, (Variable(variable.name), Constant(name)))))
    return replace(expression, body=join([*added, *parts]) if added else body)


def _list_flawed(
    variable: TypedVariable, labels: tuple[str, ...], instance: Instance
) -> Iterable[tuple[str, str]]:
    """Yield the elements that a variable could stand for, and what is against them."""
    for element in instance.elements(variable.type) if labels else ():
        category = instance.attribute(element, CATEGORY)
        if not isinstance(category, str):
            continue
        if all(is_a(instance, element, label) for label in labels):
            why = next(filter(None, (find_veto(category, label) for label in labels)), "")
            if why:
                yield instance.name_of(element), why
