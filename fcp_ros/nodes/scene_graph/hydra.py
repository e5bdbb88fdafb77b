# SPDX-License-Identifier: Apache-2.0
"""Bridge from Hydra: ``hydra_msgs/DsgUpdate`` becomes the scene graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.optional_packages import require_interfaces
from fcp_ros.nodes.runtime.parameters import SCENE_FILES, ParameterSpec
from fcp_ros.nodes.runtime.worker import NewestThread
from fcp_ros.nodes.scene_graph.holder import SceneHolder
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.formats.spark_dsg.raw import to_symbol
from fcp_ros.scene.graph.elements import Layer, SceneError, SceneNode, SceneRelation, SequenceGap
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.sequence_numbers import counts_anew

# --- Hydra's scene graph, from full and incremental updates; without ROS ---

ADVICE = "Let Hydra send a full update."


@dataclass(frozen=True)
class DsgMessage:
    """The content of a ``hydra_msgs/DsgUpdate``."""

    content: bytes  # Binary Spark-DSG: the whole graph, or the nodes that are new or changed
    frame_id: str = ""  # Frame of all positions; "" if the sender left it out
    is_full: bool = True  # True if the content is the whole graph
    sequence: int = 0  # Number of the message; 0 from senders that don't count
    deleted_nodes: Sequence[int] = ()
    deleted_edges: Sequence[int] = ()  # Keys of the ends of removed edges, two for each


class DsgStream:
    """The present graph of one sender, without completion.

    `source`: topic, for errors and ``SceneGraph.source``. `labels`: names of object labels, for
    messages without them.
    """

    def __init__(
        self, source: str, limits: SceneLimits, labels: Mapping[int, str] | None = None
    ) -> None:
        self._source = source
        self._limits = limits
        self._labels = dict(labels or {})
        self._graph: SceneGraph | None = None
        self._sequence = 0

    def take(self, message: DsgMessage) -> SceneGraph | None:
        """Return the whole graph after a message; None if the message was late or repeated.

        Raises SequenceGap if an incremental update does not follow the one before. Raises
        SceneError if the message is damaged, too large or contradictory. After either error only a
        full update is taken.
        """
        if not message.is_full and self._is_late(message):
            return None
        before, self._graph = self._graph, None  # until this message is understood
        if not message.is_full:
            self._check_follows(before, message)
        from fcp_ros.scene.formats.spark_dsg.binary import decode_binary
        from fcp_ros.scene.formats.spark_dsg.dsg_reader import (
            build_message_graph,
            get_object_labels,
        )

        raw = decode_binary(message.content, self._source, self._limits)
        self._labels.update(get_object_labels(raw))  # an incremental update need not repeat them
        found = build_message_graph(raw, self._source, self._labels)
        if message.frame_id:
            found = replace(found, frame_id=message.frame_id)
        if before is not None and not message.is_full:
            found = _merge(before, found, message, self._source)
            self._limits.check_nodes(len(found.nodes), self._source)
        self._graph, self._sequence = found, message.sequence
        return found

    def _is_late(self, message: DsgMessage) -> bool:
        return (
            self._graph is not None
            and 0 < message.sequence <= self._sequence
            and not counts_anew(message.sequence, self._sequence)
        )

    def _check_follows(self, before: SceneGraph | None, message: DsgMessage) -> None:
        if before is None:
            raise SequenceGap(
                "an incremental update came, but there is no graph before it",
                source=self._source,
                advice=ADVICE,
            )
        counts = message.sequence > 0 and self._sequence > 0
        if counts and message.sequence != self._sequence + 1:
            reason = f"update {message.sequence} came after update {self._sequence}"
            raise SequenceGap(reason, source=self._source, advice=ADVICE)


def _merge(before: SceneGraph, update: SceneGraph, message: DsgMessage, source: str) -> SceneGraph:
    if update.frame_id != before.frame_id:
        raise SceneError(
            f"an incremental update is in the frame {update.frame_id!r}, the graph before in "
            f"{before.frame_id!r}",
            source=source,
            advice=ADVICE,
        )
    if len(message.deleted_edges) % 2:
        raise SceneError("deleted_edges has an end without another", source=source, advice=ADVICE)
    gone = {to_symbol(key) for key in message.deleted_nodes}
    ends = [to_symbol(key) for key in message.deleted_edges]
    cut = {frozenset(edge) for edge in zip(ends[::2], ends[1::2], strict=True)}
    known = (before.nodes.keys() | update.nodes.keys()) - gone
    nodes = {}
    for id_ in [*before.nodes, *(new for new in update.nodes if new not in before.nodes)]:
        if id_ in known:
            node = _merge_node(before.nodes.get(id_), update.nodes.get(id_), update.nodes.keys())
            parents = (p for p in node.parents if p in known and frozenset((id_, p)) not in cut)
            nodes[id_] = replace(node, parents=tuple(parents))
    return SceneGraph.of(
        nodes.values(),
        _merge_relations(before, update, known, cut),
        frame_id=before.frame_id,
        source=source,
        notes=dict.fromkeys((*before.notes, *update.notes)),
    )


def _merge_node(
    before: SceneNode | None, update: SceneNode | None, in_update: AbstractSet[str]
) -> SceneNode:
    """Return the newest state of a node; what an update can't tell stays."""
    # An update has only edges between its own nodes, and a room's outline comes from places that
    # need not be in it.
    if before is None or update is None:
        newest = update or before
        assert newest is not None, "it is in one of the two"
        return newest
    kept = tuple(parent for parent in before.parents if parent not in in_update)
    merged = replace(update, parents=tuple(dict.fromkeys((*update.parents, *kept))))
    if merged.layer is Layer.ROOM and not merged.polygon:
        return replace(merged, polygon=before.polygon, height=merged.height or before.height)
    return merged


def _merge_relations(
    before: SceneGraph,
    update: SceneGraph,
    known: AbstractSet[str],
    cut: AbstractSet[frozenset[str]],
) -> Iterable[SceneRelation]:
    """Merge the connections of rooms: those of the update, and old ones that it can't cover."""
    stay = [r for r in before.relations if not update.nodes.keys() >= set(r.elements)]
    merged = {relation.key: relation for relation in (*stay, *update.relations)}
    return [
        relation
        for relation in merged.values()
        if known >= set(relation.elements) and frozenset(relation.elements[:2]) not in cut
    ]


# --- bridge from Hydra: ``hydra_msgs/DsgUpdate`` becomes the scene graph ---

PARAMETERS = (
    ParameterSpec(
        "hydra_topic",
        "",
        'Topic of hydra_msgs/DsgUpdate that the graph follows, such as "/hydra/backend/dsg"; "": '
        "none.",
    ),
    ParameterSpec(
        "hydra_label_space",
        "",
        'File of Hydra\'s label space, for messages without label names; "" for none.',
        files=SCENE_FILES,
    ),
)


def _read_labels(file: str | Path) -> Mapping[int, str]:
    # Here, and in `DsgStream`: its pydantic models take 0.1 s of a start, mostly without Hydra.
    from fcp_ros.scene.formats.spark_dsg.dsg_reader import read_label_space

    return read_label_space(file)


class HydraBridge:
    """Takes the scene graph from Hydra.

    Each message becomes the whole graph, in a thread of its own. While one is processed, only the
    newest of those that arrive is kept, since Hydra sends whole graphs. `node`: in its
    ``configure``; it has the parameters `PARAMETERS` and ``max_nodes``. Raises ConfigureError if
    hydra_msgs is missing, or the label space can't be read.
    """

    def __init__(self, node: ManagedNode, holder: SceneHolder) -> None:
        self._topic = node.parameters.text("hydra_topic")
        advice = 'install and source it, or set hydra_topic to ""'
        message = require_interfaces("hydra_msgs", "msg", advice).DsgUpdate
        limits = SceneLimits(node.parameters.integer("max_nodes"))
        file = node.parameters.file("hydra_label_space")
        try:
            labels = _read_labels(file) if file else None
        except (SceneError, OSError) as error:
            raise ConfigureError(f"hydra_label_space: {error}") from error
        self._stream = DsgStream(self._topic, limits, labels)
        self._holder = holder
        self._taken = 0
        self._thread: NewestThread[Any] = NewestThread(
            "hydra", self._take, lambda error: holder.refuse_update(f"{self._topic}: {error}.")
        )
        node.subscribe_newest(message, self._topic, self._thread.put, reliable=True)

    def values(self) -> Mapping[str, object]:
        return {"hydra": f"on {self._topic}, {self._taken} updates taken"}

    def close(self) -> None:
        self._thread.close()

    def _take(self, message: Any) -> None:
        said = DsgMessage(
            content=bytes(message.layer_contents),
            frame_id=message.header.frame_id,
            is_full=message.full_update,
            sequence=message.sequence_number,
            deleted_nodes=message.deleted_nodes.tolist(),
            deleted_edges=message.deleted_edges.tolist(),
        )
        try:
            graph = self._stream.take(said)
            if graph is not None and graph.nodes:  # Hydra begins with an empty one
                self._holder.take_scene(graph, message.header.stamp)
                self._taken += 1
        except SceneError as error:
            self._holder.refuse_update(str(error))
