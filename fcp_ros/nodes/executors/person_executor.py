# SPDX-License-Identifier: Apache-2.0
"""The node ``person_executor``: steps that a person is asked to do, and says how they ended."""

from __future__ import annotations

import threading
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from typing import Any

from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.msg import Question
from fcp_ros.nodes.conversions.common import duration_from_ros, duration_to_ros
from fcp_ros.nodes.executors.step_server import end_step, read_step
from fcp_ros.nodes.runtime.lifecycle import Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.runtime.qos import state_qos
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefused
from fcp_ros.nodes.runtime.server_life import Alarm, call_later
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.srv import AnswerQuestion

PARAMETERS = (
    ParameterSpec(
        "executor",
        "person",
        "Name of the executor in the domain, which is that of the action.",
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec(
        "longest_wait",
        120.0,
        "Longest wait for a person's answer; at most 9 tenths of what the executive allows for the "
        "step (its min_step_timeout, and timeout_factor times the duration in the domain) [s].",
        minimum=1.0,
        maximum=86_400.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
)

SHARE = 0.9
"""Share of the step's time that is waited: the executive would call the rest a time-out, and so a
failure of the skill, which silence is not."""

CHOICES = ("done", "not done")


@dataclass(frozen=True)
class _Asked:
    """A step that a person was asked to do."""

    question: Question
    answer: Future[Outcome] = field(default_factory=Future)


class PersonExecutorNode(ManagedNode):
    """Asks a person to do each step; one at a time.

    Action *executor* (ExecuteStep). Publishes ``person_requests`` (Question of the kind
    CONFIRMATION, latched; NONE while nothing is asked) with the goal's id. Service
    ``answer_person`` (AnswerQuestion): YES, the step is done; NO, it is not and will not be, which
    ends it with INVALID_ACTION, so that nobody is asked again for the same. So does silence. None
    of this is evidence about a skill. A step that is cancelled, or whose node is deactivated, is
    no longer asked for.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("person_executor", PARAMETERS, **kwargs)
        self._lock = threading.Lock()
        self._asked: _Asked | None = None  # under the lock
        self._requests: Any = None
        self.offer_service(AnswerQuestion, "answer_person", self._answer, once=True)
        name = self.parameters.text("executor")
        self.offer_action(ExecuteStep, name, self._execute, cancel=self._cancel)

    def configure(self) -> None:
        self._requests = self.publish_to_the_end(Question, "person_requests", state_qos())

    def activate(self) -> None:
        self._requests.publish(Question())

    def deactivate(self) -> None:
        with self._lock:
            asked = self._asked
        if asked is not None:
            _end(asked, OutcomeCode.NODE_INACTIVE, "The node was deactivated.")

    def release(self) -> None:
        super().release()
        self._requests = None

    def diagnose(self) -> Diagnosis:
        with self._lock:
            asked = self._asked
        return Diagnosis(values={"asks": "" if asked is None else asked.question.text})

    # --- steps ----------------------------------------------------------------------------------

    async def _execute(self, goal: ServerGoalHandle) -> ExecuteStep.Result:
        outcome = await self._ask(goal)
        return end_step(goal, outcome)

    async def _ask(self, goal: ServerGoalHandle) -> Outcome:
        step = read_step(goal.request, self.refusal(goal.request))
        if isinstance(step, Outcome):
            return step
        wait = self.parameters.number("longest_wait")
        if (allowed := duration_from_ros(goal.request.timeout)) > 0.0:
            wait = min(wait, SHARE * allowed)
        question = Question(
            id=goal.goal_id,
            kind=Question.CONFIRMATION,
            text=f"A person is asked to do this: {step}. Is it done?",
            choices=list(CHOICES),
            timeout=duration_to_ros(wait),
        )
        asked = _Asked(question)
        with self._lock:
            if self._asked is not None:
                return Outcome(OutcomeCode.BUSY, f"Still open: {self._asked.question.text}")
            self._asked = asked
        silence = f"Nobody answered within {wait:g} s if {step} is done."

        def give_up() -> None:
            _end(asked, OutcomeCode.INVALID_ACTION, silence)

        alarm = call_later(wait, give_up)
        return await self._await(goal, asked, alarm)

    async def _await(self, goal: ServerGoalHandle, asked: _Asked, alarm: Alarm) -> Outcome:
        try:
            self._requests.publish(asked.question)
            if goal.is_cancel_requested:  # before it could be found by `_cancel`
                self._cancel(goal)
            outcome: Outcome = await self.await_answer(asked.answer)
            return outcome
        finally:
            alarm.cancel()
            with self._lock:
                self._asked = None
            if self._requests is not None:
                self._requests.publish(Question())

    def _cancel(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            asked = self._asked
        if asked is not None and asked.question.id == goal.goal_id:
            _end(asked, OutcomeCode.CANCELLED, "It was cancelled before a person had answered.")

    # --- answers --------------------------------------------------------------------------------

    def _answer(self, request: Any, response: Any) -> Any:
        with self._lock:
            asked = self._asked
        if asked is None or asked.question.id != request.id:
            sentence = "Nobody is asked that now: the topic person_requests has what is open."
            raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence)
        if request.choice not in (Question.YES, Question.NO):
            sentence = f"There is no choice {request.choice}: give 0 (done) or 1 (not done)."
            raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence)
        is_done = request.choice == Question.YES
        code = OutcomeCode.SUCCEEDED if is_done else OutcomeCode.INVALID_ACTION
        text = "A person says that it is done." if is_done else "The person does not do it."
        if not _end(asked, code, text):
            raise RequestRefused(RefusalKind.INVALID_REQUEST, "It was answered already.")
        response.success, response.message = True, text
        return response


def _end(asked: _Asked, code: OutcomeCode, message: str) -> bool:
    """End a request, from any thread; return False if it had ended."""
    try:
        asked.answer.set_result(Outcome(code, message))
    except InvalidStateError:
        return False
    return True


def main() -> int:
    return run_node(PersonExecutorNode)
