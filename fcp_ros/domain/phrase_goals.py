# SPDX-License-Identifier: Apache-2.0
"""The goals that phrases stand for: effects of a rule, and filled-in goals of a task."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Not,
    Term,
    Text,
    TypedVariable,
    Variable,
    conjoin,
    free_variables,
    list_variables,
    substitute,
)
from fcp_ros.domain.model import IS_A, TEXT, ActionRule
from fcp_ros.domain.phrases import ADDRESSEE, NUMBER, SPEAKER, Addition, TaskTemplate

SLOT = re.compile(r"\{(\d*)([^{}]*)\}")
"""A slot of a goal: `{name}`, or a number times one, `{2n}`."""

SlotValue = Term | int | str
"""The value of a slot: an element or variable, a number, or words."""


def state_effects(rule: ActionRule, named: Sequence[str]) -> Expression | None:
    """State what "do it" asks for: the effects of a rule on what a phrase names first.

    What the rule adds of it holds ("push {what} to {to}": at(what, to)); parameters that are not
    named may be anything of their types. If it adds nothing, what it deletes does not hold any
    more. The same is asked of everything else that is named and not heard of so far ("pick up
    {item} from {place}": it is not there any more). This is both what readers understand and what
    `fcp validate` checks. `named`: the parameters that a phrase names, in its order. Returns the
    goal; None if no effect concerns what is named. Its free variables are parameters that are
    named, and the one that acts (`list_actors`), named or not.
    """
    types = {parameter.name: parameter.type for parameter in rule.parameters}
    fixed = {*named, *list_actors(rule)}
    parts: list[Expression] = []
    for first in named[:2]:
        for whole in (True, False):
            for atom in rule.add:
                variables = list(dict.fromkeys(list_variables(atom)))
                unnamed = tuple(TypedVariable(v, types[v]) for v in variables if v not in fixed)
                if first in variables and (not unnamed) is whole:
                    parts.append(Exists(unnamed, atom) if unnamed else atom)
            if parts:
                break
        parts = parts or _list_gone(rule, first, fixed)
        if parts:
            break
    for slot in named if parts else ():
        if slot not in free_variables(_join(parts)):
            parts += _list_gone(rule, slot, fixed)
    return _join(parts) if parts else None


def list_actors(rule: ActionRule) -> tuple[str, ...]:
    """List the parameter that acts: the first one, if it is an agent by name or by type."""
    return tuple(
        parameter.name
        for parameter in rule.parameters[:1]
        if parameter.type in ("robot", "agent") or parameter.name in ("robot", "who", "agent")
    )


def _list_gone(rule: ActionRule, slot: str, fixed: Collection[str]) -> list[Expression]:
    """List what a rule deletes of a parameter, as far as all of it is fixed."""
    deleted = ((atom, set(list_variables(atom))) for atom in rule.delete)
    return [Not(atom) for atom, names in deleted if slot in names and names <= set(fixed)]


def fill_goal(
    template: TaskTemplate,
    values: Mapping[str, SlotValue],  # slot -> element or variable, number, or words
    additions: Sequence[Addition] = (),  # those that were said
) -> Expression:
    """Build the goal of a task from the values of its slots.

    A slot without a value gets its default. An element without one is a free variable of the name
    of the slot: any element that fits. It is the same in the additions. Returns the goal; its names
    are not resolved yet (`check_goal`). Raises ExpressionError if the text of the goal does not
    follow the grammar. Raises ValueError if a number or words are missing, or a value is of the
    wrong kind.
    """
    given = dict(values)
    parts = [_fill(template.goal, template.parameters, template.defaults, given)]
    for addition in additions:
        if not addition.goal:
            continue
        parameters = {**template.parameters, **addition.parameters}
        parts.append(_fill(addition.goal, parameters, template.defaults, given))
    goal = _join(parts)
    free = free_variables(goal)
    labels: list[Expression] = []
    for name, label in template.defaults.items():
        fixed = template.parameters.get(name) in (NUMBER, TEXT) or label in (SPEAKER, ADDRESSEE)
        if name in free and name not in given and not fixed:
            labels.append(Atom(IS_A, (Variable(name), Text(label))))
    return _join([*labels, goal])


def _fill(
    goal: str,
    parameters: Mapping[str, str],
    defaults: Mapping[str, str],
    values: Mapping[str, SlotValue],
) -> Expression:
    def write_slot(match: re.Match[str]) -> str:
        factor, name = match[1], match[2].strip()
        type_ = parameters.get(name)
        value = values.get(name)
        if type_ == NUMBER:
            number = _read_number(name, defaults.get(name) if value is None else value)
            return str(number * int(factor or 1))
        if type_ is None or factor:
            raise ValueError(f"{match[0]} is no slot of this task: declare it as a parameter")
        if type_ == TEXT:
            words = defaults.get(name) if value is None else value
            words = words.value if isinstance(words, Text) else words
            if not isinstance(words, str):
                raise ValueError(f"the words for {match[0]} are missing: give a text")
            return json.dumps(words, ensure_ascii=False)
        if isinstance(value, (Variable, Constant, Text)):
            elements[name] = value
        elif value is not None:
            raise ValueError(f"{value!r} is no element for {match[0]}: give a term")
        return f"?{name}"

    elements: dict[str, Term] = {}
    return substitute(_parse_goal(SLOT.sub(write_slot, goal)), elements)


@lru_cache(maxsize=1024)
def _parse_goal(text: str) -> Expression:
    """Parse the goal of a task; the same ones come again with other elements."""
    return parse_expression(text)


def _read_number(name: str, value: SlotValue | None) -> int:
    if isinstance(value, (int, str)) and re.fullmatch(r"\d{1,9}", str(value)):
        return int(value)
    raise ValueError(f"{{{name}}} takes a whole number from 0 on, not {value!r}: give one")


def _join(parts: Sequence[Expression]) -> Expression:
    flat: list[Expression] = []
    for part in parts:
        flat += part.parts if isinstance(part, And) else (part,)
    return conjoin(flat)
