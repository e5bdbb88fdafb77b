# SPDX-License-Identifier: Apache-2.0
"""Lifted mutex pairs: facts of one element that never hold together, proven over a domain's rules.

A *place* is a leg of a fluent relation; the facts of an element there name it in that leg. Two
places are a mutex pair if no element ever has a fact in each (an item that is held lies nowhere); a
place is a mutex pair with itself if no element ever has two facts there (an item lies at one spot
only). The absence of a unary fact is a place, too: a mutex pair with it means that facts at the
other place imply the fact. A place is *filled at once* if nothing is added there where something is
already: a large thing may take two slots of a bag, but both in one step.

The proof is an induction over the rules, for each element by itself. A rule that adds a fact at a
place must leave none at the places that are mutex with it, given that all pairs hold before. So the
result is the greatest set of pairs that supports itself. (Invariant synthesis as in Helmert,
Concise finite-domain representations for PDDL planning tasks, 2009, with pairs that support one
another in place of one weight.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, combinations_with_replacement, islice

from fcp_ros.cset import Instance
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedBody, LiftedRelation, LiftedRule

Place = tuple[str, int]
"""Name of a fluent relation, number of a leg; ABSENT: the absence of its (unary) fact."""
ABSENT = -1
AT_ONCE = -2
"""(relation, AT_ONCE - leg) paired with a place means that it is filled at once."""

MutexPair = frozenset[Place]
"""Two places that are mutex, or one that is mutex with itself; or see `make_at_once_pair`."""

MOST_PAIRS = 30_000
"""Pairs that a proof begins with; 240 places have as many. A proof takes up to 0.1 ms a pair."""

Disjoint = Collection[frozenset[str]]
"""Pairs of unary static relations that no element is in both of."""


@dataclass(frozen=True, slots=True)
class InductionHypothesis:
    """The hypothesis of the induction: what is taken to hold before each change."""

    pairs: Collection[MutexPair]
    disjoint: Disjoint


def make_at_once_pair(place: Place) -> MutexPair:
    """Make the pair that means that a place is filled at once."""
    return frozenset((place, (place[0], AT_ONCE - place[1])))


@dataclass(frozen=True, slots=True)
class ChangeContext:
    """A rule, or one of its effects, with all that is known if it changes something."""

    rule: LiftedRule
    holds: Sequence[LiftedAtom]
    lacks: Sequence[LiftedAtom]
    deletes: Collection[LiftedAtom]
    adds: Sequence[LiftedAtom]

    def may_be_same(self, one: int, other: int) -> bool:
        """Return True if two slots may be one element; two parameters never are."""
        parameters = len(self.rule.types)
        return one == other or one >= parameters or other >= parameters

    def is_many(self, atom: LiftedAtom, leg: int) -> bool:
        """Return True if an atom may stand for several facts with the same element in a leg."""
        parameters = len(self.rule.types)
        others = (slot for position, slot in enumerate(atom[1]) if position != leg)
        return any(slot >= parameters for slot in others)


Change = tuple[ChangeContext, LiftedAtom]
"""An atom that a rule or an effect adds (or deletes), with its context."""


@dataclass(frozen=True)
class _ChangeIndex:
    """The changes of one kind, additions or deletions."""

    of_relation: Mapping[str, Sequence[Change]]
    of_rule: Mapping[tuple[int, str], Sequence[Change]]

    def find(self, rule: LiftedRule, name: str) -> Sequence[Change]:
        return self.of_rule.get((rule.number, name), ())


def _index_changes(parts: Iterable[tuple[ChangeContext, Iterable[LiftedAtom]]]) -> _ChangeIndex:
    of_relation: dict[str, list[Change]] = {}
    of_rule: dict[tuple[int, str], list[Change]] = {}
    for context, atoms in parts:
        for atom in atoms:
            name = atom[0].name
            of_relation.setdefault(name, []).append((context, atom))
            of_rule.setdefault((context.rule.number, name), []).append((context, atom))
    return _ChangeIndex(of_relation, of_rule)


class MutexProof:
    """Finds pairs of places that stay mutex if they are so initially. Safe to share by threads."""

    def __init__(
        self,
        rules: Sequence[LiftedRule],
        relations: Mapping[str, LiftedRelation],
        check: Check = never_stop,
    ) -> None:
        self._relations = relations
        self.contexts = [context for rule in rules for context in _make_contexts(rule)]
        self._adders = _index_changes((c, part.add) for c, part in self.contexts)
        self._deleters = _index_changes((c, part.delete) for c, part in self.contexts)
        self._candidates = frozenset(self._make_candidates(check))

    def find_pairs(
        self,
        broken: Collection[MutexPair],
        disjoint: Disjoint,
        check: Check = never_stop,
    ) -> frozenset[MutexPair]:
        """Find the pairs that stay mutex, given those that are not so initially."""
        pairs = set(self._candidates.difference(broken))
        hypothesis = InductionHypothesis(pairs, disjoint)  # weaker with each pair that is taken out
        doubtful: Collection[MutexPair] = list(pairs)
        while doubtful:
            wrong = []
            for pair in doubtful:
                check()
                if not self._is_kept(pair, hypothesis):
                    wrong.append(pair)
            pairs.difference_update(wrong)
            # What keeps a pair are pairs that share a place with it.
            lost = {place for pair in wrong for place in pair}
            doubtful = [pair for pair in pairs if not lost.isdisjoint(pair)]
        return frozenset(pairs)

    def is_gone(
        self, context: ChangeContext, slot: int, place: Place, hypothesis: InductionHypothesis
    ) -> bool:
        """Return True if no fact of an element at a place survives a change."""
        name, leg = place
        pairs = hypothesis.pairs
        for relation, slots in context.lacks:
            if relation.name == name and slots[leg] == slot and _is_open(slots, leg):
                return True
            if slots == (slot,) and frozenset(((relation.name, ABSENT), place)) in pairs:
                return True
        for atom in context.holds:
            relation, slots = atom
            for other, bound in enumerate(slots):
                known = bound == slot and frozenset(((relation.name, other), place)) in pairs
                if known and ((relation.name, other) != place or atom in context.deletes):
                    return True
        return make_at_once_pair(place) in pairs and self._empties(
            context, slot, place, hypothesis.disjoint
        )

    def _empties(self, context: ChangeContext, slot: int, place: Place, disjoint: Disjoint) -> bool:
        """Return True if a rule deletes as many facts as were ever added to a place at once."""
        name, leg = place
        taken = {
            atom[1]
            for atom in context.holds
            if atom[0].name == name and atom[1][leg] == slot and atom in context.deletes
        }
        here = _list_static(context.rule, slot)
        return bool(taken) and all(
            len(_collect_added_with(other, atom, leg)) <= len(taken)
            or any(
                frozenset((one, two)) in disjoint
                for one in here
                for two in _list_static(other.rule, atom[1][leg])
            )
            for other, atom in self.find_adders(name)
        )

    def find_adders(self, name: str) -> Sequence[Change]:
        """Find the atoms that add to a relation."""
        return self._adders.of_relation.get(name, ())

    # --- candidates

    def _make_candidates(self, check: Check) -> Iterator[MutexPair]:
        changing = [relation for relation in self._relations.values() if relation.changes]
        # Groups and links are about elements with facts of several legs. In a grounded domain there
        # are none, but thousands of predicates without parameters, which would all be paired.
        relations = (relation for relation in changing if len(relation.legs) > 1)
        linked = {type_ for relation in relations for kind in relation.kinds for type_ in kind}
        every = [(r.name, leg) for r in changing for leg in range(len(r.legs))]
        places = [place for place in every if not linked.isdisjoint(self._types_at(place))]
        implied = [(r.name, ABSENT) for r in changing if len(r.legs) == 1]
        together: Iterable[tuple[Place, Place]] = chain(
            combinations_with_replacement(places, 2),
            ((one, other) for one in implied for other in places),
        )
        if len(places) * (len(places) // 2 + len(implied)) > MOST_PAIRS:
            known = {*places, *implied}
            near = (pair for pair in self._list_near(check) if known.issuperset(pair))
            together = islice(near, MOST_PAIRS)
        for place in places:
            yield frozenset((place,))
            yield make_at_once_pair(place)
        for one, other in together:
            check()
            if self._may_exclude(one, other):
                yield frozenset((one, other))

    def _may_exclude(self, one: Place, other: Place) -> bool:
        if one[1] == ABSENT:
            return one[0] != other[0] and self._types_at(other) <= self._relations[one[0]].kinds[0]
        return one[0] != other[0] and not self._types_at(one).isdisjoint(self._types_at(other))

    def _list_near(self, check: Check) -> Iterator[tuple[Place, Place]]:
        """List pairs of places at which a rule or an effect mentions one element, none twice."""
        listed: set[tuple[Place, Place]] = set()
        for context, _ in self.contexts:
            at: dict[int, dict[Place, None]] = {}
            for relation, slots in chain(context.holds, context.deletes, context.adds):
                for leg, slot in enumerate(slots):
                    at.setdefault(slot, {})[relation.name, leg] = None
            for one, other in chain.from_iterable(combinations(at[slot], 2) for slot in at):
                check()
                for pair in ((one, other), ((one[0], ABSENT), other), ((other[0], ABSENT), one)):
                    if pair not in listed and pair[::-1] not in listed:
                        listed.add(pair)
                        yield pair

    def _types_at(self, place: Place) -> frozenset[str]:
        return self._relations[place[0]].kinds[place[1]]

    # --- obligations

    def _is_kept(self, pair: MutexPair, hypothesis: InductionHypothesis) -> bool:
        places = sorted(pair)
        if len(places) == 1:
            ((name, leg),) = places
            relation = self._relations[name]
            if leg in relation.keys or len(relation.legs) == 1:
                return True  # a C-set state keeps functional legs and has each fact once
            return self._keeps(places[0], places[0], hypothesis)
        one, other = places
        if one[1] <= AT_ONCE:
            return self._is_filled_at_once(other, hypothesis)
        if one[1] == ABSENT:
            return self._is_implied(one[0], other, hypothesis)
        if other[1] == ABSENT:
            return self._is_implied(other[0], one, hypothesis)
        return self._keeps(one, other, hypothesis) and self._keeps(other, one, hypothesis)

    def _keeps(self, added: Place, other: Place, hypothesis: InductionHypothesis) -> bool:
        for context, atom in self.find_adders(added[0]):
            slot = atom[1][added[1]]
            if added == other and context.is_many(atom, added[1]):
                return False
            if atom in context.holds:
                continue  # it held before
            if self._is_added(context, slot, other, but=atom):
                return False
            if not self.is_gone(context, slot, other, hypothesis):
                return False
        return True

    def _is_filled_at_once(self, place: Place, hypothesis: InductionHypothesis) -> bool:
        name, leg = place
        for context, atom in self.find_adders(name):
            slot = atom[1][leg]
            together = _collect_added_with(context, atom, leg)
            if any(
                another[1] not in together and context.may_be_same(another[1][leg], slot)
                for _, another in self._adders.find(context.rule, name)
            ):
                return False
            if context.is_many(atom, leg) or not self.is_gone(context, slot, place, hypothesis):
                return False
        return True

    def _is_added(self, context: ChangeContext, slot: int, place: Place, but: LiftedAtom) -> bool:
        name, leg = place
        return any(
            atom != but and context.may_be_same(atom[1][leg], slot)
            for _, atom in self._adders.find(context.rule, name)
        )

    def _is_implied(self, fact: str, place: Place, hypothesis: InductionHypothesis) -> bool:
        """Return True if an element with a fact at the place always has the unary fact."""
        name, leg = place
        for context, (_, slots) in self.find_adders(name):
            if not self._is_so_after(context, slots[leg], fact, hypothesis):
                return False
        for context, (relation, slots) in self._deleters.of_relation.get(fact, ()):
            if (relation, slots) in context.adds:
                continue
            if self._is_added(context, slots[0], place, but=(relation, slots)):
                return False
            if not self.is_gone(context, slots[0], place, hypothesis):
                return False
        return True

    def _is_so_after(
        self, context: ChangeContext, slot: int, fact: str, hypothesis: InductionHypothesis
    ) -> bool:
        if any(relation.name == fact and slots == (slot,) for relation, slots in context.adds):
            return True
        if any(
            context.may_be_same(slots[0], slot)
            for _, (_, slots) in self._deleters.find(context.rule, fact)
        ):
            return False
        return any(
            bound == slot
            and (
                relation.name == fact
                or frozenset(((fact, ABSENT), (relation.name, leg))) in hypothesis.pairs
            )
            for relation, slots in context.holds
            for leg, bound in enumerate(slots)
        )


def _make_contexts(rule: LiftedRule) -> Iterator[tuple[ChangeContext, LiftedBody]]:
    body = rule.body
    yield ChangeContext(rule, body.fluent, body.absent, body.delete, body.add), body
    for _, part in rule.effects:
        yield (
            ChangeContext(
                rule,
                (*body.fluent, *part.fluent),
                (*body.absent, *part.absent),
                (*body.delete, *part.delete),
                (*body.add, *part.add),
            ),
            part,
        )


def _collect_added_with(context: ChangeContext, atom: LiftedAtom, leg: int) -> set[tuple[int, ...]]:
    """Collect the slots of the atoms added together with one, with the same slot in a leg."""
    return {
        slots
        for relation, slots in (*context.adds, atom)
        if relation is atom[0] and slots[leg] == atom[1][leg]
    }


def _list_static(rule: LiftedRule, slot: int) -> list[str]:
    """List the unary static relations that a rule requires of a slot."""
    return [relation.name for relation, slots in rule.body.static if slots == (slot,)]


def _is_open(slots: tuple[int, ...], leg: int) -> bool:
    """Return True if a negated condition covers every fact with the element in the leg."""
    others = [slot for position, slot in enumerate(slots) if position != leg]
    return all(slot < 0 for slot in others) and len(set(others)) == len(others)


# --- one state


def find_initially_broken(pairs: Iterable[MutexPair], instance: Instance) -> Iterator[MutexPair]:
    """Find the pairs that some element of a state violates."""
    counts: dict[Place, Counter[int]] = {}

    def count(place: Place) -> Counter[int]:
        name, leg = place
        if place not in counts:
            counts[place] = Counter([legs[leg] for legs in instance.tuples(name).values()])
        return counts[place]

    for pair in pairs:
        places = sorted(pair)
        absent = [name for name, leg in places if leg == ABSENT]
        if places[0][1] <= AT_ONCE:
            broken = any(count > 1 for count in count(places[1]).values())
        elif len(places) == 1:
            broken = any(count > 1 for count in count(places[0]).values())
        elif absent:
            there = next(place for place in places if place[1] != ABSENT)
            broken = not count(there).keys() <= count((absent[0], 0)).keys()
        else:
            broken = not count(places[0]).keys().isdisjoint(count(places[1]).keys())
        if broken:
            yield pair


def find_disjoint_relations(names: Iterable[str], instance: Instance) -> Iterator[frozenset[str]]:
    """Find pairs of unary relations that no element of a state is in both of."""
    having = {name: {legs[0] for legs in instance.tuples(name).values()} for name in names}
    for one, other in combinations(sorted(having), 2):
        if having[one].isdisjoint(having[other]):
            yield frozenset((one, other))
