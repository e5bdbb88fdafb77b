# SPDX-License-Identifier: Apache-2.0
"""``on``, ``inside`` and ``under`` for pairs of boxes: they share the test of the footprint."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.scene.relations.containment import inside
from fcp_ros.scene.relations.found import BestOfEach, Found
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.resting import resting
from fcp_ros.scene.relations.underneath import underneath
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, Indices, measure_depth
from fcp_ros.scene.shapes.pairs import find_points_in_rectangles


def place_boxes(boxes: Boxes, options: RelationOptions) -> dict[str, Found]:
    """The best support, container and (if asked for) cover of every box, by relation."""
    low, high = boxes.bounds()
    return place_pairs(boxes, find_points_in_rectangles(boxes.centre[:, :2], low, high), options)


def place_pairs(
    boxes: Boxes, pairs: Iterable[tuple[Indices, Indices]], options: RelationOptions
) -> dict[str, Found]:
    """The best support, container and cover of each item among given pairs (item, other).

    All three relations need the item's centre within the other's footprint (a convex box that
    holds more than half of another holds its centre): pairs without that may be left out.
    """
    names = ("on", "inside", "under") if "under" in options.also else ("on", "inside")
    best = {name: BestOfEach(boxes.ids) for name in names}
    for item, other in pairs:
        apart = item != other
        item, other = item[apart], other[apart]
        depth = measure_depth(boxes, item, other)
        within = depth >= -EDGE
        item, other, depth = item[within], other[within], depth[within]
        best["on"].add(resting(boxes, item, other, depth, options))
        best["inside"].add(inside(boxes, item, other, options))
        if "under" in best:
            best["under"].add(underneath(boxes, item, other, depth, options))
    return {name: found for name in names if (found := best[name].best()) is not None}
