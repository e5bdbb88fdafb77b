# SPDX-License-Identifier: Apache-2.0
"""The rounds of a search in one task: search, judge what its plan rests on, search again.

Unknown degrees count as 1, so the loss of the plan found is a lower bound for all plans, and the
first best plan with nothing unknown left is the best of all: the optimum is that of judging
everything first (the argument is that of lazy evaluation of edge costs: Dellin and Srinivasa, A
Unifying Formalism for Shortest Path Problems with Expensive Edge Evaluations, ICAPS 2016).
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fcp_ros.fuzzy import EPSILON, reaches
from fcp_ros.planning.answer.solution import PlanningProblem, Solution
from fcp_ros.planning.encoding.chunk_macros import label_steps
from fcp_ros.planning.encoding.encoding import Decoded, Encoding
from fcp_ros.planning.flat.task import FlatTask, count_operators
from fcp_ros.planning.judging.ranking import (
    OUT,
    AlternativeRanking,
    RoundResult,
    search_alternatives,
)
from fcp_ros.planning.model.chunks import StepAtoms, find_step_atoms
from fcp_ros.planning.model.memberships import GradedAtom, Judge
from fcp_ros.planning.model.request import BestPlan, Optimise, Phase
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.search.part_by_part import CollectablePart, reach_parts
from fcp_ros.planning.search.portfolio import SMALL, SearchEngine, SearchFactory
from fcp_ros.planning.search.settings import (
    Criterion,
    FlatPlan,
    Objective,
    SearchOutcome,
    SearchReport,
    make_plan,
)
from fcp_ros.planning.session import RequestContext

LOADING = 0.5
"""Seconds for loading the kernels in a new process, which nothing can interrupt: they are not
loaded if less time than this is left."""
CHEAPER_ROUNDS = 6
"""Rounds in which degrees are judged for a plan that costs less."""
LEAST_EFFORT = 100
"""Effort that is granted to the search for one, beside that for each step."""
KEEPING_EFFORT = 5_000
"""Effort of a search that goes on from the end of a plan."""


@dataclass
class TaskSearch:
    """The task at hand, and the state of its search."""

    encoding: Encoding
    objective: Objective
    ranking: AlternativeRanking
    best: FlatPlan | None = None
    bound: float = 0.0  # lower bound of the first criterion of all plans
    effort: int = 0
    exact: bool = False  # True if its plan is proven to be optimal in both criteria
    is_complete: bool = False  # True if the task contains everything that can matter
    patience: int = 0  # effort that the search may spend until there is a plan; 0 for any
    # a search that its patience ended, with what it was asked
    paused: tuple[SearchEngine, FlatTask, Objective] | None = None
    ask_from: int = 0  # effort of the search from which on a plan that it finds is judged at once
    # True once that has happened: the search goes on by losses that are too low
    was_asked: bool = False
    told: FlatPlan | None = None  # the plan told last while the search runs, with everything judged

    def take_paused(self, task: FlatTask, objective: Objective) -> SearchEngine | None:
        """Take the search that was paused, if it was asked the same."""
        paused, self.paused = self.paused, None
        if paused is None:
            return None
        engine, asked, by = paused
        losses_equal = bool(np.array_equal(asked.loss, task.loss))
        same = asked.pre_var is task.pre_var and losses_equal and by == objective
        return engine if same else None

    @property
    def size(self) -> tuple[int, ...]:
        """The size of the task: of two tasks, one within the other, they are equal if it is."""
        task, values = self.encoding.task, int(self.encoding.flat.domain.sum())
        return *task.size, len(self.encoding.actions), values

    def list_unknown(self, operators: Sequence[int], judge: Judge) -> list[GradedAtom]:
        """List the graded atoms of operators that are not judged yet."""
        graded = self.encoding.graded
        atoms = dict.fromkeys(atom for operator in operators for atom in graded[operator])
        return [atom for atom in atoms if judge.find_degree(atom) is None]


class SearchRounds:
    """Searches the tasks of one problem, and keeps the best plan that was found in any."""

    def __init__(
        self, problem: PlanningProblem, context: RequestContext, known: FlatPlan | None = None
    ) -> None:
        self._problem = problem
        self._judge = context.judge
        self._watch = context.watch
        self._times = context.times
        options = problem.options
        self._searches = SearchFactory(
            replace(options.search, seed=options.seed),
            lambda: max(0, self._watch.memory_left),
            self._spend,
        )
        self.known = known  # loss and cost of the best plan, or of the one that was known before
        # cost of one unit in which flat tasks count what they minimise
        self._cost_size = float(problem.unit.size) if options.optimise is Optimise.COST else 1.0
        self._seen = known  # the plan of a running search that was looked at last
        self._running: tuple[TaskSearch, SearchEngine] | None = None
        self._early: FlatPlan | None = None
        self.best: Solution | None = None
        self.encoding: Encoding | None = None
        self.least_left_out = 0  # parts of the goal that every plan leaves out, at least

    def run(self, work: TaskSearch) -> bool:
        """Search until the best plan is judged, or the search has nothing more to offer.

        Returns:
            True if the best plan is proven to be the best; without one, that there is none.
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
                self.ask([*missing, *self._list_rivals(work, found.plan, number)])
                task, learned = self._value_task(work), True
            self._take(work, task, found.plan)
            best = work.best
            settled = best is not None and best.first(work.objective) <= work.bound + EPSILON
            if not learned or settled or self._watch.satisfied:
                return settled or (not learned and found.proven)
        raise AssertionError("unreachable")

    def shorten(self, work: TaskSearch) -> None:
        """Look for a cheaper plan of the same loss: only now is it clear that it is worth it.

        Operators that would have to be judged first are left out.
        """
        assert work.best is not None
        task, unknown = self._leave_out_unknown(work, self._value_task(work))
        try:
            plan, shortest = self._searches.shorten(task, work.objective, work.best, work.effort)
        except Interrupted as reason:
            if reason.status is PlanStatus.CANCELLED:
                raise
            return
        self._take(work, task, plan)
        work.exact = shortest and not unknown

    def prefer_cheaper(
        self,
        work: TaskSearch,
        most_loss: float,
        price: float = 0.0,  # what the known plan costs in this task beside its steps
        least_effort: int = LEAST_EFFORT,
    ) -> bool:
        """Take the cheapest plan found within a loss; return True if it is proven the cheapest.

        Degrees that such a plan rests on are judged; after some rounds, what is still unknown is
        left out. The effort is bounded.
        """
        assert self.known is not None, "there is a plan"
        assert self.best is not None, "it was found here"
        self.known = replace(self.known, cost=len(self.best.decoded.steps) + price)
        composition, effort = work.objective.composition, max(work.effort, least_effort)
        for number in range(CHEAPER_ROUNDS + 1):
            task, unknown = self._value_task(work), False
            if number == CHEAPER_ROUNDS:
                task, unknown = self._leave_out_unknown(work, task)
            first = Objective(composition=composition)
            plan, cheapest = self._searches.shorten(task, first, self.known, effort, most_loss)
            if plan is self.known:
                return cheapest and not unknown
            missing = work.list_unknown(plan.operators, self._judge)
            if not missing:
                work.objective, work.best = _prefer_cost(work, most_loss), None
                self._take(work, task, plan)
                return cheapest and not unknown
            self.ask(missing)
        raise AssertionError("nothing unknown is left in the last round")

    def go_on_from_best(self, work: TaskSearch, most_loss: float) -> None:
        """Look for steps behind the best plan that keep one more of what is preferred at a time."""
        operators, objective = self._carry_over(work.encoding), _prefer_cost(work, most_loss)
        for _ in range(CHEAPER_ROUNDS):
            task = self._value_task(work)
            settled = operators and work.encoding.settle_goal(task, operators, cost_first=True)
            if not settled:
                return
            begun = make_plan(task, settled, objective.composition)
            plan = self._searches.keep_more(task, objective, begun, KEEPING_EFFORT)
            missing = work.list_unknown(plan.operators, self._judge)
            if not missing:
                work.objective, work.best = objective, begun
                self._take(work, task, plan)
                return
            self.ask(missing)

    def _carry_over(self, encoding: Encoding) -> tuple[int, ...] | None:
        """Find the steps of the best plan in another task for the same goal and more."""
        assert self.best is not None, "there is a plan"
        assert self.encoding is not None, "it was found in a task"
        actions, steps = self.encoding.actions, iter(self.best.decoded.steps)
        groups = (
            tuple(itertools.islice(steps, len(actions[one].steps))) for one in self.best.operators
        )
        return encoding.find_operators(filter(None, groups))

    def _leave_out_unknown(self, work: TaskSearch, task: FlatTask) -> tuple[FlatTask, bool]:
        known = self._judge.find_degree
        graded = enumerate(work.encoding.graded)
        unknown = [o for o, atoms in graded if any(known(atom) is None for atom in atoms)]
        if not unknown:
            return task, False
        loss = task.loss.copy()
        loss[unknown] = OUT
        return task._replace(loss=loss), True

    def ask(self, atoms: Iterable[GradedAtom]) -> None:
        with self._times(Phase.JUDGE):
            self._judge.judge(atoms)

    def _value_task(self, work: TaskSearch) -> FlatTask:
        task = work.encoding.with_losses(self._judge.find_degree, self._problem.tnorm)
        work.ranking.learn(task)
        return task

    def _list_rivals(self, work: TaskSearch, plan: FlatPlan, number: int) -> Iterator[GradedAtom]:
        return work.ranking.list_questions(
            plan.operators,
            math.inf if work.best is None else work.best.loss,
            lambda operator: work.list_unknown([operator], self._judge),
            number,
            self._judge.asked,
        )

    def _reach_parts(self, work: TaskSearch, task: FlatTask) -> FlatTask:
        """Take plans that reach one part of the goal after the other; return the valued task."""
        encoding, by_cost = work.encoding, not self._problem.membership_first
        parts = [CollectablePart(*part) for part in encoding.list_parts(task, by_cost)]
        if not parts or count_operators(task) <= SMALL or self.known is not None:
            return task
        self._prepare_kernels(task)
        goal, check = len(encoding.variables.values), self._watch.check
        prepared = self._searches.prepare(task)
        for operators in reach_parts(prepared, parts, goal, work.objective, check):
            self.ask(work.list_unknown(operators, self._judge))
            task = self._value_task(work)
            whole = encoding.settle_goal(task, operators, by_cost)
            if whole is not None:
                self.ask(work.list_unknown(whole, self._judge))
                task = self._value_task(work)
                self._take(work, task, make_plan(task, whole, work.objective.composition))
        return task

    def _note_left_out(self, work: TaskSearch) -> None:
        if work.is_complete and not self._problem.membership_first:
            least = self._problem.premium.split(work.bound)[0]
            if self.known is not None:
                least = min(least, self._problem.premium.split(self.known.cost)[0])
            self.least_left_out = max(self.least_left_out, int(least))

    def _search(
        self, work: TaskSearch, task: FlatTask, objective: Objective, known: FlatPlan | None
    ) -> RoundResult:
        self._prepare_kernels(task)
        engine = work.take_paused(task, objective)
        try:
            engine = engine or self._searches.open(task, objective, known)
        except Interrupted as reason:  # while landmarks were looked for
            return RoundResult(known, 0.0, False, reason)
        self._running = work, engine
        try:
            report, impatient = self._go(engine, work.patience)
            interrupted = None if impatient else self._find_limit(report)
        except Interrupted as reason:
            report, impatient, interrupted = engine.report(), False, reason
        finally:
            self._running = None
        if impatient:
            work.paused = engine, task, objective
        work.effort = engine.effort
        work.exact = engine.is_exact and len(work.ranking.finishes) == 1
        proven = report.outcome in (SearchOutcome.OPTIMAL, SearchOutcome.EXHAUSTED)
        return RoundResult(report.best, report.bound, proven, interrupted)

    def _prepare_kernels(self, task: FlatTask) -> None:
        """Check that there is time for loading the kernels, if a task needs them."""
        if count_operators(task) > SMALL and "numba" not in sys.modules:
            self._watch.check(LOADING)

    def _spend(self, expanded: int, stored: int) -> None:
        """Count what a search has spent since the last call, and note what it has found."""
        if self._running is not None:
            self._observe(*self._running)
            self._judge_early(*self._running)
        self._watch.count_expansions(expanded, stored)

    def _observe(self, work: TaskSearch, engine: SearchEngine) -> None:
        """Tell of the bound and of the best plan of a running search."""
        report = engine.report()
        best, order = report.best, work.objective.order
        found = [plan.first(work.objective) for plan in (best, work.best) if plan is not None]
        bound = min(report.bound, *found, math.inf)
        if work.is_complete and order[0] is Criterion.LOSS:
            self._watch.membership_bound = self._problem.tnorm.degree_of(bound)
        elif work.is_complete:
            left_out, cost = self._problem.premium.split(bound)
            self._watch.left_out_bound = left_out
            same = not found or left_out >= self._problem.premium.split(min(found))[0]
            self._watch.cost_bound = cost * self._cost_size if same else 0.0
        if best is None or best is self._seen:
            return
        self._seen = best
        if work.was_asked or work.list_unknown(best.operators, self._judge):
            return
        work.told = best
        steps = sum(len(work.encoding.actions[one].steps) for one in best.operators)
        self._report_plan(self._problem.tnorm.degree_of(best.loss), steps, best.cost)
        if self._watch.satisfied and best.first(work.objective) > report.bound + EPSILON:
            raise Interrupted(PlanStatus.TIMEOUT, "No better one was looked for.")

    def _report_plan(self, membership: float, steps: int, cost: float) -> None:
        """Tell of a plan that was found."""
        left_out, rest = self._problem.premium.split(cost)
        best = BestPlan(membership, steps, rest * self._cost_size, left_out)
        self._watch.report_plan(best, reaches(membership, self._problem.alpha))

    def _judge_early(self, work: TaskSearch, engine: SearchEngine) -> None:
        """Judge and keep a plan that a running search has found for a goal with preferences.

        Such a plan is improved for long, and most of that time it would be lost with an
        interruption. Questions are asked at most once while the effort doubles.
        """
        best = engine.report().best
        if best is None or best is self._early or work.encoding.stages is None:
            return
        missing = work.list_unknown(best.operators, self._judge)
        if missing:
            if engine.effort < work.ask_from:
                return
            work.ask_from, work.was_asked = 2 * engine.effort, True
            self.ask(missing)
        self._early = best
        if work.was_asked:
            self._take(work, self._value_task(work), best)
            if self._watch.satisfied:
                raise Interrupted(PlanStatus.TIMEOUT, "No better one was looked for.")

    def _go(self, engine: SearchEngine, patience: int) -> tuple[SearchReport, bool]:
        """Run a search; return its report, and True if it ends early because it found no plan."""
        if 0 < patience < self._watch.expansions_left:
            report = engine.run(patience)
            impatient = report.outcome is SearchOutcome.PAUSED and report.best is None
            if impatient or report.outcome is not SearchOutcome.PAUSED:
                return report, impatient
        return engine.run(self._watch.expansions_left), False

    def _find_limit(self, report: SearchReport) -> Interrupted | None:
        if report.outcome is SearchOutcome.PAUSED:
            return self._watch.out_of_expansions()
        if report.outcome is SearchOutcome.OUT_OF_MEMORY:
            return self._watch.out_of_memory()
        return None

    def _take(self, work: TaskSearch, task: FlatTask, plan: FlatPlan) -> None:
        """Keep a judged plan if it is better than the best one and within the budgets."""
        cost_first = work.objective.order[0] is Criterion.COST
        settled = work.encoding.settle_goal(task, plan.operators, cost_first)
        if settled is None or work.list_unknown(settled, self._judge):
            settled = plan.operators  # a way that rests on open questions is not judged
        composition = work.objective.composition
        plans = [make_plan(task, operators, composition) for operators in (settled, plan.operators)]
        # What is preferred of the goal may have been given up to stay within the budget of losses.
        within = next((one for one in plans if one.is_within(work.objective)), None)
        if within is None or not (work.best is None or within.is_better(work.best, work.objective)):
            return
        plan = within
        work.best = self.known = plan
        self.encoding = work.encoding
        decoded = work.encoding.decode(plan.operators)
        labels = label_steps(work.encoding.actions[operator] for operator in plan.operators)
        chunks = self._problem.compiler.domain.chunks
        graded = tuple(find_step_atoms(chunks, decoded.steps, labels))
        membership = self._compose_membership(decoded, graded)
        constrained = bool(self._problem.goal.constraints)  # then there are no macros
        windows = work.encoding.list_windows(plan.operators) if constrained else ()
        self.best = Solution(
            plan.operators, decoded, labels, graded, membership, plan.cost, windows
        )
        self._report_plan(membership, len(decoded.steps), plan.cost)

    def _compose_membership(self, decoded: Decoded, graded: Iterable[StepAtoms]) -> float:
        judge = self._judge
        atoms = [atom for of_step in graded for atom in of_step]
        goal = (part.upper(judge.find_degree) for part in decoded.goal_parts)
        return self._problem.tnorm.compose_all([*(judge.degree(*a) for a in atoms), *goal])


def _prefer_cost(work: TaskSearch, most_loss: float) -> Objective:
    return Objective((Criterion.COST, Criterion.LOSS), work.objective.composition, most_loss)
