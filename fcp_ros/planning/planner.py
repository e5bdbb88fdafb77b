# SPDX-License-Identifier: Apache-2.0
"""The planner: domain, state and goal in, verified plan or a precise reason why not out."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.check import check_goal
from fcp_ros.domain.expression import Expression, ExpressionError, to_text
from fcp_ros.domain.infer_types import infer_types
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import TNorm, reaches, tnorm_by_name
from fcp_ros.grounding.errors import GroundingCode, GroundingError
from fcp_ros.planning.assembly import assemble
from fcp_ros.planning.candidates import candidates_of
from fcp_ros.planning.compile.demand import DemandCompiler
from fcp_ros.planning.compile.formula import Formula
from fcp_ros.planning.compile.goal_grounding import ground_goal
from fcp_ros.planning.explain import below_alpha, said_of, so_far, why_none
from fcp_ros.planning.flat_search import FlatSearch
from fcp_ros.planning.model.memberships import Judge, MembershipSource
from fcp_ros.planning.model.request import (
    CancelCallback,
    Optimise,
    Phase,
    PlanningOptions,
    ProgressCallback,
    ignore,
    never,
)
from fcp_ros.planning.model.result import PlanningResult
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.solve import Problem, Solution, Solved, Solver
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
        self._inner = 0.0

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
            result = self._result(PlanStatus.MEMOUT, "The process ran out of memory.")
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
        with self._stage(Phase.COMPILE):
            self._goal = check_goal(self._goal, self._domain, self._instance)
            types = infer_types(self._goal, self._domain)
            formula = ground_goal(self._goal, types, self._domain, self._instance, self._watch)
        solved = self._solved(formula)
        with self._stage(Phase.VERIFY):
            return self._concluded(solved, types)

    def _solved(self, formula: Formula) -> Solved:
        problem = Problem(
            DemandCompiler(self._domain),
            self._instance,
            formula,
            self._tnorm(),
            self._options,
            self._given,
        )
        solved = self._solve(problem)
        if self._options.optimise is Optimise.MEMBERSHIP or solved.best is not None:
            return solved
        if solved.interrupted is not None:
            return solved
        # No plan reaches alpha. Whether there is any plan, and how good it is, is another search.
        best = replace(self._options, optimise=Optimise.MEMBERSHIP)
        return self._solve(replace(problem, options=best))

    def _solve(self, problem: Problem) -> Solved:
        search = FlatSearch(self._options, self._watch)
        return Solver(problem, self._judge, self._watch, self._stage, search).run()

    def _tnorm(self) -> TNorm:
        return tnorm_by_name(self._options.tnorm)

    @contextmanager
    def _stage(self, phase: Phase) -> Iterator[None]:
        """A phase of the request; the time of a phase inside another counts for itself only."""
        outer = self._watch.phase
        started, inner = time.perf_counter(), self._inner
        self._inner = 0.0
        self._watch.enter(phase)
        try:
            yield
        finally:
            spent = time.perf_counter() - started
            self._timings[phase.value] = self._timings.get(phase.value, 0.0) + spent - self._inner
            self._inner = inner + spent
            self._watch.back_to(outer)

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

    # --- the answer

    def _concluded(self, solved: Solved, types: Mapping[str, str]) -> PlanningResult:
        best, alpha = solved.best, self._options.alpha
        interrupted = solved.interrupted
        if interrupted is not None and interrupted.status is PlanStatus.CANCELLED:
            result = self._result(interrupted.status, interrupted.sentence)
        elif best is not None and reaches(best.membership, alpha):
            result = self._verified(best, solved)
        elif best is not None and not reaches(solved.bound, alpha):
            result = self._result(PlanStatus.UNSOLVABLE_AT_ALPHA, below_alpha(solved, alpha))
        elif interrupted is not None:
            sentence = f"{interrupted.sentence} {so_far(solved, alpha)}"
            result = self._result(interrupted.status, sentence)
        else:
            result = self._result(PlanStatus.UNSOLVABLE_PROVEN, why_none(solved, self._goal, types))
        membership = 0.0 if best is None else best.membership
        return replace(
            result,
            candidates=candidates_of(solved, self._judge, self._tnorm()),
            best_membership=membership,
        )

    def _verified(self, best: Solution, solved: Solved) -> PlanningResult:
        """The plan, once the verifier has agreed."""
        goal, alpha = to_text(self._goal), self._options.alpha
        found = assemble(
            best, goal, self._domain, self._instance, self._judge, self._given, self._tnorm(), alpha
        )
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
        status = PlanStatus.SOLVED_OPTIMALLY if solved.optimal else PlanStatus.SOLVED_SATISFICING
        message = said_of(solved, len(found.steps), self._options.optimise)
        return replace(self._result(status, message), plan=found, verification=verdict)

    @staticmethod
    def _result(status: PlanStatus, message: str) -> PlanningResult:
        return PlanningResult(status, message)
