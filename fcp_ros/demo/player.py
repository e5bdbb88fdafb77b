# SPDX-License-Identifier: Apache-2.0
"""Play one story on live nodes, and record how it ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.action import AchieveGoal
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.client import FcpClient, FcpError
from fcp_ros.cset import Instance
from fcp_ros.demo.stories import Story
from fcp_ros.domain import Domain
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.grounding import JudgementRequest, Membership
from fcp_ros.language.confirmation import YES
from fcp_ros.language.reading import Interpretation
from fcp_ros.msg import ActionOutcome, CalibrationEntry, Question
from fcp_ros.nodes.conversions.common import duration_from_ros
from fcp_ros.nodes.conversions.judgement import membership_from_ros, request_to_ros
from fcp_ros.nodes.conversions.plan import step_from_ros
from fcp_ros.nodes.conversions.planning import interpretation_from_ros, result_from_ros
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.planning import PlanningResult
from fcp_ros.planning.traces import trace_plan
from fcp_ros.report.demo_report import (
    CalibratedDegree,
    Episode,
    StepOutcome,
    describe_understanding,
)
from fcp_ros.scene import SceneGraph

ACHIEVE_TIMEOUT = 300.0
Entries = dict[tuple[str, str], CalibrationEntry]


class Player:
    """A client of the live nodes, as a task manager would use it, and the judge of stories.

    `oracle`: the model that judged last; "" before the first judgement.
    """

    def __init__(
        self, client: FcpClient, domain: Domain, policies: Sequence[GeneralPolicy] = ()
    ) -> None:
        self._client = client
        self._domain = domain
        self._policies = {policy.name: policy for policy in policies}
        self.oracle = ""

    def judge(self, requests: Sequence[JudgementRequest]) -> list[Membership]:
        """Return degrees from the live grounder, in the order of the requests."""
        response = self._client.judge(*(request_to_ros(request) for request in requests))
        if not response.success:
            raise FcpError(response.message)
        memberships = [membership_from_ros(message) for message in response.memberships]
        if memberships:
            self.oracle = f"{memberships[0].source}: {memberships[0].model}"
        return memberships

    def fetch_graph(self) -> SceneGraph:
        message = self._client.scene()
        if message is None:
            raise FcpError("The scene_graph node has no scene graph: see the nodes' log.")
        return graph_from_ros(message)

    def fetch_state(self) -> Instance:
        """Fetch the current scene graph as the planner sees it."""
        domain = self._domain
        return scene_to_instance(self.fetch_graph(), domain.schema, domain.mapping).instance

    def choose_element(self, story: Story) -> str:
        """Plan a story without executing it, and return the element that the plan would use."""
        result = result_from_ros(self._client.plan(story.goal, alpha=story.alpha))
        if result.plan is None or not result.plan.binding:
            raise FcpError(f"No plan for {story.goal}: {result.message}")
        return result.plan.binding[0][1]

    def plan_story(self, story: Story) -> PlanningResult:
        if story.instruction:
            return result_from_ros(self._client.ask(story.instruction, alpha=story.alpha))
        return result_from_ros(self._client.plan(story.goal, alpha=story.alpha, relax=story.relax))

    def play(self, story: Story) -> Episode:
        """Play a story; failures are part of the episode, not errors."""
        graph, before = self.fetch_graph(), self._calibration()
        outcomes: tuple[StepOutcome, ...] = ()
        replans, error = 0, ""
        interpretation: Interpretation | None = None
        questions: list[str] = []

        def say_yes(question: Question) -> int:
            questions.append(question.text)
            return question.choices.index(YES) if YES in question.choices else 0

        if story.execute:
            answer: AchieveGoal.Result = self._client.achieve(
                story.goal,
                instruction=story.instruction,
                alpha=story.alpha,
                relax=story.relax,
                optimise=story.optimise,
                timeout=ACHIEVE_TIMEOUT,
                on_question=say_yes if story.instruction else None,
            )
            result = result_from_ros(answer.plan_result)
            interpretation = interpretation_from_ros(answer.plan_result.interpretation)
            outcomes = tuple(_convert_outcome(message) for message in answer.outcomes)
            replans, error = answer.replans, answer.error_msg
        else:
            answered = self._client.plan(story.goal, alpha=story.alpha, explain=True)
            result = self._add_traces(result_from_ros(answered), graph)
        as_expected = _is_as_expected(story, result, outcomes, error)
        best = None if interpretation is None else interpretation.best
        return Episode(
            number=story.number,
            title=story.title,
            story=" ".join((story.text, *map(_write_question, questions))),
            goal=story.goal if best is None else best.goal,
            alpha=story.alpha,
            result=result,
            scene=graph,
            outcomes=outcomes,
            replans=replans,
            calibration=_compare_calibration(before, self._calibration()),
            expectation=story.expectation,
            as_expected=as_expected,
            verdict=_summarise(result, outcomes, replans, error),
            understood=None if interpretation is None else describe_understanding(interpretation),
            policy=self._policies.get(result.policy),
        )

    def _add_traces(self, result: PlanningResult, graph: SceneGraph) -> PlanningResult:
        """Add the traces of constraints and preferences, which messages do not have."""
        if result.plan is None:
            return result
        domain = self._domain
        state = scene_to_instance(graph, domain.schema, domain.mapping).instance
        return replace(result, traces=trace_plan(domain, state, result.goal, result.plan))

    def _calibration(self) -> Entries:
        response = self._client.calibration()
        return {(entry.predicate, entry.context): entry for entry in response.entries}


def _is_as_expected(
    story: Story, result: PlanningResult, outcomes: Sequence[StepOutcome], error: str
) -> bool:
    """Return True if the planner and the executors did what the story promises."""
    if not story.is_answered_by(result):
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


def _summarise(
    result: PlanningResult, outcomes: Sequence[StepOutcome], replans: int, error: str
) -> str:
    failed = [outcome for outcome in outcomes if outcome.outcome is not OutcomeCode.SUCCEEDED]
    if not result.status.solved:
        return f"Nothing was executed: {result.message}"
    assert result.plan is not None
    binding = ", ".join(f"{name} = {element}" for name, element in result.plan.binding)
    words = f"Membership {result.plan.membership:.2f}" + (f" with {binding}" if binding else "")
    if not outcomes:
        return f"Planned only: {words}."
    done = f"{len(outcomes) - len(failed)} of {len(outcomes)} steps succeeded"
    again = f", replanned {replans} time{'' if replans == 1 else 's'}" if replans else ""
    return f"{words}; {done}{again}." + (f" {error}" if error else "")


def _write_question(text: str) -> str:
    """Write a question that the demonstration has said yes to."""
    return f"It asked: \u201c{text}\u201d The answer was yes."


def _convert_outcome(message: ActionOutcome) -> StepOutcome:
    return StepOutcome(
        index=message.step_index,
        step=str(step_from_ros(message.step)),
        outcome=OutcomeCode(message.outcome.code),
        duration=duration_from_ros(message.duration),
        quality=message.quality if message.quality_measured else None,
        message=message.outcome.message,
    )


def _compare_calibration(before: Entries, after: Entries) -> tuple[CalibratedDegree, ...]:
    """List the degrees that outcomes have moved, the largest change first."""
    changes = []
    for key, entry in after.items():
        earlier = before[key].degree if key in before else entry.prior
        count = before[key].evidence_count if key in before else 0
        if entry.evidence_count != count:
            changes.append(
                CalibratedDegree(
                    entry.predicate,
                    describe_context(entry.context),
                    earlier,
                    entry.degree,
                    entry.evidence_count,
                )
            )
    return tuple(sorted(changes, key=lambda c: (-abs(c.after - c.before), c.context)))


def describe_context(context: str) -> str:
    """Describe a context key by the names of its arguments, or else by their categories."""
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
