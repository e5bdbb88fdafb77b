# SPDX-License-Identifier: Apache-2.0
"""Every request is answered: hundreds at once, and all nodes in an executor with one thread."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import wait

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from fcp_ros.client import Element, FcpClient, GoalState, is_solved, plan_request, predicate_query
from fcp_ros.msg import PlanStatus, RequestError
from fcp_ros.nodes.executive.parameters import GoalError, PlanError
from fcp_ros.nodes.runtime.action_call import ServiceCall
from fcp_ros.nodes.runtime.qos import request_qos
from fcp_ros.nodes.runtime.rclpy_repairs import spin_until
from fcp_ros.nodes.stack import USUAL_NODES, make_node
from fcp_ros.srv import PlanGoal

GOAL = "on(mug_1, counter_1)"
MANY = 250
MANY_GOALS = 60
"""Of an action: each change of one's status is published with the status of all."""
pytestmark = pytest.mark.timeout(300)
LIMIT = 240.0  # against hanging: 45 s for 500 goals at load 6


def mug(number: int):
    return predicate_query(
        "serves_as", item=Element("m", f"mug {number}", {"size_x": 0.1}), purpose="drinking"
    )


def test_all_calls_of_plan_at_once_are_answered(probe, scene, until):
    qos = request_qos()  # with ROS's default of 10 a client loses answers that it has got
    client = probe.node.create_client(PlanGoal, "plan", qos_profile=qos, callback_group=probe.group)
    until(client.service_is_ready, "the service")
    request = PlanGoal.Request(request=plan_request(GOAL, alpha=0.3, time_limit=LIMIT))
    futures = [client.call_async(request) for _ in range(MANY)]
    until(lambda: all(future.done() for future in futures), "all answers", LIMIT)
    codes = Counter(future.result().result.status.code for future in futures)
    assert set(codes) == {PlanStatus.SOLVED_OPTIMALLY, PlanStatus.BUSY}, codes
    refused = next(f.result().result.status for f in futures if f.result().result.status.code == 12)
    assert "more requests wait already: ask again later" in refused.message
    probe.node.destroy_client(client)


def test_all_goals_of_make_plan_at_once_are_answered(client, scene):
    goals = [client.send_plan(plan_request(GOAL, alpha=0.3)) for _ in range(MANY_GOALS)]
    codes = Counter(goal.result(LIMIT).result.status.code for goal in goals)
    assert set(codes) == {PlanStatus.SOLVED_OPTIMALLY, PlanStatus.BUSY}, codes


def test_all_goals_of_the_executive_at_once_are_answered(client, scene):
    goals = [client.send_achieve(plan_request(GOAL, alpha=0.3)) for _ in range(MANY_GOALS)]
    codes = Counter(goal.result(LIMIT).error_code for goal in goals)
    assert set(codes) == {GoalError.NONE, GoalError.BUSY}, codes
    assert codes[GoalError.NONE] > 20, "as many as wait are worked on, and the first"


def test_all_questions_at_once_are_answered(client, scene):
    replies = [client.send_judge([mug(number)]) for number in range(MANY)]
    answers = [reply.result(LIMIT) for reply in replies]
    codes = Counter(answer.error.code for answer in answers)
    assert set(codes) == {RequestError.NONE, RequestError.BUSY}, codes
    assert all(answer.success == (answer.error.code == RequestError.NONE) for answer in answers)


# --- one thread ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def container(stack_options, tmp_path_factory):
    """All nodes in one executor with one thread, as in a container of somebody else."""
    options = stack_options(tmp_path_factory.mktemp("container"), namespace="container", warm=True)
    context = Context()
    rclpy.init(
        args=options.arguments(), context=context, signal_handler_options=SignalHandlerOptions.NO
    )
    executor = SingleThreadedExecutor(context=context)
    nodes = {
        name: make_node(
            name,
            context=context,
            namespace="container",
            parameter_overrides=options.overrides_of(name),
        )
        for name in USUAL_NODES
    }
    for node in nodes.values():
        executor.add_node(node)
    stopping = threading.Event()
    thread = threading.Thread(target=spin_until, args=(stopping, executor, context), daemon=True)
    thread.start()
    yield nodes
    for node in nodes.values():
        node.retire(5.0)
    stopping.set()
    executor.create_task(lambda: None)
    thread.join(10.0)
    executor.shutdown(timeout_sec=5.0)
    for node in nodes.values():
        node.finish()
        node.destroy_node()
    context.try_shutdown()


@pytest.fixture(scope="module")
def contained(container, until):
    with FcpClient(namespace="container") as client:
        until(lambda: all(node.is_active for node in container.values()), "active nodes", 60.0)
        client.wait_for(timeout=60.0)
        until(lambda: client.scene() is not None, "the scene")
        yield client


def test_all_handlers_answer_with_one_thread(contained):
    result = contained.plan(GOAL, alpha=0.3)
    assert is_solved(result), result.status.message
    assert contained.validate(result.plan).valid
    assert contained.judge(mug(1)).success
    assert contained.calibration().success
    assert contained.load_domain("household").success
    assert contained.load_scene("twin_house_furnished").success
    executed = contained.execute(contained.plan(GOAL, alpha=0.3).plan, timeout=LIMIT)
    assert executed.error_code == PlanError.NONE, executed.error_msg
    achieved = contained.achieve("at(robot_1, living_room_1)", alpha=0.3, timeout=LIMIT)
    assert achieved.error_code == GoalError.NONE, achieved.error_msg


def test_a_goal_is_cancelled_with_one_thread(contained, container):
    slow = container["simulated_executor"]
    slow.set_parameters([rclpy.parameter.Parameter("time_scale", value=0.01)])
    goal = contained.send_achieve(plan_request("at(robot_1, kitchen_1)", alpha=0.3))
    while not slow.diagnose().values["performing"]:
        assert not goal.poll().done
    goal.cancel()
    assert goal.result(LIMIT).error_code == GoalError.CANCELLED
    assert goal.poll() is GoalState.CANCELED
    slow.set_parameters([rclpy.parameter.Parameter("time_scale", value=1000.0)])


def test_transitions_answer_while_a_step_is_performed_with_one_thread(contained, container, probe):
    from lifecycle_msgs.msg import Transition

    slow = container["simulated_executor"]
    slow.set_parameters([rclpy.parameter.Parameter("time_scale", value=0.01)])
    goal = contained.send_achieve(plan_request("at(robot_1, kitchen_1)", alpha=0.3))
    while not slow.diagnose().values["performing"]:
        assert not goal.poll().done
    assert probe.change_state("container/executive", Transition.TRANSITION_DEACTIVATE)
    assert goal.result(LIMIT).error_code == GoalError.NODE_INACTIVE
    assert probe.change_state("container/executive", Transition.TRANSITION_ACTIVATE)
    slow.set_parameters([rclpy.parameter.Parameter("time_scale", value=1000.0)])


def test_requests_are_served_while_a_node_waits_with_one_thread(contained, container):
    calls = [
        ServiceCall(contained._services["judge"], contained_request(number), repeatable=True)
        for number in range(20)
    ]
    assert not wait([call.answer for call in calls], LIMIT).not_done


def contained_request(number: int):
    from fcp_ros.srv import JudgePredicates

    return JudgePredicates.Request(queries=[mug(1000 + number)])
