# SPDX-License-Identifier: Apache-2.0
"""The outcome of looking for a general policy, and its settings, as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fcp_ros.abstraction.debugging.refined_tree import TreeLimits
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.abstraction.qnp.state_space import QnpLimits

MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class GeneralizationOptions:
    """Settings of `generalize`. Raises ValueError for a number out of its range."""

    rounds: int = 10  # proposals that are asked for at most, 1 to MOST_ROUNDS
    # number of training tasks that the proposer is given, the first ones with something to do; 0:
    # all. The others are for debugging: one that shows a fault is given to the proposer from the
    # next round on.
    generating: int = 0
    time_limit: float = 600.0  # for everything (s)
    # bounds of the walk through each training task
    tree: TreeLimits = field(default_factory=TreeLimits)
    qnp: QnpLimits = field(default_factory=QnpLimits)

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise ValueError(f"{self.rounds} rounds: give 1 to {MOST_ROUNDS}")
        if self.generating < 0:
            raise ValueError(f"{self.generating} tasks to generate from: give 0 for all, or more")
        if not self.time_limit > 0.0:
            raise ValueError(f"a time limit of {self.time_limit:g} s: give more than 0")


def describe_timeout(limit: float) -> str:
    """Say that the time limit (s) is over."""
    return f"no policy within {limit:g} s: give it more time"


@dataclass(frozen=True)
class GeneralizationRound:
    """One proposal and what the checks say."""

    proposal: AbstractionProposal | None  # None if what was written is no abstraction
    errors: tuple[AbstractionError, ...]  # its faults; none: it passed
    states: int = 0  # concrete states of the training tasks that were walked through
    is_complete: bool = True  # False if bounds left choices out
    seconds: float = 0.0


@dataclass(frozen=True)
class Generalization:
    """The outcome of `generalize`."""

    status: GeneralizationStatus  # FOUND, or why there is no policy
    sentence: str  # the same for a person
    policy: GeneralPolicy | None = None  # None unless it was found
    rounds: tuple[GeneralizationRound, ...] = ()  # all of them, in order
    # what shows why there is no policy: of the proposer, else of the last round
    errors: tuple[AbstractionError, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class GeneralizationProgress:
    """The present work of `generalize`."""

    round: int  # from 1
    doing: str  # a clause for a person
    errors: tuple[AbstractionError, ...] = ()  # the faults of the round before


GeneralizationCallback = Callable[[GeneralizationProgress], None]


def ignore_generalization(_progress: GeneralizationProgress) -> None:
    """Ignore progress."""
