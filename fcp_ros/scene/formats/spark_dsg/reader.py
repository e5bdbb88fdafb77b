# SPDX-License-Identifier: Apache-2.0
"""Reader of Spark-DSG as Hydra writes it: JSON (v1.0, v1.1), binary files, and ROS messages.

Both syntaxes are decoded here (`json_syntax`, `binary`) into the same columns (`raw`), because the
library trusts damaged lengths, which may ask for gigabytes. `assembly` makes a ``SceneGraph`` of
the columns:

- ids are the nodes' names if they are unique plain identifiers, else the node symbol without
  parentheses (``O33``);
- labels come from the label spaces in the metadata, else from a Hydra label space beside the file:
  the one that the address names (``dsg.json#my_label_space.yaml``), else the only one whose name
  contains ``label_space``; without one, an object's category reads ``label_5``; a room without a
  label gets the name of its most probable class;
- an edge between layers makes the node of the higher layer a parent (any number of them), so
  parents can't form a cycle; an edge between rooms connects them, through the door that has both
  as parents if there is one;
- boxes that are invalid, dummy (rooms of 0.1 m) or not finite count as unknown; such a room gets
  the convex hull of its places as its footprint;
- of each agent's trajectory only the last pose is kept;
- plain values in a node's metadata are its attributes; `writer` keeps there the parts of a scene
  that the format has no field for.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.scene_file import (
    YAML_SUFFIXES,
    SceneFile,
    SceneLimits,
    Syntax,
    open_scene_file,
)
from fcp_ros.scene.formats.spark_dsg.assembly import assemble
from fcp_ros.scene.formats.spark_dsg.binary import MARK, decode_binary
from fcp_ros.scene.formats.spark_dsg.json_syntax import decode_json
from fcp_ros.scene.formats.spark_dsg.raw import RawScene
from fcp_ros.scene.formats.validation import ToolModel
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

_OBJECTS = (2, 0)


def is_spark_json(file: SceneFile) -> bool:
    """Return True for Spark-DSG's nodes, edges and layer table (v1.0 or v1.1)."""
    tables = {"SPARK_DSG_header", "layer_keys", "layer_ids"}
    return file.has_keys("nodes", "edges") and bool(tables & file.document.keys())


def is_spark_binary(file: SceneFile) -> bool:
    """Return True if the bytes begin with Spark-DSG's binary header."""
    return file.syntax is Syntax.BINARY and file.content.startswith(MARK)


def read_spark(file: SceneFile) -> SceneGraph:
    """Read a Spark-DSG file; raises SceneError if it cannot be decoded."""
    if isinstance(file.document, dict):
        file.check_counts("nodes")
        raw = decode_json(file.document, file.name)
    else:
        raw = decode_binary(file.content, file.name, file.limits)
    space, notes = _find_label_space(file, has_own=_OBJECTS in raw.label_spaces)
    return assemble(raw, {**raw.label_spaces, **space}, file.name, notes)


def decode_dsg_bytes(
    content: bytes, source: str, limits: SceneLimits, labels: Mapping[int, str] | None = None
) -> SceneGraph:
    """Read a binary Spark-DSG without file header, as in `hydra_msgs/DsgUpdate`.

    Ids are the same in every message: a node's symbol, since a name that is unique now need not be
    unique later; an agent's is ``robot_1`` for the prefix a, and so on.

    Args:
        content: The bytes of ``layer_contents``.
        source: Their source (a topic), for messages and ``SceneGraph.source``.
        limits: Refuse graphs beyond these.
        labels: Names of object labels, if the graph's metadata has none (`read_label_space`).

    Raises:
        SceneError: The bytes are damaged, or there are too many nodes.
    """
    return build_message_graph(decode_binary(content, source, limits), source, labels)


def build_message_graph(
    raw: RawScene, source: str, labels: Mapping[int, str] | None = None
) -> SceneGraph:
    """Build the graph of a message that `decode_binary` decoded; its own label names win."""
    spaces = {_OBJECTS: labels or {}, **raw.label_spaces}
    return assemble(raw, spaces, source, (), by_symbol=True)


def get_object_labels(raw: RawScene) -> Mapping[int, str]:
    """Return the names of object labels in a message; usually only a full one has any."""
    return raw.label_spaces.get(_OBJECTS, {})


class _LabelName(ToolModel):
    label: Annotated[int, Field(ge=0, lt=2**32)]
    name: Annotated[str, Field(min_length=1)]


class _LabelSpaceFile(ToolModel):
    """A Hydra label space; other entries (colours, lists of dynamic labels) are ignored."""

    label_names: list[_LabelName]


def read_label_space(path: str | Path, limits: SceneLimits | None = None) -> dict[int, str]:
    """Read names by label from a Hydra label space.

    Raises:
        SceneError: The file is missing, or is no label space.
    """
    return _read_names(open_scene_file(path, limits or SceneLimits()))


def _find_label_space(
    file: SceneFile, *, has_own: bool
) -> tuple[Mapping[tuple[int, int], Mapping[int, str]], tuple[str, ...]]:
    """Read names of object labels from beside a scene, by layer, and a note about their source.

    Args:
        file: The scene; its fragment names a label space explicitly.
        has_own: True if the scene itself names its labels; then only an explicit one is read.

    Raises:
        SceneError: The named file is missing, outside the folder, or no label space.
    """
    if file.fragment:
        return {_OBJECTS: _read_names(file.open_beside(file.fragment))}, ()
    if has_own:
        return {}, ()
    names = _list_candidates(file.path.parent)
    if len(names) == 1:
        note = f"the labels are named by {names[0]}, which lies beside the file"
        return {_OBJECTS: _read_names(file.open_beside(names[0]))}, (note,)
    if names:
        note = (
            f"several label spaces lie beside the file ({list_names(names)}): "
            f"name one as {file.path.name}#{names[0]}"
        )
        return {}, (note,)
    return {}, ()


def _list_candidates(folder: Path) -> list[str]:
    try:
        files = sorted(path.name for path in folder.glob("*label_space*") if path.is_file())
    except OSError:
        return []
    return [name for name in files if name.lower().endswith(YAML_SUFFIXES)]


def _read_names(file: SceneFile) -> dict[int, str]:
    try:
        space = _LabelSpaceFile.model_validate(file.document)
    except ValidationError:
        raise SceneError(
            "this is no label space",
            source=str(file.path),
            advice="A label space of Hydra lists label_names: [{label: 0, name: chair}, ...].",
        ) from None
    return {entry.label: entry.name for entry in space.label_names}
