# SPDX-License-Identifier: Apache-2.0
"""Normal forms of goals: texts that are equal for goals that ask for the same in a state.

Sound, not complete: goals with one form mean the same here, as far as labels and types of elements
go; goals with two forms may, too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import count

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Text,
    TrajectoryConstraint,
    substitute,
    to_text,
)
from fcp_ros.domain.model import IS_A

MOST_TRIED = 50
"""Elements of a type that are tried for a quantifier."""

_VARIABLE = re.compile(r"\?\w+")


def ground_only_choices(goal: Expression, instance: Instance) -> Expression:
    """Put the element in place of a quantifier that has only one to choose from.

    "Some mug" is mug_1 where there is no other mug. An element is no choice if its label alone
    makes the body of `exists` false, or that of `forall` true.
    """
    if isinstance(goal, Atom):
        return goal
    if isinstance(goal, (And, Or, TrajectoryConstraint)):
        parts = tuple(ground_only_choices(part, instance) for part in goal.parts)
        return replace(goal, parts=parts)
    inner = replace(goal, body=ground_only_choices(goal.body, instance))
    if not isinstance(inner, (Exists, Forall)) or len(inner.variables) > 1:
        return inner
    variable = inner.variables[0]
    elements = instance.elements(variable.type)
    if len(elements) > MOST_TRIED:
        return inner
    neutral = isinstance(inner, Forall)
    found: list[Expression] = []
    for element in elements:
        term = Constant(instance.name_of(element))
        body = _decide_labels(substitute(inner.body, {variable.name: term}), instance)
        if isinstance(body, bool):
            if body is not neutral:
                return inner  # true, or false, whatever is done
        else:
            found.append(body)
    return found[0] if len(found) == 1 else inner


def _decide_labels(goal: Expression, instance: Instance) -> Expression | bool:
    """Decide the labels of elements, and what follows from them."""
    if isinstance(goal, Atom):
        element, *label = goal.arguments
        if goal.predicate != IS_A or not isinstance(element, Constant):
            return goal
        words = label[0].value if label and isinstance(label[0], Text) else ""
        return is_a(instance, instance.id_of(element.name), words)
    if isinstance(goal, (And, Or)):
        absorbing = isinstance(goal, Or)
        parts = [_decide_labels(part, instance) for part in goal.parts]
        if absorbing in [part for part in parts if isinstance(part, bool)]:
            return absorbing
        left = tuple(part for part in parts if not isinstance(part, bool))
        if not left:
            return not absorbing
        return replace(goal, parts=left) if len(left) > 1 else left[0]
    if isinstance(goal, (Not, Initially)):
        body = _decide_labels(goal.body, instance)
        if isinstance(body, bool):
            return not body if isinstance(goal, Not) else body
        return replace(goal, body=body)
    return goal


def write_normal_form(goal: Expression, instance: Instance | None = None) -> str:
    """Write a goal so that goals of the same form get the same text.

    With a state, quantifiers with only one choice are replaced by it. Conjuncts and disjuncts are
    flattened and sorted, double negations vanish, variables are numbered in the order of use.
    """
    if instance is not None:
        goal = ground_only_choices(goal, instance)
    sorted_ = _sort_parts(goal)
    numbers = count()
    names: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"?v{next(numbers)}")

    return _VARIABLE.sub(number, to_text(sorted_))


def _sort_parts(goal: Expression) -> Expression:
    if isinstance(goal, Atom):
        return goal
    if isinstance(goal, Not) and isinstance(goal.body, Not):
        return _sort_parts(goal.body.body)
    if isinstance(goal, (And, Or)):
        kind = type(goal)
        flat: list[Expression] = []
        for part in map(_sort_parts, goal.parts):
            flat += part.parts if isinstance(part, kind) else (part,)
        # Names of variables must not decide; equal conjuncts count once.
        ordered = sorted(dict.fromkeys(flat), key=lambda part: (_mask(part), to_text(part)))
        return kind(tuple(ordered)) if len(ordered) > 1 else ordered[0]
    if isinstance(goal, TrajectoryConstraint):
        return replace(goal, parts=tuple(map(_sort_parts, goal.parts)))
    return replace(goal, body=_sort_parts(goal.body))


def _mask(goal: Expression) -> str:
    return _VARIABLE.sub("?", to_text(goal))
