# SPDX-License-Identifier: Apache-2.0
"""The node ``executive``: executes plans, and achieves goals by planning and executing."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, cast

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import AchieveGoal, ExecutePlan
from fcp_ros.alignment.name_book import NameBook
from fcp_ros.execution.dispatch_model import ReplanPolicy
from fcp_ros.execution.events import WorldChanged
from fcp_ros.execution.goal_conflicts import ConflictFinder
from fcp_ros.execution.goal_queue import Admission
from fcp_ros.foundation.sqlite_file import DatabaseFileError
from fcp_ros.grounding.calibration.store import locate_store
from fcp_ros.grounding.options import EvidenceOrigin
from fcp_ros.msg import ActionOutcome, ExecutionState, NameProposals, SceneGraphUpdate
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.nodes.executive.fleet import Fleet
from fcp_ros.nodes.executive.goal_context import GoalContext, GoalWithdrawn, Rest, ThreadClosed
from fcp_ros.nodes.executive.goal_parts import (
    Conclusion,
    ExecutiveParts,
    GoalResult,
    abort,
    conclude_cancelled,
    make_result,
    refuse,
)
from fcp_ros.nodes.executive.goal_threads import REMINDER, GoalThreads
from fcp_ros.nodes.executive.goals import GoalAchievement
from fcp_ros.nodes.executive.outcome_delivery import OutcomeDelivery, OutcomeJournal
from fcp_ros.nodes.executive.parameters import (
    PARAMETERS,
    GoalError,
    PlanError,
    WhenLate,
    find_late_policy,
    make_dispatch_settings,
    make_keep_settings,
    make_ticket,
    make_wait_settings,
    read_robots,
)
from fcp_ros.nodes.executive.plan_execution import PlanExecution
from fcp_ros.nodes.executive.reports import (
    GoalReport,
    ReportChannels,
    StateBoard,
    describe_goal,
    make_state,
    note_contradiction,
    tell_waiting,
)
from fcp_ros.nodes.executive.server_clients import PlannerClient, StepClients
from fcp_ros.nodes.executive.standing_wish import GoalKeeping, OpenQuestions
from fcp_ros.nodes.executive.watches import (
    HindranceLook,
    NameWatch,
    SceneWatch,
    find_hindrances,
)
from fcp_ros.nodes.runtime.domain_parameter import (
    choose_world,
    read_domain,
)
from fcp_ros.nodes.runtime.goal_jobs import GoalEnd, end_goal, execute_goal
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.qos import event_qos, state_qos
from fcp_ros.nodes.runtime.request_checks import (
    CLEANED_UP,
    RefusalKind,
    RequestRefusal,
    RequestRefused,
)
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import JobCancelled, PausableTimer, WorkerClosed
from fcp_ros.nodes.scene_access.follower import SceneFollower, follow_scene
from fcp_ros.nodes.scene_access.owner import SceneOwner
from fcp_ros.nodes.scene_access.reporter import SceneReporter
from fcp_ros.srv import AnswerQuestion, ControlExecution, ListGoals, RemainingPlan, SettleName

DEACTIVATED = "The node was deactivated."

STOP_MARGIN = 2.0
"""Seconds for the threads to end when the node is cleaned up; they wait for nothing then."""


class ExecutiveNode(ManagedNode):
    """Executes plans, those of several goals side by side where they don't meet.

    Actions ``execute_task_plan`` (ExecutePlan) and ``achieve_goal`` (AchieveGoal). A goal that does
    not succeed ends as aborted or canceled, with an error code and one sentence; one that comes
    while another is at work waits, takes its place or is refused, as it says itself. Services
    ``list_goals`` (ListGoals), ``control_execution`` (ControlExecution: pause, resume, step) and
    ``remaining_plan`` (RemainingPlan). Service ``answer_question`` (AnswerQuestion): answers
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

    A goal's life: rclpy accepts it, and `_accept` makes its `GoalContext` and hands it to the
    `GoalThreads`. When its turn has come, or when it has ended before, rclpy executes it: its
    coroutine awaits the job's end, and only that coroutine ends the goal at the action server.
    Threads and locks: see the package's docstring.

    A deactivation ends the goals that wait, asks the one at work to end, and waits for nothing. Its
    step gets the grace time to stop, and its outcome is published even though the node is inactive.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("executive", PARAMETERS, **kwargs)
        self._scene = SceneFollower()
        self._lock = threading.Lock()
        self._contexts: dict[bytes, GoalContext] = {}  # under the lock
        self._threads: GoalThreads | None = None
        self._parts: ExecutiveParts | None = None
        self._reporter: SceneReporter | None = None
        self._delivery: OutcomeDelivery | None = None
        self._owner: SceneOwner | None = None
        self._step_clients: StepClients | None = None
        self._outcomes: Any = None
        self._states: Any = None
        self._plans: Any = None
        self._names: NameWatch | None = None
        self._hindrances: HindranceLook | None = None
        self.offer_service(AnswerQuestion, "answer_question", self._answer, once=True)
        self.offer_service(SettleName, "settle_name", self._settle_name, once=True)
        self.offer_service(ListGoals, "list_goals", self._list_goals)
        self.offer_service(RemainingPlan, "remaining_plan", self._show_remaining)
        self.offer_service(ControlExecution, "control_execution", self._control, once=True)
        for action, name in ((ExecutePlan, "execute_task_plan"), (AchieveGoal, "achieve_goal")):
            self.offer_action(
                action, name, self._execute, accepted=self._accept, cancel=self._cancel
            )

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        domain = read_domain(self.parameters)
        self._outcomes = self.publish_to_the_end(ActionOutcome, "outcomes", event_qos())
        self._states = self.publish_to_the_end(ExecutionState, "execution_state", state_qos())
        self._plans = self.publish_state(PlanMessage, "plan_in_execution")
        updates = self.publish_events(SceneGraphUpdate, "scene_graph_update")
        reporter = self._reporter = self.own(SceneReporter(self, updates, self._scene, domain))
        reminder = self.own(PausableTimer(self, REMINDER, lambda: threads.look_at_resting()))
        threads = self._threads = GoalThreads(
            lambda event: fleet.handle_late(event),
            reminder.start,
            self.parameters.integer("goals_at_once"),
        )
        clients = self._step_clients = self.own(StepClients(self, threads))
        planner = self.own(PlannerClient(self, threads))
        backlog = self.parameters.integer("outcome_backlog")
        owner = self._owner = self.own(SceneOwner(self, self._scene))
        scene_watch = SceneWatch(threads, owner)
        journal = self._open_journal()
        delivery = self._delivery = self.own(
            OutcomeDelivery(self, self._outcomes, threads, backlog, journal)
        )
        names = self._names = self.own(
            NameWatch(
                domain,
                self._open_names(),
                self.publish_state(NameProposals, "name_proposals"),
                lambda: self.get_clock().now().to_msg(),
                self.get_logger().warning,
            )
        )
        self._hindrances = HindranceLook(lambda: find_hindrances(clients, planner, delivery))
        fleet = Fleet(
            domain,
            threads,
            clients,
            self._scene,
            lambda: make_dispatch_settings(self.parameters),
            read_robots(self.parameters),
        )
        self._parts = ExecutiveParts(
            domain,
            threads,
            fleet,
            planner,
            delivery,
            OpenQuestions(threads),
            names,
            scene_watch,
            reporter,
            StateBoard(self._states),
            ConflictFinder(domain, fleet.find_present),
            lambda: make_wait_settings(self.parameters),
            lambda: make_keep_settings(self.parameters),
        )
        follow_scene(self, self._scene, self._on_scene_changed)

    def _open_journal(self) -> OutcomeJournal | None:
        path = self._locate("outcome_journal")
        try:
            return None if path is None else OutcomeJournal(path)
        except DatabaseFileError as error:
            raise ConfigureError(f"outcome_journal: {error}") from error

    def _open_names(self) -> NameBook:
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
        if self._threads is not None:
            self._threads.interrupt(DEACTIVATED)

    def release(self) -> None:
        threads, self._threads = self._threads, None
        if threads is not None and not threads.close(STOP_MARGIN):
            self.get_logger().warning("a thread of the executive has not ended and is left behind")
        self._parts = self._reporter = self._delivery = self._step_clients = self._names = None
        self._owner = self._hindrances = None
        super().release()
        self._scene.clear()
        self._outcomes = self._states = self._plans = None

    def diagnose(self) -> Diagnosis:
        threads, sequence, delivery = self._threads, self._scene.sequence, self._delivery
        names, counts = self._names, {} if delivery is None else delivery.values()
        open_names = [] if names is None else [str(one) for one in names.waiting]
        errors, missing = ([], []) if self._hindrances is None else self._hindrances.find()
        if self._owner is not None and (stale := self._owner.find_problem()):
            errors = [stale, *errors]
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
                "busy": threads is not None and threads.is_busy,
                "waiting_goals": 0 if threads is None else threads.count_waiting,
                "kept_goals": 0 if threads is None else threads.count_resting,
                "paused": threads is not None and threads.is_paused,
                "scene_sequence_number": "none" if sequence is None else sequence,
                "missing": ", ".join(missing),
                "open_names": len(open_names),
                **counts,
            },
        )

    def _on_scene_changed(self) -> None:
        if self._threads is not None:
            self._threads.post(WorldChanged(), "scene changed")

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

    # --- the goals, seen from outside -----------------------------------------------------------

    def _list_goals(self, _request: Any, response: Any) -> Any:
        threads = self._find_threads()
        contexts, tickets = threads.list_goals()
        response.goals = [describe_goal(*one) for one in zip(contexts, tickets, strict=True)]
        response.paused = threads.is_paused
        response.success = True
        count = len(contexts)
        response.message = f"{count} goal{'' if count == 1 else 's'}." if count else "No goals."
        return response

    def _show_remaining(self, _request: Any, response: Any) -> Any:
        contexts, _ = self._find_threads().list_goals()
        views = [context.view for context in contexts]
        shown = next(((one.plan, one.done) for one in views if one.plan is not None), None)
        if shown is None:
            response.message = "No plan is being executed."
            return response
        plan, done = shown
        rest = [at for at in range(len(plan.steps)) if at not in done]
        response.plan_id, response.positions = plan.id, rest
        response.steps = [plan.steps[at] for at in rest]
        response.success = True
        response.message = f"{len(rest)} of {len(plan.steps)} steps have not ended."
        return response

    def _control(self, request: Any, response: Any) -> Any:
        threads = self._find_threads()
        if request.operation == ControlExecution.Request.PAUSE:
            threads.pause()
            response.message = "A step that is being done goes on to its end; no other begins."
        else:
            one_step = request.operation == ControlExecution.Request.STEP
            threads.release(one_step=one_step)
            response.message = "One more step may begin." if one_step else "Steps may begin again."
        if not threads.is_busy:  # else its report says so
            paused = threads.is_paused
            text = "Paused: no step of a goal begins." if paused else "Waiting for a goal."
            self._states.publish(make_state(self, ExecutionState.IDLE, text, paused=paused))
        response.success = True
        return response

    def _find_threads(self) -> GoalThreads:
        if self._threads is None:
            raise RequestRefused(RefusalKind.NODE_INACTIVE, CLEANED_UP)
        return self._threads

    # --- goals (in rclpy's threads) -------------------------------------------------------------

    def _accept(self, goal: ServerGoalHandle) -> None:
        executor = self.executor
        context = GoalContext(goal, lambda: executor.create_task(execute_goal, goal))
        with self._lock:
            self._contexts[context.key] = context
        try:
            refused = self._submit(context)
        except Exception as error:
            refused = refuse(goal.request, self.internal_fault("accepting a goal", error))
        if refused is not None:
            context.answer.set_result(refused)

    def _cancel(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            context = self._contexts.get(bytes(goal.goal_id.uuid))
        if context is None:
            return
        if self._threads is None:
            context.token.cancel()  # before the threads were made that it goes to
        else:
            self._threads.cancel(context)

    async def _execute(self, goal: ServerGoalHandle) -> Any:
        with self._lock:
            context = self._contexts[bytes(goal.goal_id.uuid)]
        try:
            end, result = await self._await(context)
            end_goal(goal, end)
            return result
        finally:
            with self._lock:
                self._contexts.pop(context.key, None)

    def _submit(self, context: GoalContext) -> GoalResult | None:
        """Hand a goal to the threads; return the result of one that is refused."""
        threads, parts, request = self._threads, self._parts, context.goal.request
        refusal = self.refusal(request)
        if refusal is not None:
            return refuse(request, refusal)
        if threads is None or parts is None:
            return refuse(request, RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP))
        context.show(since=self.get_clock().now().to_msg())
        ticket = make_ticket(self.parameters, context.key, request)
        most_waiting = self.parameters.integer("most_waiting")
        is_plan = isinstance(request, ExecutePlan.Goal)
        keeping = None if is_plan else parts.make_keeping(request.request)
        try:
            arrival = threads.submit(
                context, ticket, lambda: self._work(context, parts, keeping), most_waiting
            )
        except WorkerClosed:
            return refuse(request, RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP))
        if arrival.admission is Admission.REFUSED:
            return refuse(request, RequestRefusal(RefusalKind.BUSY, arrival.message))
        note = note_contradiction(context, threads.list_goals()[0], parts.conflicts)
        if arrival.admission is Admission.WAITS:
            tell_waiting(context, f"{arrival.message} {note}".rstrip())
        # What came this very moment, before it could see this goal.
        if context.is_cancelled:
            threads.cancel(context)
        if not self.is_active:
            threads.interrupt(DEACTIVATED)
        return None

    async def _await(self, context: GoalContext) -> GoalResult:
        """Await the end of a goal; one that waits for its turn can be cancelled at any time."""
        request = context.goal.request
        try:
            return cast(GoalResult, await self.await_answer(context.answer))
        except GoalWithdrawn as withdrawn:
            errors = PlanError if isinstance(request, ExecutePlan.Goal) else GoalError
            ended = conclude_cancelled(context, errors, str(withdrawn))
            return ended.end, make_result(request, ended.code, ended.message)
        except JobCancelled:
            return refuse(request, RequestRefusal(RefusalKind.NODE_INACTIVE, CLEANED_UP))
        except Exception as error:
            return refuse(request, self.internal_fault("executing a goal", error))

    # --- goals (in their threads) --------------------------------------------------------------

    def _work(
        self, context: GoalContext, parts: ExecutiveParts, keeping: GoalKeeping | None
    ) -> GoalResult | Rest:
        whole = {chunk.name for chunk in parts.domain.chunks.values() if chunk.graded}
        assert self._step_clients is not None, "a goal is ended before they are closed"
        if doubled := self._step_clients.find_executives():
            return abort(context.goal.request, "NAME_CONFLICT", doubled)
        channels = ReportChannels(
            parts.delivery.send,
            parts.board,
            self._plans,
            self._step_clients.is_simulated,
            parts.threads,
        )
        when_late = find_late_policy(self.parameters, context.goal.request)
        if keeping is None and when_late is WhenLate.REPLAN:
            when_late = WhenLate.GO_ON  # there is no goal to plan for
        report = GoalReport(self, context, channels, whole, when_late)
        run: PlanExecution | GoalAchievement
        if keeping is None:
            run = PlanExecution(parts, context, report)
            errors = PlanError
        else:
            wanted = context.goal.request.max_replans
            most = wanted if wanted >= 0 else self.parameters.integer("max_replans")
            policy, kept = ReplanPolicy(most), self.parameters.integer("most_waiting")
            run = GoalAchievement(parts, context, report, policy, keeping, kept)
            errors = GoalError
        try:
            return run.run()
        except ThreadClosed:
            return run.conclude(Conclusion(GoalEnd.ABORTED, errors.NODE_INACTIVE, CLEANED_UP))
        except Exception as error:
            sentence = self.internal_fault("executing a goal", error).sentence
            return run.conclude(Conclusion(GoalEnd.ABORTED, errors.INTERNAL_ERROR, sentence))
        finally:
            parts.fleet.leave(context.key)  # also if it waited for room, and does not any more


def main() -> int:
    return run_node(ExecutiveNode)
