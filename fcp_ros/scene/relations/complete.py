# SPDX-License-Identifier: Apache-2.0
"""Completion of a scene's relations from its geometry (docs/design.md).

Given relations always win; derived ones carry their provenance and confidence, and a contradiction
between the two is kept out and noted. Completing a completed graph derives everything again that
was not given, so it gives the same graph until something moves.

Confidence of a derived relation: 0.5 + 0.5 * clearness, where clearness in [0, 1] is the distance
of the geometry from the limits of the relation's condition (formula in the file of each condition).
A relation that follows from a chain of others has the least of their confidences. An assumption
has 0.5 (provenance inferred), the hierarchy 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.foundation.labels import is_named, normalise_label
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Layer, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import is_often_mounted
from fcp_ros.scene.relations.derivation import ASSUMED, Derivation
from fcp_ros.scene.relations.draft_graph import GivenRelations, SceneDraft
from fcp_ros.scene.relations.nearness import (
    MOST_NEAR,
    build_near_relations,
    find_near,
    measure_box_distance,
)
from fcp_ros.scene.relations.places import Place
from fcp_ros.scene.relations.relation_options import DEFAULT_OPTIONS, RelationOptions
from fcp_ros.scene.relations.rooms import (
    RoomFinder,
    SceneStructure,
    connect_rooms,
    ensure_floors,
    ensure_robot,
    ensure_rooms,
    find_room_parents,
)
from fcp_ros.scene.relations.supports import find_supports
from fcp_ros.scene.relations.unsettled import reach_of
from fcp_ros.scene.shapes.boxes import Boxes, Indices, build_boxes

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
    for item, other in boxes.pair_with_holders():
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


def describe_conflicts(
    derivation: Derivation, given: Iterable[SceneRelation], boxes: Boxes
) -> list[str]:
    """Write a note on each kind of conflict that there is."""
    most = derivation.options.hovering
    found = {
        "the given support differs from the geometry": find_support_conflicts(derivation),
        "the given room differs from the geometry": find_room_conflicts(derivation),
        "the given support is drawn elsewhere": find_distance_conflicts(given, boxes, most),
    }
    texts = {what: list(dict.fromkeys(each)) for what, each in found.items()}
    return [f"{what} and is kept: {list_names(each)}" for what, each in texts.items() if each]


def find_support_conflicts(derivation: Derivation) -> Iterator[str]:
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
            yield f"{item} (given {holder}, drawn {name} {place.holder})"


def find_distance_conflicts(
    given: Iterable[SceneRelation], boxes: Boxes, most: float
) -> Iterator[str]:
    """Yield things given on or inside a thing that is drawn more than ``most`` metres away."""
    number = {id_: index for index, id_ in enumerate(boxes.ids)}
    stated = [
        relation
        for relation in given
        if relation.name in ("on", "inside")
        and len(relation.elements) == 2
        and number.keys() >= {*relation.elements}
    ]
    if not stated:
        return
    items = np.array([number[relation.elements[0]] for relation in stated])
    holders = np.array([number[relation.elements[1]] for relation in stated])
    away = measure_box_distance(boxes, items, holders)
    for relation, distance in zip(stated, away.tolist(), strict=True):
        if distance > most:
            yield f"{relation} (drawn {distance:.2g} m apart)"


def find_room_conflicts(derivation: Derivation) -> Iterator[str]:
    """Yield things drawn in another room than given, or than the hierarchy says."""
    nodes = derivation.nodes
    above: dict[str, tuple[str, ...]] = {}
    stated = [
        id_
        for id_, place in derivation.room_of.items()
        if place.provenance is Provenance.GIVEN
        or (nodes[id_].parents and find_room_parents(nodes[id_], nodes, above) == (place.holder,))
    ]
    for id_, (room, _) in derivation.find_containing(stated).items():
        given = derivation.room_of[id_].holder
        if given != room:
            yield f"{id_} (given {given}, drawn in {room})"


def _find_enclosing(id_: str, containers: Mapping[str, Place]) -> set[str]:
    """Return all containers around a thing, transitively."""
    around: set[str] = set()
    place = containers.get(id_)
    while place is not None and place.holder not in around:
        around.add(place.holder)
        place = containers.get(place.holder)
    return around


# --- completion ---


@dataclass(frozen=True)
class Completion:
    """A completed graph, with the results on the way."""

    graph: SceneGraph  # The completed graph; its notes summarise the conflicts
    derivation: Derivation  # The place of each thing
    boxes: Boxes  # The boxes of all things, in the graph's order


def complete_relations(graph: SceneGraph, options: RelationOptions = DEFAULT_OPTIONS) -> SceneGraph:
    """Return the graph with the relations that a planner needs; notes name assumptions.

    Adds ``on`` and ``inside`` from boxes, ``in_room`` and ``at``, ``connected`` both ways with a
    passage node for each connection without a door, a floor node for each room, a room or a robot
    where there is none (see ``options.assumed``), and the relations of ``options.also``. Derived
    relations that are already in the graph are derived again; given ones are never changed.
    """
    return complete_scene(graph, options).graph


def complete_scene(graph: SceneGraph, options: RelationOptions = DEFAULT_OPTIONS) -> Completion:
    """Complete a graph as ``complete_relations``, and return the results on the way, too."""
    with pause_garbage_collection(), np.errstate(over="ignore", invalid="ignore"):
        return _complete(graph, options)


def _complete(graph: SceneGraph, options: RelationOptions) -> Completion:
    draft = SceneDraft(graph, options.derived)
    ensure_rooms(draft, assume=Layer.ROOM in options.assumed)
    if Layer.AGENT in options.assumed:
        ensure_robot(draft)
    given = GivenRelations(draft.relations.values())
    rooms = draft.in_layer(Layer.ROOM)
    finder = RoomFinder(rooms, options.clear)
    passages, floors = draft.find_passages(), draft.find_floors()
    structure = SceneStructure(rooms, finder, floors, passages | set(floors.values()))
    derivation = Derivation(draft.nodes, given, structure, options)
    boxes = build_boxes(filter(derivation.is_thing, draft.nodes.values()))
    for name, pairs in find_supports(boxes, options).items():
        derivation.take(name, pairs, boxes.ids)
    derivation.derive_rooms(draft.nodes)
    draft.notes += describe_conflicts(derivation, draft.relations.values(), boxes)
    room_of = {id_: place.holder for id_, place in derivation.room_of.items()}
    floors = ensure_floors(draft, room_of)
    derivation.structure = structure._replace(floors=floors, fixed=passages | set(floors.values()))
    things = [node.id for node in draft.nodes.values() if derivation.is_thing(node)]
    nowhere = derivation.derive_floors(things, partial(_find_pairs_around, boxes, options))
    derivation.find_circles()
    draft.notes += describe_doubles(draft.nodes, boxes)
    _note_doubtful(draft, derivation, nowhere)
    draft.relate_all(derivation.build_relations())
    for room, floor in floors.items():
        draft.relate(SceneRelation("in_room", (floor, room), ASSUMED, Provenance.INFERRED))
    _relate_near(draft, boxes, options)
    passages = connect_rooms(draft, passages, finder, options)
    fixed = passages | set(floors.values())
    derivation.structure = derivation.structure._replace(fixed=fixed)
    return Completion(draft.to_graph(), derivation, boxes)


def _find_pairs_around(
    boxes: Boxes, options: RelationOptions, ids: Sequence[str]
) -> tuple[Boxes, Iterator[tuple[Indices, Indices]]]:
    """Return the boxes, and the pairs of some of them with all that may hold them."""
    number = {id_: index for index, id_ in enumerate(boxes.ids)}
    which = np.array([number[id_] for id_ in ids], dtype=np.intp)
    return boxes, boxes.pair_with_near(reach_of(options), which)


def _note_doubtful(draft: SceneDraft, derivation: Derivation, nowhere: list[str]) -> None:
    unexpected = [id_ for id_ in nowhere if not is_often_mounted(draft.nodes[id_].category)]
    if unexpected:
        draft.notes.append(
            f"nothing is known that carries {list_names(unexpected)}: mounted, or it was not seen"
        )
    if derivation.circular:
        circular = sorted(derivation.circular)
        draft.notes.append(
            f"{list_names(circular)} would be on, in or attached to themselves: their places by "
            "geometry are left out"
        )
    lost = [
        node.id
        for node in draft.nodes.values()
        if derivation.is_located(node) and node.id not in derivation.room_of
    ]
    if lost:
        draft.notes.append(f"the room of {list_names(lost)} is not known")


def _relate_near(draft: SceneDraft, boxes: Boxes, options: RelationOptions) -> None:
    """Add ``near`` if it is asked for."""
    if "near" not in options.also:
        return
    pairs = find_near(boxes, options)
    if pairs is None:
        draft.notes.append(f"near is left out: it would hold more than {MOST_NEAR:,} times")
    else:
        draft.relate_all(build_near_relations(pairs, boxes.ids))
