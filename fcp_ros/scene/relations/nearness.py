# SPDX-License-Identifier: Apache-2.0
"""``near(a, b)`` from boxes, stored both ways like ``connected``.

Two things are *near* each other if the distance between their boxes is at most ``near`` (0 where
they touch or overlap; boxes stand upright and are turned by their yaw; walls in between do not
matter).

Distances count to a micrometre (``EDGE``): what is equal is equal, in whatever order it was added
up.

Clearness: 1 - distance / near.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import shapely

from fcp_ros.scene.graph.elements import Provenance, SceneRelation
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.scored_pairs import ScoredPairs, share_left, to_confidence
from fcp_ros.scene.shapes.boxes import Boxes, Floats, Indices

_DECIMALS = 6  # those of EDGE

MOST_NEAR = 1_000_000
"""Most relations that are derived: thousands of things in one place would have millions."""


def select_near(boxes: Boxes, a: Indices, b: Indices, options: RelationOptions) -> ScoredPairs:
    """Select the pairs of boxes within reach of each other, scored by distance; shape (k,)."""
    away = measure_box_distance(boxes, a, b)
    keep = np.flatnonzero(away <= options.near)
    confidence = to_confidence(share_left(away[keep], options.near))
    return ScoredPairs(a[keep], b[keep], away[keep], np.zeros(len(keep)), confidence)


def find_near(boxes: Boxes, options: RelationOptions) -> ScoredPairs | None:
    """Find all pairs, both ways; None if there are more than ``MOST_NEAR``."""
    parts, count = [ScoredPairs.empty()], 0
    for a, b in boxes.pair_with_near(options.near):
        parts.append(select_near(boxes, a, b, options))
        count += len(parts[-1].item)
        if count > MOST_NEAR:
            return None
    return ScoredPairs.concatenate(parts)


def build_near_relations(pairs: ScoredPairs, ids: Sequence[str]) -> Iterator[SceneRelation]:
    for a, b, confidence in zip(
        pairs.item.tolist(), pairs.other.tolist(), pairs.confidence.tolist(), strict=True
    ):
        yield SceneRelation("near", (ids[a], ids[b]), confidence, Provenance.GEOMETRIC)


def measure_box_distance(boxes: Boxes, a: Indices, b: Indices) -> Floats:
    """Measure distances (m) between boxes, to a micrometre; shape (k,)."""
    rise = np.abs(boxes.centre[a, 2] - boxes.centre[b, 2])
    up = np.maximum(rise - (boxes.half[a, 2] + boxes.half[b, 2]), 0.0)
    beside = shapely.distance(boxes.outlines(a), boxes.outlines(b))
    away: Floats = np.round(np.hypot(beside, up), _DECIMALS)
    return away
