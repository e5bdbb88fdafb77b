# SPDX-License-Identifier: Apache-2.0
"""``inside(item, container)`` from boxes.

An item is *inside* a container if

1. the item's box, shrunk about its centre to ``CORE`` of its extents, lies in the container's
   box (``EDGE`` of slack),
2. the container's volume is greater, and
3. the container is not furniture on legs (shapes/legs.py) with the item's bottom in the lower
   half of its box: what stands between a table's legs is under the table.

Of several the one with the least volume counts, then the lesser id. Clearness: depth / clear,
where depth is the least distance from the shrunk box to a side of the container.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.scene.relations.found import Found, confidence_of, share_of
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, Flags, Indices, measure_core_depth

CORE = 0.8
"""The share of an item's extents that must be within the container."""


def inside(boxes: Boxes, item: Indices, around: Indices, options: RelationOptions) -> Found:
    """The pairs in which the item is inside the other box; arrays of shape (k,)."""
    larger = boxes.volume(around) > boxes.volume(item)
    keep = np.flatnonzero(larger & ~_between_legs(boxes, item, around))
    item, around = item[keep], around[keep]
    depth = measure_core_depth(boxes, item, around, CORE)
    held = np.flatnonzero(depth >= -EDGE)
    item, around = item[held], around[held]
    confidence = confidence_of(share_of(depth[held], options.clear))
    return Found(item, around, boxes.volume(around), np.zeros(len(item)), confidence)


def lies_inside(boxes: Boxes, item: Indices, around: Indices) -> Flags:
    """Whether each item is inside the other box (conditions 1 to 3), shape (k,)."""
    held: Flags = (
        (boxes.volume(around) > boxes.volume(item))
        & ~_between_legs(boxes, item, around)
        & (measure_core_depth(boxes, item, around, CORE) >= -EDGE)
    )
    return held


def _between_legs(boxes: Boxes, item: Indices, around: Indices) -> Flags:
    between: Flags = boxes.legs[around] & (boxes.bottom(item) < boxes.centre[around, 2])
    return between
