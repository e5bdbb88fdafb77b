# SPDX-License-Identifier: Apache-2.0
"""The matches of a pattern that a change can have ended or brought about.

A match that one of two successive states has, and the other has not, contains something that the
change is about: a tuple removed or added, a function value, an attribute that the pattern speaks
of, or an element that it mentions nowhere else. Searching from each of these is the delta join of
incremental view maintenance (Gupta, Mumick, Subrahmanian, "Maintaining views incrementally", 1993),
with one join plan for each atom.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.cset.instance.draft import Change, ChangedTuple
from fcp_ros.cset.instance.expressions import ValueComparison
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.search.backtracking import Backtracking
from fcp_ros.cset.search.join_order import measure_by_index
from fcp_ros.cset.search.join_plan import JoinPlan, Monic, Query, plan_join
from fcp_ros.cset.search.pattern import Pattern, TableKind

MatchKey = tuple[int, ...]
"""A match as the images of the pattern's slots, in order."""

Anchor = tuple[int, int]
Slots = Mapping[str, tuple[int, ...]]

_MOST_USES = 256
"""Number of uses after which plans are looked up again, as table sizes may have changed."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """The slots of a pattern to search from, by what may change about their images.

    Attributes:
        tuples: for each relation the slots of its tuples.
        functions: for each function the slots of its arguments.
        attributes: for each attribute the slots that set it.
        elements: the slots of elements that are in no tuple.
    """

    tuples: Slots
    functions: Slots
    attributes: Slots
    elements: tuple[int, ...]

    def before(self, change: Change) -> Iterator[Anchor]:
        """Yield (slot, image in the old state) for everything whose matches the change may end."""
        return self._iterate(change.removed, change.deleted, change)

    def after(self, change: Change) -> Iterator[Anchor]:
        """Yield (slot, image in the new state) for everything that may have new matches."""
        return self._iterate(change.added, change.created, change)

    def _iterate(
        self, tuples: Iterable[ChangedTuple], elements: Sequence[int], change: Change
    ) -> Iterator[Anchor]:
        for relation, row, _ in tuples:
            for slot in self.tuples.get(relation, ()):
                yield slot, row
        for slot in self.elements:
            for id_ in elements:
                yield slot, id_
        for slots, cells in (
            (self.functions, change.functions),
            (self.attributes, change.attributes),
        ):
            for name, id_ in cells:
                for slot in slots.get(name, ()):
                    yield slot, id_


def find_anchors(pattern: Pattern, inside: Pattern | None = None, image: MatchKey = ()) -> Anchors:
    """Find the slots from which changed matches of a pattern are searched.

    Args:
        pattern: what is matched.
        inside: a smaller pattern whose changed matches are known anyway, so that only what is not
            in it need be searched from.
        image: the slot of `pattern` for each slot of `inside`.
    """
    known = frozenset(image)
    said = {(at, name) for at, name in _attributes(inside, image)} if inside is not None else set()
    tuples: dict[str, list[int]] = {}
    functions: dict[str, list[int]] = {}
    attributes: dict[str, list[int]] = {}
    legs: set[int] = set()
    for atom in pattern.atoms:
        if atom.kind is TableKind.RELATION:
            legs.update(atom.slots[1:])
            if atom.slots[0] not in known:
                tuples.setdefault(atom.name, []).append(atom.slots[0])
        elif atom.kind is TableKind.FUNCTION and atom.slots[0] not in known:
            functions.setdefault(atom.name, []).append(atom.slots[0])
    for at, name in _attributes(pattern, range(len(pattern.slots))):
        if (at, name) not in said:
            attributes.setdefault(name, []).append(at)
    elements = [
        atom.slots[0]
        for atom in pattern.atoms
        if atom.kind is TableKind.ELEMENT and atom.slots[0] not in legs | known
    ]
    return Anchors(_freeze(tuples), _freeze(functions), _freeze(attributes), tuple(elements))


def _attributes(pattern: Pattern, places: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield (place, attribute) for all attributes that the slots set; `places` has slot order."""
    for place, slot in zip(places, pattern.slots, strict=True):
        for name, _ in (*slot.constants, *slot.variables):
            yield place, name


def _freeze(lists: dict[str, list[int]]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(slots) for name, slots in lists.items()}


class Plans:
    """Join plans by the slot that they start from, recompiled from time to time as states grow."""

    __slots__ = ("_plans", "_uses")

    def __init__(self) -> None:
        """Start without plans."""
        self._plans: dict[int, JoinPlan] = {}
        self._uses = 0

    def get(self, slot: int) -> JoinPlan | None:
        """Return the plan that starts from a slot, None if it should be compiled (again)."""
        self._uses += 1
        if self._uses > _MOST_USES:
            self._plans.clear()
            self._uses = 0
        return self._plans.get(slot)

    def keep(self, slot: int, plan: JoinPlan) -> JoinPlan:
        """Keep a plan for later, and return it."""
        self._plans[slot] = plan
        return plan


@dataclass(frozen=True, slots=True)
class AnchoredSearch:
    """A pattern with options, to be searched repeatedly from one image of one slot.

    Attributes:
        pattern: what is matched.
        anchors: where changes touch it.
        monic: as in `find_homs`.
        where: as in `find_homs`.
        plans: those in use.
    """

    pattern: Pattern
    anchors: Anchors
    monic: Monic
    where: tuple[ValueComparison, ...] = ()
    plans: Plans = field(default_factory=Plans)

    def before(self, state: Instance, change: Change) -> set[MatchKey]:
        """Find the matches in the old state that contain something that the change affects."""
        return self._find_through(state, self.anchors.before(change))

    def after(self, state: Instance, change: Change) -> set[MatchKey]:
        """Find the matches in the new state that contain something that the change affects."""
        return self._find_through(state, self.anchors.after(change))

    def _find_through(self, state: Instance, anchors: Iterable[Anchor]) -> set[MatchKey]:
        found: set[MatchKey] = set()
        searches: dict[int, Backtracking] = {}
        for slot, image in anchors:
            search = searches.get(slot)
            if search is None:
                search = searches[slot] = self._search(state, slot)
            found.update([tuple(search.binding) for _ in search.run({slot: image})])
        return found

    def at(self, state: Instance, slot: int, image: int) -> Iterator[MatchKey]:
        """Find the matches that send a slot to an element or tuple, which may be missing."""
        search = self._search(state, slot)
        for _ in search.run({slot: image}):
            yield tuple(search.binding)

    def _search(self, state: Instance, slot: int) -> Backtracking:
        plan = self.plans.get(slot)
        if plan is None:
            query = Query(self.monic, (slot,), {}, self.where)
            plan = self.plans.keep(slot, plan_join(self.pattern, query, state, measure_by_index))
        return Backtracking(plan, state, {}, self.where)
