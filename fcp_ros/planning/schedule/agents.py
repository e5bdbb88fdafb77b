# SPDX-License-Identifier: Apache-2.0
"""The agents that are busy with a step.

The agents of a step are those of its arguments that are agents: elements of the type that the
domain gives to the scene layer `agent`, of a type called `agent` or `robot`, or of a subtype of one
of these. A person who takes part in a step is busy with it, too. If no argument is an agent, the
executor is: two steps that go to the same executor without naming an agent do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.cset import Instance
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.planning.model.plan import PlanStep

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
        """Return True for the name of an agent."""
        if element not in self._known:
            type_ = self._instance.type_of(self._instance.id_of(element))
            self._known[element] = not self._types.isdisjoint(
                self._instance.schema.ancestors(type_)
            )
        return self._known[element]
