# SPDX-License-Identifier: Apache-2.0
"""Places of things that rest on nothing, are in nothing, and do not stand on the floor.

Perception is off by some centimetres, things lie across others or hang on walls. Each candidate has
a confidence, and the greatest one decides (then the lesser id); below ``BARELY`` none of the strict
conditions of ``supports`` holds.

- ``on``, across: the item's bottom is at most ``resting`` from the support's top, and at least
  ``ACROSS`` of its footprint is above the support (a plank over two tables). Clearness: the lesser
  of 1 - gap / resting and twice that share.
- ``on``, off: the item's centre is in the support's footprint and above its centre, its top is
  above the support's, and its bottom is at most ``hovering`` above or below the support's top. The
  confidence falls from 0.5 at ``resting`` to ``LEAST`` at ``hovering``. Things that are often
  mounted (pictures, television sets) need the strict condition.
- ``on``, put on: a holder of paper is within or at the upper half of the item. Clearness:
  ``HANGING``.
- ``inside``, partly: at least ``PARTLY`` of the item's box is within a larger container without a
  special role, and the item does not stick out at its top or bottom. The confidence grows from
  ``LEAST`` to 0.5 with that share, which is 0.5 at ``CORE``.
- ``attached``: the item touches another thing (gap at most ``resting``) with at least ``FACE`` of
  one of its faces, and is thin (half of its other extents at most), or the other thing is a wall or
  ceiling; or a hook, rail or the like is within or at the upper half of the item. Clearness: the
  lesser of 1 - gap / resting and the share, at most ``HANGING``. Windows and what else is built in
  are attached to walls and ceilings only, curtains also to windows and rods.
- Nothing is on what is much smaller (`can_carry` of ``supports``).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fcp_ros.scene.graph.roles import HoldingRole
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.scored_pairs import (
    BARELY,
    BestPairs,
    ScoredPairs,
    share_left,
    to_confidence,
)
from fcp_ros.scene.relations.supports import CORE, can_carry
from fcp_ros.scene.shapes.boxes import EDGE, Boxes, Flags, Floats, Indices, to_box_frame

LEAST = 0.25  # Confidence of a place at the very limit of what perception may be off

ACROSS = 0.1
"""Least share of a thing's footprint that is above one of the things that it lies across."""

PARTLY = 0.4  # Least share of a thing's box that is within a container that it is partly in
FACE = 0.5  # Least share of a face that touches what the thing is attached to
THIN = 0.5  # Greatest extent of a thin thing towards what it is attached to, by its other extents
HANGING = 0.8  # Greatest clearness of ``attached``: screws and magnets are not seen


def find_unsettled_places(
    boxes: Boxes, pairs: Iterable[tuple[Indices, Indices]], options: RelationOptions
) -> dict[str, ScoredPairs]:
    """Find the most probable place of each item, by relation.

    ``pairs`` has at least all of an item with what is at most ``reach_of`` away from it.
    """
    best: dict[str, BestPairs] = {
        name: BestPairs(boxes.ids) for name in ("on", "inside", "attached")
    }
    for item, other in pairs:
        rise = np.abs(boxes.centre[item, 2] - boxes.centre[other, 2])
        apart = rise - (boxes.half[item, 2] + boxes.half[other, 2])
        near = (item != other) & (apart <= reach_of(options))
        item, other = item[near], other[near]
        if not len(item):
            continue
        shares, gaps = _measure_overlaps(boxes, item, other)
        best["on"].add(_select_across(boxes, item, other, shares, options))
        best["on"].add(_select_off(boxes, item, other, options))
        best["on"].add(_select_put_on(boxes, item, other, gaps, options))
        best["inside"].add(_select_partly_inside(boxes, item, other, shares, options))
        best["attached"].add(_select_attached(boxes, item, other, shares, gaps, options))
    found = {name: each.best() or ScoredPairs.empty() for name, each in best.items()}
    return _choose_most_confident(found)


def reach_of(options: RelationOptions) -> float:
    """Return the greatest distance (m) between an item and what decides its place."""
    return max(options.resting, options.hovering)


def fall_off(gap: Floats, options: RelationOptions) -> Floats:
    """Return the confidence of standing ``gap`` metres (not negative) above or below a top."""
    if options.hovering <= options.resting:
        return np.full_like(gap, LEAST)
    share = (gap - options.resting) / (options.hovering - options.resting)
    confidence: Floats = BARELY - (BARELY - LEAST) * np.clip(share, 0.0, 1.0)
    return confidence


def _choose_most_confident(found: dict[str, ScoredPairs]) -> dict[str, ScoredPairs]:
    """Keep each item in the one relation that is most certain; of equal ones the first."""
    items = np.unique(np.concatenate([pairs.item for pairs in found.values()]))
    greatest = np.full(len(items), -1.0)
    rows = {name: np.searchsorted(items, pairs.item) for name, pairs in found.items()}
    for name, pairs in found.items():
        greatest[rows[name]] = np.maximum(greatest[rows[name]], pairs.confidence)
    chosen = {}
    for name, pairs in found.items():
        wins = pairs.confidence >= greatest[rows[name]]
        chosen[name] = pairs.take(wins)
        greatest[rows[name][wins]] = np.inf
    return chosen


def _measure_overlaps(boxes: Boxes, item: Indices, other: Indices) -> tuple[Floats, Floats]:
    """Measure along the sides of the other boxes, both of shape (k, 3).

    The share of each item's extent within the other box's, and the gap (m; negative: overlap).
    """
    across, along = to_box_frame(boxes, item, other)
    rise = boxes.centre[item, 2] - boxes.centre[other, 2]
    offset = np.abs(np.stack((across, along, rise), axis=1))
    radius, half = _turn_halves(boxes, item, other), boxes.half[other]
    gap = offset - (radius + half)
    shared = np.minimum(-gap, 2.0 * np.minimum(radius, half))
    # Things without thickness are within where their plane is.
    whole = 2.0 * np.maximum(radius, EDGE)
    share: Floats = np.clip((shared + 2.0 * EDGE * (radius < EDGE)) / whole, 0.0, 1.0)
    return share, gap


def _turn_halves(boxes: Boxes, item: Indices, other: Indices) -> Floats:
    """Return the half extents of items along the sides of others, shape (k, 3)."""
    cos = np.abs(boxes.cos[item] * boxes.cos[other] + boxes.sin[item] * boxes.sin[other])
    sin = np.abs(boxes.sin[item] * boxes.cos[other] - boxes.cos[item] * boxes.sin[other])
    half = boxes.half[item]
    x, y = cos * half[:, 0] + sin * half[:, 1], sin * half[:, 0] + cos * half[:, 1]
    return np.stack((x, y, half[:, 2]), axis=1)


def _can_hold(boxes: Boxes, item: Indices, other: Indices) -> Flags:
    free: Flags = (boxes.role[item] < HoldingRole.WALL) & (boxes.role[other] < HoldingRole.MOUNT)
    return free & can_carry(boxes, item, other)


def _score(item: Indices, other: Indices, confidence: Floats) -> ScoredPairs:
    return ScoredPairs(item, other, -confidence, np.zeros(len(item)), confidence)


def _select_across(
    boxes: Boxes, item: Indices, other: Indices, shares: Floats, options: RelationOptions
) -> ScoredPairs:
    gap = np.abs(boxes.bottom(item) - boxes.top(other))
    share = shares[:, 0] * shares[:, 1]
    keep = np.flatnonzero(
        (gap <= options.resting)
        & (share >= ACROSS)
        & (boxes.centre[item, 2] > boxes.centre[other, 2])
        & (boxes.tilt[other] == 0.0)
        & _can_hold(boxes, item, other)
    )
    clearness = np.minimum(share_left(gap[keep], options.resting), 2.0 * share[keep])
    return _score(item[keep], other[keep], to_confidence(clearness))


def _select_off(
    boxes: Boxes, item: Indices, other: Indices, options: RelationOptions
) -> ScoredPairs:
    gap = np.abs(boxes.bottom(item) - boxes.top(other))
    across, along = to_box_frame(boxes, item, other)
    half = boxes.half[other]
    keep = np.flatnonzero(
        (gap > options.resting)
        & (gap <= options.hovering)
        & (np.abs(across) <= half[:, 0])
        & (np.abs(along) <= half[:, 1])
        & (boxes.centre[item, 2] > boxes.centre[other, 2])
        & (boxes.top(item) > boxes.top(other))
        & ~boxes.hangs[item]
        & _can_hold(boxes, item, other)
    )
    return _score(item[keep], other[keep], fall_off(gap[keep], options))


def _select_partly_inside(
    boxes: Boxes, item: Indices, other: Indices, shares: Floats, options: RelationOptions
) -> ScoredPairs:
    share = shares.prod(axis=1)
    keep = np.flatnonzero(
        (share >= PARTLY)
        & (boxes.role[other] == HoldingRole.PLAIN)
        & (boxes.role[item] < HoldingRole.WALL)
        & (boxes.volume(other) > boxes.volume(item))
        & (boxes.top(item) <= boxes.top(other) + EDGE)
        & (boxes.bottom(item) >= boxes.bottom(other) - options.resting)
        & (boxes.tilt[other] == 0.0)
    )
    confidence = LEAST + (BARELY - LEAST) * np.minimum(share[keep] / CORE, 1.0)
    return _score(item[keep], other[keep], confidence)


def _select_attached(
    boxes: Boxes,
    item: Indices,
    other: Indices,
    shares: Floats,
    gaps: Floats,
    options: RelationOptions,
) -> ScoredPairs:
    radius = _turn_halves(boxes, item, other)
    is_anchor = boxes.role[other] >= HoldingRole.WALL
    clearness = np.full(len(item), -1.0)
    for axis, (one, two) in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
        face = shares[:, one] * shares[:, two]
        distance = np.abs(gaps[:, axis])
        thin = radius[:, axis] <= THIN * np.minimum(radius[:, one], radius[:, two])
        touches = (distance <= options.resting) & (face >= FACE) & (thin | is_anchor)
        if axis == 2:  # from below: what is on top of something lies there
            touches &= boxes.centre[other, 2] > boxes.centre[item, 2]
        clear = np.minimum(share_left(distance, options.resting), face)
        clearness = np.where(touches, np.maximum(clearness, clear), clearness)
    hangs = _hangs_on(boxes, item, other, gaps, options, HoldingRole.MOUNT)
    clearness = np.where(hangs, HANGING, np.minimum(clearness, HANGING))
    role = boxes.role[other]
    holds = np.zeros(len(item), dtype=np.bool_)
    for kind in (HoldingRole.MOUNT, HoldingRole.HOLDER):  # a rail is not attached to its towel
        holds |= _hangs_on(boxes, other, item, gaps, options, kind)
    keep = np.flatnonzero(
        (clearness >= 0.0)
        & ~holds
        & (((role != HoldingRole.MOUNT) & (role != HoldingRole.HOLDER)) | hangs)
        & _can_be_attached(boxes, item, other)
    )
    return _score(item[keep], other[keep], to_confidence(clearness[keep]))


def _can_be_attached(boxes: Boxes, item: Indices, other: Indices) -> Flags:
    """Test labels: windows are in walls only, and curtains hang at walls, rods and windows."""
    own, role = boxes.role[item], boxes.role[other]
    at_window = (role == HoldingRole.MOUNT) | (role == HoldingRole.BUILT_IN)
    fits: Flags = (
        (own < HoldingRole.WALL)
        | (role == HoldingRole.WALL)
        | ((own == HoldingRole.CURTAIN) & at_window)
    )
    return fits


def _select_put_on(
    boxes: Boxes, item: Indices, other: Indices, gaps: Floats, options: RelationOptions
) -> ScoredPairs:
    """Select what a holder goes through, such as a roll of paper."""
    keep = np.flatnonzero(
        _hangs_on(boxes, item, other, gaps, options, HoldingRole.HOLDER)
        & (boxes.role[item] < HoldingRole.MOUNT)
    )
    clearness = np.full(len(keep), HANGING)
    return _score(item[keep], other[keep], to_confidence(clearness))


def _hangs_on(
    boxes: Boxes,
    item: Indices,
    other: Indices,
    gaps: Floats,
    options: RelationOptions,
    role: HoldingRole,
) -> Flags:
    height = boxes.centre[other, 2]
    low = options.resting if role == HoldingRole.HOLDER else 0.0  # it goes through the middle
    hangs: Flags = (
        (boxes.role[other] == role)
        & (gaps.max(axis=1, initial=-np.inf) <= options.resting)
        & (height >= boxes.centre[item, 2] - low)
        & (height <= boxes.top(item) + options.resting)
    )
    return hangs
