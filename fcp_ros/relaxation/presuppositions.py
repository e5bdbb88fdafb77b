# SPDX-License-Identifier: Apache-2.0
"""Presuppositions of an instruction, and what it makes depend on what nobody has seen.

Who says "wipe the table" has seen the dirt. "If the TV is on, bring me the book" can't be decided
where nobody has seen the TV; "if it is on, turn it off" is done, so that it is off in any case.

A state is closed: what the scene doesn't state is false in it. So a table of which nobody has said
whether it is dirty counts as clean, a window as open, a television as off, and "wipe the table"
would be done before it has begun. Most scene graphs state nothing of the kind. Where the scene is
silent, the words are the better evidence: what they ask for isn't so yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Text,
    Variable,
    list_conjuncts,
)
from fcp_ros.domain.model import IS_A


def find_presupposed(
    goal: Expression, instance: Instance, is_unseen: Callable[[Fact], bool]
) -> tuple[Fact, ...]:
    """Find what the parts of a goal want to be no longer so, and nobody has seen either way.

    `goal`: as checked. Only what all of it asks for counts: not a choice, nor "don't ever".
    """
    ended = (fact for part in list_conjuncts(goal) for fact in _list_ended(part, instance))
    return tuple(dict.fromkeys(fact for fact in ended if is_unseen(fact)))


@dataclass(frozen=True, slots=True)
class ConditionalPart:
    """A part of a goal that asks for something only if a fact was so initially, or was not."""

    part: Expression
    condition: Expression  # a fact, or that it isn't so
    asked: Expression  # what is asked for if the condition holds


def find_unseen_condition(
    goal: Expression, is_unseen: Callable[[Fact], bool]
) -> ConditionalPart | None:
    """Find the first part of a goal that can't be decided, since nobody has seen its condition."""
    for part in list_conjuncts(goal):
        found = _split_condition(part)
        if found is None or not is_unseen(_fact_of(found.condition)):
            continue
        if not _asks_in_any_case(found):
            return found
    return None


def _asks_in_any_case(part: ConditionalPart) -> bool:
    """Return True for "if it is on, turn it off": then it is off, whether it was on or not."""
    return _list_facts(part.asked) == [_fact_of(part.condition)]


def _split_condition(part: Expression) -> ConditionalPart | None:
    """Split "either it was initially so, or ..." about one fact."""
    if not isinstance(part, Or):
        return None
    for one in part.parts:
        negated = isinstance(one, Not) and isinstance(one.body, Initially)
        inner = one.body if isinstance(one, Not) else one
        if not isinstance(inner, Initially) or len(_list_facts(inner.body)) != 1:
            continue
        rest = tuple(other for other in part.parts if other is not one)
        asked = Or(rest) if len(rest) > 1 else rest[0]
        condition = inner.body if negated else _negate(inner.body)
        return ConditionalPart(part, condition, asked)
    return None


def _negate(literal: Expression) -> Expression:
    return literal.body if isinstance(literal, Not) else Not(literal)


def _fact_of(literal: Expression) -> Fact:
    return _list_facts(literal)[0]


def _list_facts(part: Expression) -> list[Fact]:
    """Return the fact that a part is, or denies; nothing for another part."""
    atom = part.body if isinstance(part, Not) else part
    if not isinstance(atom, Atom):
        return []
    names = tuple(one.name for one in atom.arguments if isinstance(one, Constant))
    return [Fact(atom.predicate, names)] if len(names) == len(atom.arguments) else []


def _list_ended(part: Expression, instance: Instance) -> Iterator[Fact]:
    """List the facts that have ended where a part of a goal holds."""
    conditional = _split_condition(part)
    if conditional is not None and _asks_in_any_case(conditional):
        part = conditional.asked
    if isinstance(part, Not):
        yield from _list_facts(part)
    elif isinstance(part, Forall) and len(part.variables) == 1:
        variable = part.variables[0]
        parts = part.body.parts if isinstance(part.body, Or) else (part.body,)
        ended = {_find_ended(one, variable.name) for one in parts} - {""}
        labels = [label for one in parts for label in _list_left_out(one, variable.name)]
        if len(ended) == 1 and len(labels) == len(parts) - 1:
            for element in instance.elements(variable.type):
                if all(is_a(instance, element, label) for label in labels):
                    yield Fact(next(iter(ended)), (instance.name_of(element),))


def _find_ended(part: Expression, variable: str) -> str:
    """Return the relation that a part wants to be no longer so of a variable; "" for another."""
    if not (isinstance(part, Not) and isinstance(part.body, Atom)):
        return ""
    is_state = part.body.arguments == (Variable(variable),)
    return part.body.predicate if is_state else ""


def _list_left_out(part: Expression, variable: str) -> Iterator[str]:
    """List the label without which a part asks nothing of a variable; nothing for another part."""
    if isinstance(part, Not) and isinstance(part.body, Atom) and part.body.predicate == IS_A:
        of, label = part.body.arguments
        if of == Variable(variable) and isinstance(label, Text):
            yield label.value
