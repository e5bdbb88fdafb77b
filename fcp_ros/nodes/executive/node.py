# SPDX-License-Identifier: Apache-2.0
"""The node ``executive``: executes plans, and achieves goals by planning and executing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.alignment.name_book import NameBook
from fcp_ros.execution.dispatch_model import ReplanPolicy
from fcp_ros.execution.events import WorldChanged
from fcp_ros.foundation.sqlite_file import DatabaseFileError
from fcp_ros.grounding.calibration.store import locate_store
from fcp_ros.grounding.options import EvidenceOrigin
from fcp_ros.msg import ActionOutcome, ExecutionState, NameProposals, PlanStatus, SceneGraphUpdate
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.nodes.executive.goals import Conclusion, ExecutiveParts, GoalAchievement, PlanExecution
from fcp_ros.nodes.executive.outcome_delivery import OutcomeDelivery, OutcomeJournal
from fcp_ros.nodes.executive.parameters import (
    PARAMETERS,
    GoalError,
    PlanError,
    make_dispatch_settings,
    make_wait_settings,
)
from fcp_ros.nodes.executive.plan_runner import PlanRunner
from fcp_ros.nodes.executive.reports import GoalReport, ReportChannels, make_state
from fcp_ros.nodes.executive.server_clients import ACTION, PlannerClient, StepClients
from fcp_ros.nodes.executive.standing_wish import OpenQuestions
from fcp_ros.nodes.executive.thread import ExecutiveThread, GoalContext, ThreadClosed
from fcp_ros.nodes.executive.watches import NameWatch, SceneWatch
from fcp_ros.nodes.runtime.domain_parameter import (
    choose_world,
    list_executors,
    load_configured_domain,
)
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import GoalEnd, ManagedNode, end_goal
from fcp_ros.nodes.runtime.qos import event_qos, state_qos
from fcp_ros.nodes.runtime.request_checks import (
    CLEANED_UP,
    RefusalKind,
    RequestRefusal,
    RequestRefused,
)
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import Job, JobCancelled, WorkerClosed
from fcp_ros.nodes.scene_access.follower import SceneFollower, follow_scene
from fcp_ros.nodes.scene_access.owner import SceneOwner
from fcp_ros.nodes.scene_access.reporter import SceneReporter
from fcp_ros.srv import AnswerQuestion, SettleName

GoalResult = tuple[GoalEnd, Any]
"""The end of a goal, and its result message."""

STOP_MARGIN = 2.0
"""Seconds for the thread to end when the node is cleaned up; it waits for nothing then."""


class ExecutiveNode(ManagedNode):
    """Executes plans, one at a time.

    Actions ``execute_task_plan`` (ExecutePlan) and ``achieve_goal`` (AchieveGoal). A goal that does
    not succeed ends as aborted or canceled, with an error code and one sentence; a second goal
    while there is one is aborted with BUSY. Service ``answer_question`` (AnswerQuestion): answers
    the question that a goal of ``achieve_goal`` asks by feedback and ``execution_state``. Service
    ``settle_name`` (SettleName): says if a name of perception on ``name_proposals`` is one of the
    domain.
    Action clients of ``make_plan`` (MakePlan) and of the executors that the domain names
    (ExecuteStep). Client of the service ``record_outcomes`` (RecordOutcomes): outcomes are handed
    to the grounder until it confirms them, and before it replans the executive waits, with a bound,
    until the grounder has confirmed that of the failed step.
    Subscribes to ``scene_graph`` (SceneGraph, latched) and ``scene_changes`` (SceneGraphChange,
    events). Publishes ``outcomes`` (ActionOutcome, events; once for each step that was tried),
    ``execution_state`` (ExecutionState, latched), ``plan_in_execution`` (Plan, latched; feedback
    and states refer to it by its id), ``name_proposals`` (NameProposals, latched; effects that
    arrived under a name that the domain does not have), and with the parameter trust_executors also
    ``scene_graph_update`` (SceneGraphUpdate, events).

    A goal's life: rclpy accepts it (`_accept` makes its `GoalContext`), its coroutine hands it to
    the `ExecutiveThread` and awaits the job's end; only that coroutine ends the goal at the action
    server. Threads and locks: see the package's docstring.

    A deactivation asks the current goal to end and waits for nothing. Its step gets the grace time
    to stop, and its outcome is published even though the node is inactive by then.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("executive", PARAMETERS, **kwargs)
        self._scene = SceneFollower()
        self._lock = threading.Lock()
        self._contexts: dict[bytes, GoalContext] = {}  # under the lock
        self._thread: ExecutiveThread | None = None
        self._parts: ExecutiveParts | None = None
        self._reporter: SceneReporter | None = None
        self._opened: list[Any] = []  # to be closed by `release`, also of a half-done configure
        self._delivery: OutcomeDelivery | None = None
        self._owner: SceneOwner | None = None
        self._planner: PlannerClient | None = None
        self._step_clients: StepClients | None = None
        self._outcomes: Any = None
        self._states: Any = None
        self._plans: Any = None
        self._names: NameWatch | None = None
        self.offer_service(AnswerQuestion, "answer_question", self._answer, once=True)
        self.offer_service(SettleName, "settle_name", self._settle_name, once=True)
        for action, name in ((ExecutePlan, "execute_task_plan"), (AchieveGoal, "achieve_goal")):
            self.offer_action(
                action, name, self._execute, accepted=self._accept, cancel=self._cancel
            )

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        """Read the domain; make topics, clients and the thread."""
        domain = load_configured_domain(
            self.parameters.file("domain"), self.parameters.texts("type_overrides")
        )
        self._outcomes = self.publish_to_the_end(ActionOutcome, "outcomes", event_qos())
        self._states = self.publish_to_the_end(ExecutionState, "execution_state", state_qos())
        self._plans = self.publish_state(PlanMessage, "plan_in_execution")
        updates = self.publish_events(SceneGraphUpdate, "scene_graph_update")
        reporter = self._reporter = SceneReporter(self, updates, self._scene, domain)
        thread = self._thread = ExecutiveThread(lambda event: runner.handle_late(event))
        clients = self._step_clients = StepClients(self, thread.events.post)
        planner = self._planner = PlannerClient(self, thread)
        backlog = self.parameters.integer("outcome_backlog")
        owner = self._owner = SceneOwner(self, self._scene)
        scene_watch = SceneWatch(self, thread, owner)
        delivery = self._delivery = OutcomeDelivery(
            self, self._outcomes, thread, backlog, self._open_journal()
        )
        names = self._names = NameWatch(
            domain,
            self._open_names(),
            self.publish_state(NameProposals, "name_proposals"),
            lambda: self.get_clock().now().to_msg(),
            self.get_logger().warning,
        )
        self._opened = [clients, planner, delivery, reporter, names, scene_watch, owner]
        for executor in list_executors(domain):
            clients.prepare(executor)
        runner = PlanRunner(
            domain,
            thread,
            clients,
            self._scene,
            reporter,
            lambda: make_dispatch_settings(self.parameters),
            names,
            scene_watch,
            self.parameters.texts("shared_executors"),
        )
        self._parts = ExecutiveParts(
            domain,
            thread,
            runner,
            planner,
            delivery,
            OpenQuestions(thread),
            names,
            scene_watch,
            lambda: make_wait_settings(self.parameters),
        )
        follow_scene(self, self._scene, self._on_scene_changed)

    def _open_journal(self) -> OutcomeJournal | None:
        path = self._locate("outcome_journal")
        try:
            return None if path is None else OutcomeJournal(path)
        except DatabaseFileError as error:
            raise ConfigureError(f"outcome_journal: {error}") from error

    def _open_names(self) -> NameBook:
        """Open the names of perception that were noticed by this robot in this world."""
        try:
            return NameBook(self._locate("name_store"))
        except DatabaseFileError as error:
            raise ConfigureError(f"name_store: {error}") from error

    def _locate(self, parameter: str) -> Path | None:
        """Return the file of a parameter, for this robot in this world; None if it is empty."""
        pattern = self.parameters.text(parameter)
        if not pattern:
            return None
        simulated_time = bool(self.get_parameter("use_sim_time").value)
        world = choose_world(self.parameters, simulated_time=simulated_time)
        return locate_store(pattern, EvidenceOrigin(self.get_namespace().strip("/"), world))

    def activate(self) -> None:
        """Publish that there is no goal yet, and the names that are known."""
        if self._names is not None:
            self._names.publish()
        self._states.publish(make_state(self, ExecutionState.IDLE, "Waiting for a goal."))

    def deactivate(self) -> None:
        """Ask the current goal to end."""
        if self._thread is not None:
            self._thread.interrupt("The node was deactivated.")

    def release(self) -> None:
        """Destroy thread, clients and topics; forget the scene."""
        thread, self._thread = self._thread, None
        if thread is not None and not thread.close(STOP_MARGIN):
            self.get_logger().warning("the executive's thread has not ended and is left behind")
        opened, self._opened = self._opened, []
        for part in opened:
            part.close()
        self._parts = self._reporter = self._delivery = self._step_clients = self._names = None
        self._owner = self._planner = None
        super().release()
        self._scene.clear()
        self._outcomes = self._states = self._plans = None

    def diagnose(self) -> Diagnosis:
        """Report what hinders goals: a stale scene graph, doubles, missing nodes; and the load."""
        thread, sequence, delivery = self._thread, self._scene.sequence, self._delivery
        names, counts = self._names, {} if delivery is None else delivery.values()
        open_names = [] if names is None else [str(one) for one in names.waiting]
        errors, missing = self._find_hindrances()
        warnings = [f"nobody answers under {', '.join(missing)}"] if missing else []
        if delivery is not None and delivery.journal_problem:
            warnings.append(delivery.journal_problem)
        elif lost := counts.get("lost_outcomes", 0):
            warnings.append(f"{lost} outcomes were given up: no grounder confirms them")
        if open_names:
            choices = "; ".join(open_names)
            warnings.append(f"perception may use other names, answer settle_name: {choices}")
        if names is not None and names.note:
            warnings.append(names.note)
        level = DiagnosticStatus.WARN if warnings else DiagnosticStatus.OK
        return Diagnosis(
            DiagnosticStatus.ERROR if errors else level,
            "; ".join([*errors, *warnings]),
            {
                "busy": thread is not None and thread.is_busy,
                "scene_sequence_number": "none" if sequence is None else sequence,
                "missing": ", ".join(missing),
                "open_names": len(open_names),
                **counts,
            },
        )

    def _find_hindrances(self) -> tuple[list[str], list[str]]:
        """Find what keeps goals from being worked on, and the servers that are not there."""
        owner, clients, planner = self._owner, self._step_clients, self._planner
        if owner is None or clients is None or planner is None or self._delivery is None:
            return [], []
        stale = owner.find_problem()
        doubled, executors = clients.list_problems()
        errors = [*([stale] if stale else []), *doubled]
        missing = [] if planner.is_there else [ACTION]
        missing += [] if self._delivery.is_served else ["record_outcomes (the grounder)"]
        return errors, missing + executors

    def _on_scene_changed(self) -> None:
        if self._reporter is not None:
            self._reporter.notice()
        if self._thread is not None:
            self._thread.events.post(WorldChanged(), "scene changed")

    # --- questions ----------------------------------------------------------------------------

    def _answer(self, request: Any, response: Any) -> Any:
        parts = self._parts
        if parts is None:
            raise RequestRefused(RefusalKind.NODE_INACTIVE, CLEANED_UP)
        problem = parts.questions.answer(request.id, request.choice)
        if problem:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, problem)
        response.success = True
        response.message = "The goal goes on with this answer."
        return response

    def _settle_name(self, request: Any, response: Any) -> Any:
        names = self._names
        if names is None:
            raise RequestRefused(RefusalKind.NODE_INACTIVE, CLEANED_UP)
        places = [int(place) for place in request.places]
        response.message = names.settle(request.source, request.target, request.answer, places)
        response.success = True
        return response

    # --- goals (in rclpy's threads) -------------------------------------------------------------

    def _accept(self, goal: ServerGoalHandle) -> None:
        context = GoalContext(goal)
        with self._lock:
            self._contexts[context.key] = context
        goal.execute()

    def _cancel(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            context = self._contexts.get(bytes(goal.goal_id.uuid))
        if context is not None:
            context.token.cancel()  # counts even if the goal has not reached the thread yet
            if self._thread is not None:
                self._thread.wake()

    async def _execute(self, goal: ServerGoalHandle) -> Any:
        """Hand a goal to the executive's thread, and await its end."""
        with self._lock:
            context = self._contexts[bytes(goal.goal_id.uuid)]
        try:
            job = self._submit(context)
            end, result = job if isinstance(job, tuple) else await self._await(job, goal.request)
            end_goal(goal, end)
            return result
        finally:
            with self._lock:
                self._contexts.pop(context.key, None)

    def _submit(self, context: GoalContext) -> Job[GoalResult] | GoalResult:
        """Return the job that works on a goal, or the result of a goal that is refused."""
        thread, parts, request = self._thread, self._parts, context.goal.request
        refusal = self.refusal(request)
        if refusal is not None:
            return _refuse(request, refusal)
        if thread is None or parts is None:
            return _refuse(request, RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP))
        assert self._step_clients is not None, "it is made and closed with the parts"
        if doubled := self._step_clients.find_executives():
            return _abort(request, "NAME_CONFLICT", doubled)
        try:
            job = thread.submit(context, lambda: self._work(context, parts))
        except WorkerClosed:
            return _refuse(request, RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP))
        if job is None:
            text = "Another goal is being executed: wait for its end, or cancel it."
            return _refuse(request, RequestRefusal(RefusalKind.BUSY, text))
        if not self.is_active:  # deactivated this very moment, before it could see this goal
            thread.interrupt("The node was deactivated.")
        return job

    async def _await(self, job: Job[GoalResult], request: Any) -> GoalResult:
        """Await a job's end; bounded because each wait in the thread has a bound."""
        try:
            return cast(GoalResult, await self.await_answer(job.answer))
        except JobCancelled:
            return _refuse(request, RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP))
        except Exception as error:
            return _refuse(request, self.internal_fault("executing a goal", error))

    # --- goals (in the executive's thread) ------------------------------------------------------

    def _work(self, context: GoalContext, parts: ExecutiveParts) -> GoalResult:
        whole = {chunk.name for chunk in parts.domain.chunks.values() if chunk.graded}
        assert self._step_clients is not None, "a goal is ended before they are closed"
        channels = ReportChannels(
            parts.delivery.send, self._states, self._plans, self._step_clients.is_simulated
        )
        report = GoalReport(self, context, channels, whole)
        run: PlanExecution | GoalAchievement
        if isinstance(context.goal.request, ExecutePlan.Goal):
            run = PlanExecution(parts, context, report)
            code: PlanError | GoalError = PlanError.INTERNAL_ERROR
            inactive: PlanError | GoalError = PlanError.NODE_INACTIVE
        else:
            wanted = context.goal.request.max_replans
            most = wanted if wanted >= 0 else self.parameters.integer("max_replans")
            run = GoalAchievement(parts, context, report, ReplanPolicy(most))
            code, inactive = GoalError.INTERNAL_ERROR, GoalError.NODE_INACTIVE
        try:
            return run.run()
        except ThreadClosed:
            return run.conclude(Conclusion(GoalEnd.ABORTED, inactive, CLEANED_UP))
        except Exception as error:
            sentence = self.internal_fault("executing a goal", error).sentence
            return run.conclude(Conclusion(GoalEnd.ABORTED, code, sentence))


def _refuse(request: Any, refusal: RequestRefusal) -> GoalResult:
    """Return the end and the result of a goal that is not worked on."""
    code = refusal.kind.name
    is_plan = isinstance(request, ExecutePlan.Goal)
    if refusal.kind is RefusalKind.INVALID_REQUEST:
        code = "INVALID_PLAN" if is_plan else "PLANNING_FAILED"
    end, result = _abort(request, code, refusal.sentence)
    if refusal.kind is RefusalKind.INVALID_REQUEST and not is_plan:
        result.plan_result.status.code = PlanStatus.INVALID_REQUEST
        result.plan_result.status.message = refusal.sentence
    return end, result


def _abort(request: Any, code: str, sentence: str) -> GoalResult:
    """Return the same for the name of a code that both actions have."""
    is_plan = isinstance(request, ExecutePlan.Goal)
    errors = PlanError if is_plan else GoalError
    result_type = (ExecutePlan if is_plan else AchieveGoal).Result
    return GoalEnd.ABORTED, result_type(error_code=int(errors[code]), error_msg=sentence)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node alone."""
    return run_node(ExecutiveNode, args)
