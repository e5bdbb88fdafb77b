# SPDX-License-Identifier: Apache-2.0
"""The planner: domain, state and goal in, verified plan or a precise reason why not out."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.check import check_goal
from fcp_ros.domain.expression import Expression, ExpressionError, to_text
from fcp_ros.domain.infer_types import infer_types
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import TNorm, reaches, tnorm_by_name
from fcp_ros.grounding.errors import GroundingCode, GroundingError
from fcp_ros.planning.assembly import assemble
from fcp_ros.planning.candidates import candidates_of
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.formula import Formula, graded_atoms
from fcp_ros.planning.compile.forward_compile import compile_task
from fcp_ros.planning.compile.goal_alternatives import Alternative, goal_alternatives
from fcp_ros.planning.compile.goal_grounding import ground_goal
from fcp_ros.planning.compile.ground_step import graded_atoms_of
from fcp_ros.planning.compile.relevance import relevant
from fcp_ros.planning.compile.task import Task
from fcp_ros.planning.explain import (
    below_alpha,
    so_far,
    solved,
    why_impossible,
    why_unreachable,
)
from fcp_ros.planning.forward.contest import Contest, ContestResult, out_of_memory
from fcp_ros.planning.forward.reachability import reach
from fcp_ros.planning.model.memberships import Judge, MembershipSource
from fcp_ros.planning.model.request import (
    CancelCallback,
    Phase,
    PlanningOptions,
    ProgressCallback,
    ignore,
    never,
)
from fcp_ros.planning.model.result import PlanningResult
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.verification.verify import verify

_LOG = logging.getLogger(__name__)

_OUR_FAULT = frozenset(
    {
        GroundingCode.INVALID_DEGREE,
        GroundingCode.MODEL_FAILED,
        GroundingCode.NO_ANSWER,
        GroundingCode.STORE_FAILED,
    }
)
"""Grounding errors that no other request would avoid."""


def plan(
    domain: Domain,
    instance: Instance,
    goal: Expression,
    options: PlanningOptions,
    memberships: MembershipSource,
    *,
    resources: Mapping[str, float] | None = None,
    cancelled: CancelCallback = never,
    progress: ProgressCallback = ignore,
) -> PlanningResult:
    """Find the plan with the best membership, verify it, and hand it out if it reaches alpha.

    Arguments:
        domain: what can be done.
        instance: the state to start in.
        goal: what is wanted, checked by `check_goal` or not.
        options: alpha, limits, t-norm, seed.
        memberships: judges graded predicates.
        resources: what there is of each resource now; the domain's initial values by default.
        cancelled: asked every few milliseconds whether to give up.
        progress: told about phases, expansions and the best membership so far.

    Returns:
        the result; every failure is a status with a sentence, nothing is raised.
    """
    request = _Request(domain, instance, goal, options, memberships, resources, cancelled, progress)
    return request.answer()


@dataclass(frozen=True)
class _Problem:
    """What the stages before the search hand to it."""

    task: Task
    conditions: Conditions
    alternatives: Sequence[Alternative]
    degrees: Sequence[float]


class _Request:
    """One planning request on its way through the stages."""

    def __init__(
        self,
        domain: Domain,
        instance: Instance,
        goal: Expression,
        options: PlanningOptions,
        memberships: MembershipSource,
        resources: Mapping[str, float] | None,
        cancelled: CancelCallback,
        progress: ProgressCallback,
    ) -> None:
        self._domain = domain
        self._instance = instance
        self._goal = goal
        self._options = options
        self._source = memberships
        self._given = dict(resources or {})
        self._watch = Watch(options, cancelled, progress)
        self._judge = Judge(domain, instance, memberships, self._watch.check)
        self._timings: dict[str, float] = {}

    def answer(self) -> PlanningResult:
        """Run the stages; turn whatever goes wrong into a status and a sentence."""
        try:
            result = self._run()
        except Interrupted as reason:
            result = self._result(reason.status, reason.sentence)
        except ExpressionError as error:
            result = self._result(PlanStatus.INVALID_REQUEST, str(error))
        except GroundingError as error:
            ours = error.code in _OUR_FAULT
            status = PlanStatus.INTERNAL_ERROR if ours else PlanStatus.INVALID_REQUEST
            result = self._result(status, error.sentence)
        except MemoryError:
            exhausted = out_of_memory()
            result = self._result(exhausted.status, exhausted.sentence)
        except Exception as error:
            _LOG.exception("planning failed")
            message = f"The planner failed ({type(error).__name__}: {error}): please report this."
            result = self._result(PlanStatus.INTERNAL_ERROR, message)
        return replace(
            result,
            timings={**self._timings, "total": self._watch.elapsed},
            expansions=self._watch.expansions,
            goal=to_text(self._goal),
            alpha=self._options.alpha,
        )

    def _run(self) -> PlanningResult:
        invalid = self._invalid()
        if invalid:
            return self._result(PlanStatus.INVALID_REQUEST, " ".join(invalid))
        tnorm = tnorm_by_name(self._options.tnorm)
        with self._stage(Phase.COMPILE):
            self._goal = check_goal(self._goal, self._domain, self._instance)
            task = compile_task(self._domain, self._instance, self._watch)
        with self._stage(Phase.GOAL):
            types = infer_types(self._goal, self._domain)
            formula = ground_goal(self._goal, types, self._domain, self._instance, self._watch)
        with self._stage(Phase.JUDGE):
            problem = self._judged(task, formula, tnorm)
        if not problem.alternatives:
            return self._result(
                PlanStatus.UNSOLVABLE_PROVEN, why_impossible(self._goal, types, task)
            )
        with self._stage(Phase.SEARCH):
            outcome = self._search(problem, tnorm)
        with self._stage(Phase.VERIFY):
            return self._concluded(outcome, problem, tnorm)

    @contextmanager
    def _stage(self, phase: Phase) -> Iterator[None]:
        self._watch.enter(phase)
        started = time.perf_counter()
        try:
            yield
        finally:
            self._timings[phase.value] = time.perf_counter() - started

    # --- the stages

    def _invalid(self) -> list[str]:
        """What is wrong with the request's numbers."""
        found = list(self._options.problems())
        for name, value in self._given.items():
            if name not in self._domain.resources:
                known = ", ".join(self._domain.resources) or "none"
                found.append(f"Unknown resource {name}: the domain has {known}.")
            elif not math.isfinite(value):
                found.append(f"The amount of {name} is {value!r}: give a finite number.")
        return found

    def _judged(self, task: Task, formula: Formula, tnorm: TNorm) -> _Problem:
        """Judge what the goal asks, and then the operators that can matter for it."""
        self._judge.judge(graded_atoms(formula))
        conditions = Conditions(task)
        alternatives = goal_alternatives(
            formula,
            lambda atom: self._judge.judged(atom).membership.degree,
            tnorm,
            task,
            self._watch,
        )
        matter = relevant(task, conditions, alternatives, self._watch).operators
        self._judge.judge(
            atom for index in matter for atom in graded_atoms_of(task.operators[index])
        )
        degrees = [1.0] * len(task.operators)
        for index in matter:
            self._watch.check()
            degrees[index] = tnorm.compose_all(
                self._judge.degree(*atom) for atom in graded_atoms_of(task.operators[index])
            )
        return _Problem(task, conditions, alternatives, degrees)

    def _search(self, problem: _Problem, tnorm: TNorm) -> ContestResult:
        task = problem.task
        contest = Contest(
            task,
            problem.conditions,
            problem.alternatives,
            problem.degrees,
            reach(task, problem.degrees, tnorm, self._watch),
            tnorm,
            tuple(float(self._given.get(r.name, r.initial)) for r in task.resources),
            self._options.alpha,
            self._options.seed,
            self._watch,
        )
        return contest.run()

    # --- the answer

    def _concluded(self, outcome: ContestResult, problem: _Problem, tnorm: TNorm) -> PlanningResult:
        interrupted, best, alpha = outcome.interrupted, outcome.best, self._options.alpha
        candidates = candidates_of(outcome, problem.task, problem.conditions, self._judge)
        if interrupted is not None and interrupted.status is PlanStatus.CANCELLED:
            result = self._result(interrupted.status, interrupted.sentence)
        elif best is not None and reaches(best.membership, alpha):
            result = self._verified(outcome, problem, tnorm)
        elif best is not None and not reaches(outcome.bound, alpha):
            result = self._result(PlanStatus.UNSOLVABLE_AT_ALPHA, below_alpha(outcome, alpha))
        elif interrupted is not None:
            sentence = f"{interrupted.sentence} {so_far(outcome, alpha)}"
            result = self._result(interrupted.status, sentence)
        else:
            result = self._result(
                PlanStatus.UNSOLVABLE_PROVEN,
                why_unreachable(problem.alternatives, problem.task, problem.conditions),
            )
        membership = 0.0 if best is None else best.membership
        return replace(result, candidates=candidates, best_membership=membership)

    def _verified(self, outcome: ContestResult, problem: _Problem, tnorm: TNorm) -> PlanningResult:
        """The plan, once the verifier has agreed."""
        assert outcome.best is not None
        goal, alpha = to_text(self._goal), self._options.alpha
        found = assemble(outcome.best, goal, problem.task, self._judge, tnorm, alpha)
        verdict = verify(
            self._domain,
            self._instance,
            found,
            self._goal,
            self._source,
            alpha=alpha,
            resources=self._given,
            check=self._watch.check_cancelled,
        )
        if not verdict.ok:
            message = "The verifier refused the plan: " + " ".join(verdict.problems)
            result = self._result(PlanStatus.INTERNAL_ERROR, message)
            return replace(result, verification=verdict)
        optimal = outcome.optimal
        status = PlanStatus.SOLVED_OPTIMALLY if optimal else PlanStatus.SOLVED_SATISFICING
        message = solved(outcome, len(found.steps))
        return replace(self._result(status, message), plan=found, verification=verdict)

    @staticmethod
    def _result(status: PlanStatus, message: str) -> PlanningResult:
        return PlanningResult(status, message)
