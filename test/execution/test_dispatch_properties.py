# SPDX-License-Identifier: Apache-2.0
"""Whatever executors, users and time do, and in whichever order: the dispatcher's promises hold."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import DispatchPhase, DispatchSettings, DispatchStatus
from fcp_ros.execution.events import ExecutorLedger
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.planning.model.plan import PlanStep

EXECUTORS = ("arm", "base")
OUTCOMES = tuple(Outcome(code) for code in OutcomeCode)


class ShiftingWorld:
    """A world that shows preconditions and effects as the test decides."""

    def __init__(self) -> None:
        self.ready = True
        self.shown = True

    def find_unmet(self, _: PlanStep) -> str:
        return "" if self.ready else "Something is missing."

    def find_unseen(self, _: PlanStep) -> str:
        return "" if self.shown else "Something is not seen."


attempts = st.integers(min_value=1, max_value=8)
events = st.one_of(
    st.builds(ev.ExecutorReady, st.sampled_from(EXECUTORS)),
    st.builds(ev.ExecutorLost, st.sampled_from(EXECUTORS)),
    st.builds(ev.Accepted, attempts),
    st.builds(ev.Rejected, attempts),
    st.builds(ev.Feedback, attempts, st.floats(-1, 2)),
    st.builds(ev.Finished, attempts, st.sampled_from(OUTCOMES)),
    st.builds(ev.Forgotten, attempts),
    st.just(ev.WorldChanged()),
    st.just(ev.CancelRequested()),
    st.just(ev.PlanOutdated("something better has come")),
    st.just(ev.Tick()),
)
actions = st.one_of(
    events,
    st.just("answer"),  # the executor of the last attempt accepts and succeeds
    st.just("deadline"),
    st.just("pause"),
    st.just("release"),
    st.tuples(st.booleans(), st.booleans()),  # what the world shows from now on
)
plans = st.lists(st.sampled_from(EXECUTORS), min_size=1, max_size=4)


class Watch:
    """Keeps, from the commands and events alone, which attempts may still be acting."""

    def __init__(self) -> None:
        self.acting: dict[int, str] = {}
        self.sent: list[int] = []

    def commanded(self, commands: tuple[ev.Command, ...]) -> None:
        for command in commands:
            if isinstance(command, ev.SendStep):
                assert command.step.executor not in self.acting.values()
                assert command.attempt not in self.sent
                self.acting[command.attempt] = command.step.executor
                self.sent.append(command.attempt)

    def told(self, event: ev.Event) -> None:
        if isinstance(event, (ev.Rejected, ev.Finished, ev.Forgotten)):
            self.acting.pop(event.attempt, None)


class Run:
    """Plays actions against successive plans that share one ledger."""

    def __init__(self, executors: list[str], trust: bool) -> None:
        self.executors = executors
        self.ledger = ExecutorLedger()
        self.world = ShiftingWorld()
        self.watch = Watch()
        self.settings = DispatchSettings(trust_executors=trust)
        self.now = 0.0
        self.is_paused = False
        self.begin()

    def begin(self) -> None:
        self.steps = tuple(
            PlanStep(f"rule_{i}", (), 1.0, 1.0, 5.0, name) for i, name in enumerate(self.executors)
        )
        self.dispatcher = Dispatcher(
            self.steps,
            self.settings,
            self.ledger,
            self.world,
            lambda: self.now,
            lambda: not self.is_paused,
        )
        self.log: list[ev.Command] = []
        self.sent_in_plan: list[int] = []
        self.take(self.dispatcher.start())

    def take(self, commands: tuple[ev.Command, ...]) -> None:
        before = [c for c in self.log if isinstance(c, ev.Finish)]
        if before:  # a plan that has ended sends nothing and records nothing
            assert all(isinstance(c, ev.CancelStep) for c in commands)
        for command in commands:
            if isinstance(command, ev.SendStep):
                assert not self.is_paused
                # Within a plan nothing is sent while any earlier attempt may still act.
                assert not set(self.sent_in_plan) & set(self.watch.acting)
                self.sent_in_plan.append(command.attempt)
        self.watch.commanded(commands)
        self.log += commands
        for command in commands:
            if isinstance(command, ev.Finish):
                assert command is self.log[-1]
                self.check_unanswered()

    def tell(self, event: ev.Event) -> None:
        self.watch.told(event)
        self.take(self.dispatcher.handle(event))

    def act(self, action: object) -> None:
        if action == "answer":
            for attempt in self.watch.sent[-1:]:
                self.tell(ev.Accepted(attempt))
                self.tell(ev.Finished(attempt, OUTCOMES[0]))
        elif action == "pause":
            self.is_paused = True
        elif action == "release":
            self.is_paused = False
            self.tell(ev.StepReleased())
        elif action == "deadline":
            if self.dispatcher.deadline is not None:
                self.now = max(self.now, self.dispatcher.deadline)
                self.tell(ev.Tick())
        elif isinstance(action, tuple):
            self.world.ready, self.world.shown = action
        else:
            self.tell(action)

    def records(self) -> list[ev.RecordOutcome]:
        return [c for c in self.log if isinstance(c, ev.RecordOutcome)]

    def check_unanswered(self) -> None:
        """Whatever of this plan may still act is named in its result, and held by the ledger."""
        result = self.dispatcher.result
        may_act = [a for a in self.sent_in_plan if a in self.watch.acting]
        assert len(may_act) <= 1
        if may_act:
            assert result.unanswered == self.watch.acting[may_act[0]]
        if result.unanswered:
            assert self.ledger.find_attempt(result.unanswered) in self.watch.acting
            assert "may still be acting" in result.message

    def check_ended(self) -> None:
        result = self.dispatcher.result
        assert result is not None
        records = [c.record for c in self.records()]
        assert list(result.records) == records
        # Each step at most once, in order, and nothing after one that failed.
        assert [r.index for r in records] == list(range(len(records)))
        assert all(r.outcome.succeeded for r in records[:-1])
        assert result.steps_done == sum(r.outcome.succeeded for r in records)
        succeeded = result.status is DispatchStatus.SUCCEEDED
        if succeeded:
            assert result.steps_done == len(self.steps)


@settings(max_examples=300, deadline=None)
@given(plans, st.booleans(), st.lists(st.lists(actions, max_size=25), min_size=1, max_size=3))
def test_invariants_hold_under_any_order_of_events(executors, trust, rounds):
    run = Run(executors, trust)
    for number, round_ in enumerate(rounds):
        if number:
            run.begin()
        for action in round_:
            run.act(action)
        # Left alone and not paused, every plan ends: each wait has a bound.
        run.act("release")
        waits = 0
        while run.dispatcher.result is None:
            run.act("deadline")
            waits += 1
            assert waits <= 4 * len(executors) + 4
        run.check_ended()


@settings(max_examples=200, deadline=None)
@given(plans, st.booleans(), st.lists(actions, max_size=25))
def test_cancel_ends_the_plan_in_every_phase(executors, trust, before):
    run = Run(executors, trust)
    for action in before:
        run.act(action)
    ended_before = run.dispatcher.result is not None
    sent_before = len(run.sent_in_plan)
    was_cancelling = any(isinstance(a, ev.CancelRequested) for a in before)
    run.tell(ev.CancelRequested())
    at = run.now
    for _ in range(2):
        run.act("deadline")
    assert run.dispatcher.phase is DispatchPhase.FINISHED
    assert run.now - at <= run.settings.grace_time or was_cancelling
    assert len(run.sent_in_plan) == sent_before
    if not ended_before:
        assert run.dispatcher.result.status is DispatchStatus.CANCELLED
    run.check_ended()
