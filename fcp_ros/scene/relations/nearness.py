# SPDX-License-Identifier: Apache-2.0
"""``near(a, b)`` from boxes, stored both ways like ``connected``.

Two things are *near* each other if

1. the distance between their boxes is at most ``near`` (0 where they touch or overlap; boxes
   stand upright and are turned by their yaw; walls in between do not matter), and
2. one of them is among the ``near_most`` nearest of the other (of equal distances, the lesser id
   counts). This bounds the relations where thousands of things are in one place: there are at most
   2 * near_most * n.

Distances count to a micrometre (``EDGE``): what is equal is equal, in whatever order it was added
up.

Clearness: 1 - distance / near.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.relations.scored_pairs import ScoredPairs, rank_ids, share_left, to_confidence
from fcp_ros.scene.shapes.boxes import (
    EDGE,
    PAIRS_AT_ONCE,
    Boxes,
    Flags,
    Floats,
    Indices,
    find_points_in_rectangles,
)

_DECIMALS = 6  # those of EDGE


def select_near(boxes: Boxes, a: Indices, b: Indices, options: RelationOptions) -> ScoredPairs:
    """Select the pairs of boxes within reach of each other, scored by distance; shape (k,)."""
    away = measure_box_distance(boxes, a, b)
    rounded = np.round(away, _DECIMALS)
    keep = np.flatnonzero(rounded <= options.near)
    confidence = to_confidence(share_left(away[keep], options.near))
    return ScoredPairs(a[keep], b[keep], rounded[keep], np.zeros(len(keep)), confidence)


def select_nearest(pairs: ScoredPairs, most: int, boxes: Boxes) -> ScoredPairs:
    """Select the ``most`` nearest others of each item."""
    if not len(pairs.item) or int(np.bincount(pairs.item).max()) <= most:
        return pairs
    pairs = pairs.take(np.lexsort((pairs.primary, pairs.item)))
    leads = np.diff(pairs.item, prepend=-1) != 0
    start = np.flatnonzero(leads)
    group = np.cumsum(leads) - 1
    place = np.arange(len(group)) - start[group]
    # Ids decide only where the last one kept is as far away as the first one left out.
    crowded = np.diff(np.append(start, len(group))) > most
    if most == 0:
        return pairs.take(np.zeros(0, dtype=np.intp))
    edge = pairs.primary[np.where(crowded, start + most - 1, start)]
    after = pairs.primary[np.where(crowded, start + most, start)]
    tied = (crowded & (edge == after))[group] & (pairs.primary == edge[group])
    if tied.any():
        rank = np.zeros(len(group), dtype=np.intp)
        rank[tied] = rank_ids(pairs.other[tied], boxes.ids)
        pairs = pairs.take(np.lexsort((rank, pairs.primary, pairs.item)))
    return pairs.take(place < most)


def find_nearest(boxes: Boxes, options: RelationOptions) -> ScoredPairs:
    """Find the things that each box is near by itself (condition 1, at most ``near_most``)."""
    parts = [
        select_nearest(select_near(boxes, a, b, options), options.near_most, boxes)
        for a, b in find_candidates(boxes, options.near)
    ]
    return ScoredPairs.concatenate(parts) if parts else ScoredPairs.empty()


def add_reverse(nearest: ScoredPairs, count: int, most: int) -> ScoredPairs:
    """Complete ``near`` from ``find_nearest``, at most ``most`` for each of ``count`` things."""
    if not len(nearest.item) or int(np.bincount(nearest.item).max()) < most:
        return nearest  # nothing was cut off: each pair is there both ways
    there, back = nearest.item * count + nearest.other, nearest.other * count + nearest.item
    missing = nearest.take(np.flatnonzero(~np.isin(back, there)))
    reverse = ScoredPairs(
        missing.other, missing.item, missing.primary, missing.secondary, missing.confidence
    )
    return ScoredPairs.concatenate((nearest, reverse))


def measure_box_distance(boxes: Boxes, a: Indices, b: Indices) -> Floats:
    """Measure distances (m) between boxes, equal both ways to the last bit; shape (k,)."""
    rise = np.abs(boxes.centre[a, 2] - boxes.centre[b, 2])
    up = np.maximum(rise - (boxes.half[a, 2] + boxes.half[b, 2]), 0.0)
    separate, beside = _measure_beside(boxes, a, b)
    separate_too, beside_too = _measure_beside(boxes, b, a)
    beside = np.where(separate | separate_too, np.minimum(beside, beside_too), 0.0)
    away: Floats = np.sqrt(beside + up * up)
    return away


def _measure_beside(boxes: Boxes, a: Indices, b: Indices) -> tuple[Flags, Floats]:
    """Return flags: one of a's sides separates the footprints; and squared distances (m2).

    The distance is that from a's footprint to the nearest corner of b's.
    """
    offset = boxes.centre[b, :2] - boxes.centre[a, :2]
    cos, sin, cos_b, sin_b = boxes.cos[a], boxes.sin[a], boxes.cos[b], boxes.sin[b]
    across = cos * offset[:, 0] + sin * offset[:, 1]  # b's centre in a's axes
    along = cos * offset[:, 1] - sin * offset[:, 0]
    turn_cos, turn_sin = cos * cos_b + sin * sin_b, cos * sin_b - sin * cos_b
    width, depth = boxes.half[a, 0], boxes.half[a, 1]
    x, y = boxes.half[b, 0], boxes.half[b, 1]
    xx, xy, yx, yy = turn_cos * x, turn_sin * x, turn_sin * y, turn_cos * y
    separate = (np.abs(across) > width + (np.abs(xx) + np.abs(yx))) | (
        np.abs(along) > depth + (np.abs(xy) + np.abs(yy))
    )
    least: Floats = np.full(len(a), np.inf)
    for right, up in ((xx - yx, xy + yy), (xx + yx, xy - yy)):
        for sign in (1.0, -1.0):
            out_x = np.maximum(np.abs(across + sign * right) - width, 0.0)
            out_y = np.maximum(np.abs(along + sign * up) - depth, 0.0)
            least = np.minimum(least, out_x * out_x + out_y * out_y)
    return separate, least


def find_candidates(
    boxes: Boxes, reach: float, which: Indices | None = None
) -> Iterator[tuple[Indices, Indices]]:
    """Yield pairs (a, b) whose upright rectangles are within reach (m) of each other, both ways.

    All pairs of one ``a`` are in one batch; a crowd of n takes memory O(n), though time O(n2).
    ``which`` are the numbers of those that are to be ``a``; None for all.
    """
    first = np.arange(len(boxes.ids)) if which is None else which
    if not len(first):
        return
    classes = _group_by_size(boxes)
    waiting = [first]
    while waiting:
        some = waiting.pop()
        pairs = _pair_with_others(boxes, some, classes, reach)
        if pairs is None:
            middle = len(some) // 2
            waiting += [some[middle:], some[:middle]]
        else:
            yield pairs


def _group_by_size(boxes: Boxes) -> list[Indices]:
    """Group boxes by size, so that the search within a class reaches no farther than needed."""
    size = np.ceil(np.log2(np.maximum(boxes.reach.max(axis=1), 0.05)))
    return [np.flatnonzero(size == value) for value in np.unique(size)]


def _pair_with_others(
    boxes: Boxes, some: Indices, classes: list[Indices], reach: float
) -> tuple[Indices, Indices] | None:
    """Return all pairs of these boxes with others; None if they are too many to hold at once."""
    around = boxes.reach
    low, high = boxes.bounds(reach + EDGE)
    parts: list[tuple[Indices, Indices]] = []
    held = 0
    for members in classes:
        wide = around[members].max(axis=0) + EDGE
        centre = boxes.centre[members, :2]
        for point, box in find_points_in_rectangles(centre, low[some] - wide, high[some] + wide):
            a, b = some[box], members[point]
            rise = np.abs(boxes.centre[a, 2] - boxes.centre[b, 2])
            keep = (a != b) & (rise - (boxes.half[a, 2] + boxes.half[b, 2]) <= reach + EDGE)
            a, b = a[keep], b[keep]
            keep = np.all(
                (low[a] <= boxes.centre[b, :2] + around[b])
                & (high[a] >= boxes.centre[b, :2] - around[b]),
                axis=1,
            )
            parts.append((a[keep], b[keep]))
            held += int(np.count_nonzero(keep))
            if held > PAIRS_AT_ONCE and len(some) > 1:
                return None
    if not parts:
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])
