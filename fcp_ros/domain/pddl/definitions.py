# SPDX-License-Identifier: Apache-2.0
"""Predicates that only repeat a relation: found, and replaced by it.

PDDL files maintain such predicates by hand: `hand-empty` if nothing is held, `holds-any ?a` if
something is. Written as `not (exists (?x) (holding ?x))`, the one fact in the way is visible to the
planner, which otherwise looks for any action that adds `hand-empty`.

Let R be a relation with at most one fact for each key at a time. Then each of

    p(key)  <=>  some R(key, x)         a shadow of R
    p(key)  <=>  no R(key, x)           its complement

holds in every state if it holds initially and each rule keeps it (induction over the plan). At most
one R for each key follows from an invariant, or from the definition itself: a fact that is added
where p excludes any other is the only one.

A predicate is replaced only where that makes absences out of its literals. "Some R(key, x)" as a
condition is a disjunction, which multiplies operators by the values of x, unless the rule requires
such a fact anyway.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.draft_rules import DraftEffect, DraftRule
from fcp_ros.domain.pddl.invariants import InvariantSearch, Key, Part
from fcp_ros.domain.pddl.universe import Universe
from fcp_ros.foundation.stopping import Check

MAX_KEYS = 200_000
"""Predicates with more possible facts than this are not tried as complements."""


@dataclass(frozen=True, slots=True)
class Definition:
    """`predicate` holds of a key that has a fact of `part`; as complement, of one that has none."""

    predicate: str
    part: Part
    complement: bool


Definitions = Mapping[str, Definition]


def find_definitions(universe: Universe, drafts: Sequence[DraftRule], check: Check) -> Definitions:
    """Find the predicates that can be replaced, each with its definition.

    `universe`: types, objects, initial facts.
    """
    found: dict[str, Definition] = {}
    needed: set[str] = set()
    legs = universe.domain.predicates
    by_arity: dict[int, list[str]] = {}
    for predicate in sorted(universe.changed):
        by_arity.setdefault(len(legs[predicate]), []).append(predicate)
    for predicate in sorted(universe.changed):
        if predicate in needed:
            continue
        wider = (o for o in by_arity.get(len(legs[predicate]) + 1, ()) if o not in found)
        definition = next(_find_definition(predicate, wider, universe, drafts, check), None)
        if definition is not None:
            found[predicate] = definition
            needed.add(definition.part.predicate)
    return found


def _find_definition(
    predicate: str,
    wider: Iterable[str],
    universe: Universe,
    drafts: Sequence[DraftRule],
    check: Check,
) -> Iterator[Definition]:
    arity = len(universe.domain.predicates[predicate])
    for other in wider:
        for order in itertools.permutations(range(arity + 1), arity):
            if not _fits(predicate, other, order, universe):
                continue
            (counted,) = set(range(arity + 1)).difference(order)
            for complement in (True, False):
                check()
                definition = Definition(predicate, Part(other, order, counted), complement)
                if (
                    _holds_initially(definition, universe)
                    and all(_is_kept(definition, rule) for rule in drafts)
                    and _adds_no_choice(definition, drafts)
                    and _is_single(definition, universe, drafts, check)
                ):
                    yield definition


def _fits(predicate: str, other: str, order: Sequence[int], universe: Universe) -> bool:
    """Return True if the arguments of a predicate may stand at some positions of another."""
    legs = universe.domain.predicates
    pairs = zip(legs[predicate], order, strict=True)
    return all(universe.is_below(leg.types, legs[other][place].types) for leg, place in pairs)


def _holds_initially(definition: Definition, universe: Universe) -> bool:
    part = definition.part
    keys = {tuple(a[p] for p in part.order) for a in universe.facts(part.predicate)}
    held = universe.facts(definition.predicate)
    if not definition.complement:
        return held == keys
    legs = universe.domain.predicates[definition.predicate]
    ranges = [universe.candidates(leg) for leg in legs]
    if not held.isdisjoint(keys) or math.prod(map(len, ranges)) > MAX_KEYS:
        return False
    return all(key in held or key in keys for key in itertools.product(*ranges))


def _is_single(
    definition: Definition,
    universe: Universe,
    drafts: Sequence[DraftRule],
    check: Check,
) -> bool:
    """Return True if the relation has at most one fact for each key, in any state."""
    part = definition.part
    keys = [tuple(a[p] for p in part.order) for a in universe.facts(part.predicate)]
    if len(set(keys)) < len(keys):
        return False
    return all(_adds_one(definition, rule) for rule in drafts) or bool(
        InvariantSearch(drafts, universe.problem.facts, check).find(part)
    )


def _adds_no_choice(definition: Definition, drafts: Sequence[DraftRule]) -> bool:
    """Return True if no rule asks for "some R(key, x)" without a fact of it that it requires."""
    name, complement = definition.predicate, definition.complement
    for rule in drafts:
        known = _list_keys(definition.part, rule.positive)
        asked = rule.negative if complement else rule.positive
        if not all(atom.arguments in known for atom in asked if atom.predicate == name):
            return False
        for effect in rule.effects:
            known_there = known | _list_keys(definition.part, effect.positive)
            asked = effect.negative if complement else effect.positive
            for atom in asked:
                undone = atom in effect.delete  # the condition goes with the deletion
                if atom.predicate == name and not undone and atom.arguments not in known_there:
                    return False
        formulas = (*rule.formulas, *(f for effect in rule.effects for f in effect.formulas))
        if not complement and any(_mentions(formula, name) for formula in formulas):
            return False
    return True


def _list_keys(part: Part, atoms: Iterable[Atom]) -> set[Key]:
    return {part.key(atom) for atom in atoms if atom.predicate == part.predicate}


def _mentions(formula: pddl.Formula, predicate: str) -> bool:
    return any(
        isinstance(found, Atom) and found.predicate == predicate
        for found in pddl.subformulas(formula)
    )


# --- what a rule does to both sides


@dataclass(frozen=True, slots=True)
class _Touched:
    """The keys whose facts of the relation, or of the predicate itself, a rule adds or deletes."""

    comes: set[Key]
    goes: set[Key]
    gains: set[Key]
    loses: set[Key]


def _is_kept(definition: Definition, rule: DraftRule) -> bool:
    """Return True if the definition holds after the rule if it held before."""
    touched = _find_touched(definition, rule)
    if touched is None:
        return False
    keeps = _keeps_complement if definition.complement else _keeps_shadow
    return keeps(definition, rule, touched)


def _find_touched(definition: Definition, rule: DraftRule) -> _Touched | None:
    """Return None if a conditional effect affects either predicate (not supported)."""
    name, part = definition.predicate, definition.part
    loses = {atom.arguments for atom in rule.delete if atom.predicate == name}
    for effect in rule.effects:
        changed = {atom.predicate for atom in (*effect.add, *effect.delete)}
        if _deletes_if_there(effect) and changed == {name}:
            loses.update(atom.arguments for atom in effect.delete)
        elif not changed.isdisjoint((name, part.predicate)):
            return None
    added = [atom for atom in rule.add if atom not in rule.positive]
    return _Touched(
        {part.key(atom) for atom in added if atom.predicate == part.predicate},
        {part.key(atom) for atom in rule.delete if atom.predicate == part.predicate},
        {atom.arguments for atom in added if atom.predicate == name},
        loses,
    )


def _adds_one(definition: Definition, rule: DraftRule) -> bool:
    """Return True if the rule adds a fact only for a deleted one, or for a key that has none."""
    part = definition.part
    added = [a for a in rule.add if a.predicate == part.predicate and a not in rule.positive]
    comes = [part.key(atom) for atom in added]
    goes = {part.key(atom) for atom in rule.delete if atom.predicate == part.predicate}
    telling = rule.positive if definition.complement else rule.negative
    free = {atom.arguments for atom in telling if atom.predicate == definition.predicate}
    return len(set(comes)) == len(comes) and set(comes) <= goes | free


def _deletes_if_there(effect: DraftEffect) -> bool:
    """Return True if the effect only deletes atoms that the rule does not require."""
    others = (*effect.variables, *effect.negative, *effect.add, *effect.formulas)
    return not others and effect.positive == effect.delete


def _keeps_complement(definition: Definition, rule: DraftRule, touched: _Touched) -> bool:
    # The predicate is deleted for keys that get their fact, and added for those that lose it. A key
    # whose fact is exchanged for another one keeps having one.
    comes, goes = touched.comes, touched.goes
    return (
        (comes - goes) <= touched.loses
        and (goes - comes) == touched.gains
        and touched.loses <= comes
    )


def _keeps_shadow(definition: Definition, rule: DraftRule, touched: _Touched) -> bool:
    # The predicate holds of each key that gets a fact, is deleted for keys that lose theirs, and is
    # added only for keys that have one afterwards.
    comes, goes = touched.comes, touched.goes
    part = definition.part
    stay = {part.key(a) for a in rule.positive if a.predicate == part.predicate} - goes
    asked = {a.arguments for a in rule.positive if a.predicate == definition.predicate}
    there = touched.gains | ((goes | asked) - touched.loses)
    return comes <= there and (goes - comes) == touched.loses and touched.gains <= (comes | stay)


# --- replacing


@dataclass(frozen=True)
class Replacement:
    """Rewrites a task without the predicates that are defined."""

    definitions: Definitions
    universe: Universe

    def rewrite_domain(self) -> pddl.DomainText:
        """Rewrite the domain; neither conditions nor effects speak of the defined predicates."""
        text = self.universe.domain
        return replace(
            text,
            predicates={n: p for n, p in text.predicates.items() if n not in self.definitions},
            actions=tuple(map(self._rewrite_action, text.actions)),
            axioms=tuple(replace(a, body=self.rewrite(a.body)) for a in text.axioms),
        )

    def rewrite_problem(self) -> pddl.ProblemText:
        """Rewrite the problem without the initial facts of the defined predicates."""
        text = self.universe.problem
        facts = {n: tuples for n, tuples in text.facts.items() if n not in self.definitions}
        return replace(text, facts=facts)

    def rewrite(self, formula: pddl.Formula) -> pddl.Formula:
        """Rewrite a formula so that it speaks of the relations instead."""
        if isinstance(formula, Atom):
            return self._rewrite_atom(formula)
        return pddl.change_parts(formula, self.rewrite)

    def _rewrite_atom(self, atom: Atom) -> pddl.Formula:
        definition = self.definitions.get(atom.predicate)
        if definition is None:
            return atom
        part = definition.part
        assert part.counted is not None, "definitions count one position"
        leg = self.universe.domain.predicates[part.predicate][part.counted]
        # No name of PDDL has a full stop in it.
        some = pddl.Typed(f"its.{part.predicate}", leg.types)
        terms: list[pddl.PddlTerm] = [Variable(some.name)] * (len(part.order) + 1)
        for position, term in zip(part.order, pddl.terms_of(atom), strict=True):
            terms[position] = term
        exists = pddl.Quantified(False, (some,), Atom(part.predicate, tuple(terms)))
        return pddl.Negation(exists) if definition.complement else exists

    def _rewrite_action(self, action: pddl.PddlAction) -> pddl.PddlAction:
        effects = (
            replace(
                effect,
                condition=self.rewrite(effect.condition),
                add=self._drop_defined(effect.add),
                delete=self._drop_defined(effect.delete),
            )
            for effect in action.effects
        )
        return replace(
            action,
            precondition=self.rewrite(action.precondition),
            effects=tuple(e for e in effects if e.add or e.delete or e.numeric),
        )

    def _drop_defined(self, atoms: Sequence[Atom]) -> tuple[Atom, ...]:
        return tuple(atom for atom in atoms if atom.predicate not in self.definitions)
