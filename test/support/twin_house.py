# SPDX-License-Identifier: Apache-2.0
"""Compares a scene with the truth about the twin house, to the centimetre and the degree.

What a format has no words for is listed in `Lacks`; everything else must be there, and right.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene import Layer, SceneGraph, SceneNode
from fcp_ros.scene.shapes.polygons import bounds, footprint_of

CENTIMETRE = 0.01
DEGREE = 1.0
NOT_FURNITURE = ("door", "doorway", "passage", "floor", "ceiling", "wall")

Truth = Mapping[str, Any]


@dataclass(frozen=True)
class Lacks:
    """What a format can't express.

    Attributes:
        ids: elements have other ids; they are told by category and place (or room).
        labels: true category -> what the format calls it.
        rooms, outlines, heights: no rooms at all; no outline; no height of theirs.
        doors, door_boxes: no doors (a passage may stand for one); no boxes of theirs.
        positions, sizes: of objects; levels: of their centres, only x and y are known.
        turns: boxes are upright and parallel to the axes: the surrounding box is compared.
        yaws: boxes have their own extents, but not how they are turned.
        rounding: positions and extents are multiples of this (m).
        states: attributes such as is_open.
        on_or_inside: one word for both; what rests where is compared, not how.
        relations: names of relations that the format neither has nor lets one derive.
    """

    ids: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    rooms: bool = False
    outlines: bool = False
    heights: bool = False
    doors: bool = False
    door_boxes: bool = False
    positions: bool = False
    levels: bool = False
    sizes: bool = False
    turns: bool = False
    yaws: bool = False
    rounding: float = 0.0
    states: bool = False
    on_or_inside: bool = False
    relations: frozenset[str] = frozenset()


def truth_of(file: Path) -> Truth:
    """The truth as its file has it."""
    document: Truth = json.loads(file.read_text(encoding="utf-8"))
    return document


def differences(graph: SceneGraph, truth: Truth, lacks: Lacks = Lacks()) -> list[str]:
    """What is wrong or missing in a completed scene, a sentence each; empty if it is the house."""
    names: dict[str, str] = {}
    found = [
        *_rooms(graph, truth, lacks, names),
        *_objects(graph, truth, lacks, names),
        *_doors(graph, truth, lacks, names),
    ]
    return found if found else list(_relations(graph, truth, lacks, names))


def _label(category: str, lacks: Lacks) -> str:
    return normalise_label(lacks.labels.get(category, category))


def _match(
    entries: list[Any], nodes: list[SceneNode], lacks: Lacks, names: dict[str, str], what: str
) -> Iterator[str]:
    """Which node is which entry of the truth: by id, else by label, the nearest first."""
    free = {node.id: node for node in nodes}
    for entry in entries:
        id_ = entry["id"]
        if not lacks.ids:
            if id_ in free:
                names[id_] = free.pop(id_).id
            else:
                yield f"{what} {id_} is missing (there are {sorted(free)})"
            continue
        label = _label(entry["cls"], lacks)
        same = [node for node in free.values() if normalise_label(node.category) == label]
        if not same:
            labels = sorted({normalise_label(node.category) for node in free.values()})
            yield f"no {what} is labelled {label!r} for {id_} (left are {labels})"
            continue
        best = min(same, key=lambda node: _distance(node, entry.get("center")))
        names[id_] = free.pop(best.id).id
    if free:
        yield f"there are other {what}s: {sorted(free)}"


def _distance(node: SceneNode, centre: list[float] | None) -> float:
    return math.dist(node.pose.position, centre) if node.pose and centre else 0.0


def _rooms(graph: SceneGraph, truth: Truth, lacks: Lacks, names: dict[str, str]) -> Iterator[str]:
    if lacks.rooms:
        return
    yield from _match(truth["rooms"], list(graph.in_layer(Layer.ROOM)), lacks, names, "room")
    for entry in truth["rooms"]:
        room = graph.nodes.get(names.get(entry["id"], ""))
        if room is None:
            continue
        yield from _labelled(room, entry, lacks)
        if not lacks.outlines:
            outline = footprint_of(room)
            if len(outline) != len(entry["polygon"]):
                yield f"{room.id} has {len(outline)} corners, not {len(entry['polygon'])}"
            for corner in entry["polygon"]:
                if not outline or min(math.dist(corner, c) for c in outline) > CENTIMETRE:
                    yield f"{room.id} has no corner at {corner}: {outline}"
        if not lacks.heights and not _close(room.height, entry["height"]):
            yield f"{room.id} is {room.height} m high, not {entry['height']}"


def _doors(graph: SceneGraph, truth: Truth, lacks: Lacks, names: dict[str, str]) -> Iterator[str]:
    if lacks.doors:
        return
    doors = [n for n in graph.in_layer(Layer.OBJECT) if normalise_label(n.category) == "door"]
    entries = [{"cls": "door", **entry} for entry in truth["doors"]]
    yield from _match(entries, doors, lacks, names, "door")
    for entry in entries:
        door = graph.nodes.get(names.get(entry["id"], ""))
        if door is None:
            continue
        if not lacks.states and door.attributes.get("is_open") is not entry["open"]:
            yield f"{door.id} has the attributes {dict(door.attributes)}"
        if not lacks.door_boxes:
            yield from _placed(door, entry, lacks)


def _objects(graph: SceneGraph, truth: Truth, lacks: Lacks, names: dict[str, str]) -> Iterator[str]:
    things = [
        node
        for node in graph.in_layer(Layer.OBJECT)
        if normalise_label(node.category) not in NOT_FURNITURE
    ]
    yield from _match(truth["objects"], things, lacks, names, "object")
    for entry in truth["objects"]:
        node = graph.nodes.get(names.get(entry["id"], ""))
        if node is None:
            continue
        yield from _labelled(node, entry, lacks)
        yield from _placed(node, entry, lacks)
        if not lacks.states:
            for name, value in entry["state"].items():
                if node.attributes.get(name) is not value:
                    yield f"{node.id} has the attributes {dict(node.attributes)}"


def _labelled(node: SceneNode, entry: Any, lacks: Lacks) -> Iterator[str]:
    if normalise_label(node.category) != _label(entry["cls"], lacks):
        yield f"{node.id} is labelled {node.category!r}, not {_label(entry['cls'], lacks)!r}"


def _placed(node: SceneNode, entry: Any, lacks: Lacks) -> Iterator[str]:
    if not lacks.positions:
        if node.pose is None:
            yield f"{node.id} has no pose"
            return
        axes = 2 if lacks.levels else 3
        allowed = CENTIMETRE + lacks.rounding / 2.0 * math.sqrt(axes)
        if math.dist(node.pose.position[:axes], entry["center"][:axes]) > allowed:
            yield f"{node.id} is at {node.pose.position}, not {entry['center']}"
    if lacks.sizes:
        return
    if node.size is None:
        yield f"{node.id} has no size"
        return
    if lacks.turns:
        yield from _surrounded(node, entry)
        return
    extents = zip(node.size, entry["size"], strict=True)
    if any(abs(a - b) > CENTIMETRE + lacks.rounding / 2.0 for a, b in extents):
        yield f"{node.id} has the size {node.size}, not {entry['size']}"
    if node.pose is not None and not lacks.yaws:
        off = (math.degrees(node.pose.yaw) - entry.get("yaw_deg", 0.0) + 180.0) % 360.0 - 180.0
        if abs(off) > DEGREE:
            yield f"{node.id} is turned by {math.degrees(node.pose.yaw)} degrees"


def _surrounded(node: SceneNode, entry: Any) -> Iterator[str]:
    if node.pose is None or node.size is None or "aabb_min" not in entry:
        return
    middle, half = node.pose.position[2], node.size[2] / 2.0
    x0, y0, x1, y1 = bounds(footprint_of(node))
    found = (x0, y0, middle - half, x1, y1, middle + half)
    wanted = (*entry["aabb_min"], *entry["aabb_max"])
    if not all(map(_close, found, wanted)):
        yield f"{node.id} is surrounded by {found}, not {wanted}"


def _relations(
    graph: SceneGraph, truth: Truth, lacks: Lacks, names: dict[str, str]
) -> Iterator[str]:
    back = {ours: theirs for theirs, ours in names.items()}
    compared = {"on", "inside", "in_room", "connected"} - lacks.relations
    apart = {entry["id"] for entry in truth["doors"]}
    found = set()
    for relation in graph.relations:
        legs = tuple(back.get(element, element) for element in relation.elements)
        if relation.name == "connected":
            found.add(("connected", *legs[:2]))
        elif set(legs) <= set(back.values()) - apart:
            found.add((relation.name, *legs))
    wanted = {tuple(entry) for entry in truth["relations"]}
    wanted |= {(name, b, a) for name, a, b, *_ in wanted if name == "connected"}
    wanted = {entry[:3] for entry in wanted}
    found = {_worded(entry, lacks) for entry in found if entry[0] in compared}
    wanted = {_worded(entry, lacks) for entry in wanted if entry[0] in compared}
    for entry in sorted(wanted - found):
        yield f"{entry} is missing"
    for entry in sorted(found - wanted):
        yield f"{entry} is not true"


def _worded(entry: tuple[str, ...], lacks: Lacks) -> tuple[str, ...]:
    if lacks.on_or_inside and entry[0] in ("on", "inside"):
        return ("on or inside", *entry[1:])
    return entry


def _close(found: float | None, wanted: float) -> bool:
    return found is not None and abs(found - wanted) <= CENTIMETRE
