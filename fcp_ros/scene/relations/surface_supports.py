# SPDX-License-Identifier: Apache-2.0
"""What rests on or is inside what, measured on the surfaces of things instead of their boxes."""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.scene.graph.elements import SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.shapes.ray_support import find_supports_by_rays
from fcp_ros.scene.shapes.surfaces import Surface

COVERED = 0.5
"""From this share of covered columns on, a thing is inside what it rests on."""


def supports_on_surfaces(surfaces: Mapping[str, Surface]) -> tuple[SceneRelation, ...]:
    """``on`` and ``inside``, at most one for each thing.

    They count as given: surfaces know more than the boxes that relations are derived from. The
    confidence is the share of a thing's underside that is carried.

    Args:
        surfaces: Surface (z up, metres) by the id of the thing.

    Raises:
        SceneError: Open3D is not installed.
    """
    ids = list(surfaces)
    return tuple(
        SceneRelation(
            "inside" if found.covered >= COVERED else "on",
            (ids[found.item], ids[found.support]),
            round(found.share, 3),
        )
        for found in find_supports_by_rays(list(surfaces.values()))
    )


def with_supports_on_surfaces(graph: SceneGraph, surfaces: Mapping[str, Surface]) -> SceneGraph:
    """The graph with what was measured, for the things of which it does not say where they are."""
    placed = {r.elements[0] for name in ("on", "inside") for r in graph.relations_named(name)}
    measured = [r for r in supports_on_surfaces(surfaces) if r.elements[0] not in placed]
    note = f"what rests on what was measured on the surfaces of {len(surfaces)} objects"
    return SceneGraph.of(
        graph.nodes.values(),
        (*graph.relations, *measured),
        frame_id=graph.frame_id,
        sequence=graph.sequence,
        source=graph.source,
        notes=(*graph.notes, note),
    )
