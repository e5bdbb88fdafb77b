# SPDX-License-Identifier: Apache-2.0
"""The plans that are executed, and those that wait: who waits for whom, and for which steps.

Invariants, by which nothing is done twice, and nobody waits for ever:

- a plan begins only if it meets none that runs, and none that has waited longer (`side_by_side`);
  or if it was made for the end of those that run and it meets. Then its steps wait for theirs;
- a plan that waits holds nothing, and plans and steps wait for older ones only: there is no circle;
- no two steps that are being done need the same robot, or an executor that can't serve both;
- a step never waits for one that won't be done: a plan that ends otherwise than it was meant to
  takes those with it that still wait for a step of it (`find_loss`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from fcp_ros.cset import Instance
from fcp_ros.execution.goal_conflicts import Literals
from fcp_ros.execution.side_by_side import Claim, MeetingFinder
from fcp_ros.planning.model.plan import PlanStep


@dataclass(frozen=True)
class Encounter:
    """A plan that another one has to wait for, and why: one sentence."""

    key: bytes
    reason: str


FindEncounter = Callable[[], Encounter | None]
"""Finds the plan that is in the way of another one, which waits from then on; None: it has room."""


@dataclass(eq=False)
class _Entry:
    claim: Claim
    runs: bool
    done: set[int] = field(default_factory=set)
    is_over: bool = False
    # step, or the number of steps for the end -> the steps of others that it waits for
    waits: Mapping[int, frozenset[tuple[_Entry, int]]] = field(default_factory=dict)

    @property
    def left(self) -> list[int]:
        return [at for at in range(len(self.claim.steps)) if at not in self.done]

    @property
    def rest(self) -> Claim:
        return self.claim.without(self.done)

    @property
    def awaited(self) -> frozenset[tuple[_Entry, int]]:
        places = frozenset().union(*self.waits.values())
        return frozenset((other, at) for other, at in places if at not in other.done)

    @property
    def has_lost(self) -> bool:
        """True if it waits for a step that won't be done."""
        return any(other.is_over for other, _ in self.awaited)


@dataclass(frozen=True)
class PlansAhead:
    """Plans that run, each made for the end of those before it; by default none."""

    entries: tuple[_Entry, ...] = ()

    @property
    def steps(self) -> list[PlanStep]:
        """The steps that have not ended, in an order in which they can be done."""
        return [step for entry in self.entries for step in entry.rest.steps]

    @property
    def goals(self) -> list[str]:
        """The goals of those that have not ended, in words."""
        return [entry.claim.words for entry in self.entries if entry.left]

    @property
    def demands(self) -> Literals:
        """The demands of their goals; the later one's word counts."""
        return {fact: is_ for one in self.entries for fact, is_ in one.claim.demands.items()}

    @property
    def are_lost(self) -> bool:
        """True if one of them has ended otherwise than it was meant to."""
        return any((one.is_over and one.left) or one.has_lost for one in self.entries)


class PlanRegister:
    """The plans that run, and those that wait for room, by the keys of their goals.

    Not thread-safe. `find_present`: returns the state as it is seen.
    """

    def __init__(self, finder: MeetingFinder, find_present: Callable[[], Instance | None]) -> None:
        self._finder = finder
        self._find_present = find_present
        self._entries: dict[bytes, _Entry] = {}  # those that have waited longest first

    # --- before a plan begins -------------------------------------------------------------------

    def find_meeting(
        self, key: bytes, claim: Claim, ahead: PlansAhead = PlansAhead()
    ) -> Encounter | None:
        """Return the first plan that a goal's plan has to wait for; None if it can begin.

        `ahead`: the plans for whose end it was made.
        """
        present = self._find_present()
        for other, entry in self._list_ahead(key):
            if entry in ahead.entries and not claim.alone:
                continue
            reason = "there is no state"
            if present is not None:
                reason = self._finder.find(claim, entry.rest, present)
            if reason:
                words = entry.claim.words
                return Encounter(other, f"Waits for the goal {words!r}: {reason}.")
        return None

    def find_ahead(self, key: bytes) -> PlansAhead:
        """Return the plans that run, for a plan that is made for their end; none if it can't be."""
        entries = [entry for _, entry in self._list_ahead(key)]
        if any(not one.runs or one.claim.alone or one.has_lost for one in entries):
            return PlansAhead()
        return PlansAhead(tuple(entries))

    def _list_ahead(self, key: bytes) -> Iterator[tuple[bytes, _Entry]]:
        """Yield the plans of other goals that run, or have waited longer than this goal."""
        is_older = True
        for other, entry in self._entries.items():
            if other == key:
                is_older = False
            elif entry.runs or is_older:
                yield other, entry

    def list_busy(self, key: bytes) -> Mapping[bytes, frozenset[str]]:
        """List the agents that the plans ahead of a goal need, by the keys of their goals."""
        present = self._find_present()
        if present is None:
            return {}
        return {
            other: self._finder.list_agents(entry.rest, present)
            for other, entry in self._list_ahead(key)
        }

    @property
    def running(self) -> frozenset[bytes]:
        return frozenset(key for key, entry in self._entries.items() if entry.runs)

    def find_in_way(self, running: Set[bytes], find: FindEncounter) -> Encounter | None:
        """Find a plan to wait for, as `find` does; None as soon as others run than these goals'."""
        # Also then the goal gets its place: however often others begin while it is planned for,
        # those that come later don't overtake it for ever.
        found = find()
        return found if self.running == running else None

    def wait(self, key: bytes, claim: Claim) -> None:
        """Note that a goal's plan waits; a goal that waits already keeps its place."""
        if key in self._entries:
            self._entries[key].claim = claim
        else:
            self._entries[key] = _Entry(claim, runs=False)

    # --- from its beginning to its end ----------------------------------------------------------

    def begin(self, key: bytes, claim: Claim, ahead: PlansAhead = PlansAhead()) -> None:
        """Note that a goal's plan runs from now on; the caller has found that it meets none."""
        self.leave(key)  # the plan before it, whose place it takes, and what still waits for that
        entry = self._entries[key] = _Entry(claim, runs=True)
        if not ahead.entries:
            return
        left = [(one, one.left) for one in ahead.entries]
        rests = [one.rest for one in ahead.entries]
        waits = self._finder.find_waits(rests, claim, self._find_present())
        entry.waits = {
            index: frozenset((left[number][0], left[number][1][at]) for number, at in places)
            for index, places in waits.items()
        }

    def is_held(self, key: bytes, index: int) -> bool:
        """Return True if a step, or the end, of a plan that runs waits for steps of others."""
        entry = self._entries[key]
        return any(at not in other.done for other, at in entry.waits.get(index, ()))

    def find_awaited(self, key: bytes) -> PlansAhead:
        """Return the plans whose steps a plan that runs still waits for."""
        others = {other for other, _ in self._entries[key].awaited}
        return PlansAhead(tuple(one for one in self._entries.values() if one in others))

    def find_loss(self, key: bytes) -> str:
        """Say that a plan waits for what won't be done: one sentence; "" if it doesn't."""
        entry = self._entries.get(key)
        lost = [] if entry is None else [one for one, _ in entry.awaited if one.is_over]
        if not lost:
            return ""
        return f"The plan of the goal {lost[0].claim.words!r} has ended, which this one counted on."

    def note_done(self, key: bytes, index: int) -> None:
        """Note that the step at this position of a plan that runs has succeeded."""
        self._entries[key].done.add(index)

    def leave(self, key: bytes) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            # Without its own waits: else each goal of a chain would keep all those before it.
            entry.is_over, entry.waits = True, {}

    @property
    def is_anybody_waiting(self) -> bool:
        """True if a plan waits for room, or a step of one for those of another, until just now."""
        return any(not entry.runs or entry.waits for entry in self._entries.values())
