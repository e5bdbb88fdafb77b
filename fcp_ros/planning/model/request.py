# SPDX-License-Identifier: Apache-2.0
"""The settings of a planning request, and the callbacks that report its progress."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from fcp_ros.fuzzy import AlphaCut, AlphaPolicy


class Phase(str, Enum):
    """The stages of a planning request, in order."""

    PARSE = "parse"
    COMPILE = "compile"
    GOAL = "goal"
    JUDGE = "judge"
    SEARCH = "search"
    VERIFY = "verify"
    EXPLAIN = "explain"


@dataclass(frozen=True, slots=True)
class BestPlan:
    """The best plan so far."""

    membership: float
    steps: int
    # what is minimised, or decides between plans of equal membership: steps, costs, or s
    cost: float
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a request."""

    phase: Phase
    expansions: int = 0
    elapsed: float = 0.0
    best: BestPlan | None = None
    membership_bound: float = 1.0  # no plan has a higher membership, as far as is known; in [0, 1]
    # no plan that leaves out as few parts of the goal costs less, as far as is known; in the unit
    # of `BestPlan.cost`
    cost_bound: float = 0.0
    left_out_bound: int = 0  # no plan leaves out fewer parts of the goal, as far as is known

    @property
    def membership_gap(self) -> float:
        """The most by which a plan may have a higher membership; NaN without a plan."""
        if self.best is None:
            return math.nan
        return max(0.0, self.membership_bound - self.best.membership)

    @property
    def cost_gap(self) -> float:
        """The share of the cost that may be saved at most, in [0, 1]; NaN without a plan."""
        if self.best is None:
            return math.nan
        cost = self.best.cost
        return max(0.0, 1.0 - max(0.0, self.cost_bound) / cost) if cost > 0.0 else 0.0


class Optimise(str, Enum):
    """The objective: what makes a plan the best one."""

    MEMBERSHIP = "membership"
    """The highest membership; among those within the indifference of it the fewest steps."""
    COST = "cost"
    """The least cost of those that reach alpha; among equals the highest membership."""
    DURATION = "duration"
    """The least duration of those that reach alpha; among equals the highest membership."""


@dataclass(frozen=True, slots=True)
class Switches:
    """The planner's optimisations; none changes the answer, each can be switched off."""

    forgetting: bool = True  # one operator where a rule merely forgets an old value
    symmetry: bool = True  # treat interchangeable objects once
    lazy: bool = True  # ask for degrees only where candidate plans need them
    chunks: bool = True  # plan with the domain's chunks as single operators


CancelCallback = Callable[[], bool]
ProgressCallback = Callable[[Progress], None]


def never_cancel() -> bool:
    """The cancel callback of a caller that never cancels."""
    return False


def ignore_progress(_progress: Progress) -> None:
    """The progress callback of a caller that isn't interested."""


class Algorithm(str, Enum):
    """The search algorithms."""

    ASTAR = "astar"
    """Best-first by f = g + h; the first goal taken is optimal with an admissible heuristic."""
    WEIGHTED_ASTAR = "weighted_astar"
    """f = g + weight * h."""
    LAZY_GREEDY = "lazy_greedy"
    """Best-first by h of the parent, evaluated when a state is taken; helpful actions first."""
    BEAM = "beam"
    """Layer by layer, only the most promising states of each; again with twice as many until none
    is left out."""
    BIDIRECTIONAL = "bidirectional"
    """Forward memberships meet backward requirements."""
    PORTFOLIO = "portfolio"
    """Any plan first, then better ones, then the proof."""


class Heuristic(str, Enum):
    """The heuristics. Admissible: BLIND, MAX, LM_CUT.

    A greedy search by LANDMARK_COUNT takes turns with the tie heuristic, where that is another one.
    """

    BLIND = "blind"
    MAX = "max"
    FF = "ff"
    LANDMARK_COUNT = "landmark_count"
    LM_CUT = "lm_cut"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The options of a search."""

    algorithm: Algorithm = Algorithm.PORTFOLIO
    heuristic: Heuristic = Heuristic.LM_CUT
    weight: float = 2.0  # of the heuristic, where the algorithm has one; at least 1
    tie_heuristic: Heuristic = Heuristic.FF
    # of that heuristic. 1 with an admissible one makes ties optimal, too; more finds plans sooner.
    tie_weight: float = 5.0
    seed: int = 0


CONFIRM_BELOW = 0.8
"""Degree of a relaxation below which whoever said something in words is asked first."""


@dataclass(frozen=True, order=True, slots=True)
class AbsentExecutor:
    """An executor that an agent has not, or not now: no step of it is planned for that agent."""

    agent: str
    executor: str


@dataclass(frozen=True, slots=True)
class PlanningOptions:
    """The settings of one planning request; `option_table.OPTIONS` says what each means.

    Values are not checked here, so that a bad one can be answered with INVALID_REQUEST instead of
    an exception: see `option_table.find_problems`.
    """

    alpha: float = 0.5
    time_limit: float = 30.0  # For the whole request, verification excluded (s, wall clock)
    max_expansions: int = 1_000_000_000
    tnorm: str = "lukasiewicz"
    indifference: float = 0.05
    allow_relaxation: bool = True
    # A relaxation to a lower degree is not planned for without being confirmed. None: CONFIRM_BELOW
    # for an instruction in words, and 0 for a formula.
    confirm_below: float | None = None
    # Source of alpha; it replaces `alpha`. None: `alpha` is as given.
    policy: AlphaPolicy | None = None
    seed: int = 0  # Decides between equally good things; that of `search` is not read
    optimise: Optimise = Optimise.MEMBERSHIP
    deadline: float = math.inf
    # Resource, "cost", "time" or "steps" -> how much of it a plan may use. With any, the goal's
    # parts may be left out, unless it says itself what is preferred.
    budgets: Mapping[str, float] = field(default_factory=dict)
    absent: frozenset[AbsentExecutor] = frozenset()
    share_work: bool = False
    memory_limit: float = 2048.0
    improve_time: float = 5.0
    keep: bool = True  # Decides about an earlier plan for the goal, where a session knows one
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
