# SPDX-License-Identifier: Apache-2.0
"""An executor that sends a goal to another action for each step, such as nav2's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.nodes.executors.step_server import StepRun, StepServer
from fcp_ros.nodes.runtime.action_call import ActionCall, CallListener, make_action_client
from fcp_ros.nodes.runtime.server_life import Alarm, call_later

LOOK_EVERY = 0.5
"""Seconds between two looks if the other action's server is still there."""


class StepRefused(ValueError):
    """A step that was not begun; carries the outcome, where it is another than INVALID_ACTION."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


@dataclass(frozen=True)
class ActionBounds:
    """The longest waits for the other action's server, in seconds."""

    accept: float = 5.0  # until it accepts or rejects a goal
    stop: float = 10.0  # until a goal that was cancelled has ended
    spare: float = 2.0  # after a step's own timeout, at which the executive cancels it


@dataclass(frozen=True)
class Translation:
    """The way from steps to goals of another action, and from its answers to outcomes.

    All are called in the threads of the node's executor, and must return at once.
    """

    # Makes the goal for a step. Raises ValueError to refuse it as INVALID_ACTION, or StepRefused.
    make_goal: Callable[[StepRun], Any]
    # Reads the outcome from terminal status (`GoalStatus`), result, and last feedback or None. Not
    # asked about goals that the other server ends as cancelled.
    read_result: Callable[[int, Any, Any], Outcome]
    # Reads progress in [0, 1] and a sentence from feedback
    read_feedback: Callable[[Any], tuple[float, str]]


@dataclass(eq=False)
class _Errand:
    """The goal that a step was made into."""

    run: StepRun
    call: ActionCall | None = None
    feedback: Any = None  # the last one
    stop: Outcome | None = None  # why it was told to stop
    deadline: Alarm | None = None
    look: Alarm | None = None


class ActionExecutor:
    """Serves ExecuteStep by another action: one goal of it for each step.

    | what happens | outcome |
    | --- | --- |
    | there is no server, or it rejects the goal or does not answer in time | NODE_INACTIVE |
    | the step is cancelled | CANCELLED, once the other server says so |
    | its timeout has passed (the executive cancels it before) | TIMED_OUT |
    | the other server does not end a cancelled goal in time | EXECUTION_FAILED |
    | the other server has gone, or has forgotten the goal | EXECUTOR_LOST |
    | the other server ends the goal as cancelled, unasked | EXECUTION_FAILED |
    | else | by `Translation.read_result` |

    Nothing waits, so any executor of rclpy may spin the node. `_lock` guards `_errand`; its alarms
    ring in a thread of their own.
    """

    def __init__(
        self,
        node: Node,
        name: str,  # of the executor in the domain
        action_type: Any,
        action: str,  # name of the other action
        translation: Translation,
        bounds: ActionBounds | None = None,
    ) -> None:
        self._action = action
        self._translation = translation
        self._bounds = bounds or ActionBounds()
        self._lock = threading.RLock()
        self._errand: _Errand | None = None
        group = ReentrantCallbackGroup()
        self._client = make_action_client(node, action_type, action, group)
        self._server = StepServer(node, name, self._begin, cancel=self._cancel, group=group)

    @property
    def is_ready(self) -> bool:
        return bool(self._client.server_is_ready())

    @property
    def step(self) -> str:
        run = self._server.run
        return "" if run is None else str(run.step)

    def stop(self, reason: str) -> None:
        """Stop what the other action does; the step ends at once, as NODE_INACTIVE."""
        errand = self._errand
        if errand is not None:
            if errand.call is not None:
                errand.call.cancel()
            self._end(errand, Outcome(OutcomeCode.NODE_INACTIVE, reason))

    def close(self) -> None:
        self.stop("The executor was closed.")
        self._server.destroy()
        self._client.destroy()

    # --- a step ---

    def _begin(self, run: StepRun) -> None:
        if not self.is_ready:
            text = f"The action {self._action} has no server."
            self._server.end(run, Outcome(OutcomeCode.NODE_INACTIVE, text))
            return
        try:
            goal = self._translation.make_goal(run)
        except StepRefused as refusal:
            self._server.end(run, refusal.outcome)
            return
        errand = _Errand(run)
        with self._lock:
            self._errand = errand
            errand.deadline = call_later(self._bounds.accept, lambda: self._miss_answer(errand))
            errand.look = call_later(LOOK_EVERY, lambda: self._look(errand))
            listener = CallListener(
                ended=lambda status, result: self._on_end(errand, status, result),
                forgotten=lambda: self._lose(errand, "does not know the goal any more"),
                accepted=lambda: self._on_accepted(errand),
                rejected=lambda: self._on_rejected(errand),
                feedback=lambda feedback: self._on_feedback(errand, feedback),
            )
            errand.call = ActionCall(self._client, goal, listener)

    def _cancel(self, run: StepRun) -> None:
        errand = self._errand
        if errand is not None and errand.run is run:
            self._stop(errand, Outcome(OutcomeCode.CANCELLED, f"{run.step} was cancelled."))

    def _stop(self, errand: _Errand, why: Outcome) -> None:
        """Cancel the goal; the step ends when the other server says so, or after a while."""
        with self._lock:
            if errand.stop is not None or errand.run.outcome is not None:
                return
            errand.stop = why
            self._set_deadline(errand, self._bounds.stop, self._miss_stop)
            call = errand.call
        if call is not None:
            call.cancel()

    def _end(self, errand: _Errand, outcome: Outcome) -> None:
        with self._lock:
            if self._errand is errand:
                self._errand = None
            for alarm in (errand.deadline, errand.look):
                if alarm is not None:
                    alarm.cancel()
        self._server.end(errand.run, outcome)

    # --- what the other server says ---

    def _on_accepted(self, errand: _Errand) -> None:
        with self._lock:
            if errand.stop is not None:
                return
            limit = errand.run.goal.request.timeout
            seconds = limit.sec + limit.nanosec / 1e9
            if seconds > 0.0:
                self._set_deadline(errand, seconds + self._bounds.spare, self._miss_timeout)
            elif errand.deadline is not None:
                errand.deadline.cancel()

    def _on_rejected(self, errand: _Errand) -> None:
        text = f"The action {self._action} rejected the goal: its node is not active, or refuses."
        self._end(errand, errand.stop or Outcome(OutcomeCode.NODE_INACTIVE, text))

    def _on_feedback(self, errand: _Errand, feedback: Any) -> None:
        errand.feedback = feedback
        errand.run.tell(*self._translation.read_feedback(feedback))

    def _on_end(self, errand: _Errand, status: int, result: Any) -> None:
        if status != GoalStatus.STATUS_CANCELED:
            outcome = self._translation.read_result(status, result, errand.feedback)
            if errand.stop is not None and not outcome.succeeded:
                outcome = errand.stop
        else:
            text = f"The action {self._action} cancelled the goal, which nobody here asked for."
            outcome = errand.stop or Outcome(OutcomeCode.EXECUTION_FAILED, text)
        self._end(errand, outcome)

    # --- what does not come ---

    def _set_deadline(
        self, errand: _Errand, seconds: float, missed: Callable[[_Errand], None]
    ) -> None:
        if errand.deadline is not None:
            errand.deadline.cancel()
        errand.deadline = call_later(seconds, lambda: missed(errand))

    def _miss_answer(self, errand: _Errand) -> None:
        """End a step whose goal was not answered; it may still arrive, so it is cancelled."""
        text = f"The action {self._action} did not answer within {self._bounds.accept:g} s."
        if errand.call is not None:
            errand.call.cancel()
        self._end(errand, Outcome(OutcomeCode.NODE_INACTIVE, text))

    def _miss_timeout(self, errand: _Errand) -> None:
        text = f"{errand.run.step} took longer than its timeout."
        self._stop(errand, Outcome(OutcomeCode.TIMED_OUT, text))

    def _miss_stop(self, errand: _Errand) -> None:
        text = (
            f"The action {self._action} was told to stop and did not end its goal within "
            f"{self._bounds.stop:g} s: the robot may still be moving."
        )
        self._end(errand, Outcome(OutcomeCode.EXECUTION_FAILED, text))

    def _look(self, errand: _Errand) -> None:
        with self._lock:
            if errand.run.outcome is not None:
                return
            errand.look = call_later(LOOK_EVERY, lambda: self._look(errand))
        if not self.is_ready:
            self._lose(errand, "has gone while it acted")

    def _lose(self, errand: _Errand, what: str) -> None:
        text = f"The server of the action {self._action} {what}: how far it came is unknown."
        self._end(errand, Outcome(OutcomeCode.EXECUTOR_LOST, text))
