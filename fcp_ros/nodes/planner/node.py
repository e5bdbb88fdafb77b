# SPDX-License-Identifier: Apache-2.0
"""The node ``task_planner``: plans for goals on the present scene, and validates plans."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import MakePlan
from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.foundation.wording import list_names
from fcp_ros.language.cascade import warm_up_server
from fcp_ros.msg import Plan, PlanResult
from fcp_ros.nodes.conversions.planning import interpretation_to_ros
from fcp_ros.nodes.planner.parameters import PARAMETERS, read_reader_options
from fcp_ros.nodes.planner.remote_memberships import JudgeService
from fcp_ros.nodes.planner.service import (
    PlanningService,
    name_wish,
    refuse_request,
)
from fcp_ros.nodes.runtime.domain_parameter import apply_overrides, read_domain
from fcp_ros.nodes.runtime.goal_jobs import GoalEnd, GoalJobs, end_goal
from fcp_ros.nodes.runtime.lifecycle import Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import DOMAIN_FILES, FileRefusedError
from fcp_ros.nodes.runtime.request_checks import (
    CLEANED_UP,
    NOT_SERVED,
    RefusalKind,
    RequestRefusal,
    RequestRefused,
    fill_refusal,
    make_refusal,
)
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import CancelToken, JobCancelled, Worker, WorkerClosed
from fcp_ros.nodes.scene_access.follower import SceneFollower, follow_scene
from fcp_ros.nodes.scene_access.owner import SceneOwner
from fcp_ros.planning.model.request import Progress
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.warm_up import compile_missing_kernels, warm_up
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.srv import Interpret, LoadDomain, PlanGoal, ValidatePlan

STATUSES = {
    RefusalKind.INVALID_REQUEST: PlanStatus.INVALID_REQUEST,
    RefusalKind.TIMED_OUT: PlanStatus.TIMEOUT,
    RefusalKind.BUSY: PlanStatus.BUSY,
    RefusalKind.NODE_INACTIVE: PlanStatus.NODE_INACTIVE,
    RefusalKind.INTERNAL_ERROR: PlanStatus.INTERNAL_ERROR,
    RefusalKind.NO_JUDGEMENT: PlanStatus.NO_JUDGEMENT,
    RefusalKind.SCENE_LOST: PlanStatus.SCENE_LOST,
}
"""Kind of a refusal -> status of the planning result."""

PLANS, FILES, READINGS = "planner", "domain files", "instructions"
WARM_UP = "warming up the model server"
"""The work of the node's threads."""

QUEUED_FILES = 4
"""Requests to load a domain that may wait while one is read."""

QUEUED_READINGS = 6
"""Requests to read an instruction that may wait while one is read."""

LOAD_TIMEOUT = 60.0
"""Seconds that load_domain may take."""

PlanJob = Callable[[CancelToken], Any]


class PlannerNode(ManagedNode):
    """Plans.

    Action ``make_plan`` (MakePlan: feedback, cancel) and service ``plan`` (PlanGoal): one request
    is planned at a time, others wait in a bounded queue; beyond it they are refused. A time limit
    runs from the arrival of the request. Services ``validate_plan`` (ValidatePlan), ``load_domain``
    (LoadDomain) and ``interpret`` (Interpret), of which the last two wait for no plan. Publishes
    ``task_plan`` (Plan, latched). Subscribes to ``scene_graph`` (SceneGraph, latched) and
    ``scene_changes`` (SceneGraphChange, events). Uses the grounder's service ``judge``.

    A goal succeeds when there is a plan, is canceled when it was cancelled, and is aborted
    otherwise; the result's status says why.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("task_planner", PARAMETERS, **kwargs)
        self._service: PlanningService | None = None
        self._scene = SceneFollower()
        self._owner: SceneOwner | None = None
        self._judge: JudgeService | None = None
        self._plan_publisher: Any = None
        self._last_answer = ""
        self._last_plan: Plan | None = None
        self._jobs = GoalJobs(self.await_answer)
        self.offer_action(MakePlan, "make_plan", self._make_plan, cancel=self._jobs.cancel)
        self.offer_service(PlanGoal, "plan", self._plan, _refuse_plan, once=True)
        self.offer_service(ValidatePlan, "validate_plan", self._validate)
        self.offer_service(LoadDomain, "load_domain", self._load_domain, once=True)
        self.offer_service(Interpret, "interpret", self._interpret)
        # The first request should find the kernels loaded. Here, before any thread of a node runs:
        # numba imports modules as it goes, and so do readers of scenes.
        compile_missing_kernels(self.get_logger().warning)
        self._kernels_loaded_in = warm_up()

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        domain = read_domain(self.parameters)
        self._judge = self.own(JudgeService(self))
        self._owner = self.own(SceneOwner(self, self._scene))
        self._service = self._make_service(domain)
        self.workers.open(PLANS, self.parameters.integer("queue_size"), patience=5.0)
        # A search must not hold up these.
        self.workers.open(FILES, QUEUED_FILES, outlasts=True)
        self.workers.open(READINGS, QUEUED_READINGS)
        if read_reader_options(self.parameters).endpoint:
            self.workers.open(WARM_UP, 1, outlasts=True).submit(self._warm_up_reader)
        self._plan_publisher = self.publish_state(Plan, "task_plan")
        follow_scene(self, self._scene)

    def deactivate(self) -> None:
        self.workers.cancel_jobs()

    def release(self) -> None:
        super().release()
        self._owner = self._judge = self._service = None
        self._scene.clear()
        self._last_answer = ""
        self._last_plan = None

    def diagnose(self) -> Diagnosis:
        service, judge, owner = self._service, self._judge, self._owner
        if service is None or judge is None or owner is None:
            return Diagnosis()
        sequence = self._scene.sequence
        values = {
            "domain": service.domain.name,
            "scene_sequence_number": "none" if sequence is None else sequence,
            "requests": self.workers.find_load(PLANS),
            "kernels_loaded_in": f"{self._kernels_loaded_in:.1f} s",
            "policies": ", ".join(service.policies.names),
            "refused_policies": " ".join(service.policies.refused),
            "last_answer": self._last_answer,
            "changed_elements_of_last_plan": self._describe_changes(),
        }
        stale, missing = owner.find_problem(), []
        if sequence is None:
            missing.append("no scene graph has come yet")
        if not judge.is_there:
            missing.append(f"no grounder answers{judge.describe_death()}")
        if service.policies.is_damaged:
            missing.append("not all policies could be read")
        level = DiagnosticStatus.WARN if missing else DiagnosticStatus.OK
        if stale:
            level, missing = DiagnosticStatus.ERROR, [stale, *missing]
        return Diagnosis(level, "; ".join(missing), values)

    def _describe_changes(self) -> str:
        """List the elements of the last plan that have changed since it was made."""
        # Whoever executes the plan may replan then. The planner itself keeps nothing that a changed
        # scene invalidates: each request starts from the newest state, and the last plan for a goal
        # only seeds its search.
        plan = self._last_plan
        if plan is None:
            return ""
        changed = self._scene.find_changed_since(plan.scene_sequence_number)
        if changed is None:
            return "unknown"
        elements = {argument.value for step in plan.steps for argument in step.arguments}
        return list_names(sorted(elements & changed))

    # --- planning -------------------------------------------------------------------------------

    async def _plan(self, request: Any, response: Any) -> Any:
        asked = time.monotonic()
        service, worker = self._get_service()

        def run(token: CancelToken) -> Any:
            return service.plan(request.request, asked, token)

        response.result = await self._run_job(request.request, worker, run)
        return response

    async def _make_plan(self, goal: ServerGoalHandle) -> Any:
        asked = time.monotonic()
        request = goal.request.request
        refusal = self.refusal(goal.request)
        try:
            if refusal is None:
                service, worker = self._get_service()
                reporter = FeedbackSender(goal, asked, self.parameters.number("feedback_period"))

                def run(token: CancelToken) -> Any:
                    return service.plan(request, asked, token, reporter)

                result = await self._run_job(request, worker, run, goal)
            else:
                result = _report_refusal(name_wish(request), refusal)
        except NOT_SERVED as error:
            result = _report_refusal(name_wish(request), make_refusal(error))
        except Exception as error:
            result = _report_refusal(name_wish(request), self.internal_fault("make_plan", error))
        end_goal(goal, _choose_end(PlanStatus(result.status.code)))
        return MakePlan.Result(result=result)

    async def _run_job(
        self, request: Any, worker: Worker, run: PlanJob, goal: ServerGoalHandle | None = None
    ) -> Any:
        """Run a planning job in the worker; return its result, or why there is none."""
        # No bound is needed: the job has a time limit, and ends when the worker is closed.
        try:
            if goal is None:
                result = await self.await_answer(worker.submit(run).answer)
            else:
                result = await self._jobs.run(goal, worker, run)
        except JobCancelled as error:
            if _is_cancelled(goal):
                return refuse_request(name_wish(request), PlanStatus.CANCELLED, str(error))
            return _report_refusal(name_wish(request), make_refusal(error))
        except NOT_SERVED as error:
            return _report_refusal(name_wish(request), make_refusal(error))
        if result.status.code == PlanStatus.CANCELLED.value and not _is_cancelled(goal):
            sentence = f"The node stopped planning before the end. {CLEANED_UP}"
            refusal = RequestRefusal(RefusalKind.NODE_INACTIVE, sentence)
            return _report_refusal(name_wish(request), refusal)
        self._publish(result)
        return result

    def _publish(self, result: PlanResult) -> None:
        status = PlanStatus(result.status.code)
        self._last_answer = status.name
        if status.solved:
            self._last_plan = result.plan
        self.get_logger().info(f"{status.name}: {result.status.message}")
        publisher = self._plan_publisher
        if status.solved and publisher is not None:
            publisher.publish(result.plan)

    async def _interpret(self, request: Any, response: Any) -> Any:
        asked = time.monotonic()
        service, readings = self._get_service(READINGS)
        job = readings.submit(lambda token: service.interpret(request, asked, token))
        interpretation = await self.await_answer(job.answer)  # ends at its time limit
        response.success = True
        response.message = interpretation.question or interpretation.message
        response.interpretation = interpretation_to_ros(interpretation)
        return response

    # --- other services -------------------------------------------------------------------------

    async def _validate(self, request: Any, response: Any) -> Any:
        service, worker = self._get_service()
        job = worker.submit(lambda token: service.validate(request.plan, request.alpha, token))
        verdict = await self.await_answer(job.answer)  # ends by itself, as planning does
        response.success = True
        response.valid = verdict.ok
        response.problems = list(verdict.problems)
        response.memberships = list(verdict.memberships)
        response.message = "The plan holds." if verdict.ok else verdict.problems[0]
        return response

    async def _load_domain(self, request: Any, response: Any) -> Any:
        overrides = self.parameters.texts("type_overrides")
        files = self.workers[FILES]
        try:
            address = self.parameters.resolve(DOMAIN_FILES, request.path)
            job = files.submit(lambda _token: apply_overrides(load_domain(address), overrides))
            domain = await self.await_job(files, job, LOAD_TIMEOUT)
        except TimeoutError as error:
            sentence = f"{address} was not read within {LOAD_TIMEOUT:g} s; the domain stays."
            raise RequestRefused(RefusalKind.TIMED_OUT, sentence) from error
        except (FileRefusedError, OSError, SceneError) as error:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error
        except DomainError as error:
            sentence = f"{len(error.diagnostics)} problems in {address}."
            fill_refusal(response, RequestRefusal(RefusalKind.INVALID_REQUEST, sentence))
            response.problems = [str(problem) for problem in error.diagnostics]
            return response
        if files.is_closed:  # cleaned up meanwhile
            raise RequestRefused(RefusalKind.NODE_INACTIVE, CLEANED_UP)
        self._service = self._make_service(domain)
        response.success = True
        response.name = domain.name
        response.version = domain.version
        response.message = (
            f"Planning with {domain.name} {domain.version} from now on; grounder and executive "
            "keep the domain of their own parameter."
        )
        return response

    def _make_service(self, domain: Any) -> PlanningService:
        assert self._judge is not None, "they are made when the node is configured"
        assert self._owner is not None, "they are made when the node is configured"
        return PlanningService(
            domain,
            self._scene,
            self._owner,
            self._judge,
            self.parameters,
            lambda: self.get_clock().now().to_msg(),
            lambda sentence: self.get_logger().warning(sentence),
        )

    def _warm_up_reader(self, token: CancelToken) -> None:
        def check() -> None:
            if token.cancelled:
                raise JobCancelled("The node is being cleaned up.")

        failure = warm_up_server(read_reader_options(self.parameters), check)
        if failure:
            self.get_logger().warning(f"the reader's model server: {failure}")

    def _get_service(self, work: str = PLANS) -> tuple[PlanningService, Worker]:
        """Return the parts of an active node; raise if it was cleaned up this very moment."""
        service, worker = self._service, self.workers[work]
        if service is None:
            raise WorkerClosed(CLEANED_UP)
        return service, worker


class FeedbackSender:
    """Sends progress as feedback: a new phase and a better plan at once, else one in a period."""

    def __init__(self, goal: ServerGoalHandle, asked: float, period: float) -> None:
        self._goal = goal
        self._asked = asked
        self._period = period
        self._last: object = None
        self._sent = 0.0

    def __call__(self, progress: Progress) -> None:
        best = progress.best
        news, now = (progress.phase, best), time.monotonic()
        if news == self._last and now - self._sent < self._period:
            return
        self._last, self._sent = news, now
        feedback = MakePlan.Feedback(
            phase=progress.phase.value,
            expansions=progress.expansions,
            best_membership=0.0 if best is None else best.membership,
            best_steps=0 if best is None else best.steps,
            best_cost=math.nan if best is None else best.cost,
            membership_bound=progress.membership_bound,
            cost_bound=progress.cost_bound,
            membership_gap=progress.membership_gap,
            cost_gap=progress.cost_gap,
            best_left_out=0 if best is None else best.left_out,
            left_out_bound=progress.left_out_bound,
            elapsed=now - self._asked,
        )
        self._goal.publish_feedback(feedback)


def _is_cancelled(goal: ServerGoalHandle | None) -> bool:
    return goal is not None and bool(goal.is_cancel_requested)


def _choose_end(status: PlanStatus) -> GoalEnd:
    if status.solved:
        return GoalEnd.SUCCEEDED
    return GoalEnd.CANCELLED if status is PlanStatus.CANCELLED else GoalEnd.ABORTED


def _report_refusal(asked: str, refusal: RequestRefusal) -> PlanResult:
    return refuse_request(asked, STATUSES[refusal.kind], refusal.sentence)


def _refuse_plan(response: Any, refusal: RequestRefusal) -> Any:
    response.result = _report_refusal("", refusal)
    return response


def main() -> int:
    return run_node(PlannerNode)
