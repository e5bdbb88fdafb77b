# SPDX-License-Identifier: Apache-2.0
"""One best-first search: it can be watched, paused and continued."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from fcp_ros.fuzzy import Composition
from fcp_ros.planning.flat.semantics import initial_state, is_goal
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.landmarks import words_of
from fcp_ros.planning.model.search_options import Algorithm, SearchOptions
from fcp_ros.planning.search.buckets import clear
from fcp_ros.planning.search.grid import composed, grid
from fcp_ros.planning.search.kernel import advance
from fcp_ros.planning.search.objective import Objective
from fcp_ros.planning.search.outcome import FlatPlan, Outcome, SearchReport
from fcp_ros.planning.search.prepared import Prepared, prepare
from fcp_ros.planning.search.settings import AT_ONCE, NEVER, SEEN, Settings, settings_of
from fcp_ros.planning.search.space import (
    BEST,
    BOUND,
    EVALUATED,
    EXPANDED,
    GENERATED,
    INCUMBENT,
    LABELS,
    OPERATOR,
    PARENT,
    SORTED,
    Rooms,
    Space,
)
from fcp_ros.planning.search.successors import FULL, IMPROVED, PAUSED, SHORT, STOPPED

SLICE_SECONDS = 0.015
"""A kernel comes back to Python about this often."""
FIRST_WORK = 500
"""Work of the first slice, before its speed is known."""
MOST_WORK = 1_000_000
"""Work of any slice."""
MEMORY = 2 << 30
"""Bytes that a search may use unless told otherwise."""
LAST_WEIGHT = 1.05
"""An anytime search goes on with weight 1 after one below this."""

Spent = Callable[[int, int], None]
"""Told how many more states were expanded and labels stored; what it raises ends the slice."""


def unwatched(_expanded: int, _stored: int) -> None:
    """Nobody watches."""


class BestFirst:
    """A best-first search in one flat task.

    Arguments:
        task: the task, or what was prepared for it.
        objective: what is optimised.
        options: algorithm (not PORTFOLIO or BIDIRECTIONAL), heuristics, weights, seed. A greedy
            search takes `heuristic` over the number of steps; it stops at its first plan.
        memory: bytes that it may use.
        incumbent: a plan that is known; only better ones are looked for.
        spent: called after each slice, every 20 ms or so. What it raises goes through; the search
            can go on afterwards. While landmarks are looked for, before the search exists, it is
            called as well.
        improved: told about each better plan at once.
    """

    def __init__(
        self,
        task: FlatTask | Prepared,
        objective: Objective,
        options: SearchOptions,
        memory: int = MEMORY,
        incumbent: FlatPlan | None = None,
        spent: Spent = unwatched,
        improved: Callable[[FlatPlan], None] | None = None,
    ) -> None:
        self._prepared = task if isinstance(task, Prepared) else prepare(task)
        self._task = self._prepared.task
        self._objective = objective
        self._options = options
        self._spent = spent
        self._improved = improved
        first, second = (grid(self._task, objective, criterion) for criterion in objective.order)
        self._grids = (first, second)
        self._settings = settings_of(
            objective,
            options,
            first,
            second,
            self._prepared.direction,
            len(self._prepared.relaxed.operator),
        )
        self._guides = self._prepared.guides(self._settings, lambda: spent(0, 0))
        self._best = incumbent
        self._outcome: Outcome | None = None
        self._work = FIRST_WORK
        self._earlier = (0, 0, 0)  # what was expanded, generated, evaluated before a new beginning
        self._rooms = Rooms(
            self._task,
            self._prepared.packing,
            self._prepared.tree,
            self._settings.queues,
            words_of(self._guides.landmarks),
            memory,
        )
        self._space = self._begun()
        self._at_goal = (
            is_goal(self._task, initial_state(self._task))
            and min(first.budget, second.budget) >= 0.0
        )

    def run(self, allowance: int) -> SearchReport:
        """Searches on until it knows the answer, or the allowance is used up.

        Arguments:
            allowance: states to expand or evaluate at most in this call.
        """
        if self._outcome is None and self._at_goal:
            if self._best is None or max(self._best.loss, self._best.cost) > 0.0:
                self._take(())
            self._outcome = Outcome.OPTIMAL
        target = self.effort + allowance
        while self._outcome is None and self.effort < target:
            self._slice(target)
        return self.report()

    def know(self, plan: FlatPlan) -> None:
        """Only plans that are better than this one are looked for from now on."""
        self._best = plan
        self._limit()

    def report(self) -> SearchReport:
        """How far the search has come."""
        counts = self._space.counts
        return SearchReport(
            self._outcome or Outcome.PAUSED,
            self._best,
            self._bound(),
            self.expanded,
            self._earlier[1] + int(counts[GENERATED]),
            int(counts[LABELS]),
        )

    @property
    def expanded(self) -> int:
        """States expanded so far."""
        return self._earlier[0] + int(self._space.counts[EXPANDED])

    @property
    def effort(self) -> int:
        """States expanded and states evaluated so far."""
        return self.expanded + self._earlier[2] + int(self._space.counts[EVALUATED])

    def _slice(self, target: int) -> None:
        expanded, stored = self.expanded, int(self._space.counts[LABELS])
        began = time.perf_counter()
        status = advance(
            self._prepared.problem,
            self._space,
            self._settings,
            self._guides,
            self._work,
            target - self._earlier[0] - self._earlier[2],
        )
        took = time.perf_counter() - began
        more = int(self._space.counts[LABELS]) - stored
        if status == PAUSED:
            self._adapt(took)
        else:
            self._react(status)
        self._spent(self.expanded - expanded, more)

    def _adapt(self, took: float) -> None:
        """Makes slices as long as they should be; what is searched does not depend on it."""
        if took > SLICE_SECONDS:
            self._work = max(1, int(self._work * SLICE_SECONDS / took))
        elif took < SLICE_SECONDS / 4:
            self._work = min(MOST_WORK, self._work * 2)

    def _react(self, status: int) -> None:
        if status == FULL:
            larger = self._rooms.enlarged(self._space)
            if larger is None:
                self._outcome = Outcome.OUT_OF_MEMORY
            else:
                self._space = larger
        elif status == SHORT:
            self._start_again()
        elif status == IMPROVED:
            self._take(self._operators())
            self._lower_weight()
        elif self._settings.stop == AT_ONCE and status == STOPPED:
            self._take(self._operators())
            self._outcome = Outcome.FOUND
        elif status == STOPPED:
            if not self._lower_weight():
                self._outcome = Outcome.OPTIMAL if self._exact else Outcome.FOUND
        elif self._best is None:
            self._outcome = Outcome.EXHAUSTED
        else:
            self._outcome = Outcome.OPTIMAL if self._settings.dominance != SEEN else Outcome.FOUND

    @property
    def _exact(self) -> bool:
        """Whether the first part of a key is a lower bound."""
        settings = self._settings
        return settings.first_admissible and (
            settings.first_weight == 1.0 or settings.first_maximum
        )

    def _bound(self) -> float:
        if self._outcome in (Outcome.EXHAUSTED, Outcome.OPTIMAL):
            return math.inf if self._outcome is Outcome.EXHAUSTED else self._value()
        if self._settings.greedy or not self._exact:
            return 0.0
        return self._grids[0].value(float(self._space.marks[BOUND]))

    def _value(self) -> float:
        """The first criterion of the best plan."""
        if self._best is None:
            return math.inf
        return self._best.first(self._objective)

    # --- plans

    def _operators(self) -> tuple[int, ...]:
        link = self._space.link
        label = int(self._space.counts[INCUMBENT])
        operators = []
        while link[label, PARENT] >= 0:
            operators.append(int(link[label, OPERATOR]))
            label = int(link[label, PARENT])
        return tuple(reversed(operators))

    def _take(self, operators: tuple[int, ...]) -> None:
        maximum = self._objective.composition is Composition.MAXIMUM
        self._best = FlatPlan(
            operators,
            composed(self._task.loss, operators, maximum),
            composed(self._task.cost, operators, False),
        )
        if self._improved is not None:
            self._improved(self._best)

    # --- the search memory

    def _begun(self) -> Space:
        self._space = self._rooms.make()
        self._limit()
        return self._space

    def _limit(self) -> None:
        """Labels that can't lead to a better plan than the best one need not be kept."""
        if self._best is not None:
            for place, criterion in enumerate(self._grids):
                units = [float(criterion.weight[o]) for o in self._best.operators]
                total = max(units, default=0.0) if criterion.maximum else sum(units)
                self._space.marks[BEST + place] = total

    def _start_again(self) -> None:
        """Resources are short: they count from now on."""
        counts = self._space.counts
        self._earlier = (
            self._earlier[0] + int(counts[EXPANDED]),
            self._earlier[1] + int(counts[GENERATED]),
            self._earlier[2] + int(counts[EVALUATED]),
        )
        self._settings = self._settings._replace(counting=True)
        self._space = self._begun()

    def _lower_weight(self) -> bool:
        """The next round of an anytime search; False where there is none."""
        if self._options.algorithm is not Algorithm.ANYTIME_ASTAR:
            return False
        settings: Settings = self._settings
        if settings.first_weight == 1.0:
            return False
        weight = 0.5 * (1.0 + settings.first_weight)
        settings = settings._replace(first_weight=weight if weight > LAST_WEIGHT else 1.0)
        if settings.first_weight == 1.0 and not settings.first_admissible:
            settings = settings._replace(stop=NEVER)
        self._settings = settings
        clear(self._space.buckets)
        self._space.counts[SORTED] = 0
        return True
