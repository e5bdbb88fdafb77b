# SPDX-License-Identifier: Apache-2.0
"""The executive under load.

Five processes with one node each: a plan whose rest breaks, and hundreds of goals at once. Times on
the wall count only if nothing else computes; where it does, the figure is shown and not judged.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

from benchmark.nodes.node_processes import (
    Interval,
    NodeProcess,
    Watch,
    read_own_cpu,
    single_commands,
    start,
)
from benchmark.tables import Verdict
from fcp_ros.client import FcpClient, FcpError, plan_request
from fcp_ros.client.pending import PendingGoal
from fcp_ros.client.spinner import SpinningNode
from fcp_ros.msg import ActionOutcome, ExecutionState, SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import graph_from_ros, relations_to_ros
from fcp_ros.nodes.executive.parameters import GoalError
from fcp_ros.nodes.runtime.qos import event_qos, state_qos
from fcp_ros.nodes.simulation.calls import find_constant

GOAL = "at(robot_1, living_room_1)"
FETCH = "on(mug_1, counter_1)"
AT_ONCE, QUICK_AT_ONCE = (500, 2000), (500,)
ROOM = 20
"""Goals that wait: the default of the parameter most_waiting."""
SLOW, USUAL = 0.01, 20.0
"""Of the parameter time_scale: a step that nobody waits for, and the default."""
PATIENT = ("min_step_timeout:=3600.0",)
"""Parameters of the executive, so that such a step is not timed out."""
START_WAIT, ANSWER_WAIT = 180.0, 300.0

REFUSED_WITHIN = 2.0  # s
TOLD_WITHIN, AGAIN_WITHIN = 0.050, 0.500  # s


class Observer:
    """A client of the nodes that also notes states and outcomes, with their times of arrival."""

    def __init__(self, domain: int) -> None:
        self._spinning = SpinningNode("benchmark", "", domain)
        self.node = self._spinning.node
        self.client = FcpClient(self.node)
        self.states: list[tuple[float, Any]] = []
        self.outcomes: list[tuple[float, Any]] = []
        self.updates = self.node.create_publisher(
            SceneGraphUpdate, "scene_graph_update", event_qos()
        )
        self._time_scale = self.node.create_client(
            SetParameters, "simulated_executor/set_parameters"
        )
        for kind, topic, qos, into in (
            (ExecutionState, "execution_state", state_qos(), self.states),
            (ActionOutcome, "outcomes", event_qos(), self.outcomes),
        ):
            self.node.create_subscription(kind, topic, _make_note(into), qos)

    def set_time_scale(self, value: float) -> None:
        """Set how fast the simulated executor is."""
        given = Parameter("time_scale", value=value).to_parameter_msg()
        call = self._time_scale.call_async(SetParameters.Request(parameters=[given]))
        wait_until(call.done, "the parameter")
        answer = call.result().results[0]
        assert answer.successful, answer.reason

    def send(self, goal: str) -> PendingGoal:
        """Send a goal as soon as the executive is there."""
        end = time.monotonic() + START_WAIT
        while True:
            try:
                return self.client.send_achieve(plan_request(goal, alpha=0.3))
            except FcpError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def close(self) -> None:
        """End the client."""
        self.client.close()
        self._spinning.close()


def _make_note(into: list[tuple[float, Any]]) -> Callable[[Any], None]:
    return lambda message: into.append((time.monotonic(), message))


def wait_until(is_true: Callable[[], object], what: str, limit: float = ANSWER_WAIT) -> Any:
    """Wait until something is true; return it."""
    end = time.monotonic() + limit
    while not (found := is_true()):
        if time.monotonic() > end:
            raise TimeoutError(f"{what} took longer than {limit:g} s")
        time.sleep(0.002)
    return found


def measure_executive(quick: bool, domain: int) -> Iterator[Verdict]:
    """Measure the executive under load; `quick`: 500 goals at once, not 2,000, too."""
    with (
        tempfile.TemporaryDirectory() as folder,
        start(single_commands(Path(folder), PATIENT), 1, domain) as nodes,
    ):
        for one in nodes:
            if not one.ready.wait(START_WAIT):
                raise TimeoutError(f"{one.name} was not active within {START_WAIT:g} s")
        observer = Observer(domain)
        try:
            wait_until(lambda: _has_scene(observer), "the scene", START_WAIT)
            yield from _judge_broken_plan(observer, nodes)
            for count in QUICK_AT_ONCE if quick else AT_ONCE:
                yield from _judge_many(observer, nodes, count)
        finally:
            observer.close()


def _watch(nodes: list[NodeProcess]) -> Watch:
    return Watch(lambda: sum(one.cpu for one in nodes) + read_own_cpu())


def _has_scene(observer: Observer) -> bool:
    try:
        return observer.client.scene() is not None and bool(observer.client.goals.fetch())
    except FcpError:
        return False


def _judge_time(
    what: str, seconds: float, goal: float, interval: Interval, more: str = ""
) -> Verdict:
    """Judge a time on the wall, which counts only if nothing else computed."""
    value = f"{1e3 * seconds:.0f} ms" if goal < 1.0 else f"{seconds:.1f} s"
    if more:
        value += f", {more}"
    if not interval.is_quiet:
        value += f", others used {interval.others:.1f} cores"
    met = seconds <= goal if interval.is_quiet else None
    wanted = f"at most {1e3 * goal:.0f} ms" if goal < 1.0 else f"at most {goal:g} s"
    return Verdict(what, value, wanted, met)


# --- a plan whose rest breaks -------------------------------------------------------------------


def _judge_broken_plan(observer: Observer, nodes: list[NodeProcess]) -> Iterator[Verdict]:
    """Move the mug while the robot is on its way to it."""
    goal = observer.send(FETCH)
    wait_until(lambda: _find(observer.states, "Step 1 of"), "the first step")
    message = observer.client.scene()
    graph = graph_from_ros(message)
    gone = next(one for one in graph.relations if one.key == ("on", ("mug_1", "table_1")))
    there = replace(gone, elements=("mug_1", "couch_1"))
    update = SceneGraphUpdate(
        sequence_number=message.sequence_number + 1,
        relations=relations_to_ros([there]),
        removed_relations=relations_to_ros([gone]),
    )
    watch = _watch(nodes)
    moved = time.monotonic()
    observer.updates.publish(update)
    told = wait_until(lambda: _find(observer.states, "Changed:", moved), "the finding")
    yield _judge_time(
        "a broken precondition: from the change to the finding",
        told - moved,
        TOLD_WITHIN,
        watch.stop(),
    )
    before = len(observer.outcomes)
    watch = _watch(nodes)
    wait_until(lambda: len(observer.outcomes) > before, "the end of the first step")
    replanned = wait_until(lambda: _find(observer.states, "Replanning", moved), "a new plan")
    again = wait_until(lambda: _find(observer.states, "Step 1 of", replanned), "its first step")
    ended = observer.outcomes[before][0]
    yield _judge_time(
        "from the end of the step before to the first step of the new plan",
        again - ended,
        AGAIN_WITHIN,
        watch.stop(),
    )
    result = goal.result(ANSWER_WAIT)
    yield Verdict(
        "the goal after the new plan",
        find_constant(GoalError, "", result.error_code),
        "NONE",
        result.error_code == GoalError.NONE,
    )


def _find(states: list[tuple[float, Any]], text: str, after: float = 0.0) -> float | None:
    """Return when the first state with a text in its message arrived."""
    for moment, state in list(states):
        if moment > after and text in state.message:
            return moment
    return None


# --- many goals at once -------------------------------------------------------------------------


def _judge_many(observer: Observer, nodes: list[NodeProcess], count: int) -> Iterator[Verdict]:
    """Send goals while another one is at work: some wait, the others are refused."""
    executive = next(one for one in nodes if one.name == "executive")
    observer.set_time_scale(SLOW)
    observer.send("at(robot_1, kitchen_1)" if _is_in_living_room(observer) else GOAL)
    seen = len(observer.states)
    wait_until(lambda: _find(observer.states[seen - 1 :], "Step 1 of"), "the goal at work")
    watch = _watch(nodes)
    began, cpu, own = time.monotonic(), executive.cpu, read_own_cpu()
    goals = [observer.send(GOAL) for _ in range(count)]
    refused = count - ROOM
    _wait_for_ends(goals, refused)
    seconds = time.monotonic() - began
    interval = watch.stop()
    used = f"CPU {executive.cpu - cpu:.1f} s of the executive, {read_own_cpu() - own:.1f} s of ours"
    yield _judge_time(
        f"{count} goals at once: until the last of {refused} is refused",
        seconds,
        REFUSED_WITHIN,
        interval,
        used,
    )
    observer.client.goals.stop(observer.client.goals.fetch().goals)
    _wait_for_ends(goals, count)
    ended = [goal for goal in goals if goal.poll().done]
    codes = Counter(find_constant(GoalError, "", goal.result(1.0).error_code) for goal in ended)
    said = ", ".join(f"{number} {code}" for code, number in sorted(codes.items()))
    yield Verdict(
        f"{count} goals at once: answered, after all were stopped",
        f"{len(ended)}: {said}",
        f"{count}",
        len(ended) == count,
    )
    wait_until(lambda: not observer.client.goals.fetch().goals, "the end of all goals")
    observer.set_time_scale(USUAL)


def _wait_for_ends(goals: list[PendingGoal], count: int) -> None:
    """Wait until so many goals have ended, or the time is up."""
    end = time.monotonic() + ANSWER_WAIT
    while sum(goal.poll().done for goal in goals) < count and time.monotonic() < end:
        time.sleep(0.02)


def _is_in_living_room(observer: Observer) -> bool:
    graph = graph_from_ros(observer.client.scene())
    return ("at", ("robot_1", "living_room_1")) in {one.key for one in graph.relations}
