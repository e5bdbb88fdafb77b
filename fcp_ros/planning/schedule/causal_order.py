# SPDX-License-Identifier: Apache-2.0
"""Which steps of a sequence must stay in their order, from their footprints.

For each fact that some step writes, the deletions cut the sequence into phases. Every other order
that this keeps has the same phases with the same steps in them, so that each step reads what it
read, and the end is the same:

- a deletion stays where it is among all steps that read or add the fact;
- within a phase that begins without the fact, the first step that adds it stays before those that
  need it, and those that avoid it stay before all that add it;
- a step whose effects depend on the fact stays where it is among all that write it.

This is stricter than needed (what a step reads may come from another one than it did: Baeckstrom,
Computational aspects of reordering plans, JAIR 9, 1998); in return two steps that it leaves
unordered never interfere, so that they may also overlap in time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fcp_ros.cset import Fact
from fcp_ros.planning.schedule.fact_view import FactView
from fcp_ros.planning.schedule.footprint import FactPattern, Footprint

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


def causal_pairs(view: FactView, steps: Sequence[Footprint]) -> set[Pair]:
    """The pairs of steps that must stay in their order (not closed under transitivity).

    Arguments:
        view: the state that the sequence starts in.
        steps: the footprints of a sequence that can be done.
    """
    pairs: set[Pair] = set()
    for fact, events in _events(steps).items():
        pairs.update(_deletions(events))
        pairs.update(_crossing(events.watches, events.adds))
        pairs.update(_crossing(events.avoids, events.adds))
        pairs.update(_productions(events, view.initially(fact)))
    return pairs


def _events(steps: Sequence[Footprint]) -> dict[Fact, _Events]:
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
        for fact in index.covered(step.avoids):
            events[fact].avoids.append(number)
        for fact in index.covered(step.watches):
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

    def covered(self, patterns: Sequence[FactPattern]) -> set[Fact]:
        """The facts that one of the patterns covers."""
        found: set[Fact] = set()
        for pattern in patterns:
            position, element = pattern.bound[0] if pattern.bound else (-1, "")
            candidates = self._facts.get((pattern.relation, position, element), ())
            found.update(fact for fact in candidates if pattern.covers(fact))
        return found


def _deletions(events: _Events) -> Iterator[Pair]:
    others = {*events.needs, *events.avoids, *events.watches, *events.adds, *events.deletes}
    yield from _crossing(events.deletes, sorted(others))


def _crossing(some: Sequence[int], others: Sequence[int]) -> Iterator[Pair]:
    """All pairs of one and another, as they were."""
    for one in some:
        for other in others:
            if one != other:
                yield (min(one, other), max(one, other))


def _productions(events: _Events, initially: bool) -> Iterator[Pair]:
    """In each phase that begins without the fact: its first producer before those that need it."""
    starts = [-1] if not initially else []
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
