# SPDX-License-Identifier: Apache-2.0
"""Planning and validation: from a request message, the scene and the grounder to an answer.

Everything here runs in the planner's worker thread.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from fcp_ros.cset import InstanceError
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import ExpressionError
from fcp_ros.domain.model import Domain
from fcp_ros.domain.shifting import shift_elements
from fcp_ros.foundation.input_error import InputError
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.language.cascade import make_reader
from fcp_ros.language.reader import InstructionReader, ReadingContext
from fcp_ros.language.reading import Interpretation
from fcp_ros.nodes.conversions.common import ConversionError, duration_from_ros
from fcp_ros.nodes.conversions.judgement import refuse_judgement
from fcp_ros.nodes.conversions.plan import (
    PlanOrigin,
    StepOrderError,
    check_degree,
    plan_from_ros,
    step_from_ros,
)
from fcp_ros.nodes.conversions.planning import (
    MOST_CHARACTERS,
    MOST_NAME,
    Wish,
    check_length,
    request_from_ros,
    result_to_ros,
)
from fcp_ros.nodes.planner.parameters import read_planning_options, read_reader_options
from fcp_ros.nodes.planner.remote_memberships import JudgeService, RemoteMemberships
from fcp_ros.nodes.runtime.parameters import ParameterTable
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefused
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower, WorldState
from fcp_ros.nodes.scene_access.owner import FIRST_WORD_WAIT, SceneLostError, SceneOwner
from fcp_ros.planning.model.ground_step import find_latest_end
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.plan import PlanSuggester
from fcp_ros.planning.model.request import Phase, PlanningOptions, ProgressCallback, ignore_progress
from fcp_ros.planning.model.result import PlanningResult, PlanStatus, Verdict
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch, measure_memory
from fcp_ros.planning.session import PlanningRequest, PlanningSession
from fcp_ros.planning.verification.stepping import UnknownStep
from fcp_ros.planning.verification.verify import verify
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.plan_instruction import plan_instruction, read_instruction
from fcp_ros.relaxation.worlds import remove_asking

# --- the general policies of the planner node: the files of a folder ---


@dataclass(frozen=True)
class NodePolicies:
    """The policies that the node plans with."""

    suggester: PlanSuggester | None = None  # runs them; None if none fits the domain
    names: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()  # sentences about the other files
    is_damaged: bool = False  # True if a file, or the folder, can't be read at all


def read_policies(folder: str, domain: Domain) -> NodePolicies:
    """Read the policies of a folder for a domain. `folder`: its path; "" for none."""
    if not folder:
        return NodePolicies()
    # Only with the parameter: a start is mostly imports.
    from fcp_ros.abstraction.policy.general_policy import PolicyError
    from fcp_ros.abstraction.policy.runner import (
        DomainPolicies,
        describe_refusals,
        read_policy_folder,
    )

    try:
        found = read_policy_folder(folder)
    except PolicyError as error:
        return NodePolicies(refused=(error.sentence,), is_damaged=True)
    fitting = DomainPolicies(found.policies, domain)
    return NodePolicies(
        fitting if fitting.names else None,
        fitting.names,
        describe_refusals((*found.refused, *fitting.refused)),
        bool(found.refused),
    )


# --- planning and validation: from a request message ---

VALIDATION_TIME = 60.0
"""Seconds that the validation of one plan may take."""

MOST_WARNINGS = 100
"""Different notes on the scene that are logged; a scene that changes all the time has many."""

UNCHECKABLE = (NoSceneError, ConversionError, ExpressionError, Interrupted)
"""Reasons for which a plan can't be checked at all."""


_REFUSALS = {
    PlanStatus.TIMEOUT: RefusalKind.TIMED_OUT,
    PlanStatus.MEMOUT: RefusalKind.INVALID_REQUEST,
    PlanStatus.CANCELLED: RefusalKind.NODE_INACTIVE,
}
"""Status of an interrupted reading -> kind of the refusal."""

LOOK_EVERY = 0.05
"""Seconds between two looks if a request for which another reading is awaited has ended."""


@dataclass(frozen=True)
class PlanAnswer:
    """A planning result, with the interpretation of the instruction if there was one."""

    result: PlanningResult
    interpretation: Interpretation | None = None


class PlanningService:
    """Answers planning and validation requests for one domain."""

    def __init__(
        self,
        domain: Domain,
        scene: SceneFollower,
        owner: SceneOwner,  # Knows if that is kept up to date
        judge: JudgeService,  # The grounder's service ``judge``
        parameters: ParameterTable,
        now: Callable[[], Any],  # Returns the ROS time as a message
        warn: Callable[[str], object],  # Writes a sentence to the node's log
    ) -> None:
        self.domain = domain
        self.policies = read_policies(parameters.text("policies"), domain)
        for sentence in self.policies.refused:
            warn(f"policies: {sentence}")
        self._session = PlanningSession(domain, suggester=self.policies.suggester)
        for session in {self._session, self._session.restrict(remove_asking)}:
            session.prepare()
        self._scene = scene
        self._owner = owner
        self._judge = judge
        self._parameters = parameters
        self._now = now
        self._warn = warn
        self._warned: set[str] = set()
        self._reader: InstructionReader | None = None
        self._making_reader = threading.Lock()

    def plan(
        self,
        request: Any,
        asked: float,  # Time of its arrival (s, of `time.monotonic`): waiting for its turn counts
        token: CancelToken,
        progress: ProgressCallback = ignore_progress,
    ) -> Any:
        try:
            wish, options = request_from_ros(request, read_planning_options(self._parameters))
            state = self._await_state(token, asked + options.time_limit)
            state = self._foresee(request.underway, state)
            with self._stop_when_stale(token) as until_stale:
                answer = self._solve(wish, options, asked, state, until_stale, progress)
            if not token.cancelled:
                self._owner.check()
        except SceneLostError as error:
            return refuse_request(name_wish(request), PlanStatus.SCENE_LOST, str(error))
        except (ConversionError, InputError, NoSceneError) as error:
            return refuse_request(name_wish(request), PlanStatus.INVALID_REQUEST, str(error))
        origin = self._make_origin(wish.text, state, options)
        return result_to_ros(answer.result, origin, answer.interpretation)

    def interpret(self, request: Any, asked: float, token: CancelToken) -> Interpretation:
        """Read an instruction on the present scene.

        `request`: a request of ``interpret``. `asked`: time of its arrival (s, of
        `time.monotonic`). Raises RequestRefused if it can't be read at all; the sentence says why.
        """
        options = read_planning_options(self._parameters)
        limit = duration_from_ros(request.time_limit)
        options = replace(options, time_limit=limit or options.time_limit)
        problems = " ".join(find_problems(options))
        if problems:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, problems)
        try:
            text = check_length(request.instruction, "instruction")
            speaker = check_length(request.speaker, "speaker", MOST_NAME)
            state = self._await_state(token, asked + options.time_limit)
            start = RequestStart(asked, measure_memory())
            watch = Watch(options, lambda: token.cancelled, ignore_progress, start, Phase.PARSE)
            context = self._make_context(state, speaker)
            until = asked + options.time_limit
            context = replace(context, check=watch.check, until=until)
            return read_instruction(text, self._get_reader(), context)
        except SceneLostError as error:
            raise RequestRefused(RefusalKind.SCENE_LOST, str(error)) from error
        except (ConversionError, InputError, NoSceneError) as error:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error
        except Interrupted as reason:
            raise RequestRefused(_REFUSALS[reason.status], reason.sentence) from reason

    def validate(self, message: Any, alpha: float, token: CancelToken) -> Verdict:
        """Check a Plan message on the present scene with the independent verifier.

        `alpha`: the alpha-cut; NaN takes the plan's own. Raises RequestRefused if there is no
        scene, no valid plan, or no readable goal. Raises RequestRefused if a degree can't be
        judged.
        """
        try:
            state = self._await_state(token)
            plan = plan_from_ros(message)
            cut = plan.alpha if math.isnan(alpha) else check_degree(alpha, "alpha")
            domain, instance = shift_elements(self.domain, state.instance, plan.shifts)
            goal = check_goal(parse_expression(plan.goal), domain, instance)
            memberships = self._make_memberships(time.monotonic() + VALIDATION_TIME, token)
            return verify(
                domain,
                instance,
                plan,
                goal,
                memberships,
                alpha=cut,
                resources=state.resources,
                rules=None if plan.shifts else self._session.rules,
            )
        except StepOrderError as error:
            return Verdict(False, (f"{error}.",), (), None)
        except GroundingError as error:
            raise RequestRefused(refuse_judgement(error).kind, error.sentence) from error
        except SceneLostError as error:
            raise RequestRefused(RefusalKind.SCENE_LOST, str(error)) from error
        except UNCHECKABLE as error:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error

    def _solve(
        self,
        wish: Wish,
        options: PlanningOptions,
        asked: float,
        state: WorldState,
        token: CancelToken,
        progress: ProgressCallback,
    ) -> PlanAnswer:
        if not find_problems(options) and time.monotonic() - asked >= options.time_limit:
            sentence = (
                f"The time limit of {options.time_limit:g} s passed while the request waited for "
                "others: ask again, or give more time."
            )
            return PlanAnswer(PlanningResult(PlanStatus.TIMEOUT, sentence, alpha=options.alpha))
        memberships = self._make_memberships(asked + options.time_limit, token)
        request = PlanningRequest(
            self.domain,
            state.instance,
            wish.goal,
            options,
            memberships,
            resources=state.resources,
            cancelled=lambda: token.cancelled,
            progress=progress,
            session=self._session,
            start=RequestStart(asked, measure_memory()),
        )
        if not wish.instruction:
            return PlanAnswer(plan_goal(request))
        context = self._make_context(state, wish.speaker)
        answer = plan_instruction(request, wish.instruction, self._get_reader(), context)
        return PlanAnswer(answer.result, None if wish.goal else answer.interpretation)

    def _make_context(self, state: WorldState, speaker: str) -> ReadingContext:
        return ReadingContext(
            self.domain,
            state.instance,
            speaker or self._parameters.text("speaker"),
            similarity=self._scene.similarity,
            is_unseen=state.scene.facts.is_unseen,
        )

    def _get_reader(self) -> InstructionReader:
        """Return the reader, made with the first instruction; it reads one at a time.

        Raises InputError if it can't be made.
        """
        with self._making_reader:
            if self._reader is None:
                self._reader = ExclusiveReader(make_reader(read_reader_options(self._parameters)))
            return self._reader

    def _await_state(self, token: CancelToken, deadline: float = math.inf) -> WorldState:
        """Return the present state; right after the start it may take a moment to arrive.

        `deadline`: no longer than until then (s, of `time.monotonic`). Raises NoSceneError if there
        is none, or it can't be used. Raises SceneLostError if it is stale.
        """
        wait = self._parameters.number("scene_wait")
        if deadline - time.monotonic() < wait:
            wait = max(0.0, deadline - time.monotonic())
        token.call_when_cancelled(self._scene.wake)
        self._scene.wait_for(lambda: token.cancelled or self._scene.sequence is not None, wait)
        left = max(0.0, deadline - time.monotonic())
        self._owner.check(min(FIRST_WORD_WAIT, left), lambda: token.cancelled)
        state = self._scene.state(self.domain)
        self._warn_once(state.notes)
        return state

    def _foresee(self, underway: Iterable[Any], state: WorldState) -> WorldState:
        """Return the state in which these steps, as messages, have ended.

        Raises ConversionError if one is no step of this domain and scene.
        """
        steps = tuple(map(step_from_ros, underway))
        if not steps:
            return state
        levels = dict(state.resources)
        try:
            instance = self._session.rules.foresee(steps, state.instance)
        except (UnknownStep, InstanceError) as error:
            raise ConversionError(f"a step that is underway can't be done here: {error}") from error
        for step in steps:
            for name, use in self.domain.rules[step.rule].uses.items():
                levels[name] -= use
        return replace(state, scene=replace(state.scene, instance=instance), resources=levels)

    @contextmanager
    def _stop_when_stale(self, token: CancelToken) -> Iterator[CancelToken]:
        """Make a token that is cancelled with another one, or as soon as the scene is stale."""
        stopping = CancelToken()
        token.call_when_cancelled(stopping.cancel)
        key = f"request {id(stopping)}"
        self._owner.watch(key, True, stopping.cancel)
        try:
            yield stopping
        finally:
            self._owner.unwatch(key)

    def _warn_once(self, notes: Iterable[str]) -> None:
        """Log the notes on the reading of the scene that have not been logged yet."""
        for note in notes:
            if note not in self._warned and len(self._warned) < MOST_WARNINGS:
                self._warned.add(note)
                self._warn(f"scene: {note}")

    def _make_memberships(self, deadline: float, token: CancelToken) -> RemoteMemberships:
        return RemoteMemberships(
            self._judge,
            server_wait=self._parameters.number("grounder_wait"),
            answer_wait=self._parameters.number("judge_timeout"),
            deadline=deadline,
            token=token,
        )

    def _make_origin(self, asked: str, state: WorldState, options: PlanningOptions) -> PlanOrigin:
        latest = find_latest_end(options.budgets, options.deadline, self.domain)
        return PlanOrigin(
            deadline=float(latest) if math.isfinite(latest) else 0.0,
            asked=asked,
            scene_sequence=state.graph.sequence,
            stamp=self._now(),
            frame_id=state.graph.frame_id,
            units={name: item.unit for name, item in self.domain.resources.items()},
        )


class ExclusiveReader:
    """A reader that reads one instruction at a time, whichever threads ask it."""

    def __init__(self, reader: InstructionReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._reader.name

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction when its turn has come; the check of the context ends the wait."""
        while not self._lock.acquire(timeout=LOOK_EVERY):
            context.check()
        try:
            return self._reader.read(instruction, context)
        finally:
            self._lock.release()


def name_wish(request: Any) -> str:
    """Return the goal or instruction of a PlanRequest message, whatever is wrong with it."""
    return str(request.goal or request.instruction)[:MOST_CHARACTERS]


def refuse_request(asked: str, status: PlanStatus, sentence: str) -> Any:
    return result_to_ros(PlanningResult(status, sentence), PlanOrigin(asked=asked))
