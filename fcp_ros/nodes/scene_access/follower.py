# SPDX-License-Identifier: Apache-2.0
"""Following the scene graph: its newest state, in the words of a domain when one is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from builtin_interfaces.msg import Time

from fcp_ros.binding.label_types import TypeChoice
from fcp_ros.binding.scene_to_state import SceneState, scene_to_instance
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.binding.state_changes import advance_state
from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.garbage import tune_garbage_collection
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.msg import SceneGraph as SceneGraphMessage
from fcp_ros.msg import SceneGraphChange
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.scene_access.message_queue import Arrival, SceneCopy, SceneQueue, Steps
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, SceneError
from fcp_ros.scene.graph.graph import SceneGraph


class NoSceneError(ValueError):
    """There is no scene to reason about; one sentence why, and what to do."""


@dataclass(frozen=True)
class WorldState:
    """The state of the world, as far as the scene graph shows it."""

    scene: SceneState  # The scene graph under the domain
    resources: Mapping[str, float]
    stamp: Time  # Time of the newest observation

    @property
    def graph(self) -> SceneGraph:
        return self.scene.graph

    @property
    def instance(self) -> Instance:
        """The C-set of the domain's schema that the graph stands for."""
        return self.scene.instance

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on places and facts that are not read as the scene graph has them."""
        return self.scene.fact_notes


class SceneFollower:
    """Follows the scene graph; thread-safe.

    Receiving is cheap (for subscription callbacks): messages are put in order and kept. `state`
    applies them and converts the graph (for worker threads), and remembers the result.

    Invariants: `_queue` is touched under `_lock` only, `_copy` and `_converted` under `_converting`
    only. Where both locks are needed, `_converting` is taken first; receiving needs `_lock` alone,
    so that it never waits for a conversion.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # what is waited for may ask for the number
        self._arrived = threading.Condition(self._lock)
        self._converting = threading.Lock()
        self._queue = SceneQueue()
        self._copy = SceneCopy()
        self._converted: tuple[Domain, WorldState] | None = None
        # Asked, and only then loaded, where the domain wants unknown labels compared.
        self._similarity = EmbeddingLabelSimilarity()

    def receive_graph(self, data: bytes) -> bool:
        """Take a serialised SceneGraph; return True if the state is another one now.

        Raises ConversionError if the message is damaged.
        """
        arrival = Arrival.from_graph(data)
        return self._put(arrival)

    def receive_change(self, data: bytes) -> bool:
        """Take a serialised SceneGraphChange; return True if the state is another one now.

        Raises ConversionError if the message is damaged.
        """
        arrival = Arrival.from_change(data)
        return self._put(arrival)

    def _put(self, arrival: Arrival) -> bool:
        with self._lock:
            is_new = self._queue.put(arrival)
            self._arrived.notify_all()
            return is_new

    def clear(self) -> None:
        with self._converting, self._lock:
            self._queue = SceneQueue()
            self._copy = SceneCopy()
            self._converted = None

    @property
    def similarity(self) -> LabelSimilarity:
        return self._similarity

    @property
    def sequence(self) -> int | None:
        with self._lock:
            return self._queue.sequence

    @property
    def gaps(self) -> int:
        """Number of times that changes were missing and a whole graph had to be awaited."""
        with self._lock:
            return self._queue.gaps

    def find_changed_since(self, sequence: int) -> frozenset[str] | None:
        """Return the ids of what changed since the graph of this number; None if not known."""
        with self._lock:
            return self._queue.find_changed_since(sequence)

    def wait_for(self, is_so: Callable[[], bool], timeout: float) -> bool:
        """Wait until something is so, for at most `timeout` s; return False if it is not.

        `is_so` is called after each message and each `wake`; it may ask for the `sequence`, and not
        for a state.
        """
        with self._arrived:
            return self._arrived.wait_for(is_so, timeout)

    def wake(self) -> None:
        """Let all that wait look again, at what no message tells."""
        with self._arrived:
            self._arrived.notify_all()

    def state(self, domain: Domain) -> WorldState:
        """Return the newest state under a domain.

        Raises NoSceneError if no scene graph has come yet, or the newest can't be converted.
        """
        with self._converting:
            steps = self._catch_up()
            converted, self._converted = self._converted, None
            known = converted[1] if converted is not None and converted[0] is domain else None
            graph, stamp = self._copy.graph, self._copy.stamp
            if graph is None:
                raise NoSceneError(
                    "No scene graph has come yet: load one (service load_scene) or publish "
                    "scene_graph_update."
                )
            try:
                if known is None or steps is None:
                    earlier = {} if known is None else known.scene.typing
                    state = _convert(graph, stamp, domain, self._similarity, earlier)
                else:
                    state = _advance(known, steps, stamp, domain)
            except SceneError as error:
                raise NoSceneError(f"The scene graph can't be used: {error}") from error
            self._converted = (domain, state)
            return state

    def graph(self) -> SceneGraph | None:
        """Return the newest graph as it is, without a domain; None before the first.

        Raises NoSceneError if the newest can't be used.
        """
        with self._converting:
            if self._catch_up() != ():
                self._converted = None  # it misses these steps
            return self._copy.graph

    def _catch_up(self) -> Steps | None:
        """Apply what waits, outside of the lock that receiving needs."""
        with self._lock:
            waiting = self._queue.drain()
        try:
            return self._copy.apply(waiting)
        except (ConversionError, SceneError) as error:
            with self._lock:
                self._queue.mark_gap()
            raise NoSceneError(f"The scene graph can't be used: {error}") from error


def _convert(
    graph: SceneGraph,
    stamp: Time,
    domain: Domain,
    similarity: LabelSimilarity,
    earlier: Mapping[str, TypeChoice],
) -> WorldState:
    scene = scene_to_instance(graph, domain.schema, domain.mapping, similarity, earlier)
    tune_garbage_collection(len(graph.nodes))
    return WorldState(scene, _read_resources(graph, domain), stamp)


def _advance(state: WorldState, steps: Steps, stamp: Time, domain: Domain) -> WorldState:
    """Return what `_convert` gives for the graph after the steps, in time of their size."""
    if not steps:
        return state
    scene, before = state.scene, state.graph
    for delta, after in steps:
        scene = advance_state(scene, delta, after)
    same_agents = not any(_is_about_agents(delta, before) for delta, _ in steps)
    resources = state.resources if same_agents else _read_resources(scene.graph, domain)
    return WorldState(scene, resources, stamp)


def _is_about_agents(delta: SceneDelta, before: SceneGraph) -> bool:
    gone = (before.nodes.get(id_) for id_ in delta.removed)
    return any(node is None or node.layer is Layer.AGENT for node in (*delta.upserted, *gone))


def _read_resources(graph: SceneGraph, domain: Domain) -> dict[str, float]:
    """Read levels from agents' attributes of the same names, within bounds; else initial ones."""
    levels = {name: resource.initial for name, resource in domain.resources.items()}
    for agent in reversed(graph.in_layer(Layer.AGENT)):  # the first agent decides
        for name, resource in domain.resources.items():
            value = agent.attributes.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                levels[name] = min(max(float(value), resource.minimum), resource.maximum)
    return levels


def follow_scene(
    node: ManagedNode, follower: SceneFollower, changed: Callable[[], None] = lambda: None
) -> None:
    """Subscribe to ``scene_graph`` and ``scene_changes``; for a node's `configure`.

    `changed`: called when the state is another one.
    """

    def make_receiver(topic: str, receive: Callable[[bytes], bool]) -> Callable[[bytes], None]:
        def receive_safely(data: bytes) -> None:
            try:
                is_new = receive(data)
            except ConversionError as error:
                node.get_logger().warning(f"a message on {topic} was ignored: {error}")
                return
            if is_new:
                changed()

        return receive_safely

    graphs = make_receiver("scene_graph", follower.receive_graph)
    changes = make_receiver("scene_changes", follower.receive_change)
    node.subscribe_state(SceneGraphMessage, "scene_graph", graphs, raw=True)
    node.subscribe_events(SceneGraphChange, "scene_changes", changes, raw=True)
