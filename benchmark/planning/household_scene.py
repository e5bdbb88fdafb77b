# SPDX-License-Identifier: Apache-2.0
"""A house as a scene graph in the canonical format, with poses and boxes that agree with it."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmark.planning.household import ROBOT, Household, Item, Kind, Receptacle, columns_of

ROOM_SIZE = (8.0, 6.0, 2.5)
PLACE_SIZE = {
    Kind.SURFACE: (1.2, 0.7, 0.75),
    Kind.CONTAINER: (1.0, 0.6, 1.2),
    Kind.PEDESTAL: (0.4, 0.4, 1.0),
}
ITEM_SIZE = (0.08, 0.08, 0.1)
BOX_SIZE = (0.3, 0.3, 0.3)
SPACING = 0.12
"""Distance (m) between the items on or in one receptacle."""

Document = dict[str, Any]
Place = tuple[float, float]


def write_scene(house: Household, path: Path) -> None:
    """Write a house as canonical JSON, one node and one relation a line."""
    document = scene_document(house)
    parts = [
        f'"{key}": [\n  ' + ",\n  ".join(json.dumps(entry) for entry in document[key]) + "\n ]"
        for key in ("nodes", "relations")
    ]
    path.write_text(
        '{"format": "fcp_ros/scene", "version": 1, "frame_id": "map",\n '
        + ",\n ".join(parts)
        + "}\n",
        encoding="utf-8",
    )


def scene_document(house: Household) -> Document:
    """The scene graph as plain values of the canonical format."""
    corners = _corners(house)
    nodes: list[Document] = [_room(room, corners[room]) for room in house.rooms]
    nodes += [_doorway(a, b, name, corners) for a, b, name in house.doorways]
    centres = _centres(house, corners)
    nodes += [_receptacle(place, centres[place.name]) for place in house.receptacles]
    nodes += _items(house, centres)
    x, y = corners[house.start]
    nodes.append(
        {
            "id": ROBOT,
            "layer": "agent",
            "category": "robot",
            "position": [x + 0.5, y + 0.5, 0.0],
            "parents": [house.start],
        }
    )
    relations: list[list[str]] = [["connected", a, b, name] for a, b, name in house.doorways]
    for item in house.items:
        relations.append(["inside" if _is_in(house, item) else "on", item.name, item.place])
    relations += [["opens", key, lock] for key, lock in house.fits]
    return {"nodes": nodes, "relations": relations}


def _is_in(house: Household, item: Item) -> bool:
    return item.place in house.item or house.receptacle[item.place].kind is Kind.CONTAINER


def _corners(house: Household) -> dict[str, Place]:
    """Lower left corner (m) of each room; its number says where in the grid it is."""
    numbers = {room: int(room.rpartition("_")[2]) for room in house.rooms}
    columns = columns_of(max(numbers.values()) + 1)
    return {
        room: (number % columns * ROOM_SIZE[0], number // columns * ROOM_SIZE[1])
        for room, number in numbers.items()
    }


def _room(name: str, corner: Place) -> Document:
    (x, y), (width, depth, height) = corner, ROOM_SIZE
    polygon = [[x, y], [x + width, y], [x + width, y + depth], [x, y + depth]]
    return {"id": name, "layer": "room", "category": "room", "polygon": polygon, "height": height}


def _doorway(a: str, b: str, name: str, corners: dict[str, Place]) -> Document:
    middle = [(one + two) / 2.0 for one, two in zip(corners[a], corners[b], strict=True)]
    position = [middle[0] + ROOM_SIZE[0] / 2.0, middle[1] + ROOM_SIZE[1] / 2.0, 1.0]
    return {
        "id": name,
        "layer": "object",
        "category": "doorway",
        "position": position,
        "size": [0.9, 0.9, 2.0],
    }


def _centres(house: Household, corners: dict[str, Place]) -> dict[str, Place]:
    """Where each receptacle stands: in rows, clear of each other and of the walls."""
    in_room: dict[str, list[str]] = defaultdict(list)
    for place in house.receptacles:
        in_room[place.room].append(place.name)
    centres = {}
    for room, names in in_room.items():
        columns = math.ceil(math.sqrt(len(names)))
        rows = math.ceil(len(names) / columns)
        for number, name in enumerate(names):
            centres[name] = (
                corners[room][0] + (number % columns + 0.5) * ROOM_SIZE[0] / columns,
                corners[room][1] + (number // columns + 0.5) * ROOM_SIZE[1] / rows,
            )
    return centres


def _receptacle(place: Receptacle, centre: Place) -> Document:
    size = PLACE_SIZE[place.kind]
    node: Document = {
        "id": place.name,
        "layer": "object",
        "category": place.category,
        "position": [round(centre[0], 3), round(centre[1], 3), size[2] / 2.0],
        "size": list(size),
        "parents": [place.room],
    }
    if place.kind is Kind.CONTAINER:
        node["attributes"] = {"is_open": not place.closed}
        if place.locked:
            node["attributes"]["is_locked"] = True
        if place.sealed:
            node["attributes"]["is_sealed"] = True
    return node


def _items(house: Household, centres: dict[str, Place]) -> list[Document]:
    """Items in rows on the tops and on the bottoms of what they are on and in."""
    count: dict[str, int] = defaultdict(int)
    nodes = []
    for item in house.items:
        place = house.furniture_of(item.name)
        number = count[place.name]
        count[place.name] += 1
        width, depth, height = PLACE_SIZE[place.kind]
        columns, rows = max(1, int(width / SPACING) - 1), max(1, int(depth / SPACING) - 1)
        column, row = number % columns, number // columns % rows
        size = BOX_SIZE if item.kind is Kind.BOX else ITEM_SIZE
        bottom = 0.05 if place.kind is Kind.CONTAINER else height
        x = centres[place.name][0] + (column - (columns - 1) / 2.0) * SPACING
        y = centres[place.name][1] + (row - (rows - 1) / 2.0) * SPACING
        node: Document = {
            "id": item.name,
            "layer": "object",
            "category": item.category,
            "position": [round(x, 3), round(y, 3), round(bottom + size[2] / 2.0, 3)],
            "size": list(size),
            "parents": [place.room],
        }
        if item.kind is Kind.BOX:
            node["attributes"] = {"is_open": not item.closed}
        nodes.append(node)
    return nodes
