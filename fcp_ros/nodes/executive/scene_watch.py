# SPDX-License-Identifier: Apache-2.0
"""The executive's watch over the scene graph: is it kept up to date, and when will it be again?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rclpy.node import Node

from fcp_ros.execution.events import SceneFound, SceneLost
from fcp_ros.nodes.calls.service_call import ServerMonitor, ServerWatch
from fcp_ros.nodes.executive.thread import ExecutiveThread, GoalContext
from fcp_ros.nodes.scene_access.owner import SceneOwner


@dataclass(frozen=True)
class SceneNews:
    """Event: the scene graph was lost, or is kept again; `SceneWatch.look` tells which."""


class SceneWatch:
    """Tells, in the executive's thread, when the scene graph is lost and when it is back.

    `thread`: gets a `SceneNews` at each change. `owner`: knows if the scene graph is kept up to
    date.
    """

    def __init__(self, node: Node, thread: ExecutiveThread, owner: SceneOwner) -> None:
        self._thread = thread
        self._owner = owner
        self._monitor = ServerMonitor(node)
        self._is_lost = False

    def begin(self) -> None:
        """Begin to watch; what is wrong already is told by the first `look`."""
        self._is_lost = False
        self._arm()

    def look(self) -> SceneLost | SceneFound | None:
        """Return the change since the last look; None without one."""
        problem = self._owner.find_problem()
        if bool(problem) == self._is_lost:
            return None
        self._is_lost = bool(problem)
        self._arm()
        return SceneLost(problem) if problem else SceneFound()

    def end(self) -> None:
        """End the watch."""
        self._monitor.unwatch()

    def await_owner(
        self, context: GoalContext, seconds: float, report: Callable[[str], None]
    ) -> str:
        """Wait until the scene graph is kept up to date.

        `context`: the goal; the wait ends at once when it is cancelled. `report`: gets the reason
        for the wait. Returns a sentence why it is still stale; "" if it is not.
        """
        problem = self._owner.find_problem()
        if not problem or context.is_cancelled:
            return problem
        report(problem)
        self._is_lost = True
        self._arm()
        try:
            for _ in self._thread.wait_events(seconds):
                problem = self._owner.find_problem()
                if not problem or context.is_cancelled:
                    return problem
            return self._owner.find_problem()
        finally:
            self.end()

    def close(self) -> None:
        """Destroy the timer."""
        self._monitor.close()

    def _arm(self) -> None:
        watch = ServerWatch(
            lambda: self._owner.is_lost,
            not self._is_lost,
            lambda: self._thread.events.post(SceneNews(), "scene news"),
        )
        self._monitor.watch("scene", watch)
