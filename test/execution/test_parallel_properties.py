# SPDX-License-Identifier: Apache-2.0
"""Whatever executors, users and time do, and in whichever order: the dispatcher's promises hold.

The twin keeps no state. After each event it works out anew, from the list of all events and
commands so far, which steps are done, which may still act, and which could be sent. One robot is
the case of a chain; plans that follow one another share a ledger.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.execution import events as ev
from fcp_ros.execution.dispatch import Dispatcher
from fcp_ros.execution.dispatch_model import DispatchPhase, DispatchSettings, DispatchStatus
from fcp_ros.execution.events import ExecutorLedger
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.step_order import PartialOrder

EXECUTORS = ("arm", "base", "fleet", "r1/arm", "r2/arm")
SHARED = "fleet"
OWNERS = {"r1/arm": "r1", "r2/arm": "r2"}
ROBOTS = ("r1", "r2", "r3")
SUCCESS = Outcome(OutcomeCode.SUCCEEDED)
OUTCOMES = st.sampled_from([SUCCESS, SUCCESS, *map(Outcome, OutcomeCode)])


@dataclass(frozen=True)
class Task:
    executor: str
    agents: tuple[str, ...]
    befores: frozenset[int]

    @property
    def elements(self) -> tuple[str, ...]:
        """Who it is about: its agents, and the robot whose executor does it."""
        owner = OWNERS.get(self.executor)
        return tuple(dict.fromkeys([*self.agents, *([owner] if owner else [])]))


@st.composite
def make_tasks(draw) -> list[Task]:
    tasks: list[Task] = []
    for number in range(draw(st.integers(1, 6))):
        befores = draw(st.sets(st.integers(0, number - 1), max_size=2)) if number else set()
        agents = draw(st.lists(st.sampled_from(ROBOTS), max_size=2, unique=True))
        task = Task(draw(st.sampled_from(EXECUTORS)), tuple(agents), frozenset(befores))
        tasks.append(replace(task, agents=task.elements))
    return tasks


steps_ = st.integers(0, 5)
ACTIONS = st.one_of(
    st.tuples(st.just("answer"), steps_),  # the executor accepts and succeeds
    st.tuples(st.just("accept"), steps_),
    st.tuples(st.just("reject"), steps_),
    st.tuples(st.just("forget"), steps_),
    st.tuples(st.just("finish"), steps_, OUTCOMES),
    st.tuples(st.just("finish late"), st.integers(1, 9), OUTCOMES),
    st.tuples(st.just("lose"), st.sampled_from(EXECUTORS)),
    st.tuples(st.just("find"), st.sampled_from(EXECUTORS)),
    st.tuples(st.just("leave"), st.sampled_from(["arm", "base", SHARED])),
    st.tuples(st.just("feedback"), st.integers(1, 9), st.floats(-1, 2)),
    st.tuples(st.just("world"), st.booleans(), st.booleans()),
    st.tuples(st.just("deadline")),
    st.tuples(st.just("scene lost")),
    st.tuples(st.just("scene found")),
    st.tuples(st.just("cancel")),
    st.tuples(st.just("outdated")),
)
PAUSES = st.sampled_from([("pause",), ("resume",)])
WELL = st.one_of(st.tuples(st.just("answer"), steps_), st.tuples(st.just("accept"), steps_))


class ShiftingWorld:
    """A world that shows preconditions and effects as the test decides."""

    ready = shown = True

    def find_unmet(self, _: PlanStep) -> str:
        return "" if self.ready else "Something is missing."

    def find_unseen(self, _: PlanStep) -> str:
        return "" if self.shown else "Something is not seen."


@dataclass
class Twin:
    """All that was, and what follows from it."""

    tasks: list[Task]
    log: list[object] = field(default_factory=list)  # events and commands, in their order
    begun: int = 0  # where the log of the present plan begins
    held: set[int] = field(default_factory=set)  # what waits for other plans

    def of(self, *kinds: type) -> list:
        return [one for one in self.log[self.begun :] if isinstance(one, kinds)]

    def find_done(self) -> set[int]:
        return {r.record.index for r in self.of(ev.RecordOutcome) if r.record.outcome.succeeded}

    def find_acting(self) -> dict[int, int]:
        """Attempt -> step, for all executors that have not answered; of earlier plans, too."""
        acting: dict[int, int] = {}
        for one in self.log:
            if isinstance(one, ev.SendStep):
                acting[one.attempt] = one.index
            elif isinstance(one, (ev.Rejected, ev.Finished, ev.Forgotten)):
                acting.pop(one.attempt, None)
        return acting

    def find_silent(self) -> dict[int, int]:
        """Attempt -> step, for those of the present plan."""
        own = {sent.attempt for sent in self.of(ev.SendStep)}
        return {attempt: step for attempt, step in self.find_acting().items() if attempt in own}

    def find_open(self) -> list[int]:
        """Steps that were sent, and have no outcome."""
        recorded = {one.record.index for one in self.of(ev.RecordOutcome)}
        return [sent.index for sent in self.of(ev.SendStep) if sent.index not in recorded]

    @property
    def is_ending(self) -> bool:
        failed = [r for r in self.of(ev.RecordOutcome) if not r.record.outcome.succeeded]
        failed = [one for one in failed if not self.find_lost(one)]
        return bool(failed or self.of(ev.CancelRequested, ev.PlanOutdated, ev.Finish))

    def find_lost(self, recorded: ev.RecordOutcome) -> str:
        """Find the robot whose own executor had said nothing when an outcome was recorded."""
        at = next(at for at, one in enumerate(self.log) if one is recorded)
        so_far = replace(self, log=self.log[:at])
        if recorded.record.index not in so_far.find_silent().values():
            return ""
        return OWNERS.get(self.tasks[recorded.record.index].executor, "")

    @property
    def lost(self) -> set[str]:
        return {self.find_lost(one) for one in self.of(ev.RecordOutcome)} - {""}

    def exclude(self, one: int, other: int) -> bool:
        first, second = self.tasks[one], self.tasks[other]
        if set(first.agents) & set(second.agents):
            return True
        if first.executor != second.executor:
            return False
        return first.executor != SHARED or not first.agents or not second.agents

    def check_sent(self, sent: ev.SendStep) -> None:
        """Check a step at the moment when it is sent; the log ends before it."""
        assert not self.is_ending
        assert self.lost.isdisjoint(self.tasks[sent.index].elements)
        assert sent.index not in [one.index for one in self.of(ev.SendStep)]
        assert self.tasks[sent.index].befores <= self.find_done()
        assert sent.index not in self.held
        for other in {*self.find_open(), *self.find_acting().values()}:
            assert not self.exclude(sent.index, other)

    def find_idle(self) -> list[int]:
        """Steps that nothing keeps from being sent."""
        taken, done = self.find_open(), self.find_done()
        return [
            number
            for number, task in enumerate(self.tasks)
            if number not in taken
            and number not in done
            and number not in self.held
            and task.befores <= done
            and self.lost.isdisjoint(task.elements)
            and not any(self.exclude(number, other) for other in taken)
            and not self.is_held(number)
        ]

    def is_held(self, number: int) -> bool:
        """Return True if a silent executor may be moving the robot of a step, or any robot."""
        agents = [self.tasks[one].agents for one in self.find_acting().values()]
        own = self.tasks[number].agents
        recorded = len(self.find_acting()) > len(self.find_open())
        return recorded and any(not own or not one or set(own) & set(one) for one in agents)


def _write(task: Task) -> tuple[tuple[str, str], ...]:
    return tuple((f"p{number}", one) for number, one in enumerate(task.elements))


class Run:
    """Plays actions against one plan after the other, all of the same tasks."""

    def __init__(
        self,
        tasks: list[Task],
        *,
        is_chain: bool = False,
        held: Collection[int] = (),
        trust: bool = False,
    ) -> None:
        self.twin = Twin(tasks, held={*held})
        self.is_chain = is_chain
        self.world = ShiftingWorld()
        self.now = 0.0
        self.is_paused = False
        self.away: set[str] = set()  # executors that don't answer when they are looked for
        self.settings = DispatchSettings(trust_executors=trust)
        self.ledger = ExecutorLedger([SHARED])
        self.begin()

    def begin(self) -> None:
        tasks = self.twin.tasks
        self.twin.begun = len(self.twin.log)
        steps = [
            PlanStep(f"rule_{number}", _write(task), 1.0, 1.0, 5.0, task.executor)
            for number, task in enumerate(tasks)
        ]
        pairs = [(b, n) for n, task in enumerate(tasks) for b in task.befores]
        befores = PartialOrder.of(len(tasks), pairs).predecessors
        order = RunOrder(befores, tuple(t.agents for t in tasks), tuple(range(len(tasks))))
        self.dispatcher = Dispatcher(
            steps,
            self.settings,
            self.ledger,
            self.world,
            lambda: self.now,
            lambda: not self.is_paused,
            None if self.is_chain else order,
            owners=OWNERS,
            is_held=self.twin.held.__contains__,
        )
        self.take(self.dispatcher.start())

    def take(self, commands: tuple[ev.Command, ...]) -> None:
        for command in commands:
            assert not self.twin.of(ev.Finish) or isinstance(command, ev.CancelStep)
            if isinstance(command, ev.SendStep):
                assert not self.is_paused
                self.twin.check_sent(command)
            self.twin.log.append(command)
            if isinstance(command, ev.Finish):
                self.check_unanswered()
        for command in commands:  # executors that are there answer at once
            if isinstance(command, ev.FindExecutor) and command.executor not in self.away:
                self.tell(ev.ExecutorReady(command.executor))

    def tell(self, event: ev.Event) -> None:
        self.twin.log.append(event)
        self.take(self.dispatcher.handle(event))
        if self.dispatcher.result is None:
            self.check_going_on()

    def check_going_on(self) -> None:
        """Nothing waits for ever, and each step is where the events have brought it."""
        assert self.dispatcher.deadline is not None or self.twin.held or self.is_paused
        assert set(self.dispatcher.running) == set(self.twin.find_open())
        assert set(self.dispatcher.running).isdisjoint(self.dispatcher.waiting)

    def act(self, name: str, *values: object) -> None:
        attempts = {one.index: one.attempt for one in self.twin.of(ev.SendStep)}
        match name, *values:
            case "answer", int(index) if index in attempts:
                self.tell(ev.Accepted(attempts[index]))
                self.tell(ev.Finished(attempts[index], SUCCESS))
            case "accept", int(index) if index in attempts:
                self.tell(ev.Accepted(attempts[index]))
            case "reject", int(index) if index in attempts:
                self.tell(ev.Rejected(attempts[index]))
            case "forget", int(index) if index in attempts:
                self.tell(ev.Forgotten(attempts[index]))
            case "finish", int(index), Outcome() as outcome if index in attempts:
                self.tell(ev.Finished(attempts[index], outcome))
            case "finish late", int(attempt), Outcome() as outcome if attempt > len(attempts):
                self.tell(ev.Finished(attempt, outcome))
            case "lose", str(executor):
                self.tell(ev.ExecutorLost(executor))
            case "find", str(executor):
                self.away.discard(executor)
                self.tell(ev.ExecutorReady(executor))
            case "leave", str(executor):
                self.away.add(executor)
            case "feedback", int(attempt), float(progress):
                self.tell(ev.Feedback(attempt, progress))
            case ("pause",):
                self.is_paused = True
            case ("resume",):
                self.is_paused = False
                self.tell(ev.StepReleased())
            case "world", bool(ready), bool(shown):
                self.world.ready, self.world.shown = ready, shown
                self.tell(ev.WorldChanged())
            case ("deadline",) if self.dispatcher.deadline is not None:
                self.now = max(self.now, self.dispatcher.deadline)
                self.tell(ev.Tick())
            case ("scene lost",):
                self.tell(ev.SceneLost("Nobody keeps it."))
            case ("scene found",):
                self.tell(ev.SceneFound())
            case ("cancel",):
                self.tell(ev.CancelRequested())
            case "release", int(number):
                self.twin.held.discard(number)
                self.tell(ev.RoomChanged())
            case ("outdated",):
                self.tell(ev.PlanOutdated("Something better has come."))

    def check_unanswered(self) -> None:
        """What may still act when a plan ends is named in its result, and held by the ledger."""
        result, twin = self.dispatcher.result, self.twin
        unanswered = result.unanswered.split(", ") if result.unanswered else []
        for attempt, index in twin.find_silent().items():
            assert twin.tasks[index].executor in unanswered
            assert self.ledger.find_step(attempt) is not None
        acting = {twin.tasks[index].executor for index in twin.find_acting().values()}
        assert set(unanswered) <= acting
        assert not unanswered or "may still be acting" in result.message

    def check_ended(self) -> None:
        result, twin = self.dispatcher.result, self.twin
        assert result is not None
        assert self.dispatcher.phase is DispatchPhase.FINISHED
        records = [one.record for one in twin.of(ev.RecordOutcome)]
        tried = [record.index for record in records]
        assert list(result.records) == records
        assert len(tried) == len(set(tried)), "one outcome for each step that was tried"
        assert {one.index for one in twin.of(ev.SendStep)} <= set(tried)
        assert result.steps_done == len(twin.find_done())
        done = result.steps_done == len(twin.tasks)
        if result.status is DispatchStatus.SUCCEEDED:
            assert done
        if not twin.begun:  # a later plan also names those whom an earlier one has lost
            assert set(result.lost_robots) in (twin.lost, set()), "all of them, or somebody else"
        log = twin.log[twin.begun :]
        ended = [isinstance(one, ev.Finish) for one in log].index(True)
        if any(isinstance(one, ev.CancelRequested) for one in log[:ended]):
            assert result.status is DispatchStatus.CANCELLED
        elif any(not record.outcome.succeeded for record in records):
            assert result.status not in (DispatchStatus.SUCCEEDED, DispatchStatus.OUTDATED)
        assert result.message


@settings(max_examples=800, deadline=None)
@given(
    make_tasks(),
    st.booleans(),
    st.lists(
        st.lists(st.one_of(WELL, ACTIONS, PAUSES), min_size=4, max_size=20), min_size=1, max_size=3
    ),
)
def test_invariants_hold_under_any_order_of_events(tasks, trust, rounds):
    run = Run(tasks, trust=trust)
    for number, actions in enumerate(rounds):
        if number:
            run.begin()
        for action in actions:
            run.act(*action)
        run.act("resume")
        for _ in range(8 * len(tasks) + 8):  # left alone, every plan ends
            run.act("deadline")
        run.check_ended()


@settings(max_examples=200, deadline=None)
@given(make_tasks(), st.lists(st.one_of(ACTIONS, PAUSES), max_size=25))
def test_cancel_ends_the_plan_in_every_phase(tasks, actions):
    run = Run(tasks)
    for action in actions:
        run.act(*action)
    ended_before = run.dispatcher.result is not None
    sent_before = len(run.twin.of(ev.SendStep))
    was_cancelled, at = bool(run.twin.of(ev.CancelRequested)), run.now
    run.act("cancel")
    for _ in range(2 * len(tasks)):
        run.act("deadline")
    run.check_ended()
    assert run.now - at <= run.settings.grace_time or was_cancelled
    assert len(run.twin.of(ev.SendStep)) == sent_before
    assert ended_before or run.dispatcher.result.status is DispatchStatus.CANCELLED


@settings(max_examples=200, deadline=None)
@given(make_tasks(), st.lists(WELL, max_size=30))
def test_nothing_that_could_be_sent_waits(tasks, actions):
    run = Run(tasks)
    assert run.dispatcher.running
    for action in actions:
        run.act(*action)
        if run.dispatcher.result is None:
            assert not run.twin.find_idle()
    while run.dispatcher.result is None:
        run.act("answer", run.dispatcher.running[-1])
    run.check_ended()
    assert run.dispatcher.result.status is DispatchStatus.SUCCEEDED


@settings(max_examples=200, deadline=None)
@given(
    make_tasks(),
    st.sets(st.integers(0, 6)),
    st.lists(st.one_of(WELL, st.tuples(st.just("release"), st.integers(0, 6))), max_size=20),
)
def test_what_waits_for_other_plans_is_sent_as_soon_as_it_may_be(tasks, held, actions):
    """The end of the plan, too."""
    run = Run(tasks, held={one for one in held if one <= len(tasks)})
    for action in [*actions, *(("release", number) for number in range(len(tasks) + 1))]:
        run.act(*action)
        if run.dispatcher.result is None:
            assert not run.twin.find_idle()
        else:
            assert len(tasks) not in run.twin.held
    while run.dispatcher.result is None:
        run.act("answer", run.dispatcher.running[-1])
    run.check_ended()
    assert run.dispatcher.result.status is DispatchStatus.SUCCEEDED


@settings(max_examples=200, deadline=None)
@given(make_tasks(), st.lists(WELL, max_size=8), st.sampled_from(sorted(OWNERS)))
def test_all_is_done_that_does_without_a_robot_whose_executor_is_gone(tasks, actions, executor):
    run = Run(tasks)
    for action in actions:
        run.act(*action)
    run.act("lose", executor)
    while run.dispatcher.result is None:
        assert not run.twin.find_idle()
        if run.dispatcher.running:
            run.act("answer", run.dispatcher.running[-1])
        else:
            run.act("deadline")
    run.check_ended()
    done = run.twin.find_done()
    for number, task in enumerate(tasks):
        blocked = not run.twin.lost.isdisjoint(task.elements) or run.twin.is_held(number)
        assert number in done or blocked or not task.befores <= done


@settings(max_examples=200, deadline=None)
@given(make_tasks(), st.lists(ACTIONS, max_size=25))
def test_a_chain_has_one_step_at_a_time_and_records_them_in_order(tasks, actions):
    chained = [Task(t.executor, (), frozenset(range(n))) for n, t in enumerate(tasks)]
    run = Run(chained, is_chain=True)
    for action in actions:
        run.act(*action)
        assert len(run.dispatcher.running) <= 1
    for _ in range(8 * len(tasks) + 8):
        run.act("deadline")
    run.check_ended()
    records = run.dispatcher.result.records
    assert [record.index for record in records] == list(range(len(records)))
    assert all(record.outcome.succeeded for record in records[:-1])
