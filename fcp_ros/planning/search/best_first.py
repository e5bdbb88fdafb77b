# SPDX-License-Identifier: Apache-2.0
"""The driver of one best-first search: it can be watched, paused and continued.

State machine: `run` calls the kernel in slices of some milliseconds and reacts to the reason for
which it returned (`_react`): make room, begin again with resources that count, take a plan, or
finish. `_outcome` is None until the search is finished.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from fcp_ros.planning.flat.semantics import initial_state, is_goal
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.landmarks import count_words
from fcp_ros.planning.model.request import Algorithm, SearchOptions
from fcp_ros.planning.search.kernel.advance import advance
from fcp_ros.planning.search.kernel.space import (
    BEST,
    BOUND,
    CUT,
    EVALUATED,
    EXPANDED,
    GENERATED,
    INCUMBENT,
    LABELS,
    OPERATOR,
    PARENT,
    Space,
    SpaceAllocator,
)
from fcp_ros.planning.search.kernel.successors import FULL, IMPROVED, PAUSED, SHORT, STOPPED
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import (
    AT_ONCE,
    SEEN,
    FlatPlan,
    Objective,
    SearchOutcome,
    SearchReport,
    build_grid,
    derive_settings,
    make_plan,
    refine,
)

SLICE_SECONDS = 0.015
"""A kernel returns to Python about this often, so that it can be cancelled."""
FIRST_WORK = 500
"""Work of the first slice, before its speed is known."""
MOST_WORK = 1_000_000
"""Most work of any slice."""
MEMORY = 2 << 30
"""Bytes that a search may use unless told otherwise."""
HASTES = (0.0, 1.0, 100.0)
"""Weights of a step to go in a beam search, in turns: none, as much as each step of the best plan
costs, and more than anything else. Where every step violates something, a beam that weighs costs
alone does not move (measured on rovers with trajectory constraints)."""

SpentCallback = Callable[[int, int], None]
"""Told the numbers of states expanded and labels stored since the last call; what it raises ends
the slice."""


def ignore_spent(_expanded: int, _stored: int) -> None:
    """The callback of a caller that limits nothing."""


class BestFirst:
    """A best-first search in one flat task."""

    def __init__(
        self,
        task: FlatTask | PreparedTask,
        objective: Objective,
        # algorithm (not PORTFOLIO or BIDIRECTIONAL), heuristics, weights, seed. A greedy search
        # takes `heuristic` over the number of steps; it stops at its first plan.
        options: SearchOptions,
        memory: int = MEMORY,
        incumbent: FlatPlan | None = None,
        # called after each slice, every 20 ms or so. What it raises goes through; the search can go
        # on afterwards. It is also called while landmarks are looked for, in the constructor.
        spent: SpentCallback = ignore_spent,
        improved: Callable[[FlatPlan], None] | None = None,
    ) -> None:
        self._prepared = task if isinstance(task, PreparedTask) else PreparedTask(task)
        self._task = self._prepared.task
        self._objective = objective
        self._options = options
        self._spent = spent
        self._improved = improved
        first, second = (
            build_grid(self._task, objective, criterion) for criterion in objective.order
        )
        if options.algorithm is Algorithm.BEAM and not second.weight.any():
            first = refine(first)  # steps decide where the second criterion decides nothing
        self._grids = (first, second)
        self._settings = derive_settings(
            objective,
            options,
            first,
            second,
            self._prepared.direction,
            len(self._prepared.relaxed.operator),
        )
        self._inputs = self._prepared.make_inputs(self._settings, lambda: spent(0, 0))
        self._best = incumbent
        self._outcome: SearchOutcome | None = None
        self._work = FIRST_WORK
        self._rounds = 0
        self._earlier = (0, 0, 0)  # expanded, generated, evaluated before a new beginning
        self._allocator = SpaceAllocator(
            self._task,
            self._prepared.packing,
            self._prepared.tree,
            self._settings.queues,
            count_words(self._inputs.landmarks),
            memory,
        )
        self._space = self._begin()
        self._at_goal = (
            is_goal(self._task, initial_state(self._task))
            and min(first.budget, second.budget) >= 0.0
        )

    def run(self, allowance: int) -> SearchReport:
        """Go on until the answer is known or so many states are expanded or evaluated."""
        if self._outcome is None and self._at_goal:
            if self._best is None or max(self._best.loss, self._best.cost) > 0.0:
                self._take(())
            self._outcome = SearchOutcome.OPTIMAL
        target = self.effort + allowance
        while self._outcome is None and self.effort < target:
            self._slice(target)
        return self.report()

    def know(self, plan: FlatPlan) -> None:
        """Look only for plans better than this one from now on."""
        self._best = plan
        self._limit()

    def report(self) -> SearchReport:
        counts = self._space.counts
        return SearchReport(
            self._outcome or SearchOutcome.PAUSED,
            self._best,
            self._compute_bound(),
            self.expanded,
            self._earlier[1] + int(counts[GENERATED]),
            int(counts[LABELS]),
        )

    @property
    def expanded(self) -> int:
        """States expanded so far."""
        return self._earlier[0] + int(self._space.counts[EXPANDED])

    @property
    def is_exact(self) -> bool:
        """False: weights of ties leave the second criterion open."""
        return False

    @property
    def effort(self) -> int:
        """States expanded and states evaluated so far."""
        return self.expanded + self._earlier[2] + int(self._space.counts[EVALUATED])

    def _slice(self, target: int) -> None:
        expanded, stored = self.expanded, int(self._space.counts[LABELS])
        began = time.perf_counter()
        status = advance(
            self._prepared.packed,
            self._space,
            self._settings,
            self._inputs,
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
        """Adapt the length of slices; the order of the search does not depend on it."""
        if took > SLICE_SECONDS:
            self._work = max(1, int(self._work * SLICE_SECONDS / took))
        elif took < SLICE_SECONDS / 4:
            self._work = min(MOST_WORK, self._work * 2)

    def _react(self, status: int) -> None:
        if status == FULL:
            larger = self._allocator.enlarge(self._space)
            if larger is None:
                self._outcome = SearchOutcome.OUT_OF_MEMORY
            else:
                self._space = larger
        elif status == SHORT:
            self._restart_counting()
        elif status == IMPROVED:
            self._take(self._collect_operators())
        elif self._settings.stop == AT_ONCE and status == STOPPED:
            self._take(self._collect_operators())
            self._outcome = SearchOutcome.FOUND
        elif status == STOPPED:
            self._outcome = SearchOutcome.OPTIMAL if self._is_bounded else SearchOutcome.FOUND
        elif self._space.counts[CUT]:
            self._widen()
        elif self._best is None:
            self._outcome = SearchOutcome.EXHAUSTED
        else:
            self._outcome = SearchOutcome.OPTIMAL if self._is_through() else SearchOutcome.FOUND

    def _is_through(self) -> bool:
        """Return True if no label left means that no plan is better."""
        labels = int(self._space.counts[LABELS])
        told_apart = self._grids[0].tells_apart(self._space.way[:labels, 0])
        return self._settings.dominance != SEEN and told_apart

    @property
    def _is_bounded(self) -> bool:
        """True if the first part of a key is a lower bound."""
        settings = self._settings
        return settings.first_admissible and (
            settings.first_weight == 1.0 or settings.first_maximum
        )

    def _compute_bound(self) -> float:
        if self._outcome in (SearchOutcome.EXHAUSTED, SearchOutcome.OPTIMAL):
            return math.inf if self._outcome is SearchOutcome.EXHAUSTED else self._best_value()
        if self._settings.greedy or not self._is_bounded:
            return 0.0
        return self._grids[0].from_units(float(self._space.marks[BOUND]))

    def _best_value(self) -> float:
        if self._best is None:
            return math.inf
        return self._best.first(self._objective)

    # --- plans

    def _collect_operators(self) -> tuple[int, ...]:
        link = self._space.link
        label = int(self._space.counts[INCUMBENT])
        operators = []
        while link[label, PARENT] >= 0:
            operators.append(int(link[label, OPERATOR]))
            label = int(link[label, PARENT])
        return tuple(reversed(operators))

    def _take(self, operators: tuple[int, ...]) -> None:
        self._best = make_plan(self._task, operators, self._objective.composition)
        if self._improved is not None:
            self._improved(self._best)

    # --- the search memory

    def _begin(self) -> Space:
        self._space = self._allocator.make()
        self._limit()
        return self._space

    def _limit(self) -> None:
        """Write the best plan's criteria to `marks`: labels that cannot beat it are pruned."""
        if self._best is not None:
            for place, criterion in enumerate(self._grids):
                units = [float(criterion.weight[o]) for o in self._best.operators]
                total = max(units, default=0.0) if criterion.maximum else sum(units)
                self._space.marks[BEST + place] = total

    def _restart_counting(self) -> None:
        """Begin again with resources that count, because one has become short."""
        self._settings = self._settings._replace(counting=True)
        self._begin_again()

    def _widen(self) -> None:
        """Begin again with a beam in another haste, or of twice the width."""
        self._rounds += 1
        doublings, turn = divmod(self._rounds, len(HASTES))
        step = self._grids[0].fractions
        if self._best is not None:
            step = float(self._space.marks[BEST]) / max(1, len(self._best.operators))
        self._settings = self._settings._replace(width=1 << doublings, haste=step * HASTES[turn])
        self._begin_again()

    def _begin_again(self) -> None:
        counts = self._space.counts
        self._earlier = (
            self._earlier[0] + int(counts[EXPANDED]),
            self._earlier[1] + int(counts[GENERATED]),
            self._earlier[2] + int(counts[EVALUATED]),
        )
        self._space = self._begin()
