# SPDX-License-Identifier: Apache-2.0
"""The elements that are tried: a few of each type, and none that can never get somewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from fcp_ros.planning.relevance.facts import FactTable
from fcp_ros.planning.task.lifted import LiftedAtom, LiftedDomain, LiftedRelation, Trigger

ELEMENTS = 8
"""Number of elements that are tried initially."""
NEIGHBOURS = 64
"""Number of nearby elements that are looked at."""
MET = 2
"""Number of elements of each type that come first because operators mention them."""
NEARBY = 4
"""Number of nearby elements that come first."""


class ElementChoice:
    """Chooses elements."""

    def __init__(self, lifted: LiftedDomain, facts: FactTable) -> None:
        self._instance = facts.instance
        self._facts = facts
        self._below = lifted.below
        self._links = tuple(r for r in lifted.relations.values() if not r.changes)
        self._linked: dict[int, tuple[int, ...]] = {}
        self._near: dict[tuple[int, str], _Replay] = {}
        self._met: set[int] = set()
        self._touched: dict[str, list[int]] = {}

    def touch(self, elements: Iterable[int]) -> None:
        """Say that an operator speaks of the elements."""
        for element in elements:
            if element not in self._met:
                self._met.add(element)
                self._touched.setdefault(self._instance.type_of(element), []).append(element)

    def some(
        self,
        type_: str,
        limit: int,
        centres: Sequence[int],
        nearest_first: bool,
        may_be: Callable[[int], bool],
    ) -> _ElementSample:
        """A few elements of a type."""
        below = self._below(type_)
        met = tuple(
            chain.from_iterable(
                islice(self._touched[own], limit * MET)
                for own in sorted(below & self._touched.keys())
            )
        )
        near = islice(self._nearby(centres, type_), limit * NEARBY)
        first = chain(near, met) if nearest_first else chain(met, near)
        elements = self._instance.elements
        kinds = [elements(own, subtypes=False) for own in sorted(below)]
        return _ElementSample(first, kinds, limit, may_be)

    def _nearby(self, centres: Iterable[int], type_: str) -> Iterator[int]:
        """Elements of a type that are one or two static links away from what is bound."""
        for centre in dict.fromkeys(centres):
            near = self._near.get((centre, type_))
            if near is None:
                near = self._near[centre, type_] = _Replay(self._find_near(centre, type_))
            yield from near

    def _find_near(self, centre: int, type_: str) -> Iterator[int]:
        below = self._below(type_)
        for middle in self._list_linked(centre):
            for end in chain((middle,), self._list_linked(middle)):
                if end != centre and self._instance.type_of(end) in below:
                    yield end

    def _list_linked(self, element: int) -> tuple[int, ...]:
        found = self._linked.get(element)
        if found is None:
            found = tuple(islice(self._find_linked(element), NEIGHBOURS))
            self._linked[element] = found
        return found

    def _find_linked(self, element: int) -> Iterator[int]:
        own = self._instance.type_of(element)
        for relation in self._links:
            for position, kinds in enumerate(relation.kinds):
                if own in kinds:
                    for elements in self._facts.find_initial(relation, ((position, element),)):
                        yield from (other for other in elements if other != element)


class _Replay:
    """An iterator that can be read again: each value is computed once, when it is first needed.

    Mostly few values are read; but where nothing near is of the type, all ends of thousands of
    links are looked at to find none, for each of thousands of bindings (agricola, IPC-2018).
    """

    def __init__(self, values: Iterator[int]) -> None:
        self._known: list[int] = []
        self._rest = values

    def __iter__(self) -> Iterator[int]:
        number = 0
        while True:
            # Another reader may have gone further meanwhile.
            while number < len(self._known):
                yield self._known[number]
                number += 1
            for value in self._rest:
                self._known.append(value)
                break
            else:
                return


class _ElementSample:
    """A few elements, each once."""

    def __init__(
        self,
        first: Iterable[int],
        kinds: Sequence[Sequence[int]],
        limit: int,
        may_be: Callable[[int], bool],
    ) -> None:
        self._first = first
        self._kinds = kinds
        self._limit = limit
        self._may_be = may_be
        self._seen: set[int] = set()

    def __iter__(self) -> Iterator[int]:
        each = (islice(filter(self._is_new, kind), self._limit) for kind in self._kinds)
        found = chain(filter(self._is_new, self._first), chain.from_iterable(each))
        return islice(found, ELEMENTS * self._limit)

    def _is_new(self, element: int) -> bool:
        if element in self._seen:
            return False
        self._seen.add(element)
        return self._may_be(element)


# --- bounds on where an element can ever get: a truck never leaves its city
#
# An element is *confined* in a leg of a relation if all rules that give it a fact there go on from
# another fact of it there, and only static conditions say where to (moves). Then those that it may
# ever have follow from those that it has initially, without a look at anything else. Where there
# are many such elements (a truck in each city), nearly all pairs of one with a place are out of
# reach, and so is every operator that asks for one of them.


CROWD = 3
"""With no more elements of a type than this, it is not worth the effort."""


@dataclass(frozen=True, eq=False, slots=True)
class ConfinedMove:
    """A way to get on."""

    trigger: Trigger
    mover: int
    start: int
    end: int
    anywhere: bool  # whether no condition says where to, given where from


Ends = Collection[int]


class Reach:
    """Facts that can never hold."""

    def __init__(self, lifted: LiftedDomain, facts: FactTable) -> None:
        self._lifted = lifted
        self._facts = facts
        self._moves: dict[tuple[int, int, str], Sequence[ConfinedMove] | None] = {}
        self._places: dict[tuple[int, int, int], Collection[int] | None] = {}
        # By relation, the legs in which some element may be confined.
        self._legs = {
            relation.number: legs
            for relation in lifted.relations.values()
            if relation.moves and len(relation.legs) == 2
            if (legs := tuple(leg for leg in range(2) if self._may_confine(relation, leg)))
        }
        self.confining = bool(self._legs)

    def of(self, atoms: Iterable[LiftedAtom]) -> tuple[LiftedAtom, ...]:
        """Return those of some conditions that may turn out never to hold."""
        if not self._legs:
            return ()
        return tuple([atom for atom in atoms if atom[0].number in self._legs])

    def excludes(self, relation: LiftedRelation, elements: Sequence[int]) -> bool:
        """Return True if a fact is sure never to hold."""
        for leg in self._legs.get(relation.number, ()):
            places = self._places_of(relation, leg, elements[leg])
            if places is not None and elements[1 - leg] not in places:
                return True
        return False

    def _may_confine(self, relation: LiftedRelation, leg: int) -> bool:
        return any(self._moves_of(relation, leg, own) is not None for own in relation.kinds[leg])

    def _moves_of(
        self, relation: LiftedRelation, leg: int, own: str
    ) -> Sequence[ConfinedMove] | None:
        """Return the moves of elements of a type; None if not confined, or not worth it."""
        key = (relation.number, leg, own)
        if key not in self._moves:
            self._moves[key] = self._find_moves(relation, leg, own)
        return self._moves[key]

    def _find_moves(
        self, relation: LiftedRelation, leg: int, own: str
    ) -> Sequence[ConfinedMove] | None:
        if self._facts.instance.count(own) <= CROWD:
            return None
        moves = []
        for trigger in self._lifted.adders.get(relation.name, ()):
            if own in self._lifted.below(trigger.types[trigger.slots[leg]]):
                move = _move(trigger, relation, leg)
                if move is None:
                    return None
                moves.append(move)
        return moves or None

    def _places_of(
        self, relation: LiftedRelation, leg: int, element: int
    ) -> Collection[int] | None:
        key = (relation.number, leg, element)
        if key not in self._places:
            own = self._facts.instance.type_of(element)
            moves = self._moves_of(relation, leg, own)
            there = self._facts.find_initial(relation, ((leg, element),))
            first = [legs[1 - leg] for legs in there]
            self._places[key] = None if moves is None else self._grow(first, moves, element)
        return self._places[key]

    def _grow(self, first: Ends, moves: Sequence[ConfinedMove], mover: int) -> Collection[int]:
        found = dict.fromkeys(first)
        waiting = list(found)
        settled: set[ConfinedMove] = set()
        while waiting:
            start = waiting.pop()
            for move in moves:
                if move in settled:
                    continue
                if move.anywhere:
                    settled.add(move)
                for end in self._ends(move, mover, start):
                    if end not in found:
                        found[end] = None
                        waiting.append(end)
        return found.keys()

    def _ends(self, move: ConfinedMove, mover: int, start: int) -> Ends:
        """Return the ends of one move; an end may occur several times."""
        trigger, facts = move.trigger, self._facts
        below, type_of = self._lifted.below, facts.instance.type_of
        if move.anywhere:
            return facts.instance.elements(trigger.types[move.end])
        if type_of(start) not in below(trigger.types[move.start]):
            return ()
        bindings = [{move.mover: mover, move.start: start}]
        for relation, slots in trigger.static:
            bindings = [
                {**binding, **dict(zip(slots, elements, strict=True))}
                for binding in bindings
                for elements in facts.find_initial(
                    relation, tuple([(p, binding[s]) for p, s in enumerate(slots) if s in binding])
                )
            ]
        return [binding[move.end] for binding in bindings]


def _move(trigger: Trigger, relation: LiftedRelation, leg: int) -> ConfinedMove | None:
    """Find the move of an element in a leg; None if a rule may put it there from nowhere."""
    mover, end = trigger.slots[leg], trigger.slots[1 - leg]
    for other, slots in trigger.fluent:
        if other is relation and slots[leg] == mover and slots[1 - leg] != mover:
            start = slots[1 - leg]
            path = _path(trigger.static, {mover, start})
            anywhere = end != start and not any(end in slots for _, slots in path)
            bare = replace(trigger, static=tuple(path), fluent=())
            return ConfinedMove(bare, mover, start, end, anywhere)
    return None


def _path(static: Iterable[LiftedAtom], known: set[int]) -> list[LiftedAtom]:
    """Conditions in an order in which each has a slot in common with what is known before."""
    waiting = list(static)
    path: list[LiftedAtom] = []
    known = set(known)
    while True:
        found = next((atom for atom in waiting if not known.isdisjoint(atom[1])), None)
        if found is None:
            return path
        waiting.remove(found)
        path.append(found)
        known |= set(found[1])
