# SPDX-License-Identifier: Apache-2.0
"""Groups of legs of which at most one is filled, for elements with too many legs to pair them.

A group is kept by an operator that fills no more of its legs than it surely empties: each leg that
is filled takes the place of another one that was. With at most one filled initially, it stays so.
(Fact-alternating mutex groups: Fiser and Komenda, Fact-alternating mutex groups for classical
planning, JAIR 61, 2018.) All groups together take time linear in the size of the operators, where
pairs of legs take the square of their number: a grounded task has thousands of facts without
arguments, which are all of one element.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.planning.task.task import FactKey, GroundOperator


@dataclass(frozen=True, slots=True)
class _Filling:
    """A leg that an operator fills, and the filled legs of which one has to make room for it."""

    leg: FactKey
    room: tuple[FactKey, ...]


def find_alternating_groups(
    legs: Collection[FactKey],
    filled: Collection[FactKey],
    operators: Iterable[GroundOperator],
    legs_of: Callable[[int], Iterable[FactKey]],
    check: Callable[[], None],
) -> list[tuple[FactKey, ...]]:
    """Find disjoint groups of at least two legs of which at most one is ever filled.

    Args:
        legs: the legs to group.
        filled: those that are filled initially.
        operators: all that may be applied.
        legs_of: tells the legs that a fact fills.
        check: called for each operator; may raise to stop.
    """
    changes: list[list[_Filling]] = []
    for operator in operators:
        check()
        changes.append(list(_list_fillings(operator, legs_of)))
    kept = dict.fromkeys(legs)
    users: dict[FactKey, list[int]] = {}
    for number, fillings in enumerate(changes):
        for leg in {leg for filling in fillings for leg in filling.room}:
            users.setdefault(leg, []).append(number)
    waiting = list(range(len(changes)))
    while waiting:
        check()
        fillings = changes[waiting.pop()]
        for filling, place in _pair_with_room(fillings, kept):
            if place is None:
                kept.pop(filling.leg)
                waiting += users.get(filling.leg, ())
    groups = _join(kept, (pair for fillings in changes for pair in _pair_with_room(fillings, kept)))
    initially = set(filled)
    return [group for group in groups if len(group) > 1 and len(initially.intersection(group)) < 2]


def _list_fillings(
    operator: GroundOperator, legs_of: Callable[[int], Iterable[FactKey]]
) -> Iterator[_Filling]:
    """List the legs that an operator and its effects may fill."""
    parts = [(operator.pre, operator.delete, operator.add)]
    for effect in operator.effects:
        pre, delete = (*operator.pre, *effect.pre), (*operator.delete, *effect.delete)
        parts.append((pre, delete, effect.add))
    for pre, delete, add in parts:
        emptied = [leg for fact in pre if fact in delete for leg in legs_of(fact)]
        held = {leg for fact in pre for leg in legs_of(fact)}
        for leg in dict.fromkeys(leg for fact in add for leg in legs_of(fact)):
            # A leg that is filled already stays the one that is.
            yield _Filling(leg, (leg,) if leg in held else tuple(emptied))


def _pair_with_room(
    fillings: Sequence[_Filling], kept: Collection[FactKey]
) -> Iterator[tuple[_Filling, FactKey | None]]:
    """Pair each filled leg that is kept with a leg of its own that makes room; None without one."""
    taken: set[FactKey] = set()
    for filling in fillings:
        if filling.leg in kept:
            free = (leg for leg in filling.room if leg in kept and leg not in taken)
            place = next(free, None)
            if place is not None:
                taken.add(place)
            yield filling, place


def _join(
    legs: Iterable[FactKey], pairs: Iterable[tuple[_Filling, FactKey | None]]
) -> list[tuple[FactKey, ...]]:
    """Join the legs that take the place of one another (union-find)."""
    parent = {leg: leg for leg in legs}

    def find(leg: FactKey) -> FactKey:
        while parent[leg] != leg:
            parent[leg] = leg = parent[parent[leg]]
        return leg

    for filling, place in pairs:
        assert place is not None, "every leg that is kept has room"
        parent[find(filling.leg)] = find(place)
    groups: dict[FactKey, list[FactKey]] = {}
    for leg in parent:
        groups.setdefault(find(leg), []).append(leg)
    return [tuple(group) for group in groups.values()]
