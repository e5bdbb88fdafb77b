# SPDX-License-Identifier: Apache-2.0
"""Join plans: the steps that find a pattern, with what each of them binds and checks.

A plan depends on the pattern, on which slots are fixed or restricted from the start, on what must
be different, on which variables are compared, and on the orders of magnitude of the target's
tables, but on nothing else; so it is kept with the pattern. `Backtracking` evaluates it.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from fcp_ros.cset.instance.expressions import ValueComparison, variables_of
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.schema.schema import AttributeValue, Schema
from fcp_ros.cset.search.join_order import (
    join_order,
    measure_magnitude,
    measure_sizes,
    order_of_magnitude,
)
from fcp_ros.cset.search.pattern import Pattern, PatternAtom, TableKind

_MOST_PLANS = 256
"""Maximum number of plans kept with a pattern."""

Monic = bool | frozenset[str]


@dataclass(frozen=True)
class Query:
    """The options of a search for a pattern.

    Attributes:
        monic: whether different slots need different images, or the types for which they do.
        anchored: the slots that are bound from the start.
        allowed: the slots that have a set of allowed images.
        where: what must hold of the values of variables.
    """

    monic: Monic
    anchored: tuple[int, ...]
    allowed: Mapping[int, Set[int]]
    where: tuple[ValueComparison, ...]

    @property
    def compared(self) -> tuple[frozenset[str], ...]:
        """The variables that each comparison is about."""
        return tuple([variables_of(c.left) | variables_of(c.right) for c in self.where])


@dataclass(frozen=True)
class Bind:
    """The binding of a slot by a step, and the requirements on its image.

    Attributes:
        slot: the slot.
        position: the column of the step's table that holds the image.
        accepted: the types it may have; None where the table admits no others.
        allowed: whether the search has a set of allowed images.
        constants: (attribute, value that it must have).
        variables: (attribute, variable, whether this is where the variable gets its value).
        distinct: whether the image must differ from that of other slots.
    """

    slot: int
    position: int
    accepted: frozenset[str] | None
    allowed: bool
    constants: tuple[tuple[str, AttributeValue], ...]
    variables: tuple[tuple[str, str, bool], ...]
    distinct: bool


@dataclass(frozen=True)
class JoinStep:
    """Find the rows of a table that agree with what is bound, and bind the rest.

    Attributes:
        atom: the table.
        bound: (position, slot) of the columns whose slots earlier steps have bound.
        binds: the slots that this step binds.
        repeated: (position, slot) of columns whose slot another column of this step binds.
        where: indexes of the comparisons that can be checked from here on.
    """

    atom: PatternAtom
    bound: tuple[tuple[int, int], ...]
    binds: tuple[Bind, ...]
    repeated: tuple[tuple[int, int], ...]
    where: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class JoinPlan:
    """The steps that find a pattern.

    Attributes:
        pattern: what is found.
        anchors: the slots that are bound from the start.
        where: indexes of the comparisons that can be checked at the start.
        steps: in order.
        compared: the variables that each comparison is about.
    """

    pattern: Pattern
    anchors: tuple[Bind, ...]
    where: tuple[int, ...]
    steps: tuple[JoinStep, ...]
    compared: tuple[frozenset[str], ...] = ()

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


def plan_join(pattern: Pattern, query: Query, target: Instance) -> JoinPlan:
    """Return the plan for a query over a target of this size, compiled at the first call.

    Args:
        pattern: what to find.
        query: what is asked of it.
        target: where.
    """
    allowed = {slot: len(images) for slot, images in query.allowed.items()}
    key = (
        query.anchored,
        query.monic,
        query.compared,
        tuple([measure_magnitude(target, kind, name) for kind, name in pattern.tables]),
        tuple([(slot, order_of_magnitude(size)) for slot, size in allowed.items()]),
    )
    plan: JoinPlan | None = pattern.plans.get(key)
    if plan is None:
        tables = pattern.tables
        sizes = {(kind, name): measure_sizes(target, kind, name) for kind, name in tables}
        order = join_order(pattern, sizes, query.anchored, allowed)
        plan = _Compiler(pattern, query, target.schema).compile(order)
        if len(pattern.plans) >= _MOST_PLANS:
            pattern.plans.clear()
        pattern.plans[key] = plan
    return plan


class _Compiler:
    """Follows a join order and notes what is bound where."""

    def __init__(self, pattern: Pattern, query: Query, schema: Schema) -> None:
        self.pattern = pattern
        self.allowed = query.allowed
        self.anchored = query.anchored
        self.compared = query.compared
        self.undecided = list(range(len(query.where)))
        self.distinct = _find_distinct_slots(pattern, query.monic, schema)
        self.bound: set[int] = set()
        self.variables: set[str] = set()

    def compile(self, order: Sequence[PatternAtom]) -> JoinPlan:
        anchors = tuple([self.bind(slot, 0, None) for slot in self.anchored])
        where = self.take_decidable()
        steps = tuple([self.compile_step(atom) for atom in order])
        return JoinPlan(self.pattern, anchors, where, steps, self.compared)

    def compile_step(self, atom: PatternAtom) -> JoinStep:
        known = [(at, slot) for at, slot in enumerate(atom.slots) if slot in self.bound]
        binds: list[Bind] = []
        repeated: list[tuple[int, int]] = []
        for position, slot in enumerate(atom.slots):
            if slot not in self.bound:
                binds.append(self.bind(slot, position, atom.declared[position]))
            elif (position, slot) not in known:
                repeated.append((position, slot))
        return JoinStep(atom, tuple(known), tuple(binds), tuple(repeated), self.take_decidable())

    def bind(self, slot: int, position: int, declared: str | None) -> Bind:
        wanted = self.pattern.slots[slot]
        self.bound.add(slot)
        variables = []
        for attribute, name in wanted.variables:
            variables.append((attribute, name, name not in self.variables))
            self.variables.add(name)
        return Bind(
            slot,
            position,
            None if declared in wanted.accepted else wanted.accepted,
            slot in self.allowed,
            wanted.constants,
            tuple(variables),
            slot in self.distinct,
        )

    def take_decidable(self) -> tuple[int, ...]:
        """Take the comparisons whose variables have just got their last values."""
        if not self.undecided:
            return ()
        ready = tuple([n for n in self.undecided if self.variables >= self.compared[n]])
        self.undecided = [number for number in self.undecided if number not in ready]
        return ready


def _find_distinct_slots(pattern: Pattern, monic: Monic, schema: Schema) -> frozenset[int]:
    """Find the slots whose images must be compared, as others could have the same."""
    if monic is False:
        return frozenset()
    slots = pattern.slots
    if monic is True:
        flagged = set(range(len(slots)))
    else:
        wanted = frozenset().union(*(schema.subtypes(type_) for type_ in monic))
        flagged = {at for at, slot in enumerate(slots) if slot.type in wanted}
    flagged -= _find_tuples_told_apart(pattern, flagged)
    holders: dict[str, int] = {}
    for at in flagged:
        for type_ in slots[at].accepted:
            holders[type_] = holders.get(type_, 0) + 1
    return frozenset(at for at in flagged if any(holders[t] > 1 for t in slots[at].accepted))


def _find_tuples_told_apart(pattern: Pattern, flagged: set[int]) -> set[int]:
    """Find the tuples whose legs tell them apart already.

    Two tuples of a pattern differ in some leg; where all legs of all tuples of a relation must have
    different images, so have the tuples.
    """
    rows = [atom for atom in pattern.atoms if atom.kind is TableKind.RELATION]
    open_ = {atom.name for atom in rows if not flagged.issuperset(atom.slots[1:])}
    return {atom.slots[0] for atom in rows if atom.name not in open_}
