# SPDX-License-Identifier: Apache-2.0
"""The node ``scene_graph``: holds the scene graph, accepts updates, hands it out latched."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus

from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.allowed_files import FileRefused, configured_folders, resolve_allowed
from fcp_ros.nodes.base import ManagedNode, Refusal
from fcp_ros.nodes.conversions.errors import ConversionError
from fcp_ros.nodes.conversions.scene import (
    delta_from_message,
    full_update_from_message,
    graph_to_message,
)
from fcp_ros.nodes.frames import PARAMETERS as FRAME_PARAMETERS
from fcp_ros.nodes.frames import Frames, frames_of
from fcp_ros.nodes.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.markers.publisher import PARAMETERS as MARKER_PARAMETERS
from fcp_ros.nodes.markers.publisher import SceneMarkers
from fcp_ros.nodes.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.spin import run_node
from fcp_ros.package_files import config_folder, find_scene
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.delta import apply_delta
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.loading import load_scene
from fcp_ros.scene.relations.complete import complete_relations
from fcp_ros.srv import GetSceneGraph, LoadScene

PARAMETERS = (
    ParameterSpec(
        "scene", "", 'Scene file to load, or a scene of this package by name; "" for none.'
    ),
    ParameterSpec(
        "scene_folders",
        [""],
        "Folders that load_scene may read from; without any, the package's own scenes.",
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec(
        "complete_relations",
        True,
        "Derive relations that a full update leaves out (on, inside, in_room, ...) from geometry.",
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "max_nodes",
        200_000,
        "Largest number of nodes that a scene may have.",
        minimum=1,
        maximum=10_000_000,
    ),
    *MARKER_PARAMETERS,
    *FRAME_PARAMETERS,
)


class SceneGraphNode(ManagedNode):
    """Holds the scene graph.

    Subscribes to ``scene_graph_update`` (SceneGraphUpdate, events; also while inactive, so that no
    delta is missed).
    Publishes ``scene_graph`` (SceneGraph, latched) and ``scene_markers`` (MarkerArray, latched),
    which shows the ``plan`` (Plan, latched), too.
    Services ``load_scene`` (LoadScene) and ``get_scene_graph`` (GetSceneGraph).

    What comes in another frame is transformed into the graph's (see `Frames`).

    An update that can't be applied (a gap in the sequence numbers, an invalid graph) changes
    nothing; it is logged, and shown in the diagnostics until an update is accepted again.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("scene_graph", PARAMETERS, **kwargs)
        self._lock = threading.Lock()
        self._graph: SceneGraph | None = None
        self._stamp = Time()
        self._sequence = 0  # survives cleanup: numbers never go back while the node lives
        self._refused = ""
        self._refused_count = 0
        self._publisher: Any = None
        self._markers: SceneMarkers | None = None
        self._frames: Frames | None = None
        self.offer_service(LoadScene, "load_scene", self._load_scene, _refuse)
        self.offer_service(GetSceneGraph, "get_scene_graph", self._get_scene_graph, _refuse)

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        """Make the topics, and load the scene that the parameter names."""
        try:
            self._frames = frames_of(self)
        except ValueError as error:
            raise ConfigureError(f"static_transforms: {error}") from error
        self._publisher = self.publish_state(SceneGraphMessage, "scene_graph")
        self._markers = SceneMarkers(self)
        if scene := self.parameters.text("scene"):
            # Whoever sets parameters may name any file; only requests are kept to the folders.
            try:
                self._take(self._read(str(find_scene(scene))), self.get_clock().now().to_msg())
            except (SceneError, OSError) as error:
                raise ConfigureError(f"the scene can't be loaded: {error}") from error
        self.subscribe_events(SceneGraphUpdate, "scene_graph_update", self._update)

    def activate(self) -> None:
        """Publish the graph that there is."""
        with self._lock:
            self._publish()

    def release(self) -> None:
        """Forget the graph."""
        if self._markers is not None:
            self._markers.close()
        super().release()
        if self._frames is not None:
            self._frames.close()
            self._frames = None
        with self._lock:
            self._publisher = self._markers = None
            self._graph = None
            self._refused = ""

    def diagnose(self) -> Diagnosis:
        """Size and number of the graph, and the last update that was refused."""
        with self._lock:
            graph = self._graph
            values = {
                "sequence_number": self._sequence,
                "nodes": len(graph.nodes) if graph else 0,
                "relations": len(graph.relations) if graph else 0,
                "source": graph.source if graph else "",
                "refused_updates": self._refused_count,
                **(self._markers.values() if self._markers else {}),
            }
            if self._refused:
                return Diagnosis(DiagnosticStatus.WARN, self._refused, values)
        message = "" if graph else "no scene yet: call load_scene or publish scene_graph_update"
        return Diagnosis(DiagnosticStatus.OK if graph else DiagnosticStatus.WARN, message, values)

    # --- services -------------------------------------------------------------------------------

    def _load_scene(self, request: Any, response: Any) -> Any:
        folders = configured_folders(
            self.parameters.texts("scene_folders"), config_folder() / "scenes"
        )
        try:
            address = resolve_allowed(request.path, folders, find_scene, "scene_folders")
            read = self._read(address)
        except (FileRefused, SceneError, OSError) as error:
            response.success = False
            response.message = str(error)
            return response
        graph = self._take(read, self.get_clock().now().to_msg())
        response.success = True
        response.message = f"Loaded {address}: {len(graph.nodes)} nodes."
        response.sequence_number = graph.sequence
        response.node_count = len(graph.nodes)
        response.relation_count = len(graph.relations)
        response.notes = list(graph.notes)
        return response

    def _get_scene_graph(self, _request: Any, response: Any) -> Any:
        with self._lock:
            graph, stamp = self._graph, self._stamp
        response.success = graph is not None
        if graph is None:
            response.message = "There is no scene yet: call load_scene or publish an update."
        else:
            response.message = f"{len(graph.nodes)} nodes."
            response.scene_graph = graph_to_message(graph, stamp)
        return response

    def _read(self, address: str) -> SceneGraph:
        assert self._frames is not None, "it is made when the node is configured"
        limits = SceneLimits(self.parameters.integer("max_nodes"))
        return self._frames.graph(load_scene(address, limits=limits), Time())

    # --- the graph ------------------------------------------------------------------------------

    def _update(self, message: SceneGraphUpdate) -> None:
        try:
            if message.full_update:
                self._take_full_update(message)
            else:
                self._take_delta(message)
        except (ConversionError, SceneError) as error:
            self._refuse_update(str(error))

    def _take_full_update(self, message: SceneGraphUpdate) -> None:
        assert self._frames is not None, "it is made when the node is configured"
        message.header.frame_id = message.header.frame_id or self._frames.frame_id
        update = full_update_from_message(message, sequence=0, source="scene_graph_update")
        SceneLimits(self.parameters.integer("max_nodes")).check_nodes(
            len(update.nodes), update.source
        )
        if not update.nodes:
            raise SceneError(
                "a full update without any node was refused",
                source=update.source,
                advice="Send at least one room or object.",
            )
        update = self._frames.graph(update, message.header.stamp)
        if self.parameters.flag("complete_relations"):
            update = complete_relations(update)
        self._take(update, message.header.stamp, at_least=message.sequence_number)

    def _take_delta(self, message: SceneGraphUpdate) -> None:
        assert self._frames is not None, "it is made when the node is configured"
        stamp, frame = message.header.stamp, message.header.frame_id
        delta = delta_from_message(message)
        delta = self._frames.delta(delta, frame, stamp, "scene_graph_update")
        with self._lock:
            if self._graph is None:
                raise SceneError(
                    "a delta came before any graph",
                    source="scene_graph_update",
                    advice="Send a full update first, or call load_scene.",
                )
            self._set(apply_delta(self._graph, delta), stamp)

    def _take(self, graph: SceneGraph, stamp: Time, *, at_least: int = 0) -> SceneGraph:
        """Make a whole graph the present one, under the next sequence number."""
        with self._lock:
            numbered = graph.with_sequence(max(self._sequence + 1, at_least))
            self._set(numbered, stamp)
            return numbered

    def _set(self, graph: SceneGraph, stamp: Time) -> None:
        # An observation without a time was made now, as far as anybody knows.
        unset = stamp.sec == 0 and stamp.nanosec == 0
        self._graph = graph
        self._stamp = self.get_clock().now().to_msg() if unset else stamp
        self._sequence = graph.sequence
        self._refused = ""
        self._publish()

    def _refuse_update(self, reason: str) -> None:
        self.get_logger().warning(f"update refused: {reason}")
        with self._lock:
            self._refused = f"The last update was refused: {reason}"
            self._refused_count += 1
        self.publish_diagnostics()

    def _publish(self) -> None:
        if self._graph is not None and self._publisher is not None:
            self._publisher.publish(graph_to_message(self._graph, self._stamp))
            if self._markers is not None:
                self._markers.show(self._graph)


def _refuse(response: Any, refusal: Refusal) -> Any:
    response.success = False
    response.message = refusal.sentence
    return response


def main(args: Sequence[str] | None = None) -> int:
    """Run the node alone."""
    return run_node(SceneGraphNode, args)
