# SPDX-License-Identifier: Apache-2.0
"""py_trees on live nodes: behaviours that send goals, and an executor that runs trees."""

from __future__ import annotations

import pytest
from py_trees.behaviour import Behaviour
from py_trees.behaviours import StatusQueue
from py_trees.blackboard import Blackboard
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from fcp_ros.action import ExecuteStep
from fcp_ros.client import FcpClient, FcpUnavailable, plan_request
from fcp_ros.client.behaviours import AchieveGoal, ExecutePlan, MakePlan
from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.nodes.executors.tree_executor import TreeExecutor

KEY = "/plan of the test"


def tick_until(until, root, *ends):
    """Tick a tree until it has one of these statuses."""

    def look():
        root.tick_once()
        return root.status in ends

    until(look, f"{ends}: {root.feedback_message}")
    return root.status


def want(goal, alpha=0.3):
    return plan_request(goal, alpha=alpha)


# --- behaviours ---


def test_a_goal_is_achieved(here, until):
    goal = AchieveGoal("tidy", here.client, want("on(mug_1, counter_1)"))
    goal.setup()
    goal.tick_once()
    assert goal.status is Status.RUNNING
    assert tick_until(until, goal, Status.SUCCESS, Status.FAILURE) is Status.SUCCESS
    assert [outcome.step.rule for outcome in goal.answer.outcomes][-1] == "place"
    goal.tick_once()
    assert goal.status is Status.RUNNING, "a goal that has ended is sent again by the next tick"
    assert tick_until(until, goal, Status.SUCCESS, Status.FAILURE) is Status.SUCCESS
    assert not goal.answer.outcomes, "nothing was left to do"


def test_a_goal_that_fails_says_why(here, until):
    # A low alpha: it has failed in other files' tests, and is soon no longer worth a try.
    request = want("on(drinking_glass_1, table_1)", alpha=0.01)
    goal = AchieveGoal("tidy", here.client, request, max_replans=0)
    assert tick_until(until, goal, Status.SUCCESS, Status.FAILURE) is Status.FAILURE
    assert "EXECUTION_FAILED" in goal.feedback_message
    assert goal.answer.error_code
    goal = AchieveGoal("tidy", here.client, want("on(unicorn_1, counter_1)"))
    assert tick_until(until, goal, Status.SUCCESS, Status.FAILURE) is Status.FAILURE
    assert "unicorn_1" in goal.feedback_message


def test_an_interrupted_goal_is_cancelled_and_the_next_one_waits_for_its_end(here, until):
    alarm = StatusQueue("alarm", [Status.FAILURE], Status.FAILURE)
    goal = AchieveGoal("tidy", here.client, want("on(vase_1, table_1)"))
    root = Selector("root", memory=False, children=[alarm, goal])
    for _ in range(2):
        until(lambda: root.tick_once() or "pick(robot_1, vase_1" in here.performing(), "a step")
        assert goal.status is Status.RUNNING
        first = goal._pending
        alarm.eventually = Status.SUCCESS
        root.tick_once()
        assert goal.status is Status.INVALID
        alarm.eventually = Status.FAILURE
        root.tick_once()
        assert goal.status is Status.RUNNING
        assert goal._pending is first or first.poll() is GoalState.CANCELED
        until(lambda first=first: root.tick_once() or goal._pending is not first, "another goal")
        assert first.poll() is GoalState.CANCELED
    root.stop(Status.INVALID)
    until(lambda: goal._pending.poll() is GoalState.CANCELED, "the end of the last goal")


def test_a_plan_goes_from_one_behaviour_to_another(here, until):
    make = MakePlan("plan", here.client, want("on(apple_1, table_1)"), KEY)
    execute = ExecutePlan("execute", here.client, KEY)
    root = Sequence("root", memory=True, children=[make, execute])
    assert tick_until(until, root, Status.SUCCESS, Status.FAILURE) is Status.SUCCESS
    assert execute.answer.steps_done == len(Blackboard.get(KEY).steps) > 0
    make = MakePlan("plan", here.client, want("on(unicorn_1, counter_1)"), KEY)
    assert tick_until(until, make, Status.SUCCESS, Status.FAILURE) is Status.FAILURE
    assert "unicorn_1" in make.feedback_message
    assert not Blackboard.exists(KEY), "the plan of before is no plan for this goal"
    execute.tick_once()
    assert execute.status is Status.FAILURE
    assert "plan of the test" in execute.feedback_message


def test_without_nodes_a_behaviour_fails_at_once():
    with FcpClient(namespace="nowhere", server_timeout=0.05) as client:
        goal = AchieveGoal("tidy", client, want("on(mug_1, counter_1)"))
        with pytest.raises(FcpUnavailable, match="/nowhere/achieve_goal"):
            goal.setup()
        goal.tick_once()
        assert goal.status is Status.FAILURE
        assert "/nowhere/achieve_goal" in goal.feedback_message


# --- an executor that runs trees ---


class Act(Behaviour):
    """Ends with the statuses that the test gives it, one after the other; an error is raised."""

    def __init__(self, script):
        super().__init__("act")
        self.script = script
        self.ends = []

    def update(self):
        now = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(now, Exception):
            raise now
        self.feedback_message = f"{now.value} as the test wants it"
        return now

    def terminate(self, new_status):
        self.ends.append(new_status)


@pytest.fixture
def serve(brain, probe):
    """Serves an executor of `brain` by trees; returns what makes a behaviour for each step."""
    made = []

    def start(make_tree, executor="navigate"):
        made.append(TreeExecutor(probe.node, brain.name(executor), make_tree, period=0.01))
        probe.action(ExecuteStep, brain.name(executor))

    yield start
    for one in made:
        one.close()


STEP = "navigate robot_1 kitchen_1 living_room_1 door_1"


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ([Status.RUNNING, Status.SUCCESS], OutcomeCode.SUCCEEDED, "SUCCESS as the test"),
        ([Status.RUNNING, Status.FAILURE], OutcomeCode.EXECUTION_FAILED, "FAILURE as the test"),
        ([OSError("no motor")], OutcomeCode.EXECUTION_FAILED, "OSError: no motor"),
    ],
)
def test_the_end_of_a_tree_is_the_outcome_of_its_step(script, code, says, brain, serve, plan_of):
    steps, acts = [], []

    def make_tree(step):
        steps.append(step)
        acts.append(Act(list(script)))
        return Sequence("root", memory=True, children=acts[-1:])

    brain.set("executive", trust_executors=True)
    serve(make_tree)
    state, result = brain.execute(plan_of(STEP))
    (outcome,) = result.outcomes
    assert OutcomeCode(outcome.outcome.code) is code
    assert says in outcome.outcome.message
    assert (state is GoalState.SUCCEEDED) is (code is OutcomeCode.SUCCEEDED)
    assert dict(steps[0].arguments)["to"] == "living_room_1"
    assert acts[0].ends[-1] is (Status.INVALID if "OSError" in says else script[-1])


def test_a_step_that_has_no_tree_is_refused(brain, serve, plan_of):
    def make_tree(step):
        raise ValueError(f"no tree for {step}")

    serve(make_tree)
    _, result = brain.execute(plan_of(STEP))
    (outcome,) = result.outcomes
    assert OutcomeCode(outcome.outcome.code) is OutcomeCode.INVALID_ACTION
    assert "no tree for navigate(robot_1" in outcome.outcome.message


def test_a_cancelled_step_stops_its_tree(brain, serve, plan_of, until):
    acts = []

    def make_tree(step):
        acts.append(Act([Status.RUNNING]))
        return acts[-1]

    serve(make_tree)
    goal = brain.send_execute(plan_of(STEP))
    until(lambda: acts and acts[0].status is Status.RUNNING, "the tree")
    goal.cancel()
    _, result = brain.end_of(goal)
    assert goal.poll() is GoalState.CANCELED
    assert OutcomeCode(result.outcomes[-1].outcome.code) is OutcomeCode.CANCELLED
    assert acts[0].ends == [Status.INVALID]


def test_a_second_step_meanwhile_is_refused(brain, serve, probe, plan_of, until):
    acts = []

    def make_tree(step):
        acts.append(Act([Status.RUNNING]))
        return acts[-1]

    serve(make_tree)
    client = probe.action(ExecuteStep, brain.name("navigate"))
    request = ExecuteStep.Goal(step=plan_of(STEP).steps[0])
    first = client.send_goal_async(request)
    until(lambda: acts and acts[0].status is Status.RUNNING, "the tree")
    second = client.send_goal_async(request)
    until(second.done, "the second goal")
    answer = second.result().get_result_async()
    until(answer.done, "the answer to the second goal")
    assert OutcomeCode(answer.result().result.outcome.code) is OutcomeCode.BUSY
    assert len(acts) == 1
    first.result().cancel_goal_async()
    answer = first.result().get_result_async()
    until(answer.done, "the end of the first goal")
    assert OutcomeCode(answer.result().result.outcome.code) is OutcomeCode.CANCELLED
