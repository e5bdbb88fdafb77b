# SPDX-License-Identifier: Apache-2.0
"""Which searches a request takes: by what is optimised, by deadlines, by an alpha yet unknown."""

from __future__ import annotations

import math
from dataclasses import replace

from fcp_ros.domain.model import Window
from fcp_ros.fuzzy import (
    EPSILON,
    AlphaCut,
    Composition,
    graded_steps,
    reaches,
)
from fcp_ros.planning.flat_search import FlatSearch
from fcp_ros.planning.goal.formula import Formula
from fcp_ros.planning.goal.symmetry import SymmetryClasses, limit_choices
from fcp_ros.planning.keep import Kept
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.phase_times import PhaseTimes
from fcp_ros.planning.request_context import RequestContext
from fcp_ros.planning.schedule.agents import Agents
from fcp_ros.planning.search.outcome import FlatPlan
from fcp_ros.planning.solution import Problem, Solved
from fcp_ros.planning.solve import Solver


class Strategy:
    """Runs the searches of one request.

    Arguments:
        context: of the request.
        times: times the phases.
        search: searches flat tasks.
    """

    def __init__(self, context: RequestContext, times: PhaseTimes, search: FlatSearch) -> None:
        self._context = context
        self._domain = context.domain
        self._options = context.options
        self._times = times
        self._search = search

    def solved(
        self, formula: Formula, classes: SymmetryClasses, kept: Kept | None
    ) -> tuple[Solved, AlphaCut]:
        """The search, and the alpha-cut that its plan has to pass."""
        context, options = self._context, self._options
        problem = Problem(
            context.session.compiler,
            context.instance,
            limit_choices(formula, classes),
            context.tnorm,
            options,
            context.given,
            classes,
            options.cut().alpha,
            context.session.library,
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
            cost = kept.cost_by(self._domain, problem.options.optimise)
            known = FlatPlan((), self._loss(kept.plan), cost)
        context = self._context
        solver = Solver(problem, context.judge, context.watch, self._times, self._search, known)
        return solver.run()

    def _windows(self) -> bool:
        """Whether some rule may not run at any time."""
        return any(rule.window != Window() for rule in self._domain.rules.values())

    def _side_by_side(self) -> bool:
        """Whether several agents could work at the same time."""
        return Agents(self._domain, self._context.instance).may_overlap(self._domain.rules.values())

    def _loss(self, plan: Plan) -> float:
        """The composed loss of a plan's steps and its goal."""
        tnorm = self._context.tnorm
        losses = [tnorm.loss(d) for d in (*(s.degree for s in plan.steps), plan.goal_degree)]
        return max(losses) if tnorm.composition is Composition.MAXIMUM else math.fsum(losses)

    def _cut(self, solved: Solved) -> AlphaCut:
        """The alpha-cut of a request whose best plan is that of a search."""
        if solved.best is None:
            return self._options.cut()
        tnorm, judge = self._context.tnorm, self._context.judge
        degrees = (
            tnorm.compose_all(judge.degree(*atom) for atom in atoms) for atoms in solved.best.graded
        )
        return self._options.cut(graded_steps(degrees))


def _of_sequences(solved: Solved, optimise: Optimise) -> Solved:
    """What is left of the proofs of a search if only sequences were looked at."""
    best = solved.best
    perfect = best is not None and best.membership >= 1.0 - EPSILON
    perfect = perfect and optimise is Optimise.MEMBERSHIP
    return replace(solved, optimal=solved.optimal and perfect, impossible=False, bound=1.0)
