# SPDX-License-Identifier: Apache-2.0
"""The dispatcher's inputs (events) and outputs (commands).

Each time that a step is sent to an executor is an *attempt* with a number of its own. An event that
carries the number of an earlier attempt is a late answer, and is recognised as such.
"""

from __future__ import annotations

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

    The step that is being done goes on to its end.
    """

    reason: str


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
    """Tell the caller the progress of the present step, in [0, 1]."""

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
