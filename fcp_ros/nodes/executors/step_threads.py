# SPDX-License-Identifier: Apache-2.0
"""The action ExecuteStep of several executors, whose steps are performed in threads that may wait.

`step_server` is for executors that never wait. The parameters are those of the nodes that stand for
all executors of a domain.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from rclpy.action import ActionServer
from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import ExecuteStep
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.nodes.executors.step_server import end_step, read_step
from fcp_ros.nodes.runtime.domain_parameter import DOMAIN, TYPE_OVERRIDES
from fcp_ros.nodes.runtime.goal_jobs import GoalJobs
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import DOMAIN_FOLDERS, ParameterSpec, TakesEffect
from fcp_ros.nodes.runtime.request_checks import CLEANED_UP
from fcp_ros.nodes.runtime.worker import CancelToken, JobCancelled, WorkerBusy, WorkerClosed
from fcp_ros.planning.model.plan import PlanStep

STEP_PARAMETERS = (
    DOMAIN,
    DOMAIN_FOLDERS,
    TYPE_OVERRIDES,
    ParameterSpec("seed", 0, "Seed of all random draws.", minimum=0, maximum=2**31),
    ParameterSpec(
        "steps_at_once",
        1,
        "How many steps each executor performs at the same time, of several robots; the executive "
        "has to know of more than one (shared_executors).",
        minimum=1,
        maximum=64,
    ),
    ParameterSpec(
        "report_timeout",
        10.0,
        "Longest time until the scene graph shows what a step changed [s].",
        minimum=0.1,
        maximum=600.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
)

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
        self._jobs = GoalJobs(node.await_answer)
        self._busy: dict[str, PlanStep] = {}
        self._servers: list[ActionServer] = []
        for executor in executors:
            for slot in self._list_slots(executor):
                node.workers.open(slot, 0, STOP_WAIT)
            execute = self._make_executor(executor)
            server = node.offer_action(ExecuteStep, executor, execute, cancel=self._jobs.cancel)
            self._servers.append(server)

    @property
    def servers(self) -> tuple[ActionServer, ...]:
        return tuple(self._servers)

    def close(self) -> None:
        """Offer the actions no longer; the node has closed its workers."""
        while self._servers:
            self._node.withdraw_action(self._servers.pop())

    def describe(self) -> str:
        with self._lock:
            return ", ".join(f"{name}: {step}" for name, step in self._busy.items())

    # --- goals ----------------------------------------------------------------------------------

    def _make_executor(
        self, executor: str
    ) -> Callable[[ServerGoalHandle], Awaitable[ExecuteStep.Result]]:
        async def execute(goal: ServerGoalHandle) -> ExecuteStep.Result:
            try:
                outcome = await self._execute(executor, goal)
            except Exception as error:
                sentence = self._node.internal_fault(executor, error).sentence
                outcome = Outcome(OutcomeCode.EXECUTION_FAILED, sentence)
            return end_step(goal, outcome, simulated=True)

        return execute

    async def _execute(self, executor: str, goal: ServerGoalHandle) -> Outcome:
        """Have a step performed in a thread of the executor, one at a time in each."""
        step = read_step(goal.request, self._node.refusal(goal.request))
        if isinstance(step, Outcome):
            return step
        if step.executor != executor:
            text = f"{step} is for executor {step.executor!r}, this is {executor!r}."
            return Outcome(OutcomeCode.INVALID_ACTION, text)
        for slot in self._list_slots(executor):
            try:
                worker = self._node.workers[slot]
                outcome: Outcome = await self._jobs.run(
                    goal, worker, partial(self._perform_in, slot, step, goal)
                )
                return outcome
            except WorkerBusy:
                continue
            except (WorkerClosed, JobCancelled):
                if goal.is_cancel_requested:
                    return Outcome(OutcomeCode.CANCELLED, f"{step} was cancelled before it began.")
                return Outcome(OutcomeCode.NODE_INACTIVE, CLEANED_UP)
        with self._lock:
            busy = [self._busy.get(slot) for slot in self._list_slots(executor)]
        text = f"Executor {executor!r} is still busy with {', '.join(map(str, busy))}."
        return Outcome(OutcomeCode.BUSY, text)

    def _list_slots(self, executor: str) -> list[str]:
        more = range(2, self._at_once + 1)
        return [executor, *(f"{executor} {number}" for number in more)]

    def _perform_in(
        self, slot: str, step: PlanStep, goal: ServerGoalHandle, token: CancelToken
    ) -> Outcome:
        with self._lock:
            self._busy[slot] = step
        try:
            return self._perform(step, goal, token)
        finally:
            with self._lock:
                self._busy.pop(slot, None)
