# SPDX-License-Identifier: Apache-2.0
"""A house and its task as a PDDL problem, for other planners (`household.pddl`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmark.planning.household import ROBOT, Household, Item, Kind, Receptacle

DOMAIN = Path(__file__).resolve().parent / "household.pddl"


def problem_text(house: Household) -> str:
    """The problem: what there is, what holds, what is wanted."""
    return (
        "(define (problem house)\n (:domain benchmark-household)\n (:objects\n"
        + "\n".join(_objects(house))
        + ")\n (:init\n"
        + "\n".join(f"  {fact}" for fact in _facts(house))
        + ")\n (:goal (and\n"
        + "\n".join(f"  {_placed(house, item, place)}" for item, place in house.goal)
        + ")))\n"
    )


def _objects(house: Household) -> Iterator[str]:
    names: dict[str, list[str]] = defaultdict(list)
    names["robot"].append(ROBOT)
    names["room"] += house.rooms
    for thing in (*house.receptacles, *house.items):
        names[thing.kind.value].append(thing.name)
    for type_, members in names.items():
        yield f"  {' '.join(members)} - {type_}"


def _facts(house: Household) -> Iterator[str]:
    yield f"(at {ROBOT} {house.start})"
    yield f"(handempty {ROBOT})"
    for a, b, _ in house.doorways:
        yield f"(connected {a} {b})"
        yield f"(connected {b} {a})"
    for key, lock in house.fits:
        yield f"(opens {key} {lock})"
    taken = {item.place for item in house.items}
    for place in house.receptacles:
        yield from _receptacle_facts(place, place.name not in taken)
    for item in house.items:
        yield from _item_facts(house, item)


def _receptacle_facts(place: Receptacle, empty: bool) -> Iterator[str]:
    yield f"(in-room {place.name} {place.room})"
    if place.kind is Kind.CONTAINER:
        yield f"({'is-closed' if place.closed else 'is-open'} {place.name})"
        yield f"({'locked' if place.locked else 'unlocked'} {place.name})"
        yield f"({'sealed' if place.sealed else 'unsealed'} {place.name})"
    if place.kind is Kind.PEDESTAL and empty:
        yield f"(free {place.name})"


def _item_facts(house: Household, item: Item) -> Iterator[str]:
    yield _placed(house, item.name, item.place)
    if item.kind is Kind.BOX:
        yield f"({'box-closed' if item.closed else 'box-open'} {item.name})"


def _placed(house: Household, item: str, place: str) -> str:
    if place in house.item:
        return f"(in-box {item} {place})"
    kind = house.receptacle[place].kind
    return f"({'inside' if kind is Kind.CONTAINER else 'on'} {item} {place})"
