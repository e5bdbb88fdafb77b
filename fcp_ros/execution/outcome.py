# SPDX-License-Identifier: Apache-2.0
"""The outcome of a step (docs/design.md), and the record of one attempt at a step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fcp_ros.planning.model.plan import PlanStep


class OutcomeCode(Enum):
    """The ways in which a step can end; the values are those of the message `OutcomeCode`."""

    SUCCEEDED = 1
    PRECONDITION_FAILED = 2
    """The world did not meet the step's conditions; nothing was done."""
    PLANNING_FAILED = 3
    """The executor found no motion or grasp."""
    EXECUTION_FAILED = 4
    """It tried and failed."""
    POSTCONDITION_FAILED = 5
    """It ran to its end, but the effect is not there."""
    INVALID_ACTION = 6
    """The executor does not know, or refuses, such a step."""
    CANCELLED = 7
    TIMED_OUT = 8
    BUSY = 9
    """The executor is at work on another step; nothing was done."""
    NODE_INACTIVE = 10
    """The executor's node is not active; nothing was done."""
    EXECUTOR_LOST = 11
    """The executor died or lost its connection while it acted: how far it came is unknown."""
    SCENE_LOST = 12
    """The executor acts by the scene graph, and nobody keeps that up to date; nothing was done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of an executor, or a stand-in if none came."""

    code: OutcomeCode  # how the step ended
    message: str = ""  # details for a person; may be empty
    # how well the step was done, in [0, 1]; None if it was not measured
    quality: float | None = None

    def __post_init__(self) -> None:
        if self.quality is not None and not 0.0 <= self.quality <= 1.0:
            raise ValueError(
                f"the quality of an outcome must lie in [0, 1] and is {self.quality}; "
                "leave it out if it was not measured"
            )

    @property
    def succeeded(self) -> bool:
        """True if the step did what it was for."""
        return self.code is OutcomeCode.SUCCEEDED


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One attempt at one step of a plan."""

    index: int
    step: PlanStep
    outcome: Outcome
    duration: float  # of the attempt (s)
    # the scene graph was stale, so that the outcome is the executor's word alone
    scene_lost: bool = False
