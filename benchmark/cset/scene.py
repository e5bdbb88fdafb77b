# SPDX-License-Identifier: Apache-2.0
"""The workload of the C-set benchmark: objects on surfaces in rooms with doors, as arrays."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.cset import Instance, InstanceBuilder, Relation, Schema

Ids = NDArray[np.int64]

SCHEMA = Schema(
    "scene",
    {"object": (), "surface": (), "room": ()},
    relations=(
        Relation("on", (("object", "object"), ("surface", "surface")), ("object",)),
        Relation("inside", (("surface", "surface"), ("room", "room")), ("surface",), static=True),
        Relation("door", (("a", "room"), ("b", "room")), static=True),
    ),
)


@dataclass(frozen=True)
class Scene:
    """Where everything is, by number.

    Attributes:
        surface_of: the surface of each object.
        room_of: the room of each surface.
        doors: (room, neighbouring room) pairs, each door twice, sorted.
    """

    surface_of: Ids
    room_of: Ids
    doors: Ids

    @classmethod
    def random(cls, objects: int, seed: int = 1) -> Scene:
        """Ten objects a surface, ten surfaces a room, some 2.5 neighbours a room, on average."""
        generator = random.Random(seed)
        surfaces, rooms = max(1, objects // 10), max(2, objects // 100)
        doors: set[tuple[int, int]] = set()
        for room in range(1, rooms):
            other = generator.randrange(max(0, room - 5), room)
            doors |= {(room, other), (other, room)}
        for _ in range(rooms // 4):
            room, other = generator.sample(range(rooms), 2)
            doors |= {(room, other), (other, room)}
        return cls(
            np.array([generator.randrange(surfaces) for _ in range(objects)]),
            np.array([generator.randrange(rooms) for _ in range(surfaces)]),
            np.array(sorted(doors)),
        )

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many objects, surfaces and rooms there are."""
        return len(self.surface_of), len(self.room_of), int(self.doors.max()) + 1

    def instance(self) -> Instance:
        """The scene as an instance, built anew."""
        builder = InstanceBuilder(SCHEMA)
        objects, surfaces, rooms = (
            [builder.add(type_, f"{type_}_{number}") for number in range(count)]
            for type_, count in zip(SCHEMA.types, self.sizes, strict=True)
        )
        for item, surface in zip(objects, self.surface_of.tolist(), strict=True):
            builder.relate("on", item, surfaces[surface])
        for surface, room in zip(surfaces, self.room_of.tolist(), strict=True):
            builder.relate("inside", surface, rooms[room])
        for a, b in self.doors.tolist():
            builder.relate("door", rooms[a], rooms[b])
        return builder.build()


def pattern() -> Instance:
    """An object on a surface in a room, and a neighbouring room."""
    builder = InstanceBuilder(SCHEMA)
    item, surface = builder.add("object", "object"), builder.add("surface", "surface")
    room, neighbour = builder.add("room", "room"), builder.add("room", "neighbour")
    builder.relate("on", item, surface)
    builder.relate("inside", surface, room)
    builder.relate("door", room, neighbour)
    return builder.build()
