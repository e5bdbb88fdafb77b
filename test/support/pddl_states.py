# SPDX-License-Identifier: Apache-2.0
"""The states and steps of a task that was read from PDDL, in PDDL's words; for comparison."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from pddl_interpreter import Interpreter

from fcp_ros.cset import facts, find_homs
from fcp_ros.domain import evaluate
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.task_reader import read_texts, work_out
from fcp_ros.domain.rule_spans import DomainSpans, apply_rule
from fcp_ros.fuzzy import tnorm_by_name

OWN = ("same", "always")


def name_steps(task, result):
    """The steps of a plan in PDDL's words: (action, arguments)."""
    for step in result.plan.steps:
        form = task.forms[step.rule]
        bound = dict(step.arguments)
        yield form.action.lower(), tuple(bound[name].lower() for name in form.parameters)


def _numbered(legs):
    return [replace(leg, name=f"{number}") for number, leg in enumerate(legs)]


class RuleStates:
    """Applies a task's rules to its instances by DPO; `twin` interprets the same task."""

    def __init__(self, task, twin) -> None:
        self.task = task
        self.possible = {
            predicate: [tuple(bound.values()) for bound in twin.bindings(_numbered(legs))]
            for predicate, legs in twin.domain.predicates.items()
            if predicate in task.replaced
        }
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
        for predicate, replaced in self.task.replaced.items():
            found |= {(predicate, *key) for key in self._keys(instance, predicate, replaced)}
        return frozenset(found)

    def _keys(self, instance, predicate, replaced):
        """Of what a predicate holds that the task does without."""
        tuples = instance.tuples(replaced.relation).values()
        there = {
            tuple(instance.name_of(legs[p]).lower() for p in replaced.positions) for legs in tuples
        }
        if not replaced.complement:
            return there
        return set(self.possible[predicate]) - there

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


def compared(domain, problem, limit=25):
    """The task and its states, after they have been compared with those of the interpreter."""
    texts = read_texts(Source("domain", domain), Source("problem", problem))
    twin, task = Interpreter(texts), work_out(texts)
    reached = RuleStates(task, twin).reachable(limit)
    assert twin.initial in reached
    for state, (instance, transitions) in reached.items():
        assert transitions == twin.transitions(state)
        degree = evaluate(task.goal, instance, lambda *_: 0.0, tnorm_by_name("lukasiewicz"))
        assert bool(degree) == twin.reaches_goal(state)
    return task, reached
