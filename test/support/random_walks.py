# SPDX-License-Identifier: Apache-2.0
"""Random sequences that can be done in a random world, step by step by rewriting."""

import itertools
from dataclasses import replace

from hypothesis import strategies as st

from fcp_ros.cset import find_homs, find_matches, rewrite
from fcp_ros.domain import Duration, Window, build_constraint_pattern, build_span
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.plan import PlanStep


@st.composite
def timed(draw, domain):
    """The domain with durations, executors, and elements of type `c` as agents."""
    rules = {
        name: replace(
            rule,
            duration=Duration(draw(st.sampled_from([0.5, 1.0, 2.0, 5.0]))),
            executor=draw(st.sampled_from(["left", "right", name])),
            window=draw(
                st.sampled_from(
                    [Window(), Window(), Window(2.0), Window(0.0, 9.0), Window(1.0, 6.0)]
                )
            ),
        )
        for name, rule in domain.rules.items()
    }
    mapping = replace(domain.mapping, layer_types={"agent": draw(st.sampled_from("cab"))})
    return replace(domain, rules=rules, mapping=mapping)


MATCHES = 6
"""Matches of each rule that are tried."""


class Walker:
    """Takes steps that rules, constraints and resources allow."""

    def __init__(self, domain):
        self.domain = domain
        self.spans = {name: build_span(rule, domain.schema) for name, rule in domain.rules.items()}
        self.patterns = [build_constraint_pattern(c, domain.schema) for c in domain.constraints]

    def start(self):
        """What there is of each resource at first."""
        return {name: r.initial for name, r in self.domain.resources.items()}

    def walk(self, instance, rng, length):
        """The states after each step, and the steps; what changes nothing is taken less often."""
        states, steps = [], []
        state, left = instance, self.start()
        for _ in range(length):
            taken = self.step(state, left, rng)
            if taken is None:
                break
            state, step, left = taken
            states.append(state)
            steps.append(step)
        return states, steps

    def step(self, state, left, rng):
        """A random step that is possible, preferably one that changes something."""
        matches = [
            (name, match)
            for name, span in self.spans.items()
            for match in itertools.islice(find_homs(span.rule.L, state), MATCHES)
        ]
        rng.shuffle(matches)
        idle = None
        for name, match in matches:
            after = self.spent(name, left)
            result = rewrite(self.spans[name].rule, match)
            if after is None or result.instance is None or self.breaks(state, result.instance):
                continue
            taken = result.instance, self.plan_step(name, self.spans[name], match), after
            if result.delta.added or result.delta.removed:
                return taken
            idle = idle or taken
        return idle

    def redo(self, step, state):
        """The state after a plan step, by rewriting; None where it can't be done."""
        span = self.spans[step.rule]
        fixed = {span.parameters[p]: state.id_of(e) for p, e in step.arguments}
        for match in find_matches(span.rule, state, initial=fixed):
            after = rewrite(span.rule, match).instance
            return None if after is None or self.breaks(state, after) else after
        return None

    def plan_step(self, name, span, match):
        rule = self.domain.rules[name]
        arguments = tuple(
            (p, match.target.name_of(match.mapping[span.parameters[p]]))
            for p in rule.parameter_names
        )
        return PlanStep(name, arguments, 1.0, 1.0, rule.duration.base, rule.executor)

    def spent(self, name, left):
        """What is left of the resources after a step; None where a bound is broken."""
        after = dict(left)
        for resource, use in self.domain.rules[name].uses.items():
            if use:
                bounds = self.domain.resources[resource]
                after[resource] -= use
                low, high = bounds.minimum - EPSILON, bounds.maximum + EPSILON
                if not low <= after[resource] <= high:
                    return None
        return after

    def breaks(self, before, after):
        def found(pattern, target):
            elements = pattern.all_elements()
            return {tuple(m.mapping[e] for e in elements) for m in find_homs(pattern, target)}

        return any(found(p, after) - found(p, before) for p in self.patterns)
