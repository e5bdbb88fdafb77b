# SPDX-License-Identifier: Apache-2.0
"""Action costs: what an action adds to total-cost, as a base and tables over its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fcp_ros.domain.expressions.syntax import Constant, Variable
from fcp_ros.domain.model import Cost, CostTerm
from fcp_ros.domain.pddl.rules.universe import Universe
from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.tree import FunctionValue, PddlAction, PddlTerm


def compute_cost(
    action: PddlAction, mapping: Mapping[PddlTerm, Variable], universe: Universe, source: Source
) -> Cost:
    """The cost of an action; 0 where it adds nothing, or where a function has no value.

    Args:
        action: the action.
        mapping: its parameters -> the rule's.
        universe: has the values of functions, and the names of objects as they are spelt.
        source: the domain file, for messages.

    Raises:
        UnsupportedPddl: a negative cost.
    """
    base = 0.0
    terms: list[CostTerm] = []
    for part in action.cost:
        if not isinstance(part, FunctionValue):
            _check(part, action, source)
            base += part
            continue
        term = _term(part, mapping, universe)
        for value in term.table.values():
            _check(value, action, source)
        if not term.parameters:
            base += term.table.get((), 0.0)
        elif term.table:
            terms.append(term)
    return Cost(base, tuple(terms))


def _term(
    part: FunctionValue, mapping: Mapping[PddlTerm, Variable], universe: Universe
) -> CostTerm:
    """The values that fit the objects which the action itself names."""
    given = part.arguments
    places = [place for place, term in enumerate(given) if isinstance(term, Variable)]
    spelling = universe.problem.spelling
    table = {
        tuple(spelling[arguments[place]] for place in places): value
        for arguments, value in universe.problem.values.get(part.function, {}).items()
        if _fits(given, arguments)
    }
    return CostTerm(tuple(mapping[given[place]].name for place in places), table)


def _fits(given: Sequence[PddlTerm], arguments: Sequence[str]) -> bool:
    return all(
        not isinstance(term, Constant) or term.name == name
        for term, name in zip(given, arguments, strict=True)
    )


def _check(value: float, action: PddlAction, source: Source) -> None:
    if value < 0:
        raise source.refusal(
            action.at,
            f"a negative cost ({value:g}), in action {action.name},",
            "make costs 0 or more",
        )
