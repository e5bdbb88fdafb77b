# SPDX-License-Identifier: Apache-2.0
"""One step of a plan on its way through its executor: the machine that a dispatcher has of each.

The phases, and what is promised about them: see `dispatch`. A machine knows nothing of the other
steps of its plan. It answers events with commands, and ends with an `outcome`, with a `failure`
that ends its plan, or with both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fcp_ros.execution.dispatch_model import (
    FORGOTTEN,
    DispatchPhase,
    DispatchSettings,
    DispatchStatus,
    PlanFailure,
    StopReason,
    WorldView,
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
    CancelStep,
    Command,
    ExecutorLedger,
    Feedback,
    FindExecutor,
    Finished,
    Forgotten,
    Rejected,
    ReportProgress,
    SendStep,
)
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.planning.model.plan import PlanStep

Commands = tuple[Command, ...]
Answer = Accepted | Rejected | Feedback | Finished | Forgotten
"""What an executor says of an attempt."""

AT_WORK = (DispatchPhase.SENT, DispatchPhase.RUNNING, DispatchPhase.STOPPING)
"""Phases in which an executor has the step."""
STOPPABLE = (DispatchPhase.SENT, DispatchPhase.RUNNING)
"""Phases in which the executor can be asked to stop."""
UNSENT = (DispatchPhase.FINDING, DispatchPhase.AWAITING_SCENE, DispatchPhase.PAUSED)
"""Phases in which it is about to be sent."""


@dataclass(slots=True)
class Situation:
    """The settings, the world and the state that all steps of a plan share."""

    settings: DispatchSettings  # bounds of every wait
    ledger: ExecutorLedger
    world: WorldView
    clock: Callable[[], float]  # returns seconds, monotonic
    # tells if one more step may begin, which counts as begun then
    may_begin: Callable[[], bool]
    barred: dict[str, str] = field(default_factory=dict)  # executor -> why nothing is sent to it
    scene_problem: str = ""  # why the state of the world is stale now
    scene_deadline: float = 0.0  # until then it is waited for
    is_cancelled: bool = False


class ExecutorSearch:
    """The wait for the executors of some steps: to answer, and to have answered for earlier steps.

    Those too that may still be moving the steps' robots. `needs`: the steps, each with its agents.
    """

    def __init__(
        self, needs: Sequence[tuple[PlanStep, tuple[str, ...]]], situation: Situation
    ) -> None:
        self._needs = tuple(needs)
        self._situation = situation
        self._executors = tuple(dict.fromkeys(step.executor for step, _ in needs))
        self._awaited: set[str] = set()  # executors that have not answered yet

    def begin(self) -> Commands:
        """Ask for all executors."""
        held = [step.executor for step in self._find_held().values()]
        self._awaited = {*self._executors, *held}
        # First those that were taken for gone: one that only stood still may act on.
        names = (*self._situation.ledger.list_gone(), *held, *self._executors)
        return tuple(FindExecutor(executor) for executor in dict.fromkeys(names))

    def on_ready(self, executor: str) -> Commands:
        """An executor answers: ask it again for what it has not answered for."""
        self._awaited.discard(executor)
        self._situation.ledger.take_back(executor)
        # Only what no plan waits for any more: another goal's plan may be at work on the rest.
        abandoned = self._situation.ledger.list_abandoned()
        held = [
            attempt
            for attempt, step in self._find_held().items()
            if step.executor == executor and attempt in abandoned
        ]
        return tuple(CancelStep(attempt, executor) for attempt in held)

    def on_lost(self, executor: str) -> Commands:
        if executor not in self._executors:
            return ()
        self._awaited.add(executor)
        return (FindExecutor(executor),)

    @property
    def is_over(self) -> bool:
        return self._awaited.isdisjoint(self._executors) and not self._find_held()

    def explain(self) -> PlanFailure | None:
        """Say why the steps can't be sent after all that time; None if they can."""
        waited = self._situation.settings.executor_wait
        missing = [name for name in self._executors if name in self._awaited]
        barred = [self._situation.barred[one] for one in missing if one in self._situation.barred]
        if barred:
            return PlanFailure(DispatchStatus.NAME_CONFLICT, " ".join(barred))
        if missing:
            text = describe_missing_executors(missing, waited)
            return PlanFailure(DispatchStatus.NO_EXECUTOR, text, gone=tuple(missing))
        for attempt, step in self._find_held().items():
            name = step.executor
            if name in self._awaited:  # not there: it moves nothing any more
                self._situation.ledger.take_for_gone(attempt)
                continue
            text = describe_held_executor(name, step, waited)
            return PlanFailure(DispatchStatus.NO_EXECUTOR, text, name, gone=(name,))
        return None

    def _find_held(self) -> dict[int, PlanStep]:
        """Find the attempts that executors have to answer for first, with their steps."""
        ledger = self._situation.ledger
        found = (ledger.find_attempt(step.executor, agents) for step, agents in self._needs)
        held = {one: ledger.find_step(one) for one in found if one is not None}
        return {attempt: step for attempt, step in held.items() if step is not None}


class StepMachine:
    """One step; begins in READY and ends in FINISHED, each time that it is tried.

    `index`: position of the step in its plan. `agents`: who is busy with it.
    """

    def __init__(
        self, index: int, step: PlanStep, agents: tuple[str, ...], situation: Situation
    ) -> None:
        self.index = index
        self.step = step
        self.agents = agents
        self.phase = DispatchPhase.READY
        self.deadline: float | None = None  # the clock's time by which it wants a tick
        self.attempt = 0  # 0 before it was sent
        self.outcome: Outcome | None = None  # once it has ended
        self.duration = 0.0  # of the attempt (s), once it has ended
        self.is_unanswered = False  # it has ended, but its executor may still be acting
        self.failure: PlanFailure | None = None  # why the plan can't go on, whatever the outcome
        self._situation = situation
        self._settings = situation.settings
        self._search = ExecutorSearch([(step, agents)], situation)
        self._accepted = False
        self._started = 0.0  # when it was sent
        self._reason: StopReason | None = None
        self._reported: Outcome | None = None  # the executor's answer (CONFIRMING)
        self._assumed = False  # its effects were written already

    @property
    def age(self) -> float:
        """Seconds since it was sent."""
        return self._situation.clock() - self._started

    def excludes(self, other: StepMachine) -> bool:
        """Return True if it needs the same robot as another one, or an executor of one step."""
        if not set(self.agents).isdisjoint(other.agents):
            return True
        executor, ledger = self.step.executor, self._situation.ledger
        is_same = executor == other.step.executor
        return is_same and ledger.excludes(executor, self.agents, other.agents)

    # --- before it is sent ----------------------------------------------------------------------

    def begin(self) -> Commands:
        """Look for the executor, and send the step as soon as it answers."""
        self._enter(DispatchPhase.FINDING, self._settings.executor_wait)
        return self._search.begin()

    def withdraw(self) -> None:
        """Give up what was not sent yet."""
        self.phase, self.deadline = DispatchPhase.READY, None

    def on_ready(self, executor: str) -> Commands:
        """An executor answers: this step's, or one that may still be moving its robot."""
        if self.phase is not DispatchPhase.FINDING:
            return ()
        return self._search.on_ready(executor) + self.look_again()

    def look_again(self) -> Commands:
        """Send the step if nothing keeps it any more from being sent."""
        if self.phase is not DispatchPhase.FINDING or not self._search.is_over:
            return ()
        return self.send()

    def send(self) -> Commands:
        """Give the step to its executor, which answers, if the world is as it has to be."""
        situation = self._situation
        if situation.scene_problem:
            self.phase, self.deadline = DispatchPhase.AWAITING_SCENE, situation.scene_deadline
            return ()
        if not situation.may_begin():
            self.phase, self.deadline = DispatchPhase.PAUSED, None
            return ()
        self._started = situation.clock()
        unmet = situation.world.find_unmet(self.step)
        if unmet:
            return self._end(Outcome(OutcomeCode.PRECONDITION_FAILED, unmet))
        self.attempt = situation.ledger.open(self.step, self.agents)
        self._enter(DispatchPhase.SENT, self._settings.accept_timeout)
        timeout = self._settings.find_timeout(self.step)
        return (SendStep(self.attempt, self.index, self.step, timeout),)

    def on_released(self) -> Commands:
        """After a pause: the step may begin."""
        return self.begin() if self.phase is DispatchPhase.PAUSED else ()

    # --- the executor ---------------------------------------------------------------------------

    def take(self, answer: Answer) -> Commands:
        """Take in what the executor says of the present attempt."""
        match answer:
            case Accepted():
                return self._on_accepted()
            case Feedback(_, progress, message):
                return (ReportProgress(self.index, min(1.0, max(0.0, progress)), message),)
        self._situation.ledger.close(self.attempt)
        match answer:
            case Rejected(_, message):
                text = describe_refusal(self.step, message)
                return self._end(Outcome(OutcomeCode.INVALID_ACTION, text))
            case Forgotten():
                return self._end(self._make_stop_outcome(FORGOTTEN))
            case Finished(_, outcome):
                return self._on_finished(outcome)

    def _on_accepted(self) -> Commands:
        if self._accepted:
            return ()
        self._accepted = True
        if self.phase is DispatchPhase.STOPPING:
            return self._ask_to_stop()
        self._enter(DispatchPhase.RUNNING, self._settings.find_timeout(self.step))
        return ()

    def _on_finished(self, outcome: Outcome) -> Commands:
        if outcome.succeeded:  # also when it came just before the request to stop
            self._reported = outcome
            self._enter(DispatchPhase.CONFIRMING, self._settings.settle_time)
            self.on_scene_lost()
            return self.confirm()
        if outcome.code is OutcomeCode.CANCELLED and self._reason is not None:
            return self._end(self._make_stop_outcome())
        return self._end(outcome)

    def on_lost(self, executor: str) -> Commands:
        """An executor no longer answers."""
        if executor != self.step.executor:
            return ()
        if self.phase is DispatchPhase.FINDING:
            return self._search.on_lost(executor)
        if self.phase not in AT_WORK:
            return ()
        # It is dead or it stands still. Which of the two it is, only time tells: its robot is given
        # to others once it was waited for (ExecutorSearch.explain).
        commands: Commands = ()
        if self.phase is not DispatchPhase.STOPPING:
            self._reason = StopReason.LOST
            commands = (CancelStep(self.attempt, executor),)
        outcome = self._make_stop_outcome(describe_loss(self.step))
        return commands + self._end(outcome, unanswered=True)

    # --- the world ------------------------------------------------------------------------------

    def confirm(self) -> Commands:
        """End a step whose success was reported, if the world shows its effects."""
        if self.phase is not DispatchPhase.CONFIRMING:
            return ()
        assert self._reported is not None
        situation = self._situation
        # A cancelled plan doesn't wait for the world: the executor's report stands.
        if situation.is_cancelled:
            return self._end(self._reported)
        if situation.scene_problem:
            return ()
        if not situation.world.find_unseen(self.step):
            return self._end(self._reported)
        if self._settings.trust_executors and not self._assumed:
            self._assumed = True
            return (AssumeEffects(self.index, self.step),)
        return ()

    def on_scene_lost(self) -> None:
        """The state of the world is stale, as the situation says."""
        if self._situation.scene_problem and self.phase is DispatchPhase.CONFIRMING:
            self.deadline = self._situation.scene_deadline

    def on_scene_found(self) -> Commands:
        """The state of the world is kept up to date again."""
        if self.phase is DispatchPhase.CONFIRMING:
            self._enter(DispatchPhase.CONFIRMING, self._settings.settle_time)
            return self.confirm()
        if self.phase is DispatchPhase.AWAITING_SCENE:
            return self.begin()
        return ()

    # --- stopping -------------------------------------------------------------------------------

    def stop(self, reason: StopReason) -> Commands:
        """Have the step stopped, if an executor has it and was not asked yet."""
        if self.phase not in STOPPABLE:
            return ()
        self._reason = reason
        self._enter(DispatchPhase.STOPPING, self._settings.grace_time)
        if reason is not StopReason.NOT_ACCEPTED and not self._accepted:
            return ()  # a goal can't be cancelled before it is accepted: see _on_accepted
        return self._ask_to_stop()

    def _ask_to_stop(self) -> Commands:
        self._enter(DispatchPhase.STOPPING, self._settings.grace_time)
        return (CancelStep(self.attempt, self.step.executor),)

    def _make_stop_outcome(self, note: str = "") -> Outcome:
        reason = self._reason or StopReason.LOST
        return make_stop_outcome(self.step, reason, self._settings.find_timeout(self.step), note)

    # --- time -----------------------------------------------------------------------------------

    def on_tick(self) -> Commands:
        if self.deadline is None or self._situation.clock() < self.deadline:
            return ()
        if self.phase is DispatchPhase.FINDING:
            return self._give_up_finding()
        if self.phase is DispatchPhase.SENT:
            return self.stop(StopReason.NOT_ACCEPTED)
        if self.phase is DispatchPhase.RUNNING:
            return self.stop(StopReason.TIMED_OUT)
        if self.phase is DispatchPhase.STOPPING:
            note = describe_silence(self.step, self._settings.grace_time)
            return self._end(self._make_stop_outcome(note), unanswered=True)
        if self._situation.scene_problem:
            return self._give_up_scene()
        unseen = self._situation.world.find_unseen(self.step)
        text = describe_unconfirmed(self.step, self._settings.settle_time, unseen)
        return self._end(Outcome(OutcomeCode.POSTCONDITION_FAILED, text))

    def _give_up_finding(self) -> Commands:
        self.failure = self._search.explain()
        if self.failure is None:
            return self.look_again()
        self.withdraw()
        return ()

    def _give_up_scene(self) -> Commands:
        """End the plan; a success that could not be confirmed is one by the executor's word."""
        situation = self._situation
        text = describe_lost_scene(situation.scene_problem, self._settings.scene_wait)
        self.failure = PlanFailure(DispatchStatus.SCENE_LOST, text)
        if self._reported is not None:
            return self._end(self._reported)
        self.withdraw()
        return ()

    def _enter(self, phase: DispatchPhase, wait: float) -> None:
        self.phase = phase
        self.deadline = self._situation.clock() + wait

    def _end(self, outcome: Outcome, *, unanswered: bool = False) -> Commands:
        self.phase, self.deadline = DispatchPhase.FINISHED, None
        self.outcome, self.is_unanswered = outcome, unanswered
        self.duration = self._situation.clock() - self._started
        return ()
