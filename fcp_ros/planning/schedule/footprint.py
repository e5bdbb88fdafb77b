# SPDX-License-Identifier: Apache-2.0
"""Footprints: the facts that each step of a sequence reads and writes.

A step *needs* facts to hold, *avoids* facts (negated conditions, tuples that would share a
functional leg with one that it adds, and what would complete a constraint's pattern), and *watches*
those on which its effects depend.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.evaluation import holds
from fcp_ros.domain.expressions.syntax import Atom, atoms
from fcp_ros.domain.model import Domain, Effect
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.request import never_stop
from fcp_ros.planning.schedule.facts import (
    Binding,
    FactView,
    find_bindings,
    find_bound_positions,
    ground,
    unify,
)


@dataclass(frozen=True, slots=True)
class FactPattern:
    """All facts of a relation with these elements at these positions, but for some.

    It may cover more than what a condition speaks of (a variable that occurs twice, a narrower
    type): that can only order more.
    """

    relation: str
    bound: tuple[tuple[int, str], ...]
    but: frozenset[Fact] = frozenset()

    def covers(self, fact: Fact) -> bool:
        """Return True if the fact is one of them."""
        return (
            fact.relation == self.relation
            and all(fact.arguments[position] == element for position, element in self.bound)
            and fact not in self.but
        )


@dataclass(frozen=True, slots=True)
class StepFootprint:
    """The facts that one step reads and writes; no fact is both added and deleted."""

    needs: frozenset[Fact]
    avoids: tuple[FactPattern, ...]
    watches: tuple[FactPattern, ...]
    adds: frozenset[Fact]
    deletes: frozenset[Fact]


def find_footprints(
    domain: Domain,
    instance: Instance,
    steps: Sequence[GroundStep],
    check: Callable[[], None] = never_stop,
) -> tuple[StepFootprint, ...]:
    """Return the footprints of the steps of a sequence that can be done."""
    view = FactView(instance)
    plain: list[StepFootprint] = []
    for step in steps:
        check()
        plain.append(_find_footprint(domain, view, step))
        _apply(plain[-1], view)
    return tuple(_with_constraints(domain, instance, plain) if domain.constraints else plain)


def _apply(footprint: StepFootprint, view: FactView) -> None:
    for fact in footprint.deletes:
        view.set(fact, False)
    for fact in footprint.adds:
        view.set(fact, True)


def _find_footprint(domain: Domain, view: FactView, step: GroundStep) -> StepFootprint:
    """Find what a step's rule reads and writes in the state before it; no constraints."""
    rule = step.rule
    binding = dict(zip(rule.parameter_names, step.arguments, strict=True))
    needs = {ground(atom, binding) for atom in rule.positive()}
    adds = {ground(atom, binding) for atom in rule.add}
    deletes = {ground(atom, binding) for atom in rule.delete}
    watches = [_pattern(atom, binding) for formula in rule.formulas for atom in atoms(formula)]
    for effect in rule.effects:
        watches.extend(_pattern(literal.atom, binding) for literal in effect.when)
        watches.extend(_pattern(a, binding) for formula in effect.formulas for a in atoms(formula))
        for match in _occurrences(effect, view, binding):
            adds.update(ground(atom, match) for atom in effect.add)
            deletes.update(ground(atom, match) for atom in effect.delete)
    deletes -= adds
    avoids = [_pattern(atom, binding) for atom in rule.negative()]
    for fact in adds:
        avoids.extend(_same_key(domain, fact, deletes))
    return StepFootprint(
        frozenset(needs), tuple(avoids), tuple(watches), frozenset(adds), frozenset(deletes)
    )


def _occurrences(effect: Effect, view: FactView, binding: Binding) -> Iterator[Binding]:
    types = {variable.name: variable.type for variable in effect.variables}
    for match in find_bindings(effect.positive(), types, view, binding):
        if all(
            holds(formula, view.instance, match, view.holds) for formula in effect.formulas
        ) and not any(
            any(True for _ in find_bindings([atom], {}, view, match)) for atom in effect.negative()
        ):
            yield match


def _pattern(atom: Atom, binding: Binding) -> FactPattern:
    return FactPattern(atom.predicate, tuple(find_bound_positions(atom, binding).items()))


def _same_key(domain: Domain, fact: Fact, deletes: set[Fact]) -> Iterator[FactPattern]:
    for position in domain.schema.relation(fact.relation).keys:
        but = frozenset({fact, *(d for d in deletes if d.relation == fact.relation)})
        yield FactPattern(fact.relation, ((position, fact.arguments[position]),), but)


def _with_constraints(
    domain: Domain, instance: Instance, plain: Sequence[StepFootprint]
) -> Iterator[StepFootprint]:
    """Extend footprints: a step that adds to a constraint's pattern avoids completing it."""
    ever = FactView(instance, {fact for footprint in plain for fact in footprint.adds})
    now = FactView(instance)
    for footprint in plain:
        avoids = list(footprint.avoids)
        _apply(footprint, now)
        for pattern in _patterns_with(domain, ever, footprint.adds):
            missing = sorted(fact for fact in pattern if not now.holds(fact))
            # A pattern that is complete was so from the start, and stays so until one of its facts
            # is deleted; no step may complete one.
            if missing and not footprint.deletes.intersection(missing):
                avoids.append(FactPattern(missing[0].relation, tuple(enumerate(missing[0][1]))))
        yield replace(footprint, avoids=tuple(avoids))


def _patterns_with(
    domain: Domain, ever: FactView, adds: frozenset[Fact]
) -> Iterator[frozenset[Fact]]:
    """Yield the ground constraint patterns with one of the facts that may ever be complete."""
    for constraint in domain.constraints:
        types = {variable.name: variable.type for variable in constraint.variables}
        for number, atom in enumerate(constraint.never):
            rest = [*constraint.never[:number], *constraint.never[number + 1 :]]
            for fact in adds:
                binding = unify(atom, fact, {}) if fact.relation == atom.predicate else None
                if binding is None:
                    continue
                for match in find_bindings(rest, types, ever, binding, monic=True):
                    yield frozenset(ground(other, match) for other in constraint.never)
