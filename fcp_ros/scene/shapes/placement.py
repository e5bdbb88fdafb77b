# SPDX-License-Identifier: Apache-2.0
"""Free spots for a thing that was put somewhere: on tops, in boxes and on floors.

Deterministic: the same scene gives the same spot. Footprints are treated as their upright
bounding rectangles, which is enough to keep a picture readable.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.graph.elements import Pose, SceneNode, Vector
from fcp_ros.scene.shapes.polygons import Corner, bounds, contains, footprint_of, inner_point

Floats = NDArray[np.float64]

GAP = 0.03  # Space (m) left between things that are put side by side
UNKNOWN_SIZE: Vector = (0.1, 0.1, 0.1)  # Assumed extents of things whose box is unknown (m)
FLOOR_STEP = 0.25  # Spacing (m) of the spots that are tried on a floor

_MOST_TRIED = 2_000
_AT_ONCE = 64


def find_spot_on(item: SceneNode, support: SceneNode, others: Iterable[SceneNode]) -> Pose | None:
    """Find a spot (its bottom at the support's top) beside the things there; None: no box."""
    if support.pose is None or support.size is None:
        return None
    top = support.pose.position[2] + support.size[2] / 2.0
    return _find_spot_in_box(item, support, others, bottom=top)


def find_spot_inside(
    item: SceneNode, container: SceneNode, others: Iterable[SceneNode]
) -> Pose | None:
    """Find a spot for an item on the bottom of a container, beside the things in it."""
    if container.pose is None or container.size is None:
        return None
    low = container.pose.position[2] - container.size[2] / 2.0
    spare = max(0.0, container.size[2] - _find_extents(item)[2])
    return _find_spot_in_box(item, container, others, bottom=low + min(GAP, spare / 2.0))


def find_spot_on_floor(
    item: SceneNode, floor: SceneNode, others: Iterable[SceneNode]
) -> Pose | None:
    """Find a spot for an item (or an agent) on a floor with an outline, clear of things around."""
    if floor.pose is None or floor.size is None or not footprint_of(floor):
        return None
    polygon = footprint_of(floor)
    bottom = floor.pose.position[2] + floor.size[2] / 2.0
    x0, y0, x1, y1 = bounds(polygon)
    middle = inner_point(polygon)
    steps = max(x1 - x0, y1 - y0) / FLOOR_STEP
    spacing = FLOOR_STEP * max(1.0, steps / math.sqrt(_MOST_TRIED))
    grid = [
        (middle[0] + column * spacing, middle[1] + row * spacing)
        for column in _iterate_steps(x0 - middle[0], x1 - middle[0], spacing)
        for row in _iterate_steps(y0 - middle[1], y1 - middle[1], spacing)
    ]
    inside = contains(polygon, np.array(grid))
    spots = [spot for spot, keep in zip(grid, inside.tolist(), strict=True) if keep]
    spots.sort(key=lambda spot: (math.dist(spot, middle), spot))
    extents = _find_extents(item)
    chosen = _find_free(spots or [middle], extents, others)
    return _stand_at(item, chosen, bottom, extents)


def _find_spot_in_box(
    item: SceneNode, holder: SceneNode, others: Iterable[SceneNode], bottom: float
) -> Pose:
    assert holder.pose is not None
    assert holder.size is not None
    extents = _find_extents(item)
    cos, sin = math.cos(holder.pose.yaw), math.sin(holder.pose.yaw)
    x, y, _ = holder.pose.position
    spots = [
        (x + cos * across - sin * along, y + sin * across + cos * along)
        for across, along in _list_spots(holder.size, max(extents[:2]))
    ]
    return _stand_at(item, _find_free(spots, extents, others), bottom, extents)


def _list_spots(size: Vector, extent: float) -> list[Corner]:
    """List spots in a box's own axes, from its middle outward, at which the item fits in."""
    room_x = max(0.0, (size[0] - extent) / 2.0)
    room_y = max(0.0, (size[1] - extent) / 2.0)
    spacing = max(extent + GAP, math.sqrt(4.0 * room_x * room_y / _MOST_TRIED))
    spots = [
        (across * spacing, along * spacing)
        for across in _iterate_steps(-room_x, room_x, spacing)
        for along in _iterate_steps(-room_y, room_y, spacing)
    ]
    return sorted(spots, key=lambda spot: (math.hypot(*spot), spot))


def _iterate_steps(low: float, high: float, spacing: float) -> Iterator[int]:
    """Yield the whole steps from 0 that stay within [low, high]; at least the step 0."""
    yield from range(min(0, math.ceil(low / spacing)), max(0, math.floor(high / spacing)) + 1)


def _find_free(spots: Sequence[Corner], extents: Vector, others: Iterable[SceneNode]) -> Corner:
    """Return the first spot without overlap; if every spot has one, the spot with the least."""
    taken = np.array([_find_rectangle(other) for other in others if other.pose is not None])
    if not taken.size:
        return spots[0]
    best, least = spots[0], math.inf
    for start in range(0, len(spots), _AT_ONCE):
        overlaps = _measure_overlaps(np.array(spots[start : start + _AT_ONCE]), extents, taken)
        index = int(np.argmin(overlaps))  # the first of the least
        if overlaps[index] < least:
            best, least = spots[start + index], float(overlaps[index])
        if least == 0.0:
            break
    return best


def _find_rectangle(node: SceneNode) -> tuple[float, float, float, float]:
    if node.pose is not None and node.size is None:
        x, y, _ = node.pose.position
        half = UNKNOWN_SIZE[0] / 2.0
        return x - half, y - half, x + half, y + half
    return bounds(footprint_of(node))


def _measure_overlaps(spots: Floats, extents: Vector, rectangles: Floats) -> Floats:
    """Compute the area (m2) that an item at each spot (k, 2) shares with all rectangles (m, 4)."""
    reach = np.array(extents[:2]) / 2.0
    low = np.maximum((spots - reach)[:, None, :], rectangles[None, :, :2])
    high = np.minimum((spots + reach)[:, None, :], rectangles[None, :, 2:])
    shared: Floats = np.prod(np.maximum(high - low, 0.0), axis=2).sum(axis=1)
    return shared


def _find_extents(item: SceneNode) -> Vector:
    """Return the extents of the upright box around an item (m)."""
    if item.size is None:
        return UNKNOWN_SIZE
    if item.pose is None:
        return item.size
    x0, y0, x1, y1 = bounds(footprint_of(item))
    return x1 - x0, y1 - y0, item.size[2]


def _stand_at(item: SceneNode, spot: Corner, bottom: float, extents: Vector) -> Pose:
    """Return the item's pose on top of ``bottom``; an item of unknown size is a point there."""
    height = extents[2] / 2.0 if item.size is not None else 0.0
    position = (spot[0], spot[1], bottom + height)
    return item.pose.with_position(position) if item.pose is not None else Pose(position)
