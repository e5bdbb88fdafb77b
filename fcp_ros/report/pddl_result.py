# SPDX-License-Identifier: Apache-2.0
"""A planning result for PDDL files: its steps, goal and sentences in their notation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fcp_ros.domain.model import Domain
from fcp_ros.domain.pddl import PddlTask
from fcp_ros.domain.pddl.pddl_task import MetricValue, PddlNotation
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import write_decimal
from fcp_ros.planning import Explanation, Plan, PlanningResult
from fcp_ros.planning.model.ground_step import compute_cost
from fcp_ros.planning.model.result import GivenUp

_NAME = re.compile(r"[A-Za-z][\w-]*\Z", re.ASCII)


class NotPddl(InputError):
    """The plan contains a name that PDDL does not allow; the message quotes it."""


def to_ipc_plan(
    plan: Plan, domain: Domain, task: PddlTask | None = None, given_up: Sequence[GivenUp] = ()
) -> str:
    """Return the plan as the text of an IPC plan file, in the words of a PDDL task, if any.

    Its cost is the value of the metric, with its constants and the initial values of its functions;
    without one, the number of steps and of the preferences given up. Raises NotPddl for a name that
    PDDL does not allow.
    """
    lines: list[str] = []
    cost = sum((Fraction(str(one.cost)) for one in given_up), Fraction(0))
    for step in plan.steps:
        bound = dict(step.arguments)
        cost += compute_cost(domain.rules[step.rule], tuple(bound.values()))
        if task is None:
            lines.append(_format_action(step.rule, tuple(bound.values())))
        else:
            form = task.forms[step.rule]
            # Names of PDDL files have been checked by their reader, which takes leading digits.
            lines.append(f"({' '.join((form.action, *(bound[name] for name in form.parameters)))})")
    metric = MetricValue() if task is None else task.metric
    is_count = _has_unit_cost(domain) and not given_up and metric == MetricValue()
    kind = "unit cost" if is_count else "general cost"
    cost = metric.compute(cost)
    return "\n".join((*lines, f"; cost = {write_decimal(cost)} ({kind})", ""))


def _format_action(action: str, objects: Sequence[str]) -> str:
    for name in (action, *objects):
        if not _NAME.match(name):
            raise NotPddl(
                f"{name!r} is not allowed in an IPC plan (a letter, then letters, digits, - and "
                "_): rename it, or write the plan as JSON"
            )
    return f"({' '.join((action, *objects))})"


def _has_unit_cost(domain: Domain) -> bool:
    return all(rule.cost.base == 1.0 and not rule.cost.terms for rule in domain.rules.values())


# --- a planning result for PDDL files ---


def to_pddl_result(result: PlanningResult, task: PddlTask, goal: str) -> PlanningResult:
    """Return the result with everything that a person reads in PDDL, and the notes on the files.

    Rules and their arguments in the plan's steps stay: they are what the domain of the task has.
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
