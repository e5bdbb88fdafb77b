# SPDX-License-Identifier: Apache-2.0
"""All alternatives of a goal against each other: the search for the best plan of any of them.

Each alternative has an upper bound of what its plans can be worth; first a rough one, then that of
its own A* search, which sinks while the search goes on. The alternative with the highest bound is
always the one to be worked on. When no bound exceeds the best plan found, that plan is optimal.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from fcp_ros.fuzzy import EPSILON, TNorm, reaches
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.goal_alternatives import Alternative
from fcp_ros.planning.compile.task import Task
from fcp_ros.planning.forward.local_problem import LocalProblem
from fcp_ros.planning.forward.local_task import Resources, localise
from fcp_ros.planning.forward.reachability import Reach
from fcp_ros.planning.forward.search import BestFirstSearch, Found, Order, Outcome
from fcp_ros.planning.forward.solution import Replay, Solution
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch

FIRST_SLICE = 300
"""Expansions of A* in an alternative before a greedy search looks for any plan at all."""
GREEDY_SLICE = 3000
"""Expansions of that greedy search."""
SLICE = 1000
"""Expansions of A* at a time after that."""
BELOW_ALPHA_ALLOWANCE = 3000
"""Expansions spent on improving a plan once it is proven that none reaches alpha."""

POLISH_SLICE = 100
"""Expansions spent on looking for a shorter plan of the same membership."""
POLISH_WEIGHT = 2.0
"""Weight of the estimated steps to go in that search."""


class EntryState(Enum):
    """What is known about an alternative."""

    OPEN = "open"
    """Its bound is all that is known."""
    SOLVED = "solved"
    """Its best plan is known."""
    BELOW = "below"
    """It has no plan that is better than the best of all."""
    UNREACHABLE = "unreachable"
    """It has no plan: its facts can't be reached even if nothing is ever undone."""
    EXHAUSTED = "exhausted"
    """It has no plan: all reachable states were searched."""


@dataclass(slots=True)
class Entry:
    """One alternative in the contest."""

    alternative: Alternative
    bound: float
    distance: float
    state: EntryState = EntryState.OPEN
    solution: Solution | None = None
    problem: LocalProblem | None = None
    search: BestFirstSearch | None = None
    slices: int = 0


@dataclass(frozen=True)
class ContestResult:
    """How the contest ended.

    Attributes:
        entries: all alternatives with what is known about them.
        best: the best plan found.
        bound: upper bound of all plans not found; at most the best's membership when finished.
        interrupted: what stopped it before it was finished; None otherwise.
    """

    entries: Sequence[Entry]
    best: Solution | None
    bound: float
    interrupted: Interrupted | None

    @property
    def optimal(self) -> bool:
        """Whether the best plan is proven to be optimal."""
        return self.best is not None and self.bound <= self.best.membership + EPSILON


class Contest:
    """Runs the contest.

    Arguments:
        task, conditions: what can be done.
        alternatives: of the goal, best degree first.
        degrees: degree of each operator that matters.
        reached: first bounds.
        tnorm: how degrees compose.
        resources: what there is of each resource at first.
        alpha: the alpha-cut; only decides when it is no use to go on.
        seed: decides between equals.
        watch: limits.
    """

    def __init__(
        self,
        task: Task,
        conditions: Conditions,
        alternatives: Sequence[Alternative],
        degrees: Sequence[float],
        reached: Reach,
        tnorm: TNorm,
        resources: Resources,
        alpha: float,
        seed: int,
        watch: Watch,
    ) -> None:
        self._task = task
        self._conditions = conditions
        self._alternatives = alternatives
        self._degrees = degrees
        self._tnorm = tnorm
        self._resources = resources
        self._alpha = alpha
        self._seed = seed
        self._watch = watch
        self._replay = Replay(task, conditions, degrees, tnorm, resources)
        self._best: Solution | None = None
        self._allowance = BELOW_ALPHA_ALLOWANCE
        self._entries = [
            Entry(alternative, reached.bound(alternative), reached.distance(alternative))
            for alternative in alternatives
        ]
        self._queue: list[tuple[float, float, int]] = []
        for number, entry in enumerate(self._entries):
            if entry.bound < 0.0:
                entry.state = EntryState.UNREACHABLE
            else:
                self._push(number)
        heapq.heapify(self._queue)

    def run(self) -> ContestResult:
        """Search until the best plan is proven, or something runs out."""
        interrupted: Interrupted | None = None
        try:
            while self._queue and self._worthwhile():
                number = heapq.heappop(self._queue)[2]
                if self._work_on(self._entries[number]):
                    self._push(number)
            self._polish()
        except Interrupted as reason:
            interrupted = reason
        except MemoryError:
            interrupted = out_of_memory()
        if interrupted is not None:
            self._gather()
        return ContestResult(self._entries, self._best, self._open_bound(), interrupted)

    def _polish(self) -> None:
        """Look for a shorter plan, where the one found is longer than FF expected."""
        best = self._best
        entry = next((e for e in self._entries if best and e.alternative is best.alternative), None)
        if best is None or entry is None or entry.problem is None:
            return
        if len(best.operators) <= entry.problem.first.steps:
            return
        search = BestFirstSearch(
            entry.problem,
            Order.MEMBERSHIP,
            self._watch,
            self._seed,
            step_weight=POLISH_WEIGHT,
            max_steps=len(best.operators) - 1,
        )
        search.run(POLISH_SLICE, lambda: best.membership - 2 * EPSILON)
        if search.best is not None:
            self._take(None, search.best)

    def _gather(self) -> None:
        """Plans that a search had found when it was interrupted."""
        for entry in self._entries:
            if entry.search is not None and entry.search.best is not None:
                self._take(entry, entry.search.best)

    def _push(self, number: int) -> None:
        entry = self._entries[number]
        heapq.heappush(self._queue, (-entry.bound, entry.distance, number))

    def _open_bound(self) -> float:
        return max((e.bound for e in self._entries if e.state is EntryState.OPEN), default=-1.0)

    def _floor(self) -> float:
        return -1.0 if self._best is None else self._best.membership

    def _worthwhile(self) -> bool:
        """Whether some alternative may still be better than the best plan."""
        bound = -self._queue[0][0]
        if bound <= self._floor() + EPSILON:
            for _, _, number in self._queue:
                self._entries[number].state = EntryState.BELOW
            return False
        no_use = self._best is not None and not reaches(bound, self._alpha)
        return not no_use or self._allowance > 0

    def _work_on(self, entry: Entry) -> bool:
        """One slice of work on the alternative with the highest bound; whether it stays open."""
        if entry.problem is None or entry.search is None:
            return self._open(entry)
        if entry.slices == 1 and self._best is None:
            self._greedy(entry.problem)
        before = self._watch.expansions
        pause_below = -self._queue[0][0] if self._queue else -1.0
        outcome = entry.search.run(SLICE if entry.slices else FIRST_SLICE, self._floor, pause_below)
        entry.slices += 1
        if not reaches(entry.bound, self._alpha):
            self._allowance -= self._watch.expansions - before
        if entry.search.best is not None:
            self._take(entry, entry.search.best)
        if outcome is Outcome.PAUSED:
            entry.bound = min(entry.bound, max(entry.search.bound, 0.0))
            return True
        entry.state = {
            Outcome.SOLVED: EntryState.SOLVED,
            Outcome.BELOW: EntryState.BELOW,
            Outcome.EXHAUSTED: EntryState.EXHAUSTED,
        }[outcome]
        return False

    def _open(self, entry: Entry) -> bool:
        """Look at an alternative closely: its own task, its own bound."""
        local = localise(
            self._task,
            self._conditions,
            entry.alternative,
            self._degrees,
            self._resources,
            self._watch,
        )
        entry.problem = LocalProblem(local, self._task, self._tnorm)
        if entry.problem.upper_bound is None:
            entry.state = EntryState.UNREACHABLE
            return False
        entry.bound = min(entry.bound, entry.problem.upper_bound)
        entry.distance = entry.problem.first.steps
        entry.search = BestFirstSearch(entry.problem, Order.MEMBERSHIP, self._watch, self._seed)
        return True

    def _greedy(self, problem: LocalProblem) -> None:
        """Look for any plan, so that there is something to hand out if the proof takes too long."""
        search = BestFirstSearch(problem, Order.STEPS, self._watch, self._seed)
        search.run(GREEDY_SLICE, self._floor)
        if search.best is not None:
            self._take(None, search.best)

    def _take(self, entry: Entry | None, found: Found) -> None:
        """A plan was found: check it on the whole task, tighten it, compare it with the best."""
        solution = self._replay.solution(found.operators, self._alternatives)
        if solution is None:
            raise AssertionError(
                "the search found a plan that does not work on the whole task: "
                + ", ".join(str(self._task.operators[index]) for index in found.operators)
            )
        solution = self._replay.tightened(solution, self._alternatives)
        if entry is not None and (
            entry.solution is None or solution.membership > entry.solution.membership
        ):
            entry.solution = solution
        if self._best is None or _better(solution, self._best):
            self._best = solution
            self._watch.best_membership = solution.membership


def out_of_memory() -> Interrupted:
    """What a `MemoryError` means to the caller."""
    return Interrupted(PlanStatus.MEMOUT, "The process ran out of memory.")


def _better(one: Solution, other: Solution) -> bool:
    if one.membership > other.membership + EPSILON:
        return True
    if one.membership < other.membership - EPSILON:
        return False
    return len(one.operators) < len(other.operators)
