# SPDX-License-Identifier: Apache-2.0
"""The verifier: replays a plan by DPO rewriting on the C-set, and believes nothing.

Small and obvious on purpose. It knows nothing of the compiled task or of the search: rules come
from `domain.spans`, states from `cset.rewrite`, the goal from `domain.evaluate`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fcp_ros.cset import Instance, Morphism, UnknownElement, find_homs, rewrite
from fcp_ros.domain.evaluate import evaluate
from fcp_ros.domain.expression import Exists, Expression, Text, Variable
from fcp_ros.domain.infer_types import infer_types
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.domain.spans import DomainSpans
from fcp_ros.fuzzy import EPSILON, TNorm, reaches, tnorm_by_name
from fcp_ros.planning.model.memberships import Judge, MembershipSource
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.model.verdict import Verdict


def verify(
    domain: Domain,
    instance: Instance,
    plan: Plan,
    goal: Expression,
    memberships: MembershipSource,
    *,
    alpha: float,
    resources: Mapping[str, float] | None = None,
    check: Callable[[], None] = lambda: None,
) -> Verdict:
    """Check everything that a plan claims.

    Arguments:
        domain: rules, constraints, resources, graded predicates.
        instance: the state in which the plan starts.
        plan: the plan.
        goal: the checked goal that it is meant to reach.
        memberships: judges graded predicates.
        alpha: the alpha-cut that the plan must pass.
        resources: what there is of each resource at first; the domain's initial values by default.
        check: called between steps; may raise to stop.

    Returns:
        the verdict; never raises for a wrong plan.
    """
    return _Verifier(domain, plan, memberships, check).run(instance, goal, alpha, resources or {})


class _Verifier:
    def __init__(
        self,
        domain: Domain,
        plan: Plan,
        memberships: MembershipSource,
        check: Callable[[], None],
    ) -> None:
        self._domain = domain
        self._spans = DomainSpans(domain)
        self._plan = plan
        self._source = memberships
        self._check = check
        self._problems: list[str] = []
        self._degrees: list[float] = []
        self._memberships: list[float] = []

    def run(
        self,
        instance: Instance,
        goal: Expression,
        alpha: float,
        resources: Mapping[str, float],
    ) -> Verdict:
        try:
            tnorm = tnorm_by_name(self._plan.tnorm)
        except ValueError as error:
            return Verdict(False, (str(error),), (), None)
        left = {name: r.initial for name, r in self._domain.resources.items()} | dict(resources)
        state = instance
        for number, step in enumerate(self._plan.steps, start=1):
            self._check()
            after = self._replay(f"step {number} {step}", step, state, left, tnorm)
            if after is None:
                return Verdict(False, tuple(self._problems), tuple(self._memberships), None)
            state = after
        self._check_end(state, goal, alpha, left, tnorm)
        return Verdict(not self._problems, tuple(self._problems), tuple(self._memberships), state)

    # --- one step

    def _replay(
        self, where: str, step: PlanStep, state: Instance, left: dict[str, float], tnorm: TNorm
    ) -> Instance | None:
        """The state after a step; None, with the problems noted, if it can't be taken."""
        rule = self._domain.rules.get(step.rule)
        if rule is None:
            return self._fail(f"{where}: the domain has no rule {step.rule}")
        if tuple(name for name, _ in step.arguments) != rule.parameter_names:
            expected = ", ".join(rule.parameter_names)
            return self._fail(f"{where}: the parameters of {rule.name} are {expected}")
        after = self._rewritten(where, rule, step, state)
        if after is None:
            return None
        for constraint, pattern in self._spans.constraints:
            for found in _newly_matched(pattern, state, after):
                self._problems.append(f"{where}: breaks {constraint.name} ({found})")
        self._spend(where, rule, left)
        self._check_degree(where, rule, step, state, tnorm)
        return after

    def _rewritten(
        self, where: str, rule: ActionRule, step: PlanStep, state: Instance
    ) -> Instance | None:
        """The state after the rule at the match that the step's arguments say."""
        span = self._spans.of(rule)
        pattern = span.rule.L
        try:
            mapping = {
                span.parameters[name]: state.id_of(element) for name, element in step.arguments
            }
        except UnknownElement as error:
            return self._fail(f"{where}: {error}")
        for relation in pattern.schema.relations:
            for row, legs in pattern.tuples(relation.name).items():
                found = state.find_tuple(relation.name, tuple(mapping[leg] for leg in legs))
                if found is None:
                    names = ", ".join(state.name_of(mapping[leg]) for leg in legs)
                    return self._fail(f"{where}: {relation.name}({names}) does not hold")
                mapping[row] = found
        result = rewrite(span.rule, Morphism(pattern, state, mapping))
        if result.instance is None:
            reasons = "; ".join(violation.message for violation in result.violations)
            return self._fail(f"{where}: {reasons}")
        return result.instance

    def _spend(self, where: str, rule: ActionRule, left: dict[str, float]) -> None:
        for name, use in rule.uses.items():
            if use == 0.0:
                continue
            resource = self._domain.resources[name]
            left[name] -= use
            if not resource.minimum - EPSILON <= left[name] <= resource.maximum + EPSILON:
                self._problems.append(
                    f"{where}: {name} would be {left[name]:g} {resource.unit}, outside "
                    f"[{resource.minimum:g}, {resource.maximum:g}]"
                )

    def _check_degree(
        self, where: str, rule: ActionRule, step: PlanStep, state: Instance, tnorm: TNorm
    ) -> None:
        judge = Judge(self._domain, state, self._source, self._check)
        bound = dict(step.arguments)
        degree = tnorm.compose_all(
            judge.degree(
                atom.predicate,
                tuple(
                    bound[term.name] if isinstance(term, Variable) else _text(term)
                    for term in atom.arguments
                ),
            )
            for atom in rule.graded
        )
        self._degrees.append(degree)
        membership = tnorm.compose_all(self._degrees)
        self._memberships.append(membership)
        self._compare(f"{where}: its degree", step.degree, degree)
        self._compare(f"{where}: the membership after it", step.membership_after, membership)

    # --- the end

    def _check_end(
        self,
        state: Instance,
        goal: Expression,
        alpha: float,
        left: Mapping[str, float],
        tnorm: TNorm,
    ) -> None:
        judge = Judge(self._domain, state, self._source, self._check)
        body, types = _opened(goal, self._domain)
        binding = {name: element for name, element in self._plan.binding if name in types}
        unknown = sorted(element for element in binding.values() if not state.has(element))
        if unknown:
            self._problems.append(f"the binding names {', '.join(unknown)}, which do not exist")
            return
        degree = evaluate(body, state, judge.degree, tnorm, types=types, binding=binding)
        self._compare("the goal's degree", self._plan.goal_degree, degree)
        membership = tnorm.compose_all([*self._degrees, degree])
        self._compare("the plan's membership", self._plan.membership, membership)
        if not reaches(membership, alpha):
            self._problems.append(f"its membership {membership:.3g} does not reach {alpha:g}")
        for name, value in self._plan.resources_after.items():
            self._compare(f"{name} at the end", value, left.get(name, float("nan")))

    def _compare(self, what: str, claimed: float, actual: float) -> None:
        if not abs(claimed - actual) <= EPSILON:
            self._problems.append(f"{what} is {actual:.6g}, not {claimed:.6g} as claimed")

    def _fail(self, problem: str) -> Instance | None:
        """Note a problem after which there is no state to go on with."""
        self._problems.append(problem)
        return None


def _opened(goal: Expression, domain: Domain) -> tuple[Expression, dict[str, str]]:
    """The goal without its leading `exists`, and the types of its free variables.

    A leading existential variable means the same as a free one, and the plan says what it bound it
    to: then only that choice has to be evaluated.
    """
    types = dict(infer_types(goal, domain))
    while isinstance(goal, Exists):
        types.update((variable.name, variable.type) for variable in goal.variables)
        goal = goal.body
    return goal, types


def _newly_matched(pattern: Instance, before: Instance, after: Instance) -> list[str]:
    """What matches a constraint's pattern after a step and did not before it, in words."""
    old = {_bindings(match) for match in find_homs(pattern, before)}
    new = [_bindings(match) for match in find_homs(pattern, after)]
    return [", ".join(f"{v} = {e}" for v, e in found) for found in new if found not in old]


def _bindings(match: Morphism) -> tuple[tuple[str, str], ...]:
    pattern, target = match.source, match.target
    return tuple(
        (pattern.name_of(element), target.name_of(match.mapping[element]))
        for element in pattern.all_elements()
    )


def _text(term: object) -> str:
    assert isinstance(term, Text), "graded atoms of rules hold parameters and texts"
    return term.value
