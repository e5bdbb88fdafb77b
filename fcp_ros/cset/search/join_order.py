# SPDX-License-Identifier: Apache-2.0
"""Join orders: always the atom of least cost next, by the sizes of the target's tables.

The cost is the number of candidates, the average size of an index bucket, times the share of them
that agrees with everything else bound in the row: the other legs of a tuple, the other functions of
an element. That share counts down to an eighth only, since candidates that fail are cheap, but not
free.

Orders are kept under the orders of magnitude of the tables (base 8), so that small changes of a
state do not recompile plans.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.relation_table import RelationTable
from fcp_ros.cset.instance.tables import ElementTable, FunctionTable
from fcp_ros.cset.search.pattern import Pattern, PatternAtom, TableKind

_DIGITS = 5
"""Number of bits for the order of magnitude of one number."""


@dataclass(frozen=True)
class TableSizes:
    """The size of one table.

    Attributes:
        rows: how many there are.
        distinct: for each column, how many different elements are in it.
    """

    rows: int
    distinct: tuple[int, ...]

    @property
    def magnitude(self) -> int:
        """The orders of magnitude of all these numbers, as one number."""
        digits = 0
        for number in (self.rows, *self.distinct):
            digits = digits << _DIGITS | order_of_magnitude(number)
        return digits

    def estimate_candidates(self, position: int) -> float:
        """Estimate the rows with a given element in a column: the average."""
        return self.rows / (self.distinct[position] or 1)


def measure_sizes(target: Instance, kind: TableKind, name: str) -> TableSizes:
    """Measure a table by its hash indexes, which it keeps up to date."""
    if kind is TableKind.RELATION:
        table = target.relation_table(name)
        rows, legs = len(table.rows), range(len(target.schema.relation(name).legs))
        return TableSizes(rows, (rows, *[len(table.index(position)) for position in legs]))
    if kind is TableKind.FUNCTION:
        function = target.function_table(name)
        rows = len(function.values)
        return TableSizes(rows, (rows, len(function.preimages())))
    return _measure_elements(target, name)


def measure_magnitude(target: Instance, kind: TableKind, name: str) -> int:
    """Return the magnitude of a table, which is kept with it.

    Args:
        target: where it is.
        kind: which kind of table.
        name: of the type, function or relation.
    """
    key: object = "magnitude"
    table: ElementTable | FunctionTable | RelationTable
    if kind is TableKind.ELEMENT:
        table, key = target.element_table(), ("magnitude", name)
    else:
        table = _find_table(target, kind, name)
    found = table.derived.get(key)
    if found is None:
        found = table.derived[key] = measure_sizes(target, kind, name).magnitude
    assert isinstance(found, int)
    return found


def order_of_magnitude(number: int) -> int:
    """Return 0 for 0, else one more than the logarithm to base 8, rounded down."""
    return (number.bit_length() + 2) // 3


def _find_table(target: Instance, kind: TableKind, name: str) -> FunctionTable | RelationTable:
    if kind is TableKind.FUNCTION:
        return target.function_table(name)
    return target.relation_table(name)


def _measure_elements(target: Instance, type_: str) -> TableSizes:
    rows = target.element_table().count(type_, target.schema)
    return TableSizes(rows, (rows,))


_LEAST_PART = 1 / 8

Sizes = Mapping[tuple[TableKind, str], TableSizes]


def join_order(
    pattern: Pattern, sizes: Sizes, anchored: Collection[int], allowed: Mapping[int, int]
) -> list[PatternAtom]:
    """Choose a greedy order of the atoms that still have something to bind or to check.

    Args:
        pattern: the slots and atoms.
        sizes: of the tables that the atoms are rows of.
        anchored: the slots that are bound from the start.
        allowed: how many elements some slots may be bound to.
    """
    costs_of = _Costs(pattern, sizes, allowed, set(anchored))
    atoms, bound = pattern.atoms, costs_of.bound
    costs = {n: costs_of.estimate(n) for n in range(len(atoms)) if costs_of.is_of_use(n)}
    heap = [(cost, number) for number, cost in costs.items()]
    heapify(heap)
    order: list[PatternAtom] = []
    while heap:
        cost, best = heappop(heap)
        if costs.get(best) != cost:
            continue  # a stale entry: joined already, or pushed again with another cost
        del costs[best]
        atom = atoms[best]
        if atom.kind is TableKind.ELEMENT and atom.slots[0] in bound:
            continue
        order.append(atom)
        fresh = [slot for slot in atom.slots if slot not in bound]
        bound.update(fresh)
        for number in costs_of.find_affected(fresh):
            if number in costs:
                costs[number] = costs_of.estimate(number)
                heappush(heap, (costs[number], number))
    return order


class _Costs:
    """The cost of joining an atom next, given the slots that are bound."""

    def __init__(
        self, pattern: Pattern, sizes: Sizes, allowed: Mapping[int, int], bound: set[int]
    ) -> None:
        self.pattern = pattern
        self.sizes = sizes
        self.allowed = allowed
        self.bound = bound

    def is_of_use(self, number: int) -> bool:
        """Return False for the elements of a type if other atoms find them anyway."""
        atom = self.pattern.atoms[number]
        if atom.kind is not TableKind.ELEMENT:
            return True
        return atom.slots[0] not in self.pattern.covered or atom.slots[0] in self.allowed

    def find_affected(self, fresh: Iterable[int]) -> set[int]:
        """Find the atoms whose costs depend on whether these slots are bound."""
        touched = {number for slot in fresh for number in self.pattern.touching[slot]}
        return touched.union(*(self.pattern.mates[number] for number in touched))

    def estimate(self, number: int) -> float:
        """Estimate the cost of an atom; 0 if it is only a check."""
        atom, bound = self.pattern.atoms[number], self.bound
        first, *others = atom.slots
        if first in bound or (
            others and atom.kind is TableKind.RELATION and bound.issuperset(others)
        ):
            return 0.0
        if atom.kind is TableKind.ELEMENT and first in self.allowed:
            return self.allowed[first]
        table = self.sizes[atom.kind, atom.name]
        known = [at for at, slot in enumerate(atom.slots) if slot in bound]
        if not known:
            return table.rows
        candidates = [table.estimate_candidates(position) for position in known]
        part = self._estimate_mates(number)
        for one in candidates:
            part *= one / (table.rows or 1)
        best = min(candidates)
        return best * max(_LEAST_PART, part * (table.rows or 1) / (best or 1))

    def _estimate_mates(self, number: int) -> float:
        """Estimate the share of elements with the bound values in their other functions."""
        part = 1.0
        for mate in self.pattern.mates[number]:
            atom = self.pattern.atoms[mate]
            if atom.slots[1] in self.bound:
                part /= self.sizes[atom.kind, atom.name].distinct[1] or 1
        return part
