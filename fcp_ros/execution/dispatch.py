# SPDX-License-Identifier: Apache-2.0
r"""The dispatcher: gives the steps of one plan to their executors, those of several robots at once.

A state machine without threads, clocks or ROS. It is told events, answers with commands, and says
by when it wants a `Tick` if nothing else happens (`deadline`). A step is READY until all steps
before it have succeeded and no other step keeps its robots or its executor busy. Then:

    FINDING -> SENT -> RUNNING -> CONFIRMING -> FINISHED
     |   ^       \________\___> STOPPING _________/
     v   |
    AWAITING_SCENE, PAUSED

- FINDING: waits for the executor to answer (before the first step: for all that the plan needs).
- SENT: the executor has been given the step. RUNNING: it has accepted it.
- CONFIRMING: the executor reported success; waits for the world to show the effects, which a
  trusted executor's are written into at once.
- STOPPING: cancelled or timed out; waits for the terminal answer, for a grace time. If none comes,
  or the executor dies, the plan ends, its message says that the executor may still be acting, and
  the ledger keeps any later plan from sending it anything before it has answered.
- AWAITING_SCENE: nobody keeps the state of the world up to date, so nothing is sent.
- PAUSED: somebody wants no step to begin for now.

Each step is a `StepMachine`; the `Dispatcher` decides which one begins, and when the plan ends. A
late step delays only what waits for it. How a plan ends before all of it is done:

- a robot's own executor is gone: the others go on with what does without that robot, to the end.
  Then the plan ends, and whoever plans again hands the robot's steps on;
- a step has failed, an executor is not there, or the world was not kept up to date for too long:
  nothing more is sent. A robot that does another step is not to blame, and stopped half-way it may
  stand in a door with its hands full: its step may end by itself within `finish_wait`, and is
  stopped after that. Then the plan ends, with the reason that came first, and whoever plans again
  finds all that was done;
- with `hands_on` neither is waited for: only what is being done goes on, until another plan takes
  the place of this one, with those as its first steps (`take_over`), or there is none (`go_on`);
- cancelled: all steps are stopped at once;
- outdated: nothing more is sent, and what is being done goes on to its end.

Invariants:

- every phase but READY, FINISHED and PAUSED has a deadline, so that no wait is endless; a pause
  lasts as long as somebody wants it, and READY with nothing at work as long as other plans take;
- in SENT, RUNNING and STOPPING exactly one attempt of the step is open in the ledger. It stays
  open if the grace time passes without an answer;
- no step is sent before all steps that it waits for have succeeded (those of other plans, too, as
  `is_held` has it), nor while one is being stopped;
  no robot has two steps, and no executor, unless it is said to be shared;
- each step that was tried has exactly one `RecordOutcome`, and `Finish` is the last command;
- the effects of a step that failed are never assumed: what holds is what the world shows;
- a plan that is outdated ends between two steps, and never stops one;
- a success counts, even if it was reported while the step was being stopped;
- nothing is sent, confirmed or found unmet on a stale state of the world. A success that is
  reported then waits to be confirmed, and if nobody keeps the world again in time, it counts by the
  executor's word. What is recorded on a stale world, and each failure after it, is marked: the
  world that came back may lack what was done meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from fcp_ros.execution.dispatch_model import (
    DispatchPhase,
    DispatchResult,
    DispatchSettings,
    DispatchStatus,
    PlanFailure,
    StopReason,
    WorldView,
    describe_cancellation,
)
from fcp_ros.execution.events import (
    Accepted,
    CancelRequested,
    Event,
    ExecutorBarred,
    ExecutorLedger,
    ExecutorLost,
    ExecutorReady,
    Feedback,
    Finish,
    Finished,
    Forgotten,
    PlanOutdated,
    RecordOutcome,
    Rejected,
    SceneFound,
    SceneLost,
    StepReleased,
    Tick,
    WorldChanged,
)
from fcp_ros.execution.outcome import Outcome, StepRecord
from fcp_ros.execution.run_order import RunOrder
from fcp_ros.execution.setbacks import Setbacks
from fcp_ros.execution.step_machine import (
    AT_WORK,
    STOPPABLE,
    UNSENT,
    Answer,
    Commands,
    ExecutorSearch,
    Situation,
    StepMachine,
)
from fcp_ros.planning.model.plan import PlanStep


class Dispatcher:
    """Executes one plan; see the module's docstring. Not thread-safe."""

    def __init__(
        self,
        steps: Sequence[PlanStep],  # the plan's steps, in order
        settings: DispatchSettings,  # bounds of every wait
        ledger: ExecutorLedger,  # shared by all dispatchers that use the same executors
        world: WorldView,  # answers questions on the present state
        clock: Callable[[], float],  # returns seconds, monotonic
        # tells if one more step may begin, which counts as begun then
        may_begin: Callable[[], bool] = lambda: True,
        order: RunOrder | None = None,  # by default one step after the other
        # executor -> the robot that it belongs to, if only that one needs it
        owners: Mapping[str, str] | None = None,
        # tells if a step, or the end of the plan (by the number of its steps), has to wait for what
        # other plans do. `RoomChanged` comes when that may have changed
        is_held: Callable[[int], bool] = lambda _index: False,
        # whoever executes the plan makes another one as soon as a step fails or a robot is lost
        hands_on: bool = False,
    ) -> None:
        self._owners = owners or {}
        self._hands_on = hands_on
        self._is_held = is_held
        self._situation = Situation(settings, ledger, world, clock, may_begin)
        self._started = False
        self._search: ExecutorSearch | None = None  # for all executors, before the first step
        self._search_deadline = 0.0
        self._was_scene_lost = False  # at some time
        self._outdated = ""  # why the rest of the plan is not wanted
        self._open: dict[int, StepMachine] = {}  # those that have begun and were not recorded
        self._result: DispatchResult | None = None
        self._take_plan(steps, order or RunOrder.chain(len(steps)))

    def _take_plan(self, steps: Sequence[PlanStep], order: RunOrder) -> None:
        """Begin with a plan; what has failed so far was another one's."""
        self._steps, self._order = tuple(steps), order
        self._machines = [
            StepMachine(index, step, agents, self._situation)
            for index, (step, agents) in enumerate(zip(self._steps, order.agents, strict=True))
        ]
        self._done: set[int] = set()  # steps that have succeeded
        self._setbacks = Setbacks(self._owners)
        self._stop_time = 0.0  # when what still runs after a failure is stopped
        self._records: list[StepRecord] = []

    # --- queries --------------------------------------------------------------------------------

    @property
    def phase(self) -> DispatchPhase:
        """The phase of the first step that is being done; READY or FINISHED without one."""
        if self._search is not None:
            return DispatchPhase.FINDING
        for machine in self._list_open():
            return machine.phase
        return DispatchPhase.READY if self._result is None else DispatchPhase.FINISHED

    @property
    def running(self) -> tuple[int, ...]:
        """Positions of the steps that were sent and have not ended."""
        return tuple(one.index for one in self._list_open() if one.phase not in UNSENT)

    @property
    def attempts(self) -> tuple[int, ...]:
        """The attempts that the executors have now."""
        return tuple(one.attempt for one in self._list_open() if one.phase in AT_WORK)

    @property
    def waiting(self) -> tuple[int, ...]:
        """Positions of the steps that were not sent yet."""
        unsent = (DispatchPhase.READY, *UNSENT)
        return tuple(one.index for one in self._machines if one.phase in unsent)

    @property
    def done(self) -> frozenset[int]:
        """Positions of the steps that have succeeded."""
        return frozenset(self._done)

    def find_rest(self, index: int) -> float:
        """Return how long a step that is being done is expected to take from now on (s)."""
        machine = self._machines[index]
        return max(0.0, machine.step.duration - machine.age)

    @property
    def handing_on(self) -> DispatchResult | None:
        """The end of the plan if no other plan takes its place, while `take_over` is waited for."""
        return self._describe_end() if self._is_handing_on else None

    @property
    def result(self) -> DispatchResult | None:
        """The end of the plan; None before `Finish`."""
        return self._result

    @property
    def deadline(self) -> float | None:
        """The clock's time by which a `Tick` is needed if nothing happens; None for never."""
        opened = self._list_open()
        times = [one.deadline for one in opened if one.deadline is not None]
        if self._search is not None:
            times.append(self._search_deadline)
        if self._is_given_up and any(one.phase in STOPPABLE for one in opened):
            times.append(self._stop_time)
        return min(times, default=None)

    # --- inputs ---------------------------------------------------------------------------------

    def start(self) -> Commands:
        """Begin: all executors of the plan must answer before the first step is sent.

        Of a plan that has to wait for others each executor is looked for when its step's turn has
        come, since it may be at work for those. Raises RuntimeError if it was started before.
        """
        if self._started or self._result is not None:
            raise RuntimeError("a dispatcher executes its plan once; make a new one")
        self._started = True
        if not self._steps or any(map(self._is_held, range(len(self._steps)))):
            return self._go_on()
        needs = [(machine.step, machine.agents) for machine in self._machines]
        self._search = ExecutorSearch(needs, self._situation)
        settings = self._situation.settings
        self._search_deadline = self._situation.clock() + settings.executor_wait
        return self._search.begin()

    def take_over(self, steps: Sequence[PlanStep], order: RunOrder) -> Commands:
        """Go on with another plan, whose first steps are those that are `running`, as they come.

        Raises RuntimeError if no other plan is waited for (`handing_on`).
        """
        kept = self._list_open()
        if not self._is_handing_on or len(kept) > len(steps):
            raise RuntimeError("another plan can't take the place of this one now")
        self._take_plan(steps, order)
        self._open = dict(enumerate(kept))
        for index, machine in self._open.items():
            self._machines[index], machine.index = machine, index
        return self._go_on()

    def go_on(self) -> Commands:
        """Bring this plan to its end: no other one takes its place."""
        self._hands_on = False
        self._stop_time = self._situation.clock() + self._situation.settings.finish_wait
        return () if self._result is not None else self._go_on()

    def handle(self, event: Event) -> Commands:
        """Take in one event.

        Returns the commands to carry out, in order. An event that means nothing in the present
        phase, or belongs to an earlier attempt, changes nothing but the ledger.
        """
        if self._result is not None:
            return self._situation.ledger.take_late(event)
        return self._take(event) + self._go_on()

    def _take(self, event: Event) -> Commands:
        match event:
            case Accepted() | Rejected() | Feedback() | Finished() | Forgotten():
                return self._on_answer(event)
            case ExecutorReady(executor):
                self._situation.barred.pop(executor, None)
                if self._search is not None:
                    return self._search.on_ready(executor)
                return self._tell_unsent(lambda machine: machine.on_ready(executor))
            case ExecutorLost(executor):
                if self._search is not None:
                    return self._search.on_lost(executor)
                return self._tell_all(lambda machine: machine.on_lost(executor))
            case ExecutorBarred(executor, reason):
                self._situation.barred[executor] = reason
            case WorldChanged():
                return self._tell_all(StepMachine.confirm)
            case SceneLost(reason):
                self._on_scene_lost(reason)
            case SceneFound():
                return self._on_scene_found()
            case PlanOutdated(reason):
                self._outdated = reason
            case StepReleased():
                return self._on_released()
            case CancelRequested():
                return self._on_cancel()
            case Tick():
                return self._on_tick()
        return ()

    def _on_answer(self, answer: Answer) -> Commands:
        for machine in self._list_open():
            if machine.phase in AT_WORK and machine.attempt == answer.attempt:
                return machine.take(answer)
        # Of an earlier attempt: its executor may be free now.
        late = self._situation.ledger.take_late(answer)
        return late + self._tell_unsent(StepMachine.look_again)

    def _on_scene_lost(self, reason: str) -> None:
        situation = self._situation
        if not situation.scene_problem:
            situation.scene_deadline = situation.clock() + situation.settings.scene_wait
        situation.scene_problem, self._was_scene_lost = reason, True
        for machine in self._list_open():
            machine.on_scene_lost()

    def _on_scene_found(self) -> Commands:
        if not self._situation.scene_problem:
            return ()
        self._situation.scene_problem = ""
        return self._tell_all(StepMachine.on_scene_found)

    def _on_released(self) -> Commands:
        # A scene that was lost meanwhile is waited for from now on.
        situation = self._situation
        if any(machine.phase is DispatchPhase.PAUSED for machine in self._list_open()):
            situation.scene_deadline = situation.clock() + situation.settings.scene_wait
        return self._tell_all(StepMachine.on_released)

    def _on_cancel(self) -> Commands:
        self._situation.is_cancelled = True
        return self._tell_all(StepMachine.confirm) + self._stop_all(StopReason.CANCELLED)

    def _on_tick(self) -> Commands:
        now = self._situation.clock()
        if self._search is not None and now >= self._search_deadline:
            failure = self._search.explain()
            if failure is not None:
                self._fail(failure)
        commands = self._tell_all(StepMachine.on_tick)
        if self._is_given_up and now >= self._stop_time:
            commands += self._stop_all(StopReason.GIVEN_UP)
        return commands

    # --- what is done next ----------------------------------------------------------------------

    def _go_on(self) -> Commands:
        """Record what has ended, then begin the steps that can begin, or end the plan."""
        commands: Commands = ()
        while True:
            commands += self._take_ends()
            if not self._open and (self._is_ending or self._is_done):
                return commands + self._conclude()
            phases = [machine.phase for machine in self._open.values()]
            if self._is_ending or DispatchPhase.STOPPING in phases or self._is_handing_on:
                self._withdraw(self._list_open())
            else:
                self._withdraw(one for one in self._list_open() if self._is_lost(one))
                commands += self._begin_steps()
            if self._setbacks.are_any and not self._open:
                return commands + self._conclude()
            has_ended = any(o.phase is DispatchPhase.FINISHED for o in self._open.values())
            is_over = self._is_ending and not self._open
            if not (has_ended or is_over):
                return commands

    @property
    def _is_done(self) -> bool:
        count = len(self._steps)
        return self._started and len(self._done) == count and not self._is_held(count)

    @property
    def _is_ending(self) -> bool:
        """True if nothing more is to be sent."""
        return bool(self._situation.is_cancelled or self._is_given_up or self._outdated)

    @property
    def _is_given_up(self) -> bool:
        return self._setbacks.is_given_up and not self._hands_on

    @property
    def _is_handing_on(self) -> bool:
        is_waiting = self._hands_on and self._setbacks.are_any and not self._is_ending
        return is_waiting and self._result is None

    def _is_lost(self, machine: StepMachine) -> bool:
        """Return True if the step is about a robot whose executors are gone."""
        return self._setbacks.concern(machine.step.elements)

    def _withdraw(self, machines: Iterable[StepMachine]) -> None:
        """Send none of these for now: what was about to be sent waits again."""
        self._search = None if self._is_ending else self._search
        for machine in machines:
            if machine.phase in UNSENT:
                machine.withdraw()
                del self._open[machine.index]

    def _begin_steps(self) -> Commands:
        if not self._started or (self._search is not None and not self._search.is_over):
            return ()
        all_found, self._search = self._search is not None, None
        commands: Commands = ()
        for index in self._order.ranking:
            if not self._can_begin(index):
                continue
            machine = self._open[index] = self._machines[index]
            commands += machine.send() if all_found else machine.begin()
            if machine.phase is DispatchPhase.FINISHED:
                return commands  # it can't be done as things are, and nothing more is sent
        return commands

    def _can_begin(self, index: int) -> bool:
        if index in self._open or index in self._done or self._order.befores[index] - self._done:
            return False
        if self._is_held(index):
            return False
        machine = self._machines[index]
        excluded = any(map(machine.excludes, self._open.values()))
        return not (excluded or self._is_lost(machine))

    # --- all steps that are being done ----------------------------------------------------------

    def _list_open(self) -> list[StepMachine]:
        """List the machines of the steps that have begun and were not recorded, in order."""
        return [self._open[index] for index in sorted(self._open)]

    def _tell_all(self, tell: Callable[[StepMachine], Commands]) -> Commands:
        commands: Commands = ()
        for machine in self._list_open():
            commands += tell(machine)
        return commands

    def _tell_unsent(self, tell: Callable[[StepMachine], Commands]) -> Commands:
        """Tell those that may be sent now; if one can't be done as things are, no other is sent."""
        commands: Commands = ()
        for machine in self._list_open():
            if machine.phase in UNSENT:
                commands += tell(machine)
                if machine.phase is DispatchPhase.FINISHED:
                    break
        return commands

    def _stop_all(self, reason: StopReason) -> Commands:
        return self._tell_all(lambda machine: machine.stop(reason))

    # --- ends -----------------------------------------------------------------------------------

    def _take_ends(self) -> Commands:
        commands: Commands = ()
        for machine in self._list_open():
            if machine.outcome is not None:
                commands += self._record(machine, machine.outcome)
            if machine.failure is not None:
                self._fail(machine.failure, machine.step.elements)
            if machine.phase in (DispatchPhase.FINISHED, DispatchPhase.READY):
                del self._open[machine.index]
        return commands

    def _record(self, machine: StepMachine, outcome: Outcome) -> Commands:
        is_stale = bool(self._situation.scene_problem)
        is_doubtful = is_stale or (self._was_scene_lost and not outcome.succeeded)
        record = StepRecord(machine.index, machine.step, outcome, machine.duration, is_doubtful)
        self._records.append(record)
        if machine.is_unanswered:
            self._setbacks.note_silence(machine.step.executor)
            self._situation.ledger.abandon(machine.attempt)
        if outcome.succeeded:
            self._done.add(machine.index)
        else:
            gone = (machine.step.executor,) if machine.is_unanswered else ()
            failure = PlanFailure.of_step(record, len(self._steps), gone)
            self._fail(failure, machine.step.elements)
        return (RecordOutcome(record),)

    def _fail(self, failure: PlanFailure, elements: Iterable[str] = ()) -> None:
        if self._setbacks.add(failure, elements, has_begun=self._search is None):
            self._stop_time = self._situation.clock() + self._situation.settings.finish_wait

    def _conclude(self) -> Commands:
        self._search = None
        self._result = self._describe_end()
        return (Finish(),)

    def _describe_end(self) -> DispatchResult:
        status, message = self._find_end()
        return DispatchResult(
            status,
            message,
            len(self._done),
            tuple(self._records),
            ", ".join(self._list_silent()),
            self._setbacks.lost_robots,
        )

    def _list_silent(self) -> tuple[str, ...]:
        """List the executors that may still be acting: those that have answered since are none."""
        return tuple(filter(self._situation.ledger.is_acting, self._setbacks.silent))

    def _find_end(self) -> tuple[DispatchStatus, str]:
        done, total = len(self._done), len(self._steps)
        if self._situation.is_cancelled:
            text = describe_cancellation(done, total, self._list_silent())
            return DispatchStatus.CANCELLED, text
        if (failed := self._setbacks.end) is not None:
            return failed
        if not self._is_done:
            return DispatchStatus.OUTDATED, self._outdated
        nothing = "The plan has no steps: nothing to do."
        return DispatchStatus.SUCCEEDED, f"All {total} steps succeeded." if total else nothing
