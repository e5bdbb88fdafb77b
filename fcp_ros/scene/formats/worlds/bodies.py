# SPDX-License-Identifier: Apache-2.0
"""Bodies of a simulated world, as their readers list them, and what their names say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from fcp_ros.foundation.labels import drop_asset_codes, drop_asset_prefix, normalise_label
from fcp_ros.scene.formats.geometry import Floats

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
    """A shape of a body.

    Attributes:
        name: Its name; may be empty.
        matrix: From its own frame to the world (m), shape (4, 4).
        points: Points whose hull it fills, in its own frame, shape (n, 3); None if unknown.
        mesh: The file of a mesh that the points are still to be read from.
        part: The part of the mesh that counts; empty for all of it.
        is_centred: True if the mesh's own centre is put at the origin.
        scale: The factors by which the mesh is stretched.
    """

    name: str
    matrix: Floats
    points: Floats | None = None
    mesh: Path | None = None
    part: str = ""
    is_centred: bool = False
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def place(self) -> Floats:
        """Return the points in the world (m); none if they are unknown."""
        if self.points is None:
            return np.zeros((0, 3))
        placed: Floats = self.points @ self.matrix[:3, :3].T + self.matrix[:3, 3]
        return placed


@dataclass
class WorldBody:
    """A body of a world; bodies are listed after those above them.

    Attributes:
        name: Its name in the file; may be empty.
        parent: The number of the body above; -1 for the world.
        matrix: From its own frame to the world (m), shape (4, 4).
        shapes: Its own shapes.
        asset: The name of the asset that it is a copy of; counts where the name says nothing.
        is_part: True for what belongs to the body above whatever it is called (a link of a model).
        is_fixed: True if the world holds it where it is; None if the file doesn't say.
        joints: The number of degrees of freedom between it and the body above.
        openings: The positions (m or rad) of those that have limits: doors, drawers, lids.
        is_driven: True if a motor moves it, or it has sensors.
        label: Its label, where the file has one besides the name.
    """

    name: str
    parent: int
    matrix: Floats
    shapes: list[BodyShape] = field(default_factory=list)
    asset: str = ""
    is_part: bool = False
    is_fixed: bool | None = None
    joints: int = 0
    openings: tuple[float, ...] = ()
    is_driven: bool = False
    label: str = ""


def make_box(size: Floats) -> Floats:
    """Return the corners of a box around the origin with these full extents (m)."""
    corners: Floats = _CORNERS * size
    return corners


def read_name(name: str) -> str:
    """Return the label that a name implies: ``kitchen::Mug_01_002`` gives ``mug``.

    Namespaces, numbers, codes of assets and words such as ``link`` are left out; empty if nothing
    remains that names a thing.
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
