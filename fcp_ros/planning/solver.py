# SPDX-License-Identifier: Apache-2.0
"""From a ground goal to the best plan: the loop over tasks, narrow to wide.

The elements that matter are not known beforehand. A `Breadth` chooses what is instantiated around
the goal. A plan of a narrow task is a plan of every wider one; a narrow task cannot show that there
is none, or none better. So the solver goes on to the full task unless a plan has no loss at all. A
narrow task is also left if its search finds no plan for long: the step that is missing may be one
that only the full task has. How degrees that are unknown are settled within a task, `rounds.py`
says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fcp_ros.cset import Fact
from fcp_ros.fuzzy import EPSILON
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.planning.answer.solution import Disturbance, PlanningProblem, SolverResult
from fcp_ros.planning.encoding.chunk_macros import bind_macro_maker
from fcp_ros.planning.encoding.encode import (
    EncodeOptions,
    GoalSetting,
    MacroMaker,
    compile_goal,
    compile_task,
    make_no_macros,
)
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.goal.formula import Formula, collect_graded_atoms, make_either
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.handover import replay_steps
from fcp_ros.planning.judging.prospects import Prospects
from fcp_ros.planning.judging.ranking import AlternativeRanking
from fcp_ros.planning.model.memberships import find_failure_status
from fcp_ros.planning.model.request import Optimise, Phase
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.relevance.closure import MAX_OPERATORS, Breadth, TooManyOperators
from fcp_ros.planning.restoring import find_disturbances, is_reversible, make_preference
from fcp_ros.planning.rounds import LEAST_EFFORT, SearchRounds, TaskSearch
from fcp_ros.planning.search.settings import Criterion, FlatPlan, Objective
from fcp_ros.planning.session import RequestContext
from fcp_ros.planning.task.task import Conditions, Task

MANY = 16
"""Alternatives of a goal that are instantiated at once; of more the most promising come first."""
PATIENCE = 20_000_000
"""Effort, times operators, that a search may spend without a plan in a narrow task. Measured: 1 to
3 s."""
LEAST_PATIENCE, MOST_PATIENCE = 2_000, 20_000
"""Bounds of that effort; the searches of household tasks take less than 2,000."""
TIDYING = 5.0
"""Seconds, at most, in which a plan is made one of fewer steps that leaves less changed."""
MOST_EFFORT = 5_000
"""Effort of a search that puts things right, once one of little effort has found nothing."""
MOST_AGAIN = 4
"""Searches, at most, each from a plan that leaves less changed than the one before."""
MOST_RESTORED = 32
"""Changes that are put right again, about."""
FEW = 64
"""Operators of a narrow task beyond which the whole one is not small; trying took 10 ms."""
WHOLE = 300
"""Operators of a crisp problem that is searched as a whole: compiling takes milliseconds."""


@dataclass(frozen=True)
class _SearchedTask:
    """A task whose search has ended; `proven` as for `Solver._conclude`."""

    formula: Formula
    task: Task  # as it was before its encoding
    work: TaskSearch
    proven: bool


class Solver:
    """Solves one problem.

    Args:
        known: loss and cost of a known plan; only better ones are looked for.
    """

    def __init__(
        self, problem: PlanningProblem, context: RequestContext, known: FlatPlan | None = None
    ) -> None:
        self._problem = problem
        self._unit = problem.unit
        self._judge = context.judge
        self._context = context
        self._watch = context.watch
        self._times = context.times
        self._rounds = SearchRounds(problem, context, known)
        self._last: _SearchedTask | None = None
        self._result = SolverResult()

    def solve(self) -> SolverResult:
        """Widen until the answer is proven or a limit is reached; never raises `Interrupted`.

        Raises:
            GroundingError: a degree can't be judged, and there is no plan that does without it.
        """
        try:
            try:
                if not (self._problem.is_crisp and self._solve_small()):
                    self._widen()
            except Interrupted as reason:
                # The best plan so far may still leave less changed, if there is time for that.
                self._result = replace(self._result, interrupted=reason)
            interrupted = self._result.interrupted
            if interrupted is None or interrupted.status is not PlanStatus.CANCELLED:
                self._prefer_steps()
        except Interrupted as reason:
            self._result = replace(self._result, interrupted=reason)
        except GroundingError as error:
            if self._rounds.best is None:
                raise
            # Its degrees are known: those that can't be judged now would only have improved it.
            missing = Interrupted(find_failure_status(error), error.statement)
            self._result = replace(self._result, interrupted=missing)
        rounds = self._rounds
        return replace(self._result, best=rounds.best, least_left_out=rounds.least_left_out)

    # --- tasks: from narrow to wide

    def _widen(self) -> None:
        for formula, breadth in self._list_stages():
            if self._is_unbeatable() or self._solve_task(formula, breadth):
                return

    def _list_stages(self) -> Iterator[tuple[Formula, Breadth]]:
        formula = self._problem.goal.formula
        few = self._shortlist()
        if few is not None:
            yield few, Breadth.NARROW
        yield formula, Breadth.NARROW
        yield formula, Breadth.FULL

    def _solve_small(self) -> bool:
        """Search the whole task if it is small; return True if that settles the answer.

        Only in the whole task a plan can be proven to be the shortest.
        """
        try:
            return self._solve_task(self._problem.goal.formula, Breadth.FULL, WHOLE)
        except TooManyOperators:
            return False

    def _solve_task(self, formula: Formula, breadth: Breadth, most: int = MAX_OPERATORS) -> bool:
        """Search one task; True if that settles it. TooManyOperators if it has more than `most`."""
        goal, last = replace(self._problem.goal, formula=formula), self._last
        task = self._compile_task(goal, breadth, most)
        if last is not None and breadth is Breadth.FULL and self._shows_all(last, formula, task):
            self._result = replace(self._result, complete=True)
            return self._conclude(last.work, last.proven, breadth)
        encoding = self._compile_goal(goal, task, breadth)
        work = self._open_search(encoding, self._choose_objective(), breadth)
        same = last is not None and last.formula is formula and work.size == last.work.size
        if last is not None and same and (last.proven or breadth is not Breadth.FULL):
            # Nothing was added, so a search would only repeat what the last one has shown.
            return self._conclude(last.work, last.proven, breadth)
        if last is not None and same and last.work.paused is not None:
            work = self._widen_search(last.work)
        elif (
            breadth is not Breadth.FULL and self._rounds.best is None and self._rounds.known is None
        ):
            most = PATIENCE // max(1, len(encoding.actions))
            work.patience = min(max(most, LEAST_PATIENCE), MOST_PATIENCE)
        if not self._problem.options.switches.lazy:
            self._rounds.ask(atom for atoms in encoding.graded for atom in atoms)
        with self._times(Phase.SEARCH):
            try:
                proven = self._rounds.run(work)
            except Interrupted:
                self._last = _SearchedTask(formula, task, work, proven=False)
                raise
            shortest = work.best is None or work.exact
            equal = self._problem.indifference > 0.0  # then steps are compared in the end
            if proven and not (shortest or equal or self._watch.satisfied):
                self._rounds.shorten(work)
        self._last = _SearchedTask(formula, task, work, proven)
        return self._conclude(work, proven, breadth)

    def _shows_all(self, last: _SearchedTask, formula: Formula, task: Task) -> bool:
        """Return True if the last task was the full one, too, and its plan is the best.

        Then it isn't encoded again: of 20,000 preferences that took a tenth of all time (issue 28).
        Degrees that were judged meanwhile, reasons for no plan and explanations need the full one.
        """
        problem = self._problem
        is_told = last.proven and problem.is_crisp and not problem.options.explain
        is_same = last.formula is formula and task.size == last.task.size
        return is_told and is_same and self._rounds.best is not None

    @staticmethod
    def _open_search(encoding: Encoding, objective: Objective, breadth: Breadth) -> TaskSearch:
        finishes = [o for o, action in enumerate(encoding.actions) if action.finishes]
        ranking = AlternativeRanking(encoding.flat, finishes, objective.composition)
        return TaskSearch(encoding, objective, ranking, is_complete=breadth is Breadth.FULL)

    def _widen_search(self, work: TaskSearch) -> TaskSearch:
        """Go on with a search that ended early, since the full task is no larger than its task."""
        self._result = replace(
            self._result,
            task=work.encoding.task,
            conditions=Conditions(work.encoding.task),
            encoding=work.encoding,
        )
        work.is_complete, work.patience = True, 0
        return work

    def _compile(self, goal: GroundGoal, breadth: Breadth, most: int) -> Encoding:
        return self._compile_goal(goal, self._compile_task(goal, breadth, most), breadth)

    def _compile_task(self, goal: GroundGoal, breadth: Breadth, most: int) -> Task:
        return compile_task(goal, self._setting, breadth, most, self._watch, self._times)

    @property
    def _setting(self) -> GoalSetting:
        problem = self._problem
        return GoalSetting(problem.compiler, problem.instance, problem.classes, problem.tnorm)

    def _compile_goal(self, goal: GroundGoal, task: Task, breadth: Breadth) -> Encoding:
        problem, options, watch = self._problem, self._problem.options, self._watch
        macros: MacroMaker = make_no_macros
        chunks = tuple(problem.compiler.domain.chunks.values())
        if options.switches.chunks and chunks:
            macros = bind_macro_maker(chunks, check=watch.check)
        compiled = compile_goal(
            goal,
            self._setting,
            task,
            EncodeOptions(
                options.optimise,
                options.deadline,
                problem.amounts,
                options.switches,
                macros,
                self._unit,
                options.budgets,
                problem.premium,
            ),
            self._judge.find_degree,
            watch,
            self._times,
        )
        self._result = replace(
            self._result,
            task=compiled.task,
            conditions=compiled.conditions,
            encoding=compiled.encoding,
            complete=breadth is Breadth.FULL,
        )
        return compiled.encoding

    def _choose_objective(self) -> Objective:
        """Choose what is optimised from here on: only plans better than the known one count."""
        tnorm = self._problem.tnorm
        order = (Criterion.COST, Criterion.LOSS)
        budget = tnorm.loss_budget(self._problem.alpha)
        if self._problem.membership_first:
            order, budget = (Criterion.LOSS, Criterion.COST), math.inf
        limit = self._problem.premium.budget
        objective = Objective(order, tnorm.composition, budget, limit)
        return objective if self._rounds.known is None else self._rounds.known.tighten(objective)

    def _conclude(self, work: TaskSearch, proven: bool, breadth: Breadth) -> bool:
        """Note what a task has shown; return True if nothing is left to show.

        Args:
            proven: True if its best plan is the best (without one, if there is none).
        """
        best, by_membership = self._rounds.known, self._problem.membership_first
        perfect = by_membership and best is not None and best.loss <= EPSILON
        costs = self._problem.options.optimise is Optimise.COST
        blurred = costs and best is not None and self._unit.blurs(best.cost)
        proven = perfect or (breadth is Breadth.FULL and proven and not blurred)
        if by_membership and breadth is Breadth.FULL:
            loss = min(work.bound, math.inf if best is None else best.loss)
            bound = self._problem.tnorm.degree_of(loss)
            self._result = replace(self._result, bound=bound)
            self._watch.membership_bound = bound
        found = self._rounds.best is not None
        self._result = replace(
            self._result,
            optimal=proven,
            shortest=proven and self._is_shortest(work, breadth),
            impossible=proven and not found,
        )
        return proven or self._watch.satisfied

    def _is_shortest(self, work: TaskSearch, breadth: Breadth) -> bool:
        best = work.best
        if best is None or self._problem.options.optimise is not Optimise.MEMBERSHIP:
            return False
        if not self._problem.membership_first:
            return self._problem.premium.step > 0.0  # they are part of what is minimised
        return best.cost <= 0.0 or (work.exact and breadth is Breadth.FULL)

    # --- steps and disturbance, between memberships that are equal

    def _prefer_steps(self) -> None:
        """Take a plan of fewer steps, which leaves less changed, if its membership is as good.

        Where the best membership is not proven, the one that was found stands for it.
        """
        best, last, problem = self._rounds.best, self._last, self._problem
        restores = problem.restores
        if best is None or last is None or not (problem.indifference or restores):
            return
        if not best.decoded.steps:
            self._result = replace(self._result, shortest=self._result.optimal)
            return
        least = self._allow_less(best.membership)
        try:
            with self._watch.look_aside(min(TIDYING, self._watch.time_free)):
                work = last.work
                if len(best.decoded.steps) == 1 and not collect_graded_atoms(problem.goal.formula):
                    # No plan is shorter: a crisp goal holds at the beginning, or it needs a step.
                    self._result = replace(self._result, shortest=self._result.optimal)
                elif problem.indifference:
                    work = self._widen_small(last)
                    with self._times(Phase.SEARCH):
                        budget = problem.tnorm.loss_budget(least)
                        cheapest = self._rounds.prefer_cheaper(work, budget)
                    proven = cheapest and work.is_complete and self._result.optimal
                    self._result = replace(self._result, shortest=proven)
                if restores:
                    self._restore(work, least)
        except Interrupted as reason:
            if reason.status is PlanStatus.CANCELLED:
                raise
        self._note_forgone(best.membership, least)

    def _allow_less(self, membership: float) -> float:
        """Return the least membership that is as good, within the indifference."""
        allowed = max(self._problem.alpha, membership - self._problem.indifference)
        return min(membership, allowed)

    def _note_forgone(self, best: float, least: float) -> None:
        now = self._rounds.best
        if now is not None and now.membership < least - EPSILON:
            forgone = best - now.membership
            self._result = replace(self._result, optimal=False, shortest=False, forgone=forgone)

    def _restore(self, work: TaskSearch, least: float) -> None:
        wanted: dict[Fact, Disturbance] = {}
        while True:
            left = self._find_disturbances()
            self._result = replace(
                self._result,
                disturbed=left,
                restored=tuple(one for one in wanted.values() if one not in left),
            )
            fresh = {
                one.fact: one
                for one in left
                if one.fact not in wanted and is_reversible(one, self._context.domain)
            }
            if not fresh or len(wanted) > MOST_RESTORED:
                return
            wanted |= fresh
            more = tuple(map(make_preference, wanted.values()))
            goal = replace(self._problem.goal, preferences=(*self._problem.goal.preferences, *more))
            breadth = Breadth.FULL if work.is_complete else Breadth.NARROW
            encoding = self._compile(goal, breadth, MAX_OPERATORS)
            work = self._open_search(encoding, work.objective, breadth)
            cheapest = self._put_right(work, least, left)
            single = len(encoding.alternatives) == 1
            shortest = self._result.shortest and cheapest and work.is_complete and single
            self._result = replace(self._result, shortest=shortest)

    def _put_right(self, work: TaskSearch, least: float, left: tuple[Disturbance, ...]) -> bool:
        """Search for a plan that leaves less changed, again from each one that does.

        A search ends soon after its first better plan, which often puts right one thing of two.
        Putting right may cost the indifference once more, but fewer steps alone may not: what it
        takes loses as much as it is judged to, besides what the plan loses.
        """
        rounds, tnorm = self._rounds, self._problem.tnorm
        widest = tnorm.loss_budget(self._allow_less(least))
        budget, effort = widest, LEAST_EFFORT
        for _ in range(MOST_AGAIN):
            known = rounds.best, rounds.known, rounds.encoding
            assert known[0] is not None, "there is a plan"
            with self._times(Phase.SEARCH):
                cheapest = rounds.prefer_cheaper(work, budget, _price(left), effort)
            best, found = rounds.best, rounds.best is not known[0]
            now = self._find_disturbances() if found else left
            is_less = best is not None and best.membership < least - EPSILON
            if found and is_less and _price(now) >= _price(left):
                rounds.best, rounds.known, rounds.encoding = known
                budget = tnorm.loss_budget(least)
                continue
            left = now
            if not left:
                return cheapest
            if found and not cheapest:
                continue
            before = rounds.best
            with self._times(Phase.SEARCH):
                rounds.go_on_from_best(work, widest)
            if rounds.best is not before:
                left = self._find_disturbances()
            elif cheapest or effort == MOST_EFFORT:
                return cheapest
            effort = MOST_EFFORT
        return False

    def _find_disturbances(self) -> tuple[Disturbance, ...]:
        best, encoding = self._rounds.best, self._rounds.encoding
        assert best is not None, "there is a plan"
        assert encoding is not None, "it was found in a task"
        context = self._context
        return find_disturbances(
            best,
            encoding,
            context.domain,
            context.instance,
            lambda steps: replay_steps(steps, context).states[-1],
        )

    def _widen_small(self, last: _SearchedTask) -> TaskSearch:
        """Return the whole task if it is small and the goal leaves a choice; else the last one.

        Where the goal says which thing goes where, other ways to do it are rarely shorter, and the
        whole task may take several times as long to make as the plan took: no proof is worth that.
        """
        work = last.work
        choice = len(work.encoding.alternatives) > 1 or bool(
            collect_graded_atoms(self._problem.goal.formula)
        )
        if work.is_complete or not choice or len(work.encoding.actions) > FEW:
            return work
        try:
            encoding = self._compile(self._problem.goal, Breadth.FULL, WHOLE)
        except TooManyOperators:
            return last.work
        return self._open_search(encoding, self._choose_objective(), Breadth.FULL)

    # --- bounds by regression alone, without any task

    def _can_regress(self) -> bool:
        """Return True if the loss that no plan avoids says anything."""
        problem = self._problem
        whole = any(chunk.graded for chunk in problem.compiler.domain.chunks.values())
        return problem.membership_first and not problem.premium.size and not whole

    @cached_property
    def _prospects(self) -> Prospects:
        problem = self._problem
        domain, check = problem.compiler.domain, self._watch.check
        return Prospects.of(
            problem.goal.formula, domain, problem.instance, self._judge, problem.tnorm, check
        )

    def _shortlist(self) -> Formula | None:
        lazy = self._problem.options.switches.lazy
        if not lazy or not self._can_regress() or len(self._prospects) <= MANY:
            return None
        with self._times(Phase.JUDGE):
            few = self._prospects.shortlist(MANY)
        return make_either(few) if few else None

    def _is_unbeatable(self) -> bool:
        best = self._rounds.known
        if best is None or not self._can_regress():
            return False
        with self._times(Phase.JUDGE):
            shown = self._prospects.none_is_better(best.loss)
        if shown:
            found = self._rounds.best is not None
            bound = self._problem.tnorm.degree_of(best.loss)
            self._result = replace(self._result, optimal=True, impossible=not found, bound=bound)
        return shown


def _price(left: Iterable[Disturbance]) -> int:
    """Price what is left changed, in steps."""
    return sum(one.steps for one in left)
