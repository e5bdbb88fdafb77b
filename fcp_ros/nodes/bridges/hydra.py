# SPDX-License-Identifier: Apache-2.0
"""Bridge from Hydra: ``hydra_msgs/DsgUpdate`` becomes the scene graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fcp_ros.nodes.bridges.bridge import Bridge, MissingBridge, SceneSink, require_message
from fcp_ros.nodes.bridges.dsg_stream import DsgMessage, DsgStream
from fcp_ros.nodes.runtime.file_parameters import SCENE_FILES
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec
from fcp_ros.nodes.runtime.stream_thread import NewestThread
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.formats.spark_dsg.reader import read_label_space
from fcp_ros.scene.graph.errors import SceneError

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


class HydraBridge:
    """Takes the scene graph from Hydra.

    Each message becomes the whole graph, in a thread of its own. While one is processed, only the
    newest of those that arrive is kept, since Hydra sends whole graphs.

    Args:
        node: In its ``configure``; it has the parameters `PARAMETERS` and ``max_nodes``.
        sink: Gets the graphs.

    Raises:
        ConfigureError: hydra_msgs is missing, or the label space can't be read.
    """

    def __init__(self, node: ManagedNode, sink: SceneSink) -> None:
        self._topic = node.parameters.text("hydra_topic")
        message = require_message("hydra_msgs", "DsgUpdate", "hydra_topic")
        limits = SceneLimits(node.parameters.integer("max_nodes"))
        file = node.parameters.file("hydra_label_space")
        try:
            labels = read_label_space(file) if file else None
        except (SceneError, OSError) as error:
            raise ConfigureError(f"hydra_label_space: {error}") from error
        self._stream = DsgStream(self._topic, limits, labels)
        self._sink = sink
        self._taken = 0
        self._thread: NewestThread[Any] = NewestThread(
            "hydra", self._take, lambda error: sink.refuse_update(f"{self._topic}: {error}.")
        )
        node.subscribe_newest(message, self._topic, self._thread.put, reliable=True)

    def values(self) -> Mapping[str, object]:
        """Report the number of messages that became the graph."""
        return {"hydra": f"on {self._topic}, {self._taken} updates taken"}

    def close(self) -> None:
        """End the thread; the node destroys the subscription."""
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
                self._sink.take_scene(graph, message.header.stamp)
                self._taken += 1
        except SceneError as error:
            self._sink.refuse_update(str(error))


def open_hydra(node: ManagedNode, sink: SceneSink) -> Bridge:
    """Open the bridge if its parameter names a topic."""
    if node.parameters.text("hydra_topic"):
        return HydraBridge(node, sink)
    return MissingBridge("hydra", "hydra_msgs")
