# SPDX-License-Identifier: Apache-2.0
"""The facade for task managers: one object for everything that the nodes offer."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from fcp_ros.action import AchieveGoal, ExecutePlan, MakePlan
from fcp_ros.client.goal_control import SERVICES, UNCHANGING, GoalControl, choose_policies
from fcp_ros.client.pending import FcpUnavailable, PendingGoal, PendingReply, ServerGuard
from fcp_ros.client.queries import fetch_latched, plan_request, to_sendable
from fcp_ros.client.spinner import SpinningNode
from fcp_ros.msg import (
    NameProposals,
    Plan,
    PlanRequest,
    PlanResult,
    PredicateQuery,
    Question,
    SceneGraph,
    Synonym,
)
from fcp_ros.nodes.conversions.common import duration_from_ros, duration_to_ros
from fcp_ros.nodes.runtime.action_call import make_action_client
from fcp_ros.nodes.runtime.qos import request_qos
from fcp_ros.srv import (
    AnswerQuestion,
    GetCalibration,
    GetSceneGraph,
    Interpret,
    JudgePredicates,
    LoadDomain,
    LoadScene,
    SettleName,
    ValidatePlan,
)

LOOK_EVERY = 0.05
"""Seconds between two checks for a server."""

CHANGE_NOTHING = UNCHANGING | {"judge", "get_scene_graph", "validate_plan", "interpret"}
"""Services whose requests may be served twice; each request of the others gets an id, by which its
server knows it again."""


PERSON, PERSON_REQUESTS = "answer_person", "person_requests"
"""The service and the topic of `person_executor`, a node that few robots have."""


class FcpClient:
    """A client of all nodes of fcp_ros.

    Its methods are of two kinds:

    - ``send_*`` returns a `PendingGoal` or `PendingReply` at once; poll it, read its feedback,
      cancel it. Safe inside callbacks. Raises `FcpUnavailable` if there is no server.
    - All others wait for the answer, with a bound. Not for use inside callbacks.

    Answers are ROS messages. A refusal by a node is an answer with a status and a sentence.
    Missing servers and missing answers raise `FcpError`.
    """

    def __init__(
        self,
        # a node of the caller, spun by an executor. With None, the client makes a node with a
        # thread and a ROS context of its own.
        node: Node | None = None,
        *,
        namespace: str = "",  # namespace of the nodes, such as "robot_1"; "" means that of `node`
        server_timeout: float = 10.0,  # seconds that waiting methods wait for a server
        answer_timeout: float = 60.0,  # default of the seconds that they wait for an answer
        # ROS domain of the client's own node; None takes ROS_DOMAIN_ID
        domain_id: int | None = None,
    ) -> None:
        self._spinning: SpinningNode | None = None
        if node is None:
            name = f"fcp_client_{uuid.uuid4().hex[:8]}"
            self._spinning = SpinningNode(name, namespace, domain_id)
            node = self._spinning.node
        self._node: Any = node
        self._prefix = f"/{namespace.strip('/')}/" if namespace else ""
        self._group = ReentrantCallbackGroup()
        self._server_timeout = server_timeout
        self._answer_timeout = answer_timeout
        self._actions = {
            name: make_action_client(node, kind, self._prefix + name, self._group)
            for name, kind in (
                ("make_plan", MakePlan),
                ("execute_task_plan", ExecutePlan),
                ("achieve_goal", AchieveGoal),
            )
        }
        self._guards = {name: ServerGuard(node, self._prefix + name) for name in self._actions}
        self._services = {
            name: node.create_client(
                kind, self._prefix + name, qos_profile=request_qos(), callback_group=self._group
            )
            for name, kind in (
                ("judge", JudgePredicates),
                ("calibration", GetCalibration),
                ("load_scene", LoadScene),
                ("get_scene_graph", GetSceneGraph),
                ("validate_plan", ValidatePlan),
                ("load_domain", LoadDomain),
                ("interpret", Interpret),
                ("answer_question", AnswerQuestion),
                ("settle_name", SettleName),
                (PERSON, AnswerQuestion),
                *SERVICES.items(),
            )
        }
        self.goals = GoalControl(self._ask)
        """The goals of the executive, whoever sent them."""

    def wait_for(self, *names: str, timeout: float | None = None) -> None:
        """Wait until actions and services are offered, so that ``send_*`` finds them.

        `names`: actions and services, such as "make_plan" or "judge"; without names, all but
        those of `person_executor`.
        `timeout`: seconds; None takes the client's server timeout. Raises FcpUnavailable if one is
        not offered in time.
        """
        end = time.monotonic() + (self._server_timeout if timeout is None else timeout)
        usual = (name for name in (*self._actions, *self._services) if name != PERSON)
        for name in names or usual:
            while not self._is_offered(name):
                if time.monotonic() > end:
                    raise self._unavailable(name)
                time.sleep(LOOK_EVERY)

    # --- send and poll: nothing here waits --------------------------------------------------------

    def send_plan(self, request: PlanRequest) -> PendingGoal:
        """Ask for a plan; the result is a ``MakePlan.Result``."""
        return self._send_goal("make_plan", MakePlan.Goal(request=request))

    def send_execute(
        self, plan: Plan, *, when_busy: str = "", priority: int = 0, when_late: str = ""
    ) -> PendingGoal:
        """Have a plan executed; the result is an ``ExecutePlan.Result``.

        `goal_control.choose_policies` describes the other arguments.
        """
        goal = choose_policies(ExecutePlan.Goal(plan=plan), when_busy, priority, when_late)
        return self._send_goal("execute_task_plan", goal)

    def send_achieve(
        self,
        request: PlanRequest,
        *,
        max_replans: int = -1,
        ask: bool = False,
        when_busy: str = "",
        priority: int = 0,
        when_late: str = "",
    ) -> PendingGoal:
        """Have a goal achieved (plan, execute, replan); the result is an ``AchieveGoal.Result``.

        `max_replans`: limit on the number of replans; -1 takes the executive's parameter. `ask`:
        True to be asked by feedback (`question`), and to answer with `answer`; False to have a
        question end the goal. `goal_control.choose_policies` describes the others.
        """
        goal = AchieveGoal.Goal(request=request, max_replans=max_replans, ask=ask)
        choose_policies(goal, when_busy, priority, when_late)
        return self._send_goal("achieve_goal", goal)

    def send_answer(self, question: Question, choice: int) -> PendingReply:
        """Answer a question of a goal; the answer is an ``AnswerQuestion.Response``."""
        request = AnswerQuestion.Request(id=question.id, choice=choice)
        return self._send_request("answer_question", request)

    def send_interpret(
        self, instruction: str, *, speaker: str = "", time_limit: float | None = None
    ) -> PendingReply:
        """Have an instruction read; the answer is an ``Interpret.Response``."""
        request = Interpret.Request(
            instruction=to_sendable(instruction),
            speaker=to_sendable(speaker),
            time_limit=duration_to_ros(time_limit or 0.0),
        )
        return self._send_request("interpret", request)

    def send_judge(
        self, queries: Iterable[PredicateQuery], *, time_limit: float | None = None
    ) -> PendingReply:
        """Ask for degrees; the answer is a ``JudgePredicates.Response``."""
        request = JudgePredicates.Request(
            queries=list(queries), time_limit=duration_to_ros(time_limit or 0.0)
        )
        return self._send_request("judge", request)

    def send_load_scene(self, path: str) -> PendingReply:
        """Have a scene file loaded; the answer is a ``LoadScene.Response``."""
        return self._send_request("load_scene", LoadScene.Request(path=path))

    def send_validate(self, plan: Plan, *, alpha: float | None = None) -> PendingReply:
        """Have a plan replayed on the present scene; the answer is a ``ValidatePlan.Response``."""
        cut = float("nan") if alpha is None else float(alpha)
        return self._send_request("validate_plan", ValidatePlan.Request(plan=plan, alpha=cut))

    # --- one call: everything here waits, with a bound --------------------------------------------

    def plan(self, goal: str, *, timeout: float | None = None, **options: Any) -> PlanResult:
        """Plan for a goal; the options are those of `queries.plan_request`.

        The bound is `timeout`, or else the time limit plus the client's answer timeout.
        """
        return self._make_plan(plan_request(goal, **options), timeout)

    def ask(self, instruction: str, *, timeout: float | None = None, **options: Any) -> PlanResult:
        """Plan for an instruction in words; the result says how it was understood.

        With the status NEEDS_CLARIFICATION it has a question. To answer which reading is meant,
        call `plan` with the goal of that reading; a plan to be confirmed may be executed after a
        yes. Options and bound are those of `plan`.
        """
        return self._make_plan(plan_request(instruction=instruction, **options), timeout)

    def _make_plan(self, request: PlanRequest, timeout: float | None) -> PlanResult:
        self.wait_for("make_plan")
        bound = timeout or duration_from_ros(request.time_limit) + self._answer_timeout
        return self.send_plan(request).result(bound).result

    def interpret(
        self, instruction: str, *, speaker: str = "", time_limit: float | None = None
    ) -> Interpret.Response:
        """Read an instruction on the present scene, and plan nothing."""
        self.wait_for("interpret")
        bound = (time_limit or 0.0) + self._answer_timeout
        pending = self.send_interpret(instruction, speaker=speaker, time_limit=time_limit)
        return pending.result(bound)

    def answer(self, question: Question, choice: int) -> AnswerQuestion.Response:
        """Answer a question of a goal of `send_achieve` by the number of a choice, from 0."""
        self.wait_for("answer_question")
        return self.send_answer(question, choice).result(self._answer_timeout)

    def execute(self, plan: Plan, *, timeout: float) -> ExecutePlan.Result:
        """Execute a plan; cancel it after `timeout` s."""
        self.wait_for("execute_task_plan")
        return self.send_execute(plan).result(timeout)

    def achieve(
        self,
        goal: str = "",
        *,
        timeout: float,
        max_replans: int = -1,
        on_question: Callable[[Question], int | None] | None = None,
        **options: Any,
    ) -> AchieveGoal.Result:
        """Plan, execute and replan until the goal is achieved; cancel it after `timeout` s.

        `on_question` is called with each question; it returns the number of a choice, or None to
        leave it open, which counts as no. Without it, a question ends the goal. The other options
        are those of `queries.plan_request`, the `instruction` in place of a goal among them.
        """
        request = plan_request(goal, **options)
        self.wait_for("achieve_goal")
        asks = on_question is not None
        pending = self.send_achieve(request, max_replans=max_replans, ask=asks)
        end = time.monotonic() + timeout
        if on_question is not None:
            try:
                self._answer_questions(pending, on_question, end)
            except BaseException:
                pending.cancel()
                raise
        return pending.result(max(0.0, end - time.monotonic()))

    def _answer_questions(
        self, pending: PendingGoal, on_question: Callable[[Question], int | None], end: float
    ) -> None:
        """Answer the questions of a goal until it ends, or until `end` (of `time.monotonic`)."""
        answered: set[bytes] = set()
        while not pending.poll().done and time.monotonic() < end:
            question = None if pending.feedback is None else pending.feedback.question
            key = b"" if question is None else bytes(question.id.uuid)
            if question is None or question.kind == Question.NONE or key in answered:
                time.sleep(LOOK_EVERY)
                continue
            answered.add(key)
            choice = on_question(question)
            if choice is not None:
                self.answer(question, choice)

    def judge(
        self, *queries: PredicateQuery, time_limit: float | None = None
    ) -> JudgePredicates.Response:
        """Ask for the degrees of queries (see `queries.predicate_query`), in their order."""
        bound = (time_limit or 0.0) + self._answer_timeout
        self.wait_for("judge")
        return self.send_judge(queries, time_limit=time_limit).result(bound)

    def load_scene(self, path: str) -> LoadScene.Response:
        return self._ask("load_scene", LoadScene.Request(path=path))

    def scene(self) -> SceneGraph | None:
        """Fetch the present scene graph; None if the node has none yet."""
        response = self._ask("get_scene_graph", GetSceneGraph.Request())
        return response.scene_graph if response.success else None

    def validate(self, plan: Plan, *, alpha: float | None = None) -> ValidatePlan.Response:
        """Replay a plan on the present scene with the independent verifier."""
        self.wait_for("validate_plan")
        return self.send_validate(plan, alpha=alpha).result(self._answer_timeout)

    def load_domain(self, path: str) -> LoadDomain.Response:
        """Let the planner plan with another domain."""
        return self._ask("load_domain", LoadDomain.Request(path=path))

    def name_proposals(self, timeout: float = 2.0) -> list[Synonym]:
        """List names of perception that were proposed, kept or refused; wait at most `timeout` s.

        Raises FcpUnavailable if no executive has published them in time.
        """
        return list(self._fetch(NameProposals, "name_proposals", timeout).synonyms)

    def settle_name(
        self, proposal: Synonym, answer: int = SettleName.Request.KEEP
    ) -> SettleName.Response:
        """Say if a name of perception (topic ``name_proposals``) is one of the domain."""
        request = SettleName.Request(
            source=proposal.source, target=proposal.target, places=proposal.places, answer=answer
        )
        return self._ask("settle_name", request)

    def person_request(self) -> Question | None:
        """Fetch what a person is asked to do now; None if nothing.

        Raises FcpUnavailable if no `person_executor` is there.
        """
        found: Question = self._fetch(Question, PERSON_REQUESTS, self._server_timeout)
        return None if found.kind == Question.NONE else found

    def answer_person(self, question: Question, *, is_done: bool) -> AnswerQuestion.Response:
        """Say if a person has done what was asked, or will not do it."""
        choice = Question.YES if is_done else Question.NO
        return self._ask(PERSON, AnswerQuestion.Request(id=question.id, choice=choice))

    def calibration(self, predicate: str = "", context: str = "") -> GetCalibration.Response:
        """Fetch what was learned from outcomes; "" means all predicates, or all contexts."""
        return self._ask(
            "calibration",
            GetCalibration.Request(
                operation=GetCalibration.Request.SHOW, predicate=predicate, context=context
            ),
        )

    def reset_calibration(self, predicate: str = "", context: str = "") -> GetCalibration.Response:
        """Set aside what was learned; the answer has the entries as they were before."""
        return self._ask(
            "calibration",
            GetCalibration.Request(
                operation=GetCalibration.Request.RESET, predicate=predicate, context=context
            ),
        )

    def close(self) -> None:
        """Destroy all that the client made; unfinished goals go on without it."""
        for guard in self._guards.values():
            guard.close()
        for action in self._actions.values():
            action.destroy()
        for service in self._services.values():
            self._node.destroy_client(service)
        if self._spinning is not None:
            self._spinning.close()

    def __enter__(self) -> FcpClient:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # --- helpers ----------------------------------------------------------------------------------

    def _send_goal(self, name: str, goal: Any) -> PendingGoal:
        if not self._is_offered(name):
            raise self._unavailable(name)
        what = f"The action {self._prefix}{name}"
        return PendingGoal(self._actions[name], goal, what, self._guards[name])

    def _send_request(self, name: str, request: Any) -> PendingReply:
        if not self._is_offered(name):
            raise self._unavailable(name)
        client = self._services[name]
        if name not in CHANGE_NOTHING:
            request.request_id = UUID(uuid=list(uuid.uuid4().bytes))
        what = f"The service {client.srv_name}"
        return PendingReply(client, request, what, repeatable=True)

    def _ask(self, name: str, request: Any) -> Any:
        self.wait_for(name)
        return self._send_request(name, request).result(self._answer_timeout)

    def _fetch(self, message_type: Any, topic: str, timeout: float) -> Any:
        """Fetch the last message of a latched topic."""
        name = self._prefix + topic
        try:
            return fetch_latched(self._node, message_type, name, self._group, timeout)
        except TimeoutError:
            raise self._unavailable(topic) from None

    def _is_offered(self, name: str) -> bool:
        if name in self._actions:
            return bool(self._actions[name].server_is_ready()) and not self._guards[name].is_dead
        return bool(self._services[name].service_is_ready())

    def _unavailable(self, name: str) -> FcpUnavailable:
        start = "the nodes (fcp up, or ros2 launch fcp_ros bringup.launch.py)"
        if name in (PERSON, PERSON_REQUESTS):
            start = "person_executor (ros2 run fcp_ros person_executor)"
        return FcpUnavailable(
            f"No node offers {self._prefix or self._node.get_namespace()}{name}: start {start}, "
            "and check namespace and ROS_DOMAIN_ID."
        )
