# SPDX-License-Identifier: Apache-2.0
"""The prims of a USD stage, read in the sandbox, and those that are things."""

from __future__ import annotations

import importlib.util
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.sandbox import DecodingError, SandboxLimits, decode_in_sandbox
from fcp_ros.scene.formats.geometry import Floats
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax, missing_package
from fcp_ros.scene.formats.source_graph import assign_ids
from fcp_ros.scene.graph.elements import Layer, SceneError
from fcp_ros.scene.graph.roles import find_layer

MOST_MEMORY = 6 << 30  # Memory limit of the process (bytes)

DECODER = "fcp_ros.scene.formats.usd.stage_decoder"  # The decoder in the sandbox

_CRATE, _TEXT, _ZIP = b"PXR-USDC", b"#usda", b"PK\x03\x04"
_SUFFIXES = {_CRATE: (".usdc", ".usd"), _TEXT: (".usda", ".usd"), _ZIP: (".usdz",)}


def is_usd(file: SceneFile) -> bool:
    """Return True for a USD layer, text or binary, or a package that begins with one."""
    return file.syntax in (Syntax.TEXT, Syntax.BINARY) and bool(_find_kind(file.content))


def _find_kind(content: bytes) -> bytes:
    for mark in (_CRATE, _TEXT):
        if content.startswith(mark):
            return mark
    if content.startswith(_ZIP):
        length = int.from_bytes(content[26:28], "little")
        first = content[30 : 30 + length].lower()
        if first.endswith((b".usd", b".usda", b".usdc")):
            return _ZIP
    return b""


def open_stage(file: SceneFile) -> Mapping[str, Any]:
    """Return the contents of a stage as `stage_decoder` lists them.

    Raises SceneError if usd-core is missing, or the stage can't be opened within the limits.
    """
    if importlib.util.find_spec("pxr") is None:
        raise missing_package("reading USD", "usd-core", file.name)
    suffixes = _SUFFIXES[_find_kind(file.content)]
    with tempfile.TemporaryDirectory(prefix="fcp_usd_") as temporary:
        path = file.path.resolve()
        if file.path.suffix.lower() not in suffixes:  # USD trusts the name, we the content
            path = Path(temporary) / f"stage{suffixes[0]}"
            path.write_bytes(file.content)
        folders = [str(folder.expanduser().resolve()) for folder in file.limits.asset_folders]
        arguments = (str(path), str(file.limits.max_nodes), *folders)
        limits = SandboxLimits.of_size(MOST_MEMORY, len(file.content))
        (found,) = decode_in_sandbox(DECODER, [arguments], limits, path.parent)
    if isinstance(found, DecodingError):
        raise _describe_failure(file, str(found))
    document: Mapping[str, Any] = found.document
    return document


def _describe_failure(file: SceneFile, reason: str) -> SceneError:
    return SceneError(
        f"the stage cannot be used: {reason}",
        source=file.name,
        advice="Check it with usdchecker, or export it again.",
    )


# --- labelled prims of a USD stage ---

MODEL = "component"  # The kind of prims that are assets of their own
WHOLES = (MODEL, "subcomponent")  # Kinds of prims below which there are parts only


@dataclass
class PrimRoles:
    """The nodes that labelled prims belong to."""

    # For each prim the number of the prim that is its node, itself or one above; -1 if there is
    # none
    nodes_of: list[int] = field(default_factory=list)
    parts: int = 0
    # Paths of groups, with the number of things in each
    groups: list[str] = field(default_factory=list)
    # Paths of prims that are no things, with their types
    left_out: list[str] = field(default_factory=list)


@dataclass
class LabelledPrim:
    """A labelled prim that becomes a node, and the corners of its own geometry (m)."""

    index: int
    prim: Mapping[str, Any]
    layer: Layer
    corners: list[Floats]
    id: str = ""


def find_roles(prims: Sequence[Mapping[str, Any]], solid: Collection[int]) -> PrimRoles:
    """Find the nodes that prims, each after those above it, belong to.

    ``solid`` are the numbers of the prims that have geometry of their own.
    """
    things = _find_things(prims, solid)
    labels = [normalise_label(choose_category(prim)) for prim in prims]
    members = _find_groups(prims, solid, things, labels)
    roles, opened = PrimRoles(), set[int]()
    for index, prim in enumerate(prims):
        parent = prim["parent"]
        above = roles.nodes_of[parent] if parent >= 0 else -1
        is_alike = above >= 0 and parent not in opened and labels[above] == labels[index]
        is_single = above >= 0 and prim["kind"] == MODEL and prims[above]["kind"] not in WHOLES
        node = above
        if index not in things:
            roles.left_out.append(f"{prim['path']} ({prim['type'] or 'no type'})")
        elif is_alike and not is_single:
            roles.parts += 1
        elif index in members:
            opened.add(index)
            roles.groups.append(f"{prim['path']} ({members[index]} of {labels[index]})")
        else:
            node = index
        roles.nodes_of.append(node)
    return roles


def _find_things(prims: Sequence[Mapping[str, Any]], solid: Collection[int]) -> set[int]:
    """Return the numbers of the prims that are things, or hold some."""
    things = {index for index, prim in enumerate(prims) if prim["is_body"] or index in solid}
    for index in range(len(prims) - 1, -1, -1):
        if index in things and prims[index]["parent"] >= 0:
            things.add(prims[index]["parent"])
    return things


def _find_groups(
    prims: Sequence[Mapping[str, Any]],
    solid: Collection[int],
    things: Collection[int],
    labels: Sequence[str],
) -> dict[int, int]:
    """Return the numbers of the prims that are groups, each with its number of members."""
    alike: dict[int, list[int]] = defaultdict(list)
    groups: dict[int, int] = {}
    for index in range(len(prims) - 1, -1, -1):
        prim, below = prims[index], alike[index]
        if (
            len(below) >= 2
            and index not in solid
            and prim["kind"] not in WHOLES
            and all(prims[one]["is_asset"] or one in groups for one in below)
        ):
            groups[index] = len(below)
        parent = prim["parent"]
        if parent >= 0 and index in things and labels[parent] == labels[index]:
            alike[parent].append(index)
    return groups


def choose_category(prim: Mapping[str, Any]) -> str:
    """Return a prim's label: of the taxonomy "class", else the first one."""
    labels = prim["labels"]
    for taxonomy, label in labels:
        if taxonomy == "class":
            return str(label)
    if labels:
        return str(labels[0][1])
    return "robot" if prim["is_robot"] else "unknown"


def choose_layer(prim: Mapping[str, Any]) -> Layer:
    return Layer.AGENT if prim["is_robot"] else find_layer(choose_category(prim))


def assign_prim_ids(things: Sequence[LabelledPrim], source: str) -> None:
    """Take the prim's name if it is unique, else the common rule."""
    names = Counter(thing.prim["name"] for thing in things)
    sources = [
        thing.prim["name"] if names[thing.prim["name"]] == 1 else thing.prim["path"]
        for thing in things
    ]
    ids = assign_ids(
        (own, choose_category(thing.prim)) for own, thing in zip(sources, things, strict=True)
    )
    for own, thing in zip(sources, things, strict=True):
        thing.id = ids[own]
