# SPDX-License-Identifier: Apache-2.0
"""The present state as a domain sees it: whole scene graphs and changes, converted when needed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from builtin_interfaces.msg import Time

from fcp_ros.binding.scene_to_state import SceneState, scene_to_instance
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.binding.state_changes import advance_state
from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.garbage import tune_garbage_collection
from fcp_ros.grounding.embedding.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.nodes.conversions.errors import ConversionError
from fcp_ros.nodes.conversions.scene_wire_glance import glance_at_change, glance_at_graph
from fcp_ros.nodes.scene_access.follower import SceneCopy, SceneQueue, Steps
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph

LOOK_EVERY = 0.01
"""Seconds between two looks for the first graph."""


class NoWorld(ValueError):
    """There is no state to reason about; one sentence why and what to do."""


@dataclass(frozen=True)
class WorldState:
    """One state.

    Attributes:
        scene: the scene graph under the domain.
        resources: resource -> level.
        stamp: time of the newest observation.
    """

    scene: SceneState
    resources: Mapping[str, float]
    stamp: Time

    @property
    def graph(self) -> SceneGraph:
        """The scene graph."""
        return self.scene.graph

    @property
    def instance(self) -> Instance:
        """The C-set of the domain's schema that the graph stands for."""
        return self.scene.instance

    @property
    def notes(self) -> tuple[str, ...]:
        """What the mapping guessed or left out."""
        return self.scene.notes


class World:
    """Follows the scene graph; thread-safe.

    Receiving is cheap (for subscription callbacks): the bytes of a message are looked into and
    kept. `state` brings the graph up to date and converts it (for worker threads), and remembers
    the result.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._converting = threading.Lock()
        self._queue = SceneQueue()
        self._copy = SceneCopy()
        self._converted: tuple[Domain, WorldState] | None = None
        # Asked, and only then loaded, where the domain wants unknown labels compared.
        self._similarity = EmbeddingLabelSimilarity()

    def receive_graph(self, data: bytes) -> bool:
        """Take in a serialised SceneGraph; whether the state is another one now.

        Raises:
            ConversionError: the message is damaged.
        """
        glance = glance_at_graph(data)
        with self._lock:
            return self._queue.take_graph(glance, data)

    def receive_change(self, data: bytes) -> bool:
        """Take in a serialised SceneGraphChange; whether the state is another one now.

        Raises:
            ConversionError: the message is damaged.
        """
        glance = glance_at_change(data)
        with self._lock:
            return self._queue.take_change(glance, data)

    def clear(self) -> None:
        """Forget everything."""
        with self._converting, self._lock:
            self._queue = SceneQueue()
            self._copy = SceneCopy()
            self._converted = None

    @property
    def sequence(self) -> int | None:
        """Sequence number of the newest graph; None where there is none."""
        with self._lock:
            return self._queue.sequence

    @property
    def gaps(self) -> int:
        """How often changes were missing, and the next whole graph had to be waited for."""
        with self._lock:
            return self._queue.gaps

    def changed_since(self, sequence: int) -> frozenset[str] | None:
        """Ids of what changed since the graph of this number; None: nobody knows, maybe all."""
        with self._lock:
            return self._queue.changed_since(sequence)

    def wait_for_first(self, timeout: float, cancelled: Callable[[], bool]) -> bool:
        """Wait at most `timeout` s, or until cancelled, for a graph; whether there is one."""
        end = time.monotonic() + timeout
        while self.sequence is None:
            if cancelled() or time.monotonic() >= end:
                return False
            time.sleep(LOOK_EVERY)
        return True

    def state(self, domain: Domain) -> WorldState:
        """The newest state under a domain.

        Raises:
            NoWorld: no scene graph has come yet, or the newest can't be converted.
        """
        with self._converting:
            steps = self._catch_up()
            converted, self._converted = self._converted, None
            known = converted[1] if converted is not None and converted[0] is domain else None
            graph, stamp = self._copy.graph, self._copy.stamp
            if graph is None:
                raise NoWorld(
                    "No scene graph has come yet: load one (service load_scene) or publish "
                    "scene_graph_update."
                )
            try:
                if known is None or steps is None:
                    state = _converted(graph, stamp, domain, self._similarity)
                else:
                    state = _advanced(known, steps, stamp, domain)
            except SceneError as error:
                raise NoWorld(f"The scene graph can't be used: {error}") from error
            self._converted = (domain, state)
            return state

    def _catch_up(self) -> Steps | None:
        """Apply what waits, outside of the lock that receiving needs."""
        with self._lock:
            waiting = self._queue.drain()
        try:
            return self._copy.apply(waiting)
        except (ConversionError, SceneError) as error:
            with self._lock:
                self._queue.lose()
            raise NoWorld(f"The scene graph can't be used: {error}") from error


def _converted(
    graph: SceneGraph, stamp: Time, domain: Domain, similarity: LabelSimilarity
) -> WorldState:
    scene = scene_to_instance(graph, domain.schema, domain.mapping, similarity)
    tune_garbage_collection(len(graph.nodes))
    return WorldState(scene, _resources(graph, domain), stamp)


def _advanced(state: WorldState, steps: Steps, stamp: Time, domain: Domain) -> WorldState:
    """What `_converted` gives for the graph after the steps, in time of their size."""
    if not steps:
        return state
    scene, before = state.scene, state.graph
    for delta, after in steps:
        scene = advance_state(scene, delta, after)
    same_agents = not any(_is_about_agents(delta, before) for delta, _ in steps)
    resources = state.resources if same_agents else _resources(scene.graph, domain)
    return WorldState(scene, resources, stamp)


def _is_about_agents(delta: SceneDelta, before: SceneGraph) -> bool:
    gone = (before.nodes.get(id_) for id_ in delta.removed)
    return any(node is None or node.layer is Layer.AGENT for node in (*delta.upserted, *gone))


def _resources(graph: SceneGraph, domain: Domain) -> dict[str, float]:
    """Levels: an agent's attribute of the resource's name (within its bounds), else the initial."""
    levels = {name: resource.initial for name, resource in domain.resources.items()}
    for agent in reversed(graph.in_layer(Layer.AGENT)):  # the first agent decides
        for name, resource in domain.resources.items():
            value = agent.attributes.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                levels[name] = min(max(float(value), resource.minimum), resource.maximum)
    return levels
