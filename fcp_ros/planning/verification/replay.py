# SPDX-License-Identifier: Apache-2.0
"""Replaying steps by DPO rewriting on the C-set: conditions, constraints and resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.cset import Instance, Morphism, Rewrite, UnknownElement
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.domain.spans.amalgam import apply_rule
from fcp_ros.domain.spans.rule_span import DomainSpans
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.constraints import newly_matched

_Tuple = tuple[str, int, tuple[int, ...]]
"""Relation, id and legs."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """How far a sequence of steps could be taken.

    Attributes:
        states: the state before each step that could be taken, and the one after the last of them.
        left: what is left of each resource.
        problems: what is wrong, one sentence each. Where a step could not be taken, the last one
            says why, and what comes after it was not looked at.
        complete: whether every step could be taken.
    """

    states: tuple[Instance, ...]
    left: Mapping[str, float]
    problems: tuple[str, ...]
    complete: bool


class CannotReplay(Exception):
    """A step can't be taken; the message says why."""


class Replay:
    """Replays steps of one domain.

    Args:
        domain: rules, constraints, resources.
        spans: the domain's rules and constraints as spans and patterns.
        check: called between steps; may raise to stop.
    """

    def __init__(self, domain: Domain, spans: DomainSpans, check: Callable[[], None]) -> None:
        self._domain = domain
        self._spans = spans
        self._check = check
        self._tuples: dict[str, tuple[_Tuple, ...]] = {}

    def run(
        self,
        instance: Instance,
        steps: Iterable[tuple[str, PlanStep]],
        resources: Mapping[str, float],
    ) -> Replayed:
        """Take steps, each with the words that tell where it is, from a state and amounts."""
        states, left, problems = [instance], dict(resources), []
        for where, step in steps:
            self._check()
            try:
                rule = self._rule(step)
                result = self._rewritten(rule, step, states[-1])
            except CannotReplay as reason:
                problems.append(f"{where}: {reason}")
                return Replayed(tuple(states), left, tuple(problems), False)
            assert result.instance is not None, "a rewrite without violations has a result"
            for constraint, pattern in self._spans.constraints:
                for found in newly_matched(pattern, result.instance, result.change.added):
                    problems.append(f"{where}: breaks {constraint.name} ({found})")
            problems += [f"{where}: {problem}" for problem in self._spend(rule, left)]
            states.append(result.instance)
        return Replayed(tuple(states), left, tuple(problems), True)

    def _rule(self, step: PlanStep) -> ActionRule:
        rule = self._domain.rules.get(step.rule)
        if rule is None:
            raise CannotReplay(f"the domain has no rule {step.rule}")
        if tuple([name for name, _ in step.arguments]) != rule.parameter_names:
            expected = ", ".join(rule.parameter_names)
            raise CannotReplay(f"the parameters of {rule.name} are {expected}")
        return rule

    def _rewritten(self, rule: ActionRule, step: PlanStep, state: Instance) -> Rewrite:
        """The rewrite by a rule at the match that the step's arguments say."""
        span = self._spans.of(rule)
        pattern, id_of = span.rule.L, span.parameters
        try:
            mapping = {id_of[name]: state.id_of(element) for name, element in step.arguments}
        except UnknownElement as error:
            raise CannotReplay(str(error)) from error
        for relation, row, legs in self._tuples_of(rule.name, pattern):
            found = state.find_tuple(relation, tuple([mapping[leg] for leg in legs]))
            if found is None:
                names = ", ".join(state.name_of(mapping[leg]) for leg in legs)
                raise CannotReplay(f"{relation}({names}) does not hold")
            mapping[row] = found
        result = apply_rule(rule, span, Morphism(pattern, state, mapping))
        if result.instance is None:
            raise CannotReplay("; ".join(violation.message for violation in result.violations))
        return result

    def _tuples_of(self, rule: str, pattern: Instance) -> tuple[_Tuple, ...]:
        """Relation, id and legs of each tuple of a rule's left side; listed once for each rule."""
        if rule not in self._tuples:
            self._tuples[rule] = tuple(
                (relation.name, row, legs)
                for relation in pattern.schema.relations
                for row, legs in pattern.tuples(relation.name).items()
            )
        return self._tuples[rule]

    def _spend(self, rule: ActionRule, left: dict[str, float]) -> list[str]:
        """Take what the rule uses; one sentence for each bound that is left."""
        problems = []
        for name, use in rule.uses.items():
            if use == 0.0:
                continue
            resource = self._domain.resources[name]
            left[name] -= use
            if not resource.minimum - EPSILON <= left[name] <= resource.maximum + EPSILON:
                problems.append(
                    f"{name} would be {left[name]:g} {resource.unit}, outside "
                    f"[{resource.minimum:g}, {resource.maximum:g}]"
                )
        return problems
