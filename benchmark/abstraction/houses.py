# SPDX-License-Identifier: Apache-2.0
"""Houses of any size with dirty cups in them, for generalized plans; the same for the same seed.

A house has rooms joined by doors (a random tree and some doors more), surfaces and cupboards in
them, items on and in these, one robot and one dishwasher. Cupboards and dishwasher may be closed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import load_domain
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.model import Domain

DOMAIN_FILE = Path(__file__).parent / "household.yaml"
POLICY_FILE = Path(__file__).parent / "household_policy.yaml"
GOAL = "exists ?d: dishwasher (forall ?c: cup (not dirty(?c) or located(?c, ?d)))"
FEWEST = 5
"""A house has a robot, a room, a dishwasher, another place, and a cup at least."""
DOORS_BESIDES = 0.3
"""Doors besides those of the tree, for each room."""
SHARE_CLOSED = 0.7
"""Of the containers."""
SHARE_CUPS, SHARE_DIRTY = 0.3, 0.5
"""Of the items, and of the cups."""
MOST_DIRTY = 40
"""Dirty cups of a house at most: a house of 5,000 things needs some 4,000 steps for them."""


@dataclass(frozen=True, slots=True)
class House:
    """A house as an instance of the domain, with its goal."""

    name: str
    instance: Instance
    goal: Expression
    dirty: int


def read_house_domain() -> Domain:
    """Read the domain of the houses."""
    return load_domain(DOMAIN_FILE)


def draw_house(
    domain: Domain, things: int, seed: int, rooms: int | None = None, places: int | None = None
) -> House:
    """Draw a house.

    Args:
        domain: of the houses.
        things: number of elements, at least `FEWEST`.
        seed: the same house for the same seed.
        rooms: number of rooms; the more the larger the house by default.
        places: number of pieces of furniture, some five for each room by default.
    """
    draw = random.Random(f"{things} {seed}")
    rooms = rooms or max(1, things // 25 if things >= 100 else things // 8)
    places = places or max(2, min(5 * rooms, (things - rooms) // 2))
    builder = InstanceBuilder(domain.schema)
    room_ids = [builder.add("room", f"room_{number}") for number in range(1, rooms + 1)]
    _join_rooms(builder, room_ids, draw)
    place_ids = _furnish(builder, room_ids, places, draw)
    robot = builder.add("robot", "robot_1")
    builder.relate("at", robot, draw.choice(room_ids))
    dirty = _add_items(builder, place_ids, things - rooms - places - 1, draw)
    instance = builder.build()
    return House(f"house_{things}_{seed}", instance, check_house_goal(domain, instance), dirty)


def check_house_goal(domain: Domain, instance: Instance) -> Expression:
    """Return the goal for a house."""
    return check_goal(parse_expression(GOAL), domain, instance, GOAL)


def _join_rooms(builder: InstanceBuilder, rooms: list[int], draw: random.Random) -> None:
    doors = {
        # A room's neighbour is one of the few before it: houses are long, not stars.
        (draw.choice(rooms[max(0, number - 4) : number]), rooms[number])
        for number in range(1, len(rooms))
    }
    for _ in range(int(DOORS_BESIDES * len(rooms))):
        first, second = sorted(draw.sample(rooms, 2)) if len(rooms) > 1 else (0, 0)
        if abs(first - second) <= 8 and first != second:
            doors.add((first, second))
    for first, second in sorted(doors):
        _link(builder, first, second)


def _furnish(
    builder: InstanceBuilder, rooms: list[int], places: int, draw: random.Random
) -> list[int]:
    """Add furniture; return it, without what stays closed to items at the beginning."""
    found = []
    for number in range(1, places + 1):
        kind = "dishwasher" if number == 1 else draw.choice(("surface", "surface", "container"))
        place = builder.add(kind, f"{kind}_{number}")
        _link(builder, draw.choice(rooms), place)
        if kind != "surface" and draw.random() < SHARE_CLOSED:
            builder.relate("closed", place)
        if number > 1:
            found.append(place)
    return found


def _add_items(builder: InstanceBuilder, places: list[int], items: int, draw: random.Random) -> int:
    """Add items, the first of which is a dirty cup; return the number of dirty cups."""
    dirty = 0
    for number in range(1, items + 1):
        is_cup = number == 1 or draw.random() < SHARE_CUPS
        item = builder.add("cup" if is_cup else "item", f"{'cup' if is_cup else 'item'}_{number}")
        builder.relate("located", item, draw.choice(places))
        if is_cup and dirty < MOST_DIRTY and (number == 1 or draw.random() < SHARE_DIRTY):
            builder.relate("dirty", item)
            dirty += 1
    return dirty


def _link(builder: InstanceBuilder, first: int, second: int) -> None:
    builder.relate("linked", first, second)
    builder.relate("linked", second, first)
