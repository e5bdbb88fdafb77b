# SPDX-License-Identifier: Apache-2.0
"""The memory of a planner between requests in one domain."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import cached_property

from fcp_ros.domain.model import Domain
from fcp_ros.planning.chunks.learning import learn_chunks
from fcp_ros.planning.chunks.library import ChunkLibrary
from fcp_ros.planning.encoding.costs import CostUnit, find_cost_unit
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.model.request import never_stop
from fcp_ros.planning.model.result import Candidate
from fcp_ros.planning.model.suggestion import PlanSuggester
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.stepping.rules import StepRules

GOALS_REMEMBERED = 32
"""Goals whose last plan is kept."""
PLANS_REMEMBERED = 200
"""Plans from which chunks are learned."""
CHECK_EVERY = 0.05
"""Seconds between two looks at the limits of a request that waits for another one."""


class PlanningSession:
    """The last plans in a domain, chunks learned from them, and what depends on the domain alone.

    Thread-safe.
    """

    def __init__(
        self,
        domain: Domain,
        learn: bool = False,  # make chunks of sequences that occur often
        check: Callable[[], None] = never_stop,
        suggester: PlanSuggester | None = None,  # knows plans without a search; asked first
    ) -> None:
        self.domain = domain
        self.suggester = suggester
        self.compiler = RelevanceCompiler(domain, check)
        self.rules = StepRules(domain)
        self._learn = learn
        self._lock = threading.Lock()
        self._plans: OrderedDict[str, Plan] = OrderedDict()
        self._candidates: dict[str, tuple[Candidate, ...]] = {}
        self._past: deque[tuple[PlanStep, ...]] = deque(maxlen=PLANS_REMEMBERED)
        self._library = ChunkLibrary.of(domain)
        self._restricting = threading.Lock()
        self._restricted: PlanningSession | None = None

    def restrict(
        self, make: Callable[[Domain], Domain], check: Callable[[], None] = never_stop
    ) -> PlanningSession:
        """Return the memory for a part of the domain; the same one each time.

        Args:
            make: makes that part; always the same one for one session.
        """
        # Another request may be preparing it, with limits that are not those of this one.
        while not self._restricting.acquire(timeout=CHECK_EVERY):
            check()
        try:
            if self._restricted is None:
                domain = make(self.domain)
                same = domain is self.domain
                self._restricted = (
                    self
                    if same
                    else PlanningSession(domain, self._learn, check, suggester=self.suggester)
                )
            return self._restricted
        finally:
            self._restricting.release()

    @cached_property
    def cost_unit(self) -> CostUnit:
        """The unit in which the costs of the domain are whole numbers."""
        return find_cost_unit(self.domain)

    def prepare(self) -> None:
        """Compute now what would otherwise be computed with the first plans."""
        self.rules.prepare()

    @property
    def library(self) -> ChunkLibrary:
        """The chunks to plan with, declared and learned ones."""
        with self._lock:
            return self._library

    def last_plan(self, goal: str) -> Plan | None:
        """The last plan for a goal (its text); None without one."""
        with self._lock:
            return self._plans.get(goal)

    def last_candidates(self, goal: str) -> tuple[Candidate, ...]:
        """The candidates considered when the last plan for a goal was made."""
        with self._lock:
            return self._candidates.get(goal, ())

    def remember_candidates(self, goal: str, candidates: tuple[Candidate, ...]) -> None:
        """Keep the candidates of a goal whose plan is kept."""
        with self._lock:
            if goal in self._plans:
                self._candidates[goal] = candidates

    def remember(self, plan: Plan) -> None:
        """Keep a verified plan."""
        with self._lock:
            self._plans[plan.goal] = plan
            self._plans.move_to_end(plan.goal)
            if len(self._plans) > GOALS_REMEMBERED:
                forgotten, _ = self._plans.popitem(last=False)
                self._candidates.pop(forgotten, None)
            if self._learn and plan.steps:
                self._past.append(plan.steps)
                learned = learn_chunks(self.domain, list(self._past))
                self._library = ChunkLibrary.of(self.domain, learned)
