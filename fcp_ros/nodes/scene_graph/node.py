# SPDX-License-Identifier: Apache-2.0
"""The node ``scene_graph``: holds the scene graph, accepts updates, hands it out latched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus

from fcp_ros.msg import NameProposals, SceneGraphUpdate
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.scene import PublishedGraph, graph_to_ros
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import (
    DOMAIN_FILES,
    DOMAIN_FOLDERS,
    SCENE_FILES,
    FileRefusedError,
    ParameterSpec,
    TakesEffect,
    make_folders,
)
from fcp_ros.nodes.runtime.request_checks import CLEANED_UP, RefusalKind, RequestRefused
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import CancelToken, JobCancelled, NewestThread, Worker
from fcp_ros.nodes.scene_access.frames import PARAMETERS as FRAME_PARAMETERS
from fcp_ros.nodes.scene_access.frames import make_frames
from fcp_ros.nodes.scene_graph.detections import PARAMETERS as DETECTION_PARAMETERS
from fcp_ros.nodes.scene_graph.detections import DetectionsBridge
from fcp_ros.nodes.scene_graph.holder import HolderParts, SceneHolder
from fcp_ros.nodes.scene_graph.hydra import PARAMETERS as HYDRA_PARAMETERS
from fcp_ros.nodes.scene_graph.hydra import HydraBridge
from fcp_ros.nodes.scene_graph.intake import SceneIntake
from fcp_ros.nodes.scene_graph.last_graph import LastGraph, locate_last_graph
from fcp_ros.nodes.scene_graph.markers import PARAMETERS as MARKER_PARAMETERS
from fcp_ros.nodes.scene_graph.markers import SceneMarkers
from fcp_ros.nodes.scene_graph.publisher import (
    OLD,
    FullUpdateRequests,
    ReadyChange,
    ScenePublisher,
    SceneStanding,
)
from fcp_ros.nodes.scene_graph.scene_overrides import names_from_ros, read_overrides
from fcp_ros.package_files import find_scene
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.loading import read_scene
from fcp_ros.scene.relations.relation_options import ON_REQUEST, RelationOptions
from fcp_ros.srv import GetSceneGraph, LoadScene

LAST_GRAPH_PATH = "~/.local/state/fcp_ros/scenes/{robot}/{domain_id}.sqlite"

PARAMETERS = (
    ParameterSpec(
        "scene",
        "",
        'Scene file to load, or a scene of this package by name; "" for none.',
        files=SCENE_FILES,
    ),
    ParameterSpec(
        "domain",
        "household",
        "Domain whose overrides bring the names of perception into its words, and by which "
        "load_scene says what of a file is read otherwise; '' for none.",
        files=DOMAIN_FILES,
    ),
    DOMAIN_FOLDERS,
    ParameterSpec(
        "overrides",
        "",
        "File of overrides (fcp align SCENE writes one), after those of the domain; '' for none.",
        files=SCENE_FILES,
    ),
    make_folders(
        SCENE_FILES,
        "Folders that load_scene may read from, and with files that scenes may refer to (and other "
        "files that are named while the node runs); without any, the package's own scenes.",
    ),
    ParameterSpec(
        "complete_relations",
        True,
        "Derive relations that updates leave out (on, inside, in_room, ...) from geometry.",
    ),
    ParameterSpec(
        "also_derive", [""], f"What to derive besides, if anything: {', '.join(ON_REQUEST)}."
    ),
    ParameterSpec(
        "max_nodes",
        200_000,
        "Largest number of nodes that a scene may have.",
        minimum=1,
        maximum=10_000_000,
    ),
    ParameterSpec(
        "max_relations",
        2_000_000,
        "Largest number of relations that a scene may have.",
        minimum=1,
        maximum=100_000_000,
    ),
    ParameterSpec(
        "max_file_bytes",
        64 * 2**20,
        "Largest scene file [bytes]; reading takes up to 18 times as much memory.",
        minimum=1024,
        maximum=2**40,
    ),
    ParameterSpec(
        "max_message_bytes",
        64 * 2**20,
        "Largest scene_graph_update message [bytes].",
        minimum=1024,
        maximum=2**31 - 1,
    ),
    ParameterSpec(
        "last_graph",
        LAST_GRAPH_PATH,
        "SQLite file of the last live graph, for the start after a crash; {robot} is the "
        'namespace, {domain_id} the ROS domain; "": a start after a crash begins with the scene.',
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec(
        "restore_within",
        600.0,
        "How long ago a crash may be for a start to go on with the last live graph [s].",
        minimum=0.0,
        maximum=1e7,
    ),
    ParameterSpec(
        "load_timeout",
        60.0,
        "How long load_scene may take; the scene stays as it was then [s].",
        minimum=0.1,
        maximum=3600.0,
        takes_effect=TakesEffect.AT_ONCE,
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

FILES = "scene files"
"""The work of the thread that reads them."""
QUEUED_FILES = 4
"""Requests to load a scene that may wait while one is read."""


class SceneGraphNode(ManagedNode):
    """Holds the scene graph.

    Subscribes to ``scene_graph_update`` (SceneGraphUpdate, events; also while inactive, so that no
    delta is missed), and to ``name_proposals`` (NameProposals, latched): relations whose names
    somebody has confirmed are taken in under the names of the domain.
    Publishes ``scene_changes`` (SceneGraphChange, events; one for each accepted update),
    ``scene_graph`` (SceneGraph, latched; at most once in graph_period), ``scene_graph_request``
    (SceneGraphRequest, events; when something is missing) and ``scene_markers`` (MarkerArray,
    latched), which shows the ``task_plan`` (Plan, latched), too.
    Services ``load_scene`` (LoadScene) and ``get_scene_graph`` (GetSceneGraph).

    Other systems' messages become updates within the node: see `HydraBridge`, `DetectionsBridge`.
    What comes in another frame is transformed into the graph's (see `Frames`).

    An update that can't be applied (a gap in the sequence numbers, an invalid graph) changes
    nothing; it is logged, and shown in the diagnostics until an update is accepted again. One that
    is late or came twice is only counted.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("scene_graph", PARAMETERS, **kwargs)
        self._number = 0  # survives cleanup: numbers never go back while the node lives
        self._holder: SceneHolder | None = None
        self._parts: HolderParts | None = None
        self._intake: SceneIntake | None = None
        self._bridges: list[HydraBridge | DetectionsBridge] = []
        self._standing: SceneStanding | None = None
        self._last: LastGraph | None = None
        self.offer_service(LoadScene, "load_scene", self._load_scene, once=True)
        self.offer_service(GetSceneGraph, "get_scene_graph", self._get_scene_graph)

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        try:
            frames = self.own(make_frames(self))
        except ValueError as error:
            raise ConfigureError(f"static_transforms: {error}") from error
        standing = self._standing = self.own(SceneStanding(self))
        last = self._last = self._open_last_graph()
        remains = last.take_remains(self.parameters.number("restore_within"))
        is_old = remains is not None and remains.graph is None

        def note_change(change: ReadyChange, is_whole: bool) -> None:
            if not is_old:  # it shows the world before the crash
                last.note(change, is_whole)
                standing.set_old(False)

        self._parts = HolderParts(
            frames,
            self.own(ScenePublisher(self, self.parameters.number("graph_period"))),
            self.own(FullUpdateRequests(self, self.parameters.number("request_period"))),
            self.own(SceneMarkers(self)),
            self._read_relation_options(),
            self._read_limits("max_message_bytes"),
            read_overrides(self.parameters.file("domain"), self.parameters.file("overrides")),
            note_change,
        )
        restored = None if remains is None else remains.graph
        if restored is not None:
            self._number = max(self._number, restored.graph.sequence)
        holder = self._holder = SceneHolder(self, self._parts, self._number)
        self.workers.open(FILES, QUEUED_FILES, outlasts=True)
        if restored is not None:
            is_old = not self._restore(holder, restored)
        if restored is not None and not is_old:
            self.get_logger().warning("going on with the last live graph before a crash")
        elif scene := self.parameters.file("scene"):
            try:
                holder.load(self._read_scene(str(find_scene(scene)), self._read_file_limits()))
            except (SceneError, ConversionError, OSError) as error:
                raise ConfigureError(f"the scene can't be loaded: {error}") from error
        standing.set_old(is_old)
        is_old = False  # whatever comes from now on is about the present world
        limits = self._parts.limits
        self._intake = self.own(
            SceneIntake(limits, holder.take, holder.refuse_update, holder.report_loss)
        )
        self.subscribe_events(SceneGraphUpdate, "scene_graph_update", self._intake.put, raw=True)
        naming: NewestThread[NameProposals] = NewestThread(
            "names of relations",
            lambda message: holder.use_names(names_from_ros(message)),
            lambda error: holder.refuse_update(f"name_proposals: {error}."),
        )
        self.subscribe_state(NameProposals, "name_proposals", self.own(naming).put)
        if self.parameters.text("hydra_topic"):
            self._bridges.append(self.own(HydraBridge(self, holder)))
        if self.parameters.text("detections_topic"):
            self._bridges.append(self.own(DetectionsBridge(self, holder, frames)))

    def _open_last_graph(self) -> LastGraph:
        path = locate_last_graph(
            self.parameters.text("last_graph"), self.get_namespace(), self.context.get_domain_id()
        )
        most = self.parameters.integer("max_message_bytes")
        return LastGraph(path, self.parameters.text("scene"), most)

    def _restore(self, holder: SceneHolder, last: PublishedGraph) -> bool:
        """Begin with the last live graph; return False if it can't be used."""
        try:
            holder.take_scene(last.graph, last.stamp)
        except (SceneError, ConversionError) as error:
            self.get_logger().warning(f"the last live graph can't be used: {error}")
            return False
        return True

    def activate(self) -> None:
        assert self._parts is not None, "they are made when the node is configured"
        assert self._standing is not None, "it is made when the node is configured"
        self._parts.publisher.publish_whole()
        self._parts.markers.send_all()
        self._standing.set_active(True)

    def deactivate(self) -> None:
        if self._standing is not None:
            self._standing.set_active(False)

    def release(self) -> None:
        super().release()
        if self._last is not None:
            self._last.end()
        self._parts = self._intake = self._standing = self._last = None
        self._bridges.clear()
        if self._holder is not None:
            self._number = self._holder.number
            self._holder = None

    def diagnose(self) -> Diagnosis:
        holder, intake, parts = self._holder, self._intake, self._parts
        if holder is None or intake is None or parts is None:
            return Diagnosis(values={"sequence_number": self._number, "nodes": 0})
        values = {**holder.values(), **intake.values(), **parts.markers.values()}
        values |= {"hydra": "off", "detections": "off"}
        for bridge in self._bridges:
            values.update(bridge.values())
        if self._last is not None:
            self._last.note_alive()
            values["last_graph"] = self._last.problem or "kept"
        if self._standing is not None and self._standing.is_old:
            return Diagnosis(DiagnosticStatus.ERROR, OLD, values)
        if holder.refused:
            return Diagnosis(DiagnosticStatus.WARN, holder.refused, values)
        if holder.held is None:
            message = "no scene yet: call load_scene or publish scene_graph_update"
            return Diagnosis(DiagnosticStatus.WARN, message, values)
        return Diagnosis(values=values)

    # --- services -------------------------------------------------------------------------------

    async def _load_scene(self, request: Any, response: Any) -> Any:
        holder, files = self._get_parts()
        limits = self._read_file_limits()
        limit = self.parameters.number("load_timeout")

        def load(token: CancelToken) -> tuple[SceneGraph, tuple[str, ...]]:
            read = self._read_scene(address, limits)
            if token.cancelled:  # nobody waits for it any more
                raise JobCancelled("The request was given up.")
            graph = holder.load(read)
            return graph, self._describe_reading(graph)

        try:
            address = self.parameters.resolve(SCENE_FILES, request.path)
            job = files.submit(load)
            graph, remarks = await self.await_job(files, job, limit)
        except TimeoutError as error:
            sentence = (
                f"{address} was not read within {limit:g} s, and the scene stays as it was: "
                "raise the parameter load_timeout, or give a smaller scene."
            )
            raise RequestRefused(RefusalKind.TIMED_OUT, sentence) from error
        except (FileRefusedError, SceneError, ConversionError, OSError) as error:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error
        response.success = True
        response.message = f"Loaded {address}: {len(graph.nodes)} nodes."
        response.sequence_number = graph.sequence
        response.node_count = len(graph.nodes)
        response.relation_count = len(graph.relations)
        response.notes = [*graph.notes, *remarks]
        return response

    def _read_scene(self, address: str, limits: SceneLimits) -> SceneGraph:
        """Read a scene file in the words of the domain; the holder derives what follows from it."""
        assert self._parts is not None, "they are made when the node is configured"
        return self._parts.overrides.rename_graph(read_scene(address, limits=limits))

    def _describe_reading(self, graph: SceneGraph) -> tuple[str, ...]:
        """Say what of a scene the nodes that plan read otherwise, and log it."""
        # Only for files: a node that gets its scene from updates needs no domain.
        from fcp_ros.binding.scene_to_state import scene_to_instance
        from fcp_ros.nodes.runtime.domain_parameter import load_configured_domain

        try:
            name = self.parameters.file("domain")
            if not name:
                return ()
            domain = load_configured_domain(name)
            notes = scene_to_instance(graph, domain.schema, domain.mapping).fact_notes
        except (ConfigureError, FileRefusedError, SceneError) as error:
            notes = (f"it is not known what of the scene is read otherwise: {error}",)
        for note in notes:
            self.get_logger().warning(f"scene: {note}")
        return notes

    def _get_scene_graph(self, _request: Any, response: Any) -> Any:
        held = self._get_parts()[0].held
        if held is None:
            sentence = "There is no scene yet: call load_scene or publish an update."
            raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence)
        response.success = True
        response.message = f"{len(held.graph.nodes)} nodes."
        response.scene_graph = graph_to_ros(held.graph, held.stamp)
        return response

    def _read_relation_options(self) -> RelationOptions | None:
        if not self.parameters.flag("complete_relations"):
            return None
        try:
            return RelationOptions(also=frozenset(self.parameters.texts("also_derive")))
        except SceneError as error:
            raise ConfigureError(f"also_derive: {error}") from error

    def _read_file_limits(self) -> SceneLimits:
        folders = self.parameters.folders(SCENE_FILES)
        return replace(self._read_limits("max_file_bytes"), asset_folders=folders)

    def _read_limits(self, bytes_parameter: str) -> SceneLimits:
        number = self.parameters.integer
        return SceneLimits(number("max_nodes"), number(bytes_parameter), number("max_relations"))

    def _get_parts(self) -> tuple[SceneHolder, Worker]:
        """Return the parts of an active node; raise if it was cleaned up this very moment."""
        files = self.workers[FILES]
        if self._holder is None:
            raise RequestRefused(RefusalKind.NODE_INACTIVE, CLEANED_UP)
        return self._holder, files


def main() -> int:
    return run_node(SceneGraphNode)
