# SPDX-License-Identifier: Apache-2.0
"""The action ExecuteStep of several executors, whose steps are performed in threads that may wait.

`step_server` is for executors that never wait.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterable

from rclpy.action import ActionServer
from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.nodes.executors.step_server import end_step, read_step
from fcp_ros.nodes.runtime.managed_node import ManagedNode, execute_goal
from fcp_ros.nodes.runtime.request_checks import CLEANED_UP
from fcp_ros.nodes.runtime.worker import CancelToken, Job, JobCancelled, WorkerBusy, WorkerClosed
from fcp_ros.planning.model.plan import PlanStep

STOP_WAIT = 2.0
"""Seconds for a cancelled step to end when the node is cleaned up."""

Perform = Callable[[PlanStep, ServerGoalHandle, CancelToken], Outcome]
"""Performs a step; is called in a thread of its executor, and looks at the token."""


class StepThreads:
    """Offers ExecuteStep for each executor while the node is configured.

    A step that does not succeed ends its goal as aborted, or canceled. More steps than an executor
    has threads are refused as BUSY.
    """

    def __init__(
        self,
        node: ManagedNode,
        executors: Iterable[str],  # Their names, which are those of the actions
        perform: Perform,
        at_once: int = 1,  # Steps that each executor performs at the same time
    ) -> None:
        self._node = node
        self._perform = perform
        self._at_once = at_once
        self._lock = threading.Lock()
        self._tokens: dict[bytes, CancelToken] = {}
        self._busy: dict[str, PlanStep] = {}
        self._servers: list[ActionServer] = []
        for executor in executors:
            for slot in self._list_slots(executor):
                node.workers.open(slot, 0, STOP_WAIT, outlasts=True)
            server = node.offer_action(
                ExecuteStep,
                executor,
                self._make_executor(executor),
                accepted=self._accept,
                cancel=self._cancel,
            )
            self._servers.append(server)

    def close(self) -> None:
        """Offer the actions no longer; the node has closed its workers."""
        while self._servers:
            self._node.withdraw_action(self._servers.pop())

    def cancel_all(self) -> None:
        with self._lock:
            tokens = list(self._tokens.values())
        for token in tokens:
            token.cancel()

    def describe(self) -> str:
        with self._lock:
            return ", ".join(f"{name}: {step}" for name, step in self._busy.items())

    # --- goals ----------------------------------------------------------------------------------

    def _accept(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            self._tokens[bytes(goal.goal_id.uuid)] = CancelToken()
        execute_goal(goal)

    def _cancel(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            token = self._tokens.get(bytes(goal.goal_id.uuid))
        if token is not None:
            token.cancel()

    def _make_executor(
        self, executor: str
    ) -> Callable[[ServerGoalHandle], Awaitable[ExecuteStep.Result]]:
        async def execute(goal: ServerGoalHandle) -> ExecuteStep.Result:
            key = bytes(goal.goal_id.uuid)
            try:
                outcome = await self._execute(executor, goal, self._tokens[key])
            except Exception as error:
                sentence = self._node.internal_fault(executor, error).sentence
                outcome = Outcome(OutcomeCode.EXECUTION_FAILED, sentence)
            finally:
                with self._lock:
                    self._tokens.pop(key, None)
            return end_step(goal, outcome, simulated=True)

        return execute

    async def _execute(self, executor: str, goal: ServerGoalHandle, token: CancelToken) -> Outcome:
        """Have a step performed in a thread of the executor, one at a time in each."""
        step = read_step(goal.request, self._node.refusal(goal.request))
        if isinstance(step, Outcome):
            return step
        if step.executor != executor:
            text = f"{step} is for executor {step.executor!r}, this is {executor!r}."
            return Outcome(OutcomeCode.INVALID_ACTION, text)
        try:
            job = self._submit(executor, step, goal, token)
            outcome: Outcome = await self._node.await_answer(job.answer)
        except WorkerBusy:
            with self._lock:
                busy = [self._busy.get(slot) for slot in self._list_slots(executor)]
            text = f"Executor {executor!r} is still busy with {', '.join(map(str, busy))}."
            return Outcome(OutcomeCode.BUSY, text)
        except (WorkerClosed, JobCancelled):
            return Outcome(OutcomeCode.NODE_INACTIVE, CLEANED_UP)
        return outcome

    def _list_slots(self, executor: str) -> list[str]:
        more = range(2, self._at_once + 1)
        return [executor, *(f"{executor} {number}" for number in more)]

    def _submit(
        self, executor: str, step: PlanStep, goal: ServerGoalHandle, token: CancelToken
    ) -> Job[Outcome]:
        """Give a step to a free thread of its executor. Raises WorkerBusy if none is free."""
        *others, last = self._list_slots(executor)
        workers = self._node.workers
        for slot in others:
            try:
                return workers[slot].submit(self._make_job(slot, step, goal, token))
            except WorkerBusy:
                continue
        return workers[last].submit(self._make_job(last, step, goal, token))

    def _make_job(
        self, slot: str, step: PlanStep, goal: ServerGoalHandle, token: CancelToken
    ) -> Callable[[CancelToken], Outcome]:
        def perform(_token: CancelToken) -> Outcome:
            with self._lock:
                self._busy[slot] = step
            try:
                return self._perform(step, goal, token)
            finally:
                with self._lock:
                    self._busy.pop(slot, None)

        return perform
