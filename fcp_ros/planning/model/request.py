# SPDX-License-Identifier: Apache-2.0
"""What a caller may set for one planning request, and how it is told of the progress."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum

from fcp_ros.fuzzy import AlphaCut, AlphaPolicy, tnorm_by_name
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
    """Where a request stands: phase, expanded states, best membership so far (None: no plan)."""

    phase: Phase
    expansions: int = 0
    best_membership: float | None = None


class Optimise(str, Enum):
    """What the best plan is."""

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


def never() -> bool:
    """The cancel callback of a caller that never cancels."""
    return False


def ignore(_progress: Progress) -> None:
    """The progress callback of a caller that isn't interested."""


@dataclass(frozen=True, slots=True)
class PlanningOptions:
    """The settings of one planning request.

    Values are not checked here, so that a bad one can be answered with INVALID_REQUEST instead of
    an exception: see `problems`.

    Attributes:
        alpha: the membership that a plan must reach, in [0, 1].
        time_limit: seconds (wall clock) for the whole request, verification excluded.
        max_expansions: states to expand at most, in all searches together.
        tnorm: how degrees compose: "lukasiewicz", "product", "goedel", "hamacher" or
            "hamacher(p)".
        allow_relaxation: whether the goal may be relaxed when it can't be reached as stated.
        policy: where alpha comes from; it replaces `alpha`. None: `alpha` is as given.
        seed: decides between equally good things; the same seed gives the same plan.
        optimise: what the best plan is.
        deadline: seconds that the plan may take at most; infinite without one.
        memory_limit: MiB that the search may use at most.
        improve_time: seconds (wall clock) to go on looking for a better plan, or for the proof that
            there is none, after the first plan that reaches alpha; 0 returns that one.
        keep: whether an earlier plan for the goal, where there is a session that knows one, is kept
            as long as it holds and none is better.
        explain: whether the result is to say what explains it.
        search: algorithm, heuristics and weights; its seed is not read, `seed` is.
        switches: the optimisations.
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
        """The alpha-cut for a plan with so many graded steps, and where it comes from."""
        if self.policy is None:
            return AlphaCut(self.alpha, f"Alpha is {self.alpha:.3g}, as given.")
        return self.policy.cut(graded_steps)

    def with_alpha(self, alpha: float) -> PlanningOptions:
        """The same options for another alpha: a policy, if there is one, starts from it."""
        policy = self.policy
        if policy is not None:
            # What is no membership is refused by `problems`, in words.
            policy = replace(policy, base=alpha) if 0.0 <= alpha <= 1.0 else None
        return replace(self, alpha=alpha, policy=policy)

    def problems(self) -> tuple[str, ...]:
        """One sentence for each setting that is out of its range; empty when all are fine."""
        found = []
        if not _is_number(self.alpha) or not 0.0 <= self.alpha <= 1.0:
            found.append(f"alpha is {self.alpha!r}: give a number from 0 to 1.")
        if not _is_number(self.time_limit) or not self.time_limit > 0.0:
            found.append(f"time_limit is {self.time_limit!r}: give a number of seconds above 0.")
        most = self.max_expansions
        if isinstance(most, bool) or not isinstance(most, int) or most <= 0:
            found.append(f"max_expansions is {most!r}: give a whole number above 0.")
        if not _is_number(self.deadline) or not self.deadline >= 0.0:
            found.append(f"deadline is {self.deadline!r}: give a number of seconds, 0 or more.")
        if not _is_number(self.improve_time) or not self.improve_time >= 0.0:
            found.append(
                f"improve_time is {self.improve_time!r}: give a number of seconds, 0 or more."
            )
        if not _is_number(self.memory_limit) or not self.memory_limit > 0.0:
            found.append(f"memory_limit is {self.memory_limit!r}: give a number of MiB above 0.")
        if not _is_number(self.search.weight) or not self.search.weight >= 1.0:
            found.append(f"search: weight is {self.search.weight!r}: give a number of 1 or more.")
        try:
            tnorm_by_name(self.tnorm)
        except (TypeError, ValueError) as error:
            found.append(f"tnorm: {error}.")
        return tuple(found)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)
