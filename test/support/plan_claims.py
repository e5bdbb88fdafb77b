# SPDX-License-Identifier: Apache-2.0
"""Plans with everything that they claim, worked out the slow way; None where they can't be done."""

from fcp_ros.cset import Morphism, find_homs, find_matches, rewrite
from fcp_ros.domain import build_constraint_pattern, build_span, evaluate, infer_types
from fcp_ros.grounding.judgement import build_request
from fcp_ros.planning.model.ground_step import GroundStep, list_graded_atoms
from fcp_ros.planning.model.plan import Judged, Plan, PlanStep


class Claims:
    """Works out plans of one domain from one state, by matches, rewriting and sets.

    Args:
        domain: the domain.
        instance: where the plans start.
        source: who judges.
        tnorm: composes degrees.
    """

    def __init__(self, domain, instance, source, tnorm):
        self.domain, self.instance, self.source, self.tnorm = domain, instance, source, tnorm
        self.spans = {name: build_span(rule, domain.schema) for name, rule in domain.rules.items()}
        self.patterns = [build_constraint_pattern(c, domain.schema) for c in domain.constraints]

    def plan(self, steps, goal, alpha=0.0):
        """The plan of (rule, element names) steps for a goal without variables, or None."""
        state, made = self.instance, []
        left = {name: r.initial for name, r in self.domain.resources.items()}
        clock = 0.0
        for rule_name, arguments in steps:
            taken = self.step(rule_name, arguments, state, left)
            if taken is None:
                return None
            after, left, judgements = taken
            rule = self.domain.rules[rule_name]
            clock = max(clock, rule.window.opens) + rule.duration.base
            if clock > rule.window.closes:
                return None
            degree = self.tnorm.compose_all(j.membership.degree for j in judgements)
            before = [step.degree for step in made]
            made.append(
                PlanStep(
                    rule_name,
                    tuple(zip(rule.parameter_names, arguments, strict=True)),
                    degree,
                    self.tnorm.compose_all([*before, degree]),
                    rule.duration.base,
                    rule.executor,
                    judgements,
                )
            )
            state = after
        types = infer_types(goal, self.domain)
        asked = {}

        def judged(predicate, names):
            asked[predicate, names] = self.judged((predicate, names), state)
            return asked[predicate, names].membership.degree

        worth = evaluate(goal, state, judged, self.tnorm, types=types)
        membership = self.tnorm.compose_all([*(step.degree for step in made), worth])
        if membership < alpha:
            return None
        return Plan(
            goal=str(goal),
            steps=tuple(made),
            membership=membership,
            goal_degree=worth,
            goal_judgements=tuple(asked.values()),
            binding=(),
            alpha=alpha,
            tnorm=self.tnorm.name,
            id="plan",
            resources_after=left,
        )

    def step(self, rule_name, arguments, state, left):
        """(state after, what is left, judgements), or None; looks at all matches of the rule."""
        span = self.spans[rule_name]
        rule = self.domain.rules[rule_name]
        for match in find_matches(span.rule, state):
            bound = {n: state.name_of(match.mapping[i]) for n, i in span.parameters.items()}
            if tuple(bound[name] for name in rule.parameter_names) != tuple(arguments):
                continue
            after = rewrite(span.rule, Morphism(span.rule.L, state, match.mapping)).instance
            if after is None or self.breaks(state, after):
                return None
            rest = {name: left[name] - rule.uses.get(name, 0.0) for name in left}
            for name, use in rule.uses.items():
                bounds = self.domain.resources[name]
                if use and not bounds.minimum <= rest[name] <= bounds.maximum:
                    return None
            atoms = list_graded_atoms(GroundStep(rule, tuple(arguments)))
            return after, rest, tuple(self.judged(atom, state) for atom in atoms)
        return None

    def judged(self, atom, state):
        request = build_request(self.domain.graded[atom[0]], atom[1], state)
        return Judged(request, self.source.judge([request])[0])

    def breaks(self, before, after):
        def found(pattern, target):
            elements = pattern.all_elements()
            return {tuple(m.mapping[e] for e in elements) for m in find_homs(pattern, target)}

        return any(found(p, after) - found(p, before) for p in self.patterns)
