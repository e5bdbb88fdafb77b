# SPDX-License-Identifier: Apache-2.0
"""Surfaces of things from scanners and segmentation: files read in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
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
