# SPDX-License-Identifier: Apache-2.0
"""Runs a plan: carries out the dispatcher's commands with ROS, in the thread of its goal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import get_args

from fcp_ros.cset import Delta
from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import DispatchResult
from fcp_ros.execution.events import (
    AssumeEffects,
    CancelRequested,
    CancelStep,
    Command,
    Event,
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
from fcp_ros.execution.goal_conflicts import Literals
from fcp_ros.execution.monitoring import (
    ArrivalWatch,
    DeadlineWatch,
    Look,
    PlanWatch,
    find_obstacle,
)
from fcp_ros.execution.outcome import StepRecord
from fcp_ros.execution.plan_register import Encounter, PlansAhead
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.execution.side_by_side import Claim, make_claim
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.msg import PlanStep as PlanStepMessage
from fcp_ros.nodes.conversions.plan import (
    join_plans,
    schedule_from_ros,
    step_from_ros,
    step_to_ros,
)
from fcp_ros.nodes.executive.fleet import Fleet
from fcp_ros.nodes.executive.goal_context import (
    GoalContext,
    GoalsChanged,
    find_earlier,
)
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.executive.plan_world import PlanWorld
from fcp_ros.nodes.executive.reports import GoalReport
from fcp_ros.nodes.executive.watches import NameWatch, SceneNews, SceneWatch
from fcp_ros.nodes.scene_access.follower import NoSceneError
from fcp_ros.nodes.scene_access.reporter import SceneReporter
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.schedule import Inconsistency, schedule_steps
from fcp_ros.planning.verification.stepping import holds

EVENTS = get_args(Event)

DECISIVE = (Tick, ExecutorReady, Finished, SceneNews)
"""Events after which something is sent or judged by the scene graph, which must not be stale."""


@dataclass
class _Run:
    """A plan that runs."""

    plan: PlanMessage
    steps: Sequence[PlanStep]
    dispatcher: Dispatcher
    watch: PlanWatch
    report: GoalReport
    arrivals: ArrivalWatch | None
    seen: int | None = None  # number of the scene graph that its rest was checked against
    is_cancelling: bool = False
    awaited: list[str] = field(default_factory=list)  # goals of plans that steps wait for
    underway: tuple[int, ...] = ()  # the steps that the next plan counts on


class PlanRunner:
    """Runs the plans of one goal, one after the other.

    All methods belong to the goal's thread.
    """

    def __init__(
        self,
        fleet: Fleet,  # What it shares with the runners of other goals
        threads: GoalThreads,
        context: GoalContext,  # The goal; its plan ends when it is cancelled
        reporter: SceneReporter,  # Writes assumed effects
        names: NameWatch,  # Notices effects that arrive under another name
        scene_watch: SceneWatch,  # Tells when the scene graph is lost, and when it is kept again
    ) -> None:
        self._fleet = fleet
        self._threads = threads
        self._context = context
        self._scene_watch = scene_watch
        self._names = names
        self._domain = fleet.domain
        self._clients = fleet.clients
        self._scene = fleet.scene
        self._reporter = reporter
        self.world = PlanWorld(fleet)  # as the plan at hand takes it
        self._monitor = self.world.make_monitor()
        self._deadline: DeadlineWatch | None = None  # of the plan at hand, until it is missed
        self._run: _Run | None = None
        self._ahead = PlansAhead()  # of other goals, for whose end the next plan is made
        self.loss = ""  # why the plan has waited in vain for steps of another goal: one sentence

    def await_scene(self, sequence: int, seconds: float) -> None:
        """Wait until the scene graph with this number, or a later one, has arrived."""
        # The planner may have planned on a graph that is still on its way to this node. The wait
        # ends at once when the goal is cancelled.

        def has_arrived() -> bool:
            present = self._scene.sequence
            return self._context.is_cancelled or (present is not None and present >= sequence)

        if has_arrived():
            return
        for _ in self._threads.wait_events(self._context, seconds):
            if has_arrived():
                return

    def await_change(self, seconds: float) -> None:
        self.await_scene((self._scene.sequence or 0) + 1, seconds)

    def find_problem(self, steps: Sequence[PlanStep]) -> str:
        """Return why a plan is not executable from the present state; "" if it is.

        Raises NoSceneError if there is no state.
        """
        self._scene.state(self._domain)  # one from before the scene was lost will not do
        if self._ahead.are_lost:
            return "A plan of another goal has ended, for whose end it was made."
        underway, run = self._ahead.steps, self._run
        if run is not None and self.is_busy:
            underway += [run.steps[index] for index in run.dispatcher.running]
        return find_obstacle(self.world.rules, steps, self.world.foresee(underway))

    def find_meeting(
        self, plan: PlanMessage, steps: Sequence[PlanStep], words: str
    ) -> Encounter | None:
        """Return the plan of another goal that a plan has to wait for; None if it can begin.

        One that can't begin waits from then on, unless another one of the same goal still runs.
        """
        claim = self._make_claim(plan, steps, words)
        meeting = self._fleet.plans.find_meeting(self._context.key, claim, self._ahead)
        if meeting is not None and not self.is_busy:
            self._fleet.plans.wait(self._context.key, claim)
        return meeting

    def look_ahead(self, *, joins: bool) -> None:
        """Have the next plan made for the present, or if it can be, for the end of those that run.

        Such a plan `joins` them: see `plan_register`.
        """
        plans = self._fleet.plans
        self._ahead = plans.find_ahead(self._context.key) if joins else PlansAhead()

    def find_reached(self) -> Literals:
        """Find what the goals of the plans that run will have reached when those have ended."""
        ahead = self._fleet.plans.find_ahead(self._context.key)
        state, schema = self.world.foresee(ahead.steps), self._domain.schema
        known = {f: is_ for f, is_ in ahead.demands.items() if schema.has_relation(f.relation)}
        return {fact: is_ for fact, is_ in known.items() if holds(fact, state) == is_}

    def wait_for_others(self, words: str) -> Encounter | None:
        """Have a goal wait that has no plan beside those of others: see `find_meeting`."""
        claim = Claim(words, alone="there is no plan beside it")
        meeting = self._fleet.plans.find_meeting(self._context.key, claim)
        if meeting is not None:
            self._fleet.plans.wait(self._context.key, claim)
        return meeting

    def _make_claim(self, plan: PlanMessage, steps: Sequence[PlanStep], words: str) -> Claim:
        steps = tuple(map(self._fleet.robots.resolve, steps))
        goal = plan.planned_goal or plan.goal
        return make_claim(words, goal, steps, self._domain, is_shifted=bool(self.world.shifts))

    # --- steps that are still being done while another plan is made ---

    @property
    def is_busy(self) -> bool:
        """True while a plan waits for another one to take its place, and steps of it go on."""
        return self._run is not None and self._run.dispatcher.result is None

    def list_underway(self) -> list[PlanStepMessage]:
        """List the steps after which the next plan begins, for the planner.

        `join` then sees what has become of those of the plan at hand.
        """
        if self._run is None:
            return list(map(step_to_ros, self._ahead.steps))
        self._run.underway = self._run.dispatcher.running
        return [self._run.plan.steps[index] for index in self._run.underway]

    def join(
        self, plan: PlanMessage, steps: Sequence[PlanStep]
    ) -> tuple[PlanMessage, Sequence[PlanStep]] | None:
        """Put what is still being done before the steps of a plan that was made for its end.

        None if the plan can't take the place of the one at hand, as a step has not gone as the
        plan wants it.
        """
        run = self._run
        if run is None:
            return plan, steps
        dispatcher, kept = run.dispatcher, run.dispatcher.running
        if not {*kept, *dispatcher.done}.issuperset(run.underway):
            return None
        if dispatcher.result is not None:  # all of it has ended
            self.close()
            return plan, steps
        messages = [run.plan.steps[index] for index in kept]
        rests = map(dispatcher.find_rest, kept)
        begun = [
            replace(step_from_ros(message), duration=rest)
            for message, rest in zip(messages, rests, strict=True)
        ]
        joined = (*begun, *steps)
        schedule = schedule_steps(self._domain, self.world.find_present(), joined)
        is_shifted = bool(self.world.shifts)
        if dispatcher.handing_on is None or is_shifted or isinstance(schedule, Inconsistency):
            return None
        return join_plans(messages, plan, schedule), joined

    def finish(self) -> DispatchResult:
        """Bring the plan at hand to its end: no other one takes its place."""
        run = self._run
        assert run is not None
        self.world.take_up([run.steps[index] for index in run.dispatcher.waiting], ())
        return self._go_on(run, run.dispatcher.go_on)

    def close(self) -> None:
        """Let go of the plan at hand; what is still being done is stopped."""
        run, self._run, self._context.running = self._run, None, None
        if run is None:
            return
        self._clients.unwatch(self._context)
        self._scene_watch.end(self._context)
        if run.dispatcher.result is None:  # a fault of ours: no executor may go on alone
            self._stop_all(run.dispatcher)
        fleet, key = self._fleet, self._context.key
        fleet.acting = {one for one in fleet.acting if one[0] != key}
        fleet.leave(key)

    # --- a plan that runs -----------------------------------------------------------------------

    def run(
        self,
        plan: PlanMessage,  # As it arrived, for the executors
        steps: Sequence[PlanStep],
        words: str,  # The goal, for people
        report: GoalReport,
        # Tells if the plan is outdated because something has appeared
        arrivals: ArrivalWatch | None = None,
        # Tells when the deadline of the plan can't be kept any more
        deadline: DeadlineWatch | None = None,
        # Another plan is made as soon as a robot is lost or a step fails
        hands_on: bool = False,
    ) -> DispatchResult:
        """Run a plan that meets no other one (`find_meeting`) to its end.

        If another plan is to take its place, for a robot that is lost or a step that has failed,
        its result comes before its end: steps go on while the goal's thread waits for something
        else (`is_busy`), until the next plan is run (`join`), or this one again (`finish`).
        """
        fleet, context = self._fleet, self._context
        claim = self._make_claim(plan, steps, words)
        steps, order = claim.steps, self._find_order(plan, claim.steps)
        run, kept = self._run, range(0)  # what another plan has begun comes first in this one
        if run is None:
            monitor = self._monitor = self.world.make_monitor()
            dispatcher = Dispatcher(
                steps,
                fleet.settings(),
                fleet.ledger,
                monitor,
                time.monotonic,
                self._threads.may_begin,
                order,
                {name: one.agent for name, one in fleet.own.items()},
                partial(fleet.plans.is_held, context.key),
                hands_on and not (claim.alone or self._ahead.entries),
            )
            begin = dispatcher.start
            self._scene_watch.begin(context)
        else:
            dispatcher = run.dispatcher
            begin = partial(dispatcher.take_over, steps, order)
            kept = range(len(dispatcher.running))
            others = {one for one in fleet.acting if one[0] != context.key}
            fleet.acting = others | {(context.key, index) for index in kept}
        watch = PlanWatch(self.world.rules, steps, self._monitor.find_effects)
        run = self._run = _Run(plan, steps, dispatcher, watch, report, arrivals)
        run.seen, self._deadline = self._scene.sequence, deadline
        for index in kept:
            self._begin_step(index)
        fleet.begin(context.key, claim, self._ahead)
        self._ahead = PlansAhead()
        return self._go_on(run, begin)

    def _go_on(self, run: _Run, begin: Callable[[], Sequence[Command]]) -> DispatchResult:
        """Take events until the plan has ended, or another one is to take its place."""
        # Each event is handed to the dispatcher, and its commands are carried out before the next
        # event is taken. A cancelled goal becomes one `CancelRequested`, which the dispatcher gets
        # even if the event that told of it was replaced or came before the plan.
        dispatcher, self._context.running = run.dispatcher, None
        try:
            self._obey(run, begin())
            while True:
                until = self.look()
                if dispatcher.result is not None:
                    self.close()
                    return dispatcher.result
                if (handed := dispatcher.handing_on) is not None:
                    self._context.running = self
                    return handed
                self.take(self._threads.take(self._context, until))
        except BaseException:
            self.close()
            raise

    def look(self) -> float | None:
        """Tell the dispatcher what no event tells; return by when it wants the next one."""
        run = self._run
        assert run is not None
        late_at, late = self._tell_delay(run.report)
        self._tell_awaited(run)
        if late or self.loss:
            self._obey(run, run.dispatcher.handle(PlanOutdated(late or self.loss)))
        if self._context.is_cancelled and not run.is_cancelling:
            run.is_cancelling = True
            run.report.on_cancelling()
            self._obey(run, run.dispatcher.handle(CancelRequested()))
        return find_earlier(run.dispatcher.deadline, late_at)

    def _tell_awaited(self, run: _Run) -> None:
        plans, key = self._fleet.plans, self._context.key
        self.loss, goals = plans.find_loss(key), plans.find_awaited(key).goals
        if goals != run.awaited:
            run.awaited = goals
            run.report.on_awaited(goals)

    def take(self, event: object | None) -> None:
        """Take an event for the plan at hand; None: the time has come."""
        run = self._run
        assert run is not None
        dispatcher, report = run.dispatcher, run.report
        if event is None:
            event = Tick()
        if isinstance(event, DECISIVE):
            self._obey(run, self._tell_scene(dispatcher, report))
        if isinstance(event, GoalsChanged):
            report.on_goals_changed()
        if isinstance(event, EVENTS):  # otherwise late news of the planner or grounder
            self._obey(run, dispatcher.handle(event))
        is_over = dispatcher.result is not None or dispatcher.handing_on is not None
        if isinstance(event, WorldChanged) and not is_over:
            run.seen = self._check_rest(run)
            reason = "" if run.arrivals is None else run.arrivals.find_arrival(self._fleet.see())
            if reason:
                run.arrivals = None  # told once
                self._obey(run, dispatcher.handle(PlanOutdated(reason)))

    def _find_order(self, plan: PlanMessage, steps: Sequence[PlanStep]) -> RunOrder:
        schedule = schedule_from_ros(plan)
        if schedule is None:
            return self.world.make_chain(steps)
        return RunOrder.of(len(steps), schedule)

    def _tell_scene(self, dispatcher: Dispatcher, report: GoalReport) -> Sequence[Command]:
        """Tell the dispatcher if the scene graph was lost or found since the last look."""
        change = self._scene_watch.look(self._context)
        if change is None:
            return ()
        if isinstance(change, SceneLost):
            report.on_scene_lost(change.reason)
        else:
            report.on_scene_found()
        return dispatcher.handle(change)

    def _tell_delay(self, report: GoalReport) -> tuple[float | None, str]:
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
        return None, problem if report.on_late(problem) else ""

    def _check_rest(self, run: _Run) -> int | None:
        """Check the rest of a plan if the changes since the last look concern it.

        Returns the number of the newest graph that was looked at.
        """
        newest = self._scene.sequence
        changed = None if run.seen is None else self._scene.find_changed_since(run.seen)
        running, waiting = run.dispatcher.running, run.dispatcher.waiting
        elements = run.watch.find_affected(sorted((*running, *waiting)), changed)
        if elements:
            try:
                awaited = self._fleet.plans.find_awaited(self._context.key)
                state = self.world.foresee(awaited.steps)
                problem = run.watch.find_problem(running, waiting, state)
            except NoSceneError:
                return run.seen
            run.report.on_scene_changed(Look(elements, problem))
        return newest

    def _obey(self, run: _Run, commands: Sequence[Command]) -> None:
        plan, report = run.plan, run.report
        for command in commands:
            if isinstance(command, FindExecutor):
                self._clients.find(command.executor, self._context)
            elif isinstance(command, SendStep):
                report.on_step_sent(command.index)
                self.world.note_end(self._monitor.find_effects(command.step)[1])
                self._watch_names(command.index)
                self._begin_step(command.index)
                self._clients.send(command, plan.id, plan.steps[command.index], self._context)
            elif isinstance(command, ReportProgress):
                report.on_progress(command.index, command.progress, command.message)
            elif isinstance(command, RecordOutcome):
                report.on_outcome(command.record)
                if self._deadline is not None:
                    self._deadline.end_step(command.record.index)
                if command.record.outcome.succeeded:
                    self._fleet.note_done(self._context.key, command.record.index)
                self._settle_names(command.record)
            elif isinstance(command, AssumeEffects):
                self._assume_effects(command.step)
            else:
                self._cancel_step(command)

    def _begin_step(self, index: int) -> None:
        if self._deadline is not None:
            self._deadline.begin_step(index, time.monotonic())

    def _watch_names(self, index: int) -> None:
        # What changes while two steps are being done could be the effect of either.
        is_alone = not self._fleet.acting
        self._fleet.acting.add((self._context.key, index))
        state = self._fleet.find_state() if is_alone else None
        self._names.begin(state)

    def _settle_names(self, record: StepRecord) -> None:
        self._fleet.acting.discard((self._context.key, record.index))
        state = (
            None if record.scene_lost else self._fleet.find_state()
        )  # a stale scene shows no names
        if state is not None:
            step = record.step
            self._names.end(step, lambda: self._monitor.find_effects(step)[0], state)

    def _cancel_step(self, command: Command) -> None:
        if isinstance(command, CancelStep):
            self._clients.cancel(command.attempt)

    def _assume_effects(self, step: PlanStep) -> None:
        added, removed = self._monitor.find_effects(step)
        try:
            self._reporter.publish_once(Delta(tuple(sorted(added)), tuple(sorted(removed))))
        except NoSceneError:
            return  # then the effects don't show, and the dispatcher says so

    def _stop_all(self, dispatcher: Dispatcher) -> None:
        for attempt in dispatcher.attempts:
            self._fleet.ledger.abandon(attempt)
            self._clients.cancel(attempt)
