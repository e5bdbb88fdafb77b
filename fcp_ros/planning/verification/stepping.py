# SPDX-License-Identifier: Apache-2.0
"""The effect of a plan's steps on a state, or why they can't be done: the one meaning of a rule.

Constraints are those that the step newly violates. A new match of a constraint's pattern uses a
tuple that the step added, since elements and their types stay. So it is enough to search from each
added tuple, whatever the size of the state. (The tests compare this with all matches before and
after.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.cset import Delta, Fact, Instance, Morphism, Rewrite, UnknownElement, find_homs
from fcp_ros.domain.derived_facts import FactDerivation, change_facts
from fcp_ros.domain.expressions import evaluation
from fcp_ros.domain.expressions.syntax import Atom, Variable, to_text
from fcp_ros.domain.model import ActionRule, Constraint, Domain
from fcp_ros.domain.rule_spans import DomainSpans, RuleSpan, apply_rule, compute_changes
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.model.plan import PlanStep

AddedTuple = tuple[str, int, tuple[int, ...]]
"""Relation, id and legs of a tuple that a step added."""


class ConstraintCheck:
    """The constraints of a domain, by the relations that they mention."""

    def __init__(self, spans: DomainSpans) -> None:
        self._by_relation: dict[str, list[tuple[Constraint, Instance]]] = {}
        for constraint, pattern in spans.constraints:
            for relation in dict.fromkeys(atom.predicate for atom in constraint.never):
                self._by_relation.setdefault(relation, []).append((constraint, pattern))

    def find_violations(self, after: Instance, added: Iterable[AddedTuple]) -> Iterator[str]:
        """Yield a clause for each new violation."""
        added = tuple(added)
        touched = {
            constraint.name: (constraint, pattern)
            for relation in dict.fromkeys(relation for relation, _, _ in added)
            for constraint, pattern in self._by_relation.get(relation, ())
        }
        for constraint, pattern in touched.values():
            for binding in find_new_matches(pattern, after, added):
                yield _describe(constraint, binding)


def find_new_matches(
    pattern: Instance, after: Instance, added: Iterable[AddedTuple]
) -> list[dict[str, str]]:
    """Return the matches of a pattern that a step has brought about, each once.

    Returns:
        name of an element of the pattern -> name of the element of the state.
    """
    found: dict[tuple[str, ...], None] = {}
    names = [pattern.name_of(element) for element in pattern.all_elements()]
    for relation, id_, _ in added:
        for row in pattern.tuples(relation):
            for match in find_homs(pattern, after, initial={row: id_}):
                images = (match.mapping[element] for element in pattern.all_elements())
                found[tuple(map(after.name_of, images))] = None
    return [dict(zip(names, images, strict=True)) for images in found]


def _describe(constraint: Constraint, binding: dict[str, str]) -> str:
    facts = (
        f"{atom.predicate}"
        f"({', '.join(binding[t.name] for t in atom.arguments if isinstance(t, Variable))})"
        for atom in constraint.never
    )
    return f"{' and '.join(facts)} must never hold ({constraint.name}): {constraint.because}"


_LeftTuple = tuple[str, int, tuple[int, ...]]
"""Relation, id and legs of a tuple of a rule's left side."""


@dataclass(frozen=True, slots=True)
class Application:
    """The outcome of a step in a state."""

    instance: Instance | None  # the state that the step leads to; None if it can't be done
    problems: tuple[str, ...] = ()  # why it can't be done, one clause each; empty if it can
    # the rewriting behind it; None if it got that far for no reason given
    rewrite: Rewrite | None = None

    @property
    def delta(self) -> Delta:
        """The change, by names; empty if the step can't be done."""
        return Delta() if self.rewrite is None else self.rewrite.delta

    @property
    def reason(self) -> str:
        """All problems in one clause; empty if there are none."""
        return "; ".join(self.problems)


class UnknownStep(ValueError):
    """A step that the domain doesn't have: an unknown rule or the wrong parameters."""


class StepRules:
    """The rules of a domain, ready to be applied to steps. Safe to use from several threads."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._spans = DomainSpans(domain)
        self._derivation = FactDerivation.of(domain)
        self._constraints: ConstraintCheck | None = None
        self._left_tuples: dict[str, tuple[_LeftTuple, ...]] = {}

    def prepare(self) -> None:
        """Make the spans and patterns now that would otherwise be made when first needed."""
        for rule in self.domain.rules.values():
            self._tuples_of(rule.name, self._spans.of(rule))
        self._constraint_check()

    def find_rule(self, step: PlanStep) -> ActionRule:
        rule = self.domain.rules.get(step.rule)
        if rule is None:
            raise UnknownStep(
                f"domain {self.domain.name!r} has no rule {step.rule!r}; it has "
                f"{', '.join(sorted(self.domain.rules))}"
            )
        given = tuple([parameter for parameter, _ in step.arguments])
        if given != rule.parameter_names:
            raise UnknownStep(
                f"rule {step.rule!r} takes the parameters {', '.join(rule.parameter_names)} in "
                f"this order, not {', '.join(given) or 'none'}"
            )
        return rule

    def apply(self, step: PlanStep, instance: Instance) -> Application:
        """Do a step in a state; the state itself stays as it was. What follows is derived anew."""
        rule = self.find_rule(step)
        span = self._spans.of(rule)
        match = self._match(rule, span, step, instance)
        if match is None:
            return Application(None, tuple(self._find_unmet(rule, step, instance)))
        result = apply_rule(rule, span, match)
        if result.instance is None:
            unmet = tuple(self._find_unmet(rule, step, instance))
            return Application(None, unmet or tuple(v.message for v in result.violations))
        violated = tuple(
            self._constraint_check().find_violations(result.instance, result.change.added)
        )
        if violated:
            return Application(None, violated)
        changed = {relation for relation, _, _ in (*result.change.added, *result.change.removed)}
        return Application(self._derivation.derive(result.instance, changed), rewrite=result)

    def find_effects(
        self, step: PlanStep, before: Instance
    ) -> tuple[frozenset[Fact], frozenset[Fact]]:
        """Return the facts that hold after a step, and those that don't."""
        rule = self.find_rule(step)
        bound = {name: before.id_of(element) for name, element in step.arguments}
        changes = compute_changes(rule, before, bound)
        added = frozenset(changes.add)
        return added, frozenset(changes.delete) - added

    def foresee(self, steps: Iterable[PlanStep], instance: Instance) -> Instance:
        """Return the state in which steps have ended that are being done.

        One that is half done may not fit any more, and what it is to bring about may show already:
        then its effects are written into the state. Raises UnknownStep or UnknownElement for a step
        of another domain or world.
        """
        for step in steps:
            after = self.apply(step, instance).instance
            if after is None:
                added, removed = self.find_effects(step, instance)
                after = change_facts(self._derivation, instance, added, removed)
            instance = after
        return instance

    # --- matching: the parameters decide about every tuple of the left side

    def _match(
        self, rule: ActionRule, span: RuleSpan, step: PlanStep, instance: Instance
    ) -> Morphism | None:
        """Return the map of the rule's left side into a state; None if an image is missing.

        Types and monicity are not looked at: the rewriting checks them.
        """
        try:
            mapping = {
                span.parameters[name]: instance.id_of(element) for name, element in step.arguments
            }
        except UnknownElement:
            return None
        for relation, row, legs in self._tuples_of(rule.name, span):
            found = instance.find_tuple(relation, tuple([mapping[leg] for leg in legs]))
            if found is None:
                return None
            mapping[row] = found
        return Morphism(span.rule.L, instance, mapping)

    def _tuples_of(self, rule: str, span: RuleSpan) -> tuple[_LeftTuple, ...]:
        """Return the tuples of a rule's left side; listed once for each rule."""
        if rule not in self._left_tuples:
            pattern = span.rule.L
            self._left_tuples[rule] = tuple(
                (relation, row, legs)
                for relation in pattern.list_filled()
                for row, legs in pattern.tuples(relation).items()
            )
        return self._left_tuples[rule]

    def _constraint_check(self) -> ConstraintCheck:
        if self._constraints is None:
            self._constraints = ConstraintCheck(self._spans)
        return self._constraints

    def _find_unmet(self, rule: ActionRule, step: PlanStep, instance: Instance) -> Iterator[str]:
        """Yield the elements that are missing or of the wrong type; else the unmet conditions."""
        types = {parameter.name: parameter.type for parameter in rule.parameters}
        all_fit = True
        for name, value in step.arguments:
            if not instance.has(value):
                all_fit = False
                yield f"there is no element {value!r} in the scene"
                continue
            own = instance.type_of(instance.id_of(value))
            if not self.domain.schema.is_subtype(own, types[name]):
                all_fit = False
                yield f"{value!r} is a {own!r}, and {name!r} must be a {types[name]!r}"
        if all_fit:
            values = dict(step.arguments)
            for fact in _facts(rule.positive(), values):
                if not holds(fact, instance):
                    yield f"{fact} does not hold"
            for formula in rule.formulas:
                if not evaluation.holds(formula, instance, values):
                    unmet = evaluation.find_unmet(formula, instance, values)
                    yield f"{to_text(unmet)} does not hold"


def holds(fact: Fact, instance: Instance) -> bool:
    """Return True if a fact holds in a state; a fact about unknown elements doesn't."""
    if not all(instance.has(name) for name in fact.arguments):
        return False
    legs = tuple(instance.id_of(name) for name in fact.arguments)
    return instance.find_tuple(fact.relation, legs) is not None


def _facts(atoms: Iterable[Atom], values: Mapping[str, str]) -> Iterator[Fact]:
    for atom in atoms:
        names = tuple(values[t.name] for t in atom.arguments if isinstance(t, Variable))
        yield Fact(atom.predicate, names)


# --- replay a sequence of steps from a state: conditions, constraints and resources


@dataclass(frozen=True, slots=True)
class Replayed:
    """The part of a sequence of steps that could be done."""

    # the state before each step that could be done, and the one after the last of them
    states: tuple[Instance, ...]
    left: Mapping[str, float]
    # what is wrong, one sentence each. If a step could not be done, the last one says why, and the
    # steps after it were not looked at.
    problems: tuple[str, ...]
    complete: bool  # whether every step could be done


class Replay:
    """Replays steps of one domain."""

    def __init__(self, domain: Domain, rules: StepRules, check: Check = never_stop) -> None:
        self.domain = domain
        self._rules = rules
        self._check = check

    def run(
        self,
        instance: Instance,
        steps: Iterable[tuple[str, PlanStep]],
        resources: Mapping[str, float],
    ) -> Replayed:
        """Do steps, each with the words that tell where it is, from a state and amounts."""
        states, left, problems = [instance], dict(resources), []
        for where, step in steps:
            self._check()
            try:
                application = self._rules.apply(step, states[-1])
                reason = application.reason
            except UnknownStep as error:
                application, reason = None, str(error)
            if application is None or application.instance is None:
                problems.append(f"{where}: {reason}")
                return Replayed(tuple(states), left, tuple(problems), False)
            rule = self.domain.rules[step.rule]
            problems += [f"{where}: {problem}" for problem in self._spend(rule, left)]
            states.append(application.instance)
        return Replayed(tuple(states), left, tuple(problems), True)

    def _spend(self, rule: ActionRule, left: dict[str, float]) -> list[str]:
        """Take what the rule uses; return a clause for each bound that is exceeded."""
        problems = []
        for name, use in rule.uses.items():
            if use == 0.0:
                continue
            resource = self.domain.resources[name]
            left[name] -= use
            if not resource.minimum - EPSILON <= left[name] <= resource.maximum + EPSILON:
                problems.append(
                    f"{name} would be {left[name]:g} {resource.unit}, outside "
                    f"[{resource.minimum:g}, {resource.maximum:g}]"
                )
        return problems
