# SPDX-License-Identifier: Apache-2.0
"""One planning request from the command line: for a scene, or for PDDL files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from fcp_ros.cli.judges import JudgeChoice, open_grounder
from fcp_ros.cli.terminal import open_console
from fcp_ros.domain import Domain
from fcp_ros.domain.pddl import PddlTask, UnsupportedPddl, read_pddl
from fcp_ros.planning import Optimise, PlanningOptions, PlanningResult, PlanStatus, Progress, plan
from fcp_ros.planning.model.request import ProgressCallback
from fcp_ros.relaxation import plan_goal
from fcp_ros.report.ipc_plan import to_ipc_plan


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
    """

    domain: str
    scene: str
    goal: str
    options: PlanningOptions
    judges: JudgeChoice
    types: tuple[str, ...] = ()
    similar: float | None = None


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
        return to_ipc_plan(self.result.plan, self.domain, self.task)


def is_pddl(file: str) -> bool:
    """Return True for the name of a PDDL file."""
    return file.lower().endswith(".pddl")


def answer_scene(asked: PlanInput) -> PlanOutput:
    """Plan for a goal in a scene.

    Raises:
        DomainError, SceneError, GroundingError: a file or model is invalid; the message says why.
    """
    # The scene layer, with all its formats, is slow to import, and PDDL files need none of it.
    from fcp_ros.cli.session import SceneChoice, open_session

    with _open_progress("reading the scene") as show:
        choice = SceneChoice(asked.types, asked.similar)
        session = open_session(asked.domain, asked.scene, choice)
        with closing(open_grounder(session.domain, asked.judges)) as grounder:
            state = session.state.instance
            result = plan_goal(
                session.domain, state, asked.goal, asked.options, grounder, progress=show
            )
    return PlanOutput(result, session.domain, notes=session.state.fact_notes)


def answer_pddl(asked: PlanInput) -> PlanOutput:
    """Plan for a PDDL problem, or for another goal in its initial state.

    Unsupported PDDL is not an error but a result with the status UNSUPPORTED.

    Raises:
        DomainError: a file is invalid; the message says where and why.
    """
    with _open_progress("reading the PDDL files") as show:
        try:
            task = read_pddl(asked.domain, asked.scene)
        except UnsupportedPddl as error:
            return PlanOutput(PlanningResult(PlanStatus.UNSUPPORTED, str(error)), None)
        with closing(open_grounder(task.domain, asked.judges)) as grounder:
            if asked.goal:
                result = plan_goal(
                    task.domain,
                    task.instance,
                    asked.goal,
                    asked.options,
                    grounder,
                    progress=show,
                )
            else:
                options = asked.options
                if task.minimises_cost:
                    options = replace(options, optimise=Optimise.COST)
                result = plan(
                    task.domain, task.instance, task.goal, options, grounder, progress=show
                )
    result = replace(result, notes=(*map(str, task.notes), *result.notes))
    return PlanOutput(result, task.domain, task)


@contextmanager
def _open_progress(first: str) -> Iterator[ProgressCallback]:
    """Show the planner's progress on standard error."""
    with open_console(stderr=True).status(first) as status:

        def show(progress: Progress) -> None:
            status.update(f"{progress.phase.value}: {progress.expansions} expansions")

        yield show
