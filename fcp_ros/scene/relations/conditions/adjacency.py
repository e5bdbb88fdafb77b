# SPDX-License-Identifier: Apache-2.0
"""``adjacent(room, room)`` from outlines, stored both ways; rooms only.

Two rooms are *adjacent* if

1. their storeys overlap in height (a room of unknown height may be on any), and
2. their outlines run beside each other, at most ``wall`` apart, for at least ``stretch``: summed
   over all pairs of edges whose directions differ by at most ``SLANT``, the length along the one
   edge over which the other is within ``wall`` of it.

Rooms that meet only at a corner are not adjacent. A way from one to the other is a different
relation (``connected``). Clearness: (length - stretch) / stretch. Things side by side are ``near``
each other at a distance of about 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fcp_ros.scene.graph.elements import Provenance, SceneNode, SceneRelation
from fcp_ros.scene.relations.conditions.nearness import find_candidates
from fcp_ros.scene.relations.conditions.scored_pairs import BARELY
from fcp_ros.scene.relations.options import RelationOptions
from fcp_ros.scene.shapes.boxes import Boxes, Floats
from fcp_ros.scene.shapes.levels import storey_of_room
from fcp_ros.scene.shapes.polygons import bounds, footprint_of

SLANT = math.radians(20.0)
"""Greatest angle (rad) between two edges that count as running beside each other."""

_EDGES_AT_ONCE = 256


def find_adjacent_rooms(
    rooms: Sequence[SceneNode], options: RelationOptions
) -> list[SceneRelation]:
    """Find ``adjacent`` among rooms with outlines, both ways."""
    shaped = sorted((room for room in rooms if footprint_of(room)), key=lambda room: room.id)
    outlines = [np.array(footprint_of(room), dtype=np.float64) for room in shaped]
    storeys = [storey_of_room(room) for room in shaped]
    relations = []
    for first, second in find_candidates(_make_rectangles(shaped), options.wall):
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            lowest_ceiling = min(storeys[a][1], storeys[b][1])
            if a > b or lowest_ceiling <= max(storeys[a][0], storeys[b][0]):
                continue
            length = measure_length_beside(outlines[a], outlines[b], options.wall)
            if length >= options.stretch and length > 0.0:
                clear = (length - options.stretch) / options.stretch if options.stretch else 1.0
                confidence = BARELY + (1.0 - BARELY) * min(1.0, clear)
                for legs in ((shaped[a].id, shaped[b].id), (shaped[b].id, shaped[a].id)):
                    relations.append(
                        SceneRelation("adjacent", legs, confidence, Provenance.GEOMETRIC)
                    )
    return relations


def measure_length_beside(one: Floats, other: Floats, wall: float) -> float:
    """Measure the length (m) over which the outlines (k, 2) and (m, 2) run within ``wall``."""
    total = 0.0
    begin, run = one, np.roll(one, -1, axis=0) - one
    for start in range(0, len(one), _EDGES_AT_ONCE):
        some = slice(start, start + _EDGES_AT_ONCE)
        total += _measure_edges(begin[some], run[some], other, wall)
    return total


def _measure_edges(begin: Floats, run: Floats, other: Floats, wall: float) -> float:
    length = np.sqrt((run * run).sum(axis=1))
    begin, run, length = begin[length > 0.0], run[length > 0.0], length[length > 0.0]
    way = run / length[:, None]
    offset = other[None, :, :] - begin[:, None, :]
    along = offset[:, :, 0] * way[:, None, 0] + offset[:, :, 1] * way[:, None, 1]
    aside = offset[:, :, 1] * way[:, None, 0] - offset[:, :, 0] * way[:, None, 1]
    after, out = np.roll(along, -1, axis=1), np.roll(aside, -1, axis=1)
    advance = after - along
    parallel = np.abs(out - aside) <= math.tan(SLANT) * np.abs(advance)
    usable = parallel & (advance != 0.0)
    slope = np.where(usable, (out - aside) / np.where(advance == 0.0, 1.0, advance), 0.0)
    low = np.maximum(np.minimum(along, after), 0.0)
    high = np.minimum(np.maximum(along, after), length[:, None])
    # The other edge is within the wall's thickness where |aside + slope * (t - along)| <= wall,
    # t being the position along this edge.
    level = slope == 0.0
    tilt = np.where(level, 1.0, slope)
    first, last = along + (-wall - aside) / tilt, along + (wall - aside) / tilt
    low = np.where(level, low, np.maximum(low, np.minimum(first, last)))
    high = np.where(level, high, np.minimum(high, np.maximum(first, last)))
    usable &= ~level | (np.abs(aside) <= wall)
    return float(np.where(usable, np.maximum(high - low, 0.0), 0.0).sum())


def _make_rectangles(rooms: Sequence[SceneNode]) -> Boxes:
    """Return the upright rectangles around rooms, as boxes without height."""
    sides = np.array([bounds(footprint_of(room)) for room in rooms]).reshape(-1, 4)
    low, high = sides[:, :2], sides[:, 2:]
    flat = np.zeros((len(rooms), 1))
    return Boxes.upright(
        [room.id for room in rooms],
        np.hstack(((low + high) / 2.0, flat)),
        np.hstack(((high - low) / 2.0, flat)),
    )
