# SPDX-License-Identifier: Apache-2.0
"""Life cycle and parameters of all nodes: every state answers, every transition can be repeated."""

from __future__ import annotations

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from grasping import GRASP
from lifecycle_msgs.msg import Transition
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter as NodeParameter

from fcp_ros.action import MakePlan
from fcp_ros.client import FcpClient, GoalState, is_solved, plan_request
from fcp_ros.msg import Plan, PlanStatus, RequestError
from fcp_ros.nodes.executive.parameters import GoalError, PlanError
from fcp_ros.nodes.runtime import lifecycle
from fcp_ros.nodes.runtime.lifecycle import NodeState
from fcp_ros.nodes.stack import USUAL_NODES, NodeStack
from fcp_ros.package_files import find_domain

GOAL = "on(mug_1, counter_1)"
CONFIGURE, CLEANUP = Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_CLEANUP
ACTIVATE, DEACTIVATE = Transition.TRANSITION_ACTIVATE, Transition.TRANSITION_DEACTIVATE


@pytest.fixture(scope="module")
def robot(stack_options, tmp_path_factory):
    """All nodes under the namespace "robot"."""
    options = stack_options(tmp_path_factory.mktemp("robot"), namespace="robot")
    with NodeStack(options) as stack:
        stack.wait_active()
        yield stack


@pytest.fixture(autouse=True)
def active_again(robot):
    """A test that failed half-way does not take the next ones with it."""
    yield
    for node in robot.nodes.values():
        if node.state is NodeState.UNCONFIGURED:
            node.trigger_configure()
        if node.state is NodeState.INACTIVE:
            node.trigger_activate()


@pytest.fixture(scope="module")
def robot_client(robot):
    with FcpClient(namespace="robot") as client:
        client.wait_for(timeout=30.0)
        yield client


def refusals(client) -> dict[str, str]:
    """What each kind of request is answered with by nodes that are not active."""
    planned = client.plan(GOAL)
    assert planned.status.code == PlanStatus.NODE_INACTIVE
    executing = client.send_execute(Plan())
    executed = executing.result(30.0)
    assert executing.poll() is GoalState.ABORTED
    assert executed.error_code == PlanError.NODE_INACTIVE
    achieving = client.send_achieve(plan_request(GOAL))
    achieved = achieving.result(30.0)
    assert achieving.poll() is GoalState.ABORTED
    assert achieved.error_code == GoalError.NODE_INACTIVE
    answers = {
        "judge": client.judge(GRASP),
        "calibration": client.calibration(),
        "load_scene": client.load_scene("twin_house"),
        "validate": client.validate(Plan()),
        "load_domain": client.load_domain("household"),
    }
    assert not any(answer.success for answer in answers.values())
    codes = {name: answer.error.code for name, answer in answers.items()}
    assert set(codes.values()) == {RequestError.NODE_INACTIVE}, codes
    return {
        "plan": planned.status.message,
        "execute": executed.error_msg,
        "achieve": achieved.error_msg,
        **{name: answer.message for name, answer in answers.items()},
    }


def change_all(probe, *transitions):
    for name in USUAL_NODES:
        for transition in transitions:
            assert probe.change_state(f"robot/{name}", transition), (name, transition)


def test_inactive_and_unconfigured_nodes_answer(robot, robot_client, probe, until):
    learned = robot_client.calibration()
    assert learned.success
    assert is_solved(robot_client.plan(GOAL, alpha=0.3))
    change_all(probe, DEACTIVATE)
    for request, sentence in refusals(robot_client).items():
        assert "is inactive" in sentence, request
        assert "ros2 lifecycle set /robot/" in sentence, request
    change_all(probe, CLEANUP)
    for request, sentence in refusals(robot_client).items():
        assert "is unconfigured" in sentence, request
    change_all(probe, CONFIGURE, ACTIVATE)
    result = robot_client.plan(GOAL, alpha=0.3)
    assert is_solved(result), result.status.message
    achieved = robot_client.achieve(GOAL, alpha=0.3, timeout=60.0)
    assert achieved.error_code == GoalError.NONE, achieved.error_msg


def test_deactivate_and_activate_again_keeps_the_scene(robot, robot_client, probe):
    before = robot_client.scene()
    for _ in range(3):
        change_all(probe, DEACTIVATE, ACTIVATE)
    assert robot_client.scene() == before
    assert robot_client.plan("at(robot_1, living_room_1)").status.code == (
        PlanStatus.SOLVED_OPTIMALLY
    )


def test_impossible_transitions_are_refused(robot, probe):
    for transition in (CONFIGURE, CLEANUP, ACTIVATE, 250):
        assert not probe.change_state("robot/grounder", transition)
    assert probe.state_of("robot/grounder") == "active"


def test_diagnostics_tell_the_state(robot, probe):
    name = "grounder"
    inbox = probe.listen(DiagnosticArray, "/diagnostics")

    def state(wanted):
        return inbox.wait(
            lambda message: any(
                status.name == f"/robot/{name}"
                and {"state": wanted}.items() <= {v.key: v.value for v in status.values}.items()
                for status in message.status
            )
        ).status[0]

    assert state("active").hardware_id == "fcp_ros"
    assert probe.change_state(f"robot/{name}", DEACTIVATE)
    assert state("inactive").level == DiagnosticStatus.WARN
    assert probe.change_state(f"robot/{name}", ACTIVATE)
    inbox.close()


# --- configuring again --------------------------------------------------------------------------


def test_failed_configuration_can_be_repeated(stack_options, tmp_path, probe):
    options = stack_options(
        tmp_path, nodes=("task_planner",), namespace="retry", domain="/no/such/domain.yaml"
    )
    with NodeStack(options) as stack, FcpClient(namespace="retry") as client:
        node = stack.nodes["task_planner"]
        refused = client.plan(GOAL)
        assert refused.status.code == PlanStatus.NODE_INACTIVE
        assert "/no/such/domain.yaml" in refused.status.message
        inbox = probe.listen(DiagnosticArray, "/diagnostics")
        broken = inbox.wait(lambda m: m.status[0].level == DiagnosticStatus.ERROR)
        assert "/no/such/domain.yaml" in broken.status[0].message
        inbox.close()
        assert not probe.change_state("retry/task_planner", CONFIGURE)
        assert probe.state_of("retry/task_planner") == "unconfigured"
        node.set_parameters([NodeParameter("domain", value="household")])
        assert probe.change_state("retry/task_planner", CONFIGURE)
        assert probe.change_state("retry/task_planner", ACTIVATE)
        assert not node.fault


def test_a_start_that_failed_is_tried_again_by_itself(stack_options, tmp_path, until, monkeypatch):
    """Such as on a disk that was full. Only autostart does that."""
    monkeypatch.setattr(lifecycle, "AUTOSTART_AGAIN", 0.1)
    domain = tmp_path / "mine.yaml"
    options = stack_options(
        tmp_path, nodes=("simulated_executor",), namespace="patient", domain=str(domain)
    )
    with NodeStack(options) as stack:
        node = stack.nodes["simulated_executor"]
        until(lambda: "mine.yaml" in node.fault, "a failed start")
        domain.write_text(find_domain("household").read_text())
        until(lambda: node.is_active, "an active node")
        assert not node.fault


def test_shutdown_destroys_what_was_offered(stack_options, tmp_path, probe, until):
    options = stack_options(tmp_path, nodes=("task_planner",), namespace="gone")
    with NodeStack(options) as stack:
        stack.wait_active()
        client = probe.action(MakePlan, "gone/make_plan")
        assert probe.change_state("gone/task_planner", Transition.TRANSITION_ACTIVE_SHUTDOWN)
        until(lambda: not client.server_is_ready(), "the end of the action server")
        assert probe.state_of("gone/task_planner") == "finalized"


# --- parameters ---------------------------------------------------------------------------------


def set_parameter(probe, node, name, **value):
    request = SetParameters.Request(
        parameters=[Parameter(name=name, value=ParameterValue(**value))]
    )
    return probe.ask(SetParameters, f"{node}/set_parameters", request).results[0]


def double(value):
    return {"type": ParameterType.PARAMETER_DOUBLE, "double_value": value}


def text(value):
    return {"type": ParameterType.PARAMETER_STRING, "string_value": value}


@pytest.mark.parametrize(
    ("node", "name", "value", "words"),
    [
        ("task_planner", "alpha", double(1.5), "range"),
        ("task_planner", "alpha", double(float("nan")), ""),
        ("task_planner", "tnorm", text("average"), "goedel"),
        ("task_planner", "tnorm", text("hamacher(-1)"), "hamacher(p)"),
        ("task_planner", "domain", text("tiny"), "configured"),
        ("grounder", "oracle", text("crystal_ball"), "embedding"),
        ("task_planner", "domain_folders", {"type": ParameterType.PARAMETER_STRING_ARRAY,
                                       "string_array_value": ["/"]}, "read-only"),
        ("scene_graph", "max_nodes", text("many"), ""),
    ],
)  # fmt: skip
def test_wrong_values_are_refused(robot, probe, node, name, value, words):
    before = robot.nodes[node].get_parameter(name).value
    result = set_parameter(probe, f"robot/{node}", name, **value)
    assert not result.successful
    assert words in result.reason
    assert robot.nodes[node].get_parameter(name).value == before


def test_a_request_at_the_moment_of_a_cleanup_is_refused_and_no_fault(robot, robot_client):
    planner = robot.nodes["task_planner"]
    planner.workers.close()
    try:
        assert robot_client.plan(GOAL).status.code == PlanStatus.NODE_INACTIVE
        refused = robot_client.interpret("put the mug on the counter")
        assert not refused.success
        assert refused.error.code == RequestError.NODE_INACTIVE
    finally:
        planner.trigger_deactivate()
        planner.trigger_cleanup()
