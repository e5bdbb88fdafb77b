# SPDX-License-Identifier: Apache-2.0
"""One planning request from the command line: for a scene, or for PDDL files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from fcp_ros.cli.judges import JudgeChoice, open_grounder
from fcp_ros.cli.plan.interruption import GuardedMemberships, Interruption
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain
from fcp_ros.domain.pddl import PddlTask, UnsupportedPddl, read_pddl
from fcp_ros.domain.pddl.reader import is_condition
from fcp_ros.planning import (
    Optimise,
    Phase,
    PlanningOptions,
    PlanningResult,
    PlanningSession,
    PlanStatus,
    plan,
)
from fcp_ros.planning.model.memberships import MembershipSource, NoMemberships
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.request import ProgressCallback, ignore_progress
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.relaxation import plan_goal
from fcp_ros.report.ipc_plan import to_ipc_plan
from fcp_ros.report.pddl_result import to_pddl_result


@dataclass(frozen=True)
class PlanInput:
    """The files, goal and options of one request.

    Attributes:
        domain: Name or path of the domain.
        scene: Name or path of the scene, or of the PDDL problem.
        goal: The goal; may be empty if a PDDL problem has one.
        options: The planning options.
        judges: Who judges graded predicates.
        types: Types of labels or elements, ``NAME=TYPE`` each.
        similar: Least vote for the type of a similar label; None takes the domain's own.
        assets: Folders with files that the scene may refer to, besides its own.
    """

    domain: str
    scene: str
    goal: str
    options: PlanningOptions
    judges: JudgeChoice
    types: tuple[str, ...] = ()
    similar: float | None = None
    assets: tuple[Path, ...] = ()


@dataclass(frozen=True)
class PlanOutput:
    """A planning result with its domain and PDDL task; `domain` is None if files were refused.

    Attributes:
        notes: What of the scene was read otherwise than the file has it, or left out.
    """

    result: PlanningResult
    domain: Domain | None
    task: PddlTask | None = None
    notes: tuple[str, ...] = ()

    def to_ipc_plan(self) -> str:
        """Return the plan as the text of an IPC plan file.

        Raises:
            NotPddl: the plan contains a name that PDDL does not allow.
        """
        assert self.result.plan is not None, "callers check that there is a plan"
        assert self.domain is not None, "a plan has a domain"
        return to_ipc_plan(self.result.plan, self.domain, self.task, self.result.given_up)


def is_pddl(file: str) -> bool:
    """Return True for the name of a PDDL file."""
    return file.lower().endswith(".pddl")


class PlanCommand:
    """Answers one request within its limits, from the first byte that is read on.

    Args:
        asked: the request.
        start: of the request.
        interruption: Ctrl-C.
        show: told of the progress.
    """

    def __init__(
        self,
        asked: PlanInput,
        start: RequestStart,
        interruption: Interruption,
        show: ProgressCallback,
    ) -> None:
        self._asked = asked
        self._start = start
        self._interruption = interruption
        self._show = show

    def answer(self) -> PlanOutput:
        """Plan for a PDDL problem, or for a goal in a scene.

        Raises:
            DomainError, SceneError, GroundingError: a file or model is invalid; the message says
                where and why.
        """
        problems = find_problems(self._asked.options)
        if problems:
            refused = PlanningResult(PlanStatus.INVALID_REQUEST, " ".join(problems))
            return PlanOutput(refused, None)
        try:
            if is_pddl(self._asked.domain) or is_pddl(self._asked.scene):
                return self._answer_pddl()
            return self._answer_scene()
        except Interrupted as reason:
            result = PlanningResult(reason.status, reason.sentence)
        except UnsupportedPddl as error:
            result = PlanningResult(PlanStatus.UNSUPPORTED, str(error))
        except MemoryError:
            result = PlanningResult(PlanStatus.MEMOUT, "The process ran out of memory.")
        return PlanOutput(replace(result, goal=self._asked.goal), None)

    def _answer_scene(self) -> PlanOutput:
        # The scene layer, with all its formats, is slow to import, and PDDL files need none of it.
        asked = self._asked
        with self._guard(Phase.PARSE):
            from fcp_ros.cli.session import SceneChoice, open_session
            from fcp_ros.scene import SceneLimits

            limits = SceneLimits(asset_folders=asked.assets)
            choice = SceneChoice(asked.types, asked.similar, limits)
            session = open_session(asked.domain, asked.scene, choice)
        with self._open_memberships(session.domain) as memberships:
            with self._guard(Phase.COMPILE):
                planning = PlanningSession(session.domain)
            state = session.state.instance
            result = self._plan_text(session.domain, state, memberships, planning)
        return PlanOutput(result, session.domain, notes=session.state.fact_notes)

    def _answer_pddl(self) -> PlanOutput:
        asked = self._asked
        in_pddl = not asked.goal or is_condition(asked.goal)
        with self._guard(Phase.PARSE):
            task = read_pddl(asked.domain, asked.scene, asked.goal if in_pddl else "")
        with self._open_memberships(task.domain) as memberships:
            with self._guard(Phase.COMPILE):
                planning = PlanningSession(task.domain)
            if not in_pddl:
                result = self._plan_text(task.domain, task.instance, memberships, planning)
            else:
                options = asked.options
                if task.minimises_cost:
                    options = replace(options, optimise=Optimise.COST)
                result = plan(
                    task.domain,
                    task.instance,
                    task.goal,
                    options,
                    memberships,
                    cancelled=self._interruption.is_cancelled,
                    progress=self._show,
                    session=planning,
                    start=self._start,
                )
        result = to_pddl_result(result, task, task.goal_text if in_pddl else result.goal)
        return PlanOutput(result, task.domain, task)

    def _plan_text(
        self,
        domain: Domain,
        instance: Instance,
        memberships: MembershipSource,
        session: PlanningSession,
    ) -> PlanningResult:
        return plan_goal(
            domain,
            instance,
            self._asked.goal,
            self._asked.options,
            memberships,
            cancelled=self._interruption.is_cancelled,
            progress=self._show,
            session=session,
            start=self._start,
        )

    @contextmanager
    def _open_memberships(self, domain: Domain) -> Iterator[MembershipSource]:
        if not domain.graded and self._asked.judges == JudgeChoice():  # else they are checked
            yield NoMemberships()
            return
        with self._guard(Phase.PARSE):
            grounder = open_grounder(domain, self._asked.judges)
        with closing(grounder):
            check = self._watch(Phase.JUDGE, ignore_progress).check
            yield GuardedMemberships(grounder, self._interruption, check)

    def _guard(self, phase: Phase) -> AbstractContextManager[None]:
        """A context in which the limits hold in code that does not check them."""
        return self._interruption.guard(self._watch(phase, self._show).check)

    def _watch(self, phase: Phase, show: ProgressCallback) -> Watch:
        cancelled = self._interruption.is_cancelled
        return Watch(self._asked.options, cancelled, show, self._start, phase)
