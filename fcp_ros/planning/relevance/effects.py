# SPDX-License-Identifier: Apache-2.0
"""Which conditional effects of which operators matter: they touch facts that do, or may forbid.

An effect that adds something that a constraint speaks of, or that has a functional leg, may make
its operator inapplicable: it belongs to the operator whatever the goal is.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.relevance.nodes import Node
from fcp_ros.planning.task.lifted import LiftedDomain, Trigger

_ANY = -1

Touch = tuple[Trigger, Node, int]
"""Something that an effect of the operator may do to the fact; FORBIDS: to whatever it is."""
FORBIDS = -1


class EffectIndex:
    """Operators with effects, and facts that matter, each found by an element that they share.

    Args:
        lifted: the domain.
        facts: the facts.
    """

    def __init__(self, lifted: LiftedDomain, facts: FactTable) -> None:
        self._facts = facts
        self._of_relation: dict[int, list[Trigger]] = {}
        self._of_rule: dict[int, list[tuple[int, Trigger]]] = {}
        self._forbidding: dict[int, list[Trigger]] = {}
        self._nodes: dict[tuple[int, int, int], list[Node]] = {}
        self._mattering: dict[tuple[int, int, int], list[int]] = {}
        for ways in (lifted.adders, lifted.deleters):
            for name, triggers in ways.items():
                relation = lifted.relations[name].number
                for trigger in triggers:
                    if trigger.effect >= 0:
                        self._of_relation.setdefault(relation, []).append(trigger)
                        rule = trigger.rule.number
                        self._of_rule.setdefault(rule, []).append((relation, trigger))
        for name, triggers in lifted.adders.items():
            if lifted.relations[name].keys or name in lifted.constraints:
                for trigger in triggers:
                    if trigger.effect >= 0:
                        self._forbidding.setdefault(trigger.rule.number, []).append(trigger)

    def of_fact(self, fact: int) -> Iterator[Touch]:
        """What operators so far may do to a fact that matters from now on."""
        relation = self._facts.relation[fact].number
        triggers = self._of_relation.get(relation)
        if not triggers:
            return
        elements = self._facts.elements[fact]
        for position, element in ((_ANY, _ANY), *enumerate(elements)):
            self._mattering.setdefault((relation, position, element), []).append(fact)
        for trigger in triggers:
            position, slot = _shared(trigger)
            element = _ANY if position == _ANY else elements[position]
            for node in tuple(self._nodes.get((trigger.rule.number, slot, element), ())):
                yield trigger, node, fact

    def of_node(self, node: Node) -> Iterator[Touch]:
        """What a new operator may do to the facts that matter so far."""
        rule = node.rule.number
        triggers = self._of_rule.get(rule)
        if not triggers:
            return
        for slot, element in ((_ANY, _ANY), *enumerate(node.arguments)):
            self._nodes.setdefault((rule, slot, element), []).append(node)
        for trigger in self._forbidding.get(rule, ()):
            yield trigger, node, FORBIDS
        for relation, trigger in triggers:
            position, slot = _shared(trigger)
            element = _ANY if position == _ANY else node.arguments[slot]
            for fact in tuple(self._mattering.get((relation, position, element), ())):
                yield trigger, node, fact


def _shared(trigger: Trigger) -> tuple[int, int]:
    """A leg of the effect's atom that a parameter of the rule binds, and that parameter."""
    size = len(trigger.rule.types)
    for position, slot in enumerate(trigger.slots):
        if slot < size:
            return position, slot
    return _ANY, _ANY
