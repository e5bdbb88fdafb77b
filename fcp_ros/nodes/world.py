# SPDX-License-Identifier: Apache-2.0
"""The present state as a domain sees it: the newest scene graph message, converted when needed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from builtin_interfaces.msg import Time

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.nodes.conversions.errors import ConversionError
from fcp_ros.nodes.conversions.scene import graph_from_message
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import Layer, SceneGraph
from fcp_ros.scene.state.to_cset import scene_to_instance

LOOK_EVERY = 0.01
"""Seconds between two looks for the first graph."""


class NoWorld(ValueError):
    """There is no state to reason about; one sentence why and what to do."""


@dataclass(frozen=True)
class WorldState:
    """One state.

    Attributes:
        graph: the scene graph.
        instance: the C-set of the domain's schema that it stands for.
        resources: resource -> level.
        notes: what the mapping guessed or left out.
        stamp: time of the newest observation.
    """

    graph: SceneGraph
    instance: Instance
    resources: Mapping[str, float]
    notes: tuple[str, ...]
    stamp: Time


class World:
    """Keeps the newest scene graph message; thread-safe.

    Receiving is cheap (for subscription callbacks), `state` converts (for worker threads) and
    remembers the result.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._message: Any = None
        self._converted: tuple[Any, Domain, WorldState] | None = None

    def receive(self, message: Any) -> None:
        """Take a SceneGraph message as the newest one."""
        with self._lock:
            self._message = message

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._message = None
            self._converted = None

    @property
    def sequence(self) -> int | None:
        """Sequence number of the newest graph; None where there is none."""
        with self._lock:
            return None if self._message is None else int(self._message.sequence_number)

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
        with self._lock:
            message, converted = self._message, self._converted
        if message is None:
            raise NoWorld(
                "No scene graph has come yet: load one (service load_scene) or publish "
                "scene_graph_update."
            )
        if converted is not None and converted[0] is message and converted[1] is domain:
            return converted[2]
        state = _convert(message, domain)
        with self._lock:
            self._converted = (message, domain, state)
        return state


def _convert(message: Any, domain: Domain) -> WorldState:
    try:
        graph = graph_from_message(message)
        mapped = scene_to_instance(graph, domain.schema, domain.mapping)
    except (ConversionError, SceneError) as error:
        raise NoWorld(f"The scene graph can't be used: {error}") from error
    return WorldState(
        graph, mapped.instance, _resources(graph, domain), mapped.notes, message.header.stamp
    )


def _resources(graph: SceneGraph, domain: Domain) -> dict[str, float]:
    """Levels: an agent's attribute of the resource's name (within its bounds), else the initial."""
    levels = {name: resource.initial for name, resource in domain.resources.items()}
    for agent in reversed(graph.in_layer(Layer.AGENT)):  # the first agent decides
        for name, resource in domain.resources.items():
            value = agent.attributes.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                levels[name] = min(max(float(value), resource.minimum), resource.maximum)
    return levels
