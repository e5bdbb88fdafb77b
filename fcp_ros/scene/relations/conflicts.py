# SPDX-License-Identifier: Apache-2.0
"""Given relations that the geometry of the scene contradicts; they are kept and noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from fcp_ros.foundation.labels import is_named, normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Provenance, SceneNode, SceneRelation
from fcp_ros.scene.relations.conditions.nearness import measure_box_distance
from fcp_ros.scene.relations.derivation import Derivation, Place
from fcp_ros.scene.relations.structure import find_room_parents
from fcp_ros.scene.shapes.boxes import Boxes
from fcp_ros.scene.shapes.pairs import find_points_in_rectangles

# --- two detections of one thing: the same label, and boxes ---

SHARED = 0.5
"""Least volume that the boxes share, by the volume of both together: stacked bowls share less."""


def describe_doubles(nodes: Mapping[str, SceneNode], boxes: Boxes) -> list[str]:
    """Write a note on the pairs that are probably one thing; empty without any."""
    pairs = [f"{one} and {other}" for one, other in find_doubles(nodes, boxes)]
    if not pairs:
        return []
    return [
        "probably one thing that was detected twice (the same label, boxes in one place): "
        f"{list_names(pairs)}"
    ]


def find_doubles(nodes: Mapping[str, SceneNode], boxes: Boxes) -> Iterator[tuple[str, str]]:
    """Yield pairs of ids with the same label whose upright boxes share at least ``SHARED``."""
    labels: dict[str, int] = {}
    numbers = np.empty(len(boxes.ids), dtype=np.intp)
    for index, id_ in enumerate(boxes.ids):
        label = normalise_label(nodes[id_].category)
        numbers[index] = labels.setdefault(label, len(labels)) if is_named(label) else -1 - index
    if len(labels) == len(boxes.ids):
        return
    low, high = boxes.bounds()
    for item, other in find_points_in_rectangles(boxes.centre[:, :2], low, high):
        alike = (item < other) & (numbers[item] == numbers[other])
        item, other = item[alike], other[alike]
        bottom = np.maximum(boxes.bottom(item), boxes.bottom(other))
        top = np.minimum(boxes.top(item), boxes.top(other))
        lower, upper = np.maximum(low[item], low[other]), np.minimum(high[item], high[other])
        shared = np.clip(upper - lower, 0.0, None).prod(axis=1) * np.clip(top - bottom, 0.0, None)
        both = sum(
            (high[which] - low[which]).prod(axis=1) * (boxes.top(which) - boxes.bottom(which))
            for which in (item, other)
        )
        for row in np.flatnonzero((shared > 0.0) & (shared >= SHARED * (both - shared))).tolist():
            yield boxes.ids[item[row]], boxes.ids[other[row]]


# --- given relations that the geometry of the scene contradicts ---


@dataclass(frozen=True)
class RelationConflict:
    """A given relation that the geometry contradicts.

    Attributes:
        given: The relation as given; it is in the completed graph.
        found: The relation by geometry; None if geometry only contradicts the given one.
        reason: The difference of the two, as a clause.
    """

    given: SceneRelation
    found: SceneRelation | None
    reason: str


def find_support_conflicts(derivation: Derivation) -> Iterator[RelationConflict]:
    """Yield things drawn on or inside another thing than the given one.

    Inside a drawer does not contradict inside the fridge that the drawer is in.
    """
    containers = derivation.by_boxes["inside"]
    for name, places in derivation.by_boxes.items():
        if name == "under":
            continue
        for item, place in places.items():
            given = derivation.find_given_place(name, item)
            if given is None or derivation.given.find("holding", item) is not None:
                continue
            holder = given.elements[1]
            if holder == place.holder or (name == "inside" and given.name == "on"):
                continue
            if holder in _find_enclosing(
                place.holder, containers
            ) or place.holder in _find_enclosing(holder, containers):
                continue
            found = SceneRelation(name, (item, place.holder), place.confidence, place.provenance)
            yield RelationConflict(given, found, "support")


def find_distance_conflicts(
    given: Iterable[SceneRelation], boxes: Boxes, most: float
) -> Iterator[RelationConflict]:
    """Yield things given on or inside a thing that is drawn more than ``most`` metres away."""
    number = {id_: index for index, id_ in enumerate(boxes.ids)}
    stated = [
        relation
        for relation in given
        if relation.name in ("on", "inside")
        and len(relation.elements) == 2
        and relation.elements[0] in number
        and relation.elements[1] in number
    ]
    if not stated:
        return
    items = np.array([number[relation.elements[0]] for relation in stated])
    holders = np.array([number[relation.elements[1]] for relation in stated])
    away = measure_box_distance(boxes, items, holders)
    for relation, distance in zip(stated, away.tolist(), strict=True):
        if distance > most:
            yield RelationConflict(relation, None, f"drawn {distance:.2g} m apart")


def find_room_conflicts(derivation: Derivation) -> Iterator[RelationConflict]:
    """Yield things drawn in another room than given, or than the hierarchy says."""
    nodes = derivation.nodes
    above: dict[str, tuple[str, ...]] = {}
    stated = [
        id_
        for id_, place in derivation.room_of.items()
        if place.provenance is Provenance.GIVEN
        or (nodes[id_].parents and find_room_parents(nodes[id_], nodes, above) == (place.holder,))
    ]
    for id_, (room, confidence) in derivation.find_containing(stated).items():
        place = derivation.room_of[id_]
        if place.holder == room:
            continue
        name = "at" if derivation.given.find("at", id_) is not None else "in_room"
        yield RelationConflict(
            SceneRelation(name, (id_, place.holder), 1.0, place.provenance),
            SceneRelation(name, (id_, room), confidence, Provenance.GEOMETRIC),
            "room",
        )


def describe_conflicts(conflicts: Iterable[RelationConflict]) -> list[str]:
    """Write one sentence for each kind of conflict."""
    lines: dict[str, dict[str, None]] = {}
    for conflict in conflicts:
        item, holder, *_ = conflict.given.elements
        if conflict.found is None:
            text, kind = f"{conflict.given} ({conflict.reason})", "apart"
        elif conflict.reason == "room":
            text, kind = f"{item} (given {holder}, drawn in {conflict.found.elements[1]})", "room"
        else:
            text = f"{item} (given {holder}, drawn {conflict.found.name} "
            text, kind = f"{text}{conflict.found.elements[1]})", "support"
        lines.setdefault(kind, {})[text] = None
    heads = {
        "support": "the given support differs from the geometry and is kept",
        "room": "the given room differs from the geometry and is kept",
        "apart": "the given support is drawn elsewhere and is kept",
    }
    return [f"{head}: {list_names(lines[kind])}" for kind, head in heads.items() if kind in lines]


def _find_enclosing(id_: str, containers: Mapping[str, Place]) -> set[str]:
    """Return all containers around a thing, transitively."""
    around: set[str] = set()
    place = containers.get(id_)
    while place is not None and place.holder not in around:
        around.add(place.holder)
        place = containers.get(place.holder)
    return around
