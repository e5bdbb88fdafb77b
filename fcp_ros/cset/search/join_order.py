# SPDX-License-Identifier: Apache-2.0
"""The order in which a pattern's atoms are joined: always the one with the least cost next.

The cost is the number of candidates, the average size of an index bucket in the tables of the
target, times the part of them that agrees with whatever else is bound in the row: in the other legs
of a tuple, in the other functions of an element. That part counts down to an eighth only, since
candidates that fail are cheap, but not free.
"""

from collections.abc import Collection, Iterable, Mapping
from heapq import heapify, heappop, heappush

from fcp_ros.cset.search.pattern import Atom, AtomKind, Pattern
from fcp_ros.cset.search.table_sizes import TableSizes

_LEAST_PART = 1 / 8

Sizes = Mapping[tuple[AtomKind, str], TableSizes]


def join_order(
    pattern: Pattern, sizes: Sizes, anchored: Collection[int], allowed: Mapping[int, int]
) -> list[Atom]:
    """A greedy order of the atoms that still have something to bind or to check.

    Args:
        pattern: the slots and atoms.
        sizes: of the tables that the atoms are rows of.
        anchored: the slots that are bound from the start.
        allowed: how many elements some slots may be bound to.
    """
    costs_of = _Costs(pattern, sizes, allowed, set(anchored))
    atoms, bound = pattern.atoms, costs_of.bound
    costs = {n: costs_of.atom(n) for n in range(len(atoms)) if costs_of.is_of_use(n)}
    heap = [(cost, number) for number, cost in costs.items()]
    heapify(heap)
    order: list[Atom] = []
    while heap:
        cost, best = heappop(heap)
        if costs.get(best) != cost:
            continue  # done already, or its cost has changed since and it is in the heap again
        del costs[best]
        atom = atoms[best]
        if atom.kind is AtomKind.ELEMENT and atom.slots[0] in bound:
            continue
        order.append(atom)
        fresh = [slot for slot in atom.slots if slot not in bound]
        bound.update(fresh)
        for number in costs_of.changed_by(fresh):
            if number in costs:
                costs[number] = costs_of.atom(number)
                heappush(heap, (costs[number], number))
    return order


class _Costs:
    """What it costs to join an atom next, given which slots are bound."""

    def __init__(
        self, pattern: Pattern, sizes: Sizes, allowed: Mapping[int, int], bound: set[int]
    ) -> None:
        self.pattern = pattern
        self.sizes = sizes
        self.allowed = allowed
        self.bound = bound

    def is_of_use(self, number: int) -> bool:
        """Whether an atom is more than the elements of a type that other atoms find anyway."""
        atom = self.pattern.atoms[number]
        if atom.kind is not AtomKind.ELEMENT:
            return True
        return atom.slots[0] not in self.pattern.covered or atom.slots[0] in self.allowed

    def changed_by(self, fresh: Iterable[int]) -> set[int]:
        """The atoms whose costs depend on whether these slots are bound."""
        touched = {number for slot in fresh for number in self.pattern.touching[slot]}
        return touched.union(*(self.pattern.mates[number] for number in touched))

    def atom(self, number: int) -> float:
        """The cost of an atom; 0 where it is but a check."""
        atom, bound = self.pattern.atoms[number], self.bound
        first, *others = atom.slots
        if first in bound or (
            others and atom.kind is AtomKind.RELATION and bound.issuperset(others)
        ):
            return 0.0
        if atom.kind is AtomKind.ELEMENT and first in self.allowed:
            return self.allowed[first]
        table = self.sizes[atom.kind, atom.name]
        known = [at for at, slot in enumerate(atom.slots) if slot in bound]
        if not known:
            return table.rows
        candidates = [table.candidates(position) for position in known]
        part = self._agreeing_mates(number)
        for one in candidates:
            part *= one / (table.rows or 1)
        best = min(candidates)
        return best * max(_LEAST_PART, part * (table.rows or 1) / (best or 1))

    def _agreeing_mates(self, number: int) -> float:
        """The part of the elements that have the bound values in their other functions."""
        part = 1.0
        for mate in self.pattern.mates[number]:
            atom = self.pattern.atoms[mate]
            if atom.slots[1] in self.bound:
                part /= self.sizes[atom.kind, atom.name].distinct[1] or 1
        return part
