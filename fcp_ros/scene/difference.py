# SPDX-License-Identifier: Apache-2.0
"""Scenes for people: their counts, and the difference of two."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import shapely

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import AttributeValue, Layer, Pose, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.transforms import measure_turn
from fcp_ros.scene.shapes.polygons import bounds, footprint_of


@dataclass(frozen=True)
class DifferenceTolerances:
    """Tolerances within which two scenes count as the same."""

    distance: float = 0.01  # Greatest deviation (m) of a position, a corner, or an extent
    turn: float = 1.0  # Greatest deviation (degrees) of an orientation
    # Greatest deviation of a numeric attribute, as a share of the larger magnitude
    value: float = 1e-6


@dataclass(frozen=True)
class NodeDifference:
    """The difference of one node; fields without difference keep their defaults."""

    id: str  # Id in the first scene
    moved: float = 0.0  # Distance (m) between the two positions, if beyond the tolerance
    turned: float = 0.0  # Angle (degrees) between the two orientations, if beyond the tolerance
    # Other changes: ("category", before, after), ("size", ...), ("is_open", ...), with values as
    # text; "unknown" for a missing value
    changes: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class SceneDifference:
    """The changes from one scene to another."""

    added: tuple[SceneNode, ...] = ()  # Nodes that only the second has
    removed: tuple[SceneNode, ...] = ()  # Nodes that only the first has
    # Nodes of both that differ, in the first scene's order
    changed: tuple[NodeDifference, ...] = ()
    # New relations in the ids of the first scene, without those of new nodes
    relations_added: tuple[SceneRelation, ...] = ()
    # Relations that are gone, without those of nodes that are gone
    relations_removed: tuple[SceneRelation, ...] = ()
    # The two frames, if they differ; positions are compared nevertheless
    frames: tuple[str, str] | None = None

    @property
    def is_empty(self) -> bool:
        """True if the scenes are the same within the tolerances."""
        return self == SceneDifference()


def compare_scenes(
    before: SceneGraph,
    after: SceneGraph,
    tolerances: DifferenceTolerances | None = None,
    partners: Mapping[str, str] | None = None,
) -> SceneDifference:
    """Compare two scenes; confidences, provenance, notes and order do not count.

    ``partners`` has the id of the same thing in the first scene by that in the second (see
    ``match_scenes``); None if equal ids mean the same thing.
    """
    within = tolerances or DifferenceTolerances()
    name = _name_nodes(before, after, partners)
    by_name = {name[id_]: node for id_, node in after.nodes.items()}
    new = [id_ for id_ in by_name if id_ not in before.nodes]
    gone = [id_ for id_ in before.nodes if id_ not in by_name]
    changed = (
        _compare(node, by_name[id_], within, name)
        for id_, node in before.nodes.items()
        if id_ in by_name
    )
    was = {relation.key: relation for relation in before.relations}
    now = {
        relation.key: relation
        for relation in (
            replace(r, elements=tuple(name[id_] for id_ in r.elements)) for r in after.relations
        )
    }
    unshared = {*new, *gone}
    return SceneDifference(
        added=tuple(by_name[id_] for id_ in new),
        removed=tuple(before.nodes[id_] for id_ in gone),
        changed=tuple(found for found in changed if found is not None),
        relations_added=_only_in(now, was, unshared),
        relations_removed=_only_in(was, now, unshared),
        frames=None if before.frame_id == after.frame_id else (before.frame_id, after.frame_id),
    )


_Relations = Mapping[tuple[str, tuple[str, ...]], SceneRelation]


def _only_in(
    first: _Relations, second: _Relations, unshared: set[str]
) -> tuple[SceneRelation, ...]:
    """Return the relations of the first scene alone, without those of unshared nodes."""
    return tuple(
        relation
        for key, relation in first.items()
        if key not in second and unshared.isdisjoint(relation.elements)
    )


def _name_nodes(
    before: SceneGraph, after: SceneGraph, partners: Mapping[str, str] | None
) -> dict[str, str]:
    """Name each node of the second scene: as its partner, or by an id that the first lacks."""
    if partners is None:
        return {id_: id_ for id_ in after.nodes}
    names: dict[str, str] = {}
    taken = {*before.nodes, *after.nodes}
    for id_ in after.nodes:
        name = partners.get(id_)
        if name is None:
            name = id_
            while name in before.nodes or (name != id_ and name in taken):
                name += "'"
            taken.add(name)
        names[id_] = name
    return names


def _compare(
    before: SceneNode, after: SceneNode, within: DifferenceTolerances, name: Mapping[str, str]
) -> NodeDifference | None:
    moved = turned = 0.0
    if before.pose is not None and after.pose is not None:
        moved = math.dist(before.pose.position, after.pose.position)
        turned = math.degrees(measure_turn(before.pose.orientation, after.pose.orientation))
    found = NodeDifference(
        before.id,
        moved if moved > within.distance else 0.0,
        turned if turned > within.turn else 0.0,
        tuple(_find_changes(before, after, within, name)),
    )
    return None if found == NodeDifference(before.id) else found


def _find_changes(
    before: SceneNode, after: SceneNode, within: DifferenceTolerances, name: Mapping[str, str]
) -> Iterator[tuple[str, str, str]]:
    if normalise_label(before.category) != normalise_label(after.category):
        yield "category", before.category, after.category
    if before.layer is not after.layer:
        yield "layer", before.layer.value, after.layer.value
    if (before.pose is None) != (after.pose is None):
        yield "position", _format_position(before.pose), _format_position(after.pose)
    if not _is_near(before.size, after.size, within.distance):
        yield "size", _format_numbers(before.size), _format_numbers(after.size)
    if not _is_same_outline(before.polygon, after.polygon, within.distance):
        yield "outline", f"{len(before.polygon)} corners", f"{len(after.polygon)} corners"
    heights = [None if node.height is None else (node.height,) for node in (before, after)]
    if not _is_near(heights[0], heights[1], within.distance):
        yield "height", _format_numbers(heights[0]), _format_numbers(heights[1])
    parents = {name.get(parent, parent) for parent in after.parents}
    if set(before.parents) != parents:
        yield "parents", _join_sorted(set(before.parents)), _join_sorted(parents)
    for key in sorted({*before.attributes, *after.attributes}):
        ours, theirs = before.attributes.get(key), after.attributes.get(key)
        if not _is_same_value(ours, theirs, within.value):
            yield key, _format_value(ours), _format_value(theirs)


def _is_near(
    first: tuple[float, ...] | None, second: tuple[float, ...] | None, within: float
) -> bool:
    if first is None or second is None:
        return first is second
    return all(abs(a - b) <= within for a, b in zip(first, second, strict=True))


def _is_same_outline(
    first: tuple[tuple[float, float], ...], second: tuple[tuple[float, float], ...], within: float
) -> bool:
    """Return True if two polygons have the same corners, from any start and in any direction."""
    if len(first) != len(second):
        return False
    if not first:
        return True
    rings = (shapely.LinearRing(polygon) for polygon in (first, second))
    return bool(shapely.hausdorff_distance(*rings) <= within)


def _is_same_value(
    first: AttributeValue | None, second: AttributeValue | None, within: float
) -> bool:
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, int | float) and isinstance(second, int | float):
        return math.isclose(first, second, rel_tol=within)
    return first == second


def _format_value(value: AttributeValue | None) -> str:
    return "unknown" if value is None else str(value)


def _format_position(pose: Pose | None) -> str:
    return _format_numbers(None if pose is None else pose.position)


def _format_numbers(values: tuple[float, ...] | None) -> str:
    return "unknown" if values is None else " ".join(f"{value:.3f}" for value in values)


def _join_sorted(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"


@dataclass(frozen=True)
class SceneSummary:
    """The counts of a scene."""

    source: str
    frame_id: str
    sequence: int
    layers: Mapping[str, int]  # Number of nodes by layer, all layers, from building to agent
    categories: Mapping[str, int]  # Number of objects by category, most frequent first
    # (room id, category, number of things in it), in the graph's order
    rooms: tuple[tuple[str, str, int], ...]
    agents: tuple[tuple[str, str, str], ...]  # (agent id, category, room id or "")
    relations: Mapping[str, Mapping[str, int]]  # Number of relations by name, each by provenance
    # Least x, least y, greatest x, greatest y of all footprints (m); None if unknown
    extent: tuple[float, float, float, float] | None
    notes: tuple[str, ...]


def summarise(graph: SceneGraph) -> SceneSummary:
    layers = Counter(node.layer for node in graph.nodes.values())
    categories = Counter(node.category for node in graph.in_layer(Layer.OBJECT))
    inside = Counter(relation.elements[-1] for relation in graph.relations_named("in_room"))
    at = {relation.elements[0]: relation.elements[-1] for relation in graph.relations_named("at")}
    relations: dict[str, dict[str, int]] = {}
    for relation in graph.relations:
        counts = relations.setdefault(relation.name, {})
        counts[relation.provenance.value] = counts.get(relation.provenance.value, 0) + 1
    corners = [corner for node in graph.nodes.values() for corner in footprint_of(node)]
    return SceneSummary(
        source=graph.source,
        frame_id=graph.frame_id,
        sequence=graph.sequence,
        layers={layer.value: layers.get(layer, 0) for layer in Layer},
        categories=dict(categories.most_common()),
        rooms=tuple(
            (room.id, room.category, inside.get(room.id, 0)) for room in graph.in_layer(Layer.ROOM)
        ),
        agents=tuple(
            (agent.id, agent.category, at.get(agent.id, ""))
            for agent in graph.in_layer(Layer.AGENT)
        ),
        relations={name: relations[name] for name in sorted(relations)},
        extent=bounds(corners) if corners else None,
        notes=graph.notes,
    )
