# SPDX-License-Identifier: Apache-2.0
"""What the dispatcher is told (events) and what it asks for in return (commands).

Each sending of a step to an executor is an *attempt* with a number of its own; events that carry
the number of an earlier attempt are late answers and are recognised as such.
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
    """The executor's terminal answer: it acts no longer on this attempt."""

    attempt: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The executor answered that it has no such goal (it was restarted): it doesn't act on it."""

    attempt: int


@dataclass(frozen=True, slots=True)
class WorldChanged:
    """There is a newer state of the world."""


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """Whoever asked for the plan wants it to stop."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed; sent when the dispatcher's deadline is reached."""


Event = (
    ExecutorReady
    | ExecutorLost
    | Accepted
    | Rejected
    | Feedback
    | Finished
    | Forgotten
    | WorldChanged
    | CancelRequested
    | Tick
)

# --- commands -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FindExecutor:
    """Say `ExecutorReady` as soon as this executor answers."""

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
    """Tell whoever asked for the plan how far its present step is, in [0, 1]."""

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
    """Publish this outcome. Comes exactly once for each step that was tried."""

    record: StepRecord


@dataclass(frozen=True, slots=True)
class Finish:
    """The plan has ended; `Dispatcher.result` says how. Always the last command."""


Command = (
    FindExecutor | SendStep | CancelStep | ReportProgress | AssumeEffects | RecordOutcome | Finish
)
