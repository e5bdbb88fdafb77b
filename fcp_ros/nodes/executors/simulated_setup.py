# SPDX-License-Identifier: Apache-2.0
"""Parts of executors of simulated worlds: common parameters, and the scene graph they change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.executors.step_threads import StepThreads
from fcp_ros.nodes.runtime.domain_parameter import DOMAIN, TYPE_OVERRIDES
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import DOMAIN_FOLDERS, ParameterSpec, TakesEffect
from fcp_ros.nodes.scene_access.follower import SceneFollower, follow_scene

COMMON_PARAMETERS = (
    DOMAIN,
    DOMAIN_FOLDERS,
    TYPE_OVERRIDES,
    ParameterSpec("seed", 0, "Seed of all random draws.", minimum=0, maximum=2**31),
    ParameterSpec(
        "steps_at_once",
        1,
        "How many steps each executor performs at the same time, of several robots; the executive "
        "has to know of more than one (shared_executors).",
        minimum=1,
        maximum=64,
    ),
    ParameterSpec(
        "report_timeout",
        10.0,
        "Longest time until the scene graph shows what a step changed [s].",
        minimum=0.1,
        maximum=600.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
)


class WatchedScene:
    """The scene graph of a node: followed, changed by updates, and waited for.

    `changed` is called when it is another one, before those who wait look again.
    """

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self.follower = SceneFollower()
        self._newer = threading.Condition()
        self._changed = changed

    @property
    def sequence(self) -> int | None:
        return self.follower.sequence

    def open(self, node: ManagedNode) -> Any:
        """Follow the scene graph; for a node's `configure`. Returns the publisher of updates."""
        publisher = node.publish_events(SceneGraphUpdate, "scene_graph_update")
        follow_scene(node, self.follower, self.wake)
        return publisher

    def wake(self) -> None:
        self._changed()
        with self._newer:
            self._newer.notify_all()

    def wait_for(self, is_so: Callable[[], bool], timeout: float) -> bool:
        """Wait until something is so, for at most `timeout` s; return False if it is not."""
        with self._newer:
            return self._newer.wait_for(is_so, timeout)

    def describe(self, steps: StepThreads | None) -> Mapping[str, object]:
        return {
            "performing": "" if steps is None else steps.describe(),
            "scene_sequence_number": "none" if self.sequence is None else self.sequence,
        }
