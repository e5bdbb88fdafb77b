# SPDX-License-Identifier: Apache-2.0
"""Scene graphs, their updates and their changes: the values, from messages and to messages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message
from std_msgs.msg import Header

from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange, SceneGraphUpdate
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene_columns import (
    NodeReader,
    check_texts,
    nodes_from_ros,
    nodes_to_ros,
    relations_from_ros,
    relations_to_ros,
)
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.graph import SceneGraph

ANY_NUMBER = 0
"""Sequence number of a delta that is meant for whatever graph there is."""

ENCAPSULATION = 4
"""Bytes before a serialised message; all representations that ROS uses begin with a zero."""


@dataclass(frozen=True)
class SceneUpdate:
    """A SceneGraphUpdate message, or the SceneGraphChange that one led to."""

    stamp: Time  # Time of the observation; zero if unknown
    frame_id: str  # Frame of all poses; "" for that of the graph
    is_full: bool  # True if nodes and relations replace the graph
    # The elements, and the number of the update at its source, or of the graph if it names no
    # source
    delta: SceneDelta
    source: str = ""  # The sender; "" for one that counts with the graph's own numbers
    previous: int = 0  # Of a change, the number of the graph before; 0 for none
    changed: tuple[str, ...] = ()  # Of a change, the ids of all elements that it concerns
    renamed: tuple[tuple[str, str], ...] = ()  # Of a change, (id before, id after)


@dataclass(frozen=True)
class PublishedGraph:
    """A SceneGraph message: the graph, and the time of its newest observation."""

    stamp: Time
    graph: SceneGraph


def read_bytes(data: bytes, message_type: Any) -> Any:
    """Read a serialised message. Raises ConversionError if the bytes are damaged."""
    if len(data) < ENCAPSULATION or data[0] != 0:
        reason = f"it begins {bytes(data[:ENCAPSULATION])!r}"
    else:
        try:
            return deserialize_message(data, message_type)
        except Exception as error:  # the type depends on the middleware
            reason = str(error)
    raise ConversionError(f"the {message_type.__name__} message is damaged: {reason}")


# --- graphs -------------------------------------------------------------------------------------


def graph_to_ros(graph: SceneGraph, stamp: Time) -> SceneGraphMessage:
    """Write a scene graph.

    `graph`: the graph; its notes are not sent. `stamp`: time of its newest observation. Raises
    ConversionError if a value does not fit into the message.
    """
    check_texts((graph.frame_id, graph.source))
    return SceneGraphMessage(
        header=Header(stamp=stamp, frame_id=graph.frame_id),
        sequence_number=graph.sequence,
        source=graph.source,
        nodes=nodes_to_ros(tuple(graph.nodes.values())),
        relations=relations_to_ros(graph.relations),
    )


def graph_from_ros(message: SceneGraphMessage) -> SceneGraph:
    """Read a scene graph.

    Raises ConversionError if columns don't fit together, or a layer or provenance is unknown.
    Raises SceneError if it is no valid graph.
    """
    return SceneGraph.of(
        nodes_from_ros(message.nodes),
        relations_from_ros(message.relations),
        frame_id=message.header.frame_id or "map",
        sequence=message.sequence_number,
        source=message.source,
    )


# --- updates, and the changes that they made ----------------------------------------------------


def update_to_ros(update: SceneUpdate) -> SceneGraphUpdate:
    """Write an update of either kind.

    Raises ConversionError if a value does not fit into the message.
    """
    return SceneGraphUpdate(**_write_shared(update))


def _write_shared(update: SceneUpdate) -> dict[str, Any]:
    delta = update.delta
    check_texts((update.frame_id, update.source, *delta.removed))
    return {
        "header": Header(stamp=update.stamp, frame_id=update.frame_id),
        "full_update": update.is_full,
        "sequence_number": delta.sequence,
        "source": update.source,
        "nodes": nodes_to_ros(delta.upserted),
        "removed_nodes": list(delta.removed),
        "relations": relations_to_ros(delta.added),
        "removed_relations": relations_to_ros(delta.dropped),
    }


def update_from_ros(
    message: SceneGraphUpdate | SceneGraphChange, reader: NodeReader | None = None
) -> SceneUpdate:
    """Read an update of either kind.

    `reader`: has read the full updates before; nodes that this one repeats stay the same objects.
    Raises ConversionError if columns don't fit together, or a layer or provenance is unknown.
    """
    read = nodes_from_ros if reader is None or not message.full_update else reader.read
    delta = SceneDelta(
        message.sequence_number,
        read(message.nodes),
        tuple(message.removed_nodes),
        relations_from_ros(message.relations),
        relations_from_ros(message.removed_relations),
    )
    header = message.header
    return SceneUpdate(header.stamp, header.frame_id, message.full_update, delta, message.source)


def delta_to_ros(delta: SceneDelta, frame_id: str, stamp: Time) -> SceneGraphUpdate:
    return update_to_ros(SceneUpdate(stamp, frame_id, False, delta))


def change_to_ros(change: SceneUpdate) -> SceneGraphChange:
    """Write the change that an accepted update made.

    Raises ConversionError if a value does not fit into the message.
    """
    before = [old for old, _ in change.renamed]
    after = [new for _, new in change.renamed]
    check_texts((*change.changed, *before, *after))
    return SceneGraphChange(
        **_write_shared(change),
        previous_sequence_number=change.previous,
        changed_elements=list(change.changed),
        renamed_from=before,
        renamed_to=after,
    )


def change_from_ros(message: SceneGraphChange) -> SceneUpdate:
    """Read the change that an accepted update made.

    Raises ConversionError if columns don't fit together, or a layer or provenance is unknown.
    """
    before, after = message.renamed_from, message.renamed_to
    if len(before) != len(after):
        raise ConversionError(f"{len(before)} ids are renamed, but {len(after)} new ones are given")
    return replace(
        update_from_ros(message),
        previous=message.previous_sequence_number,
        changed=tuple(message.changed_elements),
        renamed=tuple(zip(before, after, strict=True)),
    )
