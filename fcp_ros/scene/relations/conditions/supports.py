# SPDX-License-Identifier: Apache-2.0
"""``on(item, support)``, ``inside(item, container)`` and ``under(item, cover)`` from boxes.

``EDGE`` is the slack of containment. Furniture on legs: ``graph/roles.py``.

**inside.** An item is *inside* a container if

1. the item's box, shrunk about its centre to ``CORE`` of its extents, lies in the container's box,
2. the container's volume is greater, and
3. the container is not furniture on legs with the item's bottom in the lower half of its box:
   a thing that stands between a table's legs is under the table.

Of several containers the one with the least volume counts, then the lesser id. Clearness:
depth / clear, where depth is the least distance from the shrunk box to a side of the container.

**on.** An item *rests on* a support if

1. the item's centre is within the support's footprint (turned by the support's yaw),
2. the item's centre is above the support's centre,
3. the item's bottom is at most ``resting`` above or below the support's top, and
4. the support is not inside the item: a coaster on the bottom of a crate carries no crate.

Of several supports the one with the nearest top counts, then the one with the smaller footprint,
then the lesser id. Clearness: the lesser of 1 - gap / resting and depth / clear, where depth is the
distance from the item's centre to the nearest side of the support's footprint.

**under.** An item is *under* a cover if

1. the item's centre is within the cover's footprint, which is not smaller than the item's,
2. either the item is wholly below: its top is at most ``resting`` above and at most ``under_gap``
   below the cover's underside; or the cover is furniture on legs and the item stands between them:
   its bottom is at most ``resting`` below the cover's and in the lower half of the cover's box, and
   its top is not above the cover's top,
3. the item's centre is below the cover's centre, and the cover does not rest on the item.

Of several covers the one with the least gap counts (from the item's top to the cover's underside,
or between legs to the cover's top), then the smaller footprint, then the lesser id. So a thing on
the floor under a table is on the floor and under the table. Clearness: the lesser of depth / clear
(depth: from the item's centre to the nearest side of the footprint) and gap / clear.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from fcp_ros.scene.graph.elements import SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.conditions.scored_pairs import (
    BestPairs,
    ScoredPairs,
    share_left,
    share_of,
    to_confidence,
)
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.shapes.boxes import (
    EDGE,
    Boxes,
    Flags,
    Floats,
    Indices,
    measure_core_depth,
    measure_depth,
)
from fcp_ros.scene.shapes.pairs import find_points_in_rectangles
from fcp_ros.scene.shapes.ray_support import find_supports_by_rays
from fcp_ros.scene.shapes.surfaces import Surface

CORE = 0.8
"""The share of an item's extents that must be within the container."""

COVERED = 0.5
"""From this share of covered columns on, a thing is inside the surface that it rests on."""


def find_supports(boxes: Boxes, options: RelationOptions) -> dict[str, ScoredPairs]:
    """Find the best support, container and (if asked for) cover of every box, by relation."""
    low, high = boxes.bounds()
    pairs = find_points_in_rectangles(boxes.centre[:, :2], low, high)
    return find_supports_among(boxes, pairs, options)


def find_supports_among(
    boxes: Boxes, pairs: Iterable[tuple[Indices, Indices]], options: RelationOptions
) -> dict[str, ScoredPairs]:
    """Find the best support, container and cover of each item among given pairs (item, other).

    All three relations need the item's centre within the other's footprint (a convex box that
    holds more than half of another holds its centre): pairs without that may be left out.
    """
    names = ("on", "inside", "under") if "under" in options.also else ("on", "inside")
    best = {name: BestPairs(boxes.ids) for name in names}
    for item, other in pairs:
        distinct = item != other
        item, other = item[distinct], other[distinct]
        depth = measure_depth(boxes, item, other)
        within = depth >= -EDGE
        item, other, depth = item[within], other[within], depth[within]
        best["on"].add(select_resting(boxes, item, other, depth, options))
        best["inside"].add(select_inside(boxes, item, other, options))
        if "under" in best:
            best["under"].add(select_under(boxes, item, other, depth, options))
    return {name: found for name in names if (found := best[name].best()) is not None}


def select_inside(
    boxes: Boxes, item: Indices, around: Indices, options: RelationOptions
) -> ScoredPairs:
    """Select the pairs in which the item is inside the other box; arrays of shape (k,)."""
    larger = boxes.volume(around) > boxes.volume(item)
    keep = np.flatnonzero(larger & ~_is_between_legs(boxes, item, around))
    item, around = item[keep], around[keep]
    depth = measure_core_depth(boxes, item, around, CORE)
    keep = np.flatnonzero(depth >= -EDGE)
    item, around = item[keep], around[keep]
    confidence = to_confidence(share_of(depth[keep], options.clear))
    return ScoredPairs(item, around, boxes.volume(around), np.zeros(len(item)), confidence)


def is_inside(boxes: Boxes, item: Indices, around: Indices) -> Flags:
    """Test whether each item is inside the other box (conditions 1 to 3), shape (k,)."""
    inside: Flags = (
        (boxes.volume(around) > boxes.volume(item))
        & ~_is_between_legs(boxes, item, around)
        & (measure_core_depth(boxes, item, around, CORE) >= -EDGE)
    )
    return inside


def _is_between_legs(boxes: Boxes, item: Indices, around: Indices) -> Flags:
    between: Flags = boxes.legs[around] & (boxes.bottom(item) < boxes.centre[around, 2])
    return between


def select_resting(
    boxes: Boxes, item: Indices, support: Indices, depth: Floats, options: RelationOptions
) -> ScoredPairs:
    """Select the pairs in which the item rests on the support.

    Args:
        boxes: n boxes.
        item: Numbers of items, shape (k,).
        support: Number of a possible support of each item, shape (k,).
        depth: Distance (m) of each item's centre within the support's footprint, shape (k,).
        options: Tolerances.
    """
    gap = np.abs(boxes.bottom(item) - boxes.top(support))
    keep = np.flatnonzero(
        (gap <= options.resting)
        & (boxes.centre[item, 2] > boxes.centre[support, 2])
        & (depth >= -EDGE)
    )
    keep = keep[~is_inside(boxes, support[keep], item[keep])]
    item, support, gap, depth = item[keep], support[keep], gap[keep], depth[keep]
    clearness = np.minimum(share_left(gap, options.resting), share_of(depth, options.clear))
    footprint = boxes.footprint(support)
    return ScoredPairs(item, support, gap, footprint, to_confidence(clearness))


def rests_on(boxes: Boxes, item: Indices, support: Indices, options: RelationOptions) -> Flags:
    """Test whether each item rests on each support (conditions 1 to 4), shape (k,)."""
    depth = measure_depth(boxes, item, support)
    gap = np.abs(boxes.bottom(item) - boxes.top(support))
    rests: Flags = (
        (depth >= -EDGE)
        & (boxes.centre[item, 2] > boxes.centre[support, 2])
        & (gap <= options.resting)
        & ~is_inside(boxes, support, item)
    )
    return rests


def select_under(
    boxes: Boxes, item: Indices, cover: Indices, depth: Floats, options: RelationOptions
) -> ScoredPairs:
    """Select the pairs in which the item is under the other box.

    Args:
        boxes: n boxes.
        item: Numbers of items, shape (k,).
        cover: Number of a possible cover of each item, shape (k,).
        depth: Distance (m) of each item's centre within the other's footprint, shape (k,).
        options: Tolerances.
    """
    keep = np.flatnonzero(
        (depth >= -EDGE)
        & (boxes.footprint(cover) >= boxes.footprint(item))
        & (boxes.centre[item, 2] < boxes.centre[cover, 2])
    )
    item, cover, depth = item[keep], cover[keep], depth[keep]
    gap = boxes.bottom(cover) - boxes.top(item)
    below = (gap >= -options.resting) & (gap <= options.under_gap)
    between = (
        boxes.legs[cover]
        & (boxes.bottom(item) >= boxes.bottom(cover) - options.resting)
        & (boxes.bottom(item) < boxes.centre[cover, 2])
        & (boxes.top(item) <= boxes.top(cover))
    )
    gap = np.where(below, gap, boxes.top(cover) - boxes.top(item))
    keep = np.flatnonzero(below | between)
    keep = keep[~rests_on(boxes, cover[keep], item[keep], options)]
    item, cover, depth, gap = item[keep], cover[keep], depth[keep], gap[keep]
    confidence = to_confidence(share_of(np.minimum(depth, gap), options.clear))
    return ScoredPairs(item, cover, gap, boxes.footprint(cover), confidence)


# --- measured on surfaces


def find_supports_on_surfaces(surfaces: Mapping[str, Surface]) -> tuple[SceneRelation, ...]:
    """Find ``on`` and ``inside`` from the surfaces of things, at most one for each thing.

    The relations count as given, since surfaces are more exact than boxes. The confidence is the
    share of a thing's underside that is carried.

    Args:
        surfaces: Surface (z up, metres) by the id of the thing.

    Raises:
        SceneError: Open3D is not installed.
    """
    ids = list(surfaces)
    return tuple(
        SceneRelation(
            "inside" if support.covered >= COVERED else "on",
            (ids[support.item], ids[support.support]),
            round(support.share, 3),
        )
        for support in find_supports_by_rays(list(surfaces.values()))
    )


def add_supports_on_surfaces(graph: SceneGraph, surfaces: Mapping[str, Surface]) -> SceneGraph:
    """Return the graph with supports from surfaces, for the things whose place it does not give."""
    placed = {r.elements[0] for name in ("on", "inside") for r in graph.relations_named(name)}
    measured = [r for r in find_supports_on_surfaces(surfaces) if r.elements[0] not in placed]
    note = f"what rests on what was measured on the surfaces of {len(surfaces)} objects"
    return SceneGraph.of(
        graph.nodes.values(),
        (*graph.relations, *measured),
        frame_id=graph.frame_id,
        sequence=graph.sequence,
        source=graph.source,
        notes=(*graph.notes, note),
    )
