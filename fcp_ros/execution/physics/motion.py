# SPDX-License-Identifier: Apache-2.0
"""Ways of a robot's base: shortest paths on a grid of the floor, clear of all that stands there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from fcp_ros.execution.physics.arena import Arena
from fcp_ros.execution.physics.robot import HEIGHT, Rig
from fcp_ros.execution.physics.shapes import Solid

Floats = NDArray[np.float64]
Point = tuple[float, float]

CELL = 0.05  # m
MOST_CELLS = 250_000  # More cells than that, and they become larger
MARGIN = 0.8  # Floor (m) around all things that is looked at
STEP = 0.03  # Height (m) of what the base drives over
SHY = 0.25  # Clearance (m) beyond the robot's radius up to which ways are longer than they are


@dataclass(frozen=True, slots=True)
class Route:
    """Corner points (m) of a path, and its length with what narrow places add."""

    points: tuple[Point, ...]
    cost: float


class FloorMap:
    """The free floor around one robot, as it is now."""

    def __init__(self, arena: Arena, rig: Rig) -> None:
        from scipy.ndimage import distance_transform_edt

        self._low, self._high = _find_bounds(arena)
        extent = np.maximum(self._high - self._low, CELL)
        self.cell = max(CELL, math.sqrt(float(np.prod(extent)) / MOST_CELLS))
        self._shape = tuple(np.ceil(extent / self.cell).astype(int) + 1)
        taken = np.zeros(self._shape, dtype=bool)
        for centre, half, turn in _list_obstacles(arena, rig):
            self._mark(taken, centre, half, turn)
        self.clearance: Floats = distance_transform_edt(~taken) * self.cell

    def _mark(self, taken: NDArray[np.bool_], centre: Point, half: Point, turn: float) -> None:
        cos, sin = math.cos(turn), math.sin(turn)
        reach_x = abs(cos) * half[0] + abs(sin) * half[1] + self.cell
        reach_y = abs(sin) * half[0] + abs(cos) * half[1] + self.cell
        (i0, j0), (i1, j1) = (
            self._to_cell((centre[0] + s * reach_x, centre[1] + s * reach_y)) for s in (-1, 1)
        )
        x = self._low[0] + np.arange(i0, i1 + 1) * self.cell - centre[0]
        y = self._low[1] + np.arange(j0, j1 + 1) * self.cell - centre[1]
        across = np.abs(cos * x[:, None] + sin * y[None, :])
        along = np.abs(cos * y[None, :] - sin * x[:, None])
        room = self.cell / 2.0
        taken[i0 : i1 + 1, j0 : j1 + 1] |= (across <= half[0] + room) & (along <= half[1] + room)

    def _to_cell(self, point: Point) -> tuple[int, int]:
        i, j = (
            int(min(max(round((point[k] - self._low[k]) / self.cell), 0), self._shape[k] - 1))
            for k in (0, 1)
        )
        return i, j

    def _to_point(self, index: int) -> Point:
        i, j = divmod(index, self._shape[1])
        return float(self._low[0] + i * self.cell), float(self._low[1] + j * self.cell)

    def clearance_at(self, point: Point) -> float:
        """Distance (m) from a point to the nearest obstacle."""
        return float(self.clearance[self._to_cell(point)])

    def reach(self, start: Point, radius: float) -> FloorReach:
        """Find all that a disc of this radius (m) can reach, and the ways there."""
        return FloorReach(self, start, radius)


class FloorReach:
    """The shortest ways of a disc from one point to all others."""

    def __init__(self, floor: FloorMap, start: Point, radius: float) -> None:
        self._floor = floor
        self._radius = radius
        self._start = start
        shape = floor.clearance.shape
        first = floor._to_cell(start)
        free = floor.clearance >= radius
        # The robot may stand nearer to things than it would drive by: it first backs off.
        near = np.hypot(*np.ogrid[-first[0] : shape[0] - first[0], -first[1] : shape[1] - first[1]])
        free |= (near * floor.cell <= radius) & (floor.clearance >= floor.cell)
        self._free = free
        self.cost, self._before = _search(floor, free, first, radius)

    def cost_to(self, point: Point) -> float:
        """Length (m) of the way to a point, `inf` without one."""
        cell = self._floor._to_cell(point)
        return float(self.cost[cell[0] * self._free.shape[1] + cell[1]])

    def way_to(self, point: Point) -> Route | None:
        """Return the way to a point; None without one."""
        cost = self.cost_to(point)
        if not math.isfinite(cost):
            return None
        i, j = self._floor._to_cell(point)
        index, cells = i * self._free.shape[1] + j, []
        while index >= 0:
            cells.append(index)
            index = int(self._before[index])
        points = [self._start, *(self._floor._to_point(c) for c in reversed(cells)), point]
        return Route(tuple(self._straighten(points)), cost)

    def nearest_in(self, room: shapely.Polygon) -> Point | None:
        """Find the point of a room that is reached first, a little inside; None for none."""
        inner = room.buffer(-self._radius - 0.2)
        if inner.is_empty:
            inner = room
        reached = np.flatnonzero(np.isfinite(self.cost))
        i, j = np.divmod(reached, self._free.shape[1])
        x = self._floor._low[0] + i * self._floor.cell
        y = self._floor._low[1] + j * self._floor.cell
        inside = shapely.contains_xy(inner, x, y)
        roomy = self._floor.clearance.ravel()[reached] >= self._radius
        chosen = reached[inside & roomy]
        if not len(chosen):
            return None
        return self._floor._to_point(int(chosen[np.argmin(self.cost[chosen])]))

    def _straighten(self, points: Sequence[Point]) -> list[Point]:
        """Drop the points that a straight line passes by safely."""
        kept = [points[0]]
        index = 0
        while index < len(points) - 1:
            ahead = len(points) - 1
            while ahead > index + 1 and not self._is_clear(points[index], points[ahead]):
                ahead = index + max(1, (ahead - index) // 2)
            kept.append(points[ahead])
            index = ahead
        return kept

    def _is_clear(self, one: Point, other: Point) -> bool:
        steps = max(2, int(math.dist(one, other) / self._floor.cell))
        share = np.linspace(0.0, 1.0, steps)
        x, y = (one[k] + share * (other[k] - one[k]) for k in (0, 1))
        i = np.rint((x - self._floor._low[0]) / self._floor.cell).astype(int)
        j = np.rint((y - self._floor._low[1]) / self._floor.cell).astype(int)
        return bool(self._free[i, j].all())


def _search(
    floor: FloorMap, free: NDArray[np.bool_], first: tuple[int, int], radius: float
) -> tuple[Floats, NDArray[np.int32]]:
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    rows, columns = free.shape
    index = np.arange(rows * columns).reshape(rows, columns)
    slow = 1.0 + 2.0 * np.clip(1.0 - (floor.clearance - radius) / SHY, 0.0, 1.0)
    starts, ends, lengths = [], [], []
    for di, dj in ((1, 0), (0, 1), (1, 1), (1, -1)):
        here = (slice(0, rows - di), slice(max(0, -dj), columns - max(0, dj)))
        there = (slice(di, rows), slice(max(0, dj), columns + min(0, dj)))
        both = free[here] & free[there]
        starts.append(index[here][both])
        ends.append(index[there][both])
        lengths.append(math.hypot(di, dj) * floor.cell * (slow[here] + slow[there])[both] / 2.0)
    graph = coo_matrix(
        (np.concatenate(lengths), (np.concatenate(starts), np.concatenate(ends))),
        shape=(rows * columns, rows * columns),
    ).tocsr()
    cost, before = dijkstra(
        graph, directed=False, indices=int(index[first]), return_predecessors=True
    )
    return cost, before


def _find_bounds(arena: Arena) -> tuple[Floats, Floats]:
    corners = [rig.place for rig in arena.rigs.values()]
    for body in arena.layout.bodies.values():
        x, y, _ = body.pose.position
        reach = max(body.size[0], body.size[1]) / 2.0
        corners += [(x - reach, y - reach), (x + reach, y + reach)]
    for room in arena.layout.rooms.values():
        x0, y0, x1, y1 = room.bounds
        corners += [(x0, y0), (x1, y1)]
    found = np.array(corners)
    return found.min(axis=0) - MARGIN, found.max(axis=0) + MARGIN


def _list_obstacles(arena: Arena, rig: Rig) -> list[tuple[Point, Point, float]]:
    """List centre, half extents and yaw of all that the robot can't drive through."""
    low, high = rig.floor + STEP, rig.floor + HEIGHT
    held = {id_ for id_ in arena.movable if arena.find_holder(id_) == rig.id}
    found: list[tuple[Point, Point, float]] = []
    for wall in arena.layout.walls:
        if _overlaps(wall, low, high):
            found.append((wall.centre[:2], wall.half[:2], wall.yaw))
    for id_, body in arena.layout.bodies.items():
        pose = arena.pose(id_)
        z = pose.position[2]
        solid = any(one.collides for one in body.shape.solids)
        half = _find_level_half(arena, id_)
        if solid and id_ not in held and z - half[2] < high and z + half[2] > low:
            yaw = pose.yaw if abs(arena.tilt(id_)) < 0.3 else 0.0
            found.append((pose.position[:2], half[:2], yaw))
        if arena.has_hinge(id_):
            found += _list_leaf(arena, id_, low, high)
    for other in arena.rigs.values():
        if other is not rig:
            found.append((other.place, (0.24, 0.24), 0.0))
    return found


def _find_level_half(arena: Arena, id_: str) -> tuple[float, float, float]:
    x, y, z = arena.body(id_).size
    if arena.tilt(id_) < 0.3:
        return x / 2.0, y / 2.0, z / 2.0
    widest = math.hypot(x, y, z) / 2.0
    return widest, widest, widest


def _overlaps(solid: Solid, low: float, high: float) -> bool:
    z, half = solid.centre[2], solid.half[2]
    return z - half < high and z + half > low


def _list_leaf(arena: Arena, id_: str, low: float, high: float) -> list[tuple[Point, Point, float]]:
    hinge = arena.body(id_).shape.hinge
    assert hinge is not None
    found = []
    for index in range(len(hinge.leaf)):
        geom = arena.model.geom(f"{id_}/leaf/{index}").id
        x, y, z = arena.data.geom_xpos[geom].tolist()
        turn = arena.data.geom_xmat[geom].reshape(3, 3)
        half = np.abs(turn) @ arena.model.geom_size[geom]
        if z - half[2] < high and z + half[2] > low:
            own = arena.model.geom_size[geom]
            upright = turn[2, 2] > 0.99
            yaw = math.atan2(turn[1, 0], turn[0, 0]) if upright else 0.0
            size = own if upright else half
            found.append(((x, y), (float(size[0]), float(size[1])), yaw))
    return found
