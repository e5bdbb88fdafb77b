# SPDX-License-Identifier: Apache-2.0
"""The rest of a plan done in a state, as far as it can be: fast while nothing speaks against it.

Rewriting says what a step does and why it can't be done (`StepRules`), and takes 0.1 ms a step. The
facts that a step reads and writes are known without a state, for nearly all steps: if what it needs
holds, and nothing that it avoids, it can be done. Then its facts are only noted. For any other step
the state is made of what was noted, and rewriting decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.syntax import Atom, Exists, Forall, walk
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.planning.footprint import (
    FactView,
    StepFootprint,
    find_stateless_footprint,
    list_variables,
)
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules, UnknownStep


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The first step that can't be done: its position in the plan, and why (a clause)."""

    index: int
    reason: str


Typed = tuple[tuple[str, str], ...]
"""Elements by name, each with a type."""


class ElementTypes:
    """The elements of a state and of all that steps make of it: each is looked up once."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._known: dict[tuple[str, str], bool] = {}

    def fit(self, typed: Typed) -> bool:
        """Return True if these elements are there, and of these types."""
        return all(self._fits(one) for one in typed)

    def _fits(self, one: tuple[str, str]) -> bool:
        found = self._known.get(one)
        if found is None:
            instance, (name, type_) = self._instance, one
            found = instance.has(name) and instance.schema.is_subtype(
                instance.type_of(instance.id_of(name)), type_
            )
            self._known[one] = found
        return found


@dataclass(frozen=True, slots=True)
class PlainStep:
    """A step that reads and writes what its footprint says, and no more."""

    footprint: StepFootprint
    types: Typed  # of its parameters
    # what makes one of the facts that it adds a part of a constraint's pattern
    guarded: tuple[Typed, ...]

    @classmethod
    def of(cls, domain: Domain, step: GroundStep) -> PlainStep | None:
        """Find the facts of a step; None if they depend on the state, or are not all.

        A formula may hold for many reasons, an effect may happen or not, and other facts may follow
        from what is added.
        """
        rule = step.rule
        if domain.strata or rule.formulas or rule.effects:
            return None
        if len(set(step.arguments)) < len(step.arguments):
            return None
        if len({atom.predicate for atom in rule.add}) < len(rule.add):
            return None  # two facts of a relation may share a functional leg
        footprint = find_stateless_footprint(domain, step)
        types = [parameter.type for parameter in rule.parameters]
        return cls(
            footprint,
            tuple(zip(step.arguments, types, strict=True)),
            tuple(_find_guarded(domain, footprint.adds)),
        )

    def can_be_done(self, view: FactView, types: ElementTypes) -> bool:
        """Return True if it can be done for certain; False says nothing."""
        return (
            types.fit(self.types)
            and not any(map(types.fit, self.guarded))
            and all(map(view.holds, self.footprint.needs))
            and not view.hinders(self.footprint)
        )


def reads_others(domain: Domain, rule: ActionRule) -> bool:
    """Return True if steps of a rule may read facts that are about none of their elements.

    Formulas with quantifiers, effects for each of several elements, and negated atoms without any
    parameter do, and facts that follow from others; so do constraints on more than what is added.
    """
    parts = [part for formula in rule.formulas for part in walk(formula)]
    added = {atom.predicate for atom in rule.add}
    return bool(
        domain.strata
        or any(isinstance(part, (Exists, Forall)) for part in parts)
        or any(effect.variables for effect in rule.effects)
        or any(_speaks_of_none(atom, rule) for atom in rule.negative())
        or any(
            atom.predicate in added and {*list_variables(atom)} < {v.name for v in one.variables}
            for one in domain.constraints
            for atom in one.never
        )
    )


def _speaks_of_none(atom: Atom, rule: ActionRule) -> bool:
    return {*rule.parameter_names}.isdisjoint(list_variables(atom))


def _find_guarded(domain: Domain, added: Iterable[Fact]) -> Iterator[Typed]:
    for fact in added:
        for constraint in domain.constraints:
            types = {variable.name: variable.type for variable in constraint.variables}
            for atom in constraint.never:
                if atom.predicate == fact.relation:
                    wanted = [types[name] for name in list_variables(atom)]
                    yield tuple(zip(fact.arguments, wanted, strict=True))


class RestReplay:
    """Replays steps of one plan, in any order that is asked for."""

    def __init__(self, rules: StepRules, steps: Sequence[PlanStep]) -> None:
        self._rules = rules
        self._steps = tuple(steps)
        # now, when a plan begins, and not when something has changed
        self._plain = tuple(map(self._find_plain, self._steps))
        rules_used = {step.rule for step in self._steps} & rules.domain.rules.keys()
        self._wide = {
            name for name in rules_used if reads_others(rules.domain, rules.domain.rules[name])
        }

    def reads_others(self, indexes: Iterable[int]) -> bool:
        """Return True if some of these steps may read facts about none of their elements."""
        return any(self._steps[index].rule in self._wide for index in indexes)

    def find_obstacle(self, order: Iterable[int], instance: Instance) -> Obstacle | None:
        """Do the steps at these positions, in this order; return the first that can't be done.

        Raises UnknownStep if the domain has no such step.
        """
        view, types = FactView(instance), ElementTypes(instance)
        for index in order:
            plain = self._plain[index]
            if plain is not None and plain.can_be_done(view, types):
                view.apply(plain.footprint)
                continue
            application = self._rules.apply(self._steps[index], view.to_instance())
            if application.instance is None:
                return Obstacle(index, application.reason)
            view = FactView(application.instance)
        return None

    def _find_plain(self, step: PlanStep) -> PlainStep | None:
        try:
            rule = self._rules.find_rule(step)
        except UnknownStep:
            return None  # which is said when its turn comes
        return PlainStep.of(self._rules.domain, GroundStep(rule, step.elements))
