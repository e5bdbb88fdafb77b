# SPDX-License-Identifier: Apache-2.0
"""Runs a plan: the dispatcher's decisions, carried out with ROS, in the executive's thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol, get_args

from fcp_ros.cset import Delta, Instance
from fcp_ros.domain.model import Domain
from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import DispatchResult, DispatchSettings
from fcp_ros.execution.events import (
    AssumeEffects,
    CancelRequested,
    CancelStep,
    Command,
    Event,
    FindExecutor,
    RecordOutcome,
    ReportProgress,
    SendStep,
    Tick,
    WorldChanged,
)
from fcp_ros.execution.ledger import ExecutorLedger
from fcp_ros.execution.monitoring import Look, Monitor, PlanWatch, find_obstacle
from fcp_ros.execution.outcome import StepRecord
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.nodes.executive.events import CancelTicket, Ticket
from fcp_ros.nodes.executive.inbox import Inbox
from fcp_ros.nodes.executive.step_clients import StepClients
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower
from fcp_ros.nodes.scene_access.reporter import SceneReporter
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.stepping.rules import StepRules

EVENTS = get_args(Event)


class RunListener(Protocol):
    """Told what happens while a plan runs, in the executive's thread."""

    def step_sent(self, index: int) -> None:
        """A step was given to its executor."""

    def progress(self, index: int, progress: float, message: str) -> None:
        """The executor reports progress in [0, 1]."""

    def recorded(self, record: StepRecord) -> None:
        """A step has ended."""

    def cancelling(self) -> None:
        """The plan is being cancelled."""

    def world_changed(self, look: Look) -> None:
        """Elements of the rest of the plan have changed, and it was looked at again."""


class PlanRunner:
    """Holds what outlives a single plan: the ledger, and late answers.

    Arguments:
        domain: in whose words the plans are.
        inbox: where all events arrive.
        clients: of the executors.
        world: the newest scene graph.
        reporter: writes assumed effects.
        settings: read anew for each plan.
    """

    def __init__(
        self,
        domain: Domain,
        inbox: Inbox[Any],
        clients: StepClients,
        scene: SceneFollower,
        reporter: SceneReporter,
        settings: Callable[[], DispatchSettings],
    ) -> None:
        self._domain = domain
        self._inbox = inbox
        self._clients = clients
        self._scene = scene
        self._reporter = reporter
        self._settings = settings
        self._ledger = ExecutorLedger()
        self._rules = StepRules(domain)
        self._monitor = Monitor(self._rules, self._present)
        self._last_seen: Instance | None = None

    def problem(self, steps: Sequence[PlanStep]) -> str:
        """Why a plan can't be done from the present state; "" if it can.

        Raises:
            NoSceneError: there is no state.
        """
        return find_obstacle(self._rules, steps, self._scene.state(self._domain).instance)

    def late(self, event: object) -> None:
        """Take in an event that comes while no plan runs."""
        if isinstance(event, EVENTS):
            for command in self._ledger.take_late(event):
                self._obey_cancel(command)

    def run(
        self, ticket: Ticket, plan: PlanMessage, steps: Sequence[PlanStep], listener: RunListener
    ) -> DispatchResult:
        """Run a plan to its end.

        Arguments:
            ticket: ends the plan when it is cancelled.
            plan: as it came, for the executors.
            steps: its steps.
            listener: told what happens.
        """
        monitor = self._monitor = Monitor(self._rules, self._present)
        dispatcher = Dispatcher(steps, self._settings(), self._ledger, monitor, time.monotonic)
        watch = PlanWatch(self._rules, tuple(steps), monitor.find_effects)
        seen = self._scene.sequence
        try:
            self._obey(dispatcher.start(), plan, listener)
            if ticket.cancelled.is_set():
                self._tell(dispatcher, CancelRequested(), plan, listener)
            while dispatcher.result is None:
                event = self._inbox.take(dispatcher.deadline)
                if isinstance(event, CancelTicket):
                    event = CancelRequested() if event.number == ticket.number else None
                    if event is None:
                        continue
                self._tell(dispatcher, Tick() if event is None else event, plan, listener)
                if isinstance(event, WorldChanged) and dispatcher.result is None:
                    seen = self._look_round(watch, dispatcher.index, seen, listener)
            return dispatcher.result
        finally:
            self._clients.stop_seeking()
            if dispatcher.result is None:  # a fault of ours: don't leave an executor at it
                self._stop_everything()

    def _look_round(
        self, watch: PlanWatch, index: int, seen: int | None, listener: RunListener
    ) -> int | None:
        """See whether what has changed since the graph `seen` matters; the number of the newest."""
        newest = self._scene.sequence
        changed = None if seen is None else self._scene.find_changed_since(seen)
        elements = watch.find_affected(index, changed)
        if elements:
            try:
                problem = watch.find_problem(index, self._present())
            except NoSceneError:
                return seen
            listener.world_changed(Look(elements, problem))
        return newest

    def _tell(
        self, dispatcher: Dispatcher, event: object, plan: PlanMessage, listener: RunListener
    ) -> None:
        if not isinstance(event, EVENTS):
            return  # late news from the planner or the grounder
        if isinstance(event, CancelRequested):
            listener.cancelling()
        self._obey(dispatcher.handle(event), plan, listener)

    def _obey(self, commands: Sequence[Command], plan: PlanMessage, listener: RunListener) -> None:
        for command in commands:
            if isinstance(command, FindExecutor):
                self._clients.find(command.executor)
            elif isinstance(command, SendStep):
                listener.step_sent(command.index)
                self._clients.send(command, plan.id, plan.steps[command.index])
            elif isinstance(command, ReportProgress):
                listener.progress(command.index, command.progress, command.message)
            elif isinstance(command, RecordOutcome):
                listener.recorded(command.record)
            elif isinstance(command, AssumeEffects):
                self._assume(command.step)
            else:
                self._obey_cancel(command)

    def _obey_cancel(self, command: Command) -> None:
        if isinstance(command, CancelStep):
            self._clients.cancel(command.attempt)

    def _assume(self, step: PlanStep) -> None:
        added, removed = self._monitor.find_effects(step)
        try:
            self._reporter.publish_once(Delta(tuple(sorted(added)), tuple(sorted(removed))))
        except NoSceneError:
            return  # then the effects don't show, and the dispatcher says so

    def _present(self) -> Instance:
        try:
            self._last_seen = self._scene.state(self._domain).instance
        except NoSceneError:
            if self._last_seen is None:
                raise
        assert self._last_seen is not None
        return self._last_seen

    def _stop_everything(self) -> None:
        for attempt in self._ledger.list_attempts():
            self._clients.cancel(attempt)
