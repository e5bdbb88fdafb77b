# SPDX-License-Identifier: Apache-2.0
"""The order in which a pattern's atoms are joined: always the one with the fewest candidates next.

The number of candidates is exact for what is bound from the start, and the average size of an index
bucket for what earlier atoms bind.
"""

from collections.abc import Collection, Mapping
from heapq import heapify, heappop, heappush

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.search.pattern import Atom, ElementAtom, FunctionAtom, Pattern, RelationAtom


def join_order(
    pattern: Pattern,
    target: Instance,
    anchored: Mapping[int, int],
    allowed: Mapping[int, Collection[int]],
) -> list[Atom]:
    """A greedy order of the atoms that still have something to bind or to check.

    Args:
        pattern: the slots and atoms.
        target: where the pattern is to be found.
        anchored: what some slots are bound to from the start.
        allowed: the only elements that some slots may be bound to.
    """
    atoms = pattern.atoms
    estimate = _Estimate(pattern, target, anchored, allowed)
    touching: dict[int, list[int]] = {}
    for number, atom in enumerate(atoms):
        for slot in atom.slots:
            touching.setdefault(slot, []).append(number)
    bound = set(anchored)
    costs = {number: estimate.candidates(atom, bound) for number, atom in enumerate(atoms)}
    heap = [(cost, number) for number, cost in costs.items()]
    heapify(heap)
    order: list[Atom] = []
    while heap:
        cost, best = heappop(heap)
        if costs.get(best) != cost:
            continue  # done already, or its cost has changed since and it is in the heap again
        del costs[best]
        atom = atoms[best]
        if isinstance(atom, ElementAtom) and atom.slot in bound:
            continue
        order.append(atom)
        fresh = [slot for slot in atom.slots if slot not in bound]
        bound.update(fresh)
        for number in {n for slot in fresh for n in touching[slot] if n in costs}:
            costs[number] = estimate.candidates(atoms[number], bound)
            heappush(heap, (costs[number], number))
    return order


class _Estimate:
    """How many candidates an atom has, given which slots are bound."""

    def __init__(
        self,
        pattern: Pattern,
        target: Instance,
        anchored: Mapping[int, int],
        allowed: Mapping[int, Collection[int]],
    ) -> None:
        self.pattern = pattern
        self.target = target
        self.anchored = anchored
        self.allowed = allowed

    def candidates(self, atom: Atom, bound: set[int]) -> float:
        if isinstance(atom, RelationAtom):
            return self._of_relation(atom, bound)
        if isinstance(atom, FunctionAtom):
            return self._of_function(atom, bound)
        if atom.slot in bound:
            return 0.0
        if atom.slot in self.allowed:
            return len(self.allowed[atom.slot])
        return len(self.target.elements(self.pattern.slots[atom.slot].type))

    def _of_relation(self, atom: RelationAtom, bound: set[int]) -> float:
        if atom.row in bound or bound.issuperset(atom.legs):
            return 0.0
        table = self.target.relation_table(atom.relation)
        count = float(len(table.rows))
        for position, slot in enumerate(atom.legs):
            if slot in bound and count > 0.0:
                index = table.index(position)
                anchor = self.anchored.get(slot)
                size = (
                    len(table.rows) / len(index) if anchor is None else len(index.get(anchor, ()))
                )
                count = min(count, size)
        return count

    def _of_function(self, atom: FunctionAtom, bound: set[int]) -> float:
        if atom.argument in bound:
            return 0.0
        table = self.target.function_table(atom.function)
        if atom.value not in bound or not table.values:
            return len(table.values)
        anchor = self.anchored.get(atom.value)
        preimages = table.preimages()
        if anchor is None:
            return len(table.values) / len(preimages)
        return len(preimages.get(anchor, ()))
