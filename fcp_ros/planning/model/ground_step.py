# SPDX-License-Identifier: Apache-2.0
"""A rule with its parameters bound: graded atoms, duration, cost; agents and budgets of steps."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Text, Variable
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.foundation.wording import join_words, suggest_name
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.plan import PlanStep


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
    def rule(self) -> ActionRule: ...

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


# --- the agents that are busy with a step
#
# The agents of a step are those of its arguments that are agents: elements of the type that the
# domain gives to the scene layer `agent`, of a type called `agent` or `robot`, or of a subtype of
# one of these. A person who takes part in a step is busy with it, too. If no argument is an agent,
# the executor is: two steps that go to the same executor without naming an agent do not overlap.


AGENT_TYPES = ("agent", "robot")
"""Types of these names are agents in every domain."""


class Agents:
    """Finds the agents of steps."""

    def __init__(self, domain: Domain, instance: Instance) -> None:
        self._instance = instance
        self._types = frozenset({*AGENT_TYPES, domain.mapping.layer_types.get("agent", "")})
        self._known: dict[str, bool] = {}

    def of(self, step: PlanStep) -> tuple[str, ...]:
        """Return the names of the agents of a step, in the order of its arguments; never empty."""
        found = tuple(dict.fromkeys(name for name in step.elements if self.contains(name)))
        return found or (f"executor {step.executor}",)

    def find(self, step: PlanStep) -> tuple[str, ...]:
        """Return the names of the agents of a step; () if one of its elements is gone."""
        return self.of(step) if all(map(self._instance.has, step.elements)) else ()

    def may_overlap(self, rules: Iterable[ActionRule]) -> bool:
        """Return True if some steps of these rules may run at once, not all by one agent."""
        present = sum(len(self._instance.elements(type_)) for type_ in self._list_top_types())
        alone = all(self._names_an_agent(rule) for rule in rules)
        return present > 1 or not alone

    def _list_top_types(self) -> list[str]:
        """Return the agent types of the schema that are no subtypes of another one."""
        schema = self._instance.schema
        known = [name for name in schema.types if name in self._types]
        return [n for n in known if self._types.isdisjoint(set(schema.ancestors(n)) - {n})]

    def _names_an_agent(self, rule: ActionRule) -> bool:
        ancestors = self._instance.schema.ancestors
        return any(not self._types.isdisjoint(ancestors(p.type)) for p in rule.parameters)

    def contains(self, element: str) -> bool:
        if element not in self._known:
            type_ = self._instance.type_of(self._instance.id_of(element))
            self._known[element] = not self._types.isdisjoint(
                self._instance.schema.ancestors(type_)
            )
        return self._known[element]


# --- budgets: how much of something a plan may use
#
# What can be budgeted are the resources of the domain, and three things that every domain has: the
# cost of the steps, their time and their number. A resource of one of these names goes first.


COST = "cost"
"""The sum of the costs of the steps; preferences that are given up are not counted."""
TIME = "time"
"""Seconds until the last step ends: the same as a deadline."""
STEPS = "steps"
"""The number of steps."""
COUNTED = (COST, TIME, STEPS)
"""What can be budgeted in every domain."""


def find_unknown_budgets(budgets: Mapping[str, float], domain: Domain) -> tuple[str, ...]:
    """Return one sentence for each budget of something that a domain does not have."""
    known = (*domain.resources, *COUNTED)
    return tuple(
        f"There is no budget of {name!r}: {suggest_name(name, known)} "
        f"(what can be budgeted: {', '.join(dict.fromkeys(known))})."
        for name in budgets
        if name not in known
    )


def is_counted(name: str, domain: Domain) -> bool:
    """Return True if a budget is of cost, time or steps, and not of a resource of the domain."""
    return name in COUNTED and name not in domain.resources


def find_latest_end(budgets: Mapping[str, float], deadline: float, domain: Domain) -> float:
    """Return the seconds that a plan may take: the deadline or the budget, whichever is less."""
    return (
        min(deadline, budgets[TIME]) if is_counted(TIME, domain) and TIME in budgets else deadline
    )


def describe_budgets(budgets: Mapping[str, float]) -> str:
    """Describe budgets: "battery 20 and steps 5"."""
    return join_words([f"{name} {amount:g}" for name, amount in sorted(budgets.items())])


def measure_uses(
    steps: Sequence[PlanStep], end: float, names: Iterable[str], domain: Domain
) -> dict[str, float]:
    """Measure how much some steps use, done in their order.

    Of a resource, as much is used as its level falls below the initial one at its lowest: what a
    step gives back can be used again.
    """
    found = {}
    for name in names:
        if not is_counted(name, domain):
            uses = (domain.rules[step.rule].uses.get(name, 0.0) for step in steps)
            found[name] = max(itertools.accumulate(uses, initial=0.0))
        elif name == TIME:
            found[name] = end
        elif name == STEPS:
            found[name] = float(len(steps))
        else:
            costs = (compute_cost(domain.rules[step.rule], step.elements) for step in steps)
            found[name] = float(sum(costs))
    return found
