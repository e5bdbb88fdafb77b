# SPDX-License-Identifier: Apache-2.0
"""The dispatcher's inputs (events) and outputs (commands), and the executors that may still act.

Each time that a step is sent to an executor is an *attempt* with a number of its own. An event that
carries the number of an earlier attempt is a late answer, and is recognised as such.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from fcp_ros.execution.outcome import Outcome, StepRecord
from fcp_ros.planning.model.plan import PlanStep

# --- events -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExecutorReady:
    """An executor of this name answers."""

    executor: str


@dataclass(frozen=True, slots=True)
class ExecutorLost:
    """The executor of this name no longer answers. Whether it still acts is unknown."""

    executor: str


@dataclass(frozen=True, slots=True)
class ExecutorBarred:
    """An executor of this name answers, but nothing may be sent to it; `reason` is a sentence."""

    executor: str
    reason: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """The executor took the step."""

    attempt: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """The executor refused the step and won't act on it."""

    attempt: int
    message: str = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """The executor reports progress in [0, 1]."""

    attempt: int
    progress: float
    message: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """The executor's terminal answer: it no longer acts on this attempt."""

    attempt: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The executor answered that it has no such goal (it was restarted): it doesn't act on it."""

    attempt: int


@dataclass(frozen=True, slots=True)
class WorldChanged:
    """A newer state of the world has arrived."""


@dataclass(frozen=True, slots=True)
class SceneLost:
    """The state of the world is stale: nobody keeps it up to date; `reason` is a sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class SceneFound:
    """The state of the world is kept up to date again."""


@dataclass(frozen=True, slots=True)
class PlanOutdated:
    """A better plan may exist by now: no further step of this one is wanted.

    The steps that are being done go on to their end.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class StepReleased:
    """After a pause: a step, or all of them, may begin."""


@dataclass(frozen=True, slots=True)
class RoomChanged:
    """Plans of other goals have got on or ended: what waits for them may begin."""


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """The caller wants the plan to stop."""


@dataclass(frozen=True, slots=True)
class Tick:
    """The dispatcher's deadline is reached."""


Event = (
    ExecutorReady
    | ExecutorLost
    | ExecutorBarred
    | Accepted
    | Rejected
    | Feedback
    | Finished
    | Forgotten
    | WorldChanged
    | SceneLost
    | SceneFound
    | PlanOutdated
    | StepReleased
    | RoomChanged
    | CancelRequested
    | Tick
)

# --- commands -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FindExecutor:
    """Look for an executor: tell `ExecutorReady` as soon as it answers."""

    executor: str


@dataclass(frozen=True, slots=True)
class SendStep:
    """Give the step to its executor; it will be cancelled after `timeout` seconds."""

    attempt: int
    index: int
    step: PlanStep
    timeout: float


@dataclass(frozen=True, slots=True)
class CancelStep:
    """Ask the executor to stop acting on this attempt, and to say how it ended."""

    attempt: int
    executor: str


@dataclass(frozen=True, slots=True)
class ReportProgress:
    """Tell the caller the progress of a step, in [0, 1]."""

    index: int
    progress: float
    message: str


@dataclass(frozen=True, slots=True)
class AssumeEffects:
    """Write the effects of this succeeded step into the state of the world (trusted executors)."""

    index: int
    step: PlanStep


@dataclass(frozen=True, slots=True)
class RecordOutcome:
    """Publish this outcome. Issued exactly once for each step that was tried."""

    record: StepRecord


@dataclass(frozen=True, slots=True)
class Finish:
    """The plan has ended; `Dispatcher.result` says how. Always the last command."""


Command = (
    FindExecutor | SendStep | CancelStep | ReportProgress | AssumeEffects | RecordOutcome | Finish
)


# --- the executors that may still be acting: the memory that outlives a single plan
#
# A step is never given to an executor while it may still be acting on an earlier one
# (docs/design.md). Invariants:
#
# - at most one attempt of each executor is open (`open` refuses a second one). An executor that is
#   said to be shared may have one for each robot;
# - an attempt is closed only by an answer of its executor: a terminal outcome, the refusal of the
#   step, or the statement that it knows no such goal. Time never closes it, nor does the end of a
#   plan;
# - a number is never used twice, so that a late answer can't be taken for that of a newer attempt.


class ExecutorLedger:
    """The attempts that were sent and not answered yet. Not thread-safe: one thread owns it.

    `shared`: executors that take steps of several robots at once.
    """

    def __init__(self, shared: Collection[str] = ()) -> None:
        self._shared = frozenset(shared)
        self._next_attempt = 1
        self._open: dict[int, tuple[PlanStep, Collection[str]]] = {}
        self._abandoned: set[int] = set()
        self._gone: set[int] = set()  # of the abandoned: their executors were waited for in vain

    def excludes(self, executor: str, one: Collection[str], other: Collection[str]) -> bool:
        """Return True if the executor can't do two steps of these agents at once."""
        # An agent that nobody has named could be any.
        is_alone = executor not in self._shared or not one or not other
        return is_alone or not set(one).isdisjoint(other)

    def open(self, step: PlanStep, agents: Collection[str] = ()) -> int:
        """Open an attempt for a step that is about to be sent; `agents` are busy with it.

        Returns the number of the attempt, never used before. Raises RuntimeError if its executor
        may still be acting. The dispatcher must not ask then.
        """
        holding = self.find_attempt(step.executor, agents)
        if holding is not None:
            held, _ = self._open[holding]
            raise RuntimeError(
                f"{step} must not be sent: executor {held.executor!r} has not answered for {held}"
            )
        attempt = self._next_attempt
        self._next_attempt += 1
        self._open[attempt] = step, agents
        return attempt

    def close(self, attempt: int) -> None:
        """Close an attempt whose executor has answered; unknown numbers are ignored."""
        self._open.pop(attempt, None)
        self._abandoned.discard(attempt)
        self._gone.discard(attempt)

    def abandon(self, attempt: int) -> None:
        """Note that no plan waits for the answer any more; the attempt stays open."""
        self._abandoned.add(attempt)

    def take_for_gone(self, attempt: int) -> None:
        """Note that an executor was waited for in vain: others may move its robot."""
        self._gone.add(attempt)

    def list_gone(self) -> tuple[str, ...]:
        """Return the executors that were taken for gone before they had answered."""
        return tuple(self._open[one][0].executor for one in sorted(self._gone))

    def take_back(self, executor: str) -> None:
        """Note that an executor is there (again): it may still act on what it hasn't answered."""
        self._gone = {one for one in self._gone if self._open[one][0].executor != executor}

    def list_abandoned(self) -> dict[int, str]:
        """Return the open attempts that no plan waits for, and their executors."""
        return {one: self._open[one][0].executor for one in sorted(self._abandoned)}

    def find_attempt(self, executor: str, agents: Collection[str] = ()) -> int | None:
        """Return the open attempt that keeps an executor from a step of these agents, or None.

        A robot that an executor doesn't stop moving is not given to another executor, either.
        """
        for attempt, (step, busy) in self._open.items():
            if step.executor == executor and self.excludes(executor, agents, busy):
                return attempt
            is_acting = attempt in self._abandoned and attempt not in self._gone
            is_free = agents and busy and set(agents).isdisjoint(busy)
            if is_acting and not is_free:
                return attempt
        return None

    def is_acting(self, executor: str) -> bool:
        """Return True if an executor has not answered for a step that it was given."""
        return any(step.executor == executor for step, _ in self._open.values())

    def find_step(self, attempt: int) -> PlanStep | None:
        return self._open[attempt][0] if attempt in self._open else None

    def take_late(self, event: Event) -> tuple[Command, ...]:
        """Take in an event of an attempt whose plan has already ended."""
        # A late acceptance is answered with a cancel; a terminal answer frees the executor.
        if isinstance(event, (Rejected, Finished, Forgotten)):
            self.close(event.attempt)
        elif isinstance(event, Accepted):
            step = self.find_step(event.attempt)
            if step is not None:
                return (CancelStep(event.attempt, step.executor),)
        return ()
