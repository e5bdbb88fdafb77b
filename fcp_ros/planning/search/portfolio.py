# SPDX-License-Identifier: Apache-2.0
"""Several searches in one: any plan first, then better ones, then the proof.

A* with an admissible heuristic begins; mostly it is done in no time. If not, it takes turns with a
greedy search by landmarks and FF until there is any plan, and then with an anytime search that
looks for better ones. What one of them finds limits the others. Where the greedy search does not
find a plan at once, relaxed plans are carried out as far as they go; where no plan shows up for
long, all states are gone through without any estimate as well: estimates cost much more than that,
and where there is no plan, they mostly don't say so. Last, a proven plan of least loss is
shortened, with a bounded effort.

Turns are counted in evaluations, not in seconds, so the same seed gives the same plan.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.model.search_options import SearchOptions
from fcp_ros.planning.search.dive import dive
from fcp_ros.planning.search.elimination import without_needless
from fcp_ros.planning.search.engine import MEMORY, BestFirst, Spent, unwatched
from fcp_ros.planning.search.grid import composed
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.outcome import FlatPlan, Outcome, SearchReport
from fcp_ros.planning.search.prepared import Prepared, prepare
from fcp_ros.planning.search.roles import Role, options_of

FIRST_TURN = 300
"""Effort of A* before a greedy search looks for any plan at all."""
PROOF_TURN = 300
"""Effort of A* at a time after that."""
PLAN_TURN = 1500
"""Effort of the greedy search at a time; its heuristic is faster."""
PATIENCE = 10_000
"""Effort of the greedy search before it is doubted that there is a plan."""
NONE_TURN = 30_000
"""Effort, at a time, of going through all states."""
BETTER_TURN = 600
"""Effort of the anytime search at a time."""
LARGE = 20_000
"""Where the relaxation has more actions than this, all efforts but the greedy one get less."""


class Portfolio:
    """Searches a flat task until the best plan is proven, or a limit is reached.

    Arguments:
        task: the task, or what was prepared for it.
        objective: what is optimised.
        options: heuristics of the proof, weight of ties, seed; the algorithm is not asked for.
        memory: bytes that it may use.
        incumbent: a plan that is known; only better ones are looked for.
        spent: called after each slice of some milliseconds. What it raises goes through; the search
            can go on afterwards.
        improved: told about each better plan at once.
    """

    def __init__(
        self,
        task: FlatTask | Prepared,
        objective: Objective,
        options: SearchOptions | None = None,
        memory: int = MEMORY,
        incumbent: FlatPlan | None = None,
        spent: Spent = unwatched,
        improved: Callable[[FlatPlan], None] | None = None,
    ) -> None:
        self._prepared = task if isinstance(task, Prepared) else prepare(task)
        self._objective = objective
        self._options = options_of(Role.PROOF, objective, options or SearchOptions())
        self._memory = memory
        self._spent = spent
        self._improved = improved
        self._best = incumbent
        self._outcome: Outcome | None = None
        self._finished: list[SearchReport] = []
        self._spent_effort = 0  # by searches that are finished
        self._dived = False
        self._doubt: BestFirst | None = None
        self._doubt_failed = False
        self._share = min(1.0, LARGE / max(1, len(self._prepared.relaxed.operator)))
        self._helper: BestFirst | None = None
        self._role = self._helper_role = Role.PROOF
        self._helpless = False
        self._proof_failed = False
        self._proof = self._search(self._options)
        self._left = self._length(FIRST_TURN)

    def run(self, allowance: int) -> SearchReport:
        """Searches on until it knows the answer, or the allowance is used up.

        Arguments:
            allowance: states to expand or evaluate at most in this call.
        """
        target = self.effort + allowance
        while self._outcome is None and self.effort < target:
            self._work(target - self.effort)
        return self.report()

    def report(self) -> SearchReport:
        """How far the search has come."""
        reports = [*self._finished, *(search.report() for search in self._running)]
        return SearchReport(
            self._outcome or Outcome.PAUSED,
            self._best,
            self._bound(),
            sum(report.expanded for report in reports),
            sum(report.generated for report in reports),
            sum(report.stored for report in reports[len(self._finished) :]),
        )

    def _bound(self) -> float:
        """Lower bound of the first criterion; that of the best plan from the proof on."""
        if self._outcome is Outcome.EXHAUSTED:
            return math.inf
        if self._outcome is Outcome.OPTIMAL and self._best is not None:
            return self._best.first(self._objective)
        return self._proof.report().bound

    # --- turns

    @property
    def _running(self) -> list[BestFirst]:
        searches = (self._proof, self._helper, self._doubt)
        return [search for search in searches if search is not None]

    @property
    def effort(self) -> int:
        """States expanded and states evaluated so far."""
        return self._spent_effort + sum(search.effort for search in self._running)

    @property
    def _current(self) -> BestFirst | None:
        """The search whose turn it is."""
        if self._role is Role.PROOF:
            return self._proof
        return self._doubt if self._role is Role.NONE else self._helper

    def _work(self, allowance: int) -> None:
        """Goes on with the turn, or begins the next one."""
        if self._left <= 0:
            self._next_turn()
        search = self._current
        if search is None:
            return
        before = search.effort
        try:
            report = search.run(min(self._left, allowance))
        finally:
            self._left -= search.effort - before
        if report.outcome is not Outcome.PAUSED:
            self._left = 0
            self._conclude(report.outcome)

    def _next_turn(self) -> None:
        """Whose turn it is."""
        if self._role is Role.ANY and not self._dived:
            self._dive()
        if self._best is not None:
            self._believe()
        if self._nothing_better():
            self._outcome = Outcome.OPTIMAL
        elif self._role is Role.PROOF and not self._helpless:
            self._help()
        elif self._role is Role.ANY and self._in_doubt():
            self._role, self._left = Role.NONE, self._length(NONE_TURN)
        elif self._proof_failed and self._helpless:
            self._outcome = Outcome.OUT_OF_MEMORY
        elif self._proof_failed:
            self._help()
        else:
            self._role, self._left = Role.PROOF, self._length(PROOF_TURN)

    def _dive(self) -> None:
        """Carries out relaxed plans, once, where there is no plan yet."""
        self._dived = True
        if self._best is None:
            plan = dive(self._prepared, self._objective, lambda: self._spent(0, 0))
            if plan is not None:
                self._found(plan)

    def _nothing_better(self) -> bool:
        """Whether no plan has less loss than the best one."""
        if self._best is None or self._objective.order[0] is not Criterion.LOSS:
            return False
        return self._best.loss <= self._proof.report().bound + EPSILON

    def _in_doubt(self) -> bool:
        """Whether all states are to be gone through; makes the search that does."""
        if self._doubt_failed or self._best is not None or self._helper is None:
            return False
        if self._doubt is None and self._helper.effort >= PATIENCE:
            self._doubt = self._search(self._options_of(Role.NONE))
        return self._doubt is not None

    def _believe(self) -> None:
        """Going through all states is not needed any more."""
        if self._doubt is not None:
            self._finished.append(self._doubt.report())
            self._spent_effort += self._doubt.effort
            self._doubt = None

    def _help(self) -> None:
        """The turn of the helper: a greedy search until there is a plan, then an anytime one."""
        role = Role.ANY if self._best is None else Role.BETTER
        if self._helper is None or (role is Role.BETTER and self._helper_role is Role.ANY):
            self._retire()
            self._helper = self._search(self._options_of(role))
            self._helper_role = role
        self._role = role
        self._left = PLAN_TURN if role is Role.ANY else self._length(BETTER_TURN)

    def _conclude(self, outcome: Outcome) -> None:
        """The search whose turn it is has ended."""
        if outcome is Outcome.OUT_OF_MEMORY:
            if self._role is Role.PROOF:
                self._proof_failed = True
            elif self._role is Role.NONE:
                self._believe()
                self._doubt_failed = True
            else:
                self._retire()
                self._helpless = True
        elif outcome is Outcome.FOUND and self._role is not Role.PROOF:
            self._retire()
        else:
            self._outcome = outcome

    def _options_of(self, role: Role) -> SearchOptions:
        return options_of(role, self._objective, self._options)

    def _retire(self) -> None:
        """The helper is not needed any more."""
        if self._helper is not None:
            self._finished.append(self._helper.report())
            self._spent_effort += self._helper.effort
            self._helper = None

    def _length(self, turn: int) -> int:
        return max(10, int(turn * self._share))

    # --- searches and plans

    def _search(self, options: SearchOptions) -> BestFirst:
        """A search that knows the best plan."""
        return BestFirst(
            self._prepared,
            self._objective,
            options,
            self._memory // 3,
            self._best,
            self._spent,
            self._found,
        )

    def _found(self, plan: FlatPlan) -> None:
        """A search has found a plan that is better than what it knew."""
        task = self._prepared.task
        operators = without_needless(task, plan.operators)
        maximum = self._objective.composition is Composition.MAXIMUM
        plan = FlatPlan(
            operators,
            composed(task.loss, operators, maximum),
            composed(task.cost, operators, False),
        )
        if self._best is not None and not plan.is_better(self._best, self._objective):
            return
        self._best = plan
        for search in self._running:
            search.know(plan)
        if self._improved is not None:
            self._improved(plan)
