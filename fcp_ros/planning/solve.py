# SPDX-License-Identifier: Apache-2.0
"""From a ground goal to the best plan: narrow first, wider until the answer is proven.

What is instantiated around the goal is a choice (`Breadth`). A plan found on a narrow task is a
plan on every wider one; what a narrow task can't show is that there is none, or none better. So the
search widens until a plan has no loss at all, or the widest task has said its word.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from fcp_ros.fuzzy import EPSILON, reaches
from fcp_ros.planning.chunks.library import StepAtoms, find_step_atoms
from fcp_ros.planning.chunks.macros import bind_macro_maker, label_steps
from fcp_ros.planning.encoding.encode import EncodeOptions, MacroMaker, encode, no_macros
from fcp_ros.planning.encoding.encoding import Decoded, Encoding
from fcp_ros.planning.goal.alternatives import find_alternatives
from fcp_ros.planning.goal.formula import Formula, find_wanted, make_either, split_choices
from fcp_ros.planning.goal.symmetry import keep_representatives
from fcp_ros.planning.judging.contest import Search
from fcp_ros.planning.judging.lazy import LazyResult, LazySearch
from fcp_ros.planning.judging.prospects import Prospects
from fcp_ros.planning.judging.regression import Regression
from fcp_ros.planning.judging.unavoidable import UnavoidableLoss
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.request import Optimise, Phase
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.phase_times import PhaseTimes
from fcp_ros.planning.relevance.compiler import Breadth
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.outcome import FlatPlan
from fcp_ros.planning.solution import Problem, Solution, Solved
from fcp_ros.planning.task.conditions import Conditions

MANY = 16
"""Alternatives of a goal that are instantiated at once; of more the most promising come first."""


class Solver:
    """Solves one problem.

    Arguments:
        problem: what is to be solved.
        judge: knows degrees, and asks for them.
        watch: limits.
        times: times the phases.
        search: one search on a flat task.
        known: loss and cost of a plan that is known; only better ones are looked for.
    """

    def __init__(
        self,
        problem: Problem,
        judge: Judge,
        watch: Watch,
        times: PhaseTimes,
        search: Search,
        known: FlatPlan | None = None,
    ) -> None:
        self._problem = problem
        self._judge = judge
        self._watch = watch
        self._times = times
        self._search = search
        self._solved = Solved()
        self._flat_best = known

    def run(self) -> Solved:
        """Widen until the answer is proven or a limit is reached; never raises `Interrupted`."""
        try:
            for formula, breadth in self._rungs():
                if self._none_is_better() or self._rung(formula, breadth):
                    break
        except Interrupted as reason:
            self._solved = replace(self._solved, interrupted=reason)
        return self._solved

    def _rungs(self) -> Iterator[tuple[Formula, Breadth]]:
        """Narrow to wide; what is only to be improved goes to the widest at once."""
        formula = self._problem.formula
        few = self._shortlist()
        if few is not None:
            yield few, Breadth.NARROW
        yield formula, Breadth.NARROW
        if self._solved.best is None:
            yield formula, Breadth.WIDE
        yield formula, Breadth.FULL

    def _rung(self, formula: Formula, breadth: Breadth) -> bool:
        """Search at one breadth; whether that settles it."""
        encoding = self._compiled(formula, breadth)
        objective = self._objective()
        lazy = LazySearch(
            encoding,
            self._problem.tnorm,
            self._judge,
            objective,
            self._search,
            lambda plan: self._found(encoding, plan),
            lambda: self._watch.satisfied,
            lambda: self._times(Phase.JUDGE),
        )
        if not self._problem.options.switches.lazy:
            lazy.judge_all()
        with self._times(Phase.SEARCH):
            result = lazy.run()
        return self._conclude(result, breadth)

    # --- by regression alone

    def _can_regress(self) -> bool:
        """Whether the loss that no plan avoids says anything."""
        problem = self._problem
        whole = any(chunk.graded for chunk in problem.library.chunks)
        return problem.options.optimise is Optimise.MEMBERSHIP and not whole

    def _unavoidable(self) -> UnavoidableLoss:
        """The loss that no plan avoids, by what is known now."""
        problem = self._problem
        domain = problem.compiler.domain
        return UnavoidableLoss(
            Regression(domain, problem.instance, self._judge.known, problem.tnorm)
        )

    @cached_property
    def _prospects(self) -> Prospects:
        """The alternatives of the goal."""
        return Prospects(
            list(split_choices(self._problem.formula)),
            self._unavoidable,
            self._judge,
            self._watch.check,
        )

    def _shortlist(self) -> Formula | None:
        """The most promising alternatives of a goal that has very many; None where it has not."""
        lazy = self._problem.options.switches.lazy
        if not lazy or not self._can_regress() or len(self._prospects) <= MANY:
            return None
        with self._times(Phase.JUDGE):
            few = self._prospects.shortlist(MANY)
        return make_either(few) if few else None

    def _none_is_better(self) -> bool:
        """Whether the best plan so far is shown to be the best of all without a wider task."""
        best = self._flat_best
        if best is None or not self._can_regress():
            return False
        with self._times(Phase.JUDGE):
            shown = self._prospects.none_is_better(best.loss)
        if shown:
            found = self._solved.best is not None
            bound = self._problem.tnorm.degree_of(best.loss)
            self._solved = replace(self._solved, optimal=True, impossible=not found, bound=bound)
        return shown

    # --- one task

    def _compiled(self, formula: Formula, breadth: Breadth) -> Encoding:
        problem, watch = self._problem, self._watch
        with self._times(Phase.COMPILE):
            task = problem.compiler.task(problem.instance, find_wanted(formula), breadth, watch)
            conditions = Conditions(task)
        with self._times(Phase.GOAL):
            alternatives = find_alternatives(formula, self._judge.known, problem.tnorm, task, watch)
            alternatives = keep_representatives(alternatives, problem.classes)
        with self._times(Phase.COMPILE):
            options = problem.options
            macros: MacroMaker = no_macros
            if options.switches.chunks and problem.library.chunks:
                macros = bind_macro_maker(problem.library, check=watch.check)
            encoding = encode(
                task,
                conditions,
                alternatives,
                EncodeOptions(
                    options.optimise, options.deadline, problem.amounts, options.switches, macros
                ),
                watch,
            )
        self._solved = replace(
            self._solved,
            task=task,
            conditions=conditions,
            encoding=encoding,
            complete=breadth is Breadth.FULL,
        )
        return encoding

    def _objective(self) -> Objective:
        """What is optimised from here on: only plans that are better than the best one count."""
        options, tnorm = self._problem.options, self._problem.tnorm
        if options.optimise is Optimise.MEMBERSHIP:
            objective = Objective((Criterion.LOSS, Criterion.COST), tnorm.composition)
        else:
            budget = tnorm.loss_budget(self._problem.alpha)
            objective = Objective((Criterion.COST, Criterion.LOSS), tnorm.composition, budget)
        return objective if self._flat_best is None else self._flat_best.tighten(objective)

    def _found(self, encoding: Encoding, plan: FlatPlan) -> None:
        """A judged plan that is better than all before."""
        decoded = encoding.decode(plan.operators)
        labels = label_steps(encoding.actions[operator] for operator in plan.operators)
        chunks = self._problem.compiler.domain.chunks
        graded = tuple(find_step_atoms(chunks, decoded.steps, labels))
        solution = Solution(
            plan.operators,
            decoded,
            labels,
            graded,
            self._membership(decoded, graded),
            plan.cost,
        )
        self._flat_best = plan
        self._solved = replace(self._solved, best=solution)
        self._watch.found(solution.membership, reaches(solution.membership, self._problem.alpha))

    def _membership(self, decoded: Decoded, graded: Iterable[StepAtoms]) -> float:
        """The composed degree of steps and goal; everything in it is judged."""
        assert decoded.alternative is not None, "a plan finishes an alternative"
        judge = self._judge
        atoms = [atom for of_step in graded for atom in of_step]
        goal = decoded.alternative.upper(judge.known)
        return self._problem.tnorm.compose_all([*(judge.degree(*a) for a in atoms), goal])

    def _conclude(self, result: LazyResult, breadth: Breadth) -> bool:
        """Note what a rung has shown; whether there is nothing left to show."""
        best, optimise = self._flat_best, self._problem.options.optimise
        perfect = optimise is Optimise.MEMBERSHIP and best is not None and best.loss <= EPSILON
        proven = perfect or (breadth is Breadth.FULL and result.proven)
        if optimise is Optimise.MEMBERSHIP and breadth is Breadth.FULL:
            loss = min(result.bound, math.inf if best is None else best.loss)
            self._solved = replace(self._solved, bound=self._problem.tnorm.degree_of(loss))
        found = self._solved.best is not None
        self._solved = replace(self._solved, optimal=proven, impossible=proven and not found)
        return proven or self._watch.satisfied
