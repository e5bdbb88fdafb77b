# SPDX-License-Identifier: Apache-2.0
"""The facts that an instruction takes for granted: who says "wipe the table" has seen the dirt.

A state is closed: what the scene doesn't state is false in it. So a table of which nobody has said
whether it is dirty counts as clean, a window as open, a television as off, and "wipe the table"
would be done before it has begun. Most scene graphs state nothing of the kind. Where the scene is
silent, the words are the better evidence: what they ask for isn't so yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Forall,
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


def _list_ended(part: Expression, instance: Instance) -> Iterator[Fact]:
    """List the facts that have ended where a part of a goal holds."""
    if isinstance(part, Not) and isinstance(part.body, Atom):
        names = [one.name for one in part.body.arguments if isinstance(one, Constant)]
        if len(names) == len(part.body.arguments):
            yield Fact(part.body.predicate, tuple(names))
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
