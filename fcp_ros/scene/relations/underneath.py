# SPDX-License-Identifier: Apache-2.0
"""``under(item, cover)`` from boxes: what is directly below a raised thing.

An item is *under* a cover if

1. the item's centre is within the cover's footprint (``EDGE`` of slack), and the cover's
   footprint is not smaller than the item's,
2. either the item is wholly below: its top is at most ``resting`` above and at most
   ``under_gap`` below the cover's underside; or the cover is furniture on legs (shapes/legs.py)
   and the item stands between them: its bottom is at most ``resting`` below the cover's and
   in the lower half of the cover's box, and its top is not above the cover's top,
3. the item's centre is below the cover's centre, and the cover does not rest on the item.

Of several the one with the least gap counts (from the item's top to the cover's underside, or
between legs to the cover's top), then the smaller footprint, then the lesser id. So what stands on
the floor under a table is on the floor and under the table. Clearness: the lesser of depth /
clear (depth: from the item's centre to the nearest side of the footprint) and gap / clear.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.scene.relations.found import Found, confidence_of, share_of
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.resting import rests_on
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, Floats, Indices


def underneath(
    boxes: Boxes, item: Indices, cover: Indices, depth: Floats, options: RelationOptions
) -> Found:
    """The pairs in which the item is under the other box.

    Args:
        boxes: n boxes.
        item: Numbers of items, shape (k,).
        cover: Numbers of what each might be under, shape (k,).
        depth: How far each item's centre is within the other's footprint, shape (k,).
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
    held = np.flatnonzero(below | between)
    held = held[~rests_on(boxes, cover[held], item[held], options)]
    item, cover, depth, gap = item[held], cover[held], depth[held], gap[held]
    confidence = confidence_of(share_of(np.minimum(depth, gap), options.clear))
    return Found(item, cover, gap, boxes.footprint(cover), confidence)
