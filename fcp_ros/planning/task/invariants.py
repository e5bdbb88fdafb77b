# SPDX-License-Identifier: Apache-2.0
"""Invariants of all reachable states, and the mutexes that a task's operators keep.

Fluent facts that share an element may always be linked by a static one: an item that is put into a
receptacle is at a location of that receptacle from then on. So a rule that takes an item, at a
location, out of a receptacle need not be instantiated for all pairs of those two.

A functional leg has at most one fact at a time, and so has the leg of a unary relation: what is
clear has nothing on it. Two legs of one element are mutex if never a fact of each holds. The proof
is an induction over the operators: it is so initially, and no operator breaks it, given that all
the other pairs hold before (so the result is the greatest set of pairs that supports itself). This
is the simplest case of invariant synthesis (Helmert, Concise finite-domain representations for PDDL
planning tasks, 2009), on ground operators.

Two things get simpler: an absence that a precondition implies need not be checked, and mutex legs
become one variable ("where the item is").
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.cset import Instance
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedDomain, LiftedRelation, LiftedRule
from fcp_ros.planning.task.mutex_pairs import (
    ChangeContext,
    InductionHypothesis,
    MutexPair,
    MutexProof,
    Place,
    find_disjoint_relations,
    find_initially_broken,
)
from fcp_ros.planning.task.task import Absence, Conditions, FactKey, GroundOperator, Task

MOST_CLASSES = 200
"""Unary static relations of which all pairs are looked at."""
MOST_KNOWN = 64
"""Kinds of states whose invariants are kept."""


@dataclass(frozen=True, slots=True)
class StaticLink:
    """one(x, y) and other(x, z), in any order of legs, hold together only if static(y, z) does.

    Pairs of facts that both hold initially are exempt as long as they stay.

    Attributes:
        one, other: the changing relations, with the leg of the shared element.
    """

    one: Place
    other: Place
    static: LiftedRelation
    turned: bool  # whether the first leg of the static relation is that of `other`

    def make_atom(self, one: int, other: int) -> LiftedAtom:
        """Make the static condition on the slots, or elements, of the legs that are not shared."""
        return (self.static, (other, one) if self.turned else (one, other))


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """Two conditions of a rule that hold together only if a static one does.

    The exception are facts that both hold initially: an initial state need not keep the link.
    """

    one: LiftedAtom
    other: LiftedAtom
    static: LiftedAtom


Invariants = Mapping[int, tuple[LinkCheck, ...]]
"""Invariants of all states that are reachable from one: by the number of a rule, pairs of its
conditions that hold together only if linked."""


class InvariantFinder:
    """Finds the invariants of one domain from its states on. Safe to share by threads."""

    def __init__(self, lifted: LiftedDomain, check: Check = never_stop) -> None:
        self._lifted = lifted
        # Derived relations take no part: no rule alone says when their facts hold.
        plain = {n: r for n, r in lifted.relations.items() if n not in lifted.domain.derived}
        changing = [rule for rule in lifted.rules if not rule.derives]
        self._proof = MutexProof(changing, plain, check)
        self._links = _find_possible_links(changing, self._proof)
        self._classes = _list_classes(lifted)
        pairs = combinations(self._classes, 2)
        self._hopeful_disjoint = frozenset(map(frozenset, pairs))
        self._pairs = self._proof.find_pairs((), self._hopeful_disjoint, check)
        self._known: dict[Hashable, Invariants] = {}
        self._hopeful = self._find(frozenset(), self._hopeful_disjoint, check)

    def find(self, instance: Instance, check: Check = never_stop) -> Invariants:
        """Find the invariants that hold from a state on.

        The state is not read if the domain's rules keep none that is of use.
        """
        if not any(self._hopeful.values()):
            return self._hopeful
        broken = frozenset(find_initially_broken(self._pairs, instance))
        disjoint = frozenset(find_disjoint_relations(self._classes, instance))
        return self._find(broken, disjoint, check)

    @property
    def possible_mutexes(self) -> frozenset[MutexPair]:
        """The mutex pairs of states from which on all of them hold."""
        return self._pairs

    def find_mutexes(self, instance: Instance) -> frozenset[MutexPair]:
        """Find the mutex pairs that hold from a state on."""
        broken = frozenset(find_initially_broken(self._pairs, instance))
        disjoint = frozenset(find_disjoint_relations(self._classes, instance))
        return self._proof.find_pairs(broken, disjoint)

    def _find(
        self,
        broken: frozenset[MutexPair],
        disjoint: frozenset[frozenset[str]],
        check: Check,
    ) -> Invariants:
        known = self._known.get((broken, disjoint))
        if known is None:
            pairs = self._proof.find_pairs(broken, disjoint, check)
            shown = InductionHypothesis(pairs, disjoint)
            links = tuple(link for link in self._links if _is_kept(link, self._proof, shown))
            check()
            if len(self._known) >= MOST_KNOWN:  # a scene that changes for days
                self._known.clear()
            known = {rule.number: _make_checks(rule, links) for rule in self._lifted.rules}
            self._known[broken, disjoint] = known
        return known


def _list_classes(lifted: LiftedDomain) -> list[str]:
    """List the unary static relations that rules require; none if there are too many to pair."""
    required = {
        relation.name
        for rule in lifted.rules
        for relation, slots in rule.body.static
        if len(slots) == 1
    }
    return sorted(required) if len(required) <= MOST_CLASSES else []


# --- links


def _find_possible_links(rules: Sequence[LiftedRule], proof: MutexProof) -> list[StaticLink]:
    wanted = {
        (one, other) for rule in rules for one, other, _, _ in _find_sharing(rule.body.fluent)
    }
    found: dict[StaticLink, None] = {}
    for context, _ in proof.contexts:
        for one, other, y, z in _find_sharing(context.adds):
            for relation, slots in context.rule.body.static:
                if (one, other) in wanted and slots in ((y, z), (z, y)):
                    found.setdefault(StaticLink(one, other, relation, slots == (z, y)))
    return list(found)


def _is_kept(link: StaticLink, proof: MutexProof, hypothesis: InductionHypothesis) -> bool:
    """Return True if no rule breaks a link, given what holds before each."""
    return all(
        _keeps_link(link, turned, context, atom, proof, hypothesis)
        for turned, place in ((False, link.one), (True, link.other))
        for context, atom in proof.find_adders(place[0])
    )


def _make_checks(rule: LiftedRule, links: Iterable[StaticLink]) -> tuple[LinkCheck, ...]:
    known = list(links)
    names = {name for link in known for name, _ in (link.one, link.other)}
    atoms = sorted((atom for atom in rule.body.fluent if _name(atom) in names), key=_name)
    return tuple(
        LinkCheck(atom, other, link.make_atom(y, z))
        for atom, other in combinations(atoms, 2)
        for one, two, y, z in _find_sharing((atom, other))
        for link in known
        if (link.one, link.other) == (one, two)
    )


def _name(atom: LiftedAtom) -> str:
    return atom[0].name


def _find_sharing(atoms: Sequence[LiftedAtom]) -> Iterator[tuple[Place, Place, int, int]]:
    """Yield pairs of binary atoms that share a slot: both places, and the slots not shared."""
    binary = [atom for atom in atoms if len(atom[1]) == 2]
    for relation, slots in binary:
        for other, others in binary:
            if relation.name < other.name:
                for leg, slot in enumerate(slots):
                    if slot in others and slots[1 - leg] not in others:
                        place = (other.name, others.index(slot))
                        yield (relation.name, leg), place, slots[1 - leg], others[1 - place[1]]


def _keeps_link(
    link: StaticLink,
    turned: bool,
    context: ChangeContext,
    atom: LiftedAtom,
    proof: MutexProof,
    hypothesis: InductionHypothesis,
) -> bool:
    """Return True if an added fact is linked to every fact that holds together with it."""
    place, (name, leg) = (link.other, link.one) if turned else (link.one, link.other)
    slot, y = atom[1][place[1]], atom[1][1 - place[1]]
    if max(atom[1]) >= len(context.rule.types):
        return False  # a variable of an effect

    def is_required(slots: tuple[int, ...]) -> bool:
        z = slots[1 - leg]
        return link.make_atom(*((z, y) if turned else (y, z))) in context.rule.body.static

    for other, (_, slots) in proof.find_adders(name):
        shared = other.rule is context.rule and context.may_be_same(slots[leg], slot)
        if shared and not (slots[leg] == slot and is_required(slots)):
            return False
    if atom in context.holds or proof.is_gone(context, slot, (name, leg), hypothesis):
        return True
    alone = frozenset(((name, leg),)) in hypothesis.pairs
    return alone and any(
        relation.name == name and slots[leg] == slot and is_required(slots)
        for relation, slots in context.holds
    )


Partners = dict[FactKey, set[FactKey]]

MANY = 40
"""Legs of one element from which on its unary facts are left out: pairs of them are too many."""
MOST_PAIRED = 200
"""Legs of one element that are paired: 20,000 pairs take 0.1 s and 5 MB. Of elements with more,
as grounded tasks have, none are (issue 28)."""


def list_legs(task: Task, fact: int) -> tuple[FactKey, ...]:
    """List the legs that a fact fills and no other one at the same time, unary relations' too."""
    name, arguments = task.facts[fact]
    keys = task.keys_of(fact)
    if len(arguments) != 1:
        return keys
    own = (name, 0, arguments[0])
    return keys if own in keys else (*keys, own)


class LegMutexes:
    """Pairs of mutex functional legs."""

    def __init__(self, task: Task, partners: Partners) -> None:
        self._partners = partners
        self._keys: dict[int, tuple[FactKey, ...]] = {}
        self._rivals: dict[int, frozenset[FactKey]] = {}
        for fact in range(len(task.facts)):
            keys = tuple([key for key in list_legs(task, fact) if key in partners])
            if keys:
                self._keys[fact] = keys
                self._rivals[fact] = frozenset().union(*[partners[key] for key in keys])

    def implies(self, absence: Absence, pre: Iterable[int]) -> bool:
        """Return True if facts that hold imply an absence."""
        key, rivals = absence.key, self._rivals
        return key in self._partners and any(key in rivals[fact] for fact in pre if fact in rivals)

    def are_compatible(self, facts: Iterable[int]) -> bool:
        """Return True unless two of some facts are known to be mutex."""
        rivals: set[FactKey] = set()
        for fact in facts:
            keys = self._keys.get(fact)
            if keys is not None:
                if not rivals.isdisjoint(keys):
                    return False
                rivals |= self._rivals[fact]
        return True

    def make_groups(self) -> Iterator[tuple[FactKey, ...]]:
        """Yield disjoint groups of at least two legs that are pairwise mutex."""
        taken: set[FactKey] = set()
        for key in self._partners:
            group = [] if key in taken else [key]
            for other in sorted(self._partners[key]) if group else ():
                if other not in taken and all(other in self._partners[k] for k in group):
                    group.append(other)
            if len(group) > 1:
                taken.update(group)
                yield tuple(group)


def find_leg_mutexes(
    task: Task, conditions: Conditions, operators: Collection[int], check: Check
) -> LegMutexes:
    """Prove mutex legs over some operators (numbers in the task) and the initial state."""
    partners = _make_candidates(task, operators, check)
    legs = [list_legs(task, fact) for fact in range(len(task.facts))]
    pairs = _SupportedPairs(partners)
    for index in operators:
        check()
        absences = conditions.find_absences(index) or ()
        for obligation in _Obligations(legs, absences, task.operators[index], partners).find_open():
            pairs.require(*obligation)
    return LegMutexes(task, {key: others for key, others in partners.items() if others})


def _make_candidates(task: Task, operators: Iterable[int], check: Check) -> Partners:
    """Make pairs of unbroken legs of one element of which the initial state fills at most one."""
    seen = set(task.initial)
    for index in operators:
        operator = task.operators[index]
        seen.update(operator.add)
        for effect in operator.effects:
            seen.update(effect.add)
    if task.axioms:  # derived facts take no part
        seen = {fact for fact in seen if not task.is_derived(fact)}
    keys = dict.fromkeys(k for fact in sorted(seen) for k in task.keys_of(fact))
    unary = dict.fromkeys(k for fact in sorted(seen) for k in list_legs(task, fact))
    filled = {key for fact in seen & task.initial for key in list_legs(task, fact)}
    at_element: dict[str, list[FactKey]] = {}
    for key in unary:
        if key not in task.broken:
            at_element.setdefault(key[2], []).append(key)
    for element, legs in at_element.items():
        if len(legs) > MANY:
            at_element[element] = [key for key in legs if key in keys]
    keys |= unary
    crowded = {key for legs in at_element.values() if len(legs) > MOST_PAIRED for key in legs}
    partners: Partners = {key: set() for key in keys if key not in crowded}
    for legs in at_element.values():
        check()
        for one, other in combinations(legs, 2) if len(legs) <= MOST_PAIRED else ():
            if not (one in filled and other in filled):
                partners[one].add(other)
                partners[other].add(one)
    return partners


Obligation = tuple[FactKey, FactKey, Sequence[FactKey]]
"""A pair, and legs of preconditions: one of them must be mutex with the second leg of the pair."""


class _SupportedPairs:
    """Pairs that stay as long as each obligation has a support: the greatest set of such pairs.

    Each obligation waits for one support at a time to break, and then goes on to the next one. A
    broken pair never comes back, so no support is looked at twice.
    """

    def __init__(self, partners: Partners) -> None:
        self._partners = partners
        self._waiting: dict[tuple[FactKey, FactKey], list[tuple[FactKey, Iterator[FactKey]]]] = {}

    def require(self, one: FactKey, other: FactKey, supports: Iterable[FactKey]) -> None:
        """Take the pair out, and all that rests on it, if no support is mutex with `other`."""
        broken: list[tuple[FactKey, FactKey]] = []
        self._settle(one, other, iter(supports), broken)
        while broken:
            one, other = broken.pop()
            for lost, rival in ((one, other), (other, one)):
                for waiting, rest in self._waiting.pop((lost, rival), ()):
                    self._settle(waiting, rival, rest, broken)

    def _settle(
        self,
        one: FactKey,
        other: FactKey,
        supports: Iterator[FactKey],
        broken: list[tuple[FactKey, FactKey]],
    ) -> None:
        partners = self._partners
        if other not in partners[one]:
            return
        rivals = partners[other]
        for key in supports:
            if key in rivals:
                self._waiting.setdefault((key, other), []).append((one, supports))
                return
        partners[one].discard(other)
        rivals.discard(one)
        broken.append((one, other))


class _Obligations:
    """The proof obligations of one operator for the pairs of legs that it fills."""

    def __init__(
        self,
        legs: Sequence[tuple[FactKey, ...]],
        absences: Iterable[Absence],
        operator: GroundOperator,
        partners: Partners,
    ) -> None:
        self._legs = legs
        self._operator = operator
        self._partners = partners
        self._empty = {
            absence.key
            for absence in absences
            if absence.key is not None and absence.unless is None
        }
        self._filled = self._fill(operator.add)
        for effect in operator.effects:
            self._filled |= self._fill(effect.add)

    def _fill(self, facts: Iterable[int]) -> set[FactKey]:
        legs = self._legs
        return {key for fact in facts for key in legs[fact]}

    def find_open(self) -> Iterator[Obligation]:
        """Yield pairs that the operator keeps only if others hold; with none if it breaks one."""
        operator = self._operator
        yield from self._check_added(operator.add, operator.pre, operator.delete)
        for effect in operator.effects:
            pre = (*operator.pre, *effect.pre)
            delete = {*operator.delete, *effect.delete}.intersection(pre)
            yield from self._check_added(effect.add, pre, delete)

    def _check_added(
        self, added: Iterable[int], pre: Sequence[int], delete: Collection[int]
    ) -> Iterator[Obligation]:
        legs, partners = self._legs, self._partners
        # Mostly there is none: pairs are only taken out, and soon those that change are gone.
        paired = [key for fact in added for key in legs[fact] if partners.get(key)]
        if not paired:
            return
        cleared = self._fill(delete) | self._empty
        kept = self._fill(held for held in pre if held not in delete)
        every = dict.fromkeys(key for held in pre for key in legs[held])
        supports = tuple([key for key in every if key in partners])
        for one in paired:
            for other in tuple(partners[one]):  # pairs are taken out meanwhile
                if other in kept or other in self._filled:
                    yield one, other, ()
                elif other not in cleared:
                    yield one, other, supports
