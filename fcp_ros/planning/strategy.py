# SPDX-License-Identifier: Apache-2.0
"""Which searches a request takes: by what is optimised, by deadlines, by an alpha yet unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Window
from fcp_ros.fuzzy import (
    EPSILON,
    AlphaCut,
    Composition,
    TNorm,
    graded_steps,
    reaches,
    tnorm_by_name,
)
from fcp_ros.planning.compile.formula import Formula
from fcp_ros.planning.compile.symmetry import Twins, one_of_each
from fcp_ros.planning.flat_search import FlatSearch
from fcp_ros.planning.keep import Kept, cost_by
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise, PlanningOptions
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.schedule.agents import Agents
from fcp_ros.planning.search.outcome import FlatPlan
from fcp_ros.planning.session import PlanningSession
from fcp_ros.planning.solve import Problem, Solved, Solver, Stage


class Strategy:
    """Runs the searches of one request.

    Arguments:
        session: what is kept of the domain.
        instance: the state to start in.
        options: what is asked for.
        amounts: resource -> what there is of it now; the domain's own figure by default.
        judge: knows degrees, and asks for them.
        watch: limits.
        stage: a context in which a phase is timed.
        search: searches flat tasks.
    """

    def __init__(
        self,
        session: PlanningSession,
        instance: Instance,
        options: PlanningOptions,
        amounts: Mapping[str, float],
        judge: Judge,
        watch: Watch,
        stage: Stage,
        search: FlatSearch,
    ) -> None:
        self._session = session
        self._domain = session.domain
        self._instance = instance
        self._options = options
        self._given = amounts
        self._judge = judge
        self._watch = watch
        self._stage = stage
        self._search = search

    def solved(self, formula: Formula, twins: Twins, kept: Kept | None) -> tuple[Solved, AlphaCut]:
        """The search, and the alpha-cut that its plan has to pass."""
        options = self._options
        problem = Problem(
            self._session.compiler,
            self._instance,
            one_of_each(formula, twins),
            self._tnorm(),
            options,
            self._given,
            twins,
            options.cut().alpha,
            self._session.library,
        )
        best = replace(problem, options=replace(options, optimise=Optimise.MEMBERSHIP))
        if options.optimise is Optimise.MEMBERSHIP:
            solved = self._solve(problem, kept)
            return solved, self._cut(solved)
        if options.policy is not None and options.policy.adaptive:
            # The cut follows from the plan with the best membership, so that comes first.
            solved = self._solve(best, None)
            cut = self._cut(solved)
            if solved.best is None or not reaches(solved.best.membership, cut.alpha):
                return solved, cut
            return self._solve(replace(problem, alpha=cut.alpha), kept), cut
        solved = self._solve(problem, kept)
        if solved.best is None and kept is None and solved.interrupted is None:
            # No plan reaches alpha. Whether there is any, and how good it is, is another search.
            solved = self._solve(best, None)
        return solved, options.cut()

    def _solve(self, problem: Problem, kept: Kept | None) -> Solved:
        """A search, whose proofs hold for plans whose steps run side by side, too.

        Times are searched for with steps one after the other. Where that fails, and several agents
        could work side by side, the best plan without the deadline is taken: its schedule may keep
        it. And what is proven of sequences is not proven then.
        """
        solved = self._searched(problem, kept)
        deadline = math.isfinite(problem.options.deadline)
        if not (deadline or self._windows()) or not self._side_by_side():
            return solved
        if not deadline or not solved.impossible:
            return _of_sequences(solved, problem.options.optimise)
        options = replace(problem.options, deadline=math.inf)
        loose = self._searched(replace(problem, options=options), None)
        if loose.best is None and not self._windows():
            return loose
        return replace(loose, optimal=False, impossible=False)

    def _searched(self, problem: Problem, kept: Kept | None) -> Solved:
        known = None
        if kept is not None:
            cost = cost_by(kept.plan, self._domain, problem.options.optimise)
            known = FlatPlan((), self._loss(kept.plan), cost)
        return Solver(problem, self._judge, self._watch, self._stage, self._search, known).run()

    def _windows(self) -> bool:
        """Whether some rule may not run at any time."""
        return any(rule.window != Window() for rule in self._domain.rules.values())

    def _side_by_side(self) -> bool:
        """Whether several agents could work at the same time."""
        return Agents(self._domain, self._instance).may_overlap(self._domain.rules.values())

    def _loss(self, plan: Plan) -> float:
        """The composed loss of a plan's steps and its goal."""
        tnorm = self._tnorm()
        losses = [tnorm.loss(d) for d in (*(s.degree for s in plan.steps), plan.goal_degree)]
        return max(losses) if tnorm.composition is Composition.MAXIMUM else math.fsum(losses)

    def _cut(self, solved: Solved) -> AlphaCut:
        """The alpha-cut of a request whose best plan is that of a search."""
        if solved.best is None:
            return self._options.cut()
        degrees = (
            self._tnorm().compose_all(self._judge.degree(*atom) for atom in atoms)
            for atoms in solved.best.graded
        )
        return self._options.cut(graded_steps(degrees))

    def _tnorm(self) -> TNorm:
        return tnorm_by_name(self._options.tnorm)


def _of_sequences(solved: Solved, optimise: Optimise) -> Solved:
    """What is left of the proofs of a search if only sequences were looked at."""
    best = solved.best
    perfect = best is not None and best.membership >= 1.0 - EPSILON
    perfect = perfect and optimise is Optimise.MEMBERSHIP
    return replace(solved, optimal=solved.optimal and perfect, impossible=False, bound=1.0)
