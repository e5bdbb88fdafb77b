# SPDX-License-Identifier: Apache-2.0
"""The counts of a scene, as ``fcp scene info`` prints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.scene.graph.elements import Layer
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.polygons import bounds, footprint_of


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
    """Count the nodes and relations of a graph."""
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
