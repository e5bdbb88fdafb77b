# SPDX-License-Identifier: Apache-2.0
"""Footprints: the facts that each step of a sequence reads and writes.

A step *needs* facts to hold, *avoids* facts (negated conditions, tuples that would share a
functional leg with one that it adds, and what would complete a constraint's pattern), and *watches*
those on which its effects depend.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from immutables import Map

from fcp_ros.cset import Fact, Instance, InstanceBuilder
from fcp_ros.domain.expressions.evaluation import holds
from fcp_ros.domain.expressions.syntax import Atom, Variable, atoms
from fcp_ros.domain.model import ActionRule, Domain, Effect
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning.model.ground_step import GroundStep

Bound = tuple[tuple[int, str], ...]
"""Positions of legs, each with the element there."""


@dataclass(frozen=True, slots=True)
class FactPattern:
    """All facts of a relation with these elements at these positions, but for some.

    It may cover more than what a condition speaks of (a variable that occurs twice, a narrower
    type): that can only order more.
    """

    relation: str
    bound: Bound
    but: frozenset[Fact] = frozenset()

    def covers(self, fact: Fact) -> bool:
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
    check: Check = never_stop,
) -> tuple[StepFootprint, ...]:
    """Return the footprints of the steps of a sequence that can be done."""
    view = FactView(instance)
    plain: list[StepFootprint] = []
    for step in steps:
        check()
        plain.append(find_footprint(domain, view, step))
        view.apply(plain[-1])
    return tuple(_with_constraints(domain, instance, plain) if domain.constraints else plain)


def find_footprint(domain: Domain, view: FactView, step: GroundStep) -> StepFootprint:
    """Find what a step's rule reads and writes in the state before it; no constraints."""
    if not step.rule.effects:
        return find_stateless_footprint(domain, step)
    binding = dict(zip(step.rule.parameter_names, step.arguments, strict=True))
    adds = {ground(atom, binding) for atom in step.rule.add}
    deletes = {ground(atom, binding) for atom in step.rule.delete}
    watches: list[FactPattern] = []
    for effect in step.rule.effects:
        watches.extend(_pattern(literal.atom, binding) for literal in effect.when)
        watches.extend(_pattern(a, binding) for formula in effect.formulas for a in atoms(formula))
        for match in _occurrences(effect, view, binding):
            adds.update(ground(atom, match) for atom in effect.add)
            deletes.update(ground(atom, match) for atom in effect.delete)
    return _make_footprint(domain, step.rule, binding, (adds, deletes), watches)


def find_stateless_footprint(domain: Domain, step: GroundStep) -> StepFootprint:
    """Find what a step's rule reads and writes in any state; no effects, no constraints."""
    rule = step.rule
    binding = dict(zip(rule.parameter_names, step.arguments, strict=True))
    adds = {ground(atom, binding) for atom in rule.add}
    deletes = {ground(atom, binding) for atom in rule.delete}
    return _make_footprint(domain, rule, binding, (adds, deletes), ())


def _make_footprint(
    domain: Domain,
    rule: ActionRule,
    binding: Binding,
    changes: tuple[set[Fact], set[Fact]],  # added and deleted, by effects as well
    watches: Iterable[FactPattern],  # of effects
) -> StepFootprint:
    adds, deletes = changes
    deletes -= adds
    avoids = [_pattern(atom, binding) for atom in rule.negative()]
    for fact in adds:
        avoids.extend(_same_key(domain, fact, deletes))
    watched = [_pattern(atom, binding) for formula in rule.formulas for atom in atoms(formula)]
    return StepFootprint(
        frozenset(ground(atom, binding) for atom in rule.positive()),
        tuple(avoids),
        (*watched, *watches),
        frozenset(adds),
        frozenset(deletes),
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
        now.apply(footprint)
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


# --- facts that hold after some steps, and all bindings of variables under which atoms hold
#
# A state and the facts that have changed since, looked up by element: only what is asked for is
# read, so that a large state costs nothing.


Binding = Mapping[str, str]
"""Variable -> element name."""


_NONE: Map[Fact, None] = Map()


class FactView:
    """The facts of a state, with some added and some taken away."""

    def __init__(self, instance: Instance, added: Iterable[Fact] = ()) -> None:
        self.instance = instance
        self._changed: dict[Fact, bool] = {}
        # (relation, position, element) -> the changed facts there that hold
        self._added: dict[tuple[str, int, str], Map[Fact, None]] = {}
        self._initial: dict[tuple[str, Bound], tuple[Fact, ...]] = {}
        for fact in added:
            self.set(fact, True)

    def take_over(self, other: FactView) -> None:
        """Take the changes of another view of the same state."""
        self._changed, self._added = dict(other._changed), dict(other._added)
        self._initial = other._initial

    def holds(self, fact: Fact) -> bool:
        known = self._changed.get(fact)
        return self.holds_initially(fact) if known is None else known

    def holds_initially(self, fact: Fact) -> bool:
        legs = tuple([self.instance.id_of(name) for name in fact.arguments])
        return self.instance.find_tuple(fact.relation, legs) is not None

    def set(self, fact: Fact, holds: bool) -> None:
        if self._changed.get(fact, False) != holds:
            for position, element in enumerate(fact.arguments):
                place = (fact.relation, position, element)
                there = self._added.get(place, _NONE)
                self._added[place] = there.set(fact, None) if holds else there.delete(fact)
        self._changed[fact] = holds

    def apply(self, footprint: StepFootprint) -> None:
        """Do a step."""
        for fact in footprint.deletes:
            self.set(fact, False)
        for fact in footprint.adds:
            self.set(fact, True)

    def hinders(self, footprint: StepFootprint) -> bool:
        """Return True if a fact holds that a step avoids."""
        return any(
            pattern.covers(fact)
            for pattern in footprint.avoids
            for fact in self._find_candidates(pattern.relation, pattern.bound)
        )

    def find_facts(self, relation: str, bound: Mapping[int, str]) -> Iterator[Fact]:
        """Yield the facts of a relation that hold and have these elements at these legs."""
        for fact in self._find_candidates(relation, tuple(bound.items())):
            if all(fact.arguments[p] == e for p, e in bound.items()):
                yield fact

    def _find_candidates(self, relation: str, bound: Bound) -> Iterator[Fact]:
        """Yield the facts of a relation that hold, and may have these elements at these legs."""
        if bound:
            yield from self._added.get((relation, *bound[0]), ())
        else:
            yield from [f for f, is_ in self._changed.items() if is_ and f.relation == relation]
        for fact in self._find_initial(relation, bound):
            if fact not in self._changed:
                yield fact

    def _find_initial(self, relation: str, bound: Bound) -> Iterable[Fact]:
        if not bound:
            return self._read(relation, bound)  # mostly not to its end
        found = self._initial.get((relation, bound))
        if found is None:
            found = self._initial[relation, bound] = tuple(self._read(relation, bound))
        return found

    def _read(self, relation: str, bound: Bound) -> Iterator[Fact]:
        instance = self.instance
        legs = instance.schema.relation(relation).legs
        ids = [(position, instance.id_of(name)) for position, name in bound]
        choices = [instance.tuples_at(relation, legs[p][0], id_) for p, id_ in ids]
        rows = instance.tuples(relation)
        for row in min(choices, key=len) if choices else rows:
            if all(rows[row][position] == id_ for position, id_ in ids):
                yield Fact(relation, tuple([instance.name_of(leg) for leg in rows[row]]))

    def to_instance(self) -> Instance:
        """Make the state with the changes."""
        if not self._changed:
            return self.instance
        names = dict.fromkeys(name for fact in self._changed for name in fact.arguments)
        ids = {name: self.instance.id_of(name) for name in names}
        builder = InstanceBuilder.of(self.instance)
        for fact, is_there in self._changed.items():
            legs = tuple([ids[name] for name in fact.arguments])
            if is_there:
                builder.relate(fact.relation, *legs)
            elif self.instance.find_tuple(fact.relation, legs) is not None:
                builder.unrelate(fact.relation, *legs)
        return builder.build()


def list_variables(atom: Atom) -> tuple[str, ...]:
    """Return the variables of an atom of a rule or constraint, by position."""
    return tuple(term.name for term in atom.arguments if isinstance(term, Variable))


def find_bound_positions(atom: Atom, binding: Binding) -> dict[int, str]:
    return {p: binding[name] for p, name in enumerate(list_variables(atom)) if name in binding}


def ground(atom: Atom, binding: Binding) -> Fact:
    """Return the fact that an atom stands for; all of its variables are bound."""
    return Fact(atom.predicate, tuple(binding[name] for name in list_variables(atom)))


def unify(atom: Atom, fact: Fact, binding: Binding) -> Binding | None:
    """Extend the binding so that the atom is the fact; None if that is impossible."""
    extended = dict(binding)
    for name, element in zip(list_variables(atom), fact.arguments, strict=True):
        if extended.setdefault(name, element) != element:
            return None
    return extended


def find_bindings(
    atoms: Sequence[Atom],
    # of the variables to bind; a variable that no atom binds ranges over all elements
    types: Mapping[str, str],
    view: FactView,
    binding: Binding,
    *,
    monic: bool = False,
) -> Iterator[Binding]:
    """Yield all bindings that extend the given one, fit the types, and make all atoms hold."""
    if not _fits(types, view, binding, monic):
        return
    if atoms:
        # The most bound atom first: fewest candidates.
        chosen = max(range(len(atoms)), key=lambda i: len(find_bound_positions(atoms[i], binding)))
        rest = [*atoms[:chosen], *atoms[chosen + 1 :]]
        atom = atoms[chosen]
        for fact in view.find_facts(atom.predicate, find_bound_positions(atom, binding)):
            extended = unify(atom, fact, binding)
            if extended is not None:
                yield from find_bindings(rest, types, view, extended, monic=monic)
        return
    free = next((name for name in types if name not in binding), None)
    if free is None:
        yield binding
        return
    for element in view.instance.elements(types[free]):
        extended = {**binding, free: view.instance.name_of(element)}
        yield from find_bindings((), types, view, extended, monic=monic)


def _fits(types: Mapping[str, str], view: FactView, binding: Binding, monic: bool) -> bool:
    if monic and len(set(binding.values())) < len(binding):
        return False
    instance = view.instance
    for name, type_ in types.items():
        if name in binding:
            own = instance.type_of(instance.id_of(binding[name]))
            if own != type_ and type_ not in instance.schema.ancestors(own):
                return False
    return True
