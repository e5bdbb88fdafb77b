# SPDX-License-Identifier: Apache-2.0
"""Houses of any size with a task in them, for the planning benchmark; the same for the same seed.

A house has rooms in a grid with doorways between them, receptacles (tables, cupboards, ...), items
on and in them, one robot, and items to be moved. `household_scene.py` writes it as a scene
graph, `household_pddl.py` as PDDL.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

ROBOT = "robot_1"
RECEPTACLES_A_ROOM = 10
DOORWAYS_BESIDES = 0.3
"""Share of the walls without a doorway, after every room can be reached, that get one, too."""


class Kind(str, Enum):
    """What a thing is; the value is its type in the domain."""

    SURFACE = "surface"
    CONTAINER = "container"
    PEDESTAL = "pedestal"
    ITEM = "item"
    CUP = "cup"
    BOX = "box"
    KEY = "key"
    CROWBAR = "crowbar"


CATEGORIES: Mapping[Kind, tuple[str, ...]] = {
    Kind.SURFACE: ("table", "desk", "shelf", "counter", "sideboard"),
    Kind.CONTAINER: ("cupboard", "drawer", "wardrobe", "cabinet"),
    Kind.ITEM: (
        *("book", "pen", "plate", "fork", "spoon", "towel", "toy", "ball", "can", "bottle"),
        *("apple", "shirt", "lamp", "vase", "candle"),
    ),
    Kind.CUP: ("cup", "mug", "glass", "bowl", "jar"),
}
CUPS = 0.2
"""Share of the items that are cups of some kind."""


@dataclass(frozen=True, slots=True)
class Receptacle:
    """Furniture: it stays in its room, and the robot can stand in front of it."""

    name: str
    kind: Kind
    category: str
    room: str
    closed: bool = False
    locked: bool = False
    sealed: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """Something to carry; `place` names the receptacle or the box that it is on or in."""

    name: str
    kind: Kind
    category: str
    place: str
    closed: bool = False


@dataclass(frozen=True)
class Household:
    """A house and a task.

    Attributes:
        rooms: names of the rooms, row by row of the grid.
        doorways: (room, room, name), each doorway once.
        receptacles: the furniture.
        items: what can be carried.
        start: the room of the robot.
        fits: key and the container that it unlocks.
        goal: item and the receptacle that it should be on or in.
    """

    rooms: tuple[str, ...]
    doorways: tuple[tuple[str, str, str], ...]
    receptacles: tuple[Receptacle, ...]
    items: tuple[Item, ...]
    start: str
    goal: tuple[tuple[str, str], ...]
    fits: tuple[tuple[str, str], ...] = ()

    @cached_property
    def receptacle(self) -> Mapping[str, Receptacle]:
        """Receptacles by name."""
        return {receptacle.name: receptacle for receptacle in self.receptacles}

    @cached_property
    def item(self) -> Mapping[str, Item]:
        """Items by name."""
        return {item.name: item for item in self.items}

    def furniture_of(self, item: str) -> Receptacle:
        """The receptacle that an item is on or in, also through a box."""
        place = self.item[item].place
        return self.receptacle[place] if place in self.receptacle else self.furniture_of(place)

    def goal_text(self) -> str:
        """The goal in the words of the domain."""
        containers = {r.name for r in self.receptacles if r.kind is Kind.CONTAINER}
        return " and ".join(
            f"{'inside' if place in containers else 'on'}({item}, {place})"
            for item, place in self.goal
        )


def household(objects: int, receptacles: int, moves: int, seed: int = 1) -> Household:
    """A house with a task.

    Arguments:
        objects: number of items, at least `moves`.
        receptacles: number of receptacles, at least 2; a third of them are containers, most of
            these are closed.
        moves: number of items to move.
        seed: the same seed gives the same house.
    """
    generator = random.Random(f"{objects}/{receptacles}/{moves}/{seed}")
    rooms = tuple(f"room_{n}" for n in range(max(2, round(receptacles / RECEPTACLES_A_ROOM))))
    furniture = tuple(_receptacle(n, rooms, generator) for n in range(receptacles))
    items = tuple(_item(n, furniture, generator) for n in range(objects))
    goal = []
    for item in generator.sample(items, moves):
        others = [place for place in furniture if place.name != item.place]
        goal.append((item.name, generator.choice(others).name))
    return Household(
        rooms, _doorways(rooms, generator), furniture, items, generator.choice(rooms), tuple(goal)
    )


def restricted(house: Household, extra: Iterable[str] = ()) -> Household:
    """What a person would leave of a house who knows what the task needs.

    The items to move, where they are and where they go, the rooms and doorways on shortest ways
    between these, boxes around them and keys and tools for what is locked or sealed; where
    something must be put aside (a key, a tool, what stands in the way), also the surfaces in those
    rooms.

    Arguments:
        house: the whole.
        extra: more receptacles to keep.
    """
    items, places = _needed(house, extra)
    wanted = {house.receptacle[place].room for place in places} | {house.start}
    rooms = _rooms_between(house, wanted)
    if any(_needs_space_aside(house.receptacle[place]) for place in places):
        places |= {r.name for r in house.receptacles if r.room in rooms and r.kind is Kind.SURFACE}
    return replace(
        house,
        rooms=tuple(room for room in house.rooms if room in rooms),
        doorways=tuple(d for d in house.doorways if d[0] in rooms and d[1] in rooms),
        receptacles=tuple(r for r in house.receptacles if r.name in places),
        items=tuple(item for item in house.items if item.name in items),
        fits=tuple(pair for pair in house.fits if pair[0] in items and pair[1] in places),
    )


def distances(house: Household, start: str) -> dict[str, int]:
    """Number of doorways from a room to each room."""
    neighbours = _neighbours(house)
    steps = {start: 0}
    waiting = deque([start])
    while waiting:
        room = waiting.popleft()
        for other in neighbours[room]:
            if other not in steps:
                steps[other] = steps[room] + 1
                waiting.append(other)
    return steps


def _receptacle(number: int, rooms: tuple[str, ...], generator: random.Random) -> Receptacle:
    kind = Kind.CONTAINER if number % 3 == 2 else Kind.SURFACE
    closed = kind is Kind.CONTAINER and generator.random() < 0.7
    category = generator.choice(CATEGORIES[kind])
    return Receptacle(f"{category}_{number}", kind, category, rooms[number % len(rooms)], closed)


def _item(number: int, furniture: tuple[Receptacle, ...], generator: random.Random) -> Item:
    kind = Kind.CUP if generator.random() < CUPS else Kind.ITEM
    category = generator.choice(CATEGORIES[kind])
    return Item(f"{category}_{number}", kind, category, generator.choice(furniture).name)


def columns_of(rooms: int) -> int:
    """How many rooms stand side by side in the grid."""
    return math.ceil(math.sqrt(rooms))


def _doorways(rooms: tuple[str, ...], generator: random.Random) -> tuple[tuple[str, str, str], ...]:
    """Doorways in the walls of the grid: enough to reach every room, and some besides."""
    columns = columns_of(len(rooms))
    walls = [(n, n + 1) for n in range(len(rooms) - 1) if (n + 1) % columns]
    walls += [(n, n + columns) for n in range(len(rooms) - columns)]
    generator.shuffle(walls)
    group = list(range(len(rooms)))
    joined = []
    for a, b in walls:
        if group[a] != group[b]:
            group = [group[a] if g == group[b] else g for g in group]
            joined.append((a, b))
        elif generator.random() < DOORWAYS_BESIDES:
            joined.append((a, b))
    return tuple((rooms[a], rooms[b], f"doorway_{a}_{b}") for a, b in sorted(joined))


def _neighbours(house: Household) -> dict[str, list[str]]:
    neighbours: dict[str, list[str]] = {room: [] for room in house.rooms}
    for a, b, _ in house.doorways:
        neighbours[a].append(b)
        neighbours[b].append(a)
    return neighbours


def _needed(house: Household, extra: Iterable[str]) -> tuple[set[str], set[str]]:
    """The items and receptacles that the task speaks of, closed under what it takes to use them."""
    items: set[str] = set()
    places: set[str] = set()
    new_items = [item for item, _ in house.goal]
    new_places = [place for _, place in house.goal] + list(extra)
    tools = [item.name for item in house.items if item.kind is Kind.CROWBAR]
    occupant = {item.place: item.name for item in house.items}
    while new_items or new_places:
        if new_items:
            name = new_items.pop()
            if name not in items:
                items.add(name)
                place = house.item[name].place
                (new_items if place in house.item else new_places).append(place)
        else:
            place = house.receptacle[new_places.pop()]
            if place.name not in places:
                places.add(place.name)
                new_items += [key for key, lock in house.fits if lock == place.name]
                if place.sealed:
                    new_items += tools
                if place.kind is Kind.PEDESTAL and place.name in occupant:
                    new_items.append(occupant[place.name])
    return items, places


def _needs_space_aside(place: Receptacle) -> bool:
    return place.kind is Kind.PEDESTAL or place.locked or place.sealed


def _rooms_between(house: Household, wanted: set[str]) -> set[str]:
    """The wanted rooms and those on one shortest way between each two of them."""
    neighbours = _neighbours(house)
    kept = set(wanted)
    for start in sorted(wanted):
        steps = distances(house, start)
        for end in wanted:
            room = end
            while room != start:
                kept.add(room)
                room = next(other for other in neighbours[room] if steps[other] == steps[room] - 1)
    return kept
