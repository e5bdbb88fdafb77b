# SPDX-License-Identifier: Apache-2.0
"""Supports of things from their surfaces, by rays straight down through each thing.

By their boxes, a mug is *in* the space of an armchair; rays meet its seat. A thing rests on another
where, in columns through its footprint, its underside is as high as a surface of the other. Only
the columns where the thing itself is lowest can touch anything. Where the other has a surface above
the thing as well, the thing is covered: it is in a cupboard rather than on a table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fcp_ros.scene.shapes.surfaces import Surface, import_open3d

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

_ENOUGH = 4
"""Least number of columns of the grid that must touch for the grid alone to be trusted."""


@dataclass(frozen=True)
class RayOptions:
    """Tolerances of the comparison of surfaces.

    Attributes:
        columns: Rays along each side of a thing's footprint; their square in all.
        tolerance: Greatest distance (m) of an underside from the surface below it, up or down.
        least_share: Share of the touching columns that a support must carry.
    """

    columns: int = 9
    tolerance: float = 0.03
    least_share: float = 0.25


@dataclass(frozen=True)
class RaySupport:
    """The fact that one thing rests on another.

    Attributes:
        item, support: Numbers of the surfaces.
        share: Share, in (0, 1], of the item's lowest columns that the support carries.
        gap: Median distance (m) from the support up to the item; negative where they overlap.
        covered: Share, in [0, 1], of those columns in which the support is above the item, too.
    """

    item: int
    support: int
    share: float
    gap: float
    covered: float


def find_supports_by_rays(
    surfaces: Sequence[Surface], options: RayOptions = RayOptions()
) -> tuple[RaySupport, ...]:
    """Find the surface that each one rests on: the one that carries the largest share of it.

    Args:
        surfaces: Surfaces in one frame (z up, metres). Those without triangles support nothing and
            rest on nothing: give them a mesh first (a box, a convex hull).
        options: Tolerances.

    Returns:
        At most one support for each surface, in the order of the items.

    Raises:
        SceneError: Open3D is not installed.
    """
    meshed = [number for number, surface in enumerate(surfaces) if len(surface.triangles)]
    if len(meshed) < 2:
        return ()
    # Open3D takes single precision, exact to 0.1 mm up to 1 km: count from the middle.
    middle = np.mean([surfaces[number].points.mean(axis=0) for number in meshed], axis=0)
    chosen = [surfaces[number] for number in meshed]
    columns = _lay_columns(chosen, middle, options)
    hits = _cast_rays(chosen, middle, columns.rays)
    return tuple(
        replace(found, item=meshed[found.item], support=meshed[found.support])
        for found in _find_best_supports(hits, columns, options)
    )


@dataclass(frozen=True, eq=False)
class _Columns:
    """Rays straight down, shape (k, 6), with the number of their thing and a flag of the grid."""

    rays: Floats
    owners: Numbers
    in_grid: NDArray[np.bool_]


def _lay_columns(surfaces: Sequence[Surface], middle: Floats, options: RayOptions) -> _Columns:
    """Lay a grid over each footprint and its lowest triangles: a grid may miss a table's legs."""
    top = max(float(surface.points[:, 2].max()) for surface in surfaces) - middle[2] + 1.0
    steps = (np.arange(options.columns) + 0.5) / options.columns
    places, counts = [], []
    for surface in surfaces:
        low, high = surface.points[:, :2].min(axis=0), surface.points[:, :2].max(axis=0)
        x, y = np.meshgrid(*(low + steps[:, None] * (high - low)).T)
        feet = _find_lowest_triangles(surface, options)
        places += [np.column_stack((x.ravel(), y.ravel())), feet]
        counts += [options.columns**2, len(feet)]
    rays = np.zeros((sum(counts), 6))
    rays[:, :2] = np.concatenate(places) - middle[:2]
    rays[:, 2], rays[:, 5] = top, -1.0
    owners = np.repeat(np.arange(len(surfaces)).repeat(2), counts)
    return _Columns(rays, owners, np.repeat(np.tile([True, False], len(surfaces)), counts))


def _find_lowest_triangles(surface: Surface, options: RayOptions) -> Floats:
    """Return the centres (x, y) of the lowest triangles; at most one a column."""
    corners = surface.points[surface.triangles]
    lowest = surface.points[:, 2].min() + options.tolerance
    feet = corners[(corners[:, :, 2] <= lowest).all(axis=1)].mean(axis=1)[:, :2]
    every = max(1, -(-len(feet) // options.columns**2))
    chosen: Floats = feet[::every]
    return chosen


@dataclass(frozen=True, eq=False)
class _Hits:
    """Hits of rays on surfaces, shape (h,) each: number of the ray, of the surface, height (m)."""

    ray: Numbers
    surface: Numbers
    height: Floats


def _cast_rays(surfaces: Sequence[Surface], middle: Floats, rays: Floats) -> _Hits:
    library = import_open3d()
    scene = library.t.geometry.RaycastingScene()
    for surface in surfaces:
        scene.add_triangles(
            (surface.points - middle).astype(np.float32), surface.triangles.astype(np.uint32)
        )
    found = scene.list_intersections(rays.astype(np.float32))
    ray = found["ray_ids"].numpy().astype(np.int64)
    surface_met = found["geometry_ids"].numpy().astype(np.int64)
    return _Hits(ray, surface_met, rays[ray, 2] - found["t_hit"].numpy())


def _find_best_supports(hits: _Hits, columns: _Columns, options: RayOptions) -> list[RaySupport]:
    """Find the best support of each item, by the columns in which its underside is touched."""
    owners = columns.owners
    own = hits.surface == owners[hits.ray]
    underside = np.full(len(owners), np.inf)
    np.minimum.at(underside, hits.ray[own], hits.height[own])
    upside = np.full(len(owners), -np.inf)
    np.maximum.at(upside, hits.ray[own], hits.height[own])
    touching = _find_touching(underside, columns, options.tolerance)
    count = np.bincount(owners[touching], minlength=int(owners.max()) + 1)
    other = ~own & touching[hits.ray]
    gap = underside[hits.ray] - hits.height
    near = other & (np.abs(gap) <= options.tolerance)
    above = other & (hits.height > upside[hits.ray] - options.tolerance) & ~near
    covering = {
        (ray, surface)
        for ray, surface in zip(hits.ray[above].tolist(), hits.surface[above].tolist(), strict=True)
    }
    gaps: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
    for ray, surface, distance in zip(
        hits.ray[near].tolist(), hits.surface[near].tolist(), gap[near].tolist(), strict=True
    ):
        column = gaps[int(owners[ray]), surface]  # a thin board is met twice: its top counts
        if ray not in column or abs(distance) < abs(column[ray]):
            column[ray] = distance
    best: dict[int, RaySupport] = {}
    for (item, surface), column in sorted(gaps.items()):
        share = len(column) / int(count[item])
        if share >= options.least_share and (item not in best or share > best[item].share):
            covered = sum((ray, surface) in covering for ray in column) / len(column)
            middle = float(np.median(list(column.values())))
            best[item] = RaySupport(item, surface, share, middle, covered)
    return list(best.values())


def _find_touching(underside: Floats, columns: _Columns, tolerance: float) -> NDArray[np.bool_]:
    """Find the columns in which a thing is lowest: those of its grid, if they are enough."""
    owners = columns.owners
    lowest = np.full(int(owners.max()) + 1, np.inf)
    np.minimum.at(lowest, owners, underside)
    low = np.isfinite(underside) & (underside <= lowest[owners] + tolerance)
    in_grid = np.bincount(owners[low & columns.in_grid], minlength=len(lowest))
    touching: NDArray[np.bool_] = low & (columns.in_grid | (in_grid < _ENOUGH)[owners])
    return touching
