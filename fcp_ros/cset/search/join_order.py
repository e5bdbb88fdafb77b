# SPDX-License-Identifier: Apache-2.0
"""The order in which a pattern's atoms are joined: always the one with the fewest candidates next.

The number of candidates is the average size of an index bucket in the tables of the target.
"""

from collections.abc import Collection, Mapping
from heapq import heapify, heappop, heappush

from fcp_ros.cset.search.pattern import Atom, AtomKind, Pattern
from fcp_ros.cset.search.table_sizes import TableSizes

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
    atoms = pattern.atoms
    bound = set(anchored)
    costs = {n: _candidates(atom, bound, sizes, allowed) for n, atom in enumerate(atoms)}
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
        for number in {n for slot in fresh for n in pattern.touching[slot] if n in costs}:
            costs[number] = _candidates(atoms[number], bound, sizes, allowed)
            heappush(heap, (costs[number], number))
    return order


def _candidates(atom: Atom, bound: set[int], sizes: Sizes, allowed: Mapping[int, int]) -> float:
    """How many rows the atom may be, given which slots are bound; 0 where it is but a check."""
    first, *legs = atom.slots
    if first in bound or (legs and atom.kind is AtomKind.RELATION and bound.issuperset(legs)):
        return 0.0
    table = sizes[atom.kind, atom.name]
    if atom.kind is AtomKind.ELEMENT:
        return min(table.rows, allowed.get(first, table.rows))
    known = [
        table.candidates(position) for position, slot in enumerate(atom.slots) if slot in bound
    ]
    return min(known, default=float(table.rows))
