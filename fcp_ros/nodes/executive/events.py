# SPDX-License-Identifier: Apache-2.0
"""What the executive's thread is told besides the dispatcher's events."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from fcp_ros.nodes.runtime.goal_end import GoalEnd


class Ticket:
    """A goal of one of the executive's actions on its way through the executive's thread.

    Arguments:
        number: tells tickets apart.
        goal: the goal handle.

    Attributes:
        cancelled: set when somebody wants it to end.
        interrupted: why the node itself ended it; "" if it didn't.
        done: set when `end` and `result` are there.
    """

    def __init__(self, number: int, goal: Any) -> None:
        self.number = number
        self.goal = goal
        self.cancelled = threading.Event()
        self.interrupted = ""
        self.done = threading.Event()
        self.end = GoalEnd.ABORTED
        self.result: Any = None

    @property
    def key(self) -> bytes:
        """The goal's id."""
        return bytes(self.goal.goal_id.uuid)

    def finish(self, end: GoalEnd, result: Any) -> None:
        """Say how the goal ends; whoever waits for `done` then ends it."""
        self.end = end
        self.result = result
        self.done.set()


@dataclass(frozen=True)
class NewGoal:
    """A goal to work on."""

    ticket: Ticket


@dataclass(frozen=True)
class CancelTicket:
    """The goal with this ticket is to end."""

    number: int


@dataclass(frozen=True)
class Shutdown:
    """The thread is to end."""


@dataclass(frozen=True)
class PlannerFound:
    """The planner answers."""


@dataclass(frozen=True)
class PlannerLost:
    """The planner no longer answers."""


@dataclass(frozen=True)
class PlannerProgress:
    """How far the planner is (a MakePlan feedback message)."""

    serial: int
    feedback: Any


@dataclass(frozen=True)
class PlannerAnswered:
    """The planner's answer (a PlanResult message); None when it refused or knows no such goal."""

    serial: int
    result: Any


@dataclass(frozen=True)
class EvidenceAnswered:
    """When the newest outcome that the grounder has learnt from was (s since the epoch)."""

    serial: int
    newest: float
