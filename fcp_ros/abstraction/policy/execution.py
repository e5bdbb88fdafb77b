# SPDX-License-Identifier: Apache-2.0
"""The outcome of running a policy in one instance, and the limits of a run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fcp_ros.abstraction.qnp.problem import QState
from fcp_ros.abstraction.refinement.refining import MOST_TRIES, FeatureValues


class ExecutionStatus(str, Enum):
    """The ways in which a run ends."""

    REACHED = "REACHED"
    """All atoms of the goal hold."""
    NO_RULE = "NO_RULE"
    """The policy says nothing about the qstate."""
    NO_REFINEMENT = "NO_REFINEMENT"
    """None of the actions that may be taken can be done with the effect that it states."""
    CYCLE = "CYCLE"
    """The run came to a state for the second time; it would go on like this for ever."""
    STEP_LIMIT = "STEP_LIMIT"
    TIME_LIMIT = "TIME_LIMIT"
    UNSUPPORTED = "UNSUPPORTED"
    """The goal or a rule is none that policies can deal with."""


@dataclass(frozen=True, slots=True)
class ExecutionLimits:
    """The limits of a run."""

    steps: int = 1_000_000
    seconds: float = 60.0
    tries: int = MOST_TRIES  # bindings tried for one abstract action in one state


@dataclass(frozen=True, slots=True)
class AbstractMove:
    """An abstract action that was taken."""

    qstate: QState
    action: str
    steps: int  # number of concrete actions up to its end, counted from the start
    values: FeatureValues


@dataclass(frozen=True, slots=True)
class Execution:
    """The outcome of a run."""

    status: ExecutionStatus
    # rule and the names of the elements of its parameters, in the rule's order
    steps: tuple[tuple[str, tuple[str, ...]], ...] = ()
    trace: tuple[AbstractMove, ...] = ()
    reason: str = ""  # a sentence; empty if the goal was reached
    seconds: float = 0.0  # of the run; without reading the instance as bitsets
    final: FeatureValues = ()  # the values of all features at the end; empty if it did not begin
    # number of objects in the instance: the value of a distance where there is no way
    objects: int = 0

    @property
    def reached(self) -> bool:
        """True if the goal holds after the steps."""
        return self.status is ExecutionStatus.REACHED
