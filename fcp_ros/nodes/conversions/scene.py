# SPDX-License-Identifier: Apache-2.0
"""Scene graphs, their updates and their changes: the values, from messages and to messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
from fcp_ros.scene.graph.elements import SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

ANY_NUMBER = 0
"""Sequence number of a delta that is meant for whatever graph there is."""

ENCAPSULATION = 4
"""Bytes before a serialised message; all representations that ROS uses begin with a zero."""


@dataclass(frozen=True)
class SceneUpdate:
    """A SceneGraphUpdate message.

    Attributes:
        stamp: Time of the observation; zero if unknown.
        frame_id: Frame of all poses; "" for that of the graph.
        is_full: True if nodes and relations replace the graph.
        sequence: Number of the update at its source, or of the graph if it names no source.
        source: The sender; "" for one that counts with the graph's own numbers.
        nodes: New or changed nodes.
        removed: Ids of removed nodes.
        relations: Relations that hold now.
        dropped: Relations that no longer hold.
    """

    stamp: Time
    frame_id: str
    is_full: bool
    sequence: int
    source: str = ""
    nodes: tuple[SceneNode, ...] = ()
    removed: tuple[str, ...] = ()
    relations: tuple[SceneRelation, ...] = ()
    dropped: tuple[SceneRelation, ...] = ()


@dataclass(frozen=True)
class PublishedGraph:
    """A SceneGraph message: the graph, and the time of its newest observation."""

    stamp: Time
    graph: SceneGraph


@dataclass(frozen=True)
class PublishedChange:
    """A SceneGraphChange message: see its fields."""

    stamp: Time
    frame_id: str
    sequence: int
    previous: int
    is_full: bool
    source: str
    nodes: tuple[SceneNode, ...] = ()
    removed: tuple[str, ...] = ()
    relations: tuple[SceneRelation, ...] = ()
    dropped: tuple[SceneRelation, ...] = ()
    changed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


def read_bytes(data: bytes, message_type: Any) -> Any:
    """Read a serialised message.

    Raises:
        ConversionError: the bytes are damaged.
    """
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

    Args:
        graph: The graph; its notes are not sent.
        stamp: Time of its newest observation.

    Raises:
        ConversionError: a value does not fit into the message.
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

    Raises:
        ConversionError: columns don't fit together, or a layer or provenance is unknown.
        SceneError: it is no valid graph.
    """
    return SceneGraph.of(
        nodes_from_ros(message.nodes),
        relations_from_ros(message.relations),
        frame_id=message.header.frame_id or "map",
        sequence=message.sequence_number,
        source=message.source,
    )


# --- updates ------------------------------------------------------------------------------------


def update_to_ros(update: SceneUpdate) -> SceneGraphUpdate:
    """Write an update of either kind.

    Raises:
        ConversionError: a value does not fit into the message.
    """
    check_texts((update.frame_id, update.source, *update.removed))
    return SceneGraphUpdate(
        header=Header(stamp=update.stamp, frame_id=update.frame_id),
        full_update=update.is_full,
        sequence_number=update.sequence,
        source=update.source,
        nodes=nodes_to_ros(update.nodes),
        removed_nodes=list(update.removed),
        relations=relations_to_ros(update.relations),
        removed_relations=relations_to_ros(update.dropped),
    )


def update_from_ros(message: SceneGraphUpdate, reader: NodeReader | None = None) -> SceneUpdate:
    """Read an update of either kind.

    Args:
        message: the message.
        reader: has read the full updates before; nodes that this one repeats stay the same objects.

    Raises:
        ConversionError: columns don't fit together, or a layer or provenance is unknown.
    """
    if reader is not None and message.full_update:
        nodes = reader.read(message.nodes)
    else:
        nodes = nodes_from_ros(message.nodes)
    return SceneUpdate(
        stamp=message.header.stamp,
        frame_id=message.header.frame_id,
        is_full=message.full_update,
        sequence=message.sequence_number,
        source=message.source,
        nodes=nodes,
        removed=tuple(message.removed_nodes),
        relations=relations_from_ros(message.relations),
        dropped=relations_from_ros(message.removed_relations),
    )


def full_update_to_ros(graph: SceneGraph, stamp: Time) -> SceneGraphUpdate:
    """Write a whole graph as an update."""
    return update_to_ros(
        SceneUpdate(
            stamp,
            graph.frame_id,
            True,
            graph.sequence,
            nodes=tuple(graph.nodes.values()),
            relations=graph.relations,
        )
    )


def delta_to_ros(delta: SceneDelta, frame_id: str, stamp: Time) -> SceneGraphUpdate:
    """Write a delta as an update."""
    return update_to_ros(
        SceneUpdate(
            stamp,
            frame_id,
            False,
            delta.sequence,
            nodes=delta.upserted,
            removed=delta.removed,
            relations=delta.added,
            dropped=delta.dropped,
        )
    )


# --- changes ------------------------------------------------------------------------------------


def change_to_ros(change: PublishedChange) -> SceneGraphChange:
    """Write the change that an accepted update made.

    Raises:
        ConversionError: a value does not fit into the message.
    """
    before = [old for old, _ in change.renamed]
    after = [new for _, new in change.renamed]
    check_texts((change.frame_id, change.source, *change.removed, *change.changed, *before, *after))
    return SceneGraphChange(
        header=Header(stamp=change.stamp, frame_id=change.frame_id),
        sequence_number=change.sequence,
        previous_sequence_number=change.previous,
        full_update=change.is_full,
        source=change.source,
        nodes=nodes_to_ros(change.nodes),
        removed_nodes=list(change.removed),
        relations=relations_to_ros(change.relations),
        removed_relations=relations_to_ros(change.dropped),
        changed_elements=list(change.changed),
        renamed_from=before,
        renamed_to=after,
    )


def change_from_ros(message: SceneGraphChange) -> PublishedChange:
    """Read the change that an accepted update made.

    Raises:
        ConversionError: columns don't fit together, or a layer or provenance is unknown.
    """
    return PublishedChange(
        stamp=message.header.stamp,
        frame_id=message.header.frame_id,
        sequence=message.sequence_number,
        previous=message.previous_sequence_number,
        is_full=message.full_update,
        source=message.source,
        nodes=nodes_from_ros(message.nodes),
        removed=tuple(message.removed_nodes),
        relations=relations_from_ros(message.relations),
        dropped=relations_from_ros(message.removed_relations),
        changed=tuple(message.changed_elements),
        renamed=_pair(message.renamed_from, message.renamed_to),
    )


def _pair(before: Sequence[str], after: Sequence[str]) -> tuple[tuple[str, str], ...]:
    if len(before) != len(after):
        raise ConversionError(f"{len(before)} ids are renamed, but {len(after)} new ones are given")
    return tuple(zip(before, after, strict=True))
