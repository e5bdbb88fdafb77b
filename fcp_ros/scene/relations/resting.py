# SPDX-License-Identifier: Apache-2.0
"""``on(item, support)`` from boxes.

An item *rests on* a support if

1. the item's centre is within the support's footprint (turned by the support's yaw; ``EDGE``
   of slack),
2. the item's centre is above the support's centre,
3. the item's bottom is at most ``resting`` above or below the support's top, and
4. the support is not inside the item (containment.py): a coaster on the bottom of a crate carries
   no crate.

Of several the one with the nearest top counts, then the one with the smaller footprint, then the
lesser id. Clearness: the lesser of 1 - gap / resting and depth / clear, where depth is the
distance from the item's centre to the nearest side of the support's footprint.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.scene.relations.containment import lies_inside
from fcp_ros.scene.relations.found import Found, confidence_of, left_of, share_of
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, Flags, Floats, Indices, measure_depth


def resting(
    boxes: Boxes, item: Indices, support: Indices, depth: Floats, options: RelationOptions
) -> Found:
    """The pairs in which the item rests on the support.

    Args:
        boxes: n boxes.
        item: Numbers of items, shape (k,).
        support: Numbers of what each might rest on, shape (k,).
        depth: How far each item's centre is within the support's footprint, shape (k,).
        options: Tolerances.
    """
    gap = np.abs(boxes.bottom(item) - boxes.top(support))
    keep = np.flatnonzero(
        (gap <= options.resting)
        & (boxes.centre[item, 2] > boxes.centre[support, 2])
        & (depth >= -EDGE)
    )
    keep = keep[~lies_inside(boxes, support[keep], item[keep])]
    item, support, gap, depth = item[keep], support[keep], gap[keep], depth[keep]
    clearness = np.minimum(left_of(gap, options.resting), share_of(depth, options.clear))
    return Found(item, support, gap, boxes.footprint(support), confidence_of(clearness))


def rests_on(boxes: Boxes, item: Indices, support: Indices, options: RelationOptions) -> Flags:
    """Whether each item rests on each support (conditions 1 to 4), shape (k,)."""
    depth = measure_depth(boxes, item, support)
    gap = np.abs(boxes.bottom(item) - boxes.top(support))
    rests: Flags = (
        (depth >= -EDGE)
        & (boxes.centre[item, 2] > boxes.centre[support, 2])
        & (gap <= options.resting)
        & ~lies_inside(boxes, support, item)
    )
    return rests
