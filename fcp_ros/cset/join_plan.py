# SPDX-License-Identifier: Apache-2.0
"""Join plans: the steps that find a pattern, with what each of them binds and checks.

A plan depends on the pattern, on which slots are fixed from the start, on whether all must be
different, and on the orders of magnitude of the target's tables, but on nothing else; so it is kept
with the pattern. `Backtracking` evaluates it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

from fcp_ros.cset.instance import Instance
from fcp_ros.cset.morphisms import Pattern, PatternAtom, TableKind
from fcp_ros.cset.relation_table import RelationTable
from fcp_ros.cset.schema import AttributeValue
from fcp_ros.cset.tables import ElementTable, FunctionTable

_DIGITS = 5
"""Number of bits for the order of magnitude of one number."""


@dataclass(frozen=True)
class TableSizes:
    """The size of one table."""

    rows: int
    distinct: tuple[int, ...]  # for each column, how many different elements are in it

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
    """Return the magnitude of a table, which is kept with it."""
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


def join_order(pattern: Pattern, sizes: Sizes, anchored: Collection[int]) -> list[PatternAtom]:
    """Choose a greedy order of the atoms that still have something to bind or to check."""
    costs_of = _Costs(pattern, sizes, set(anchored))
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

    def __init__(self, pattern: Pattern, sizes: Sizes, bound: set[int]) -> None:
        self.pattern = pattern
        self.sizes = sizes
        self.bound = bound

    def is_of_use(self, number: int) -> bool:
        """Return False for the elements of a type if other atoms find them anyway."""
        atom = self.pattern.atoms[number]
        return atom.kind is not TableKind.ELEMENT or atom.slots[0] not in self.pattern.covered

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


_MOST_PLANS = 256
"""Maximum number of plans kept with a pattern."""


@dataclass(frozen=True)
class Bind:
    """The binding of a slot by a step, and the requirements on its image."""

    slot: int
    position: int  # the column of the step's table that holds the image
    accepted: frozenset[str] | None  # the types it may have; None where the table admits no others
    constants: tuple[tuple[str, AttributeValue], ...]  # (attribute, value that it must have)
    distinct: bool  # whether the image must differ from that of other slots


@dataclass(frozen=True)
class JoinStep:
    """Find the rows of a table that agree with what is bound, and bind the rest."""

    atom: PatternAtom
    # (position, slot) of the columns whose slots earlier steps have bound
    bound: tuple[tuple[int, int], ...]
    binds: tuple[Bind, ...]
    # (position, slot) of columns whose slot another column of this step binds
    repeated: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class JoinPlan:
    """The steps that find a pattern."""

    pattern: Pattern
    anchors: tuple[Bind, ...]
    steps: tuple[JoinStep, ...]

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """For each slot, how many are bound before it."""
        ranks = [0] * len(self.pattern.slots)
        for rank, bind in enumerate(self._iterate_binds()):
            ranks[bind.slot] = rank
        return tuple(ranks)

    def _iterate_binds(self) -> Iterator[Bind]:
        yield from self.anchors
        for step in self.steps:
            yield from step.binds


def plan_join(
    pattern: Pattern, monic: bool, anchored: tuple[int, ...], target: Instance
) -> JoinPlan:
    """Return the plan for a search in a target of this size, compiled at the first call.

    `monic`: different slots need different images. `anchored`: the slots that are bound at first.
    """
    magnitudes = [measure_magnitude(target, kind, name) for kind, name in pattern.tables]
    key = (anchored, monic, tuple(magnitudes))
    plan: JoinPlan | None = pattern.plans.get(key)
    if plan is None:
        tables = pattern.tables
        sizes = {(kind, name): measure_sizes(target, kind, name) for kind, name in tables}
        order = join_order(pattern, sizes, anchored)
        plan = _Compiler(pattern, monic, anchored).compile(order)
        if len(pattern.plans) >= _MOST_PLANS:
            pattern.plans.clear()
        pattern.plans[key] = plan
    return plan


class _Compiler:
    """Follows a join order and notes what is bound where."""

    def __init__(self, pattern: Pattern, monic: bool, anchored: tuple[int, ...]) -> None:
        self.pattern = pattern
        self.anchored = anchored
        self.distinct = _find_distinct_slots(pattern) if monic else frozenset[int]()
        self.bound: set[int] = set()

    def compile(self, order: Sequence[PatternAtom]) -> JoinPlan:
        anchors = tuple([self.bind(slot, 0, None) for slot in self.anchored])
        steps = tuple([self.compile_step(atom) for atom in order])
        return JoinPlan(self.pattern, anchors, steps)

    def compile_step(self, atom: PatternAtom) -> JoinStep:
        known = [(at, slot) for at, slot in enumerate(atom.slots) if slot in self.bound]
        binds: list[Bind] = []
        repeated: list[tuple[int, int]] = []
        for position, slot in enumerate(atom.slots):
            if slot not in self.bound:
                binds.append(self.bind(slot, position, atom.declared[position]))
            elif (position, slot) not in known:
                repeated.append((position, slot))
        return JoinStep(atom, tuple(known), tuple(binds), tuple(repeated))

    def bind(self, slot: int, position: int, declared: str | None) -> Bind:
        wanted = self.pattern.slots[slot]
        self.bound.add(slot)
        accepted = None if declared in wanted.accepted else wanted.accepted
        return Bind(slot, position, accepted, wanted.constants, slot in self.distinct)


def _find_distinct_slots(pattern: Pattern) -> frozenset[int]:
    """Find the slots whose images must be compared, as others could have the same."""
    # Two tuples of a pattern differ in some leg, so their legs tell them apart.
    rows = {atom.slots[0] for atom in pattern.atoms if atom.kind is TableKind.RELATION}
    elements = [(at, one.accepted) for at, one in enumerate(pattern.slots) if at not in rows]
    holders = Counter(type_ for _, accepted in elements for type_ in accepted)
    return frozenset(at for at, accepted in elements if any(holders[t] > 1 for t in accepted))
