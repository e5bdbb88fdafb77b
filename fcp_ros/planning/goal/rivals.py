# SPDX-License-Identifier: Apache-2.0
"""Preferences that rule one another out: of such a group, a plan keeps at most one.

An item can't end on the table and on the shelf. Delete relaxation does not see that: in it, both
preferences are kept for nothing. Settled in one stage, with one operator for each preference that
may be kept, all but one are paid for in every relaxed plan, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.planning.goal.alternatives import Alternative
from fcp_ros.planning.mutexes.ground_mutexes import find_leg_mutexes, list_legs
from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import FactKey, Task

MOST_RIVALS = 64
"""Preferences in a group; each names all the others where it is kept."""

Place = Hashable
"""Something that one thing is at: a functional leg, a mutex group, the truth of a fact."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A preference to be grouped."""

    price: tuple[float, ...]  # decides which of those that want the same is grouped: the dearest
    alternatives: Sequence[Alternative]


class Places:
    """The places that alternatives want occupied, and by what."""

    def __init__(
        self, alternatives: Iterable[Alternative], task: Task, check: Callable[[], None]
    ) -> None:
        self._task = task
        self._legs = _find_mutex_legs(alternatives, task, check)

    def find_occupants(
        self, alternatives: Sequence[Alternative]
    ) -> Mapping[Place, frozenset[object]]:
        """Find the places that all of some alternatives want occupied, and by what."""
        maps = [self._list_occupied(one) for one in alternatives if not one.missing]
        if not maps:
            return {}
        places = set(maps[0]).intersection(*maps[1:])
        return {place: frozenset(each[place] for each in maps) for place in places}

    def drop_excluded(
        self, alternatives: Sequence[Alternative], finishes: Sequence[Alternative]
    ) -> list[Alternative]:
        """Drop alternatives that can't hold where the goal does."""
        wanted = self.find_occupants(finishes)
        return [
            one
            for one in alternatives
            if one.missing
            or all(
                occupant in wanted.get(place, (occupant,))
                for place, occupant in self._list_occupied(one).items()
            )
        ]

    def _list_occupied(self, alternative: Alternative) -> dict[Place, object]:
        found: dict[Place, object] = {}
        for fact in alternative.positive:
            found["truth", fact] = True
            for key in list_legs(self._task, fact):
                if key in self._legs:
                    found[self._legs[key]] = fact
                elif key not in self._task.broken:
                    found[key] = fact
        for fact in alternative.negative:
            found["truth", fact] = False
        return found


def group_rivals(
    choices: Sequence[Choice], places: Places, check: Callable[[], None]
) -> list[tuple[int, ...]]:
    """Group preferences of which no two can be kept at once.

    Not all such groups are found: the members of one want different things of one place, whichever
    of their alternatives is chosen.

    Returns:
        Numbers of preferences: each in one group, alone if it has no rivals; in the order of their
        first members.
    """
    occupants = [places.find_occupants(choice.alternatives) for choice in choices]
    at_place: dict[Place, list[int]] = {}
    for number, wanted in enumerate(occupants):
        for place in wanted:
            at_place.setdefault(place, []).append(number)
    grouped: set[int] = set()
    groups: list[tuple[int, ...]] = []
    for place, numbers in sorted(at_place.items(), key=lambda item: -len(item[1])):
        open_ = [number for number in numbers if number not in grouped]
        open_.sort(key=lambda number: choices[number].price, reverse=True)
        check()
        group = _choose_members(open_, [occupants[number][place] for number in open_])
        if len(group) > 1:
            groups.append(tuple(sorted(group)))
            grouped.update(group)
    groups.extend((number,) for number in range(len(choices)) if number not in grouped)
    return sorted(groups)


def _choose_members(numbers: Sequence[int], wanted: Sequence[frozenset[object]]) -> list[int]:
    """Choose preferences that want different occupants of a place, the first ones first."""
    taken: set[object] = set()
    chosen: list[int] = []
    for number, occupants in zip(numbers, wanted, strict=True):
        if taken.isdisjoint(occupants) and len(chosen) < MOST_RIVALS:
            taken |= occupants
            chosen.append(number)
    return chosen


def _find_mutex_legs(
    alternatives: Iterable[Alternative], task: Task, check: Callable[[], None]
) -> Mapping[FactKey, Place]:
    """Map legs of which no two are filled at once to one place: on a table, inside a box.

    That is only looked into if an element is wanted in different legs.
    """
    wanted: dict[str, set[FactKey]] = {}
    for alternative in alternatives:
        for fact in alternative.positive:
            for key in list_legs(task, fact):
                wanted.setdefault(key[2], set()).add(key)
    if all(len(keys) == 1 for keys in wanted.values()):
        return {}
    operators = range(len(task.operators))
    groups = find_leg_mutexes(task, Conditions(task), operators, check).make_groups()
    return {key: ("legs", number) for number, group in enumerate(groups) for key in group}
