# SPDX-License-Identifier: Apache-2.0
"""``on(item, support)``, ``inside(item, container)`` and ``under(item, cover)`` from boxes.

``EDGE`` is the slack of containment. Labels decide how a box holds things (``graph/roles.py``):
tables are open between their legs, chairs and beds carry things below the upper end of their box,
shelves within it, and what belongs to walls and ceilings is in no place and holds nothing here.
Boxes that are tilted hold things by their true sides.

**inside.** An item is *inside* a container if the container has no special role, and either

1. the item's box, shrunk about its centre to ``CORE`` of its extents, lies in the container's box,
   and the container's volume is greater (a table: the item ends below its top, as in a drawer); or
2. the item, of the smaller footprint, stands in it: its core is within the container's sides, its
   bottom is in the lower half of the container, its top sticks out, the container is deep (at least
   ``DEEP`` times as high as wide) and not inside the item: an umbrella in a stand, an apple in a
   bowl, but no mug in a tray.

Of several containers the one with the least volume counts, then the lesser id. Clearness:
depth / clear, where depth is the least distance from the shrunk box to a side of the container; of
what sticks out, no more than twice the share of the container's height that is above its bottom,
less 1.

**on.** An item *rests on* a support if

1. the item's centre is within the support's footprint (turned by the support's yaw),
2. the item's centre is above the support's centre,
3. the item's bottom is at most ``resting`` above or below the support's top (along the normal of a
   tilted top), and
4. the support is not inside the item: a coaster on the bottom of a crate carries no crate, and
5. the support is not much smaller (`can_carry`): a cupboard on the wall is not on the kettle below.

Of several supports the one with the highest centre counts, since that one lies on the others (a
tray with a rim on a table), then the nearest top, then the lesser id. Clearness: the lesser of
1 - gap / resting and depth / clear, where depth is the distance from the item's centre to the
nearest side of the support's footprint; on a tilted top at most 1 - sine of the tilt.

What is inside a container is on something only if that is inside the container, too: the soup in a
pot is not on the stove. Furniture that carries things within its box (chairs above a quarter of
their height, shelves) has what would be inside it ``on`` it, unless that rests on something
there; the confidence is at most ``UNSEEN``, since the seat or board itself is not known.

**under.** An item is *under* a cover if

1. the item's centre is within the cover's footprint, which is not smaller than the item's,
2. either the item is wholly below: its top is at most ``resting`` above and at most ``under_gap``
   below the cover's underside; or the item stands between the legs of the cover (the lower half of
   a table's box, the lower quarter of a seat's): its bottom is at most ``resting`` below the
   cover's, and its top is not above the cover's top,
3. the item's centre is below the cover's centre, and the cover does not rest on the item.

Of several covers the one with the least gap counts (from the item's top to the cover's underside,
or between legs to the cover's top), then the smaller footprint, then the lesser id. So a thing on
the floor under a table is on the floor and under the table. Clearness: the lesser of depth / clear
(depth: from the item's centre to the nearest side of the footprint) and gap / clear.

Things would lie on or in themselves, by given and derived places taken together: sources are wrong
at times. One says that the table is on the mug, whose box is on the table's. Given places have no
circle among themselves (``graph/checks.py``), but with derived ones they may; and boxes that are
thinner than the tolerances may be on and inside one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from fcp_ros.scene.graph.checks import find_cycle
from fcp_ros.scene.graph.roles import HoldingRole
from fcp_ros.scene.relations.relation_options import RelationOptions
from fcp_ros.scene.relations.scored_pairs import (
    BestPairs,
    ScoredPairs,
    share_left,
    share_of,
    to_confidence,
)
from fcp_ros.scene.shapes.boxes import (
    EDGE,
    Boxes,
    Flags,
    Floats,
    Indices,
    measure_core_depth,
    measure_depth,
)

FindHolders = Callable[[str], Sequence[str]]  # Returns all that a thing is on or inside of


def find_circular(starts: Iterable[str], find_holders: FindHolders) -> set[str]:
    """Find the things that starts lead to and that lie on or in themselves, however indirectly."""
    return set().union(*find_circles(starts, find_holders))


def find_circles(starts: Iterable[str], find_holders: FindHolders) -> list[set[str]]:
    """Find ``find_circular``, apart where they don't hold each other both ways."""
    waiting = list(starts)
    if not find_cycle(find_holders, waiting):
        return []  # as a rule; the library takes a quarter of a second to import
    from networkx import DiGraph, strongly_connected_components

    above: dict[str, Sequence[str]] = {}
    while waiting:
        item = waiting.pop()
        if item not in above:
            above[item] = find_holders(item)
            waiting += above[item]
    return [one for one in strongly_connected_components(DiGraph(above)) if len(one) > 1]


FindEdges = Callable[[str], Iterable[tuple[str, bool]]]
"""Yields all that holds a thing, and whether it lies on or in that (else it is attached to it)."""


def leads_back(start: str, end: str, find_edges: FindEdges) -> bool:
    """Return True if a way from one thing to another goes along something that lies on or in.

    Things that are attached to one another are no circle: none of them has to be first.
    """
    passed: set[tuple[str, bool]] = set()
    waiting = [(start, False)]
    while waiting:
        state = waiting.pop()
        if state == (end, True):
            return True
        if state not in passed:
            passed.add(state)
            waiting += [(above, state[1] or firm) for above, firm in find_edges(state[0])]
    return False


CORE = 0.8  # The share of an item's extents that must be within the container
DEEP = 0.3  # Least height of a container that things stand in, as a share of its lesser width
MUCH_SMALLER = 0.1  # Share of a thing's size below which another one does not carry it
SEAT = 0.25  # Share of a seat's height below which things are under it
UNSEEN = 0.9  # Greatest confidence of a place on a board or seat that is known from a label only

_LEGS, _SEAT, _SHELF = HoldingRole.LEGS, HoldingRole.SEAT, HoldingRole.SHELF
_MOUNT, _WALL = HoldingRole.MOUNT, HoldingRole.WALL


def find_supports(boxes: Boxes, options: RelationOptions) -> dict[str, ScoredPairs]:
    """Find the best support, container and (if asked for) cover of every box, by relation."""
    return find_supports_among(boxes, boxes.pair_with_holders(), options)


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
        if "under" in best:
            best["under"].add(select_under(boxes, item, other, depth, options))
        free = (boxes.role[item] < _WALL) & (boxes.role[other] < _MOUNT)
        item, other, depth = item[free], other[free], depth[free]
        best["on"].add(select_resting(boxes, item, other, depth, options))
        best["inside"].add(select_inside(boxes, item, other, options))
    found = {name: best[name].best() or ScoredPairs.empty() for name in names}
    found["on"], found["inside"] = settle_places(boxes, found["on"], found["inside"])
    return found


def settle_places(
    boxes: Boxes, on: ScoredPairs, inside: ScoredPairs
) -> tuple[ScoredPairs, ScoredPairs]:
    """Decide between the best support and the best container of each item.

    Supports outside of the container go; what furniture carries within its box is ``on`` it.
    """
    if not len(inside.item):
        return on, inside
    # Items ascend in both; arrays as long as all boxes would cost more than a few pairs do.
    place = np.minimum(np.searchsorted(inside.item, on.item), len(inside.item) - 1)
    is_enclosed = np.flatnonzero(inside.item[place] == on.item)
    keep = np.ones(len(on.item), dtype=np.bool_)
    keep[is_enclosed] = is_inside(boxes, on.other[is_enclosed], inside.other[place[is_enclosed]])
    on = on.take(keep)
    role = boxes.role[inside.other]
    carries = (role == _SEAT) | (role == _SHELF) | (role == HoldingRole.HOLDER)
    if not carries.any():
        return on, inside
    carried = inside.take(carries & ~np.isin(inside.item, on.item))
    carried = replace(carried, confidence=np.minimum(carried.confidence, UNSEEN))
    return ScoredPairs.concatenate((on, carried)), inside.take(~carries)


def select_inside(
    boxes: Boxes, item: Indices, around: Indices, options: RelationOptions
) -> ScoredPairs:
    """Select the pairs in which the item is inside the other box; arrays of shape (k,)."""
    depth = measure_enclosure(boxes, item, around, options)
    keep = np.flatnonzero(depth >= -EDGE)
    item, around = item[keep], around[keep]
    confidence = to_confidence(share_of(depth[keep], options.clear))
    return ScoredPairs(item, around, boxes.volume(around), np.zeros(len(item)), confidence)


def measure_enclosure(
    boxes: Boxes, item: Indices, around: Indices, options: RelationOptions
) -> Floats:
    """Measure how far (m) each item is within the other box; negative if it is not inside."""
    depth: Floats = np.full(len(item), -1.0)
    is_over_top = (boxes.role[around] == _LEGS) & (boxes.top(item) >= boxes.top(around) - EDGE)
    free = np.flatnonzero(~(_is_between_legs(boxes, item, around) | is_over_top))
    if not len(free):  # as a rule, where few things change: they lie on tables
        return depth
    larger = free[boxes.volume(around[free]) > boxes.volume(item[free])]
    depth[larger] = _measure_true_core_depth(boxes, item[larger], around[larger])
    out = free[
        (depth[free] < -EDGE)
        & (boxes.bottom(item[free]) <= boxes.centre[around[free], 2])
        & (boxes.role[around[free]] == HoldingRole.PLAIN)
    ]
    if not len(out):
        return depth
    bottom, top = boxes.bottom(item[out]), boxes.top(item[out])
    height = 2.0 * boxes.half[around[out], 2]
    out = out[
        (bottom >= boxes.bottom(around[out]) - options.resting)
        & (top > boxes.top(around[out]))
        & (height >= DEEP * 2.0 * boxes.half[around[out], :2].min(axis=1, initial=np.inf))
        & (boxes.footprint(around[out]) > boxes.footprint(item[out]))
        & (boxes.tilt[around[out]] == 0.0)
    ]
    out = out[~is_inside(boxes, around[out], item[out])]
    if not len(out):
        return depth
    beside = measure_core_depth(boxes, item[out], around[out], CORE, upward=False)
    sunk = (boxes.top(around[out]) - boxes.bottom(item[out])) / (2.0 * boxes.half[around[out], 2])
    clear = options.clear or EDGE
    standing = np.minimum(beside, np.clip(2.0 * sunk - 1.0, 0.0, 1.0) * clear)
    depth[out] = np.where(beside >= -EDGE, standing, -1.0)
    return depth


def is_inside(boxes: Boxes, item: Indices, around: Indices) -> Flags:
    """Test whether each item lies in the other box by condition 1, shape (k,)."""
    inside: Flags = boxes.volume(around) > boxes.volume(item)
    larger = np.flatnonzero(inside)
    if len(larger):
        item, around = item[larger], around[larger]
        inside[larger] = ~_is_between_legs(boxes, item, around) & (
            _measure_true_core_depth(boxes, item, around) >= -EDGE
        )
    return inside


def _is_between_legs(boxes: Boxes, item: Indices, around: Indices) -> Flags:
    role, bottom = boxes.role[around], boxes.bottom(item)
    seat = boxes.bottom(around) + SEAT * 2.0 * boxes.half[around, 2]
    between: Flags = ((role == _LEGS) & (bottom < boxes.centre[around, 2])) | (
        (role == _SEAT) & (bottom < seat)
    )
    return between


def _measure_true_core_depth(boxes: Boxes, item: Indices, around: Indices) -> Floats:
    """Measure like ``measure_core_depth``, along the true sides of tilted boxes."""
    depth = measure_core_depth(boxes, item, around, CORE)
    tilted = np.flatnonzero(boxes.tilt[around] > 0.0)
    if len(tilted):
        offset, radius, _ = _project_on_sides(boxes, item[tilted], around[tilted])
        inner = boxes.own[around[tilted]] - np.abs(offset) - CORE * radius
        depth[tilted] = inner.min(axis=1)
    return depth


def _project_on_sides(
    boxes: Boxes, item: Indices, around: Indices
) -> tuple[Floats, Floats, Floats]:
    """Return offsets and half extents (m) of items along the sides of others, and these sides.

    Shapes (k, 3), (k, 3) and, unit vectors, (k, 3, 3).
    """
    sides = boxes.axes(around)
    offset = np.einsum("ksw,kw->ks", sides, boxes.centre[item] - boxes.centre[around])
    turned = np.abs(np.einsum("ksw,ktw->kst", sides, boxes.axes(item)))
    radius = np.einsum("kst,kt->ks", turned, boxes.own[item])
    return offset, radius, sides


def _measure_gaps(
    boxes: Boxes, item: Indices, support: Indices, depth: Floats
) -> tuple[Floats, Floats]:
    """Measure from items' bottoms to supports' tops, and how far items are within the tops (m)."""
    gap = boxes.bottom(item) - boxes.top(support)
    tilted = np.flatnonzero(boxes.tilt[support] > 0.0)
    if len(tilted):
        offset, radius, sides = _project_on_sides(boxes, item[tilted], support[tilted])
        rows = np.arange(len(tilted))
        up = np.abs(sides[:, :, 2]).argmax(axis=1)
        height = np.abs(offset) - radius - boxes.own[support[tilted]]
        inner = boxes.own[support[tilted]] - np.abs(offset)
        gap[tilted] = height[rows, up]
        inner[rows, up] = np.inf
        depth = depth.copy()
        depth[tilted] = inner.min(axis=1)
    return gap, depth


def select_resting(
    boxes: Boxes, item: Indices, support: Indices, depth: Floats, options: RelationOptions
) -> ScoredPairs:
    """Select the pairs in which the item rests on the support.

    ``depth`` (m, shape (k,)) is that of each item's centre within the support's footprint.
    """
    above = np.flatnonzero(boxes.centre[item, 2] > boxes.centre[support, 2])
    item, support, depth = item[above], support[above], depth[above]
    gap, depth = _measure_gaps(boxes, item, support, depth)
    gap = np.abs(gap)
    keep = np.flatnonzero((gap <= options.resting) & (depth >= -EDGE))
    keep = keep[can_carry(boxes, item[keep], support[keep])]
    keep = keep[~is_inside(boxes, support[keep], item[keep])]
    item, support, gap, depth = item[keep], support[keep], gap[keep], depth[keep]
    clearness = np.minimum(share_left(gap, options.resting), share_of(depth, options.clear))
    clearness = np.minimum(clearness, 1.0 - boxes.tilt[support])
    height = boxes.centre[support, 2]
    return ScoredPairs(item, support, -height, gap, to_confidence(clearness))


def rests_on(boxes: Boxes, item: Indices, support: Indices, options: RelationOptions) -> Flags:
    """Test whether each item rests on each support (conditions 1 to 5), shape (k,)."""
    gap, depth = _measure_gaps(boxes, item, support, measure_depth(boxes, item, support))
    rests: Flags = (
        (depth >= -EDGE)
        & (boxes.centre[item, 2] > boxes.centre[support, 2])
        & (np.abs(gap) <= options.resting)
        & can_carry(boxes, item, support)
        & ~is_inside(boxes, support, item)
    )
    return rests


def can_carry(boxes: Boxes, item: Indices, support: Indices) -> Flags:
    """Test whether each support is large enough for what would stand on it, shape (k,).

    It is not if footprint and volume are less than ``MUCH_SMALLER`` of the item's. Of what is often
    mounted the volume decides alone.
    """
    flatter = boxes.footprint(support) < MUCH_SMALLER * boxes.footprint(item)
    smaller = boxes.volume(support) < MUCH_SMALLER * boxes.volume(item)
    large: Flags = ~(smaller & (flatter | boxes.hangs[item]))
    return large


def select_under(
    boxes: Boxes, item: Indices, cover: Indices, depth: Floats, options: RelationOptions
) -> ScoredPairs:
    """Select the pairs in which the item is under the other box; ``depth`` as `select_resting`."""
    keep = np.flatnonzero(
        (depth >= -EDGE)
        & (boxes.footprint(cover) >= boxes.footprint(item))
        & (boxes.centre[item, 2] < boxes.centre[cover, 2])
    )
    item, cover, depth = item[keep], cover[keep], depth[keep]
    gap = boxes.bottom(cover) - boxes.top(item)
    below = (gap >= -options.resting) & (gap <= options.under_gap)
    between = (
        _is_between_legs(boxes, item, cover)
        & (boxes.bottom(item) >= boxes.bottom(cover) - options.resting)
        & (boxes.top(item) <= boxes.top(cover))
    )
    gap = np.where(below, gap, boxes.top(cover) - boxes.top(item))
    keep = np.flatnonzero(below | between)
    keep = keep[~rests_on(boxes, cover[keep], item[keep], options)]
    item, cover, depth, gap = item[keep], cover[keep], depth[keep], gap[keep]
    confidence = to_confidence(share_of(np.minimum(depth, gap), options.clear))
    return ScoredPairs(item, cover, gap, boxes.footprint(cover), confidence)
