# SPDX-License-Identifier: Apache-2.0
"""The settings of a planning request, and the callbacks that report its progress."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from fcp_ros.fuzzy import AlphaCut, AlphaPolicy
from fcp_ros.planning.model.search_options import SearchOptions


class Phase(str, Enum):
    """The stages of a planning request, in order."""

    PARSE = "parse"
    COMPILE = "compile"
    GOAL = "goal"
    JUDGE = "judge"
    SEARCH = "search"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a request: phase, expanded states, best membership (None: no plan yet)."""

    phase: Phase
    expansions: int = 0
    best_membership: float | None = None


class Optimise(str, Enum):
    """The objective: what makes a plan the best one."""

    MEMBERSHIP = "membership"
    """The highest membership; among equals the fewest steps."""
    COST = "cost"
    """The least cost of those that reach alpha; among equals the highest membership."""
    DURATION = "duration"
    """The least duration of those that reach alpha; among equals the highest membership."""


@dataclass(frozen=True, slots=True)
class Switches:
    """The planner's optimisations; none changes the answer, each can be switched off.

    Attributes:
        forgetting: one operator where a rule merely forgets an old value.
        symmetry: treat interchangeable objects once.
        metric: distances instead of hops along relations that the domain marks as metric.
        lazy: ask for degrees only where candidate plans need them.
        chunks: plan with the domain's chunks as single operators.
    """

    forgetting: bool = True
    symmetry: bool = True
    metric: bool = True
    lazy: bool = True
    chunks: bool = True


CancelCallback = Callable[[], bool]
ProgressCallback = Callable[[Progress], None]


def never_cancel() -> bool:
    """The cancel callback of a caller that never cancels."""
    return False


def ignore_progress(_progress: Progress) -> None:
    """The progress callback of a caller that isn't interested."""


@dataclass(frozen=True, slots=True)
class PlanningOptions:
    """The settings of one planning request; `option_table.OPTIONS` says what each means.

    Values are not checked here, so that a bad one can be answered with INVALID_REQUEST instead of
    an exception: see `option_table.find_problems`.

    Attributes:
        alpha, tnorm, optimise, deadline, allow_relaxation: Decide what a good plan is.
        policy: Source of alpha; it replaces `alpha`. None: `alpha` is as given.
        time_limit: For the whole request, verification excluded (s, wall clock).
        max_expansions, memory_limit, improve_time, search: Bound and direct the search.
        seed: Decides between equally good things; that of `search` is not read.
        keep: Decides about an earlier plan for the goal, where a session knows one.
        explain: Ask for an explanation with the result.
        switches: The optimisations.
    """

    alpha: float = 0.5
    time_limit: float = 30.0
    max_expansions: int = 1_000_000_000
    tnorm: str = "lukasiewicz"
    allow_relaxation: bool = True
    policy: AlphaPolicy | None = None
    seed: int = 0
    optimise: Optimise = Optimise.MEMBERSHIP
    deadline: float = math.inf
    memory_limit: float = 2048.0
    improve_time: float = 5.0
    keep: bool = True
    explain: bool = False
    search: SearchOptions = field(default_factory=SearchOptions)
    switches: Switches = field(default_factory=Switches)

    def cut(self, graded_steps: int = 0) -> AlphaCut:
        """Return the alpha-cut for a plan with this number of graded steps, and its reason."""
        if self.policy is None:
            return AlphaCut(self.alpha, f"Alpha is {self.alpha:.3g}, as given.")
        return self.policy.cut(graded_steps)

    def with_alpha(self, alpha: float) -> PlanningOptions:
        """Return the options for another alpha; a policy, if there is one, starts from it."""
        policy = self.policy
        if policy is not None:
            # A number outside [0, 1] makes no policy: `find_problems` refuses it in words.
            policy = replace(policy, base=alpha) if 0.0 <= alpha <= 1.0 else None
        return replace(self, alpha=alpha, policy=policy)
