# SPDX-License-Identifier: Apache-2.0
"""A dispatcher on a bench: with a clock that the test moves, and a world of sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import DispatchSettings
from fcp_ros.execution.events import ExecutorLedger
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.step_order import PartialOrder

SUCCESS = Outcome(OutcomeCode.SUCCEEDED)
FAILURE = Outcome(OutcomeCode.EXECUTION_FAILED, "It slipped.")
STOPPED = Outcome(OutcomeCode.CANCELLED)


def step(rule: str, *values: str, duration: float = 10.0, executor: str = "") -> PlanStep:
    arguments = tuple((f"p{i}", value) for i, value in enumerate(values))
    return PlanStep(rule, arguments, 1.0, 1.0, duration, executor or f"execute_{rule}")


def order(count: int, *pairs: tuple[int, int], agents: tuple[tuple[str, ...], ...]) -> RunOrder:
    return RunOrder(PartialOrder.of(count, pairs).predecessors, agents, tuple(range(count)))


class SeenWorld:
    """The state of the world as sentences about what is missing in it."""

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self.hidden: dict[str, str] = {}

    def find_unmet(self, asked: PlanStep) -> str:
        return self.missing.get(asked.rule, "")

    def find_unseen(self, asked: PlanStep) -> str:
        return self.hidden.get(asked.rule, "")


class Bench:
    """A dispatcher, its clock, and everything that it asked for so far."""

    def __init__(
        self,
        *steps: PlanStep,
        ledger: ExecutorLedger | None = None,
        order: RunOrder | None = None,
        may_begin: Callable[[], bool] | None = None,  # by default as many as `allowed` says
        owners: Mapping[str, str] | None = None,
        is_held=lambda _index: False,
        hands_on: bool = False,
        **settings,
    ) -> None:
        self.now = 100.0
        self.world = SeenWorld()
        self.settings = DispatchSettings(**settings)
        self.ledger = ledger or ExecutorLedger()
        self.steps = steps
        self.allowed = math.inf  # steps that may begin
        self.dispatcher = Dispatcher(
            steps,
            self.settings,
            self.ledger,
            self.world,
            lambda: self.now,
            may_begin or self._may_begin,
            order,
            owners,
            is_held,
            hands_on,
        )
        self.gone: set[str] = set()  # executors that don't answer when they are looked for
        self.commands: list[ev.Command] = []

    def _may_begin(self) -> bool:
        if self.allowed <= 0:
            return False
        self.allowed -= 1
        return True

    def start(self, *, ready: bool = True) -> Bench:
        self.commands += self.dispatcher.start()
        for executor in {s.executor for s in self.steps} if ready else ():
            self.tell(ev.ExecutorReady(executor))
        return self

    def tell(self, event: ev.Event) -> tuple[ev.Command, ...]:
        commands = self.dispatcher.handle(event)
        self.commands += commands
        for command in commands:  # executors that are there answer at once
            if isinstance(command, ev.FindExecutor) and command.executor not in self.gone:
                self.tell(ev.ExecutorReady(command.executor))
        return commands

    def wait(self) -> tuple[ev.Command, ...]:
        """Let time pass until the dispatcher wants to be told."""
        assert self.dispatcher.deadline is not None
        self.now = self.dispatcher.deadline
        return self.tell(ev.Tick())

    def of(self, kind: type) -> list:
        return [command for command in self.commands if isinstance(command, kind)]

    @property
    def sent(self) -> ev.SendStep:
        return self.of(ev.SendStep)[-1]

    def accept(self) -> int:
        self.tell(ev.Accepted(self.sent.attempt))
        return self.sent.attempt

    def succeed(self) -> None:
        self.tell(ev.Finished(self.accept(), SUCCESS))

    @property
    def codes(self) -> list[OutcomeCode]:
        return [command.record.outcome.code for command in self.of(ev.RecordOutcome)]

    @property
    def result(self):
        assert self.dispatcher.result is not None
        return self.dispatcher.result
