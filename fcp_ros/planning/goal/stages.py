# SPDX-License-Identifier: Apache-2.0
"""Preferences and counts as stages that a plan goes through after its last step.

Written out, they would make a goal with very many alternatives. Instead, each is settled by an
operator of its own, one after the other, when the world no longer changes: a preference is either
collected where its condition holds, or given up at its price (Keyder and Geffner, Soft Goals Can Be
Compiled Away, JAIR 36, 2009); a count goes through its conditions and counts them. The fixed order
leaves no choice but that, so that a proof need not consider permutations. Preferences that rule one
another out are settled together (see `group_rivals`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.goal.alternatives import (
    Alternative,
    DegreeFormula,
    KnownDegree,
    compose,
    find_alternatives,
    make_shortfall,
)
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.task.invariants import find_leg_mutexes, list_legs
from fcp_ros.planning.task.task import Conditions, FactKey, Task

NOTHING = Alternative(1.0)
"""The condition of giving up."""
BEGIN = 1
"""The first stage after the world: the goal's formula is fulfilled, if it is not divided."""


@dataclass(frozen=True, slots=True)
class StageMove:
    """An operator from one stage to a later one."""

    source: int
    target: int
    alternative: Alternative  # its condition on the state, and the degree that it contributes
    cost: Fraction = Fraction(0)
    kept: int = -1  # number of the preference that it keeps; -1 for none
    body: DegreeFormula = 1.0
    given_up: tuple[int, ...] = ()  # numbers of the preferences that it gives up
    left_out: int = 0
    steps: int = 0


@dataclass(frozen=True)
class Stages:
    """The stages of a goal."""

    moves: tuple[StageMove, ...] = ()
    last: int = BEGIN
    targets: tuple[int, ...] = ()
    fulfilled: int = BEGIN


def make_stages(
    goal: GroundGoal,
    finishes: Sequence[Alternative],
    known: KnownDegree,
    tnorm: TNorm,
    task: Task,
    watch: Watch,
    now: int = BEGIN,
) -> Stages:
    """Make the stages of what a goal asks beside its formula."""
    moves: list[StageMove] = []
    for count in goal.counts:
        choices = [find_alternatives(part, known, tnorm, task, watch) for part in count.parts]
        last = now + count_inner_stages(count.number, len(choices)) + 1
        moves.extend(make_count_moves(count.number, choices, now, last, now + 1))
        now = last
    ways = []
    for preference in goal.preferences:
        watch.check()
        ways.append(find_alternatives(preference.body, known, tnorm, task, watch))
    if not ways:
        return Stages(tuple(moves), now)
    places = Places(chain(finishes, *ways), task, watch.check)
    ways = [places.drop_excluded(found, finishes) for found in ways]
    watch.check()
    rivals = [
        Choice((preference.weight, float(preference.cost), preference.steps), found)
        for preference, found in zip(goal.preferences, ways, strict=True)
    ]
    for group in group_rivals(rivals, places, watch.check):
        watch.check()
        moves.extend(_settle(goal, group, ways, tnorm, now))
        now += 1
    return Stages(tuple(moves), now)


def _settle(
    goal: GroundGoal,
    group: Sequence[int],
    ways: Sequence[Sequence[Alternative]],
    tnorm: TNorm,
    now: int,
) -> Iterator[StageMove]:
    for kept in (*group, -1):
        given_up = tuple(number for number in group if number != kept)
        lost = [goal.preferences[number] for number in given_up]
        if any(preference.required for preference in lost):
            continue
        parts = [preference for preference in lost if preference.is_part]
        degree = tnorm.compose_all(
            1.0 - preference.weight for preference in lost if not preference.is_part
        )
        cost = sum((preference.cost for preference in lost), Fraction(0))
        steps = sum(preference.steps for preference in lost)
        for alternative in ways[kept] if kept >= 0 else (NOTHING,):
            if alternative.missing:
                continue
            body = alternative.formula
            weight = goal.preferences[kept].weight if kept >= 0 else 0.0
            formula = compose(tnorm, make_shortfall(weight, body), degree)
            condition = replace(alternative, formula=formula, binding=())
            yield StageMove(now, now + 1, condition, cost, kept, body, given_up, len(parts), steps)


def count_inner_stages(wanted: int, total: int) -> int:
    """Count the stages of a count that are neither its first nor its last one."""
    return sum(len(_list_counted(gone, wanted, total)) for gone in range(1, total))


def make_count_moves(
    wanted: int, choices: Sequence[Sequence[Alternative]], source: int, target: int, free: int
) -> Iterator[StageMove]:
    """Yield the moves that count how many of some conditions hold.

    A stage stands for the number of conditions gone through and the number that were counted. After
    the last condition only the wanted number leads on.
    """
    total = len(choices)
    between = [(gone, n) for gone in range(1, total) for n in _list_counted(gone, wanted, total)]
    stages = {each: free + number for number, each in enumerate(between)}
    stages |= {(0, 0): source, (total, wanted): target}
    for (gone, counted), stage in stages.items():
        if (gone + 1, counted) in stages:
            yield StageMove(stage, stages[gone + 1, counted], NOTHING)
        if (gone + 1, counted + 1) in stages:
            for alternative in choices[gone]:
                if not alternative.missing:
                    condition = replace(alternative, binding=())
                    yield StageMove(stage, stages[gone + 1, counted + 1], condition)


def _list_counted(gone: int, wanted: int, total: int) -> range:
    return range(max(0, wanted - total + gone), min(gone, wanted) + 1)


# --- preferences that rule one another out: of such a group, a plan keeps at most one
#
# An item can't end on the table and on the shelf. Delete relaxation does not see that: in it, both
# preferences are kept for nothing. Settled in one stage, with one operator for each preference that
# may be kept, all but one are paid for in every relaxed plan, too.


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

    def __init__(self, alternatives: Iterable[Alternative], task: Task, check: Check) -> None:
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


def group_rivals(choices: Sequence[Choice], places: Places, check: Check) -> list[tuple[int, ...]]:
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
    alternatives: Iterable[Alternative], task: Task, check: Check
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
