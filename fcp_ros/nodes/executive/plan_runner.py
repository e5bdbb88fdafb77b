# SPDX-License-Identifier: Apache-2.0
"""Runs a plan: carries out the dispatcher's commands with ROS, in the executive's thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol, get_args

from fcp_ros.cset import Delta, Fact, Instance
from fcp_ros.domain.derived_facts import add_facts
from fcp_ros.domain.model import Domain
from fcp_ros.domain.shifting import Shifts, shift_elements, shift_state
from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import DispatchResult, DispatchSettings
from fcp_ros.execution.events import (
    AssumeEffects,
    CancelRequested,
    CancelStep,
    Command,
    Event,
    ExecutorLedger,
    ExecutorReady,
    FindExecutor,
    Finished,
    PlanOutdated,
    RecordOutcome,
    ReportProgress,
    SceneLost,
    SendStep,
    Tick,
    WorldChanged,
)
from fcp_ros.execution.monitoring import (
    ArrivalWatch,
    DeadlineWatch,
    Look,
    Monitor,
    PlanWatch,
    find_granted,
    find_obstacle,
)
from fcp_ros.execution.outcome import StepRecord
from fcp_ros.execution.robot_executors import RobotExecutors
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.foundation.input_error import InputError
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.nodes.conversions.plan import schedule_from_ros
from fcp_ros.nodes.executive.server_clients import StepClients
from fcp_ros.nodes.executive.thread import ExecutiveThread, GoalContext, GoalsChanged
from fcp_ros.nodes.executive.watches import NameWatch, SceneNews, SceneWatch
from fcp_ros.nodes.runtime.domain_parameter import list_executors
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower, WorldState
from fcp_ros.nodes.scene_access.reporter import SceneReporter
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.model.request import AbsentExecutor
from fcp_ros.planning.verification.stepping import StepRules

EVENTS = get_args(Event)

DECISIVE = (Tick, ExecutorReady, Finished, SceneNews)
"""Events after which something is sent or judged by the scene graph, which must not be stale."""


class RunListener(Protocol):
    """Gets what happens while a plan runs; called in the executive's thread."""

    def on_step_sent(self, index: int) -> None:
        """A step was given to its executor."""

    def on_progress(self, index: int, progress: float, message: str) -> None:
        """The executor reports progress in [0, 1]."""

    def on_outcome(self, record: StepRecord) -> None:
        """A step has ended."""

    def on_cancelling(self) -> None:
        """The plan is being cancelled."""

    def on_scene_lost(self, problem: str) -> None:
        """The scene graph is stale, and nothing is sent until it is kept again."""

    def on_scene_found(self) -> None:
        """The scene graph is kept up to date again."""

    def on_late(self, problem: str) -> bool:
        """The deadline of the plan can't be kept any more; return True to end the plan for that."""

    def on_goals_changed(self) -> None:
        """A pause has begun or ended, or another number of goals waits."""

    def on_scene_changed(self, look: Look) -> None:
        """Elements of the rest of the plan have changed, and the rest was checked again."""


class PlanRunner:
    """Runs one plan at a time, and keeps what outlives it: the ledger of executors.

    All methods belong to the executive's thread.
    """

    def __init__(
        self,
        domain: Domain,
        thread: ExecutiveThread,
        clients: StepClients,
        scene: SceneFollower,
        reporter: SceneReporter,  # Writes assumed effects
        # Returns the bounds of the waits; called for each plan
        settings: Callable[[], DispatchSettings],
        names: NameWatch,  # Notices effects that arrive under another name
        scene_watch: SceneWatch,  # Tells when the scene graph is lost, and when it is kept again
        robots: RobotExecutors,  # which of them have executors of their own
    ) -> None:
        self._scene_watch = scene_watch
        self._names = names
        self._domain = domain
        self._thread = thread
        self._clients = clients
        self._scene = scene
        self._reporter = reporter
        self._settings = settings
        self._robots = robots
        executors = list_executors(domain)
        self._own = robots.list_own(executors)
        for name in robots.list_names(executors):
            clients.prepare(name)
        self._ledger = ExecutorLedger(robots.shared)
        self._own_rules = self._rules = StepRules(domain)
        self._shifts: Shifts = ()
        self._shifted = domain  # with the shifts
        self._monitor = Monitor(self._rules, self._present)
        self._last_seen: WorldState | None = None
        self._granted: frozenset[Fact] = frozenset()  # what the plan ends and nobody has seen
        self._acting: set[int] = set()  # positions of the steps that are being done
        self._deadline: DeadlineWatch | None = None  # of the plan at hand, until it is missed

    def await_scene(self, context: GoalContext, sequence: int, seconds: float) -> None:
        """Wait until the scene graph with this number, or a later one, has arrived."""
        # The planner may have planned on a graph that is still on its way to this node. `context`:
        # the goal; the wait ends at once when it is cancelled.

        def has_arrived() -> bool:
            present = self._scene.sequence
            return context.is_cancelled or (present is not None and present >= sequence)

        if has_arrived():
            return
        for _ in self._thread.wait_events(seconds):
            if has_arrived():
                return

    def await_change(self, context: GoalContext, seconds: float) -> None:
        """Wait for the next scene graph, for a bounded time."""
        self.await_scene(context, (self._scene.sequence or 0) + 1, seconds)

    def take_up(self, steps: Sequence[PlanStep], shifts: Shifts) -> str:
        """Take elements for others, as the next plan wants it, until another plan is taken up.

        What it ends and nobody has seen is taken for granted. Returns a sentence why that can't be;
        "" if it can.
        """
        self._shifts, self._shifted, self._rules = shifts, self._domain, self._own_rules
        self._granted = frozenset()
        if shifts:
            try:
                self._shifted, _ = shift_elements(self._domain, self._see().instance, shifts)
            except InputError as error:
                self._shifts = ()
                return str(error)
            self._rules = StepRules(self._shifted)
        is_unseen = self._see().scene.facts.is_unseen
        self._granted = find_granted(self._rules, steps, self._present(), is_unseen)
        return ""

    def find_problem(self, steps: Sequence[PlanStep]) -> str:
        """Return why a plan is not executable from the present state; "" if it is.

        Raises NoSceneError if there is no state.
        """
        self._scene.state(self._domain)  # one from before the scene was lost will not do
        return find_obstacle(self._rules, steps, self._present())

    def find_absent(self, context: GoalContext) -> frozenset[AbsentExecutor]:
        """Find the executors of single robots that can't do a step now.

        A robot that may still be acting on a step of an earlier plan gets none at all. `context`:
        the goal; the wait for the answers about such steps ends at once when it is cancelled.
        """
        self._await_abandoned(context)
        settings = self._settings()
        executors = self._ledger.list_abandoned().values()
        busy = {self._own[name].agent for name in executors if name in self._own}
        missing = self._clients.list_missing(self._own, settings.executor_wait)
        return frozenset(
            one for name, one in self._own.items() if name in missing or one.agent in busy
        )

    def _await_abandoned(self, context: GoalContext) -> None:
        """Ask robots' executors that are there about the steps that they have not answered for."""
        # The dispatcher asks only those that it has a step for.

        def list_there() -> list[int]:
            abandoned = self._ledger.list_abandoned()
            missing = self._clients.list_missing(self._own, 0.0)
            return [a for a, n in abandoned.items() if n in self._own and n not in missing]

        asked = list_there()
        for attempt in asked:
            self._clients.cancel(attempt)
        if not asked:
            return
        for _ in self._thread.wait_events(self._settings().grace_time):
            if context.is_cancelled or not list_there():
                return

    def handle_late(self, event: object) -> None:
        """Handle an event that arrives while no plan runs."""
        if isinstance(event, EVENTS):
            for command in self._ledger.take_late(event):
                self._cancel_step(command)

    def run(
        self,
        context: GoalContext,  # The goal; the plan ends when it is cancelled
        plan: PlanMessage,  # As it arrived, for the executors
        steps: Sequence[PlanStep],
        listener: RunListener,
        # Tells if the plan is outdated because something has appeared
        arrivals: ArrivalWatch | None = None,
        # Tells when the deadline of the plan can't be kept any more
        deadline: DeadlineWatch | None = None,
    ) -> DispatchResult:
        """Run a plan to its end."""
        steps = tuple(map(self._robots.resolve, steps))
        # Each event is handed to the dispatcher, and its commands are carried out before the next
        # event is taken. A cancelled goal becomes one `CancelRequested`, which the dispatcher gets
        # even if the event that told of it was replaced or came before the plan.
        monitor = self._monitor = Monitor(self._rules, self._present)
        order = RunOrder.of(len(steps), schedule_from_ros(plan))
        dispatcher = Dispatcher(
            steps,
            self._settings(),
            self._ledger,
            monitor,
            time.monotonic,
            self._thread.may_begin,
            order,
            {name: one.agent for name, one in self._own.items()},
        )
        watch = PlanWatch(self._rules, steps, monitor.find_effects)
        seen = self._scene.sequence
        is_cancelling = False
        self._acting.clear()
        self._deadline = deadline
        self._scene_watch.begin()
        try:
            self._obey(dispatcher.start(), plan, listener)
            while dispatcher.result is None:
                late_at, late = self._tell_delay(listener)
                if late:
                    self._obey(dispatcher.handle(PlanOutdated(late)), plan, listener)
                    continue
                if context.is_cancelled and not is_cancelling:
                    is_cancelling = True
                    listener.on_cancelling()
                    self._obey(dispatcher.handle(CancelRequested()), plan, listener)
                    continue
                event = self._thread.take(_find_earlier(dispatcher.deadline, late_at))
                if event is None:
                    event = Tick()
                if isinstance(event, DECISIVE):
                    self._obey(self._tell_scene(dispatcher, listener), plan, listener)
                if isinstance(event, GoalsChanged):
                    listener.on_goals_changed()
                if isinstance(event, EVENTS):  # otherwise late news of the planner or grounder
                    self._obey(dispatcher.handle(event), plan, listener)
                if isinstance(event, WorldChanged) and dispatcher.result is None:
                    seen = self._check_rest(watch, dispatcher, seen, listener)
                    reason = "" if arrivals is None else arrivals.find_arrival(self._see().instance)
                    if reason:
                        arrivals = None  # told once
                        self._obey(dispatcher.handle(PlanOutdated(reason)), plan, listener)
            return dispatcher.result
        finally:
            self._clients.unwatch()
            self._scene_watch.end()
            self._deadline = None
            if dispatcher.result is None:  # a fault of ours: no executor may go on alone
                self._stop_all()

    def _tell_scene(self, dispatcher: Dispatcher, listener: RunListener) -> Sequence[Command]:
        """Tell the dispatcher if the scene graph was lost or found since the last look."""
        change = self._scene_watch.look()
        if change is None:
            return ()
        if isinstance(change, SceneLost):
            listener.on_scene_lost(change.reason)
        else:
            listener.on_scene_found()
        return dispatcher.handle(change)

    def _tell_delay(self, listener: RunListener) -> tuple[float | None, str]:
        """Tell once that the deadline can't be kept.

        Returns the time of the next look, and why the plan is to end for that ("" if it is not).
        """
        if self._deadline is None:
            return None, ""
        now = time.monotonic()
        problem = self._deadline.find_breach(now)
        if not problem:
            return self._deadline.find_moment(now), ""
        self._deadline = None
        return None, problem if listener.on_late(problem) else ""

    def _check_rest(
        self, watch: PlanWatch, dispatcher: Dispatcher, seen: int | None, listener: RunListener
    ) -> int | None:
        """Check the rest of the plan if the changes since the graph `seen` concern it.

        Returns the number of the newest graph.
        """
        newest = self._scene.sequence
        changed = None if seen is None else self._scene.find_changed_since(seen)
        running, waiting = dispatcher.running, dispatcher.waiting
        elements = watch.find_affected(sorted((*running, *waiting)), changed)
        if elements:
            try:
                problem = watch.find_problem(running, waiting, self._present())
            except NoSceneError:
                return seen
            listener.on_scene_changed(Look(elements, problem))
        return newest

    def _obey(self, commands: Sequence[Command], plan: PlanMessage, listener: RunListener) -> None:
        for command in commands:
            if isinstance(command, FindExecutor):
                self._clients.find(command.executor)
            elif isinstance(command, SendStep):
                listener.on_step_sent(command.index)
                self._granted -= self._monitor.find_effects(command.step)[1]
                self._watch_names(command.index)
                if self._deadline is not None:
                    self._deadline.begin_step(command.index, time.monotonic())
                self._clients.send(command, plan.id, plan.steps[command.index])
            elif isinstance(command, ReportProgress):
                listener.on_progress(command.index, command.progress, command.message)
            elif isinstance(command, RecordOutcome):
                listener.on_outcome(command.record)
                if self._deadline is not None:
                    self._deadline.end_step(command.record.index)
                self._settle_names(command.record)
            elif isinstance(command, AssumeEffects):
                self._assume_effects(command.step)
            else:
                self._cancel_step(command)

    def _watch_names(self, index: int) -> None:
        """Look at the world when a step begins, to find its effects under other names."""
        # What changes while two steps are being done could be the effect of either.
        is_alone = not self._acting
        self._acting.add(index)
        state = self._find_state() if is_alone else None
        self._names.begin(state)

    def _settle_names(self, record: StepRecord) -> None:
        """Look for the effects of a step that has ended under other names."""
        self._acting.discard(record.index)
        state = None if record.scene_lost else self._find_state()  # a stale scene shows no names
        if state is not None:
            step = record.step
            self._names.end(step, lambda: self._monitor.find_effects(step)[0], state)

    def _find_state(self) -> WorldState | None:
        try:
            return self._scene.state(self._domain)
        except NoSceneError:
            return None

    def _cancel_step(self, command: Command) -> None:
        if isinstance(command, CancelStep):
            self._clients.cancel(command.attempt)

    def _assume_effects(self, step: PlanStep) -> None:
        added, removed = self._monitor.find_effects(step)
        try:
            self._reporter.publish_once(Delta(tuple(sorted(added)), tuple(sorted(removed))))
        except NoSceneError:
            return  # then the effects don't show, and the dispatcher says so

    def find_present(self) -> Instance | None:
        """Return the present state as it is seen; None while there is none."""
        try:
            return self._see().instance
        except NoSceneError:
            return None

    def _present(self) -> Instance:
        seen = self._see()
        present = seen.instance
        if self._shifts:
            present = shift_state(self._domain, present, self._shifts, self._shifted)
        granted = [fact for fact in self._granted if seen.scene.facts.is_unseen(fact)]
        return add_facts(self._shifted, present, granted) if granted else present

    def _see(self) -> WorldState:
        """Return the present state, or the last one while there is none."""
        try:
            self._last_seen = self._scene.state(self._domain)
        except NoSceneError:
            if self._last_seen is None:
                raise
        assert self._last_seen is not None
        return self._last_seen

    def _stop_all(self) -> None:
        for attempt in self._ledger.list_attempts():
            self._clients.cancel(attempt)


def _find_earlier(one: float | None, other: float | None) -> float | None:
    """Return the earlier of two times; None stands for never."""
    return min((moment for moment in (one, other) if moment is not None), default=None)
