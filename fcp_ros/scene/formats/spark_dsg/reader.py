# SPDX-License-Identifier: Apache-2.0
"""Reader of Spark-DSG as Hydra writes it: JSON (v1.0, v1.1), binary files, and ROS messages.

Both syntaxes are decoded here (`spark_json`, `spark_binary`) into the same columns, because the
library believes damaged lengths, which may ask for gigabytes, and much else. The columns become a
``SceneGraph``:

- ids are the nodes' names where they are unique plain identifiers, else the node symbol without
  parentheses (``O33``);
- labels come from the label spaces in the metadata, else from a Hydra label space beside the file
  (`spark_labels`); without one, an object's category reads ``label_5``; a room without a label is
  named after its most probable class;
- an edge between layers makes the node of the higher layer a parent (any number of them), so
  parents can't form a cycle; an edge between rooms connects them, through the door that has both
  as parents if there is one;
- boxes that are invalid, dummy (rooms of 0.1 m) or not finite count as unknown; such a room gets
  the convex hull of its places as its footprint;
- of each agent's trajectory only the last pose is kept;
- plain values in a node's metadata are its attributes; `spark_write` keeps there what the format
  has no field for.
"""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.scene.formats.scene_file import SceneFile, SceneLimits, Syntax
from fcp_ros.scene.formats.spark_dsg.assembly import assemble
from fcp_ros.scene.formats.spark_dsg.binary import MARK, decode_binary
from fcp_ros.scene.formats.spark_dsg.json_syntax import decode_json
from fcp_ros.scene.formats.spark_dsg.labels import label_space_beside
from fcp_ros.scene.formats.spark_dsg.raw import (
    RawScene,
)
from fcp_ros.scene.graph.graph import (
    SceneGraph,
)

_OBJECTS = (2, 0)


def is_spark_json(file: SceneFile) -> bool:
    """Whether the document has Spark-DSG's nodes, edges and layer table (v1.0 or v1.1)."""
    document = file.document
    if file.syntax is not Syntax.JSON or not isinstance(document, dict):
        return False
    known = {"SPARK_DSG_header", "layer_keys", "layer_ids"}
    return bool(known & document.keys()) and {"nodes", "edges"} <= document.keys()


def is_spark_binary(file: SceneFile) -> bool:
    """Whether the bytes begin with Spark-DSG's binary header."""
    return file.syntax is Syntax.BINARY and file.content.startswith(MARK)


def read_spark(file: SceneFile) -> SceneGraph:
    """The graph of a Spark-DSG file; raises SceneError when it cannot be decoded."""
    if isinstance(file.document, dict):
        nodes = file.document["nodes"]
        file.limits.check_nodes(len(nodes) if isinstance(nodes, list) else 0, file.name)
        raw = decode_json(file.document, file.name)
    else:
        raw = decode_binary(file.content, file.name, file.limits)
    space, notes = label_space_beside(file, has_own=_OBJECTS in raw.label_spaces)
    return assemble(raw, {**raw.label_spaces, **space}, file.name, notes)


def decode_dsg_bytes(
    content: bytes, source: str, limits: SceneLimits, labels: Mapping[int, str] | None = None
) -> SceneGraph:
    """The graph of a binary Spark-DSG without file header, as `hydra_msgs/DsgUpdate` carries it.

    Ids are those that a node has in every message: its symbol, whatever its name, for a name that
    is unique now need not be later; an agent's is ``robot_1`` for the prefix a, and so on.

    Args:
        content: The bytes of ``layer_contents``.
        source: Where they come from (a topic), for messages and ``SceneGraph.source``.
        limits: Refuse graphs beyond these.
        labels: Names of object labels, where the graph's metadata has none (`read_label_space`).

    Raises:
        SceneError: The bytes are damaged, or there are too many nodes.
    """
    return graph_of_message(decode_binary(content, source, limits), source, labels)


def graph_of_message(
    raw: RawScene, source: str, labels: Mapping[int, str] | None = None
) -> SceneGraph:
    """The second half of `decode_dsg_bytes`; what `decode_binary` found has the label names."""
    spaces = {_OBJECTS: labels or {}, **raw.label_spaces}
    return assemble(raw, spaces, source, (), by_symbol=True)


def object_labels(raw: RawScene) -> Mapping[int, str]:
    """Names of object labels that a message carries itself; most often only a full one does."""
    return raw.label_spaces.get(_OBJECTS, {})
