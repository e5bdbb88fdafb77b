# SPDX-License-Identifier: Apache-2.0
"""Scenes of any size for the measurements; the same each time."""

from __future__ import annotations

import math
import random

from fcp_ros.scene import Layer, Pose, SceneDelta, SceneGraph, SceneNode

_ROOM = 6.0
_THINGS_A_ROOM = 40
_FURNITURE_A_ROOM = 6

TABLES, ITEMS = 14, 184
"""Tables of a room and things on them, in scenes that change."""
ROOM, TABLE, ITEM, TOP = 10.0, (1.2, 1.2, 0.7), (0.1, 0.1, 0.1), 0.7
CATEGORIES = ("mug", "apple", "book", "plate")

Place = tuple[int, int, int]
"""Room, table and spot on it."""


def furnished(count: int, seed: int = 0) -> SceneGraph:
    """Build a scene of ``count`` objects, 40 a room, with things on, in and under furniture."""
    chance = random.Random(seed)
    rooms = max(1, count // _THINGS_A_ROOM)
    wide = math.ceil(math.sqrt(rooms))
    nodes: list[SceneNode] = []
    for number in range(rooms):
        x, y = (number % wide) * (_ROOM + 0.2), (number // wide) * (_ROOM + 0.2)
        corners = ((x, y), (x + _ROOM, y), (x + _ROOM, y + _ROOM), (x, y + _ROOM))
        nodes.append(SceneNode(f"room_{number}", Layer.ROOM, "room", polygon=corners, height=2.5))
        nodes += _things(chance, number, x, y)
    nodes.append(SceneNode("robot_1", Layer.AGENT, "robot", pose=Pose.at(1.0, 1.0, 0.0)))
    return SceneGraph.of(nodes)


def _things(chance: random.Random, room: int, x: float, y: float) -> list[SceneNode]:
    things = []
    spots = []
    for number in range(_THINGS_A_ROOM):
        id_ = f"thing_{room}_{number}"
        yaw = chance.uniform(-3.0, 3.0)
        if number < _FURNITURE_A_ROOM:
            at = x + chance.uniform(0.8, 5.2), y + chance.uniform(0.8, 5.2)
            spots.append(at)
            label = chance.choice(["table", "shelf", "cabinet", "couch"])
            pose, size = Pose.at(*at, 0.4, yaw), (1.2, 0.7, 0.8)
        else:
            beside = chance.choice(spots)
            height = chance.choice([0.85, 0.85, 0.4, 0.05])
            at = beside[0] + chance.uniform(-0.3, 0.3), beside[1] + chance.uniform(-0.3, 0.3)
            label = chance.choice(["mug", "book", "box"])
            pose, size = Pose.at(*at, height, yaw), (0.1, 0.12, 0.1)
        things.append(SceneNode(id_, Layer.OBJECT, label, pose=pose, size=size))
    return things


class ChangingScene:
    """A row of rooms with tables and things on them, as a source sends it.

    Args:
        rooms: How many rooms, each with ``TABLES`` tables and ``ITEMS`` things.
    """

    def __init__(self, rooms: int) -> None:
        self._rooms = rooms
        self._random = random.Random(1)
        self._fresh = 0
        self.nodes: dict[str, SceneNode] = {}
        self._free: list[Place] = []
        self._places: dict[str, Place] = {}
        for room in range(rooms):
            self._furnish(room)
        self._ids = list(self._places)

    def graph(self) -> SceneGraph:
        """Build a full update."""
        return SceneGraph.of(self.nodes.values(), source="benchmark", sequence=1)

    def delta(self, number: int) -> SceneDelta:
        """Change ten elements: 5 carried, 2 pushed by 3 cm, 1 relabelled, 1 removed and 1 new."""
        numbers = self._random.sample(range(len(self._ids)), 9)
        chosen = [self._ids[number] for number in numbers]
        upserted = [self._put(id_, self._new_place(id_)) for id_ in chosen[:5]]
        for id_ in chosen[5:7]:
            upserted.append(self._put(id_, self._places[id_], shift=0.03))
        relabelled = self.nodes[chosen[7]]
        other = "book" if relabelled.category != "book" else "mug"
        upserted.append(self._put(chosen[7], self._places[chosen[7]], category=other))
        self._fresh += 1
        new = f"new_{self._fresh}"
        place = self._places.pop(chosen[8])
        del self.nodes[chosen[8]]
        self._places[new] = place
        upserted.append(self._put(new, place, category="apple"))
        self._ids[numbers[8]] = new
        return SceneDelta(number, tuple(upserted), (chosen[8],))

    def _furnish(self, room: int) -> None:
        x, y = ROOM * (room % 25), ROOM * (room // 25)
        corners = ((x, y), (x + ROOM, y), (x + ROOM, y + ROOM), (x, y + ROOM))
        id_ = f"room_{room}"
        centre = Pose.at(x + ROOM / 2, y + ROOM / 2, 1.25)
        self.nodes[id_] = SceneNode(
            id_, Layer.ROOM, "room", pose=centre, polygon=corners, height=2.5
        )
        for table in range(TABLES):
            at = self._table(room, table)
            name = f"table_{room}_{table}"
            self.nodes[name] = SceneNode(
                name, Layer.OBJECT, "table", pose=Pose.at(*at, TOP / 2), size=TABLE
            )
        spots = [(room, table, spot) for table in range(TABLES) for spot in range(25)]
        for number, place in enumerate(spots):
            if number % 25 < 14 and number // 25 * 14 + number % 25 < ITEMS:
                item = f"item_{room}_{number}"
                self._places[item] = place
                self._put(item, place, category=CATEGORIES[number % 4])
            else:
                self._free.append(place)

    def _table(self, room: int, table: int) -> tuple[float, float]:
        x, y = ROOM * (room % 25), ROOM * (room // 25)
        return x + 1.5 + 2.0 * (table % 4), y + 1.5 + 2.0 * (table // 4)

    def _new_place(self, id_: str) -> Place:
        at = self._random.randrange(len(self._free))
        self._places[id_], self._free[at] = self._free[at], self._places[id_]
        return self._places[id_]

    def _put(self, id_: str, place: Place, shift: float = 0.0, category: str = "") -> SceneNode:
        x, y = self._table(*place[:2])
        position = (x - 0.4 + 0.2 * (place[2] % 5) + shift, y - 0.4 + 0.2 * (place[2] // 5))
        pose = Pose.at(*position, TOP + ITEM[2] / 2)
        label = category or self.nodes[id_].category
        node = SceneNode(id_, Layer.OBJECT, label, pose=pose, size=ITEM)
        self.nodes[id_] = node
        return node
