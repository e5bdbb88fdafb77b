# SPDX-License-Identifier: Apache-2.0
"""The contents of a USD stage, read by `stage_decoder` in the sandbox.

USD's readers of binary files crash on some damaged bytes, and a few hundred bytes of references can
compose to millions of prims; then only the sandbox's process ends, at a limit of memory or time.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.sandbox import DecodingError, SandboxLimits, decode_in_sandbox
from fcp_ros.scene.formats.scene_file import SceneFile, Syntax, missing_package
from fcp_ros.scene.graph.elements import SceneError

MOST_MEMORY = 6 << 30
"""Memory limit of the process (bytes)."""

START_TIME, BYTES_PER_SECOND = 30.0, 2_000_000
"""Time limit of the process (s): a start time, and one second for each this many bytes."""

DECODER = "fcp_ros.scene.formats.usd.stage_decoder"
"""The decoder in the sandbox."""

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


@dataclass(frozen=True, eq=False)
class StageMeshes:
    """The meshes of a stage, in the order of its geometry and the frame of each prim.

    Attributes:
        points: For each prim, shape (n, 3), in the stage's unit; empty if it is no mesh.
        counts: For each prim, the number of corners of each face.
        corners: For each prim, numbers of points, face after face.
    """

    points: Sequence[NDArray[np.float64]]
    counts: Sequence[NDArray[np.int64]]
    corners: Sequence[NDArray[np.int64]]


def open_stage(file: SceneFile) -> Mapping[str, Any]:
    """Return the contents of a stage as `stage_decoder` lists them.

    Raises:
        SceneError: usd-core is missing, or the stage can't be opened within the limits.
    """
    return _open(file, with_meshes=False)[0]


def open_stage_with_meshes(file: SceneFile) -> tuple[Mapping[str, Any], StageMeshes]:
    """Return the contents of a stage like `open_stage`, and the meshes of its geometry."""
    found, meshes = _open(file, with_meshes=True)
    assert meshes is not None
    return found, meshes


def _open(file: SceneFile, *, with_meshes: bool) -> tuple[Mapping[str, Any], StageMeshes | None]:
    """Return the contents of a stage, and its meshes if they are wanted.

    Raises:
        SceneError: usd-core is missing, or the stage can't be opened within the limits.
    """
    if importlib.util.find_spec("pxr") is None:
        raise missing_package("reading USD", "usd-core", file.name)
    suffixes = _SUFFIXES[_find_kind(file.content)]
    seconds = START_TIME + len(file.content) / BYTES_PER_SECOND
    with tempfile.TemporaryDirectory(prefix="fcp_usd_") as temporary:
        path = file.path.resolve()
        if file.path.suffix.lower() not in suffixes:  # USD trusts the name, we the content
            path = Path(temporary) / f"stage{suffixes[0]}"
            path.write_bytes(file.content)
        folders = [str(folder.expanduser().resolve()) for folder in file.limits.asset_folders]
        meshes = "meshes" if with_meshes else ""
        arguments = (str(path), str(file.limits.max_nodes), meshes, *folders)
        limits = SandboxLimits(MOST_MEMORY, seconds)
        (found,) = decode_in_sandbox(DECODER, [arguments], limits, path.parent)
    if isinstance(found, DecodingError):
        raise _describe_failure(file, str(found))
    return found.document, _split_meshes(file, found.arrays) if with_meshes else None


def _split_meshes(file: SceneFile, arrays: Mapping[str, NDArray[Any]]) -> StageMeshes:
    try:
        ends = np.cumsum(arrays["lengths"].reshape(-1, 3), axis=0)[:-1].T
        points = np.split(arrays["points"].astype(np.float64), ends[0])
        counts = np.split(arrays["counts"].astype(np.int64), ends[1])
        corners = np.split(arrays["corners"].astype(np.int64), ends[2])
    except (ValueError, KeyError):
        raise _describe_failure(file, "USD ends before its meshes are read") from None
    return StageMeshes([own.reshape(-1, 3) for own in points], counts, corners)


def _describe_failure(file: SceneFile, reason: str) -> SceneError:
    return SceneError(
        f"the stage cannot be used: {reason}",
        source=file.name,
        advice="Check it with usdchecker, or export it again.",
    )
