# SPDX-License-Identifier: Apache-2.0
"""Hydra label spaces: the YAML files that name the numbers of object labels.

Newer Spark-DSG files carry their label spaces in the metadata. For those that do not, the YAML file
of Hydra's configuration is taken from beside the scene: the one that the address names
(``dsg.json#my_label_space.yaml``), else the only one whose name contains ``label_space``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.scene_file import (
    YAML_SUFFIXES,
    SceneFile,
    SceneLimits,
    open_scene_file,
)
from fcp_ros.scene.graph.errors import SceneError

_OBJECTS = (2, 0)


class _LabelName(BaseModel):
    label: Annotated[int, Field(ge=0, lt=2**32)]
    name: Annotated[str, Field(min_length=1)]


class _LabelSpaceFile(BaseModel):
    """Other entries (colours, lists of dynamic labels) are not needed."""

    label_names: list[_LabelName]


def read_label_space(path: str | Path, limits: SceneLimits | None = None) -> dict[int, str]:
    """Names by label, from a Hydra label space.

    Raises:
        SceneError: The file is missing, or is none.
    """
    return _names(open_scene_file(path, limits or SceneLimits()))


def label_space_beside(
    file: SceneFile, *, has_own: bool
) -> tuple[Mapping[tuple[int, int], Mapping[int, str]], tuple[str, ...]]:
    """Names of object labels from beside a scene, by layer, and a note about where they are from.

    Args:
        file: The scene; its fragment names a label space explicitly.
        has_own: Whether the scene itself names its labels; then only an explicit one is read.

    Raises:
        SceneError: The file that the address names is missing, elsewhere, or no label space.
    """
    if file.fragment:
        return {_OBJECTS: _names(file.beside(file.fragment))}, ()
    if has_own:
        return {}, ()
    names = _candidates(file.path.parent)
    if len(names) == 1:
        note = f"the labels are named by {names[0]}, which lies beside the file"
        return {_OBJECTS: _names(file.beside(names[0]))}, (note,)
    if names:
        note = (
            f"several label spaces lie beside the file ({list_names(names)}): "
            f"name one as {file.path.name}#{names[0]}"
        )
        return {}, (note,)
    return {}, ()


def _candidates(folder: Path) -> list[str]:
    try:
        files = sorted(path.name for path in folder.glob("*label_space*") if path.is_file())
    except OSError:
        return []
    return [name for name in files if name.lower().endswith(YAML_SUFFIXES)]


def _names(file: SceneFile) -> dict[int, str]:
    document: Any = file.document
    try:
        space = _LabelSpaceFile.model_validate(document)
    except ValidationError:
        raise SceneError(
            "this is no label space",
            source=str(file.path),
            advice="A label space of Hydra lists label_names: [{label: 0, name: chair}, ...].",
        ) from None
    return {entry.label: entry.name for entry in space.label_names}
