# SPDX-License-Identifier: Apache-2.0
r"""The dispatcher: gives the steps of one plan to their executors, one after the other.

A state machine without threads, clocks or ROS. It is told events, answers with commands, and says
by when it wants a `Tick` if nothing else happens (`deadline`). The phases of a step:

    FINDING -> SENT -> RUNNING -> CONFIRMING -> next step, or FINISHED
     |   ^       \________\___> STOPPING ____________________/
     v   |
    AWAITING_SCENE, PAUSED

- FINDING: waits for the executors to answer (before the first step: all that the plan needs).
- SENT: the executor has been given the step. RUNNING: it has accepted it.
- CONFIRMING: the executor reported success; waits for the world to show the effects, which a
  trusted executor's are written into at once.
- STOPPING: cancelled or timed out; waits for the terminal answer, for a grace time. If none comes,
  or the executor dies, the plan ends, its message says that the executor may still be acting, and
  the ledger keeps any later plan from sending it anything before it has answered.
- AWAITING_SCENE: nobody keeps the state of the world up to date, so nothing is sent.
- PAUSED: somebody wants no step to begin for now.

Invariants:

- every phase but READY, FINISHED and PAUSED has a deadline, so that no wait is endless; a pause
  lasts as long as somebody wants it;
- in SENT, RUNNING and STOPPING exactly one attempt of this plan is open in the ledger. It stays
  open if the grace time passes without an answer;
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

from collections.abc import Callable, Sequence

from fcp_ros.execution.dispatch_model import (
    FORGOTTEN,
    DispatchPhase,
    DispatchResult,
    DispatchSettings,
    DispatchStatus,
    StopReason,
    WorldView,
    describe_cancellation,
    describe_failed_step,
    describe_held_executor,
    describe_loss,
    describe_lost_scene,
    describe_missing_executors,
    describe_refusal,
    describe_silence,
    describe_unconfirmed,
    make_stop_outcome,
)
from fcp_ros.execution.events import (
    Accepted,
    AssumeEffects,
    CancelRequested,
    CancelStep,
    Command,
    Event,
    ExecutorBarred,
    ExecutorLedger,
    ExecutorLost,
    ExecutorReady,
    Feedback,
    FindExecutor,
    Finish,
    Finished,
    Forgotten,
    PlanOutdated,
    RecordOutcome,
    Rejected,
    ReportProgress,
    SceneFound,
    SceneLost,
    SendStep,
    StepReleased,
    Tick,
    WorldChanged,
)
from fcp_ros.execution.outcome import Outcome, OutcomeCode, StepRecord
from fcp_ros.planning.model.plan import PlanStep

Commands = tuple[Command, ...]

_AT_WORK = (DispatchPhase.SENT, DispatchPhase.RUNNING, DispatchPhase.STOPPING)
"""Phases in which an executor has a step of this plan."""


STATUSES = {
    OutcomeCode.TIMED_OUT: DispatchStatus.STEP_TIMED_OUT,
    OutcomeCode.EXECUTOR_LOST: DispatchStatus.EXECUTOR_LOST,
    OutcomeCode.SCENE_LOST: DispatchStatus.SCENE_LOST,
}
"""Outcome of the failed step -> end of its plan; otherwise STEP_FAILED."""


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
    ) -> None:
        self._steps = tuple(steps)
        self._settings = settings
        self._ledger = ledger
        self._world = world
        self._clock = clock
        self._may_begin = may_begin
        self._phase = DispatchPhase.READY
        self._index = 0
        self._deadline: float | None = None
        self._awaited: set[str] = set()  # executors that have not answered yet (FINDING)
        self._needed: tuple[str, ...] = ()  # executors that FINDING is about
        self._barred: dict[str, str] = {}  # of these: executor -> why nothing may be sent to it
        self._scene_problem = ""  # why the state of the world is stale now
        self._scene_deadline = 0.0  # until then it is waited for
        self._was_scene_lost = False  # at some time of this plan
        self._attempt = 0  # of the step that was sent last; 0 before the first
        self._accepted = False
        self._started = 0.0  # when the present attempt was sent
        self._reason: StopReason | None = None
        self._cancelled = False
        self._outdated = ""  # why the rest of the plan is not wanted
        self._reported: Outcome | None = None  # the executor's answer (CONFIRMING)
        self._assumed = False  # effects of the present step were written already
        self._records: list[StepRecord] = []
        self._steps_done = 0
        self._result: DispatchResult | None = None

    # --- queries --------------------------------------------------------------------------------

    @property
    def phase(self) -> DispatchPhase:
        """The present phase."""
        return self._phase

    @property
    def index(self) -> int:
        """Position of the present step."""
        return self._index

    @property
    def result(self) -> DispatchResult | None:
        """The end of the plan; None before `Finish`."""
        return self._result

    @property
    def deadline(self) -> float | None:
        """The clock's time by which a `Tick` is needed if nothing happens; None for never."""
        return self._deadline

    # --- inputs ---------------------------------------------------------------------------------

    def start(self) -> Commands:
        """Begin: all executors of the plan must answer before the first step is sent.

        Raises RuntimeError if it was started before.
        """
        if self._phase is not DispatchPhase.READY:
            raise RuntimeError("a dispatcher executes its plan once; make a new one")
        if not self._steps:
            return self._finish(DispatchStatus.SUCCEEDED, "The plan has no steps: nothing to do.")
        return self._find(tuple(dict.fromkeys(step.executor for step in self._steps)))

    def handle(self, event: Event) -> Commands:
        """Take in one event.

        Returns the commands to carry out, in order. An event that means nothing in the present
        phase, or belongs to an earlier attempt, changes nothing but the ledger.
        """
        if self._is_late(event):
            commands = self._ledger.take_late(event)
            finding = self._phase is DispatchPhase.FINDING
            return commands + (self._send_when_ready() if finding else ())
        match event:
            case ExecutorReady(executor):
                return self._on_executor_ready(executor)
            case ExecutorLost(executor):
                return self._on_executor_lost(executor)
            case ExecutorBarred(executor, reason):
                self._barred[executor] = reason
                return ()
            case Accepted():
                return self._on_accepted()
            case Rejected(_, message):
                return self._on_rejected(message)
            case Feedback(_, progress, message):
                return self._on_feedback(progress, message)
            case Finished(_, outcome):
                return self._on_finished(outcome)
            case Forgotten():
                return self._on_forgotten()
            case WorldChanged():
                return self._confirm() if self._phase is DispatchPhase.CONFIRMING else ()
            case SceneLost(reason):
                return self._on_scene_lost(reason)
            case SceneFound():
                return self._on_scene_found()
            case PlanOutdated(reason):
                return self._on_outdated(reason)
            case StepReleased():
                return self._on_released()
            case CancelRequested():
                return self._on_cancel()
            case Tick():
                return self._on_tick()

    def _is_late(self, event: Event) -> bool:
        if self._phase is DispatchPhase.FINISHED:
            return True
        if isinstance(event, (Accepted, Rejected, Feedback, Finished, Forgotten)):
            return self._phase not in _AT_WORK or event.attempt != self._attempt
        return False

    # --- finding executors ----------------------------------------------------------------------

    def _find(self, executors: tuple[str, ...]) -> Commands:
        self._enter(DispatchPhase.FINDING, self._settings.executor_wait)
        self._needed = executors
        self._awaited = set(executors)
        return tuple(FindExecutor(executor) for executor in executors)

    def _on_executor_ready(self, executor: str) -> Commands:
        self._awaited.discard(executor)
        self._barred.pop(executor, None)
        if self._phase is not DispatchPhase.FINDING:
            return ()
        attempt = self._ledger.find_attempt(executor)
        if attempt is not None:  # it may have ended since, or be forgotten: ask again
            return (CancelStep(attempt, executor),)
        return self._send_when_ready()

    def _send_when_ready(self) -> Commands:
        held = any(self._ledger.find_attempt(name) is not None for name in self._needed)
        return () if self._awaited or held else self._send()

    def _give_up_finding(self) -> Commands:
        waited = self._settings.executor_wait
        missing = [name for name in self._needed if name in self._awaited]
        barred = [self._barred[name] for name in missing if name in self._barred]
        if barred:
            return self._finish(DispatchStatus.NAME_CONFLICT, " ".join(barred))
        if missing:
            text = describe_missing_executors(missing, waited)
            return self._finish(DispatchStatus.NO_EXECUTOR, text)
        for name in self._needed:
            attempt = self._ledger.find_attempt(name)
            step = self._ledger.find_step(attempt) if attempt is not None else None
            if step is not None:
                text = describe_held_executor(name, step, waited)
                return self._finish(DispatchStatus.NO_EXECUTOR, text, unanswered=name)
        return self._send_when_ready()

    # --- the state of the world -----------------------------------------------------------------

    def _on_scene_lost(self, reason: str) -> Commands:
        if not self._scene_problem:
            self._scene_deadline = self._clock() + self._settings.scene_wait
        self._scene_problem, self._was_scene_lost = reason, True
        if self._phase is DispatchPhase.CONFIRMING:
            self._deadline = self._scene_deadline
        return ()

    def _on_scene_found(self) -> Commands:
        if not self._scene_problem:
            return ()
        self._scene_problem = ""
        if self._phase is DispatchPhase.CONFIRMING:
            self._enter(DispatchPhase.CONFIRMING, self._settings.settle_time)
            return self._confirm()
        if self._phase is DispatchPhase.AWAITING_SCENE:
            return self._find((self._steps[self._index].executor,))
        return ()

    def _give_up_scene(self) -> Commands:
        """End the plan; a success that could not be confirmed is one by the executor's word."""
        text = describe_lost_scene(self._scene_problem, self._settings.scene_wait)
        commands: Commands = ()
        if self._phase is DispatchPhase.CONFIRMING:
            assert self._reported is not None
            commands = self._record(self._reported)
        return commands + self._finish(DispatchStatus.SCENE_LOST, text)

    # --- a step ---------------------------------------------------------------------------------

    def _send(self) -> Commands:
        step = self._steps[self._index]
        if self._scene_problem:
            self._phase, self._deadline = DispatchPhase.AWAITING_SCENE, self._scene_deadline
            return ()
        if not self._may_begin():
            self._phase, self._deadline = DispatchPhase.PAUSED, None
            return ()
        self._started = self._clock()
        unmet = self._world.find_unmet(step)
        if unmet:
            return self._end_step(Outcome(OutcomeCode.PRECONDITION_FAILED, unmet))
        self._attempt = self._ledger.open(step)
        self._accepted = False
        self._reason = None
        self._reported = None
        self._assumed = False
        self._enter(DispatchPhase.SENT, self._settings.accept_timeout)
        timeout = self._settings.find_timeout(step)
        return (SendStep(self._attempt, self._index, step, timeout),)

    def _on_accepted(self) -> Commands:
        if self._accepted:
            return ()
        self._accepted = True
        if self._phase is DispatchPhase.STOPPING:
            return self._ask_to_stop()
        self._enter(DispatchPhase.RUNNING, self._settings.find_timeout(self._steps[self._index]))
        return ()

    def _on_rejected(self, message: str) -> Commands:
        self._ledger.close(self._attempt)
        text = describe_refusal(self._steps[self._index], message)
        return self._end_step(Outcome(OutcomeCode.INVALID_ACTION, text))

    def _on_feedback(self, progress: float, message: str) -> Commands:
        return (ReportProgress(self._index, min(1.0, max(0.0, progress)), message),)

    def _on_finished(self, outcome: Outcome) -> Commands:
        self._ledger.close(self._attempt)
        if outcome.succeeded:  # also when it came just before the request to stop
            self._reported = outcome
            self._enter(DispatchPhase.CONFIRMING, self._settings.settle_time)
            if self._scene_problem:
                self._deadline = self._scene_deadline
            return self._confirm()
        if outcome.code is OutcomeCode.CANCELLED and self._reason is not None:
            return self._end_step(self._make_stop_outcome())
        return self._end_step(outcome)

    def _on_forgotten(self) -> Commands:
        self._ledger.close(self._attempt)
        return self._end_step(self._make_stop_outcome(FORGOTTEN))

    def _on_executor_lost(self, executor: str) -> Commands:
        if self._phase is DispatchPhase.FINDING and executor in self._needed:
            self._awaited.add(executor)
            return (FindExecutor(executor),)
        step = self._steps[self._index]
        if step.executor != executor or self._phase not in _AT_WORK:
            return ()
        # No answer will come from there: only a lost connection may still come back.
        commands: Commands = ()
        if self._phase is not DispatchPhase.STOPPING:
            self._reason = StopReason.LOST
            commands = (CancelStep(self._attempt, executor),)
        outcome = self._make_stop_outcome(describe_loss(step))
        return commands + self._end_step(outcome, unanswered=executor)

    # --- confirming effects ---------------------------------------------------------------------

    def _confirm(self) -> Commands:
        assert self._reported is not None
        step = self._steps[self._index]
        # A cancelled plan doesn't wait for the world: the executor's report stands.
        if self._cancelled:
            return self._end_step(self._reported)
        if self._scene_problem:
            return ()
        if not self._world.find_unseen(step):
            return self._end_step(self._reported)
        if self._settings.trust_executors and not self._assumed:
            self._assumed = True
            return (AssumeEffects(self._index, step),)
        return ()

    def _give_up_confirming(self) -> Commands:
        step = self._steps[self._index]
        unseen = self._world.find_unseen(step)
        text = describe_unconfirmed(step, self._settings.settle_time, unseen)
        return self._end_step(Outcome(OutcomeCode.POSTCONDITION_FAILED, text))

    # --- stopping -------------------------------------------------------------------------------

    def _on_cancel(self) -> Commands:
        if self._cancelled:
            return ()
        self._cancelled = True
        if self._phase in (DispatchPhase.SENT, DispatchPhase.RUNNING):
            return self._stop(StopReason.CANCELLED)
        if self._phase is DispatchPhase.CONFIRMING:
            return self._confirm()
        if self._phase is DispatchPhase.STOPPING:
            return ()  # the step is being stopped already
        return self._finish_cancelled()

    def _on_outdated(self, reason: str) -> Commands:
        self._outdated = reason
        if self._phase in (*_AT_WORK, DispatchPhase.CONFIRMING):
            return ()  # the present step goes on to its end
        return self._finish(DispatchStatus.OUTDATED, reason)

    def _on_released(self) -> Commands:
        if self._phase is not DispatchPhase.PAUSED:
            return ()
        # A scene that was lost meanwhile is waited for from now on.
        self._scene_deadline = self._clock() + self._settings.scene_wait
        return self._find((self._steps[self._index].executor,))

    def _stop(self, reason: StopReason) -> Commands:
        self._reason = reason
        self._enter(DispatchPhase.STOPPING, self._settings.grace_time)
        if reason is StopReason.CANCELLED and not self._accepted:
            return ()  # a goal can't be cancelled before it is accepted: see _on_accepted
        return self._ask_to_stop()

    def _ask_to_stop(self) -> Commands:
        self._enter(DispatchPhase.STOPPING, self._settings.grace_time)
        return (CancelStep(self._attempt, self._steps[self._index].executor),)

    def _give_up_waiting(self) -> Commands:
        step = self._steps[self._index]
        note = describe_silence(step, self._settings.grace_time)
        return self._end_step(self._make_stop_outcome(note), unanswered=step.executor)

    def _make_stop_outcome(self, note: str = "") -> Outcome:
        step = self._steps[self._index]
        reason = self._reason or StopReason.LOST
        return make_stop_outcome(step, reason, self._settings.find_timeout(step), note)

    # --- time -----------------------------------------------------------------------------------

    def _on_tick(self) -> Commands:
        if self._deadline is None or self._clock() < self._deadline:
            return ()
        if self._phase is DispatchPhase.FINDING:
            return self._give_up_finding()
        if self._phase is DispatchPhase.SENT:
            return self._stop(StopReason.NOT_ACCEPTED)
        if self._phase is DispatchPhase.RUNNING:
            return self._stop(StopReason.TIMED_OUT)
        if self._phase is DispatchPhase.AWAITING_SCENE or (
            self._phase is DispatchPhase.CONFIRMING and self._scene_problem
        ):
            return self._give_up_scene()
        if self._phase is DispatchPhase.CONFIRMING:
            return self._give_up_confirming()
        return self._give_up_waiting()

    def _enter(self, phase: DispatchPhase, wait: float) -> None:
        self._phase = phase
        self._deadline = self._clock() + wait

    # --- ends -----------------------------------------------------------------------------------

    def _end_step(self, outcome: Outcome, unanswered: str = "") -> Commands:
        step, number = self._steps[self._index], self._index + 1
        commands = self._record(outcome)
        total = len(self._steps)
        if self._cancelled:
            return commands + self._finish_cancelled(unanswered)
        if not outcome.succeeded:
            status = STATUSES.get(outcome.code, DispatchStatus.STEP_FAILED)
            text = describe_failed_step(number, total, step, outcome)
            return commands + self._finish(status, text, unanswered)
        if self._index == total:
            text = f"All {total} steps succeeded."
            return commands + self._finish(DispatchStatus.SUCCEEDED, text)
        if self._outdated:
            return commands + self._finish(DispatchStatus.OUTDATED, self._outdated)
        return commands + self._find((self._steps[self._index].executor,))

    def _record(self, outcome: Outcome) -> Commands:
        """Record the outcome of the present step, and go on to the next one after a success."""
        is_stale = bool(self._scene_problem)
        is_doubtful = is_stale or (self._was_scene_lost and not outcome.succeeded)
        duration = self._clock() - self._started
        step = self._steps[self._index]
        record = StepRecord(self._index, step, outcome, duration, is_doubtful)
        self._records.append(record)
        if outcome.succeeded:
            self._steps_done += 1
            self._index += 1
        return (RecordOutcome(record),)

    def _finish_cancelled(self, unanswered: str = "") -> Commands:
        text = describe_cancellation(self._steps_done, len(self._steps), unanswered)
        return self._finish(DispatchStatus.CANCELLED, text, unanswered)

    def _finish(self, status: DispatchStatus, message: str, unanswered: str = "") -> Commands:
        self._phase = DispatchPhase.FINISHED
        self._deadline = None
        # Past the last step `index` would point nowhere: it stays at the last one.
        self._index = min(self._index, max(0, len(self._steps) - 1))
        self._result = DispatchResult(
            status, message, self._steps_done, tuple(self._records), unanswered
        )
        return (Finish(),)
