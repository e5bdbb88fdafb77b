# SPDX-License-Identifier: Apache-2.0
"""A rule with its parameters bound: the step of a plan, its graded atoms, duration and cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Text, Variable
from fcp_ros.domain.model import ActionRule
from fcp_ros.planning.model.memberships import GradedAtom


@dataclass(frozen=True, slots=True)
class GroundStep:
    """One step of a plan: a rule, and an element name for each of its parameters, in order."""

    rule: ActionRule
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.rule.name}({', '.join(self.arguments)})"


class BoundRule(Protocol):
    """Anything that binds a rule: a `GroundStep`, an operator of a task."""

    @property
    def rule(self) -> ActionRule:
        """The rule."""
        ...

    @property
    def arguments(self) -> tuple[str, ...]:
        """An element name for each parameter."""
        ...


def list_graded_atoms(step: BoundRule) -> tuple[GradedAtom, ...]:
    """Return the graded atoms of a step, in the rule's order."""
    if not step.rule.graded:
        return ()
    return GradedAtoms(step.rule).of(step.arguments)


class GradedAtoms:
    """The graded atoms of the steps of one rule."""

    def __init__(self, rule: ActionRule) -> None:
        number = {name: index for index, name in enumerate(rule.parameter_names)}
        self._atoms: list[tuple[str, list[int | str]]] = [
            (
                atom.predicate,
                [
                    number[term.name] if isinstance(term, Variable) else term.value
                    for term in atom.arguments
                    if isinstance(term, (Variable, Text))
                ],
            )
            for atom in rule.graded
        ]

    def of(self, arguments: Sequence[str]) -> tuple[GradedAtom, ...]:
        """Ground the atoms for the arguments of one step."""
        return tuple(
            [
                (name, tuple([t if isinstance(t, str) else arguments[t] for t in terms]))
                for name, terms in self._atoms
            ]
        )


def compute_duration(rule: ActionRule, arguments: Sequence[str], instance: Instance) -> float:
    """Compute the expected duration in seconds: base + per_metre * distance (m)."""
    duration = rule.duration
    if duration.between is None or duration.per_metre == 0.0:
        return duration.base
    bound = dict(zip(rule.parameter_names, arguments, strict=True))
    one, other = (_position(bound[name], instance) for name in duration.between)
    if one is None or other is None:
        return duration.base
    return duration.base + duration.per_metre * math.dist(one, other)


def compute_cost(rule: ActionRule, arguments: Sequence[str]) -> Fraction:
    """Compute the cost of a step exactly: the rule's base and the entries of its cost tables."""
    total = rule.cost.base
    if not rule.cost.terms:
        return total
    bound = dict(zip(rule.parameter_names, arguments, strict=True))
    for term in rule.cost.terms:
        total += term.table.get(tuple(bound[name] for name in term.parameters), 0)
    return total


def _position(element: str, instance: Instance) -> tuple[float, float] | None:
    """Return the position of an element in the plane (m); None if it is unknown."""
    id_ = instance.id_of(element)
    x, y = instance.attribute(id_, "x"), instance.attribute(id_, "y")
    if not isinstance(x, (int, float)) or not isinstance(y, (int, float)):
        return None
    return (float(x), float(y))
