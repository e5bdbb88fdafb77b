# SPDX-License-Identifier: Apache-2.0
"""Experiments: plans that succeed only if a doubtful name means what a hypothesis says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.alignment.ontology.claims import NameHypothesis, NameUse
from fcp_ros.alignment.simulator import GroundAction
from fcp_ros.cset import Fact, Instance, find_homs
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Exists,
    Expression,
    Not,
    TypedVariable,
    Variable,
    conjoin,
)
from fcp_ros.domain.model import ActionRule, Domain, Literal
from fcp_ros.domain.rule_spans import DomainSpans
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningSession, plan
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.request import CancelCallback, never_cancel
from fcp_ros.planning.verification.stepping import StepRules

_PLAN_TIME = 5.0
"""Seconds for one plan."""


@dataclass(frozen=True)
class LastAction:
    """The action that an experiment is about: a rule with some of its parameters bound."""

    rule: str
    bound: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NameExperiment:
    """Actions to try."""

    actions: tuple[GroundAction, ...]
    uses: tuple[frozenset[NameUse], ...]  # the meanings that each of them rests on
    # the names that may state what each of them needs to be false
    doubts: tuple[frozenset[NameUse], ...]


class ExperimentPlanner:
    """Plans experiments in a domain.

    `cancelled`: asked often; True ends planning. `seed`: decides between equally good plans.
    """

    def __init__(
        self, domain: Domain, cancelled: CancelCallback = never_cancel, seed: int = 0
    ) -> None:
        self._domain = domain
        self._session = PlanningSession(domain)
        self._rules = StepRules(domain)
        self._spans = DomainSpans(domain)
        self._cancelled = cancelled
        self._seed = seed

    def plan(self, hypothesis: NameHypothesis, last: LastAction) -> NameExperiment | None:
        """Plan so that an action can be done, and do it last; None if that can't be reached."""
        rule, bound = self._domain.rules[last.rule], dict(last.bound)
        steps: list[PlanStep] = []
        state = hypothesis.instance
        final = self._find_step(rule, bound, state)
        if final is None:
            options = PlanningOptions(
                time_limit=_PLAN_TIME, improve_time=0.0, allow_relaxation=False, seed=self._seed
            )
            result = plan(
                PlanningRequest(
                    self._domain,
                    state,
                    self._write_condition(rule, bound),
                    options,
                    cancelled=self._cancelled,
                    session=self._session,
                    explain_conflict=False,
                ),
            )
            if result.plan is None:
                return None
            for step in result.plan.steps:
                after = self._rules.apply(step, state).instance
                if after is None:
                    return None
                state = after
                steps.append(step)
            final = self._find_step(rule, bound, state)
            if final is None:
                return None
        return self._describe(hypothesis, [*steps, final])

    def _describe(self, hypothesis: NameHypothesis, steps: Iterable[PlanStep]) -> NameExperiment:
        actions, uses, doubts = [], [], []
        changed: set[Fact] = set()
        for step in steps:
            rule, bound = self._domain.rules[step.rule], dict(step.arguments)
            actions.append((step.rule, tuple(value for _, value in step.arguments)))
            uses.append(hypothesis.find_uses(rule, bound, changed))
            doubts.append(hypothesis.find_doubts(rule, bound))
            for atom in (*rule.add, *rule.delete):
                names = [bound[one.name] for one in atom.arguments if isinstance(one, Variable)]
                changed.add(Fact(atom.predicate, tuple(names)))
        return NameExperiment(tuple(actions), tuple(uses), tuple(doubts))

    def _find_step(
        self, rule: ActionRule, bound: Mapping[str, str], state: Instance
    ) -> PlanStep | None:
        if not all(state.has(element) for element in bound.values()):
            return None
        span = self._spans.of(rule)
        initial = {span.parameters[name]: state.id_of(one) for name, one in bound.items()}
        for match in find_homs(span.rule.L, state, initial=initial):
            arguments = tuple(
                (name, state.name_of(match.mapping[span.parameters[name]]))
                for name in rule.parameter_names
            )
            step = PlanStep(rule.name, arguments, 1.0, 1.0, rule.duration.base, rule.executor)
            if self._rules.apply(step, state).instance is not None:
                return step
        return None

    def _write_condition(self, rule: ActionRule, bound: Mapping[str, str]) -> Expression:
        parts = [self._write_literal(literal, rule, bound) for literal in rule.when]
        body = conjoin(parts)
        free = tuple(
            TypedVariable(one.name, one.type) for one in rule.parameters if one.name not in bound
        )
        return Exists(free, body) if free else body

    def _write_literal(
        self, literal: Literal, rule: ActionRule, bound: Mapping[str, str]
    ) -> Expression:
        atom = literal.atom
        terms = tuple(
            Constant(bound[one.name]) if isinstance(one, Variable) and one.name in bound else one
            for one in atom.arguments
        )
        written: Expression = Atom(atom.predicate, terms)
        if not literal.negated:
            return written
        legs = self._domain.schema.relation(atom.predicate).legs
        inner = tuple(
            TypedVariable(one.name, legs[at][1])
            for at, one in enumerate(terms)
            if isinstance(one, Variable) and one.name not in rule.parameter_names
        )
        return Not(Exists(inner, written) if inner else written)


def list_by_fact(domain: Domain, fact: Fact, negated: bool = False) -> Iterator[LastAction]:
    """List actions that can be done only if a fact holds, or with `negated` if it does not."""
    for rule in domain.rules.values():
        for literal in rule.when:
            atom = literal.atom
            if atom.predicate != fact.relation or literal.negated != negated:
                continue
            names = [one.name for one in atom.arguments if isinstance(one, Variable)]
            if len(names) == len(fact.arguments) and set(names) <= set(rule.parameter_names):
                yield LastAction(rule.name, tuple(zip(names, fact.arguments, strict=True)))


def list_by_type(domain: Domain, type_: str, element: str) -> Iterator[LastAction]:
    """List actions that need an element of exactly a declared type."""
    for rule in domain.rules.values():
        for parameter in rule.parameters:
            if parameter.type == type_:
                yield LastAction(rule.name, ((parameter.name, element),))
