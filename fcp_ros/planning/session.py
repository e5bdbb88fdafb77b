# SPDX-License-Identifier: Apache-2.0
"""The memory of a planner between requests in one domain, and one request with what it shares."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.fuzzy import TNorm, tnorm_by_name
from fcp_ros.planning.encoding.costs import CostUnit, find_cost_unit
from fcp_ros.planning.model.ground_step import find_unknown_budgets
from fcp_ros.planning.model.memberships import Judge, MembershipSource, NoMemberships
from fcp_ros.planning.model.plan import Plan, PlanSuggester
from fcp_ros.planning.model.request import (
    AbsentExecutor,
    CancelCallback,
    Phase,
    PlanningOptions,
    ProgressCallback,
    ignore_progress,
    never_cancel,
)
from fcp_ros.planning.model.result import Candidate
from fcp_ros.planning.model.watch import RequestStart, Watch
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.verification.stepping import StepRules

GOALS_REMEMBERED = 32
"""Goals whose last plan is kept."""
CHECK_EVERY = 0.05
"""Seconds between two looks at the limits of a request that waits for another one."""


class PlanningSession:
    """The last plans in a domain, and what depends on the domain alone.

    Thread-safe.
    """

    def __init__(
        self,
        domain: Domain,
        check: Check = never_stop,
        suggester: PlanSuggester | None = None,  # knows plans without a search; asked first
        compiler: RelevanceCompiler | None = None,  # of the domain, if there is one already
    ) -> None:
        self.domain = domain
        self.suggester = suggester
        self.compiler = compiler or RelevanceCompiler(domain, check)
        self.rules = StepRules(domain)
        self._lock = threading.Lock()
        self._plans: OrderedDict[str, Plan] = OrderedDict()
        self._candidates: dict[str, tuple[Candidate, ...]] = {}
        self._restricting = threading.Lock()
        self._restricted: PlanningSession | None = None
        self._absent: frozenset[AbsentExecutor] = frozenset()
        self._lacking: PlanningSession | None = None  # the last one without some executors

    def without(self, absent: frozenset[AbsentExecutor]) -> PlanningSession:
        """Return the memory for plans that do without these executors of their agents.

        It is the same one while they are the same. Policies don't know of them, and suggest nothing
        there.
        """
        if absent == self._absent:
            return self
        with self._lock:
            if self._lacking is None or self._lacking._absent != absent:
                compiler = self.compiler.without(absent)
                self._lacking = PlanningSession(self.domain, compiler=compiler)
                self._lacking.rules, self._lacking._absent = self.rules, absent
            return self._lacking

    def restrict(
        self, make: Callable[[Domain], Domain], check: Check = never_stop
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
                    self if same else PlanningSession(domain, check, suggester=self.suggester)
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
        with self._lock:
            self._plans[plan.goal] = plan
            self._plans.move_to_end(plan.goal)
            if len(self._plans) > GOALS_REMEMBERED:
                forgotten, _ = self._plans.popitem(last=False)
                self._candidates.pop(forgotten, None)


# --- one planning request: what is asked, what all its stages share, and the times of its phases


class PhaseTimes:
    """Times the phases of one request, and tells its watch which one it is in."""

    def __init__(self, watch: Watch) -> None:
        # phase -> seconds (wall clock) spent in it so far. The time of a phase inside another one
        # counts for itself only.
        self.seconds: dict[str, float] = {}
        self._watch = watch
        self._inner = 0.0

    @property
    def total(self) -> float:
        """Seconds (wall clock) spent in all phases that have ended."""
        return sum(self.seconds.values())

    @contextmanager
    def __call__(self, phase: Phase) -> Iterator[None]:
        """A context in which the request is in a phase."""
        outer = self._watch.phase
        started, inner = time.perf_counter(), self._inner
        self._inner = 0.0
        self._watch.enter(phase)
        try:
            yield
        finally:
            spent = time.perf_counter() - started
            own = spent - self._inner
            self.seconds[phase.value] = self.seconds.get(phase.value, 0.0) + own
            self._inner = inner + spent
            self._watch.resume(outer)


@dataclass(frozen=True)
class PlanningRequest:
    """The question of a caller; it goes unchanged from the way in to the last stage."""

    domain: Domain
    instance: Instance  # the present state
    # a text such as `on(?x, table_1) and is_a(?x, "mug")`, or an expression, checked or not
    goal: Expression | str
    # the time limit is that of all attempts together
    options: PlanningOptions = field(default_factory=PlanningOptions)
    # judges graded predicates; by default there are none
    memberships: MembershipSource = field(default_factory=NoMemberships)
    _: KW_ONLY
    # the present amount of each resource; the domain's initial values where it says nothing
    resources: Mapping[str, float] = field(default_factory=dict)
    cancelled: CancelCallback = never_cancel  # asked every few milliseconds
    # told of phases, expansions, the best plan so far and bounds
    progress: ProgressCallback = ignore_progress
    # the memory between requests in the same domain. With it, an earlier plan for this goal is
    # reused as long as it holds and none is better.
    session: PlanningSession | None = None
    # its beginning, if that was before the planner was called, such as with reading files
    start: RequestStart | None = None
    explain_conflict: bool = True
    # False to search in any case, for a caller that compares the best plans
    take_suggestions: bool = True

    def read_goal(self) -> Expression:
        """Read the goal, and check it against domain and state.

        Raises:
            ExpressionError: the goal is wrong; in a text it points at the character.
        """
        if isinstance(self.goal, str):
            return check_goal(parse_expression(self.goal), self.domain, self.instance, self.goal)
        return check_goal(self.goal, self.domain, self.instance)

    def watch(self, phase: Phase = Phase.COMPILE) -> Watch:
        return Watch(self.options, self.cancelled, self.progress, self.start, phase)


@dataclass(frozen=True)
class RequestContext:
    """One request, as its stages see it."""

    session: PlanningSession
    instance: Instance
    options: PlanningOptions
    # resource -> its present amount, if it is not the domain's own figure
    given: Mapping[str, float]
    judge: Judge
    watch: Watch
    times: PhaseTimes

    @classmethod
    def begin(
        cls, request: PlanningRequest, session: PlanningSession, watch: Watch
    ) -> RequestContext:
        """Begin a request: no time is spent, and nothing is judged."""
        instance, options = request.instance, request.options
        judge = Judge(session.domain, instance, request.memberships, watch.check)
        return cls(session, instance, options, request.resources, judge, watch, PhaseTimes(watch))

    @property
    def domain(self) -> Domain:
        return self.session.domain

    @property
    def tnorm(self) -> TNorm:
        """The t-norm that composes degrees."""
        return tnorm_by_name(self.options.tnorm)

    @property
    def amounts(self) -> dict[str, float]:
        """Resource -> its initial amount, for every resource of the domain."""
        return {n: self.given.get(n, r.initial) for n, r in self.domain.resources.items()}

    @property
    def limited_domain(self) -> Domain:
        """The domain, with resources that keep the budgets of the request."""
        domain, budgets = self.domain, self.options.budgets
        if not domain.resources.keys() & budgets.keys():
            return domain
        resources = {
            name: replace(
                one, minimum=max(one.minimum, self.amounts[name] - budgets.get(name, math.inf))
            )
            for name, one in domain.resources.items()
        }
        return replace(domain, resources=resources)

    def problems(self) -> tuple[str, ...]:
        """One sentence for each invalid amount or budget; empty if all are fine."""
        found = list(find_unknown_budgets(self.options.budgets, self.domain))
        for name, value in self.given.items():
            if name not in self.domain.resources:
                known = ", ".join(self.domain.resources) or "none"
                found.append(f"Unknown resource {name}: the domain has {known}.")
            elif not math.isfinite(value):
                found.append(f"The amount of {name} is {value!r}: give a finite number.")
        return tuple(found)
