# SPDX-License-Identifier: Apache-2.0
"""Surfaces of things from scanners and segmentation, and what rays straight down find below."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.sandbox import DecodedFile, DecodingError, SandboxLimits, decode_in_sandbox
from fcp_ros.scene.graph.elements import FARTHEST, SceneError

SUFFIXES = (".ply", ".pcd")  # Endings of the names of polygon files and point clouds

MOST_MEMORY = 8 << 30  # Memory limit of decoding (bytes)

_DECODER = "fcp_ros.scene.shapes.surface_decoder"

_HEADER_BYTES = 16_384
_PLY_ELEMENT = re.compile(rb"^element\s+(\S+)\s+(\S+)", re.MULTILINE)
_PCD_POINTS = re.compile(rb"^POINTS\s+(\S+)", re.MULTILINE)
_PCD_EXTENT = re.compile(rb"^(?:WIDTH|HEIGHT|SIZE|COUNT)\s+([^\n]*)", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Surface:
    """The boundary of one thing."""

    points: NDArray[np.float64]  # Shape (n, 3), metres; finite
    triangles: NDArray[np.int64]  # Numbers of points, shape (m, 3); m is 0 for a point cloud


def import_open3d() -> Any:
    """Import Open3D; raises SceneError without it, or a system library that it needs."""
    try:
        import open3d as package
    except (ImportError, OSError) as error:
        raise SceneError(
            f"meshes and point clouds need the package open3d ({error})",
            advice="Install it with: pip install open3d-cpu (on Debian and Ubuntu also: "
            "apt install libusb-1.0-0 libgl1 libegl1 libx11-6 libidn2-0).",
        ) from None
    return package


def read_surfaces(paths: Sequence[Path], max_bytes: int) -> list[Surface]:
    """Read PLY meshes and point clouds, and PCD point clouds, of ``max_bytes`` together.

    Points that are not finite are left out, with their triangles. Raises SceneError if Open3D or a
    file is missing, or a file is too large, damaged, or without any point.
    """
    surfaces = []
    for found in read_each_surface(paths, max_bytes):
        if isinstance(found, SceneError):
            raise found
        surfaces.append(found)
    return surfaces


def read_each_surface(paths: Sequence[Path], max_bytes: int) -> list[Surface | SceneError]:
    """Read files like `read_surfaces`, and return an error for each file that cannot be used."""
    import_open3d()
    promised: list[int | SceneError] = []
    left = max_bytes
    for path in paths:
        try:
            left -= path.stat().st_size
            promised.append(_read_point_count(path, left))
        except OSError as error:
            promised.append(SceneError(f"it cannot be read ({error.strerror})", source=str(path)))
        except SceneError as error:
            promised.append(error)
    sound = [number for number, points in enumerate(promised) if isinstance(points, int)]
    size = sum(paths[number].stat().st_size for number in sound)
    decoded = decode_in_sandbox(
        _DECODER,
        [(str(paths[number].resolve()),) for number in sound],
        SandboxLimits.of_size(MOST_MEMORY, size),
    )
    by_number = dict(zip(sound, decoded, strict=True))
    return [
        _to_surface(path, by_number[number], points) if isinstance(points, int) else points
        for number, (path, points) in enumerate(zip(paths, promised, strict=True))
    ]


def _read_point_count(path: Path, bytes_left: int) -> int:
    """Read the number of points in the header of a file.

    Open3D allocates what the header promises, so a number that the file cannot hold is refused.
    """
    if bytes_left < 0:
        raise SceneError(
            "with this one, the meshes are larger than the limit of max_bytes",
            source=str(path),
            advice="Thin them out, or raise max_bytes.",
        )
    size = path.stat().st_size
    with path.open("rb") as stream:
        header = stream.read(_HEADER_BYTES)
    if path.suffix.lower() == ".pcd":
        known = b"FIELDS" in header and b"\nDATA" in header
        points = _PCD_POINTS.findall(header)
        counts = [*points, *_find_extents(header)]
        # A compressed cloud may be smaller than its points; a hundred to one is beyond it.
        most = size * 100 if b"\nDATA binary_compressed" in header else size
    else:
        known = header.startswith(b"ply") and b"end_header" in header
        elements = _PLY_ELEMENT.findall(header.partition(b"end_header")[0])
        points = [number for name, number in elements if name == b"vertex"]
        counts, most = [number for _, number in elements], size
    if not known or len(points) != 1 or not all(_is_small(number, most) for number in counts):
        raise _make_error(path, "its header does not fit its content")
    return int(points[0])


def _find_extents(header: bytes) -> list[bytes]:
    return [number for line in _PCD_EXTENT.findall(header) for number in line.split()]


def _is_small(number: bytes, most: int) -> bool:
    return number.isdigit() and len(number) < 16 and int(number) <= most


def _to_surface(
    path: Path, found: DecodedFile | DecodingError, promised: int
) -> Surface | SceneError:
    if isinstance(found, DecodingError):
        return _make_error(path, f"it cannot be decoded: {found}")
    try:
        points = found.arrays["points"].astype(np.float64).reshape(-1, 3)
        triangles = found.arrays["triangles"].astype(np.int64).reshape(-1, 3)
    except (KeyError, ValueError):
        return _make_error(path, "it cannot be decoded")
    if len(points) != promised:  # Open3D does not report a truncated file
        return _make_error(path, f"it promises {promised} points and holds {len(points)}")
    if triangles.size and not 0 <= int(triangles.min()) <= int(triangles.max()) < len(points):
        return _make_error(path, "a triangle names a point that is not there")
    finite = np.asarray(np.isfinite(points).all(axis=1))
    if finite.any() and np.abs(points[finite]).max() > FARTHEST:
        return _make_error(path, f"a point is farther away than {FARTHEST:g} m")
    if not finite.any():
        return _make_error(path, "it holds no point")
    numbers = np.cumsum(finite) - 1
    return Surface(points[finite], numbers[triangles[finite[triangles].all(axis=1)]])


def _make_error(path: Path, reason: str) -> SceneError:
    return SceneError(
        f"this is no usable mesh or point cloud ({reason})",
        source=str(path),
        advice="Save it again as PLY or PCD.",
    )


# --- supports of things from their surfaces, by rays straight down through each thing ---

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

_ENOUGH = 4  # Least number of columns of the grid that must touch for the grid alone to be trusted


@dataclass(frozen=True)
class RayOptions:
    """Tolerances of the comparison of surfaces."""

    columns: int = 9  # Rays along each side of a thing's footprint; their square in all
    # Greatest distance (m) of an underside from the surface below it, up or down
    tolerance: float = 0.03
    least_share: float = 0.25  # Share of the touching columns that a support must carry


@dataclass(frozen=True)
class RaySupport:
    """The fact that one thing rests on another."""

    item: int
    support: int
    share: float  # Share, in (0, 1], of the item's lowest columns that the support carries
    gap: float  # Median distance (m) from the support up to the item; negative where they overlap
    covered: float  # Share, in [0, 1], of those columns in which the support is above the item, too


def find_supports_by_rays(
    surfaces: Sequence[Surface], options: RayOptions = RayOptions()
) -> tuple[RaySupport, ...]:
    """Find the surface that each one rests on: the one that carries the largest share of it.

    In one frame (z up, metres). Surfaces without triangles support nothing and rest on nothing:
    give them a mesh first (a box, a convex hull). At most one support for each, in order. Raises
    SceneError without Open3D.
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
