# SPDX-License-Identifier: Apache-2.0
"""The things that goals at work share: executors, the plans that run, and the world as seen."""

from __future__ import annotations

from collections.abc import Callable

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.execution.dispatch_model import DispatchSettings
from fcp_ros.execution.events import CancelStep, Event, ExecutorLedger, RoomChanged
from fcp_ros.execution.plan_register import PlanRegister, PlansAhead
from fcp_ros.execution.robot_executors import RobotExecutors
from fcp_ros.execution.side_by_side import Claim, MeetingFinder
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.server_clients import StepClients
from fcp_ros.nodes.runtime.domain_parameter import list_executors
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower, WorldState
from fcp_ros.planning.model.request import AbsentExecutor
from fcp_ros.planning.verification.stepping import StepRules


class Fleet:
    """See the module's docstring. All methods belong to the thread of a goal (`GoalThreads`)."""

    def __init__(
        self,
        domain: Domain,
        threads: GoalThreads,
        clients: StepClients,
        scene: SceneFollower,
        # Returns the bounds of the waits; called for each plan
        settings: Callable[[], DispatchSettings],
        robots: RobotExecutors,  # which of them have executors of their own
    ) -> None:
        self.domain = domain
        self.clients = clients
        self.scene = scene
        self.settings = settings
        self.robots = robots
        self.rules = StepRules(domain)
        self.ledger = ExecutorLedger(robots.shared)
        self.plans = PlanRegister(MeetingFinder(domain, robots.shared), self.find_present)
        self.acting: set[tuple[bytes, int]] = set()  # steps that are being done: goal and position
        self._threads = threads
        self._executors = list_executors(domain)
        self.own = robots.list_own(self._executors)
        self._last_seen: WorldState | None = None
        for name in robots.list_names(self._executors):
            clients.prepare(name)

    # --- executors ------------------------------------------------------------------------------

    def find_absent(self, context: GoalContext) -> frozenset[AbsentExecutor]:
        """Find the executors of single robots that can't do a step now.

        A robot that may still be acting on a step of an earlier plan gets none at all. `context`:
        the goal; the wait for the answers about such steps ends at once when it is cancelled.
        """
        self._await_abandoned(context)
        executors = self.ledger.list_abandoned().values()
        busy = {self.own[name].agent for name in executors if name in self.own}
        missing = self.clients.list_missing(self.own, self.settings().executor_wait)
        return frozenset(
            one for name, one in self.own.items() if name in missing or one.agent in busy
        )

    def find_busy(self, context: GoalContext) -> frozenset[AbsentExecutor]:
        """Find the executors of agents that the plans of other goals need, for a plan beside them.

        Those of goals whose place this one takes are free for it.
        """
        busy = self.plans.list_busy(context.key)
        return frozenset(
            AbsentExecutor(agent, executor)
            for other, agents in busy.items()
            if not self._threads.may_preempt(context, other)
            for agent in agents
            for executor in self._executors
        )

    def _await_abandoned(self, context: GoalContext) -> None:
        """Ask robots' executors that are there about the steps that they have not answered for."""
        # The dispatcher asks only those that it has a step for.

        def list_there() -> list[int]:
            abandoned = self.ledger.list_abandoned()
            missing = self.clients.list_missing(self.own, 0.0)
            return [a for a, n in abandoned.items() if n in self.own and n not in missing]

        asked = list_there()
        for attempt in asked:
            self.clients.cancel(attempt)
        if not asked:
            return
        for _ in self._threads.wait_events(context, self.settings().grace_time):
            if context.is_cancelled or not list_there():
                return

    def handle_late(self, event: object) -> None:
        if isinstance(event, Event):
            for command in self.ledger.take_late(event):
                if isinstance(command, CancelStep):
                    self.clients.cancel(command.attempt)

    # --- plans that run -------------------------------------------------------------------------

    def begin(self, key: bytes, claim: Claim, ahead: PlansAhead) -> None:
        """Note that a goal's plan runs from now on, which was made for the end of others."""
        self.plans.begin(key, claim, ahead)
        self._tell_room()

    def note_done(self, key: bytes, index: int) -> None:
        """Note that a step of a goal's plan has succeeded: what it needed is free for others."""
        self.plans.note_done(key, index)
        self._tell_room()

    def leave(self, key: bytes) -> None:
        self.plans.leave(key)
        self._tell_room()

    def _tell_room(self) -> None:
        if self.plans.is_anybody_waiting:
            self._threads.post(RoomChanged(), "room changed")

    # --- the world ------------------------------------------------------------------------------

    def find_present(self) -> Instance | None:
        try:
            return self.see()
        except NoSceneError:
            return None

    def see(self) -> Instance:
        """Return the present state, or the last one while there is none."""
        return self.see_world().instance

    def see_world(self) -> WorldState:
        try:
            self._last_seen = self.scene.state(self.domain)
        except NoSceneError:
            if self._last_seen is None:
                raise
        assert self._last_seen is not None
        return self._last_seen

    def find_state(self) -> WorldState | None:
        try:
            return self.scene.state(self.domain)
        except NoSceneError:
            return None
