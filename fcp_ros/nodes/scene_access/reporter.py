# SPDX-License-Identifier: Apache-2.0
"""Reports changes to the scene graph, as a perception system would, until it shows them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rclpy.node import Node
from rclpy.publisher import Publisher

from fcp_ros.binding.facts_to_scene import delta_from_facts
from fcp_ros.cset import Delta, Instance
from fcp_ros.domain.model import Domain
from fcp_ros.nodes.conversions.scene import ANY_NUMBER, delta_to_ros
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower, WorldState
from fcp_ros.planning.verification.stepping import holds

ECHO_WAIT = 2.0
"""Seconds after which a change that does not show is computed and published again."""


@dataclass(frozen=True)
class ReportResult:
    """True if the scene graph shows the change; else a sentence says why it doesn't."""

    ok: bool
    message: str = ""


class SceneReporter:
    """Publishes changes on ``scene_graph_update``, to be applied to whatever graph there is then.

    Perception may send many updates a second, so a number that fits the graph seen here would
    always be taken already. A change that no longer fits is refused, and computed again on the
    present graph. `node`: node whose clock stamps the updates. `scene`: the newest scene graph.
    """

    def __init__(
        self, node: Node, publisher: Publisher, scene: SceneFollower, domain: Domain
    ) -> None:
        self._node = node
        self._publisher = publisher
        self._scene = scene
        self._domain = domain
        self._closed = False
        self._one_at_a_time = threading.Lock()

    def close(self) -> None:
        """End all reports."""
        self._closed = True
        self._scene.wake()

    def publish_once(self, delta: Delta) -> None:
        """Publish a change of the present graph without waiting for its effect.

        Raises NoSceneError if there is no graph to change.
        """
        self._publish(self._scene.state(self._domain), delta)

    def report(
        self,
        # Returns the change of a state; called again for every newer state
        change: Callable[[WorldState], Delta],
        timeout: float,  # Longest time for all attempts together (s)
        # True ends the attempts early; looked at when the scene wakes
        give_up: Callable[[], bool] = lambda: False,
    ) -> ReportResult:
        until = time.monotonic() + timeout
        published = Delta()
        with self._one_at_a_time:
            while not (self._closed or give_up()):
                try:
                    state = self._scene.state(self._domain)
                    if published and is_shown(state.instance, published):
                        return ReportResult(True)  # it had got through, only slowly
                    published = change(state)
                    if not published or self._publish_and_wait(state, published, until, give_up):
                        return ReportResult(True)
                except NoSceneError as error:
                    return ReportResult(False, str(error))
                if time.monotonic() >= until:
                    break
        return ReportResult(
            False,
            f"The scene graph did not take the update within {timeout:g} s; is the node "
            "scene_graph active?",
        )

    def _publish_and_wait(
        self, state: WorldState, delta: Delta, until: float, give_up: Callable[[], bool]
    ) -> bool:
        self._publish(state, delta)
        echo = min(until, time.monotonic() + ECHO_WAIT)
        seen = state.graph.sequence

        def is_over() -> bool:
            return self._closed or give_up()

        def is_news() -> bool:
            return is_over() or self._scene.sequence != seen

        while self._scene.wait_for(is_news, echo - time.monotonic()) and not is_over():
            now = self._scene.state(self._domain)
            if is_shown(now.instance, delta):
                return True
            if time.monotonic() >= echo:
                return False
            seen = now.graph.sequence
        return False

    def _publish(self, state: WorldState, delta: Delta) -> None:
        states = self._domain.mapping.attribute_facts
        scene_delta = delta_from_facts(state.graph, delta.added, delta.removed, states)
        stamp = self._node.get_clock().now().to_msg()
        message: Any = delta_to_ros(
            replace(scene_delta, sequence=ANY_NUMBER), state.graph.frame_id, stamp
        )
        self._publisher.publish(message)


def is_shown(instance: Instance, delta: Delta) -> bool:
    """Return True if a state holds all that a change adds, and nothing that it removes."""
    return all(holds(fact, instance) for fact in delta.added) and not any(
        holds(fact, instance) for fact in delta.removed
    )
