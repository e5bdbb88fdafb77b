# SPDX-License-Identifier: Apache-2.0
"""Planning and validation: from a request message, the scene and the grounder to an answer.

Everything here runs in the planner's worker thread.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import ExpressionError
from fcp_ros.domain.model import Domain
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.plan import PlanOrigin, check_degree, plan_from_ros
from fcp_ros.nodes.conversions.planning import request_from_ros, result_to_ros
from fcp_ros.nodes.planner.parameters import read_planning_options
from fcp_ros.nodes.planner.remote_memberships import JudgeService, RemoteMemberships
from fcp_ros.nodes.runtime.parameters import ParameterTable
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower, WorldState
from fcp_ros.planning.model.option_table import find_problems
from fcp_ros.planning.model.request import PlanningOptions, ProgressCallback, ignore_progress
from fcp_ros.planning.model.result import PlanningResult, PlanStatus, Verdict
from fcp_ros.planning.model.watch import Interrupted, RequestStart, measure_memory
from fcp_ros.planning.session import PlanningSession
from fcp_ros.planning.verification.verify import verify
from fcp_ros.relaxation.plan_goal import plan_goal

VALIDATION_TIME = 60.0
"""Seconds that the validation of one plan may take."""

MOST_WARNINGS = 100
"""Different notes on the scene that are logged; a scene that changes all the time has many."""

UNCHECKABLE = (NoSceneError, ConversionError, ExpressionError, GroundingError, Interrupted)
"""Reasons for which a plan can't be checked at all."""


@dataclass(frozen=True)
class UncheckableError(ValueError):
    """A plan could not be checked at all; one sentence why."""

    sentence: str

    def __str__(self) -> str:
        return self.sentence


class PlanningService:
    """Answers planning and validation requests for one domain.

    Args:
        domain: The domain.
        scene: The newest scene graph.
        judge: The grounder's service ``judge``.
        parameters: Parameters of the planner.
        now: Returns the ROS time as a message.
        warn: Writes a sentence to the node's log.
    """

    def __init__(
        self,
        domain: Domain,
        scene: SceneFollower,
        judge: JudgeService,
        parameters: ParameterTable,
        now: Callable[[], Any],
        warn: Callable[[str], object],
    ) -> None:
        self.domain = domain
        self._session = PlanningSession(domain, learn=parameters.flag("learn_chunks"))
        self._session.prepare()
        self._scene = scene
        self._judge = judge
        self._parameters = parameters
        self._now = now
        self._warn = warn
        self._warned: set[str] = set()

    def plan(
        self,
        request: Any,
        asked: float,
        token: CancelToken,
        progress: ProgressCallback = ignore_progress,
    ) -> Any:
        """Answer a PlanRequest message with a PlanResult message.

        Args:
            request: The message.
            asked: Time of its arrival (s, of `time.monotonic`): waiting for its turn counts.
            token: Cancels the planning.
            progress: Gets progress reports.
        """
        try:
            goal, options = request_from_ros(request, read_planning_options(self._parameters))
            state = self._await_state(token, asked + options.time_limit)
        except (ConversionError, NoSceneError) as error:
            return refuse_request(request.goal, PlanStatus.INVALID_REQUEST, str(error))
        result = self._solve(goal, options, asked, state, token, progress)
        return result_to_ros(result, self._make_origin(request.goal, state))

    def validate(self, message: Any, alpha: float, token: CancelToken) -> Verdict:
        """Check a Plan message on the present scene with the independent verifier.

        Args:
            message: The plan.
            alpha: The alpha-cut; NaN takes the plan's own.
            token: Cancels the check.

        Raises:
            UncheckableError: there is no scene, no valid plan, no readable goal, or no grounder.
        """
        try:
            state = self._await_state(token)
            plan = plan_from_ros(message)
            cut = plan.alpha if math.isnan(alpha) else check_degree(alpha, "alpha")
            goal = check_goal(parse_expression(plan.goal), self.domain, state.instance)
            memberships = self._make_memberships(time.monotonic() + VALIDATION_TIME, token)
            return verify(
                self.domain,
                state.instance,
                plan,
                goal,
                memberships,
                alpha=cut,
                resources=state.resources,
                rules=self._session.rules,
            )
        except UNCHECKABLE as error:
            raise UncheckableError(str(error)) from error

    def _solve(
        self,
        goal: str,
        options: PlanningOptions,
        asked: float,
        state: WorldState,
        token: CancelToken,
        progress: ProgressCallback,
    ) -> PlanningResult:
        if not find_problems(options) and time.monotonic() - asked >= options.time_limit:
            sentence = (
                f"The time limit of {options.time_limit:g} s passed while the request waited for "
                "others: ask again, or give more time."
            )
            return PlanningResult(PlanStatus.TIMEOUT, sentence, alpha=options.alpha)
        return plan_goal(
            self.domain,
            state.instance,
            goal,
            options,
            self._make_memberships(asked + options.time_limit, token),
            resources=state.resources,
            cancelled=lambda: token.cancelled,
            progress=progress,
            session=self._session,
            start=RequestStart(asked, measure_memory()),
        )

    def _await_state(self, token: CancelToken, deadline: float = math.inf) -> WorldState:
        """Return the present state; right after the start it may take a moment to arrive.

        Args:
            token: Ends the waiting.
            deadline: No longer than until then (s, of `time.monotonic`).
        """
        wait = self._parameters.number("scene_wait")
        if deadline - time.monotonic() < wait:
            wait = max(0.0, deadline - time.monotonic())
        self._scene.wait_for_first(wait, token)
        state = self._scene.state(self.domain)
        self._warn_once(state.notes)
        return state

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

    def _make_origin(self, asked: str, state: WorldState) -> PlanOrigin:
        return PlanOrigin(
            asked=asked,
            scene_sequence=state.graph.sequence,
            stamp=self._now(),
            frame_id=state.graph.frame_id,
            units={name: item.unit for name, item in self.domain.resources.items()},
        )


def refuse_request(asked: str, status: PlanStatus, sentence: str) -> Any:
    """Make the PlanResult message of a request that was not planned for."""
    return result_to_ros(PlanningResult(status, sentence), PlanOrigin(asked=asked))
