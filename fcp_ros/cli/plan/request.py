# SPDX-License-Identifier: Apache-2.0
"""One planning request from the command line: for a scene, or for PDDL files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fcp_ros.cli.options import JudgeChoice, open_grounder
from fcp_ros.cli.plan.interruption import GuardedMemberships, Interruption
from fcp_ros.cset import Fact, Instance
from fcp_ros.domain import Domain
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.pddl import PddlTask, UnsupportedPddl, read_pddl
from fcp_ros.domain.pddl.task_reader import is_condition
from fcp_ros.language.reader import InstructionReader, ReadingContext
from fcp_ros.language.reading import Interpretation
from fcp_ros.planning import (
    Optimise,
    Phase,
    PlanningOptions,
    PlanningRequest,
    PlanningResult,
    PlanningSession,
    PlanStatus,
    plan,
)
from fcp_ros.planning.model.memberships import MembershipSource, NoMemberships
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.request import ProgressCallback, ignore_progress
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.relaxation.question import (
    AskCallback,
    TellCallback,
    leave_open,
    settle_confirmation,
    settle_reading,
    tell_nobody,
)
from fcp_ros.report.pddl_result import to_ipc_plan, to_pddl_result
from fcp_ros.report.plain_json import to_plain_result


@dataclass(frozen=True)
class SpokenInput:
    """An instruction in words, and who reads it."""

    instruction: str
    reader: InstructionReader
    speaker: str = ""  # the element that speaks; "" if that is not known


@dataclass(frozen=True)
class PlanInput:
    """The files, goal and options of one request."""

    domain: str  # Name or path of the domain
    scene: str  # Name or path of the scene, or of the PDDL problem
    goal: str  # The goal; may be empty if a PDDL problem has one
    options: PlanningOptions
    judges: JudgeChoice
    types: tuple[str, ...] = ()  # Types of labels or elements, ``NAME=TYPE`` each
    # Least vote for the type of a similar label; None takes the domain's own
    similar: float | None = None
    assets: tuple[Path, ...] = ()  # Folders with files that the scene may refer to, besides its own
    spoken: SpokenInput | None = None  # The goal in words; None if it is a formula
    overrides: Path | None = None  # File with the names of the scene in the words of the domain
    policies: Path | None = None  # Folder of general policies that are tried before a search


@dataclass(frozen=True)
class PlanOutput:
    """A planning result with its domain and PDDL task; `domain` is None if files were refused.

    Attributes:
        policy: The `GeneralPolicy` that made the plan; None if it was searched.
    """

    result: PlanningResult
    domain: Domain | None
    task: PddlTask | None = None
    # What of the scene was read otherwise than the file has it, or left out
    notes: tuple[str, ...] = ()
    # The way in which an instruction was understood; None if there was none
    interpretation: Interpretation | None = None
    policy: Any = None  # a start is mostly imports

    def to_plain(self) -> dict[str, Any]:
        return {**to_plain_result(self.result), "scene_notes": list(self.notes)}

    def to_ipc_plan(self) -> str:
        """Return the plan as the text of an IPC plan file.

        Raises NotPddl if the plan contains a name that PDDL does not allow.
        """
        assert self.result.plan is not None, "callers check that there is a plan"
        assert self.domain is not None, "a plan has a domain"
        return to_ipc_plan(self.result.plan, self.domain, self.task, self.result.given_up)

    def write_page(self, asked: PlanInput, path: Path) -> None:
        # The drawing library is slow to load.
        from fcp_ros.report.plan_page import PlanRequest, write_plan_page

        request = PlanRequest(asked.domain, asked.scene, asked.goal)
        write_plan_page(self.result, request, self.policy, path)


def is_pddl(file: str) -> bool:
    return file.lower().endswith(".pddl")


@dataclass(frozen=True)
class Listener:
    """The person at the terminal."""

    show: ProgressCallback = ignore_progress
    ask: AskCallback = leave_open  # asked which reading is meant, and to confirm a relaxed goal
    tell: TellCallback = tell_nobody  # told how an instruction was understood


class PlanCommand:
    """Answers one request within its limits, from the first byte that is read on."""

    def __init__(
        self,
        asked: PlanInput,
        start: RequestStart,
        interruption: Interruption,
        listener: Listener,  # the person at the terminal
    ) -> None:
        self._asked = asked
        self._start = start
        self._interruption = interruption
        self._listener = listener
        self._show = listener.show
        self._refused: tuple[str, ...] = ()
        self._policies: tuple[Any, ...] = ()

    def answer(self) -> PlanOutput:
        """Plan for a PDDL problem, or for a goal in a scene.

        Raises DomainError, SceneError, GroundingError if a file or model is invalid; the message
        says where and why.
        """
        problems = find_problems(self._asked.options)
        if problems:
            refused = PlanningResult(PlanStatus.INVALID_REQUEST, " ".join(problems))
            return PlanOutput(refused, None)
        try:
            if is_pddl(self._asked.domain) or is_pddl(self._asked.scene):
                return self._add_policy(self._answer_pddl())
            return self._add_policy(self._answer_scene())
        except Interrupted as reason:
            result = PlanningResult(reason.status, reason.sentence)
        except UnsupportedPddl as error:
            result = PlanningResult(PlanStatus.UNSUPPORTED, str(error))
        except MemoryError:
            result = PlanningResult(PlanStatus.MEMOUT, "The process ran out of memory.")
        return PlanOutput(replace(result, goal=self._asked.goal), None)

    def read(self) -> Interpretation:
        """Read the instruction, and ask which reading is meant, without planning for it.

        Raises DomainError, SceneError, InputError if a file or the reader is invalid; the message
        says where and why. Raises Interrupted if a limit was reached.
        """
        spoken = self._asked.spoken
        assert spoken is not None, "callers give an instruction"
        session = self._open_session()
        from fcp_ros.relaxation.plan_instruction import read_instruction

        context = self._make_context(session.domain, session.state.instance, spoken)
        check = self._watch(Phase.PARSE, self._show).check
        until = self._start.time + self._asked.options.time_limit
        interpretation = read_instruction(
            spoken.instruction, spoken.reader, replace(context, check=check, until=until)
        )
        self._listener.tell(interpretation)
        return settle_reading(interpretation, self._start, self._listener.ask)[0]

    def _open_planning(self, domain: Domain) -> PlanningSession:
        """Make the planner's session, with the policies that fit the domain."""
        folder = self._asked.policies
        if folder is None:
            return PlanningSession(domain)
        # Only with the option: a start is mostly imports.
        from fcp_ros.abstraction.policy.runner import (
            DomainPolicies,
            describe_refusals,
            read_policy_folder,
        )

        found = read_policy_folder(folder)
        fitting = DomainPolicies(found.policies, domain)
        self._policies = found.policies
        self._refused = describe_refusals((*found.refused, *fitting.refused))
        return PlanningSession(domain, suggester=fitting if fitting.names else None)

    def _add_notes(self, result: PlanningResult) -> PlanningResult:
        """Add the policies that could not be used at all."""
        return replace(result, policy_notes=(*result.policy_notes, *self._refused))

    def _add_policy(self, output: PlanOutput) -> PlanOutput:
        name = output.result.policy
        made = next((policy for policy in self._policies if policy.name == name), None)
        return replace(output, policy=made)

    def _open_session(self) -> Any:
        asked = self._asked
        with self._guard(Phase.PARSE):
            # The scene layer, with all its formats, is slow to import; PDDL needs none of it.
            from fcp_ros.cli.session import SceneChoice, open_session
            from fcp_ros.scene import SceneLimits

            limits = SceneLimits(asset_folders=asked.assets)
            choice = SceneChoice(asked.types, asked.similar, limits, overrides=asked.overrides)
            return open_session(asked.domain, asked.scene, choice)

    def _answer_scene(self) -> PlanOutput:
        session = self._open_session()
        domain, state, notes = session.domain, session.state.instance, session.state.fact_notes
        is_unseen = session.state.facts.is_unseen
        spoken = self._asked.spoken
        with self._open_memberships(domain) as memberships:
            goal = self._asked.goal if spoken is None else ""
            request = self._open_request(domain, state, goal, memberships)
            if spoken is not None:
                output = self._plan_words(request, spoken, is_unseen)
            else:
                output = PlanOutput(self._plan_text(request), domain)
        return replace(output, result=self._add_notes(output.result), notes=notes)

    def _open_request(
        self,
        domain: Domain,
        state: Instance,
        goal: Expression | str,
        memberships: MembershipSource,
    ) -> PlanningRequest:
        with self._guard(Phase.COMPILE):
            session = self._open_planning(domain)
        return PlanningRequest(
            domain,
            state,
            goal,
            self._asked.options,
            memberships,
            cancelled=self._interruption.is_cancelled,
            progress=self._show,
            session=session,
            start=self._start,
        )

    def _plan_words(
        self, request: PlanningRequest, spoken: SpokenInput, is_unseen: Callable[[Fact], bool]
    ) -> PlanOutput:
        from fcp_ros.relaxation.plan_instruction import plan_instruction

        answer = plan_instruction(
            request,
            spoken.instruction,
            spoken.reader,
            replace(
                self._make_context(request.domain, request.instance, spoken), is_unseen=is_unseen
            ),
            ask=self._listener.ask,
            tell=self._listener.tell,
        )
        return PlanOutput(answer.result, request.domain, interpretation=answer.interpretation)

    def _make_context(self, domain: Domain, state: Instance, spoken: SpokenInput) -> ReadingContext:
        # The sentence model, which costs half a second, is loaded with its first question.
        from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity

        return ReadingContext(domain, state, spoken.speaker, similarity=EmbeddingLabelSimilarity())

    def _answer_pddl(self) -> PlanOutput:
        asked = self._asked
        in_pddl = not asked.goal or is_condition(asked.goal)
        with self._guard(Phase.PARSE):
            task = read_pddl(asked.domain, asked.scene, asked.goal if in_pddl else "")
        with self._open_memberships(task.domain) as memberships:
            goal = task.goal if in_pddl else asked.goal
            request = self._open_request(task.domain, task.instance, goal, memberships)
            if not in_pddl:
                result = self._plan_text(request)
            elif task.minimises_cost:
                result = plan(
                    replace(request, options=replace(asked.options, optimise=Optimise.COST))
                )
            else:
                result = plan(request)
        result = self._add_notes(result)
        result = to_pddl_result(result, task, task.goal_text if in_pddl else result.goal)
        return PlanOutput(result, task.domain, task)

    def _plan_text(self, request: PlanningRequest) -> PlanningResult:
        # A PDDL task has its own goal, and needs neither relaxation nor language.
        from fcp_ros.relaxation.plan_goal import plan_goal

        return settle_confirmation(plan_goal(request), request.options, self._listener.ask)

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
