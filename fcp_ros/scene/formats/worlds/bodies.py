# SPDX-License-Identifier: Apache-2.0
"""Bodies of a simulated world, the files that it refers to, and what their names say."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from fcp_ros.foundation.labels import drop_asset_codes, drop_asset_prefix, normalise_label
from fcp_ros.foundation.sandbox import DecodingError, SandboxLimits, decode_in_sandbox
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import Floats
from fcp_ros.scene.formats.scene_file import SceneFile, describe_folders, missing_package

_CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
_NAMESPACE = re.compile(r"::|[/|]")
_HASH = re.compile(r"[0-9a-f]{16,}")
_NO_CODES = ("tv", "pc")
_SUFFIXES = frozenset(
    {"main", "base", "body", "link", "root", "object", "obj", "model", "visual", "vis", "collision"}
    | {
        "col",
        "coll",
        "geom",
        "geometry",
        "mesh",
        "instance",
        "clone",
        "inst",
        "g0",
        "g1",
        "dynamic",
    }
)
"""Last words of names that say nothing about the thing."""

_GENERIC = _SUFFIXES | {
    *("scene", "world", "worldbody", "env", "environment", "arena", "default", "static", "group"),
    *(
        "objects",
        "things",
        "items",
        "props",
        "assets",
        "furniture",
        "models",
        "unnamed",
        "untitled",
    ),
}
"""Words that name no thing by themselves."""

STRUCTURE = frozenset(
    {"wall", "walls", "ceiling", "ceilings", "floor", "floors", "ground", "roof", "terrain"}
    | {"floorplane", "groundplane", "skybox"}
)
"""Words for what surrounds a room: their boxes would seem to hold whatever is in it."""

_PARTS = frozenset(
    {"leg", "legs", "top", "side", "back", "front", "bottom", "panel", "frame", "handle", "door"}
    | {"drawer", "lid", "shelf", "board", "seat", "arm", "wheel", "knob", "hinge", "tray", "rod"}
)

_SIDES = frozenset(
    {"left", "right", "front", "rear", "back", "top", "bottom", "corner", "plane", "leftcorner"}
    | {"rightcorner", "north", "south", "east", "west", "inner", "outer", "room"}
)


@dataclass
class BodyShape:
    """A shape of a body."""

    name: str  # Its name; may be empty
    matrix: Floats  # From its own frame to the world (m), shape (4, 4)
    # Points whose hull it fills, in its own frame, shape (n, 3); None if unknown
    points: Floats | None = None
    mesh: Path | None = None  # The file of a mesh that the points are still to be read from
    part: str = ""  # The part of the mesh that counts; empty for all of it
    is_centred: bool = False  # True if the mesh's own centre is put at the origin
    # The factors by which the mesh is stretched
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def place(self) -> Floats:
        """Return the points in the world (m); none if they are unknown."""
        if self.points is None:
            return np.zeros((0, 3))
        placed: Floats = self.points @ self.matrix[:3, :3].T + self.matrix[:3, 3]
        return placed


@dataclass
class WorldBody:
    """A body of a world; bodies are listed after those above them."""

    name: str  # Its name in the file; may be empty
    parent: int  # The number of the body above; -1 for the world
    matrix: Floats  # From its own frame to the world (m), shape (4, 4)
    shapes: list[BodyShape] = field(default_factory=list)  # Its own shapes
    # The name of the asset that it is a copy of; counts where the name says nothing
    asset: str = ""
    # True for what belongs to the body above whatever it is called (a link of a model)
    is_part: bool = False
    # True if the world holds it where it is; None if the file doesn't say
    is_fixed: bool | None = None
    joints: int = 0  # The number of degrees of freedom between it and the body above
    # The positions (m or rad) of those that have limits: doors, drawers, lids
    openings: tuple[float, ...] = ()
    is_driven: bool = False  # True if a motor moves it, or it has sensors
    label: str = ""  # Its label, where the file has one besides the name


def make_box(size: Floats) -> Floats:
    """Return the corners of a box around the origin with these full extents (m)."""
    corners: Floats = _CORNERS * size
    return corners


def read_name(name: str) -> str:
    """Return the label that a name implies: ``kitchen::Mug_01_002`` gives ``mug``; else "".

    Namespaces, numbers, codes of assets and words such as ``link`` are left out.
    """
    last = [part for part in _NAMESPACE.split(name) if part.strip()][-1:]
    words = drop_asset_prefix(normalise_label(last[0] if last else "").split(" "))
    before = None
    while words and words != before:
        before = words
        while words and (words[-1] in _SUFFIXES or words[-1].isdigit()):
            words = words[:-1]
        words = drop_asset_codes(words, _NO_CODES) if words else words
    if not any(words) or all(word in _GENERIC for word in words):
        return ""
    return "" if len(words) == 1 and _HASH.fullmatch(words[0]) else "_".join(words)


def is_part_of(label: str, whole: str) -> bool:
    """Return True for labels of parts: without a name, such as "leg", or with that of the whole."""
    return not label or label.rpartition("_")[2] in _PARTS or label.startswith(whole)


def is_structure(label: str) -> bool:
    """Return True for labels of walls, floors and the like ("room_wall", "wall_left")."""
    first, *others = label.split("_")
    return label.rpartition("_")[2] in STRUCTURE or (
        first in STRUCTURE and all(word in _SIDES for word in others)
    )


# --- the files that a world refers to ---

DECODER = "fcp_ros.scene.formats.worlds.mesh_decoder"

MOST_MEMORY = 4 << 30  # Memory limit of the process that reads meshes (bytes)

MOST_NAMES = 3  # Most files that a note names, since their paths are long


class AssetFinder:
    """Looks files up in the folder of a world and in the limits' `asset_folders`."""

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
    """Read the meshes of shapes; return notes; SceneError: no trimesh, or above ``max_bytes``."""
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
        SandboxLimits.of_size(MOST_MEMORY, size),
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
