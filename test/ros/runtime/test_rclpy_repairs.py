# SPDX-License-Identifier: Apache-2.0
"""Each repair of rclpy is still needed: rclpy alone has the fault, with the repair it is gone.

A test that is skipped names a repair that this release of rclpy no longer needs; it can go when all
supported releases skip it.
"""

from __future__ import annotations

import ast
import inspect
import threading
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from lone_nodes import own_context
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle, _rclpy
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter
from rclpy.task import Future
from rclpy.time import Time
from unique_identifier_msgs.msg import UUID

from fcp_ros.action import MakePlan
from fcp_ros.nodes.runtime import rclpy_repairs
from fcp_ros.nodes.runtime.rclpy_repairs import (
    REPAIRS,
    SafeActionClient,
    SafeActionServer,
    make_wakeable,
    read_state,
    refuse_impossible_transitions,
    spin_until,
)

SOON = 0.5
"""Seconds within which an executor that was woken has done its work."""


def skip_if_mended(mended: bool, repair: str) -> None:
    if mended:
        issue = REPAIRS[repair] or "its gap"
        pytest.skip(f"rclpy {version('rclpy')} has mended {issue}: {repair} is not needed for it")


@pytest.fixture
def context(ros_environment):
    with own_context() as context:
        yield context


@pytest.fixture
def node(context):
    node = LifecycleNode("repaired", context=context)
    yield node
    node.destroy_node()


@pytest.fixture
def executor(context, node):
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    yield executor
    executor.shutdown(timeout_sec=5.0)


@pytest.fixture
def spinning(executor, context):
    """The executor, spun by a thread."""
    stopping = threading.Event()
    thread = threading.Thread(target=spin_until, args=(stopping, executor, context))
    thread.start()
    yield executor
    stopping.set()
    executor.create_task(lambda: None)
    thread.join(10.0)


def test_every_repair_is_named():
    tree = ast.parse(Path(rclpy_repairs.__file__).read_text(encoding="utf-8"))
    defined = {item.name for item in tree.body if isinstance(item, (ast.FunctionDef, ast.ClassDef))}
    assert set(REPAIRS) == defined
    urls = [url for url in REPAIRS.values() if url]
    assert all(url.startswith("https://github.com/ros2/rclpy/issues/") for url in urls)


def test_nothing_else_touches_the_insides_of_rclpy(repository):
    insides = ("_work_tracker", "add_to_wait_set", "service.callback", "_state_machine",
               "_goal_handles", "_result_futures", "_tasks", "_guard")  # fmt: skip
    for file in (repository / "fcp_ros").rglob("*.py"):
        if file.name != "rclpy_repairs.py" and "rclpy" in file.read_text(encoding="utf-8"):
            used = {
                item.attr
                for item in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                if isinstance(item, ast.Attribute)
            }
            assert not used & set(insides), file


def test_a_failing_callback_ends_a_plain_executor(node, executor, context):
    calls = []

    def fail() -> None:
        calls.append(1)
        raise RuntimeError("on purpose")

    node.create_timer(0.01, fail)
    with pytest.raises(RuntimeError, match="on purpose"):
        executor.spin()
    stopping = threading.Event()
    thread = threading.Thread(target=spin_until, args=(stopping, executor, context))
    thread.start()
    while len(calls) < 4 and thread.is_alive():
        time.sleep(0.01)
    stopping.set()
    thread.join(10.0)
    assert len(calls) >= 4


@pytest.mark.parametrize("kind", [ActionServer, SafeActionServer])
def test_a_destroyed_waitable_ends_a_plain_executor(node, executor, kind):
    server = kind(node, MakePlan, "gone", lambda _goal: MakePlan.Result())
    executor.spin_once(timeout_sec=0.0)
    server._handle.destroy_when_not_in_use()  # collected, and destroyed before it is waited for
    failures = []
    for _ in range(5):
        try:
            executor.spin_once(timeout_sec=0.0)
        except Exception as error:
            failures.append(error)
    if kind is SafeActionServer:
        assert not failures
    else:
        skip_if_mended(not failures, "SafeWaitable")


def end_a_goal(node, server):
    """Make a goal that has ended, and whose result nobody has fetched."""
    goal = MakePlan.Impl.SendGoalService.Request()
    goal.goal_id.uuid = list(range(16))
    info = GoalInfo(goal_id=goal.goal_id, stamp=node.get_clock().now().to_msg())
    handle = ServerGoalHandle(server, info, goal.goal)
    server._goal_handles[bytes(goal.goal_id.uuid)] = handle
    server._result_futures[bytes(goal.goal_id.uuid)] = future = Future()
    server.add_future(future)
    handle._update_state(_rclpy.GoalEvent.EXECUTE)
    handle.succeed()
    return bytes(goal.goal_id.uuid)


@pytest.mark.parametrize("kind", [ActionServer, SafeActionServer])
def test_a_clock_that_jumps_takes_results_away(node, executor, kind):
    """With `use_sim_time`, from the present on to the next day."""
    node.set_parameters([Parameter("use_sim_time", value=True)])
    clock = node.get_clock()
    clock.set_ros_time_override(Time(seconds=1000, clock_type=clock.clock_type))
    server = kind(node, MakePlan, "kept", lambda _goal: MakePlan.Result(), result_timeout=60)
    key = end_a_goal(node, server)
    clock.set_ros_time_override(Time(seconds=90_000, clock_type=clock.clock_type))
    end = time.monotonic() + 10.0
    expired = server._expired if kind is SafeActionServer else ()
    while key in server._goal_handles and not expired and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    if kind is ActionServer:
        skip_if_mended(key in server._goal_handles, "SafeActionServer")
        return
    assert key in server._goal_handles
    server._kept_for = 0.0  # as if the time had passed
    executor.create_task(server._execute_expire_goals, [])
    while key in server._goal_handles and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.1)
    assert key not in server._goal_handles
    server.destroy()


@pytest.mark.parametrize("kind", [ActionServer, SafeActionServer])
def test_the_results_of_all_goals_are_visited_at_each_event(node, executor, kind):
    server = kind(node, MakePlan, "visited", lambda _goal: MakePlan.Result())
    result, told = Future(), []
    server.add_future(result)
    if kind is ActionServer:
        assert result in server._futures, "rclpy's executor visits each of these"
        return
    assert not server._futures
    result.add_done_callback(told.append)
    result.set_result(None)
    assert not told, "the executor makes the call"
    executor.spin_once(timeout_sec=1.0)
    assert told == [result]
    server.remove_future(result)


@pytest.mark.parametrize("kind", [ActionServer, SafeActionServer])
def test_a_request_to_cancel_overtakes_its_goal_among_many(node, executor, kind):
    """Which was found by the soak: such a goal was "forgotten", and began all the same."""
    group = ReentrantCallbackGroup()
    started = []
    kind(
        node,
        MakePlan,
        "many",
        lambda _goal: MakePlan.Result(),
        callback_group=group,
        handle_accepted_callback=lambda goal: started.append(bytes(goal.goal_id.uuid)),
        cancel_callback=lambda _goal: CancelResponse.ACCEPT,
    )
    client = SafeActionClient(node, MakePlan, "many", callback_group=group)
    while not client.server_is_ready():
        executor.spin_once(timeout_sec=0.05)
    ids = [UUID(uuid=[number] * 16) for number in range(1, 8)]
    for goal_id in ids:
        client.send_goal_async(MakePlan.Goal(), goal_uuid=goal_id)
    answer = client.handle_of(ids[-1]).cancel_goal_async()
    while not answer.done() or len(started) < len(ids):
        executor.spin_once(timeout_sec=0.05)
    assert started == [bytes(goal_id.uuid) for goal_id in ids], "each once, in their order"
    code = answer.result().return_code
    if kind is SafeActionServer:
        assert code == CancelGoal.Response.ERROR_NONE
    else:
        skip_if_mended(code == CancelGoal.Response.ERROR_NONE, "SafeActionServer")


def test_an_answer_may_overtake_the_note_of_its_request():
    source = inspect.getsource(ActionClient.send_goal_async)
    skip_if_mended("_lock" in source, "SafeActionClient")
    assert "send_goal_request" in source


def test_an_impossible_transition_is_not_answered(node):
    def change():
        service = next(s for s in node.services if s.srv_name.endswith("/change_state"))
        request = ChangeState.Request()
        request.transition.id = Transition.TRANSITION_ACTIVATE
        return service.callback(request, ChangeState.Response())

    try:
        change()
    except Exception:
        refuse_impossible_transitions(node)
        assert not change().success
    else:
        skip_if_mended(True, "refuse_impossible_transitions")


def test_a_future_of_another_thread_does_not_wake_its_executor(spinning):
    def is_resumed(future, finish) -> bool:
        resumed, waits = threading.Event(), threading.Event()

        async def wait() -> None:
            waits.set()
            await future
            resumed.set()

        spinning.create_task(wait)
        assert waits.wait(10.0)
        time.sleep(0.1)  # the executor sleeps now
        finish()
        return resumed.wait(SOON)

    assert is_resumed(*make_wakeable(spinning)), "with the repair"
    plain = Future()
    skip_if_mended(is_resumed(plain, lambda: plain.set_result(None)), "make_wakeable")


def test_a_lifecycle_node_does_not_tell_its_state(node):
    assert read_state(node) == "unconfigured"
    node.trigger_configure()
    assert read_state(node) == "inactive"
    public = [name for name in dir(node) if "state" in name and not name.startswith("_")]
    skip_if_mended(bool(public), "read_state")
