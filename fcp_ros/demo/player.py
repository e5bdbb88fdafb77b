# SPDX-License-Identifier: Apache-2.0
"""Plays one story on live nodes and records what came of it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fcp_ros.action import AchieveGoal
from fcp_ros.binding import scene_to_instance
from fcp_ros.client import FcpClient, FcpError
from fcp_ros.cset import Instance
from fcp_ros.demo.stories import Story
from fcp_ros.domain import Domain
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.grounding import JudgementRequest, Membership
from fcp_ros.msg import ActionOutcome, CalibrationEntry
from fcp_ros.nodes.conversions.common import duration_from_ros
from fcp_ros.nodes.conversions.judgement import membership_from_ros, request_to_ros
from fcp_ros.nodes.conversions.plan import step_from_ros
from fcp_ros.nodes.conversions.planning import result_from_ros
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.planning import PlanningResult
from fcp_ros.report.demo_report import CalibratedDegree, Episode, StepOutcome
from fcp_ros.scene import SceneGraph

ACHIEVE_TIMEOUT = 300.0
Entries = dict[tuple[str, str], CalibrationEntry]


class Player:
    """Asks the nodes through the client that a task manager would use.

    It is a membership source, too: stories are chosen by the degrees of the live grounder.

    Attributes:
        oracle: which model judged last; "" before the first judgement.
    """

    def __init__(self, client: FcpClient, domain: Domain) -> None:
        self._client = client
        self._domain = domain
        self.oracle = ""

    def judge(self, requests: Sequence[JudgementRequest]) -> list[Membership]:
        """Degrees from the live grounder, in the order of the requests.

        Raises:
            FcpError: it refuses, or does not answer.
        """
        response = self._client.judge(*(request_to_ros(request) for request in requests))
        if not response.success:
            raise FcpError(response.message)
        memberships = [membership_from_ros(message) for message in response.memberships]
        if memberships:
            self.oracle = f"{memberships[0].source}: {memberships[0].model}"
        return memberships

    def graph(self) -> SceneGraph:
        """The scene graph as the nodes have it now.

        Raises:
            FcpError: there is none.
        """
        message = self._client.scene()
        if message is None:
            raise FcpError("The scene_graph node has no scene graph: see the nodes' log.")
        return graph_from_ros(message)

    def state(self) -> Instance:
        """The scene graph as the planner sees it."""
        domain = self._domain
        return scene_to_instance(self.graph(), domain.schema, domain.mapping).instance

    def choice(self, story: Story) -> str:
        """The element that a plan for this story would rest on, without executing it.

        Raises:
            FcpError: there is no plan.
        """
        result = result_from_ros(self._client.plan(story.goal, alpha=story.alpha))
        if result.plan is None or not result.plan.binding:
            raise FcpError(f"No plan for {story.goal}: {result.message}")
        return result.plan.binding[0][1]

    def play(self, story: Story) -> Episode:
        """Plays a story; what goes wrong is part of the episode, not an error."""
        graph, before = self.graph(), self._calibration()
        outcomes: tuple[StepOutcome, ...] = ()
        replans, error = 0, ""
        if story.execute:
            answer: AchieveGoal.Result = self._client.achieve(
                story.goal, alpha=story.alpha, timeout=ACHIEVE_TIMEOUT
            )
            result = result_from_ros(answer.plan_result)
            outcomes = tuple(_step_outcome(message) for message in answer.outcomes)
            replans, error = answer.replans, answer.error_msg
        else:
            result = result_from_ros(self._client.plan(story.goal, alpha=story.alpha))
        as_expected = _came_out(story, result, outcomes, error)
        return Episode(
            number=story.number,
            title=story.title,
            story=story.text,
            goal=story.goal,
            alpha=story.alpha,
            result=result,
            scene=graph,
            outcomes=outcomes,
            replans=replans,
            calibration=_changed(before, self._calibration()),
            expectation=story.expectation,
            as_expected=as_expected,
            verdict=_verdict(result, outcomes, replans, error),
        )

    def _calibration(self) -> Entries:
        response = self._client.calibration()
        return {(entry.predicate, entry.context): entry for entry in response.entries}


def _came_out(
    story: Story, result: PlanningResult, outcomes: Sequence[StepOutcome], error: str
) -> bool:
    """Whether the planner and the executors did what the story promises."""
    if result.status not in story.statuses or bool(result.relaxations) != story.relaxed:
        return False
    if not result.status.solved:
        return not outcomes and result.plan is None
    assert result.plan is not None
    done = not story.execute or (
        not error and bool(outcomes) and outcomes[-1].outcome is OutcomeCode.SUCCEEDED
    )
    chosen = [element for _, element in result.plan.binding]
    failed = any(outcome.outcome is OutcomeCode.EXECUTION_FAILED for outcome in outcomes)
    avoided = not story.avoids or (story.avoids not in chosen and (failed or not story.execute))
    return done and avoided


def _verdict(
    result: PlanningResult, outcomes: Sequence[StepOutcome], replans: int, error: str
) -> str:
    """What came out, in one sentence."""
    failed = [outcome for outcome in outcomes if outcome.outcome is not OutcomeCode.SUCCEEDED]
    if not result.status.solved:
        return f"Nothing was executed: {result.message}"
    assert result.plan is not None
    binding = ", ".join(f"{name} = {element}" for name, element in result.plan.binding)
    words = f"Membership {result.plan.membership:.2f}" + (f" with {binding}" if binding else "")
    if not outcomes:
        return f"Planned only: {words}."
    done = f"{len(outcomes) - len(failed)} of {len(outcomes)} steps succeeded"
    again = f", planned anew {replans} time{'' if replans == 1 else 's'}" if replans else ""
    return f"{words}; {done}{again}." + (f" {error}" if error else "")


def _step_outcome(message: ActionOutcome) -> StepOutcome:
    return StepOutcome(
        index=message.step_index,
        step=str(step_from_ros(message.step)),
        outcome=OutcomeCode(message.outcome.code),
        duration=duration_from_ros(message.duration),
        quality=message.quality if message.quality_measured else None,
        message=message.outcome.message,
    )


def _changed(before: Entries, after: Entries) -> tuple[CalibratedDegree, ...]:
    """Degrees that outcomes moved, the most moved first."""
    changes = []
    for key, entry in after.items():
        earlier = before[key].degree if key in before else entry.prior
        count = before[key].evidence_count if key in before else 0
        if entry.evidence_count != count:
            changes.append(
                CalibratedDegree(
                    entry.predicate,
                    context_words(entry.context),
                    earlier,
                    entry.degree,
                    entry.evidence_count,
                )
            )
    return tuple(sorted(changes, key=lambda c: (-abs(c.after - c.before), c.context)))


def context_words(context: str) -> str:
    """A context key as people read it: the names, or else the categories, of its arguments."""
    try:
        arguments = json.loads(context)["arguments"]
        return ", ".join(
            str(
                argument.get("attributes", {}).get("name")
                or argument.get("category")
                or argument.get("text")
            )
            for argument in arguments
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return context
