# SPDX-License-Identifier: Apache-2.0
"""What a step does to a state, by DPO rewriting: the one meaning of a rule (DESIGN section 1).

The monitor asks it whether a step could be done now, the simulated world asks it to do it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.cset import Delta, Fact, Instance, find_hom, find_homs
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.model import ActionRule, Constraint, Domain
from fcp_ros.domain.spans.amalgam import apply_rule
from fcp_ros.domain.spans.rule_span import DomainSpans
from fcp_ros.planning.model.plan import PlanStep


@dataclass(frozen=True, slots=True)
class Application:
    """The state that a step leads to, and the change; or why it can't be done (sentences)."""

    instance: Instance | None
    delta: Delta
    problems: tuple[str, ...] = ()


class UnknownStep(ValueError):
    """A step that the domain doesn't have: a wrong rule or wrong parameters."""


class StepRules:
    """The rules of a domain, ready to be applied to steps.

    Args:
        domain: a checked domain.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._spans = DomainSpans(domain)

    def check_form(self, step: PlanStep) -> None:
        """Check that the domain has such a step.

        Raises:
            UnknownStep: it doesn't; the message says what it has.
        """
        rule = self._domain.rules.get(step.rule)
        if rule is None:
            raise UnknownStep(
                f"{step}: domain {self._domain.name!r} has no rule {step.rule!r}; it has "
                f"{', '.join(sorted(self._domain.rules))}."
            )
        given = tuple(parameter for parameter, _ in step.arguments)
        if given != rule.parameter_names:
            raise UnknownStep(
                f"{step}: rule {step.rule!r} takes the parameters "
                f"{', '.join(rule.parameter_names)} in this order, not {', '.join(given)}."
            )

    def apply(self, step: PlanStep, instance: Instance) -> Application:
        """Do a step in a state.

        Returns:
            The new state and the change; or no state and every reason why not.

        Raises:
            UnknownStep: the domain has no such step.
        """
        self.check_form(step)
        rule = self._domain.rules[step.rule]
        missing = self._missing_elements(rule, step, instance) or self._unmet(rule, step, instance)
        if missing:
            return Application(None, Delta(), missing)
        span = self._spans.of(rule)
        initial = {span.parameters[name]: instance.id_of(value) for name, value in step.arguments}
        match = find_hom(span.rule.L, instance, monic=span.rule.monic, initial=initial)
        if match is None:
            return Application(None, Delta(), (f"{step} does not fit the present state.",))
        result = apply_rule(rule, span, match)
        if result.instance is None:
            problems = tuple(violation.message for violation in result.violations)
            return Application(None, Delta(), problems)
        forbidden = self._newly_forbidden(instance, result.instance)
        if forbidden:
            return Application(None, Delta(), forbidden)
        return Application(result.instance, result.delta)

    def effects(self, step: PlanStep) -> tuple[frozenset[Fact], frozenset[Fact]]:
        """The facts that hold after a step, and those that don't.

        Raises:
            UnknownStep: the domain has no such step.
        """
        self.check_form(step)
        rule = self._domain.rules[step.rule]
        values = dict(step.arguments)
        added = frozenset(_fact(atom, values) for atom in rule.add)
        return added, frozenset(_fact(atom, values) for atom in rule.delete) - added

    # --- inside ---------------------------------------------------------------------------------

    def _missing_elements(
        self, rule: ActionRule, step: PlanStep, instance: Instance
    ) -> tuple[str, ...]:
        types = {parameter.name: parameter.type for parameter in rule.parameters}
        problems = []
        for name, value in step.arguments:
            if not instance.has(value):
                problems.append(f"there is no element {value!r} in the scene.")
                continue
            own = instance.type_of(instance.id_of(value))
            if not self._domain.schema.is_subtype(own, types[name]):
                problems.append(f"{value!r} is a {own!r}, and {name!r} must be a {types[name]!r}.")
        return tuple(problems)

    def _unmet(self, rule: ActionRule, step: PlanStep, instance: Instance) -> tuple[str, ...]:
        """Positive conditions that don't hold, in words; the match search only says that one is."""
        values = dict(step.arguments)
        wanted = (_fact(atom, values) for atom in rule.positive())
        return tuple(f"{fact} does not hold." for fact in wanted if not holds(fact, instance))

    def _newly_forbidden(self, before: Instance, after: Instance) -> tuple[str, ...]:
        problems = []
        for constraint, pattern in self._spans.constraints:
            for match in find_homs(pattern, after):
                facts = _image(constraint, pattern, match.mapping, after)
                if not all(holds(fact, before) for fact in facts):
                    shown = " and ".join(map(str, facts))
                    problems.append(
                        f"{shown} must never hold ({constraint.name}): {constraint.because}."
                    )
        return tuple(problems)


def holds(fact: Fact, instance: Instance) -> bool:
    """Whether a fact holds in a state; one about unknown elements, or wrong ones, doesn't."""
    if not all(instance.has(name) for name in fact.arguments):
        return False
    legs = tuple(instance.id_of(name) for name in fact.arguments)
    return instance.find_tuple(fact.relation, legs) is not None


def _fact(atom: Atom, values: Mapping[str, str]) -> Fact:
    names = []
    for term in atom.arguments:
        assert isinstance(term, Variable), "atoms of rules hold only variables"
        names.append(values[term.name])
    return Fact(atom.predicate, tuple(names))


def _image(
    constraint: Constraint, pattern: Instance, mapping: Mapping[int, int], target: Instance
) -> tuple[Fact, ...]:
    values = {
        variable.name: target.name_of(mapping[pattern.id_of(variable.name)])
        for variable in constraint.variables
    }
    return tuple(_fact(atom, values) for atom in constraint.never)
