# SPDX-License-Identifier: Apache-2.0
"""Reader of Spark-DSG as Hydra writes it: JSON (v1.0, v1.1), binary files, and ROS messages.

Both syntaxes are decoded here (JSON below, `binary`) into the same columns (`raw`), because the
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
- plain values in a node's metadata are its attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, ValidationError

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.geometry import Floats
from fcp_ros.scene.formats.scene_file import (
    YAML_SUFFIXES,
    SceneFile,
    SceneLimits,
    Syntax,
    open_scene_file,
)
from fcp_ros.scene.formats.spark_dsg.assembly import assemble
from fcp_ros.scene.formats.spark_dsg.binary import MARK, decode_binary
from fcp_ros.scene.formats.spark_dsg.raw import (
    AGENT_KIND,
    NO_LABEL,
    UNLABELLED_KINDS,
    RawScene,
    check_layers,
    choose_likeliest,
    describe_damage,
    index_edges,
    index_keys,
    normalise_turns,
    read_label_spaces,
    to_symbol,
)
from fcp_ros.scene.formats.validation import ToolModel
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

#
# Version 1.0 has no header, boxes by their corners (``min``, ``max``) and agents without a
# partition; 1.1 has ``dimensions`` instead. Other fields are ignored.

_LARGEST_KEY = 2**64
_BOXES = frozenset({"AABB", "OBB", "RAABB"})
_NO_METADATA: Mapping[str, Any] = {}


def decode_json(document: Mapping[str, Any], source: str) -> RawScene:
    """Decode a parsed document that has ``nodes`` and ``edges``.

    Raises SceneError: a field that is needed is missing or of the wrong type.
    """
    nodes, edges = document["nodes"], document["edges"]
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise describe_damage("nodes and edges are no lists", source)
    columns = _Columns(source)
    for index, node in enumerate(nodes):
        try:
            columns.add(node)
        except (KeyError, TypeError, AttributeError) as error:
            raise _describe_entry(f"nodes[{index}]", error, source) from None
    pairs = []
    for index, edge in enumerate(edges):
        try:
            pair = edge["source"], edge["target"]
        except (KeyError, TypeError) as error:
            raise _describe_entry(f"edges[{index}]", error, source) from None
        pairs.append(pair)
    if not {type(end) for pair in pairs for end in pair} <= {int}:
        raise describe_damage("an edge's source or target is no whole number", source)
    raw = columns.build(pairs, document.get("metadata"))
    listed = document.get("layer_keys")
    if isinstance(listed, list):  # since 1.1.2
        known = [_parse_layer_key(entry) for entry in listed]
        check_layers(raw.layers, [key for key in known if key is not None], source)
    return raw


def _describe_entry(place: str, error: Exception, source: str) -> SceneError:
    missing = isinstance(error, KeyError)
    reason = f"it has no {error.args[0]!r}" if missing else "it is not what it should be"
    return describe_damage(reason, source, place)


def _parse_layer_key(entry: Any) -> tuple[int, int] | None:
    match entry:
        case {"layer": int(layer), "partition": int(partition)}:
            return layer, partition
    return None


class _Columns:
    """The fields of all nodes so far; types are checked for all nodes at once."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.keys: list[int] = []
        self.layers: list[tuple[int, int]] = []
        self.kinds: list[str] = []
        self.names: list[str] = []
        self.labels: list[int] = []
        self.metadata: list[Mapping[str, Any]] = []
        self.positions: list[Sequence[Any]] = []
        self.boxed: list[int] = []
        self.centres: list[Sequence[Any]] = []
        self.sizes: list[Sequence[Any]] = []
        self.turns: list[tuple[Any, Any, Any, Any]] = []
        self.agents: dict[int, tuple[int, tuple[float, float, float, float]]] = {}
        self.likely: dict[int, str] = {}

    def add(self, node: Mapping[str, Any]) -> None:
        row = len(self.keys)
        attributes = node["attributes"]
        kind = attributes["type"]
        self.keys.append(node["id"])
        self.layers.append((node["layer"], node.get("partition", 0)))
        self.kinds.append(kind)
        semantic = kind not in UNLABELLED_KINDS
        self.names.append(attributes["name"] if semantic else "")
        self.labels.append(attributes["semantic_label"] if semantic else NO_LABEL)
        self.metadata.append(attributes.get("metadata") or _NO_METADATA)
        self.positions.append(attributes["position"])
        box = attributes.get("bounding_box") if semantic else None
        if box is not None and box["type"] in _BOXES:  # none where perception has not fitted one
            self._add_box(row, box)
        if kind == AGENT_KIND:
            self.agents[row] = _parse_agent_pose(node, attributes)
        elif kind == "RoomNodeAttributes":
            self.likely[row] = choose_likeliest(attributes.get("semantic_class_probabilities"))

    def _add_box(self, row: int, box: Mapping[str, Any]) -> None:
        sizes = box.get("dimensions")
        if sizes is None:
            sizes = [high - low for low, high in zip(box["min"], box["max"], strict=False)]
        turn = box["world_R_center"]
        self.boxed.append(row)
        self.sizes.append(sizes)
        self.centres.append(box["world_P_center"])
        self.turns.append((turn["x"], turn["y"], turn["z"], turn["w"]))

    def build(self, pairs: Sequence[tuple[int, int]], metadata: Any) -> RawScene:
        self._check_types()
        rows = index_keys(self.keys, self.source)
        count = len(self.keys)
        centres, sizes, turns = (np.full((count, width), np.nan) for width in (3, 3, 4))
        if self.boxed:
            centres[self.boxed] = self._to_table(self.centres, 3, "world_P_center", self.boxed)
            sizes[self.boxed] = self._to_table(self.sizes, 3, "dimensions", self.boxed)
            given = self._to_table(self.turns, 4, "world_R_center", self.boxed)
            turns[self.boxed] = normalise_turns(given)
        return RawScene(
            keys=self.keys,
            layers=self.layers,
            kinds=self.kinds,
            names=self.names,
            labels=self.labels,
            metadata=self.metadata,
            positions=self._to_table(self.positions, 3, "position", range(count)),
            centres=centres,
            sizes=sizes,
            turns=turns,
            agents=self.agents,
            likely=self.likely,
            edges=index_edges(pairs, rows, self.source),
            label_spaces=read_label_spaces(metadata),
        )

    def _check_types(self) -> None:
        for what, values, allowed in (
            ("id", self.keys, int),
            ("layer", chain.from_iterable(self.layers), int),
            ("type", self.kinds, str),
            ("name", self.names, str),
            ("semantic_label", self.labels, int),
            ("metadata", self.metadata, dict),
        ):
            if not {type(value) for value in values} <= {allowed}:
                raise describe_damage(
                    f"the {what} of some node is no {allowed.__name__}", self.source
                )
        if self.keys and not 0 <= min(self.keys) <= max(self.keys) < _LARGEST_KEY:
            raise describe_damage("a node id does not fit into 64 bits", self.source)

    def _to_table(
        self, values: Sequence[Sequence[Any]], width: int, what: str, rows: Sequence[int]
    ) -> Floats:
        """Return a table (n, width); null, which JSON has for NaN, becomes NaN."""
        for row, entry in zip(rows, values, strict=True):
            if not isinstance(entry, list | tuple) or len(entry) != width:
                element = f"node {to_symbol(self.keys[row])}"
                raise describe_damage(f"its {what} has not {width} numbers", self.source, element)
        flat = list(chain.from_iterable(values))
        if not {type(value) for value in flat} <= {float, int, type(None)}:
            raise describe_damage(f"the {what} of some node holds what is no number", self.source)
        try:
            table = np.array(flat, dtype=np.float64)
        except OverflowError:
            raise describe_damage(
                f"the {what} of some node is too large a number", self.source
            ) from None
        return table.reshape(-1, width)


def _parse_agent_pose(
    node: Mapping[str, Any], attributes: Mapping[str, Any]
) -> tuple[int, tuple[float, float, float, float]]:
    turn = attributes["world_R_body"]
    w, x, y, z = (float(turn[part]) for part in "wxyz")
    return int(attributes.get("timestamp") or node.get("timestamp") or 0), (w, x, y, z)


# --- the reader ---

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


def build_message_graph(
    raw: RawScene, source: str, labels: Mapping[int, str] | None = None
) -> SceneGraph:
    """Build the graph of a binary message, as in `hydra_msgs/DsgUpdate`, from `decode_binary`.

    Ids are the same in every message: a node's symbol, since a name that is unique now need not be
    unique later; an agent's is ``robot_1`` for the prefix a, and so on. ``labels``: names of object
    labels, where the graph's metadata has none (`read_label_space`).
    """
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


def read_label_space(path: str | Path) -> dict[int, str]:
    """Read names by label from a Hydra label space.

    Raises SceneError: the file is missing, or is no label space.
    """
    return _read_names(open_scene_file(path, SceneLimits()))


def _find_label_space(
    file: SceneFile, *, has_own: bool
) -> tuple[Mapping[tuple[int, int], Mapping[int, str]], tuple[str, ...]]:
    """Read names of object labels from beside a scene, by layer, and a note about their source.

    A fragment of the address names the label space explicitly, which counts even if the scene
    ``has_own`` labels.
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
