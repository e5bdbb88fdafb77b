# SPDX-License-Identifier: Apache-2.0
"""From a ground goal to the best plan: the loop over tasks, and within it over judgements.

Two things are not known beforehand, and each is settled only as far as the answer needs it:

- The elements that matter. A `Breadth` chooses what is instantiated around the goal. A plan of a
  narrow task is a plan of every wider one; a narrow task cannot show that there is none, or none
  better. So the solver widens the task until a plan has no loss at all, or the widest task has been
  searched. A task that is not the widest one is also left if its search finds no plan for long: the
  step that is missing may be one that only a wider task has.
- The degrees. Unknown degrees count as 1, so the loss of the plan found is a lower bound for all
  plans, and the first best plan with nothing unknown left is the best of all: the optimum is that
  of judging everything first (the argument is that of lazy evaluation of edge costs: Dellin and
  Srinivasa, A Unifying Formalism for Shortest Path Problems with Expensive Edge Evaluations, ICAPS
  2016). Each round searches, then asks for the degrees that the plan and its rivals rest on.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.answer.solution import PlanningProblem, Solution, SolverResult
from fcp_ros.planning.chunks.library import StepAtoms, find_step_atoms
from fcp_ros.planning.chunks.macros import bind_macro_maker, label_steps
from fcp_ros.planning.encoding.encode import EncodeOptions, MacroMaker, make_no_macros
from fcp_ros.planning.encoding.encoding import Decoded, Encoding
from fcp_ros.planning.encoding.goal_task import GoalSetting, compile_goal
from fcp_ros.planning.flat.task import FlatTask, count_operators
from fcp_ros.planning.goal.formula import Formula, make_either
from fcp_ros.planning.handover import measure_step
from fcp_ros.planning.judging.alternatives import OUT, RoundResult, search_alternatives
from fcp_ros.planning.judging.prospects import Prospects
from fcp_ros.planning.judging.ranking import AlternativeRanking
from fcp_ros.planning.judging.task_search import SearchProgress, TaskSearch
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.request import Optimise, Phase
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.relevance.closure import MAX_OPERATORS, Breadth, TooManyOperators
from fcp_ros.planning.request_context import RequestContext
from fcp_ros.planning.search.bidirectional import BidirectionalSearch
from fcp_ros.planning.search.carrying import Carries, find_carries
from fcp_ros.planning.search.engines import SearchEngine, SearchFactory
from fcp_ros.planning.search.objective import Criterion, Objective
from fcp_ros.planning.search.outcome import FlatPlan, SearchOutcome, SearchReport, make_plan
from fcp_ros.planning.search.part_by_part import CollectablePart, reach_parts
from fcp_ros.planning.search.portfolio import SMALL
from fcp_ros.planning.task.conditions import Conditions

LOADING = 0.5
"""Seconds for loading the kernels in a new process, which nothing can interrupt: they are not
loaded if less time than this is left."""
MANY = 16
"""Alternatives of a goal that are instantiated at once; of more the most promising come first."""
PATIENCE = 20_000_000
"""Effort, times operators, that a search may spend without a plan in a task that is not the widest
one. Measured: 1 to 3 s."""
LEAST_PATIENCE, MOST_PATIENCE = 2_000, 20_000
"""Bounds of that effort; the searches of household tasks take less than 2,000."""
FULLER = 8
"""A task without a plan is widened to the full one at once, unless that has more operators than
this multiple. Measured on tetris: making the wide task took longer than the full one (more than
40 s, and 21 s), and it had no more operators."""
TOURS = 3
"""Tours by which parts of a goal are reached. Measured: 0.3 s each for 100 parts."""
WHOLE = 300
"""Operators of a crisp problem that is searched as a whole: compiling takes milliseconds."""


@dataclass(frozen=True)
class _SearchedTask:
    """A task whose search has ended; `proven` as for `Solver._conclude`."""

    formula: Formula
    work: TaskSearch
    proven: bool


class Solver:
    """Solves one problem.

    Args:
        problem: the problem.
        context: of the request: judge, limits, times.
        known: loss and cost of a known plan; only better ones are looked for.
    """

    def __init__(
        self, problem: PlanningProblem, context: RequestContext, known: FlatPlan | None = None
    ) -> None:
        self._problem = problem
        self._unit = problem.unit
        self._judge = context.judge
        self._watch = context.watch
        self._times = context.times
        options = problem.options
        self._searches = SearchFactory(
            replace(options.search, seed=options.seed),
            lambda: max(0, self._watch.memory_left),
            self._spend,
        )
        self._known = known
        self._progress = SearchProgress(
            context.judge,
            problem.tnorm,
            problem.alpha,
            float(self._unit.size) if options.optimise is Optimise.COST else 1.0,
            problem.premium,
            context.watch,
            partial(measure_step, context=context),
            known,
        )
        self._running: tuple[TaskSearch, SearchEngine] | None = None
        self._early: FlatPlan | None = None
        self._last: _SearchedTask | None = None
        self._result = SolverResult()

    def solve(self) -> SolverResult:
        """Widen until the answer is proven or a limit is reached; never raises `Interrupted`."""
        try:
            if self._problem.is_crisp and self._solve_small():
                return self._result
            for formula, breadth, most in self._list_stages():
                try:
                    if self._is_unbeatable() or self._solve_task(formula, breadth, most):
                        break
                except TooManyOperators:
                    if most == MAX_OPERATORS:
                        raise
        except Interrupted as reason:
            self._result = replace(self._result, interrupted=reason)
        return self._result

    # --- tasks: from narrow to wide

    def _list_stages(self) -> Iterator[tuple[Formula, Breadth, int]]:
        """Yield goals, breadths and the most operators of their tasks, narrow to wide.

        A plan is improved in the widest task at once. Without a plan, that one is also next if it
        is not much larger; then a wide one would only delay it.
        """
        formula = self._problem.goal.formula
        few = self._shortlist()
        if few is not None:
            yield few, Breadth.NARROW, MAX_OPERATORS
        yield formula, Breadth.NARROW, MAX_OPERATORS
        if self._result.best is None and self._last is not None:
            yield formula, Breadth.FULL, FULLER * len(self._last.work.encoding.actions)
            if self._result.complete:
                return
            yield formula, Breadth.WIDE, MAX_OPERATORS
        yield formula, Breadth.FULL, MAX_OPERATORS

    def _solve_small(self) -> bool:
        """Search the whole task if it is small; return True if that settles the answer.

        Only in the whole task a plan can be proven to be the shortest.
        """
        try:
            return self._solve_task(self._problem.goal.formula, Breadth.FULL, WHOLE)
        except TooManyOperators:
            return False

    def _solve_task(self, formula: Formula, breadth: Breadth, most: int) -> bool:
        """Search one task; return True if that settles the answer.

        Raises:
            TooManyOperators: it has more than `most`.
        """
        encoding = self._compile(formula, breadth, most)
        objective = self._choose_objective()
        finishes = [o for o, action in enumerate(encoding.actions) if action.finishes]
        ranking = AlternativeRanking(encoding.flat, finishes, objective.composition)
        work = TaskSearch(encoding, objective, ranking, is_complete=breadth is Breadth.FULL)
        last = self._last
        same = last is not None and last.formula is formula and work.size == last.work.size
        if last is not None and same and (last.proven or breadth is not Breadth.FULL):
            # Nothing was added, so a search would only repeat what the last one has shown.
            return self._conclude(last.work, last.proven, breadth)
        if last is not None and same and last.work.paused is not None:
            work = self._widen_search(last.work)
        elif breadth is not Breadth.FULL and self._result.best is None and self._known is None:
            most = PATIENCE // max(1, len(encoding.actions))
            work.patience = min(max(most, LEAST_PATIENCE), MOST_PATIENCE)
        if not self._problem.options.switches.lazy:
            self._ask(atom for atoms in encoding.graded for atom in atoms)
        with self._times(Phase.SEARCH):
            proven = self._run_rounds(work)
            shortest = work.best is None or work.exact
            if proven and not shortest and not self._watch.satisfied:
                self._shorten(work)
        self._last = _SearchedTask(formula, work, proven)
        return self._conclude(work, proven, breadth)

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

    def _compile(self, formula: Formula, breadth: Breadth, most: int) -> Encoding:
        problem, options, watch = self._problem, self._problem.options, self._watch
        macros: MacroMaker = make_no_macros
        if options.switches.chunks and problem.library.chunks:
            macros = bind_macro_maker(problem.library, check=watch.check)
        compiled = compile_goal(
            replace(problem.goal, formula=formula),
            GoalSetting(problem.compiler, problem.instance, problem.classes, problem.tnorm),
            breadth,
            most,
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
        return objective if self._known is None else self._known.tighten(objective)

    def _conclude(self, work: TaskSearch, proven: bool, breadth: Breadth) -> bool:
        """Note what a task has shown; return True if nothing is left to show.

        Args:
            work: its search.
            proven: True if its best plan is the best (without one, if there is none).
            breadth: of the task.
        """
        best, by_membership = self._known, self._problem.membership_first
        perfect = by_membership and best is not None and best.loss <= EPSILON
        costs = self._problem.options.optimise is Optimise.COST
        blurred = costs and best is not None and self._unit.blurs(best.cost)
        proven = perfect or (breadth is Breadth.FULL and proven and not blurred)
        if by_membership and breadth is Breadth.FULL:
            loss = min(work.bound, math.inf if best is None else best.loss)
            bound = self._problem.tnorm.degree_of(loss)
            self._result = replace(self._result, bound=bound)
            self._watch.membership_bound = bound
        found = self._result.best is not None
        self._result = replace(
            self._result,
            optimal=proven,
            shortest=proven and self._is_shortest(work, breadth),
            impossible=proven and not found,
        )
        return proven or self._watch.satisfied

    def _is_shortest(self, work: TaskSearch, breadth: Breadth) -> bool:
        """Return True if no plan of the same membership has fewer steps than the best one."""
        best = work.best
        if best is None or self._problem.options.optimise is not Optimise.MEMBERSHIP:
            return False
        if not self._problem.membership_first:
            return self._problem.premium.step > 0.0  # they are part of what is minimised
        return best.cost <= 0.0 or (work.exact and breadth is Breadth.FULL)

    # --- rounds: search, judge, search again

    def _run_rounds(self, work: TaskSearch) -> bool:
        """Search until the best plan is judged, or the search has nothing more to offer.

        Returns:
            True if the best plan is proven to be the best; without one, that there is none.

        Raises:
            Interrupted: a limit was reached; what was found before is in the result.
        """
        for number in itertools.count(1):  # each round judges something new, or is the last
            task = self._value_task(work)
            if self._problem.premium.size and number == 1:
                task = self._reach_parts(work, task)
                if work.best is not None and not work.is_complete:
                    return False  # a wider task is to show that there is no better one
            found = search_alternatives(
                task,
                work.ranking,
                work.objective,
                work.best,
                lambda *args: self._search(work, *args),
            )
            work.bound = max(work.bound, found.bound)
            self._note_left_out(work)
            missing = (
                [] if found.plan is None else work.list_unknown(found.plan.operators, self._judge)
            )
            learned, work.was_asked = work.was_asked, False
            if learned:
                task = self._value_task(work)
            if found.interrupted is not None:
                # A newer plan with unknown degrees must not take the place of one that was told.
                judged = work.told if missing else found.plan
                if judged is not None:
                    self._take(work, task, judged)
                raise found.interrupted
            if found.plan is None:
                return found.proven
            if missing:
                self._ask([*missing, *self._list_rivals(work, found.plan, number)])
                task, learned = self._value_task(work), True
            self._take(work, task, found.plan)
            best = work.best
            settled = best is not None and best.first(work.objective) <= work.bound + EPSILON
            if not learned or settled or self._watch.satisfied:
                return settled or (not learned and found.proven)
        raise AssertionError("unreachable")

    def _reach_parts(self, work: TaskSearch, task: FlatTask) -> FlatTask:
        """Take plans that reach one part of the goal after the other; return the valued task."""
        encoding, by_cost = work.encoding, not self._problem.membership_first
        parts = [CollectablePart(*part) for part in encoding.list_parts(task, by_cost)]
        if not parts or count_operators(task) <= SMALL:
            return task
        self._prepare_kernels(task)
        goal, check = len(encoding.variables.values), self._watch.check
        carries = self._find_carries(work, task, parts)
        if self._known is not None:
            return task
        draws = map(np.random.default_rng, range(TOURS if carries is not None else 0))
        tours = (carries.find_tour(draw, check) for draw in draws if carries is not None)
        prepared = self._searches.prepare(task)
        for operators in reach_parts(prepared, parts, goal, work.objective, check, tours):
            self._ask(work.list_unknown(operators, self._judge))
            task = self._value_task(work)
            whole = encoding.settle_goal(task, operators, by_cost)
            if whole is not None:
                self._ask(work.list_unknown(whole, self._judge))
                task = self._value_task(work)
                self._take(work, task, make_plan(task, whole, work.objective.composition))
        return task

    def _find_carries(
        self, work: TaskSearch, task: FlatTask, parts: Sequence[CollectablePart]
    ) -> Carries | None:
        """Find what limits the parts most, if things are carried; note how many are left out."""
        goal = len(work.encoding.variables.values)
        ways = [part.operators for part in parts]
        found = [find_carries(task, ways, goal, one) for one in range(len(task.amount))]
        limits = {one.count_most() - len(one.parts): one for one in found if one is not None}
        if not limits:
            return None
        fewest = min(limits)
        if work.is_complete:
            work.least_left_out = self._problem.goal.parts - (len(parts) + fewest)
            self._note_left_out(work)
        return limits[fewest]

    def _note_left_out(self, work: TaskSearch) -> None:
        """Note how many parts of the goal are left out at least, as far as that is shown."""
        if work.is_complete and not self._problem.membership_first:
            least = max(self._problem.premium.split(work.bound)[0], work.least_left_out)
            best = (
                math.inf
                if self._known is None
                else self._problem.premium.split(self._known.cost)[0]
            )
            least = int(min(least, best))
            self._result = replace(
                self._result, least_left_out=max(self._result.least_left_out, least)
            )

    def _search(
        self,
        work: TaskSearch,
        task: FlatTask,
        objective: Objective,
        known: FlatPlan | None,
    ) -> RoundResult:
        """Search a flat task within the limits of the request."""
        self._prepare_kernels(task)
        engine = work.take_paused(task, objective)
        try:
            engine = engine or self._searches.open(task, objective, known)
        except Interrupted as reason:  # while landmarks were looked for
            return RoundResult(known, 0.0, False, reason)
        self._running = work, engine
        try:
            report, impatient = self._run(engine, work.patience)
            interrupted = None if impatient else self._find_limit(report)
        except Interrupted as reason:
            report, impatient, interrupted = engine.report(), False, reason
        finally:
            self._running = None
        if impatient:
            work.paused = engine, task, objective
        work.effort = engine.effort
        work.exact = engine.is_exact and len(work.ranking.finishes) == 1
        if isinstance(engine, BidirectionalSearch):
            work.meeting = engine.meeting
        proven = report.outcome in (SearchOutcome.OPTIMAL, SearchOutcome.EXHAUSTED)
        return RoundResult(report.best, report.bound, proven, interrupted)

    def _prepare_kernels(self, task: FlatTask) -> None:
        """Check that there is time for loading the kernels, if a task needs them."""
        if count_operators(task) > SMALL and "numba" not in sys.modules:
            self._watch.check(LOADING)

    def _spend(self, expanded: int, stored: int) -> None:
        """Count what a search has spent since the last call, and note what it has found.

        Raises:
            Interrupted: a limit was reached, or the first acceptable plan is taken.
        """
        if self._running is not None:
            self._progress.observe(*self._running)
            self._judge_early(*self._running)
        self._watch.count_expansions(expanded, stored)

    def _judge_early(self, work: TaskSearch, engine: SearchEngine) -> None:
        """Judge and keep a plan that a running search has found for a goal with preferences.

        Such a plan is improved for long, and most of that time it would be lost with an
        interruption. Questions are asked at most once while the effort doubles.

        Raises:
            Interrupted: a limit was reached, or the first acceptable plan is taken.
        """
        best = engine.report().best
        if best is None or best is self._early or work.encoding.stages is None:
            return
        missing = work.list_unknown(best.operators, self._judge)
        if missing:
            if engine.effort < work.ask_from:
                return
            work.ask_from, work.was_asked = 2 * engine.effort, True
            self._ask(missing)
        self._early = best
        if work.was_asked:
            self._progress.reserve_time(work, best)
            self._take(work, self._value_task(work), best)
            if self._watch.satisfied:
                raise Interrupted(PlanStatus.TIMEOUT, "No better one was looked for.")

    def _run(self, engine: SearchEngine, patience: int) -> tuple[SearchReport, bool]:
        """Run a search; return its report, and True if it ends early because it found no plan."""
        if 0 < patience < self._watch.expansions_left:
            report = engine.run(patience)
            impatient = report.outcome is SearchOutcome.PAUSED and report.best is None
            if impatient or report.outcome is not SearchOutcome.PAUSED:
                return report, impatient
        return engine.run(self._watch.expansions_left), False

    def _find_limit(self, report: SearchReport) -> Interrupted | None:
        """Find the limit that a search ran into."""
        if report.outcome is SearchOutcome.PAUSED:
            return self._watch.out_of_expansions()
        if report.outcome is SearchOutcome.OUT_OF_MEMORY:
            return self._watch.out_of_memory()
        return None

    def _shorten(self, work: TaskSearch) -> None:
        """Look for a cheaper plan of the same loss: only now is it clear that it is worth it.

        Operators that would have to be judged first are left out.
        """
        assert work.best is not None
        task, known = self._value_task(work), self._judge.find_degree
        graded = enumerate(work.encoding.graded)
        unknown = [o for o, atoms in graded if any(known(atom) is None for atom in atoms)]
        if unknown:
            loss = task.loss.copy()
            loss[unknown] = OUT
            task = task._replace(loss=loss)
        try:
            plan, shortest = self._searches.shorten(task, work.objective, work.best, work.effort)
        except Interrupted as reason:
            if reason.status is PlanStatus.CANCELLED:
                raise
            return
        self._take(work, task, plan)
        work.exact = shortest and not unknown

    def _value_task(self, work: TaskSearch) -> FlatTask:
        """Give the flat task the losses known now, and rank its alternatives by them."""
        task = work.encoding.with_losses(self._judge.find_degree, self._problem.tnorm)
        work.ranking.learn(task)
        return task

    def _ask(self, atoms: Iterable[GradedAtom]) -> None:
        with self._times(Phase.JUDGE):
            self._judge.judge(atoms)

    def _list_rivals(self, work: TaskSearch, plan: FlatPlan, number: int) -> Iterator[GradedAtom]:
        """List the questions about the rivals of a plan in a round."""
        return work.ranking.list_questions(
            plan.operators,
            math.inf if work.best is None else work.best.loss,
            lambda operator: work.list_unknown([operator], self._judge),
            number,
            self._judge.asked,
        )

    # --- plans

    def _take(self, work: TaskSearch, task: FlatTask, plan: FlatPlan) -> None:
        """Keep a judged plan if it is better than the best one and within the budgets.

        Args:
            work: the search that found it.
            task: the task with the losses known now.
            plan: the plan, by any losses.
        """
        cost_first = work.objective.order[0] is Criterion.COST
        settled = work.encoding.settle_goal(task, plan.operators, cost_first) or plan.operators
        composition = work.objective.composition
        plans = [make_plan(task, operators, composition) for operators in (settled, plan.operators)]
        # What is preferred of the goal may have been given up to stay within the budget of losses.
        within = next((one for one in plans if one.is_within(work.objective)), None)
        if within is None or not (work.best is None or within.is_better(work.best, work.objective)):
            return
        plan = within
        work.best = self._known = plan
        decoded = work.encoding.decode(plan.operators)
        labels = label_steps(work.encoding.actions[operator] for operator in plan.operators)
        chunks = self._problem.compiler.domain.chunks
        graded = tuple(find_step_atoms(chunks, decoded.steps, labels))
        membership = self._compose_membership(decoded, graded)
        met = work.meeting is not None and work.meeting.operators == plan.operators
        meeting = work.meeting if met else None
        constrained = bool(self._problem.goal.constraints)  # then there are no macros
        windows = work.encoding.list_windows(plan.operators) if constrained else ()
        solution = Solution(
            plan.operators, decoded, labels, graded, membership, plan.cost, meeting, windows
        )
        self._result = replace(self._result, best=solution)
        self._progress.report_plan(membership, len(decoded.steps), plan.cost)

    def _compose_membership(self, decoded: Decoded, graded: Iterable[StepAtoms]) -> float:
        """Compose the degrees of steps and goal; all of them are judged."""
        judge = self._judge
        atoms = [atom for of_step in graded for atom in of_step]
        goal = (part.upper(judge.find_degree) for part in decoded.goal_parts)
        return self._problem.tnorm.compose_all([*(judge.degree(*a) for a in atoms), *goal])

    # --- bounds by regression alone, without any task

    def _can_regress(self) -> bool:
        """Return True if the loss that no plan avoids says anything."""
        problem = self._problem
        whole = any(chunk.graded for chunk in problem.library.chunks)
        return problem.membership_first and not problem.premium.size and not whole

    @cached_property
    def _prospects(self) -> Prospects:
        """The alternatives of the goal."""
        problem = self._problem
        domain, check = problem.compiler.domain, self._watch.check
        return Prospects.of(
            problem.goal.formula, domain, problem.instance, self._judge, problem.tnorm, check
        )

    def _shortlist(self) -> Formula | None:
        """Choose the most promising alternatives of a goal with very many; None for other goals."""
        lazy = self._problem.options.switches.lazy
        if not lazy or not self._can_regress() or len(self._prospects) <= MANY:
            return None
        with self._times(Phase.JUDGE):
            few = self._prospects.shortlist(MANY)
        return make_either(few) if few else None

    def _is_unbeatable(self) -> bool:
        """Return True if the best plan so far is shown to be the best without a wider task."""
        best = self._known
        if best is None or not self._can_regress():
            return False
        with self._times(Phase.JUDGE):
            shown = self._prospects.none_is_better(best.loss)
        if shown:
            found = self._result.best is not None
            bound = self._problem.tnorm.degree_of(best.loss)
            self._result = replace(self._result, optimal=True, impossible=not found, bound=bound)
        return shown
