# SPDX-License-Identifier: Apache-2.0
"""Facts about one element that never hold together, proven over a domain's rules.

A *place* is a leg of a relation that changes; an element has the facts there that name it in that
leg. Two places are *apart* for an element if never a fact of each holds (an item that is held lies
nowhere); a place is apart from itself if never two of its facts hold (an item lies at one spot
only). The absence of a fact of a relation with one leg is a place, too: what is apart from it
implies the fact. A place is *filled at once* if nothing is added there where something is already:
a thing may take one slot of a bag, or two if it is larger, but all at once.

Proved by induction over the rules, for each element by itself: a rule that adds a fact at a place
must make sure that none is left at the places that are apart from it, and may count on all that is
apart before. So what is found is the greatest set of pairs that supports itself. (Invariant
synthesis as in Helmert, Concise finite-domain representations for PDDL planning tasks, 2009, with
pairs that support one another in place of one weight.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from fcp_ros.planning.task.lifted import Part, RelationShape, RuleShape, SlotAtom

Place = tuple[str, int]
"""Name of a relation that changes, number of a leg; ABSENT: that the fact does not hold."""
ABSENT = -1
AT_ONCE = -2
"""(relation, AT_ONCE - leg) beside a place says that it is filled at once."""

Pair = frozenset[Place]
"""Two places that are apart, or one that is apart from itself; or what is said of one place."""

Disjoint = Collection[frozenset[str]]
"""Pairs of static relations with one leg of which no element has both facts."""


def filled_at_once(place: Place) -> Pair:
    """The pair that says that a place is filled at once."""
    return frozenset((place, (place[0], AT_ONCE - place[1])))


@dataclass(frozen=True, slots=True)
class Context:
    """What is known where a rule, or one of its effects, changes something.

    Attributes:
        shape: the rule.
        holds, lacks: positive and negated conditions on what changes.
        deletes: what is surely deleted.
        adds: what is surely added.
    """

    shape: RuleShape
    holds: Sequence[SlotAtom]
    lacks: Sequence[SlotAtom]
    deletes: Collection[SlotAtom]
    adds: Sequence[SlotAtom]

    def may_be_same(self, one: int, other: int) -> bool:
        """Whether two slots may be one element: parameters never are."""
        parameters = len(self.shape.types)
        return one == other or one >= parameters or other >= parameters

    def is_many(self, atom: SlotAtom, leg: int) -> bool:
        """Whether an atom may stand for several facts with the same element in a leg."""
        parameters = len(self.shape.types)
        others = (slot for position, slot in enumerate(atom[1]) if position != leg)
        return any(slot >= parameters for slot in others)


class Proof:
    """Finds pairs of places that stay apart once they are.

    Attributes:
        contexts: the rules and their effects, each with what it changes itself.

    Args:
        rules: the domain's rules.
        relations: its relations, by name.
    """

    def __init__(self, rules: Sequence[RuleShape], relations: Mapping[str, RelationShape]) -> None:
        self._relations = relations
        self.contexts = [context for shape in rules for context in _contexts(shape)]
        self._adds = [(c, atom) for c, part in self.contexts for atom in part.add]
        self._deletes = [(c, atom) for c, part in self.contexts for atom in part.delete]
        self._candidates = frozenset(self._all())

    def without(self, broken: Collection[Pair], disjoint: Disjoint) -> frozenset[Pair]:
        """The pairs that stay apart, given that some are not so at first."""
        self._disjoint = disjoint
        pairs = set(self._candidates.difference(broken))
        while True:
            wrong = [pair for pair in pairs if not self._is_kept(pair, pairs)]
            if not wrong:
                return frozenset(pairs)
            pairs.difference_update(wrong)

    def is_gone(self, context: Context, slot: int, place: Place, pairs: Collection[Pair]) -> bool:
        """Whether no fact of an element at a place survives a change, given what was apart.

        Args:
            context: of the change.
            slot: binds the element.
            place: where nothing must be left.
            pairs: what was apart before.
        """
        name, leg = place
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
        return filled_at_once(place) in pairs and self._empties(context, slot, place)

    def _empties(self, context: Context, slot: int, place: Place) -> bool:
        """Whether a rule takes away as much as was ever put at a place at once."""
        name, leg = place
        taken = {
            atom[1]
            for atom in context.holds
            if atom[0].name == name and atom[1][leg] == slot and atom in context.deletes
        }
        here = _static_of(context.shape, slot)
        return bool(taken) and all(
            len(_added_with(other, atom, leg)) <= len(taken)
            or any(
                frozenset((one, two)) in self._disjoint
                for one in here
                for two in _static_of(other.shape, atom[1][leg])
            )
            for other, atom in self.adding(name)
        )

    def adding(self, name: str) -> Iterator[tuple[Context, SlotAtom]]:
        """All that adds to a relation."""
        return ((context, atom) for context, atom in self._adds if atom[0].name == name)

    # --- candidates

    def _all(self) -> Iterator[Pair]:
        changing = [relation for relation in self._relations.values() if relation.changes]
        places = [(r.name, leg) for r in changing for leg in range(len(r.legs))]
        for one, other in combinations_with_replacement(places, 2):
            same = one[0] == other[0] and one != other  # two legs of one fact
            if not same and not self._kinds(one).isdisjoint(self._kinds(other)):
                yield frozenset((one, other))
        for place in places:
            yield filled_at_once(place)
        for relation in changing:
            if len(relation.legs) == 1:
                for place in places:
                    if place[0] != relation.name and self._kinds(place) <= relation.kinds[0]:
                        yield frozenset(((relation.name, ABSENT), place))

    def _kinds(self, place: Place) -> frozenset[str]:
        return self._relations[place[0]].kinds[place[1]]

    # --- obligations

    def _is_kept(self, pair: Pair, pairs: Collection[Pair]) -> bool:
        places = sorted(pair)
        if len(places) == 1:
            ((name, leg),) = places
            relation = self._relations[name]
            if leg in relation.keys or len(relation.legs) == 1:
                return True  # the state itself sees to that
            return self._keeps(places[0], places[0], pairs)
        one, other = places
        if one[1] <= AT_ONCE:
            return self._is_filled_at_once(other, pairs)
        if one[1] == ABSENT:
            return self._implied(one[0], other, pairs)
        if other[1] == ABSENT:
            return self._implied(other[0], one, pairs)
        return self._keeps(one, other, pairs) and self._keeps(other, one, pairs)

    def _keeps(self, added: Place, other: Place, pairs: Collection[Pair]) -> bool:
        """Whether nothing is left at a place when a fact of another one is added."""
        for context, atom in self.adding(added[0]):
            slot = atom[1][added[1]]
            if added == other and context.is_many(atom, added[1]):
                return False
            if atom in context.holds:
                continue  # it was there before
            if self._is_added(context, slot, other, but=atom):
                return False
            if not self.is_gone(context, slot, other, pairs):
                return False
        return True

    def _is_filled_at_once(self, place: Place, pairs: Collection[Pair]) -> bool:
        name, leg = place
        for context, atom in self.adding(name):
            slot = atom[1][leg]
            together = _added_with(context, atom, leg)
            if any(
                other.shape is context.shape
                and another[1] not in together
                and context.may_be_same(another[1][leg], slot)
                for other, another in self.adding(name)
            ):
                return False
            if context.is_many(atom, leg) or not self.is_gone(context, slot, place, pairs):
                return False
        return True

    def _is_added(self, context: Context, slot: int, place: Place, but: SlotAtom) -> bool:
        """Whether the same rule may also add another fact of the element at a place."""
        name, leg = place
        return any(
            atom != but and context.may_be_same(atom[1][leg], slot)
            for other, atom in self.adding(name)
            if other.shape is context.shape
        )

    def _implied(self, fact: str, place: Place, pairs: Collection[Pair]) -> bool:
        """Whether who has a fact at the place has the one of the relation with one leg."""
        name, leg = place
        for context, (_, slots) in self.adding(name):
            if not self._is_so_after(context, slots[leg], fact, pairs):
                return False
        for context, (relation, slots) in self._deletes:
            if relation.name != fact or (relation, slots) in context.adds:
                continue
            if self._is_added(context, slots[0], place, but=(relation, slots)):
                return False
            if not self.is_gone(context, slots[0], place, pairs):
                return False
        return True

    def _is_so_after(self, context: Context, slot: int, fact: str, pairs: Collection[Pair]) -> bool:
        """Whether an element surely has the fact of a relation with one leg after a change."""
        if any(relation.name == fact and slots == (slot,) for relation, slots in context.adds):
            return True
        if any(
            relation.name == fact and context.may_be_same(slots[0], slot)
            for other, (relation, slots) in self._deletes
            if other.shape is context.shape
        ):
            return False
        return any(
            bound == slot
            and (
                relation.name == fact or frozenset(((fact, ABSENT), (relation.name, leg))) in pairs
            )
            for relation, slots in context.holds
            for leg, bound in enumerate(slots)
        )


def _contexts(shape: RuleShape) -> Iterator[tuple[Context, Part]]:
    """A rule and its effects, each with what is known where it changes something."""
    body = shape.body
    yield Context(shape, body.fluent, body.absent, body.delete, body.add), body
    for _, part in shape.effects:
        yield (
            Context(
                shape,
                (*body.fluent, *part.fluent),
                (*body.absent, *part.absent),
                (*body.delete, *part.delete),
                (*body.add, *part.add),
            ),
            part,
        )


def _added_with(context: Context, atom: SlotAtom, leg: int) -> set[tuple[int, ...]]:
    """The slots of all that is added together with an atom, with the same slot in a leg."""
    return {
        slots
        for relation, slots in (*context.adds, atom)
        if relation is atom[0] and slots[leg] == atom[1][leg]
    }


def _static_of(shape: RuleShape, slot: int) -> list[str]:
    """The static relations with one leg that a rule asks for at a slot."""
    return [relation.name for relation, slots in shape.body.static if slots == (slot,)]


def _is_open(slots: tuple[int, ...], leg: int) -> bool:
    """Whether a negated condition speaks of every fact with the element in the leg."""
    others = [slot for position, slot in enumerate(slots) if position != leg]
    return all(slot < 0 for slot in others) and len(set(others)) == len(others)
