# SPDX-License-Identifier: Apache-2.0
"""Executors that somebody else wrote: that say little, contradict themselves, refuse or vanish."""

from __future__ import annotations

import threading

import pytest
from rclpy.action import CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup

from fcp_ros.action import ExecuteStep
from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.msg import OutcomeCode as OutcomeCodeMessage
from fcp_ros.nodes.executive.parameters import PlanError
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionServer


class Performer:
    """An action server for one executor that does what the test says."""

    def __init__(self, probe, name, act, *, accept=GoalResponse.ACCEPT):
        self.calls = []
        self.acting = 0
        self.answers = []  # questions for a result, each with the result that was sent
        self._act = act
        self._server = SafeActionServer(
            probe.node,
            ExecuteStep,
            name,
            self._execute,
            callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda _goal: accept,
            cancel_callback=lambda _goal: CancelResponse.ACCEPT,
            result_timeout=60,
        )
        self._send = self._server._send_result_response
        self._server._send_result_response = self._answer

    def _answer(self, question, future):
        self.answers.append((question, future))
        self._send(question, future)

    def send_again(self, answer, question=None):
        """Send a result again; to another question if that is given."""
        self._send(
            self.answers[answer][0] if question is None else question, self.answers[answer][1]
        )

    def _execute(self, goal):
        self.calls.append(goal.request)
        self.acting += 1
        try:
            return self._act(goal)
        finally:
            self.acting -= 1

    def close(self):
        server, self._server = self._server, None
        if server is not None:
            server.destroy()


@pytest.fixture
def here(brain):
    """These tests bring their own executors."""
    return brain


@pytest.fixture
def performer(probe):
    made = []

    def start(here, executor, act, **more):
        made.append(Performer(probe, here.name(executor), act, **more))
        return made[-1]

    yield start
    for one in made:
        one.close()


def result(code, quality=None):
    return ExecuteStep.Result(
        outcome=OutcomeCodeMessage(code=code, message="as the test wants it"),
        quality_measured=quality is not None,
        quality=quality or 0.0,
    )


def ending(end, code=OutcomeCodeMessage.UNKNOWN, quality=None):
    """Ends each goal at once."""

    def act(goal):
        getattr(goal, end)()
        return result(code, quality)

    return act


def test_an_executor_that_perception_does_not_confirm_is_not_believed(here, performer, to_and_fro):
    navigate = performer(here, "navigate", ending("succeed"))
    plan = to_and_fro(20.0)
    state, answer = here.execute(plan)
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.STEP_FAILED)
    assert here.codes(1) == [OutcomeCode.POSTCONDITION_FAILED]
    assert "at(robot_1, living_room_1) does not hold" in answer.error_msg
    assert "trust_executors" in answer.error_msg
    assert navigate.calls[0].step == plan.steps[0]
    assert navigate.calls[0].timeout.sec == 60


def test_a_trusted_executor_needs_no_perception_and_does_not_wait_for_it(
    here, performer, to_and_fro
):
    here.set("executive", trust_executors=True, settle_time=20.0)
    navigate = performer(here, "navigate", ending("succeed", quality=0.75))
    state, answer = here.execute(to_and_fro())
    assert state is GoalState.SUCCEEDED, answer.error_msg
    assert max(o.duration.sec for o in answer.outcomes) < 5
    assert [o.quality for o in answer.outcomes] == [0.75, 0.75]
    assert [call.step_index for call in navigate.calls] == [0, 1]


@pytest.mark.parametrize(
    ("end", "said", "counted"),
    [
        ("abort", OutcomeCodeMessage.PLANNING_FAILED, OutcomeCode.PLANNING_FAILED),
        ("abort", OutcomeCodeMessage.UNKNOWN, OutcomeCode.EXECUTION_FAILED),
        ("abort", OutcomeCodeMessage.SUCCEEDED, OutcomeCode.EXECUTION_FAILED),
        ("succeed", OutcomeCodeMessage.EXECUTION_FAILED, OutcomeCode.EXECUTION_FAILED),
        ("abort", 99, OutcomeCode.EXECUTION_FAILED),
    ],
)
def test_of_status_and_outcome_the_worse_one_counts(
    here, performer, to_and_fro, end, said, counted
):
    performer(here, "navigate", ending(end, said, quality=7.0))
    state, answer = here.execute(to_and_fro())
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.STEP_FAILED)
    assert here.codes(1) == [counted]
    assert not here.outcomes.messages[0].quality_measured  # 7 is no quality


def test_an_executor_that_refuses_goals_is_an_invalid_action(here, performer, to_and_fro):
    performer(here, "navigate", ending("succeed"), accept=GoalResponse.REJECT)
    state, answer = here.execute(to_and_fro())
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.STEP_FAILED)
    assert here.codes(1) == [OutcomeCode.INVALID_ACTION]
    assert "refused" in answer.error_msg


def test_an_executor_that_comes_late_is_waited_for(here, performer, to_and_fro, until):
    here.set("executive", trust_executors=True)
    goal = here.send_execute(to_and_fro())
    until(lambda: here.executive.diagnose().values["busy"], "the goal")
    performer(here, "navigate", ending("succeed"))
    assert here.end_of(goal)[0] is GoalState.SUCCEEDED


def test_no_second_performer_starts_while_the_first_still_acts(here, performer, plan_of, until):
    """The first ignores the cancel; meanwhile two more plans come, and it sees none of them."""
    here.set("executive", min_step_timeout=0.2, grace_time=0.2, trust_executors=True)
    let_go = threading.Event()

    def act(goal):
        let_go.wait(30.0)
        goal.canceled() if goal.is_cancel_requested else goal.succeed()
        return result(OutcomeCodeMessage.UNKNOWN)

    navigate = performer(here, "navigate", act)
    there = plan_of("navigate robot_1 kitchen_1 living_room_1 door_1", duration=0.0)
    state, answer = here.execute(there)
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.STEP_TIMED_OUT)
    assert "may still be acting" in answer.error_msg
    here.set("executive", executor_wait=0.4)
    for _ in range(2):
        state, answer = here.execute(there)
        assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.NO_EXECUTOR)
        assert (len(navigate.calls), navigate.acting) == (1, 1)
    let_go.set()
    until(lambda: navigate.acting == 0, "the end of the first step")
    here.set("executive", executor_wait=20.0, min_step_timeout=10.0)
    assert here.execute(there)[0] is GoalState.SUCCEEDED
    assert len(navigate.calls) == 2
    assert here.codes(2) == [OutcomeCode.TIMED_OUT, OutcomeCode.SUCCEEDED]


def test_an_executor_that_vanishes_fails_its_step(here, performer, to_and_fro, until):
    here.set("executive", grace_time=0.3)
    gone = threading.Event()

    def act(goal):
        gone.wait(30.0)
        goal.abort()
        return result(OutcomeCodeMessage.UNKNOWN)

    navigate = performer(here, "navigate", act)
    goal = here.send_execute(to_and_fro())
    until(lambda: navigate.acting, "the step")
    navigate.close()
    state, answer = here.end_of(goal)
    gone.set()
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.EXECUTOR_LOST)
    assert here.codes(1) == [OutcomeCode.EXECUTOR_LOST]
    assert "stopped answering" in answer.error_msg
    assert "may still be acting" in answer.error_msg
    # Started anew, it says that it has forgotten the old goal, and may be given the next.
    here.set("executive", trust_executors=True)
    performer(here, "navigate", ending("succeed"))
    assert here.execute(to_and_fro())[0] is GoalState.SUCCEEDED


def test_answers_that_come_twice_or_for_another_goal_end_no_step(
    here, performer, to_and_fro, until
):
    """While the second step runs, the result of the first comes again and again."""
    here.set("executive", trust_executors=True)
    let_go = threading.Event()

    def act(goal):
        if navigate.answers:
            for _ in range(3):
                navigate.send_again(0)
            goal.publish_feedback(ExecuteStep.Feedback(progress=0.5))  # comes after those
            let_go.wait(30.0)
        goal.succeed()
        return result(OutcomeCodeMessage.SUCCEEDED)

    navigate = performer(here, "navigate", act)
    goal = here.send_execute(to_and_fro())
    until(lambda: goal.feedback and goal.feedback.progress == 0.5, "the second step's feedback")
    contexts = here.executive._threads.list_goals()[0]
    until(lambda: not any(map(len, (one.events for one in contexts))), "that it has seen all that")
    assert not goal.poll().done
    assert here.codes(1) == [OutcomeCode.SUCCEEDED]
    let_go.set()
    state, answer = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, answer.error_msg
    assert here.codes(2) == [OutcomeCode.SUCCEEDED] * 2
    assert len(navigate.calls) == 2


def test_a_step_that_gets_the_result_of_another_one_is_not_believed(
    here, performer, to_and_fro, until
):
    """Nothing in an answer says which goal it is of; the world does."""
    let_go = threading.Event()

    def act(goal):
        let_go.wait(30.0)
        goal.succeed()
        return result(OutcomeCodeMessage.SUCCEEDED, 1.0)

    navigate = performer(here, "navigate", act)
    goal = here.send_execute(to_and_fro())
    until(lambda: navigate.acting, "the step")
    let_go.set()  # a result, and nothing has been done
    state, answer = here.end_of(goal)
    assert (state, answer.error_code) == (GoalState.ABORTED, PlanError.STEP_FAILED)
    assert here.codes(1) == [OutcomeCode.POSTCONDITION_FAILED]
