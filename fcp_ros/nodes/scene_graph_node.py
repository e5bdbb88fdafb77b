# SPDX-License-Identifier: Apache-2.0
"""The node ``scene_graph``: holds the scene graph, accepts updates, hands it out latched."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.allowed_files import FileRefused, configured_folders, resolve_allowed
from fcp_ros.nodes.base import ManagedNode, Refusal
from fcp_ros.nodes.bridges.bridge import Bridge, Edit
from fcp_ros.nodes.bridges.detections import PARAMETERS as DETECTION_PARAMETERS
from fcp_ros.nodes.bridges.detections import open_detections
from fcp_ros.nodes.bridges.hydra import PARAMETERS as HYDRA_PARAMETERS
from fcp_ros.nodes.bridges.hydra import open_hydra
from fcp_ros.nodes.conversions.errors import ConversionError
from fcp_ros.nodes.conversions.scene import graph_to_message
from fcp_ros.nodes.conversions.scene_values import PublishedGraph, SceneUpdate
from fcp_ros.nodes.conversions.scene_wire_read import SceneReader
from fcp_ros.nodes.conversions.scene_wire_walk import warm_up
from fcp_ros.nodes.frames import PARAMETERS as FRAME_PARAMETERS
from fcp_ros.nodes.frames import Frames, frames_of
from fcp_ros.nodes.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.markers.publisher import PARAMETERS as MARKER_PARAMETERS
from fcp_ros.nodes.markers.publisher import SceneMarkers
from fcp_ros.nodes.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.scene_held import Step, delta_step, whole_step
from fcp_ros.nodes.scene_publisher import ScenePublisher
from fcp_ros.nodes.scene_requests import FullUpdateRequests
from fcp_ros.nodes.scene_sources import Order, SourceNumbers
from fcp_ros.nodes.spin import run_node
from fcp_ros.package_files import config_folder, find_scene
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.errors import SceneError, SequenceGap
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.loading import load_scene
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
    ParameterSpec(
        "graph_period",
        0.5,
        "Least time between two scene_graph messages [s]; each change is in scene_changes at once.",
        minimum=0.01,
        maximum=3600.0,
    ),
    ParameterSpec(
        "request_period",
        1.0,
        "Time between two requests for a full update, until one comes [s].",
        minimum=0.05,
        maximum=3600.0,
    ),
    *MARKER_PARAMETERS,
    *FRAME_PARAMETERS,
    *HYDRA_PARAMETERS,
    *DETECTION_PARAMETERS,
)


class SceneGraphNode(ManagedNode):
    """Holds the scene graph.

    Subscribes to ``scene_graph_update`` (SceneGraphUpdate, events; also while inactive, so that no
    delta is missed).
    Publishes ``scene_changes`` (SceneGraphChange, events; one for each accepted update),
    ``scene_graph`` (SceneGraph, latched; at most once in graph_period), ``scene_graph_request``
    (SceneGraphRequest, events; when something is missing) and ``scene_markers`` (MarkerArray,
    latched), which shows the ``plan`` (Plan, latched), too.
    Services ``load_scene`` (LoadScene) and ``get_scene_graph`` (GetSceneGraph).

    Other systems' messages become updates within the node: see `HydraBridge`, `DetectionsBridge`.
    What comes in another frame is transformed into the graph's (see `Frames`).

    An update that can't be applied (a gap in the sequence numbers, an invalid graph) changes
    nothing; it is logged, and shown in the diagnostics until an update is accepted again. One that
    is late or came twice is only counted.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("scene_graph", PARAMETERS, **kwargs)
        self._lock = threading.Lock()
        self._held: PublishedGraph | None = None
        self._sequence = 0  # survives cleanup: numbers never go back while the node lives
        self._sources = SourceNumbers()
        self._refused = ""
        self._refused_count = 0
        self._late_count = 0
        self._markers: SceneMarkers | None = None
        self._publisher: ScenePublisher | None = None
        self._requests: FullUpdateRequests | None = None
        self._frames: Frames | None = None
        self._bridges: tuple[Bridge, ...] = ()
        self.offer_service(LoadScene, "load_scene", self._load_scene, _refuse)
        self.offer_service(GetSceneGraph, "get_scene_graph", self._get_scene_graph, _refuse)
        # Here, before any thread of the node runs: numba imports modules as it goes.
        warm_up()

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        """Make the topics, and load the scene that the parameter names."""
        try:
            self._frames = frames_of(self)
        except ValueError as error:
            raise ConfigureError(f"static_transforms: {error}") from error
        self._publisher = ScenePublisher(self, self.parameters.number("graph_period"))
        self._requests = FullUpdateRequests(self, self.parameters.number("request_period"))
        self._markers = SceneMarkers(self)
        if scene := self.parameters.text("scene"):
            # Whoever sets parameters may name any file; only requests are kept to the folders.
            try:
                self._take(self._read(str(find_scene(scene))), Time(), complete=False)
            except (SceneError, OSError) as error:
                raise ConfigureError(f"the scene can't be loaded: {error}") from error
        reader = SceneReader(self.parameters.integer("max_nodes"))

        def receive(data: bytes) -> None:
            self._update(reader, data)

        self.subscribe_events(SceneGraphUpdate, "scene_graph_update", receive, raw=True)
        self._bridges = open_hydra(self, self), open_detections(self, self, self._frames)

    def activate(self) -> None:
        """Publish the graph that there is."""
        assert self._publisher is not None, "it is made when the node is configured"
        self._publisher.publish_whole()

    def release(self) -> None:
        """Forget the graph."""
        for part in (self._publisher, self._requests, self._markers, *self._bridges):
            if part is not None:
                part.close()
        super().release()
        self._bridges = ()
        if self._frames is not None:
            self._frames.close()
            self._frames = None
        with self._lock:
            self._publisher = self._requests = self._markers = None
            self._held = None
            self._sources.clear()
            self._refused = ""

    def diagnose(self) -> Diagnosis:
        """Size and number of the graph, and the last update that was refused."""
        requests = self._requests
        with self._lock:
            graph = self._held.graph if self._held else None
            values = {
                "sequence_number": self._sequence,
                "nodes": len(graph.nodes) if graph else 0,
                "relations": graph.relation_count if graph else 0,
                "source": graph.source if graph else "",
                "refused_updates": self._refused_count,
                "late_updates": self._late_count,
                "update_sources": ", ".join(self._sources.names()),
                "full_updates_awaited": requests.open if requests else 0,
                **(self._markers.values() if self._markers else {}),
            }
            for bridge in self._bridges:
                values.update(bridge.values())
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
        graph = self._take(read, Time(), complete=False)
        response.success = True
        response.message = f"Loaded {address}: {len(graph.nodes)} nodes."
        response.sequence_number = graph.sequence
        response.node_count = len(graph.nodes)
        response.relation_count = len(graph.relations)
        response.notes = list(graph.notes)
        return response

    def _get_scene_graph(self, _request: Any, response: Any) -> Any:
        with self._lock:
            held = self._held
        response.success = held is not None
        if held is None:
            response.message = "There is no scene yet: call load_scene or publish an update."
        else:
            response.message = f"{len(held.graph.nodes)} nodes."
            response.scene_graph = graph_to_message(held.graph, held.stamp)
        return response

    def _read(self, address: str) -> SceneGraph:
        assert self._frames is not None, "it is made when the node is configured"
        limits = SceneLimits(self.parameters.integer("max_nodes"))
        return self._frames.graph(load_scene(address, limits=limits), Time())

    # --- the graph ------------------------------------------------------------------------------

    def _update(self, reader: SceneReader, data: bytes) -> None:
        try:
            update = reader.update(data)
        except ConversionError as error:
            self.refuse_update(str(error))
            return
        assert self._requests is not None, "it is made when the node is configured"
        with self._lock:
            judged = self._sources.judge(update, self._sequence)
        if judged.order is Order.LATE:
            self._late_count += 1
            self.get_logger().debug(f"update ignored: {judged.reason}")
            return
        reason = judged.reason
        try:
            if judged.order is Order.GAP:
                raise SequenceGap(reason, source=_named(update), advice="Send a full update.")
            if update.is_full:
                self._take_full_update(update)
            else:
                self._take_delta(update)
        except (ConversionError, SceneError) as error:
            self.refuse_update(str(error))
            if not update.is_full:
                self._requests.ask(update.source, judged.last, str(error))

    def _take_full_update(self, update: SceneUpdate) -> None:
        assert self._frames is not None, "it is made when the node is configured"
        assert self._requests is not None, "it is made when the node is configured"
        source = _named(update)
        if not update.nodes:
            raise SceneError(
                "a full update without any node was refused",
                source=source,
                advice="Send at least one room or object.",
            )
        graph = SceneGraph.of(
            update.nodes,
            update.relations,
            frame_id=update.frame_id or self._frames.frame_id,
            source=source,
        )
        graph = self._frames.graph(graph, update.stamp)
        at_least = 0 if update.source else update.sequence
        self._take(graph, update.stamp, at_least=at_least, update=update)
        self._requests.fulfilled()

    def take_scene(self, graph: SceneGraph, stamp: Time) -> None:
        """Replace the whole graph (for bridges)."""
        assert self._frames is not None, "it is made when the node is configured"
        self._take(self._frames.graph(graph, stamp), stamp)

    def change_scene(self, edit: Edit, stamp: Time) -> None:
        """Change the graph, or begin one (for bridges)."""
        assert self._frames is not None, "it is made when the node is configured"
        with self._lock:
            before = self._held.graph if self._held else None
            delta = edit(before)
            if delta is None:
                return
            empty = SceneGraph.of((), frame_id=self._frames.frame_id, sequence=self._sequence)
            step = delta_step(before or empty, delta, self._time(stamp))
            self._check_size(step)
            self._set(step)

    def refuse_update(self, reason: str) -> None:
        """Say that an update was not taken, and why."""
        self.get_logger().warning(f"update refused: {reason}")
        with self._lock:
            self._refused = f"The last update was refused: {reason}"
            self._refused_count += 1
        self.publish_diagnostics()

    def _take_delta(self, update: SceneUpdate) -> None:
        assert self._frames is not None, "it is made when the node is configured"
        delta = SceneDelta(
            update.sequence, update.nodes, update.removed, update.relations, update.dropped
        )
        delta = self._frames.delta(delta, update.frame_id, update.stamp, _named(update))
        with self._lock:
            before = self._held.graph if self._held else None
            step = delta_step(before, delta, self._time(update.stamp))
            self._check_size(step)
            self._set(step)
            self._sources.taken(update)

    def _take(
        self,
        graph: SceneGraph,
        stamp: Time,
        *,
        at_least: int = 0,
        complete: bool | None = None,
        update: SceneUpdate | None = None,
    ) -> SceneGraph:
        """Make a whole graph the present one, under the next sequence number."""
        if complete is None:
            complete = self.parameters.flag("complete_relations")
        with self._lock:
            before = self._held.graph if self._held else None
            number = max(self._sequence + 1, at_least)
            step = whole_step(before, graph, number, self._time(stamp), complete=complete)
            self._set(step)
            if update is not None:
                self._sources.taken(update)
            return step.graph.graph

    def _time(self, stamp: Time) -> Time:
        """An observation without a time was made now, as far as anybody knows."""
        unset = stamp.sec == 0 and stamp.nanosec == 0
        return self.get_clock().now().to_msg() if unset else stamp

    def _set(self, step: Step) -> None:
        publisher = self._publisher
        assert publisher is not None, "it is made when the node is configured"
        ready = publisher.ready(step.change, step.graph)
        self._held = step.graph
        self._sequence = step.graph.graph.sequence
        self._refused = ""
        publisher.publish(ready)
        if self._markers is not None:
            self._markers.show(step.graph.graph)

    def _check_size(self, step: Step) -> None:
        graph = step.graph.graph
        limits = SceneLimits(self.parameters.integer("max_nodes"))
        limits.check_nodes(len(graph.nodes), graph.source)


def _named(update: SceneUpdate) -> str:
    return update.source or "scene_graph_update"


def _refuse(response: Any, refusal: Refusal) -> Any:
    response.success = False
    response.message = refusal.sentence
    return response


def main(args: Sequence[str] | None = None) -> int:
    """Run the node alone."""
    return run_node(SceneGraphNode, args)
