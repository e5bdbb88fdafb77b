# SPDX-License-Identifier: Apache-2.0
"""A robot that grasps things: the question to the grounder, and how a pick of theirs went."""

from __future__ import annotations

from typing import Any

from fcp_ros.client import Element, predicate_query
from fcp_ros.msg import ActionOutcome, Judgement, OutcomeCode, PlanStep

MUG = Element("mug_1", "mug", {"name": "mug_1"})


def ask_grasp(item: Element = MUG) -> Any:
    """The question how well the robot grasps a thing."""
    return predicate_query("can_grasp", robot=Element("robot_1", "robot"), item=item)


GRASP = ask_grasp()


def pick_outcome(
    code: int = OutcomeCode.SUCCEEDED, query: Any = GRASP, quality: float | None = None
) -> ActionOutcome:
    """The outcome of a pick that relied on one judgement."""
    return ActionOutcome(
        step=PlanStep(rule="pick", judgements=[Judgement(query=query)]),
        outcome=OutcomeCode(code=code),
        quality_measured=quality is not None,
        quality=quality or 0.0,
    )
