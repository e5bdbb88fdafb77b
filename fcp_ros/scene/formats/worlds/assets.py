# SPDX-License-Identifier: Apache-2.0
"""The files that a world refers to: found in allowed folders only, meshes read in the sandbox."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from fcp_ros.foundation.sandbox import DecodingError, SandboxLimits, decode_in_sandbox
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import Floats
from fcp_ros.scene.formats.scene_file import SceneFile, describe_folders, missing_package
from fcp_ros.scene.formats.worlds.bodies import WorldBody

DECODER = "fcp_ros.scene.formats.worlds.mesh_decoder"

MOST_MEMORY = 4 << 30
"""Memory limit of the process that reads meshes (bytes)."""

START_TIME, BYTES_PER_SECOND = 60.0, 500_000
"""Time limit of that process (s): a start time, and one second for each this many bytes."""

MOST_NAMES = 3
"""Most files that a note names, since their paths are long."""


class AssetFinder:
    """Looks files up in the folder of a world and in the limits' `asset_folders`.

    Attributes:
        folders: These folders, resolved.
    """

    def __init__(self, file: SceneFile) -> None:
        given = (folder.expanduser() for folder in file.limits.asset_folders)
        self.folders = [one.resolve() for one in (file.path.parent, *given)]
        self._blocked: dict[str, str] = {}
        self._missing: dict[str, None] = {}

    def find(self, name: str, bases: Iterable[Path]) -> Path | None:
        """Return the first ``base / name`` that exists in an allowed folder; None without one."""
        outside = ""
        for base in bases:
            try:
                target = (base / name).resolve()
                if not any(target.is_relative_to(folder) for folder in self.folders):
                    outside = outside or str(target.parent)
                elif target.exists():
                    return target
            except (OSError, ValueError, RuntimeError):  # a name that no file can have
                continue
        if outside:
            self._blocked[name] = outside
        else:
            self._missing[name] = None
        return None

    def advise_folder(self, folder: Path, name: str) -> None:
        """Note that a file that was not found may lie in a folder that is not allowed."""
        self._missing.pop(name, None)
        self._blocked[name] = str(folder)

    def write_notes(self) -> Iterator[str]:
        """Yield what was not found, and which folders to allow."""
        if self._blocked:
            names = list_names(self._blocked, MOST_NAMES)
            yield (
                f"not followed, because they are outside of the world's folder: {names}. "
                f"{describe_folders(list(self._blocked.values()))}"
            )
        if self._missing:
            yield f"not found, so their shapes are unknown: {list_names(self._missing, MOST_NAMES)}"


def read_meshes(bodies: Iterable[WorldBody], file: SceneFile) -> list[str]:
    """Read the meshes of all shapes that have one; return what could not be read, as notes.

    Raises:
        SceneError: trimesh is not installed, or the meshes are larger than ``max_bytes`` allows.
    """
    shapes = [shape for body in bodies for shape in body.shapes if shape.mesh is not None]
    wanted = dict.fromkeys((shape.mesh, shape.part) for shape in shapes)
    if not wanted:
        return []
    if importlib.util.find_spec("trimesh") is None:
        raise missing_package("reading the meshes of a world", "fcp_ros[worlds]", file.name)
    paths = dict.fromkeys(path for path, _ in wanted if path is not None)
    size = sum(path.stat().st_size for path in paths)
    file.limits.check_bytes(size + len(file.content), f"{file.name} with its meshes")
    found = decode_in_sandbox(
        DECODER,
        [(str(path), part) for path, part in wanted],
        SandboxLimits(MOST_MEMORY, START_TIME + size / BYTES_PER_SECOND),
    )
    points: dict[tuple[Path | None, str], Floats] = {}
    failed: list[str] = []
    for key, mesh in zip(wanted, found, strict=True):
        reason = str(mesh) if isinstance(mesh, DecodingError) else ""
        own = None if isinstance(mesh, DecodingError) else mesh.arrays.get("points")
        if own is None or own.ndim != 2 or own.shape[1] != 3 or not np.isfinite(own).all():
            failed.append(f"{key[0].name if key[0] else ''} ({reason or 'it is damaged'})")
        else:
            points[key] = own.astype(np.float64)
    for shape in shapes:
        own = points.get((shape.mesh, shape.part))
        if own is not None:
            shape.points = (own - _find_centre(own) if shape.is_centred else own) * shape.scale
    return [f"meshes that cannot be read: {list_names(failed, MOST_NAMES)}"] if failed else []


def _find_centre(points: Floats) -> Floats:
    centre: Floats = (points.min(axis=0) + points.max(axis=0)) / 2.0
    return centre
