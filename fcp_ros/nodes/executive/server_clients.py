# SPDX-License-Identifier: Apache-2.0
"""The servers that the executive asks: the planner, and the executors of steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeGuard

from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from fcp_ros.action import ExecuteStep, MakePlan
from fcp_ros.execution.events import (
    Accepted,
    ExecutorBarred,
    ExecutorLost,
    ExecutorReady,
    Feedback,
    Finished,
    Forgotten,
    Rejected,
    SendStep,
)
from fcp_ros.msg import PlanRequest, PlanResult
from fcp_ros.msg import PlanStep as PlanStepMessage
from fcp_ros.nodes.conversions.common import duration_from_ros, duration_to_ros
from fcp_ros.nodes.conversions.step_outcome import outcome_from_answer
from fcp_ros.nodes.executive.goal_context import GoalContext
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.parameters import WaitSettings
from fcp_ros.nodes.runtime.action_call import (
    ActionCall,
    CallListener,
    ServerMonitor,
    ServerWatch,
    make_action_client,
)
from fcp_ros.nodes.runtime.rclpy_repairs import SafeActionClient
from fcp_ros.nodes.runtime.server_life import ServerLife, Servers

ACTION = "make_plan"


class PlannerNews(Enum):
    """The kinds of events about the planner."""

    FOUND = "its action server is there"
    LOST = "its action server is no longer there"
    PROGRESS = "a feedback message"
    ANSWERED = "its result; None when it refused the request or does not know it"


@dataclass(frozen=True)
class PlannerEvent:
    """An event, with the number of the request that it belongs to: late ones mean nothing."""

    serial: int
    news: PlannerNews
    content: Any = None


@dataclass(frozen=True)
class PlannerReply:
    """The planner's answer; without one, a sentence why, and whether time was up."""

    result: PlanResult | None
    problem: str = ""
    timed_out: bool = False


class PlannerClient:
    """Asks for plans. Its callbacks only post events; everything else is for the goals' threads.

    Each wait has a bound, and ends at once when the goal is cancelled. Each request has a number,
    so that goals that plan at the same time don't take one another's answers. `node`: the node that
    the action client belongs to. `threads`: gets the events, and waits for them.
    """

    def __init__(self, node: Node, threads: GoalThreads) -> None:
        self._threads = threads
        self._monitor = ServerMonitor(node)
        self._client = make_action_client(node, MakePlan, ACTION)
        self._life = ServerLife(node, ACTION)
        self._serial = 0

    def request_plan(
        self,
        context: GoalContext,
        request: PlanRequest,
        waits: WaitSettings,
        report: Callable[[str], None],  # Gets the planner's progress in words
    ) -> PlannerReply:
        """Ask the planner for a plan. If the goal is cancelled, so is the planning."""
        self._serial += 1
        serial = self._serial
        try:
            problem = self._await_planner(serial, context, waits)
            if problem or context.is_cancelled:
                return PlannerReply(None, problem)
            return self._await_answer(serial, context, request, waits, report)
        finally:
            self._monitor.unwatch(_name_watch(serial))

    def close(self) -> None:
        self._monitor.close()
        self._life.close()
        self._client.destroy()

    def _await_planner(self, serial: int, context: GoalContext, waits: WaitSettings) -> str:
        """Wait for the planner's action server; return a sentence if it does not appear."""
        found = PlannerEvent(serial, PlannerNews.FOUND)
        self._watch(context, True, found)
        for event in self._threads.wait_events(context, waits.server_wait):
            if event == found or context.is_cancelled:
                return ""
        return (
            f"No planner answered under {ACTION} within {waits.server_wait:g} s; "
            "start the node task_planner."
        )

    def _await_answer(
        self,
        serial: int,
        context: GoalContext,
        request: PlanRequest,
        waits: WaitSettings,
        report: Callable[[str], None],
    ) -> PlannerReply:
        call = self._send(serial, context, request)
        lost = PlannerEvent(serial, PlannerNews.LOST)
        self._watch(context, False, lost)
        asked = duration_from_ros(request.time_limit)
        limit = waits.planner_timeout if asked <= 0.0 else asked + waits.planner_margin
        for event in self._threads.wait_events(context, limit):
            if reply := _find_reply(event, serial):
                return reply
            if _is_news(event, serial, PlannerNews.PROGRESS):
                report(_describe_progress(event.content))
            elif event == lost:
                return PlannerReply(None, "The planner disappeared while it was planning.")
            if context.is_cancelled:
                return self._cancel(serial, context, call, waits)
        call.cancel()
        problem = f"The planner has not answered within {limit:g} s."
        return PlannerReply(None, problem, timed_out=True)

    def _cancel(
        self, serial: int, context: GoalContext, call: ActionCall, waits: WaitSettings
    ) -> PlannerReply:
        call.cancel()
        for event in self._threads.wait_events(context, waits.grace_time):
            if reply := _find_reply(event, serial):
                return reply
        return PlannerReply(None, "The planner has not answered the request to stop.")

    def _send(self, serial: int, context: GoalContext, request: PlanRequest) -> ActionCall:
        post = self._threads.post_to

        def on_end(_status: int, result: Any) -> None:
            post(context, PlannerEvent(serial, PlannerNews.ANSWERED, result.result))

        def on_refusal() -> None:
            post(context, PlannerEvent(serial, PlannerNews.ANSWERED))

        def on_feedback(message: Any) -> None:
            event = PlannerEvent(serial, PlannerNews.PROGRESS, message)
            post(context, event, "planner progress")

        listener = CallListener(
            ended=on_end, forgotten=on_refusal, rejected=on_refusal, feedback=on_feedback
        )
        return ActionCall(self._client, MakePlan.Goal(request=request), listener)

    @property
    def is_there(self) -> bool:
        return bool(self._client.server_is_ready()) and not self._life.is_dead

    def _watch(self, context: GoalContext, wanted: bool, event: PlannerEvent) -> None:
        """Post an event as soon as the planner answers, or no longer answers."""
        watch = ServerWatch(
            lambda: self.is_there, wanted, lambda: self._threads.post_to(context, event)
        )
        self._monitor.watch(_name_watch(event.serial), watch)


def _name_watch(serial: int) -> str:
    return f"planner {serial}"


def _is_news(event: object, serial: int, news: PlannerNews) -> TypeGuard[PlannerEvent]:
    return isinstance(event, PlannerEvent) and (event.serial, event.news) == (serial, news)


def _find_reply(event: object, serial: int) -> PlannerReply | None:
    if not _is_news(event, serial, PlannerNews.ANSWERED):
        return None
    if event.content is None:
        return PlannerReply(None, "The planner refused the request, or was restarted meanwhile.")
    return PlannerReply(event.content)


def _describe_progress(feedback: Any) -> str:
    return (
        f"Planning: {feedback.phase}, {feedback.expansions} expansions, "
        f"best membership so far {feedback.best_membership:.2f}."
    )


# --- servers of one name: a goal for one of them goes to all of them ---

OWN_ACTION = "achieve_goal"


def describe_double(servers: Servers, name: str) -> str:
    """Say that several living nodes offer one action: one sentence; "" if at most one does."""
    alive = servers.alive
    if len(alive) < 2:
        return ""
    return (
        f"{len(alive)} nodes offer the action {name} ({', '.join(sorted(alive))}): nothing is sent "
        "while they do, since each of them would act. Stop all but one."
    )


# --- clients of the ExecuteStep actions: carry steps to the executors ---


class StepClients:
    """One action client for each executor, made when it is first needed.

    Commands arrive in the threads of goals, answers in rclpy's threads, where they are posted as
    events of `fcp_ros.execution.events` for the goal that the command came from; `_lock` guards
    what both use.
    """

    def __init__(self, node: Node, threads: GoalThreads) -> None:
        self._node = node
        self._threads = threads
        self._own_life = ServerLife(node, OWN_ACTION)  # of executives in this namespace
        self._monitor = ServerMonitor(node)
        self._clients: dict[str, SafeActionClient] = {}
        self._lives: dict[str, ServerLife] = {}
        self._looked: dict[str, float] = {}  # since when for an executor (s, monotonic)
        self._calls: dict[int, ActionCall] = {}
        self._watched: dict[bytes, set[str]] = {}  # goal -> its watches; only in goals' threads
        self._simulated: set[str] = set()
        self._lock = threading.Lock()

    def prepare(self, executor: str) -> SafeActionClient:
        """Return the client of an executor; making it early lets discovery begin early."""
        with self._lock:
            client = self._clients.get(executor)
            if client is None:
                client = make_action_client(self._node, ExecuteStep, executor)
                self._clients[executor] = client
                self._lives[executor] = ServerLife(self._node, executor)
                self._looked[executor] = time.monotonic()
            return client

    def _make_look(self, executor: str) -> Callable[[], bool]:
        client = self.prepare(executor)
        life = self._lives[executor]
        return lambda: client.server_is_ready() and not life.is_dead

    def find(self, executor: str, context: GoalContext) -> None:
        """Post `ExecutorReady` as soon as the executor's server is there, and no second one."""
        # While there are two, or two executives, an `ExecutorBarred` says so.
        is_there = self._make_look(executor)

        def is_doubled() -> bool:
            return bool(self.find_double(executor))

        bar, find = (f"{what} {executor} {context.key.hex()}" for what in ("bar", "find"))

        def on_ready() -> None:
            self._monitor.unwatch(bar)
            self._threads.post_to(context, ExecutorReady(executor))

        def on_doubled() -> None:
            barred = ExecutorBarred(executor, self.find_double(executor))
            self._threads.post_to(context, barred)

        self._watched.setdefault(context.key, set()).update((bar, find))
        ready = ServerWatch(lambda: is_there() and not is_doubled(), True, on_ready)
        self._monitor.watch(bar, ServerWatch(is_doubled, True, on_doubled))
        self._monitor.watch(find, ready)

    def find_double(self, executor: str) -> str:
        """Say that a step for an executor would be done twice: one sentence; "" if it would not."""
        self.prepare(executor)
        servers = self._lives[executor].look()
        return self.find_executives() or describe_double(servers, executor)

    def find_executives(self) -> str:
        """Say that another executive acts in this namespace: one sentence; "" if none does."""
        return describe_double(self._own_life.look(), OWN_ACTION)

    def list_missing(self, executors: Iterable[str], least: float) -> set[str]:
        """List those of some executors that do not answer, and were looked for so long (s)."""
        since = time.monotonic() - least
        is_there = {name: self._make_look(name) for name in executors}
        return {
            name for name, look in is_there.items() if self._looked[name] <= since and not look()
        }

    def list_problems(self) -> tuple[list[str], list[str]]:
        """List what hinders sending steps: names of several nodes, and missing executors."""
        with self._lock:
            executors = list(self._lives)
        # Once a second, for /diagnostics: one look at each.
        seen = {name: self._lives[name].look() for name in executors}
        doubled = [self.find_executives()]
        doubled += [describe_double(servers, name) for name, servers in seen.items()]
        missing = [
            name
            for name, servers in seen.items()
            if servers.are_dead or not self._clients[name].server_is_ready()
        ]
        return [one for one in doubled if one], missing

    def send(
        self, command: SendStep, plan_id: UUID, step: PlanStepMessage, context: GoalContext
    ) -> None:
        """Give a step to its executor; the events carry the command's attempt."""
        executor = command.step.executor
        client = self.prepare(executor)
        goal = ExecuteStep.Goal(
            plan_id=plan_id,
            step_index=command.index,
            step=step,
            timeout=duration_to_ros(command.timeout),
        )
        call = ActionCall(client, goal, self._listener(command.attempt, context, executor))
        with self._lock:
            self._calls[command.attempt] = call
        lost = ExecutorLost(executor)
        is_there = self._make_look(executor)
        watch = ServerWatch(is_there, False, lambda: self._threads.post_to(context, lost))
        self._watched.setdefault(context.key, set()).add(f"keep {command.attempt}")
        self._monitor.watch(f"keep {command.attempt}", watch)

    def cancel(self, attempt: int) -> None:
        """Ask the executor to stop; if it no longer knows the attempt, that is posted as well."""
        with self._lock:
            call = self._calls.get(attempt)
        if call is not None:
            call.cancel()

    def is_simulated(self, executor: str) -> bool:
        """Return True if the executor's last answer says that it simulates the robot."""
        with self._lock:
            return executor in self._simulated

    def unwatch(self, context: GoalContext) -> None:
        """Stop watching for executors that appear or disappear: the plan of a goal has ended."""
        for watched in self._watched.pop(context.key, ()):
            self._monitor.unwatch(watched)

    def close(self) -> None:
        """Destroy the clients; answers that have not arrived are lost."""
        self._monitor.close()
        self._own_life.close()
        with self._lock:
            clients, lives = list(self._clients.values()), list(self._lives.values())
            self._clients.clear()
            self._lives.clear()
            self._calls.clear()
        for life in lives:
            life.close()
        for client in clients:
            client.destroy()

    def _listener(self, attempt: int, context: GoalContext, executor: str) -> CallListener:
        post = self._threads.post_to

        def post_end(event: Finished | Forgotten | Rejected) -> None:
            self._close_call(attempt)
            post(context, event)

        def on_end(status: int, result: ExecuteStep.Result) -> None:
            with self._lock:
                (self._simulated.add if result.simulated else self._simulated.discard)(executor)
            post_end(Finished(attempt, outcome_from_answer(status, result)))

        def on_forgotten() -> None:
            if describe_double(self._lives[executor].look(), executor):
                return  # the answer may be the other one's, who never knew of it
            post_end(Forgotten(attempt))

        def on_feedback(message: Any) -> None:
            event = Feedback(attempt, message.progress, message.message)
            post(context, event, ("feedback", attempt))

        return CallListener(
            ended=on_end,
            forgotten=on_forgotten,
            accepted=lambda: post(context, Accepted(attempt)),
            rejected=lambda: post_end(Rejected(attempt)),
            feedback=on_feedback,
        )

    def _close_call(self, attempt: int) -> None:
        self._monitor.unwatch(f"keep {attempt}")
        with self._lock:
            self._calls.pop(attempt, None)
