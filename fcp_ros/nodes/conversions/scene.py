# SPDX-License-Identifier: Apache-2.0
"""Scene graphs and their changes, as messages and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Point32, Quaternion, Vector3
from geometry_msgs.msg import Pose as PoseMessage
from std_msgs.msg import Header

from fcp_ros.msg import Box, SceneGraphChange, SceneGraphUpdate
from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneNode as SceneNodeMessage
from fcp_ros.msg import SceneRelation as SceneRelationMessage
from fcp_ros.nodes.conversions.common import ConversionError, attributes_from_ros, attributes_to_ros
from fcp_ros.nodes.conversions.scene_values import PublishedChange, SceneUpdate
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, Pose, Provenance, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

PROVENANCES = {
    Provenance.GIVEN: SceneRelationMessage.GIVEN,
    Provenance.GEOMETRIC: SceneRelationMessage.GEOMETRIC,
    Provenance.INFERRED: SceneRelationMessage.INFERRED,
}
_PROVENANCES_BACK = {number: provenance for provenance, number in PROVENANCES.items()}

CONFIDENCE_DIGITS = 6
"""The message carries single precision; 0.9 must not come back as 0.8999999761581421."""


def graph_to_ros(graph: SceneGraph, stamp: Time) -> SceneGraphMessage:
    """A scene graph as a message; `stamp` is the time of its newest observation."""
    return SceneGraphMessage(
        header=Header(stamp=stamp, frame_id=graph.frame_id),
        sequence_number=graph.sequence,
        source=graph.source,
        nodes=[node_to_ros(node) for node in graph.nodes.values()],
        relations=[relation_to_ros(relation) for relation in graph.relations],
    )


def graph_from_ros(message: SceneGraphMessage) -> SceneGraph:
    """A scene graph (its notes don't travel).

    Raises:
        ConversionError: an unknown layer, attribute kind or provenance.
        SceneError: it is no valid graph.
    """
    return SceneGraph.of(
        (node_from_ros(node) for node in message.nodes),
        (relation_from_ros(relation) for relation in message.relations),
        frame_id=message.header.frame_id or "map",
        sequence=message.sequence_number,
        source=message.source,
    )


def full_update_to_ros(graph: SceneGraph, stamp: Time) -> SceneGraphUpdate:
    """A whole graph as an update."""
    return SceneGraphUpdate(
        header=Header(stamp=stamp, frame_id=graph.frame_id),
        full_update=True,
        sequence_number=graph.sequence,
        nodes=[node_to_ros(node) for node in graph.nodes.values()],
        relations=[relation_to_ros(relation) for relation in graph.relations],
    )


def full_update_from_ros(
    message: SceneGraphUpdate, *, sequence: int, source: str
) -> SceneGraph:
    """The graph that a full update brings, under the sequence number that it gets.

    Raises:
        ConversionError, SceneError: as `graph_from_ros`.
    """
    return SceneGraph.of(
        (node_from_ros(node) for node in message.nodes),
        (relation_from_ros(relation) for relation in message.relations),
        frame_id=message.header.frame_id or "map",
        sequence=sequence,
        source=source,
    )


def delta_to_ros(delta: SceneDelta, frame_id: str, stamp: Time) -> SceneGraphUpdate:
    """A change as an update."""
    return SceneGraphUpdate(
        header=Header(stamp=stamp, frame_id=frame_id),
        full_update=False,
        sequence_number=delta.sequence,
        nodes=[node_to_ros(node) for node in delta.upserted],
        removed_nodes=list(delta.removed),
        relations=[relation_to_ros(relation) for relation in delta.added],
        removed_relations=[relation_to_ros(relation) for relation in delta.dropped],
    )


def delta_from_ros(message: SceneGraphUpdate) -> SceneDelta:
    """A change (of an update that is no full one).

    Raises:
        ConversionError: an unknown layer, attribute kind or provenance.
    """
    return SceneDelta(
        sequence=message.sequence_number,
        upserted=tuple(node_from_ros(node) for node in message.nodes),
        removed=tuple(message.removed_nodes),
        added=_relations_from_ros(message.relations),
        dropped=_relations_from_ros(message.removed_relations),
    )


def update_to_ros(update: SceneUpdate) -> SceneGraphUpdate:
    """An update of any kind."""
    return SceneGraphUpdate(
        header=Header(stamp=update.stamp, frame_id=update.frame_id),
        full_update=update.is_full,
        sequence_number=update.sequence,
        source=update.source,
        nodes=[node_to_ros(node) for node in update.nodes],
        removed_nodes=list(update.removed),
        relations=[relation_to_ros(relation) for relation in update.relations],
        removed_relations=[relation_to_ros(relation) for relation in update.dropped],
    )


def update_from_ros(message: SceneGraphUpdate) -> SceneUpdate:
    """An update of any kind.

    Raises:
        ConversionError: an unknown layer, attribute kind or provenance.
    """
    return SceneUpdate(
        stamp=message.header.stamp,
        frame_id=message.header.frame_id,
        is_full=message.full_update,
        sequence=message.sequence_number,
        source=message.source,
        nodes=tuple(node_from_ros(node) for node in message.nodes),
        removed=tuple(message.removed_nodes),
        relations=_relations_from_ros(message.relations),
        dropped=_relations_from_ros(message.removed_relations),
    )


def change_to_ros(change: PublishedChange) -> SceneGraphChange:
    """What an accepted update changed."""
    return SceneGraphChange(
        header=Header(stamp=change.stamp, frame_id=change.frame_id),
        sequence_number=change.sequence,
        previous_sequence_number=change.previous,
        full_update=change.is_full,
        source=change.source,
        nodes=[node_to_ros(node) for node in change.nodes],
        removed_nodes=list(change.removed),
        relations=[relation_to_ros(relation) for relation in change.relations],
        removed_relations=[relation_to_ros(relation) for relation in change.dropped],
        changed_elements=list(change.changed),
        renamed_from=[before for before, _ in change.renamed],
        renamed_to=[after for _, after in change.renamed],
    )


def change_from_ros(message: SceneGraphChange) -> PublishedChange:
    """What an accepted update changed.

    Raises:
        ConversionError: an unknown layer, attribute kind or provenance, or new names that are not
            as many as the old ones.
    """
    return PublishedChange(
        stamp=message.header.stamp,
        frame_id=message.header.frame_id,
        sequence=message.sequence_number,
        previous=message.previous_sequence_number,
        is_full=message.full_update,
        source=message.source,
        nodes=tuple(node_from_ros(node) for node in message.nodes),
        removed=tuple(message.removed_nodes),
        relations=_relations_from_ros(message.relations),
        dropped=_relations_from_ros(message.removed_relations),
        changed=tuple(message.changed_elements),
        renamed=renamed_pairs(message.renamed_from, message.renamed_to),
    )


def renamed_pairs(before: Sequence[str], after: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """(old id, new id) pairs.

    Raises:
        ConversionError: there are not as many of one as of the other.
    """
    if len(before) != len(after):
        raise ConversionError(f"{len(before)} ids are renamed, but {len(after)} new ones are given")
    return tuple(zip(before, after, strict=True))


def node_to_ros(node: SceneNode) -> SceneNodeMessage:
    """One node as a message."""
    message = SceneNodeMessage(
        id=node.id,
        layer=node.layer.value,
        category=node.category,
        pose_known=node.pose is not None,
        footprint=[Point32(x=float(x), y=float(y), z=0.0) for x, y in node.polygon],
        height=node.height or 0.0,
        attributes=attributes_to_ros(node.attributes),
        parents=list(node.parents),
    )
    if node.pose is not None:
        message.pose = pose_to_ros(node.pose)
    if node.size is not None:
        x, y, z = (float(extent) for extent in node.size)
        message.box = Box(known=True, size=Vector3(x=x, y=y, z=z))
    return message


def node_from_ros(message: SceneNodeMessage) -> SceneNode:
    """One node.

    Raises:
        ConversionError: an unknown layer or attribute kind.
    """
    try:
        layer = Layer(message.layer)
    except ValueError:
        known = ", ".join(layer.value for layer in Layer)
        raise ConversionError(
            f"the node {message.id!r} has the layer {message.layer!r}: give one of {known}"
        ) from None
    try:
        attributes = attributes_from_ros(message.attributes)
    except ConversionError as error:
        raise ConversionError(f"the node {message.id!r}: {error}") from error
    size = message.box.size
    return SceneNode(
        id=message.id,
        layer=layer,
        category=message.category,
        pose=pose_from_ros(message.pose) if message.pose_known else None,
        size=(size.x, size.y, size.z) if message.box.known else None,
        polygon=tuple((point.x, point.y) for point in message.footprint),
        height=message.height or None,
        attributes=attributes,
        parents=tuple(message.parents),
    )


def pose_to_ros(pose: Pose) -> PoseMessage:
    """A pose as a message."""
    x, y, z = (float(number) for number in pose.position)
    qx, qy, qz, qw = (float(number) for number in pose.orientation)
    return PoseMessage(
        position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw)
    )


def pose_from_ros(message: PoseMessage) -> Pose:
    """A pose."""
    position, turn = message.position, message.orientation
    return Pose((position.x, position.y, position.z), (turn.x, turn.y, turn.z, turn.w))


def relation_to_ros(relation: SceneRelation) -> SceneRelationMessage:
    """One relation as a message."""
    return SceneRelationMessage(
        name=relation.name,
        elements=list(relation.elements),
        confidence=float(relation.confidence),
        provenance=PROVENANCES[relation.provenance],
    )


def relation_from_ros(message: SceneRelationMessage) -> SceneRelation:
    """One relation.

    Raises:
        ConversionError: an unknown provenance.
    """
    if message.provenance not in _PROVENANCES_BACK:
        raise ConversionError(
            f"the relation {message.name}({', '.join(message.elements)}) has the provenance "
            f"{message.provenance}: give GIVEN (1), GEOMETRIC (2) or INFERRED (3)"
        )
    return SceneRelation(
        message.name,
        tuple(message.elements),
        round(message.confidence, CONFIDENCE_DIGITS),
        _PROVENANCES_BACK[message.provenance],
    )


def _relations_from_ros(
    messages: Iterable[SceneRelationMessage],
) -> tuple[SceneRelation, ...]:
    return tuple(relation_from_ros(message) for message in messages)
