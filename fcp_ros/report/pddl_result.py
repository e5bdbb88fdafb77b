# SPDX-License-Identifier: Apache-2.0
"""A planning result for PDDL files: its steps, goal and sentences in their notation."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.domain.pddl import PddlTask
from fcp_ros.domain.pddl.notation import PddlNotation
from fcp_ros.planning import Explanation, Plan, PlanningResult


def to_pddl_result(result: PlanningResult, task: PddlTask, goal: str) -> PlanningResult:
    """Return the result with everything that a person reads in PDDL, and the notes on the files.

    Rules and their arguments in the plan's steps stay: they are what the domain of the task has.

    Args:
        result: the planner's answer.
        task: the task.
        goal: the goal as the user wrote it.
    """
    write = PddlNotation(task).write_sentence
    verdict, conflict = result.verification, result.conflict
    if conflict is not None:
        parts = tuple(map(write, conflict.parts))
        conflict = replace(conflict, parts=parts, reason=write(conflict.reason))
    if verdict is not None:
        verdict = replace(verdict, problems=tuple(map(write, verdict.problems)))
    return replace(
        result,
        message=write(result.message),
        plan=None if result.plan is None else _write_plan(result.plan, task, goal),
        candidates=tuple(replace(one, reason=write(one.reason)) for one in result.candidates),
        verification=verdict,
        goal=goal,
        explanation=_write_explanation(result.explanation, task),
        given_up=tuple(replace(one, text=write(one.text)) for one in result.given_up),
        kept_preferences=tuple(
            replace(one, text=write(one.text)) for one in result.kept_preferences
        ),
        conflict=conflict,
        notes=(*map(str, task.notes), *result.notes),
    )


def _write_plan(plan: Plan, task: PddlTask, goal: str) -> Plan:
    write = PddlNotation(task).write_step
    steps = (replace(step, text=write(step.rule, dict(step.arguments))) for step in plan.steps)
    return replace(plan, goal=goal, steps=tuple(steps))


def _write_explanation(explanation: Explanation | None, task: PddlTask) -> Explanation | None:
    if explanation is None:
        return None
    write = PddlNotation(task).write_sentence
    objects = frozenset(task.objects)
    return replace(
        explanation,
        shares=tuple(replace(share, what=write(share.what)) for share in explanation.shares),
        binding=write(explanation.binding),
        considered={
            name: write(why) for name, why in explanation.considered.items() if name in objects
        },
        elements=len(objects),
    )
