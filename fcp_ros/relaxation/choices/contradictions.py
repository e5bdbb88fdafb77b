# SPDX-License-Identifier: Apache-2.0
"""Requirements that exclude one another by their wording, whatever the world is like."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.syntax import Atom, Not, Term
from fcp_ros.relaxation.choices.requirements import Form, Requirement


def find_contradictions(items: Sequence[Requirement], schema: Schema) -> list[tuple[int, int]]:
    """Find requirements that exclude one another by their wording, whatever the world is like.

    Such as `on(mug_1, table_1)` and `on(mug_1, counter_1)`: an item is on one thing at most. Or a
    condition and its negation.

    Returns:
        Pairs of their numbers.
    """
    asked: dict[tuple[str, str, Term], dict[Atom, list[int]]] = {}
    for number, item in enumerate(items):
        (atom,) = item.parts if len(item.parts) == 1 else (None,)
        if not isinstance(atom, Atom) or not schema.has_relation(atom.predicate):
            continue
        relation = schema.relation(atom.predicate)
        if item.form is not Form.PLAIN:
            continue
        for (leg, _), term in zip(relation.legs, atom.arguments, strict=True):
            if leg in relation.functional:
                same = asked.setdefault((relation.name, leg, term), {})
                same.setdefault(atom, []).append(number)
    excluded = [
        (one[0], other[0])
        for same in asked.values()
        for one, other in itertools.combinations(same.values(), 2)
    ]
    numbers = {item.closed: number for number, item in enumerate(items)}
    negated = (
        (numbers.get(item.closed.body), number)
        for number, item in enumerate(items)
        if isinstance(item.closed, Not)
    )
    return excluded + [(one, other) for one, other in negated if one is not None]
