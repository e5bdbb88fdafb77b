# SPDX-License-Identifier: Apache-2.0
"""All that touches the insides of rclpy (Humble to Kilted), each with the issue that it repairs.

`REPAIRS` names them; `test/ros/runtime/test_rclpy_repairs.py` shows each fault without its repair,
and says when a release of rclpy no longer has it. Everything else in this package uses rclpy's
public interface only.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from rclpy.action import ActionClient, ActionServer
from rclpy.action.client import ClientGoalHandle
from rclpy.action.server import RCLError
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.lifecycle import LifecycleNode
from rclpy.logging import get_logger
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

REPAIRS = {
    "spin_until": "https://github.com/ros2/rclpy/issues/1355",
    "SafeWaitable": "https://github.com/ros2/rclpy/issues/1284",
    "SafeActionServer": "",  # there is no issue: a jump of /clock takes results away
    "SafeActionClient": "https://github.com/ros2/rclpy/issues/1123",
    "refuse_impossible_transitions": "https://github.com/ros2/rclpy/issues/1209",
    "make_wakeable": "https://github.com/ros2/rclpy/issues/1467",
    "read_state": "",  # there is no issue: rclcpp has get_current_state, rclpy only the service
}
"""Repair -> issue of rclpy."""

FAILURE_PAUSE = 0.05
"""Seconds to pause after a failed callback, so that one that keeps failing can't flood the log."""


def spin_until(stopping: threading.Event, executor: Executor, context: Context) -> None:
    """Spin until `stopping` is set or the context is shut down; survive exceptions in callbacks."""
    # rclpy itself also raises while nodes make and destroy clients, services and topics. An
    # executor that ended then would leave all later requests and answers unhandled.
    while not stopping.is_set() and context.ok():
        try:
            executor.spin_once()
        except ExternalShutdownException:
            return
        except Exception:
            if stopping.is_set() or not threading.main_thread().is_alive():
                return  # the process ends
            get_logger("fcp_ros").error(f"callback: {traceback.format_exc().rstrip()}")
            stopping.wait(FAILURE_PAUSE)


class SafeWaitable:
    """Put before an rclpy waitable: once destroyed, it is quietly left out of the wait set.

    rclpy's executor collects waitables, finds the handle of a destroyed one invalid, and adds it to
    the wait set all the same; the error then ends the executor's spinning.
    """

    def add_to_wait_set(self, wait_set: Any) -> None:
        try:
            super().add_to_wait_set(wait_set)  # type: ignore[misc]
        except (RCLError, InvalidHandle):
            return  # destroyed since it was collected

    def is_ready(self, wait_set: Any) -> bool:
        try:
            return bool(super().is_ready(wait_set))  # type: ignore[misc]
        except (RCLError, InvalidHandle):
            return False


class SafeActionServer(SafeWaitable, ActionServer):  # type: ignore[misc]
    """rclpy's action server: destroyable at any time, and three repairs for its goals.

    Results are kept until `result_timeout` seconds of the node's clock have passed. A simulated
    clock that jumps forward, or is fast, would take them away before anybody could fetch them:
    they are kept for as many seconds of real time beyond that.

    At each event of a waitable rclpy's executor tells all its futures where their callbacks run.
    An action server has one for each goal, also for those whose result is kept: of 500 goals at
    once each was visited 370 times.

    At each event it takes one goal and one request to cancel. So of many goals at once a request
    to cancel the last overtook it, and was answered with "unknown" before the goal began: the goals
    that came before such a request are taken first.
    """

    def __init__(self, *args: Any, result_timeout: int = 900, **kwargs: Any) -> None:
        self._kept_for = float(result_timeout)
        self._expired: deque[tuple[float, Any]] = deque()
        super().__init__(*args, result_timeout=result_timeout, **kwargs)

    def take_data(self) -> Any:
        data = super().take_data()
        if "cancel" in data and self._is_unknown(data["cancel"][1].goal_info):
            data["overtaken"] = list(self._take_goals())
        return data

    async def execute(self, taken_data: Any) -> None:
        if "goal" in taken_data:  # it came before the others
            await self._execute_goal_request(taken_data.pop("goal"))
        for goal in taken_data.pop("overtaken", ()):
            await self._execute_goal_request(goal)
        await super().execute(taken_data)

    def _is_unknown(self, goal: Any) -> bool:
        """Return True for a goal that has not been taken; a request without an id means all."""
        key = bytes(goal.goal_id.uuid)
        return any(key) and key not in self._goal_handles

    def _take_goals(self) -> Iterator[Any]:
        request = self._action_type.Impl.SendGoalService.Request
        while True:
            with self._lock:
                taken = self._handle.take_goal_request(request)
            if not all(taken):
                return
            yield taken

    async def _execute_expire_goals(self, expired_goals: Any) -> None:
        now = time.monotonic()
        self._expired.extend((now, goal) for goal in expired_goals)
        while self._expired and now - self._expired[0][0] >= self._kept_for:
            await super()._execute_expire_goals([self._expired.popleft()[1]])

    def add_future(self, future: Future) -> None:
        """See `rclpy.waitable.Waitable`; told once, as the executor remains the same."""
        future._set_executor(self._node.executor)

    def remove_future(self, future: Future) -> None:
        """See `rclpy.waitable.Waitable`; nothing is kept."""


class SafeActionClient(SafeWaitable, ActionClient):  # type: ignore[misc]
    """rclpy's action client, with sending and taking made exclusive, and with the goals' status.

    rclpy of ROS 2 Jazzy sends a request and only then notes its number. When the executor's thread
    takes the answer in between, it is dropped as unexpected, and whoever waits for it waits for
    ever. (Later releases have the same lock inside; a second one does no harm.)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._exchange = threading.RLock()
        self._watchers: dict[bytes, Callable[[int], None]] = {}
        # rclpy of ROS 2 Kilted makes its own lock only after executors can see the client.
        self._lock = threading.Lock()
        super().__init__(*args, **kwargs)

    def watch(self, goal_id: UUID, on_status: Callable[[int], None]) -> None:
        """Call `on_status` with each status of a goal that the server publishes.

        `on_status`: called in the executor's threads; must return at once.
        """
        self._watchers[bytes(goal_id.uuid)] = on_status

    def unwatch(self, goal_id: UUID) -> None:
        self._watchers.pop(bytes(goal_id.uuid), None)

    async def execute(self, taken_data: Any) -> None:
        await super().execute(taken_data)
        if "status" in taken_data and self._watchers:
            for item in taken_data["status"].status_list:
                on_status = self._watchers.get(bytes(item.goal_info.goal_id.uuid))
                if on_status is not None:
                    on_status(item.status)

    def take_data(self) -> Any:
        with self._exchange:
            return super().take_data()

    def send_goal_async(self, *args: Any, **kwargs: Any) -> Future:
        with self._exchange:
            return super().send_goal_async(*args, **kwargs)

    def handle_of(self, goal_id: UUID) -> ClientGoalHandle:
        unanswered = self._action_type.Impl.SendGoalService.Response()
        return ClientGoalHandle(self, goal_id, unanswered)

    def _cancel_goal_async(self, goal_handle: ClientGoalHandle) -> Future:
        with self._exchange:
            return super()._cancel_goal_async(goal_handle)

    def _get_result_async(self, goal_handle: ClientGoalHandle) -> Future:
        with self._exchange:
            return super()._get_result_async(goal_handle)


def refuse_impossible_transitions(node: LifecycleNode) -> None:
    """Let ``~/change_state`` refuse a transition that the present state does not have."""
    # rclpy raises in the callback of the service instead: its caller waits for ever, and the
    # executor ends.

    def make_refusing(change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def answer(request: Any, response: Any) -> Any:
            try:
                return change(request, response)
            except Exception as error:
                state = read_state(node)
                node.get_logger().warning(f"transition refused while {state}: {error}")
                response.success = False
                return response

        return answer

    for service in node.services:
        if service.srv_name.endswith("/change_state"):
            service.callback = make_refusing(service.callback)


def read_state(node: LifecycleNode) -> str:
    """Read the label of a node's state, such as "active" or "activating"."""
    return str(node._state_machine.current_state[1])


def make_wakeable(executor: Executor) -> tuple[Future, Callable[[], None]]:
    """Make a future that a coroutine in an executor can await, and the function that ends the wait.

    The executor of rclpy up to ROS 2 Kilted looks at its waiting coroutines whenever it wakes, but
    a future that is done in another thread does not wake it. A callback of the future does. Returns
    the future, and a function for any thread, which may be called more than once.
    """
    future = Future(executor=executor)
    future.add_done_callback(lambda _future: None)

    def finish() -> None:
        with suppress(Exception):  # the executor was shut down: nobody waits any more
            if not future.done():
                future.set_result(None)

    return future, finish
