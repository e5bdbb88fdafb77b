# SPDX-License-Identifier: Apache-2.0
"""``near(a, b)`` from boxes, stored both ways like ``connected``.

Two things are *near* each other if

1. the distance between their boxes is at most ``near`` (0 where they touch or overlap; boxes
   stand upright and are turned by their yaw; walls in between do not matter), and
2. one of them is among the ``near_most`` nearest of the other (then the lesser id counts). This
   bounds the relations where thousands of things are in one place: there are at most
   2 * near_most * n.

Clearness: 1 - distance / near.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from fcp_ros.scene.relations.found import Found, confidence_of, left_of, rank_of_ids
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, Flags, Floats, Indices
from fcp_ros.scene.shapes.pairs import PAIRS_AT_ONCE, points_in_rectangles


def near_pairs(boxes: Boxes, a: Indices, b: Indices, options: RelationOptions) -> Found:
    """The pairs of boxes within reach of each other; arrays of shape (k,), first: distance."""
    away = box_distance(boxes, a, b)
    keep = np.flatnonzero(away <= options.near)
    away = away[keep]
    confidence = confidence_of(left_of(away, options.near))
    return Found(a[keep], b[keep], away, np.zeros(len(keep)), confidence)


def nearest_of_each(found: Found, most: int, boxes: Boxes) -> Found:
    """For each item its ``most`` nearest others."""
    if not len(found.item):
        return found
    found = found.where(np.lexsort((found.first, found.item)))
    leads = np.diff(found.item, prepend=-1) != 0
    start = np.flatnonzero(leads)
    group = np.cumsum(leads) - 1
    place = np.arange(len(group)) - start[group]
    if int(place.max()) < most:
        return found
    # Only where the last one kept is as far away as the first one left out do ids decide.
    crowded = np.diff(np.append(start, len(group))) > most
    if most == 0:
        return found.where(np.zeros(0, dtype=np.intp))
    edge = found.first[np.where(crowded, start + most - 1, start)]
    after = found.first[np.where(crowded, start + most, start)]
    tied = (crowded & (edge == after))[group] & (found.first == edge[group])
    if tied.any():
        rank = np.zeros(len(group), dtype=np.intp)
        rank[tied] = rank_of_ids(found.other[tied], boxes.ids)
        found = found.where(np.lexsort((rank, found.first, found.item)))
    return found.where(place < most)


def all_nearest(boxes: Boxes, options: RelationOptions) -> dict[str, dict[str, float]]:
    """What each box is near by itself (condition 1, and at most ``near_most``), with confidence."""
    nearest: dict[str, dict[str, float]] = {}
    ids = boxes.ids
    for a, b in candidates(boxes, options.near):
        found = nearest_of_each(near_pairs(boxes, a, b, options), options.near_most, boxes)
        rows = zip(
            found.item.tolist(), found.other.tolist(), found.confidence.tolist(), strict=True
        )
        for item, other, confidence in rows:
            nearest.setdefault(ids[item], {})[ids[other]] = confidence
    return nearest


def both_ways(nearest: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, str, float]]:
    """``near`` from what each thing is near by itself: (a, b, confidence) and (b, a, ...)."""
    for a, others in nearest.items():
        for b, confidence in others.items():
            yield a, b, confidence
            if a not in nearest.get(b, ()):
                yield b, a, confidence


def box_distance(boxes: Boxes, a: Indices, b: Indices) -> Floats:
    """Distance (m) between boxes, the same both ways to the last bit; arrays of shape (k,)."""
    rise = np.abs(boxes.centre[a, 2] - boxes.centre[b, 2])
    up = np.maximum(rise - (boxes.half[a, 2] + boxes.half[b, 2]), 0.0)
    beside = np.minimum(_corners_away(boxes, a, b), _corners_away(boxes, b, a))
    beside = np.where(_apart(boxes, a, b) | _apart(boxes, b, a), beside, 0.0)
    away: Floats = np.sqrt(beside + up * up)
    return away


def _offsets(boxes: Boxes, a: Indices, b: Indices) -> tuple[Floats, Floats, Floats, Floats]:
    """b's centre in a's axes, and cosine and sine of b's turn against a's."""
    offset = boxes.centre[b, :2] - boxes.centre[a, :2]
    cos, sin = boxes.cos[a], boxes.sin[a]
    return (
        cos * offset[:, 0] + sin * offset[:, 1],
        cos * offset[:, 1] - sin * offset[:, 0],
        cos * boxes.cos[b] + sin * boxes.sin[b],
        cos * boxes.sin[b] - sin * boxes.cos[b],
    )


def _apart(boxes: Boxes, a: Indices, b: Indices) -> Flags:
    """Whether one of a's sides parts the two footprints."""
    across, along, cos, sin = _offsets(boxes, a, b)
    cos, sin = np.abs(cos), np.abs(sin)
    x, y = boxes.half[b, 0], boxes.half[b, 1]
    parted: Flags = (np.abs(across) > boxes.half[a, 0] + cos * x + sin * y) | (
        np.abs(along) > boxes.half[a, 1] + sin * x + cos * y
    )
    return parted


def _corners_away(boxes: Boxes, a: Indices, b: Indices) -> Floats:
    """Square of the distance (m2) from a's footprint to the nearest corner of b's."""
    across, along, cos, sin = _offsets(boxes, a, b)
    least: Floats = np.full(len(a), np.inf)
    for i in (-1.0, 1.0):
        for j in (-1.0, 1.0):
            x, y = i * boxes.half[b, 0], j * boxes.half[b, 1]
            out_x = np.maximum(np.abs(across + (cos * x - sin * y)) - boxes.half[a, 0], 0.0)
            out_y = np.maximum(np.abs(along + (sin * x + cos * y)) - boxes.half[a, 1], 0.0)
            least = np.minimum(least, out_x * out_x + out_y * out_y)
    return least


def candidates(boxes: Boxes, reach: float) -> Iterator[tuple[Indices, Indices]]:
    """Pairs (a, b) whose upright rectangles are within reach (m) of each other, both ways.

    All pairs of one ``a`` come together, so that a crowd of n takes memory O(n), though time
    O(n2).
    """
    if not len(boxes.ids):
        return
    classes = _size_classes(boxes)
    waiting = [np.arange(len(boxes.ids))]
    while waiting:
        some = waiting.pop()
        pairs = _around(boxes, some, classes, reach)
        if pairs is None:
            middle = len(some) // 2
            waiting += [some[middle:], some[:middle]]
        else:
            yield pairs


def _size_classes(boxes: Boxes) -> list[Indices]:
    """Boxes grouped by size: with those of one class, one must only look as far as it reaches."""
    size = np.ceil(np.log2(np.maximum(boxes.reach.max(axis=1), 0.05)))
    return [np.flatnonzero(size == value) for value in np.unique(size)]


def _around(
    boxes: Boxes, some: Indices, classes: list[Indices], reach: float
) -> tuple[Indices, Indices] | None:
    """All pairs of these boxes with others; None if they are too many to hold at once."""
    around = boxes.reach
    low, high = boxes.bounds(reach + EDGE)
    parts: list[tuple[Indices, Indices]] = []
    held = 0
    for members in classes:
        wide = around[members].max(axis=0) + EDGE
        centre = boxes.centre[members, :2]
        for point, box in points_in_rectangles(centre, low[some] - wide, high[some] + wide):
            a, b = some[box], members[point]
            keep = (a != b) & np.all(
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
