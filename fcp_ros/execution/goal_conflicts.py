# SPDX-License-Identifier: Apache-2.0
"""Goals that contradict each other by their words: one wants a fact that another one rules out."""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import And, Atom, Expression, Not, Variable, to_text
from fcp_ros.foundation.input_error import InputError

LONGEST_GOAL = 2_000
"""Characters of a goal that is looked at: whoever accepts a goal must not be kept waiting."""

Literals = dict[str, bool]
"""Text of a ground atom -> True if the goal wants it to hold, False if it wants it not to."""


def list_literals(goal: str) -> Literals:
    """List what a goal demands of ground atoms in any case; empty if it can't be read."""
    # Parts of a disjunction and atoms with variables demand nothing of one atom.
    if not goal or len(goal) > LONGEST_GOAL:
        return {}
    try:
        return dict(_find_literals(parse_expression(goal)))
    except InputError:
        return {}


def find_contradiction(goal: Literals, other: Literals) -> str:
    """Return the first atom that one goal wants to hold and the other one not; "" for none."""
    return next((atom for atom, holds in goal.items() if other.get(atom, holds) != holds), "")


def _find_literals(goal: Expression, holds: bool = True) -> Iterator[tuple[str, bool]]:
    if isinstance(goal, And) and holds:
        for part in goal.parts:
            yield from _find_literals(part)
    elif isinstance(goal, Not):
        yield from _find_literals(goal.body, not holds)
    elif isinstance(goal, Atom) and not any(isinstance(one, Variable) for one in goal.arguments):
        yield to_text(goal), holds
