# SPDX-License-Identifier: Apache-2.0
"""The draft rules of an action: one for each alternative of its precondition and identification.

An atom that an action of PDDL adds and deletes is added. An atom that it deletes but does not
require in the precondition becomes a conditional effect (deleted if it holds).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.model import Cost
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.draft_rules import (
    DraftEffect,
    DraftParameter,
    DraftRule,
    EffectDrafter,
    Substitution,
    bind_terms,
    compute_cost,
    substitute_terms,
)
from fcp_ros.domain.pddl.normal_form import Conjunct, Normaliser, is_open
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.universe import Universe
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import FreeNames


@dataclass(frozen=True)
class Group:
    """Terms that are one object; `constant` is its name, if the action names it."""

    terms: tuple[pddl.PddlTerm, ...]
    candidates: frozenset[str]
    constant: str | None = None


Partition = tuple[Group, ...]
Row = tuple[Atom, tuple[int, ...]]


def find_partitions(
    terms: Mapping[pddl.PddlTerm, pddl.Typed], conjunct: Conjunct, universe: Universe
) -> Iterator[Partition]:
    """Find the ways to identify terms under which the conjunct may hold, the identity first.

    `terms`: variables and constants with their types, in their order. `universe`: types, objects
    and static facts.
    """
    constants = [term.name for term in terms if isinstance(term, Constant)]
    search = _Search(conjunct, universe, frozenset(constants))
    # Constants first: they differ from each other.
    ordered = sorted(terms, key=lambda term: not isinstance(term, Constant))
    yield from search.extend(
        (), [(term, search.find_candidates(term, terms[term])) for term in ordered]
    )


class _Search:
    def __init__(self, conjunct: Conjunct, universe: Universe, constants: frozenset[str]) -> None:
        self._universe = universe
        self._constants = constants
        self._required = conjunct.positive
        self._static = [a for a in conjunct.positive if universe.is_static(a.predicate)]
        self._keyed = [a for a in conjunct.positive if a.predicate in universe.keys]
        self._equal = conjunct.equal
        self._unequal = conjunct.unequal

    def find_candidates(self, term: pddl.PddlTerm, typed: pddl.Typed) -> frozenset[str]:
        """Find the objects that a term may be, by its type and the atoms that it occurs in."""
        if isinstance(term, Constant):
            return frozenset((term.name,))
        found = self._universe.candidates(typed)
        for atom in self._required:
            for position, other in enumerate(pddl.terms_of(atom)):
                if other == term:
                    found &= self._universe.column(atom.predicate, position)
        return found

    def extend(
        self, groups: Partition, left: Sequence[tuple[pddl.PddlTerm, frozenset[str]]]
    ) -> Iterator[Partition]:
        """List the partitions that extend some groups: the next term alone, or in one of them."""
        if not self._may_hold(groups):
            return
        if not left:
            yield groups
            return
        (term, candidates), *rest = left
        named = term.name if isinstance(term, Constant) else None
        # Each partition is found once: a term opens a group or joins an earlier one. A variable
        # alone is none of the named objects, which have groups of their own.
        alone = candidates if named is not None else candidates - self._constants
        if alone:
            yield from self.extend((*groups, Group((term,), alone, named)), rest)
        for place, group in enumerate(groups):
            both = group.candidates & candidates
            if named is None and both:
                joined = Group((*group.terms, term), both, group.constant)
                yield from self.extend((*groups[:place], joined, *groups[place + 1 :]), rest)

    def _may_hold(self, groups: Partition) -> bool:
        """Return True if (in)equalities and static facts allow the identifications so far."""
        place = {term: number for number, group in enumerate(groups) for term in group.terms}
        for left, right in self._equal:
            if left in place and right in place and place[left] != place[right]:
                return False
        for left, right in self._unequal:
            if left in place and place[left] == place.get(right):
                return False
        if self._share_a_key(self._list_rows(self._keyed, place)):
            return False
        rows = self._list_rows(self._static, place)
        return all(self._occurs(atom, row, groups) for atom, row in rows) and not any(
            self._contradict(rows[i], rows[j]) for i in range(len(rows)) for j in range(i)
        )

    @staticmethod
    def _list_rows(atoms: Sequence[Atom], place: Mapping[pddl.PddlTerm, int]) -> list[Row]:
        return [
            (atom, tuple(place[term] for term in pddl.terms_of(atom)))
            for atom in atoms
            if all(term in place for term in pddl.terms_of(atom))
        ]

    def _share_a_key(self, rows: Sequence[Row]) -> bool:
        """Return True if two different facts would share a key of a predicate."""
        seen: dict[tuple[str, tuple[int, ...]], tuple[int, ...]] = {}
        for atom, row in rows:
            key = tuple(row[position] for position in self._universe.keys[atom.predicate])
            if seen.setdefault((atom.predicate, key), row) != row:
                return True
        return False

    def _occurs(self, atom: Atom, row: tuple[int, ...], groups: Partition) -> bool:
        """Return True if some static fact has the same pattern of equal arguments as the atom."""
        if not self._universe.has_pattern(atom.predicate, tuple(map(str, row))):
            return False
        return len(set(row)) == 1 or self._fits(atom, row, groups)

    def _fits(self, atom: Atom, row: tuple[int, ...], groups: Partition) -> bool:
        """Return True if each named object has the position of the atom in some fact."""
        return all(
            groups[number].constant is None
            or groups[number].constant in self._universe.column(atom.predicate, position)
            for position, number in enumerate(row)
        )

    def _contradict(self, one: Row, other: Row) -> bool:
        """Return True if two static facts would share a key and differ elsewhere."""
        (atom, row), (second, second_row) = one, other
        if atom.predicate != second.predicate or row == second_row:
            return False
        return any(
            number == second_row[position] and self._universe.is_key(atom.predicate, position)
            for position, number in enumerate(row)
        )


MAX_RULES = 5_000
"""An action that needs more rules than this is refused."""
MANY_RULES = 200
"""With more rules than this, universal conditions that add existential variables stay formulas.
An action of at most so many instances is drafted for each of them where these are fewer."""
FEW_RULES = 20
"""So many rules are few, however few instances an action has."""

_Instance = tuple[pddl.PddlAction, tuple[pddl.PddlTerm, ...]]
"""An action and its arguments: its parameters, or objects in their place."""


def draft_rules(
    action: pddl.PddlAction, universe: Universe, source: Source, check: Check
) -> tuple[DraftRule, ...]:
    """Draft the rules of an action; none if it can never apply.

    `universe`: types, objects, initial facts. Raises UnsupportedPddl for too many rules.
    """
    lifted = (action, tuple(Variable(parameter.name) for parameter in action.parameters))
    instances = math.prod(len(universe.candidates(p)) for p in action.parameters)
    by_instance = action.parameters and instances <= MANY_RULES
    most = max(instances, FEW_RULES) if by_instance else MANY_RULES
    found = _draft([lifted], universe, source, Normaliser(universe), most, check)
    if found is None and by_instance:
        each = _list_instances(action, universe)
        found = _draft(each, universe, source, Normaliser(universe), MANY_RULES, check)
    if found is None:
        found = _draft([lifted], universe, source, Normaliser(universe, 0), MAX_RULES, check)
    if found is None:
        raise source.refusal(
            action.at,
            f"more than {MAX_RULES} ways in which parameters of {action.name} are the same thing",
            "give its parameters types, or state which must differ",
        )
    return found


def _list_instances(action: pddl.PddlAction, universe: Universe) -> Iterator[_Instance]:
    """List the action for all objects of its parameters: static facts decide more of each."""
    ranges = [[Constant(o) for o in sorted(universe.candidates(p))] for p in action.parameters]
    for chosen in itertools.product(*ranges):
        terms = {p.name: term for p, term in zip(action.parameters, chosen, strict=True)}
        bound = replace(
            action,
            parameters=(),
            precondition=pddl.bind_free(action.precondition, terms),
            effects=tuple(pddl.bind_effect(effect, terms) for effect in action.effects),
        )
        yield bound, chosen


def _draft(
    instances: Iterable[_Instance],
    universe: Universe,
    source: Source,
    normaliser: Normaliser,
    most: int,
    check: Check,
) -> tuple[DraftRule, ...] | None:
    """Draft the rules of an action or of its instances; None if there are more than `most`."""
    found: dict[DraftRule, DraftRule] = {}
    for action, arguments in instances:
        check()
        effects = [
            (effect, conjunct)
            for effect in dict.fromkeys(action.effects)
            for conjunct in normaliser.find_alternatives(effect.condition)
        ]
        for conjunct in normaliser.find_alternatives(action.precondition):
            terms = _list_terms((action, arguments), conjunct, effects, universe)
            for partition in find_partitions(terms, conjunct, universe):
                check()
                draft = _Draft(action, arguments, conjunct, partition, effects, universe, source)
                rule = draft.build(terms)
                if rule is not None:
                    found.setdefault(replace(rule, cost=Cost()), rule)  # tables have no hash
                if len(found) > most:
                    return None
    return tuple(found.values())


def _list_terms(
    instance: _Instance,
    conjunct: Conjunct,
    effects: Sequence[tuple[pddl.ActionEffect, Conjunct]],
    universe: Universe,
) -> dict[pddl.PddlTerm, pddl.Typed]:
    """List the terms that may be identified: parameters, existential variables, named objects."""
    action, arguments = instance
    typed: dict[pddl.PddlTerm, pddl.Typed] = {Variable(p.name): p for p in action.parameters}
    typed.update((Variable(v.name), v) for v in conjunct.variables)
    named = [*arguments, *conjunct.terms()]
    for effect, condition in effects:
        named.extend(condition.terms())
        for atom in (*effect.add, *effect.delete):
            named.extend(pddl.terms_of(atom))
    for term in named:
        if isinstance(term, Constant):
            typed[term] = pddl.Typed(term.name, (universe.type_of[term.name],))
    return typed


@dataclass(frozen=True)
class _Draft:
    action: pddl.PddlAction
    arguments: tuple[pddl.PddlTerm, ...]
    conjunct: Conjunct
    partition: Partition
    effects: Sequence[tuple[pddl.ActionEffect, Conjunct]]
    universe: Universe
    source: Source

    def build(self, terms: dict[pddl.PddlTerm, pddl.Typed]) -> DraftRule | None:
        """Build the rule; None if it can never apply."""
        names = FreeNames()
        parameters: list[DraftParameter] = []
        mapping: dict[pddl.PddlTerm, Variable] = {}
        order = {term: place for place, term in enumerate(self.arguments)}
        for group in sorted(self.partition, key=lambda group: _rank_group(group, order)):
            name = names.take(_name_group(group, order))
            parameters.append(DraftParameter(name, self._find_types(group, terms), group.constant))
            mapping.update((term, Variable(name)) for term in group.terms)
        positive = substitute_terms(self.conjunct.positive, mapping)
        negative = substitute_terms(self.conjunct.negative, mapping)
        if any(_rules_out(absent, atom) for absent in negative for atom in positive):
            return None
        distinct = set(mapping.values())
        formulas = tuple(bind_terms(f, mapping, distinct) for f in self.conjunct.rest)
        if pddl.FALSE in formulas:
            return None
        base, effects = self._draft_effects(mapping, names, parameters, positive, negative)
        add, delete = base
        deletable = {atom.predicate for effect in effects for atom in effect.delete}
        # Adding an atom that holds matters only if an effect might delete it: additions win.
        add = tuple(a for a in add if a not in positive or a.predicate in deletable)
        if set(add).issubset(positive) and not delete and not effects:
            add = ()
        return DraftRule(
            self.action.name,
            tuple(mapping[term].name for term in self.arguments),
            tuple(parameters),
            positive,
            negative,
            add,
            delete,
            effects,
            self._compute_cost(mapping),
            tuple(formula for formula in formulas if formula != pddl.TRUE),
        )

    def _find_types(self, group: Group, terms: dict[pddl.PddlTerm, pddl.Typed]) -> tuple[str, ...]:
        if group.constant is not None:
            return (self.universe.type_of[group.constant],)
        return self.universe.meet(terms[term].types for term in group.terms)

    def _draft_effects(
        self,
        mapping: Substitution,
        names: FreeNames,
        parameters: Sequence[DraftParameter],
        positive: tuple[Atom, ...],
        negative: tuple[Atom, ...],
    ) -> tuple[tuple[tuple[Atom, ...], tuple[Atom, ...]], tuple[DraftEffect, ...]]:
        drafter = EffectDrafter(self.universe, mapping, names, parameters, positive, negative)
        drafts = [
            draft
            for effect, condition in self.effects
            if (draft := drafter.draft(effect, condition)) is not None
        ]
        always = [draft for draft in drafts if draft.is_unconditional]
        add = tuple(dict.fromkeys(atom for draft in always for atom in draft.add))
        gone = dict.fromkeys(a for draft in always for a in draft.delete if a not in add)
        delete = tuple(atom for atom in gone if atom in positive)
        rest = [draft for draft in drafts if draft not in always]
        # An atom that need not hold before is deleted by an effect that requires it (`_split`).
        for atom in gone:
            if atom not in positive and atom not in negative:
                rest.append(DraftEffect((), (), (), delete=(atom,)))
        effects = tuple(p for draft in rest for p in _split(draft, positive, negative))
        lost = {a.predicate for part in effects for a in part.delete}.union(
            atom.predicate for atom in delete
        )
        useful = (_drop_useless(part, positive, lost) for part in effects)
        return (add, delete), tuple(dict.fromkeys(part for part in useful if part is not None))

    def _compute_cost(self, mapping: Substitution) -> Cost:
        if not self.universe.problem.minimises_cost:
            return Cost()
        return compute_cost(self.action, mapping, self.universe, self.source)


def _rank_group(group: Group, order: dict[pddl.PddlTerm, int]) -> tuple[int, int]:
    """Rank parameters of the action first, then existential variables, then objects."""
    places = [order[term] for term in group.terms if term in order]
    if places:
        return (0, min(places))
    return (1 if group.constant is None else 2, 0)


def _name_group(group: Group, order: dict[pddl.PddlTerm, int]) -> str:
    own = [term for term in group.terms if term in order]
    if own:
        return min(own, key=lambda term: order[term]).name
    if group.constant is not None:
        return group.constant
    return group.terms[0].name.split(".")[1]


def _rules_out(absent: Atom, atom: Atom) -> bool:
    """Return True if an atom must be absent."""
    if absent.predicate != atom.predicate:
        return False
    bound: dict[pddl.PddlTerm, pddl.PddlTerm] = {}
    return all(
        bound.setdefault(wanted, given) == given if is_open(wanted) else wanted == given
        for wanted, given in zip(pddl.terms_of(absent), pddl.terms_of(atom), strict=True)
    )


def _drop_useless(
    draft: DraftEffect, positive: tuple[Atom, ...], lost: set[str]
) -> DraftEffect | None:
    """Drop additions of atoms that hold anyway; return None if the effect then changes nothing."""
    there = {*draft.positive, *positive}
    add = tuple(a for a in draft.add if a not in there or a.predicate in lost)
    return replace(draft, add=add) if add or draft.delete else None


def _split(
    draft: DraftEffect, positive: tuple[Atom, ...], negative: tuple[Atom, ...]
) -> Iterator[DraftEffect]:
    """Split off an effect for each atom that is deleted but not required."""
    asked = {*draft.positive, *positive}
    absent = {*draft.negative, *negative}
    delete = tuple(a for a in draft.delete if a in asked and a not in draft.add)
    if draft.add or delete:
        yield replace(draft, delete=delete)
    for atom in draft.delete:
        if atom not in asked and atom not in absent and atom not in draft.add:
            yield replace(draft, positive=(*draft.positive, atom), add=(), delete=(atom,))
