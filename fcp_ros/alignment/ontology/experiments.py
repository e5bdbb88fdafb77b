# SPDX-License-Identifier: Apache-2.0
"""Trials of the meanings of names, and the plans that succeed only if a doubtful one is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fcp_ros.alignment.ontology.beliefs import Belief
from fcp_ros.alignment.ontology.claims import NameHypothesis, NameKind, NameUse
from fcp_ros.alignment.ontology.vocabulary import DomainTarget
from fcp_ros.alignment.simulator import GroundAction, Observation
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
from fcp_ros.domain.scene_names import AttributeReading, RelationReading
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


@dataclass(frozen=True)
class TrialWeights:
    """The evidence for and against meanings, as log-likelihoods."""

    labels: Mapping[str, Belief] = field(default_factory=dict)
    # by perceived name and reading
    relations: Mapping[tuple[str, RelationReading], float] = field(default_factory=dict)
    # by perceived name and reading
    attributes: Mapping[tuple[str, AttributeReading], float] = field(default_factory=dict)


def add_beliefs(first: Mapping[str, Belief], second: Mapping[str, Belief]) -> dict[str, Belief]:
    """Return the sums of log-likelihoods by label."""
    added = dict(first)
    for label, weights in second.items():
        added[label] = added[label] + weights if label in added else weights
    return added


# --- trials
#
# An action that succeeds confirms each meaning that it rests on. One that fails says that one of
# them is wrong; a meaning is refuted only if nothing else is left to blame: no other meaning, and
# no name that may state what the action needs to be false.


_CONFIRMED, _REFUTED = 5.0, -5.0
"""Weight of readings that a trial confirmed or refuted."""
_SUSPECTED, _MOST_SUSPECTED = 1.0, 3.0
"""Weight against a meaning for each failure that it may be to blame for, and the most of it: enough
to let the next plan rest on another one that is as likely."""
_ERROR = 0.001
"""Probability that an action succeeds although a type is wrong, or fails although all is right."""


class TrialLog:
    """The trials of names.

    `is_known`: tells if a meaning is what the domain itself says; that is blamed last.
    """

    def __init__(self, is_known: Callable[[NameUse], bool]) -> None:
        self._is_known = is_known
        self.trials: list[tuple[NameExperiment, Observation]] = []
        self.succeeded: Counter[NameUse] = Counter()
        self.failed: Counter[NameUse] = Counter()
        self._conflicts: list[frozenset[NameUse]] = []
        self._doubts: list[frozenset[NameUse]] = []  # for each conflict

    @property
    def refuted(self) -> frozenset[NameUse]:
        """The meanings that nothing else can be blamed for."""
        sure = [
            self._find_suspects(conflict)
            for conflict, doubts in zip(self._conflicts, self._doubts, strict=True)
            if all(self.succeeded[one] for one in doubts - conflict)
        ]
        return frozenset().union(*(some for some in sure if len(some) == 1))

    def _find_suspects(self, conflict: frozenset[NameUse]) -> frozenset[NameUse]:
        """Find the meanings that may be to blame for a failure."""
        open_ = frozenset(use for use in conflict if not self.succeeded[use])
        return frozenset(use for use in open_ if not self._is_known(use)) or open_

    @property
    def unexplained(self) -> int:
        """The number of failures for which no meaning is to blame."""
        return sum(all(self.succeeded[use] for use in conflict) for conflict in self._conflicts)

    def is_suspected(self, use: NameUse) -> bool:
        """Return True if a meaning is one of several that may be to blame for a failure."""
        return not self.succeeded[use] and any(use in conflict for conflict in self._conflicts)

    def is_settled(self, use: NameUse) -> bool:
        """Return True if trials have decided about a meaning."""
        return self.succeeded[use] > 0 or use in self.refuted

    def count_successes(self, uses: Collection[NameUse]) -> int:
        """Count the trials in which an action succeeded that rests on any of some meanings."""
        return sum(
            any(not use.isdisjoint(uses) for use in experiment.uses[: seen.done])
            for experiment, seen in self.trials
        )

    def add(self, experiment: NameExperiment, seen: Observation) -> None:
        self.trials.append((experiment, seen))
        self.succeeded.update(frozenset().union(*experiment.uses[: seen.done]))
        if seen.done < len(experiment.actions):
            uses = experiment.uses[seen.done]
            self.failed.update(uses)
            self._conflicts.append(uses)
            self._doubts.append(experiment.doubts[seen.done])

    def expects_failure(self, experiment: NameExperiment) -> bool:
        """Return True if actions begin with those of a trial that failed."""
        for other, seen in self.trials:
            failed = other.actions[: seen.done + 1]
            if seen.done < len(other.actions) and experiment.actions[: len(failed)] == failed:
                return True
        return False

    def find_contradiction(self) -> tuple[GroundAction, ...] | None:
        """Find actions that had different outcomes in two trials."""
        last, seen = self.trials[-1]
        for other, before in self.trials[:-1]:
            reach = min(seen.done, before.done) + 1
            same = last.actions[:reach] == other.actions[:reach]
            if same and seen.done != before.done and len(last.actions[:reach]) == reach:
                return last.actions[:reach]
        return None

    def weigh(self, target: DomainTarget) -> TrialWeights:
        """Return what the trials say as log-likelihoods."""
        labels: dict[str, Belief] = {}
        relations: dict[tuple[str, RelationReading], float] = {}
        attributes: dict[tuple[str, AttributeReading], float] = {}
        for use, weight in self._weigh_uses().items():
            if isinstance(use.meaning, RelationReading):
                relations[use.name, use.meaning] = weight
            elif isinstance(use.meaning, AttributeReading):
                attributes[use.name, use.meaning] = weight
            else:
                inside = target.mask(use.meaning)
                more = np.where(inside == (weight > 0.0), 0.0, -abs(weight))
                known = labels.get(use.name, np.zeros(len(target.types)))
                labels[use.name] = known + more
        return TrialWeights(labels, relations, attributes)

    def _weigh_uses(self) -> dict[NameUse, float]:
        """Return a weight for each meaning that trials say something about."""
        weights: dict[NameUse, float] = {}
        refuted = self.refuted
        certain = -np.log(_ERROR)
        for use, count in self.succeeded.items():
            is_type = use.kind is NameKind.LABEL
            weights[use] = float(certain * min(count, 3)) if is_type else _CONFIRMED
        for conflict in dict.fromkeys(self._conflicts):
            suspects = self._find_suspects(conflict)
            for use in suspects:
                if use not in refuted:
                    weight = weights.get(use, 0.0) - _SUSPECTED
                    weights[use] = max(weight, -_MOST_SUSPECTED)
        for use in refuted:
            is_type = use.kind is NameKind.LABEL
            certainty = float(certain * min(self.failed[use], 3))
            weights[use] = -certainty if is_type else _REFUTED
        return weights


def count_failures(trials: Sequence[tuple[NameExperiment, Observation]]) -> int:
    return sum(seen.done < len(experiment.actions) for experiment, seen in trials)
