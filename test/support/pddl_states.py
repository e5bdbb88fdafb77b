# SPDX-License-Identifier: Apache-2.0
"""The states and steps of a task that was read from PDDL, in PDDL's words; for comparison."""

from __future__ import annotations

from collections import deque

from fcp_ros.cset import facts, find_homs
from fcp_ros.domain.amalgam import apply_rule
from fcp_ros.domain.spans import DomainSpans

OWN = ("same", "always")


class RuleStates:
    """Applies a task's rules to its instances by DPO."""

    def __init__(self, task) -> None:
        self.task = task
        self.spans = DomainSpans(task.domain)

    def facts(self, instance):
        """An instance as PDDL's facts."""
        found = set()
        for fact in facts(instance):
            legs = self.task.domain.schema.relation(fact.relation).legs
            arguments = fact.arguments
            if legs and legs[0][0] == "world":
                arguments = arguments[1:]
            if fact.relation not in OWN:
                found.add((fact.relation, *(a.lower() for a in arguments)))
        return frozenset(found)

    def steps(self, instance):
        """(action, arguments, facts afterwards, instance afterwards) for whatever can be done."""
        for rule in self.task.domain.rules.values():
            span = self.spans.of(rule)
            form = self.task.forms[rule.name]
            for match in find_homs(span.rule.L, instance):
                result = apply_rule(rule, span, match)
                if result.instance is None:
                    continue
                bound = {
                    name: instance.name_of(match.mapping[id_])
                    for name, id_ in span.parameters.items()
                }
                arguments = tuple(bound[name].lower() for name in form.parameters)
                yield form.action.lower(), arguments, self.facts(result.instance), result.instance

    def reachable(self, limit=2000):
        """Breadth first: facts -> (instance, transitions to other states)."""
        start = self.task.instance
        known = {self.facts(start): start}
        queue, found = deque(known), {}
        while queue and len(found) < limit:
            state = queue.popleft()
            transitions = set()
            for action, arguments, after, instance in self.steps(known[state]):
                if after == state:
                    continue
                transitions.add((action, arguments, after))
                if after not in known:
                    known[after] = instance
                    queue.append(after)
            found[state] = (known[state], transitions)
        return found
