# SPDX-License-Identifier: Apache-2.0
"""The node ``executive``: executes plans, and achieves goals by planning and executing."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from typing import Any

from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.domain.model import Domain
from fcp_ros.execution.events import WorldChanged
from fcp_ros.execution.policy import ReplanPolicy
from fcp_ros.msg import ActionOutcome, ExecutionState, SceneGraphUpdate
from fcp_ros.nodes.executive.conductor import Conductor
from fcp_ros.nodes.executive.error_codes import GoalError, PlanError
from fcp_ros.nodes.executive.events import Ticket
from fcp_ros.nodes.executive.goal_work import Ended, GoalWork, PlanWork, WorkTools
from fcp_ros.nodes.executive.grounder_link import GrounderLink
from fcp_ros.nodes.executive.inbox import Inbox
from fcp_ros.nodes.executive.parameters import PARAMETERS, dispatch_settings, wait_settings
from fcp_ros.nodes.executive.plan_runner import PlanRunner
from fcp_ros.nodes.executive.planner_link import PlannerLink
from fcp_ros.nodes.executive.reports import GoalReport, state_message
from fcp_ros.nodes.executive.step_clients import StepClients
from fcp_ros.nodes.executive.waiting_room import WaitingRoom
from fcp_ros.nodes.runtime.domain_parameter import configured_domain, executors_of
from fcp_ros.nodes.runtime.goal_end import GoalEnd, end_goal
from fcp_ros.nodes.runtime.lifecycle import Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode, Refusal, RefusalKind
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.scene_access.follower import SceneFollower, follow_scene
from fcp_ros.nodes.scene_access.reporter import SceneReporter

LOOK = 1.0
"""Seconds after which a goal's thread looks round again while the executive works on it."""

STOP_MARGIN = 2.0
"""Seconds beyond the grace time for the present goal to end when the node is deactivated."""


class ExecutiveNode(ManagedNode):
    """Executes plans, one at a time.

    Actions ``execute_plan`` (ExecutePlan) and ``achieve_goal`` (AchieveGoal). A goal that does not
    succeed ends as aborted or canceled, with an error code and one sentence; a second goal while
    one is going on is aborted with BUSY.
    Action clients of ``make_plan`` (MakePlan) and of the executors that the domain names
    (ExecuteStep). Client of the service ``calibration`` (GetCalibration): before it plans anew it
    waits, with a bound, until the grounder has learnt from the failed step.
    Subscribes to ``scene_graph`` (SceneGraph, latched) and ``scene_changes`` (SceneGraphChange,
    events). Publishes ``outcomes`` (ActionOutcome, events; once for each step that was tried),
    ``execution_state`` (ExecutionState, latched), and with the parameter trust_executors also
    ``scene_graph_update`` (SceneGraphUpdate, events).
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("executive", PARAMETERS, **kwargs)
        self._scene = SceneFollower()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._tickets: dict[bytes, Ticket] = {}
        self._domain: Domain | None = None
        self._inbox: Inbox[Any] | None = None
        self._conductor: Conductor | None = None
        self._step_clients: StepClients | None = None
        self._planner_link: PlannerLink | None = None
        self._grounder_link: GrounderLink | None = None
        self._reporter: SceneReporter | None = None
        self._outcomes: Any = None
        self._states: Any = None
        for action, name in ((ExecutePlan, "execute_plan"), (AchieveGoal, "achieve_goal")):
            self.offer_action(
                action, name, self._execute, accepted=self._accept, cancel=self._cancel
            )

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        """Read the domain; make topics, clients and the thread."""
        domain = configured_domain(
            self.parameters.text("domain"), self.parameters.texts("type_overrides")
        )
        inbox: Inbox[Any] = Inbox()
        self._domain, self._inbox = domain, inbox
        self._outcomes = self.publish_events(ActionOutcome, "outcomes")
        self._states = self.publish_state(ExecutionState, "execution_state")
        updates = self.publish_events(SceneGraphUpdate, "scene_graph_update")
        self._reporter = SceneReporter(self, updates, self._scene, domain)
        self._step_clients = StepClients(self, inbox.post)
        for executor in executors_of(domain):
            self._step_clients.prepare(executor)
        self._planner_link = PlannerLink(self, inbox.post)
        self._grounder_link = GrounderLink(self, inbox.post)
        runner = PlanRunner(
            domain,
            inbox,
            self._step_clients,
            self._scene,
            self._reporter,
            lambda: dispatch_settings(self.parameters),
        )
        waiting = WaitingRoom(
            inbox, self._planner_link, self._grounder_link, self._scene, runner.late
        )

        def serve(ticket: Ticket) -> tuple[GoalEnd, Any]:
            tools = WorkTools(domain, runner, waiting, wait_settings(self.parameters))
            return self._serve(ticket, tools)

        self._conductor = Conductor(inbox, serve, runner.late)
        follow_scene(self, self._scene, self._world_changed)

    def activate(self) -> None:
        """Say that there is nothing to do yet."""
        self._states.publish(state_message(self, ExecutionState.IDLE, "Waiting for a goal."))

    def deactivate(self) -> None:
        """End the present goal, and wait for that (bounded)."""
        if self._conductor is None:
            return
        ticket = self._conductor.interrupt("The node was deactivated.")
        if ticket is not None:
            ticket.done.wait(self.parameters.number("grace_time") + STOP_MARGIN)

    def release(self) -> None:
        """Destroy thread, clients and topics, forget the world."""
        conductor, self._conductor = self._conductor, None
        if conductor is not None and not conductor.close(STOP_MARGIN):
            self.get_logger().warning("the executive's thread has not ended and is left behind")
        for part in (self._step_clients, self._planner_link, self._grounder_link, self._reporter):
            if part is not None:
                part.close()
        self._step_clients = self._planner_link = self._grounder_link = self._reporter = None
        super().release()
        self._scene.clear()
        self._domain = self._inbox = self._outcomes = self._states = None

    def diagnose(self) -> Diagnosis:
        """Whether a goal is going on."""
        conductor = self._conductor
        busy = conductor is not None and conductor.is_busy
        sequence = self._scene.sequence
        return Diagnosis(
            values={"busy": busy, "scene_sequence_number": "none" if sequence is None else sequence}
        )

    def _world_changed(self) -> None:
        if self._reporter is not None:
            self._reporter.notice()
        if self._inbox is not None:
            self._inbox.post(WorldChanged(), "world changed")

    # --- goals ----------------------------------------------------------------------------------

    def _accept(self, goal: ServerGoalHandle) -> None:
        ticket = Ticket(next(self._numbers), goal)
        with self._lock:
            self._tickets[ticket.key] = ticket
        goal.execute()

    def _cancel(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            ticket = self._tickets.get(bytes(goal.goal_id.uuid))
        conductor = self._conductor
        if ticket is not None:
            ticket.cancelled.set()
            if conductor is not None:
                conductor.cancel(ticket)

    def _execute(self, goal: ServerGoalHandle) -> Any:
        """Hand a goal to the executive's thread, and wait here until it is done with it."""
        with self._lock:
            ticket = self._tickets[bytes(goal.goal_id.uuid)]
        try:
            refusal = self._begin(ticket) or self._await(ticket)
            if refusal is not None:
                end_goal(goal, GoalEnd.ABORTED)
                return _refused(goal.request, refusal)
            end_goal(goal, ticket.end)
            return ticket.result
        finally:
            with self._lock:
                self._tickets.pop(ticket.key, None)

    def _begin(self, ticket: Ticket) -> Refusal | None:
        refusal = self.refusal()
        conductor = self._conductor
        if refusal is not None or conductor is None:
            return refusal or Refusal(RefusalKind.INACTIVE, "The node is being cleaned up.")
        if not conductor.submit(ticket):
            text = "Another goal is being executed: wait for its end, or cancel it."
            return Refusal(RefusalKind.BUSY, text)
        if not self.is_active:  # deactivated this very moment: it has not seen this goal
            conductor.interrupt("The node was deactivated.")
        return None

    def _await(self, ticket: Ticket) -> Refusal | None:
        """Wait for the executive's thread; each of its waits has a bound, so this has one too."""
        conductor = self._conductor
        while not ticket.done.wait(LOOK):
            if conductor is not None and not conductor.is_alive:
                break
        if ticket.result is None:
            return Refusal(RefusalKind.INTERNAL, "The executive's thread has failed; see the log.")
        return None

    def _serve(self, ticket: Ticket, tools: WorkTools) -> tuple[GoalEnd, Any]:
        """Work on a goal; called in the executive's thread."""
        whole = {chunk.name for chunk in tools.domain.chunks.values() if chunk.graded}
        report = GoalReport(self, ticket, self._outcomes, self._states, whole)
        work: PlanWork | GoalWork
        if isinstance(ticket.goal.request, ExecutePlan.Goal):
            work = PlanWork(tools, ticket, report)
            code: PlanError | GoalError = PlanError.INTERNAL_ERROR
        else:
            wanted = ticket.goal.request.max_replans
            most = wanted if wanted >= 0 else self.parameters.integer("max_replans")
            work = GoalWork(tools, ticket, report, ReplanPolicy(most))
            code = GoalError.INTERNAL_ERROR
        try:
            return work.run()
        except Exception as error:
            sentence = self.internal_fault("executing a goal", error).sentence
            return work.finish(Ended(GoalEnd.ABORTED, code, sentence))


def _refused(request: Any, refusal: Refusal) -> Any:
    is_plan = isinstance(request, ExecutePlan.Goal)
    errors = PlanError if is_plan else GoalError
    codes = {
        RefusalKind.INACTIVE: errors.NODE_INACTIVE,
        RefusalKind.BUSY: errors.BUSY,
        RefusalKind.INTERNAL: errors.INTERNAL_ERROR,
    }
    result_type = (ExecutePlan if is_plan else AchieveGoal).Result
    return result_type(error_code=int(codes[refusal.kind]), error_msg=refusal.sentence)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node alone."""
    return run_node(ExecutiveNode, args)
