# SPDX-License-Identifier: Apache-2.0
"""One planning request from the command line: for a scene, or for PDDL files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from rich.console import Console

from fcp_ros.cli.session import JudgeChoice, SceneChoice, open_grounder, open_session
from fcp_ros.domain import Domain
from fcp_ros.domain.pddl import PddlTask, UnsupportedPddl, read_pddl
from fcp_ros.grounding import Grounder
from fcp_ros.planning import Optimise, PlanningOptions, PlanningResult, PlanStatus, Progress, plan
from fcp_ros.planning.model.request import ProgressCallback
from fcp_ros.relaxation import plan_goal
from fcp_ros.report.ipc_plan import ipc_plan


@dataclass(frozen=True)
class Asked:
    """What the command line says. `goal` may be empty where a PDDL problem has one."""

    domain: str
    scene: str
    goal: str
    options: PlanningOptions
    judges: JudgeChoice
    reading: SceneChoice | None = None


@dataclass(frozen=True)
class Answer:
    """The result, and what it is about: `domain` is None where the files were refused."""

    result: PlanningResult
    domain: Domain | None
    task: PddlTask | None = None

    def ipc_plan(self) -> str:
        """The plan as the text of an IPC plan file.

        Raises:
            NotPddl: a name in it that PDDL does not allow.
        """
        assert self.result.plan is not None, "there is a plan"
        assert self.domain is not None, "what was planned has been read"
        return ipc_plan(self.result.plan, self.domain, self.task)


def is_pddl(file: str) -> bool:
    """Whether a file is one of PDDL, by its name."""
    return file.lower().endswith(".pddl")


def answer_scene(asked: Asked) -> Answer:
    """Plan for a goal in a scene.

    Raises:
        DomainError, SceneError, GroundingError: what is wrong with the files or the model.
    """
    with _shown("reading the scene") as show:
        session = open_session(asked.domain, asked.scene, asked.reading)
        with closing(_grounder(asked, session.domain)) as grounder:
            state = session.state.instance
            result = plan_goal(
                session.domain, state, asked.goal, asked.options, grounder, progress=show
            )
    return Answer(result, session.domain)


def answer_pddl(asked: Asked) -> Answer:
    """Plan for a PDDL problem, or for another goal in its initial state.

    Raises:
        DomainError: what is wrong with the files. What is not supported is no error but a result
            with the status UNSUPPORTED.
    """
    with _shown("reading the PDDL files") as show:
        try:
            task = read_pddl(asked.domain, asked.scene)
        except UnsupportedPddl as error:
            return Answer(PlanningResult(PlanStatus.UNSUPPORTED, str(error)), None)
        with closing(_grounder(asked, task.domain)) as grounder:
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
    return Answer(result, task.domain, task)


def _grounder(asked: Asked, domain: Domain) -> Grounder:
    return open_grounder(domain, asked.judges)


@contextmanager
def _shown(first: str) -> Iterator[ProgressCallback]:
    """A line on standard error that says how far it is."""
    with Console(stderr=True).status(first) as status:

        def show(progress: Progress) -> None:
            status.update(f"{progress.phase.value}: {progress.expansions} expansions")

        yield show
