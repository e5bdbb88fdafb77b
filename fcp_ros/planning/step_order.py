# SPDX-License-Identifier: Apache-2.0
"""The pairs of steps of a sequence that must stay in their order: for facts and for resources.

**Facts.** For each fact that some step writes, the deletions cut the sequence into phases. Every
other order that this keeps has the same phases with the same steps in them, so that each step reads
what it read, and the end is the same:

- a deletion stays where it is among all steps that read or add the fact;
- within a phase that begins without the fact, the first step that adds it stays before those that
  need it, and those that avoid it stay before all that add it;
- a step whose effects depend on the fact stays where it is among all that write it.

This is stricter than needed (a step may as well read a fact that another step provides: Baeckstrom,
Computational aspects of reordering plans, JAIR 9, 1998); in return two steps that it leaves
unordered never interfere, so that they may also overlap in time.

**Resources.** Steps that only take from a resource (or only give) do no harm in another order than
the verified one: the level never goes lower than at the end. If some take and some give, and all
takers together would take too much at once (or all givers give too much), each taker stays where it
was among the givers. Then every order passes through the levels at which the sequence turns.

The pairs are a finite partial order of the numbers 0 .. n-1, kept by its immediate pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.cset import Fact
from fcp_ros.domain.model import Domain, Resource
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.footprint import FactPattern, FactView, StepFootprint
from fcp_ros.planning.model.ground_step import GroundStep

Pair = tuple[int, int]
"""Two steps (by position): the first before the second."""


@dataclass
class _Events:
    """The steps that read or write one fact, in order."""

    needs: list[int] = field(default_factory=list)
    avoids: list[int] = field(default_factory=list)
    watches: list[int] = field(default_factory=list)
    adds: list[int] = field(default_factory=list)
    deletes: list[int] = field(default_factory=list)


def find_causal_pairs(view: FactView, steps: Sequence[StepFootprint]) -> set[Pair]:
    """Return the pairs of steps that must stay in their order for the facts.

    The pairs are not closed under transitivity.
    """
    pairs: set[Pair] = set()
    for fact, events in _collect_events(steps).items():
        pairs.update(_order_deletions(events))
        pairs.update(_pair_up(events.watches, events.adds))
        pairs.update(_pair_up(events.avoids, events.adds))
        pairs.update(_order_productions(events, view.holds_initially(fact)))
    return pairs


def find_reservoir_pairs(
    domain: Domain, steps: Sequence[GroundStep], levels: Mapping[str, float]
) -> set[Pair]:
    """Return the pairs of steps that must stay in their order for the resources.

    The pairs are not closed under transitivity.
    """
    pairs: set[Pair] = set()
    for name, resource in domain.resources.items():
        uses = [step.rule.uses.get(name, 0.0) for step in steps]
        level = levels.get(name, resource.initial)
        if not is_within(resource, level):
            # Outside from the start: the order alone does not say which step brings it back.
            users = [number for number, use in enumerate(uses) if use != 0.0]
            pairs.update(itertools.pairwise(users))
        elif _may_leave(resource, level, uses):
            pairs.update(_order_runs(uses))
    return pairs


# --- facts


def _collect_events(steps: Sequence[StepFootprint]) -> dict[Fact, _Events]:
    events = {
        fact: _Events()
        for step in steps
        for written in (step.adds, step.deletes)
        for fact in written
    }
    index = _Index(events)
    for number, step in enumerate(steps):
        for fact in step.needs:
            if fact in events:
                events[fact].needs.append(number)
        for fact in step.adds:
            events[fact].adds.append(number)
        for fact in step.deletes:
            events[fact].deletes.append(number)
        for fact in index.find_covered(step.avoids):
            events[fact].avoids.append(number)
        for fact in index.find_covered(step.watches):
            events[fact].watches.append(number)
    return events


class _Index:
    """The written facts by relation, and by the element at each position."""

    def __init__(self, facts: dict[Fact, _Events]) -> None:
        self._facts: dict[tuple[str, int, str], list[Fact]] = {}
        for fact in facts:
            for position, element in enumerate(fact.arguments):
                self._facts.setdefault((fact.relation, position, element), []).append(fact)
            self._facts.setdefault((fact.relation, -1, ""), []).append(fact)

    def find_covered(self, patterns: Sequence[FactPattern]) -> set[Fact]:
        found: set[Fact] = set()
        for pattern in patterns:
            position, element = pattern.bound[0] if pattern.bound else (-1, "")
            candidates = self._facts.get((pattern.relation, position, element), ())
            found.update(fact for fact in candidates if pattern.covers(fact))
        return found


def _order_deletions(events: _Events) -> Iterator[Pair]:
    others = {*events.needs, *events.avoids, *events.watches, *events.adds, *events.deletes}
    yield from _pair_up(events.deletes, sorted(others))


def _pair_up(some: Sequence[int], others: Sequence[int]) -> Iterator[Pair]:
    """Yield all pairs of one and another, in the order of the sequence."""
    for one in some:
        for other in others:
            if one != other:
                yield (min(one, other), max(one, other))


def _order_productions(events: _Events, holds_initially: bool) -> Iterator[Pair]:
    """In each phase that begins without the fact, put its first producer before its consumers."""
    starts = [] if holds_initially else [-1]
    starts.extend(events.deletes)
    for start in starts:
        end = next((d for d in events.deletes if d > start), None)
        first = next((a for a in events.adds if a > start and (end is None or a < end)), None)
        if first is not None:
            yield from (
                (first, need)
                for need in events.needs
                if need > first and (end is None or need <= end)
            )


# --- resources


def is_within(resource: Resource, level: float) -> bool:
    """Return True if a resource may have this level."""
    return resource.minimum - EPSILON <= level <= resource.maximum + EPSILON


def _may_leave(resource: Resource, level: float, uses: Sequence[float]) -> bool:
    """Return True if the bounds are left by all takers first, or by all givers first."""
    taken = sum(use for use in uses if use > 0.0)
    given = -sum(use for use in uses if use < 0.0)
    if not taken or not given:
        return False
    return not (is_within(resource, level - taken) and is_within(resource, level + given))


def _order_runs(uses: Sequence[float]) -> Iterator[Pair]:
    """Put every step of a run of takers before every step of the next run of givers, and so on."""
    runs: list[list[int]] = []
    for number, use in enumerate(uses):
        if use == 0.0:
            continue
        if not runs or (uses[runs[-1][0]] > 0.0) != (use > 0.0):
            runs.append([])
        runs[-1].append(number)
    for run, following in itertools.pairwise(runs):
        yield from ((before, after) for before in run for after in following)


class OrderError(ValueError):
    """Pairs that order nothing: out of range, or in a cycle."""


@dataclass(frozen=True)
class PartialOrder:
    """A partial order, given by its transitive reduction."""

    # for each number the ones that come *immediately* before it (make an order of arbitrary pairs
    # with `of`)
    predecessors: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, size: int, pairs: Iterable[tuple[int, int]]) -> PartialOrder:
        """Make the least partial order of `size` numbers with these (before, after) pairs."""
        direct: list[set[int]] = [set() for _ in range(size)]
        for before, after in pairs:
            if not (0 <= before < size and 0 <= after < size):
                raise OrderError(f"({before}, {after}) orders numbers outside 0 .. {size - 1}")
            direct[after].add(before)
        below = find_all_predecessors(direct)
        # A predecessor is immediate if it is below no other predecessor.
        return cls(
            tuple(
                frozenset(b for b in befores if not any(below[c] >> b & 1 for c in befores))
                for befores in direct
            )
        )

    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Return the (before, after) pairs of the transitive reduction, sorted."""
        found = [
            (before, after) for after, befores in enumerate(self.predecessors) for before in befores
        ]
        return tuple(sorted(found))


def find_all_predecessors(predecessors: Sequence[Iterable[int]]) -> list[int]:
    """Return for each number the set of all that precede it, as the bits of an integer."""
    below: dict[int, int] = {}
    for root in range(len(predecessors)):
        path = [root]
        while path:
            number = path[-1]
            if number in below:
                path.pop()
                continue
            waiting = [before for before in predecessors[number] if before not in below]
            if waiting:
                if waiting[0] in path:
                    shown = " < ".join(map(str, path[path.index(waiting[0]) :]))
                    raise OrderError(f"no partial order: cycle {shown} (each after the next)")
                path.append(waiting[0])
                continue
            bits = 0
            for before in predecessors[number]:
                bits |= below[before] | 1 << before
            below[number] = bits
            path.pop()
    return [below[number] for number in range(len(predecessors))]
