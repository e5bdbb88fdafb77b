# SPDX-License-Identifier: Apache-2.0
"""The slow obvious twin of planning: every state that DPO rewriting can reach.

It knows nothing of the compiled task: it finds matches with `cset.find_matches`, rewrites, checks
constraints with `find_homs`, and evaluates the goal in each state by definition.
"""

from least_cost import TooManyStates, settle
from random_worlds import atom

from fcp_ros.cset import facts, find_homs, find_matches, rewrite
from fcp_ros.domain import (
    build_constraint_pattern,
    build_span,
    evaluate,
    infer_types,
    parse_expression,
)
from fcp_ros.fuzzy import EPSILON, TNORMS

MAX_STATES = 400


class Twin:
    """Best membership of any plan, by trying everything; None in `best` if no plan is executable.

    Executable: the goal's crisp part holds; that is, the goal is worth something if every degree is
    1 and shortfalls don't add up. (So the goals here do not negate graded atoms.)
    """

    def __init__(self, domain, instance, goal, source, tnorm):
        self.domain, self.source, self.tnorm = domain, source, tnorm
        self.goal = goal
        self.types = infer_types(goal, domain)
        self.spans = [(rule, build_span(rule, domain.schema)) for rule in domain.rules.values()]
        self.patterns = [build_constraint_pattern(c, domain.schema) for c in domain.constraints]
        self.best = None
        self.complete = True

    def degree(self, predicate, arguments):
        return self.source.given.get(atom(predicate, arguments), self.source.default)

    def run(self, instance):
        names, resources = tuple(self.domain.resources), self.domain.resources.values()
        start = instance, tuple(resource.initial for resource in resources)

        def follow(node):
            state, left = node
            for after, degree, rest in self.successors(state, dict(zip(names, left, strict=True))):
                yield degree, (after, tuple(rest[name] for name in names))

        def compose(loss, degree):
            return -self.tnorm.compose(-loss, degree)

        try:
            for loss, (state, _) in settle(start, follow, MAX_STATES, zero=-1.0, add=compose):
                self.consider(state, -loss)
        except TooManyStates:
            self.complete = False

    def consider(self, state, membership):
        if evaluate(self.goal, state, lambda *_: 1.0, TNORMS["goedel"], types=self.types) > 0.0:
            worth = evaluate(self.goal, state, self.degree, self.tnorm, types=self.types)
            value = self.tnorm.compose(membership, worth)
            self.best = value if self.best is None else max(self.best, value)

    def successors(self, state, left):
        """(state, degree, resources) after each step that can be done."""
        for _, after, degree, rest in self.named_successors(state, left):
            yield after, degree, rest

    def named_successors(self, state, left):
        """The same, with the step in words first."""
        for rule, span in self.spans:
            rest = {name: left[name] - rule.uses.get(name, 0.0) for name in left}
            bounds = {n: self.domain.resources[n] for n, use in rule.uses.items() if use}
            if not all(
                r.minimum <= rest[n] + EPSILON and rest[n] <= r.maximum + EPSILON
                for n, r in bounds.items()
            ):
                continue
            for match in find_matches(span.rule, state):
                after = rewrite(span.rule, match).instance
                if after is None or self.breaks(state, after):
                    continue
                bound = {n: state.name_of(match.mapping[i]) for n, i in span.parameters.items()}
                degrees = [
                    self.degree(a.predicate, tuple(bound[t.name] for t in a.arguments))
                    for a in rule.graded
                ]
                step = atom(rule.name, [bound[name] for name in rule.parameter_names])
                yield step, after, self.tnorm.compose_all(degrees), rest

    def breaks(self, before, after):
        def matches(pattern, target):
            elements = pattern.all_elements()
            return {tuple(m.mapping[e] for e in elements) for m in find_homs(pattern, target)}

        return any(matches(p, after) - matches(p, before) for p in self.patterns)


def wandered(domain, instance, source, tnorm, rng, length):
    """A goal that some plan reaches: what a random walk changed."""
    fact = next(iter(facts(instance)))
    twin = Twin(domain, instance, parse_expression(str(fact)), source, tnorm)
    state, left = instance, {name: r.initial for name, r in domain.resources.items()}
    for _ in range(length):
        choices = [(after, rest) for after, _, rest in twin.successors(state, left)]
        if not choices:
            break
        state, left = rng.choice(choices)
    gained = sorted(map(str, facts(state) - facts(instance)))
    lost = sorted(f"not {fact}" for fact in facts(instance) - facts(state))
    return rng.sample(gained + lost, min(3, len(gained + lost)))


def walk(domain, instance, rng, length):
    """States along a random walk, with what is left of the resources."""
    twin = Twin(domain, instance, parse_expression(str(next(iter(facts(instance))))), None, None)
    twin.degree = lambda *_: 1.0
    twin.tnorm = TNORMS["goedel"]
    state, left = instance, {name: r.initial for name, r in domain.resources.items()}
    yield twin, state, left
    for _ in range(length):
        choices = [(after, rest) for after, _, rest in twin.successors(state, left)]
        if not choices:
            return
        state, left = rng.choice(choices)
        yield twin, state, left


def fluents_of(task, state):
    """The changing facts of a state by their ids; KeyError if one was thought unreachable."""
    return frozenset(task.fact_ids[f] for f in facts(state) if task.is_fluent(f.relation))
