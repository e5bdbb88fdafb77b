# SPDX-License-Identifier: Apache-2.0
"""The houses of Context Matters: rooms, receptacles and items from Taskography, without geometry.

They lie in ``scenes_from_taskography.json``, which instances and problems refer to by name, and
can be read by themselves: ``scenes_from_taskography.json#Allensville``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.holders import refuse_cycles
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.validation import validated
from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

SCENES_FILE = "scenes_from_taskography.json"
ADVICE = "Copy the Context Matters data again."


class Room(BaseModel):
    """A room; ``label`` is its name."""

    id: int
    category: str
    label: str


class Thing(BaseModel):
    """A receptacle or an item, and what it lies on or in."""

    id: int
    cls: str
    kind: Literal["receptacle", "item"]
    size: str | None = None
    room: int
    holder: Annotated[int | None, Field(alias="in")] = None


class House(BaseModel):
    """A house; rooms and things have numbers of their own."""

    rooms: list[Room]
    objects: list[Thing]
    room_edges: list[tuple[int, int]]

    @property
    def size(self) -> int:
        """Number of nodes that it becomes."""
        return len(self.rooms) + len(self.objects)


@dataclass(frozen=True)
class HouseParts:
    """A house as nodes, relations and notes: instances add theirs before it becomes a graph."""

    nodes: list[SceneNode]
    relations: list[SceneRelation]
    notes: list[str]


def is_houses(file: SceneFile) -> bool:
    """Whether the document is a table of houses."""
    if not isinstance(file.document, dict) or not file.document:
        return False
    first = next(iter(file.document.values()))
    return isinstance(first, dict) and {"rooms", "objects", "room_edges"} <= first.keys()


def read_house_by_name(file: SceneFile) -> SceneGraph:
    """The graph of the house that the file's fragment names (the only one needs no name)."""
    houses = _houses(file)
    name = file.fragment or (next(iter(houses)) if len(houses) == 1 else "")
    if name not in houses:
        asked = f"there is no house {name!r}" if name else f"it holds {len(houses)} houses"
        raise SceneError(
            asked,
            source=str(file.path),
            advice=f"Name one of {list_names(sorted(houses))}: {file.path}#{next(iter(houses))}.",
        )
    house = houses[name]
    file.limits.check_nodes(house.size, file.name)
    parts = house_parts(house, name)
    return SceneGraph.of(parts.nodes, parts.relations, source=file.name, notes=parts.notes)


def houses_beside(file: SceneFile) -> dict[str, House]:
    """The houses by name, from the file of that name beside another."""
    return _houses(file.beside(SCENES_FILE))


def _houses(file: SceneFile) -> dict[str, House]:
    return validated(dict[str, House], file.document, str(file.path), ADVICE)


def house_parts(house: House, name: str) -> HouseParts:
    """A house's nodes and relations.

    Raises:
        SceneError: It refers to what it does not list, gives a number twice, or things lie in a
            circle.
    """
    for what, numbers in (
        ("rooms", [room.id for room in house.rooms]),
        ("objects", [thing.id for thing in house.objects]),
    ):
        if len(set(numbers)) < len(numbers):
            raise SceneError(f"two {what} have one number", element=name, advice=ADVICE)
    refuse_cycles({t.id: t.holder for t in house.objects if t.holder is not None}, ADVICE)
    try:
        return _parts(house)
    except KeyError as missing:
        raise SceneError(
            f"house {name} refers to {missing}, which it does not list", advice=ADVICE
        ) from None


def _parts(house: House) -> HouseParts:
    rooms = {room.id: room.label for room in house.rooms}
    nodes = [SceneNode(room.label, Layer.ROOM, room.category) for room in house.rooms]
    pairs = {frozenset(edge): edge for edge in house.room_edges}
    relations = [SceneRelation("connected", (rooms[a], rooms[b])) for a, b in pairs.values()]
    names = {thing.id: f"{thing.cls}_{thing.id}" for thing in house.objects}
    room_of = {thing.id: thing.room for thing in house.objects}
    notes = []
    for thing in house.objects:
        parents: tuple[str, ...] = ()
        if thing.holder is None:
            parents = (rooms[thing.room],)
        else:
            relations.append(SceneRelation("on", (names[thing.id], names[thing.holder])))
            if room_of[thing.holder] != thing.room:
                notes.append(
                    f"{names[thing.id]} is listed in {rooms[thing.room]} but lies on "
                    f"{names[thing.holder]} in {rooms[room_of[thing.holder]]}: "
                    "the latter is taken"
                )
        size = {} if thing.size is None else {"size_class": thing.size}
        nodes.append(
            SceneNode(names[thing.id], Layer.OBJECT, thing.cls, attributes=size, parents=parents)
        )
    return HouseParts(nodes, relations, notes)
