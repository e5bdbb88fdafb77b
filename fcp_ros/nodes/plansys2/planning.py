# SPDX-License-Identifier: Apache-2.0
"""Plans for PDDL texts, as PlanSys2 wants them: each action with its time and its duration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fcp_ros.domain.pddl.durative import compute_duration
from fcp_ros.domain.pddl.pddl_task import PddlNotation, PddlTask
from fcp_ros.domain.pddl.source_text import Source, UnsupportedPddl
from fcp_ros.domain.pddl.task_reader import PddlTexts, read_texts, work_out
from fcp_ros.foundation.input_error import InputError
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise, Phase, PlanningOptions, ignore_progress
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch
from fcp_ros.planning.planner import plan
from fcp_ros.planning.session import PlanningRequest

GAP = 0.001
"""Seconds between two actions, and for one that has no duration, as POPF's plans have them."""

_UNSOLVABLE = (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_INCOMPLETELY)
_ONLY_SEQUENCES = " Only plans whose durative actions follow one another were looked for."
_NOTHING_TO_DO = "The goal holds already."


@dataclass(frozen=True)
class TimedAction:
    """An action of a plan."""

    time: float  # of its start (s)
    text: str  # `(move r2 kitchen hall)`
    duration: float  # (s)


@dataclass(frozen=True)
class TimedPlan:
    """A plan, or none."""

    actions: tuple[TimedAction, ...]
    status: PlanStatus
    sentence: str


def make_plan(
    domain: str,  # a domain file
    problem: str,  # a problem file
    options: PlanningOptions,
    start: RequestStart,  # the time limit runs from then
    cancelled: Callable[[], bool],
) -> TimedPlan:
    """Plan for two PDDL texts; every failure is a status with a sentence, nothing is raised."""
    check = Watch(options, cancelled, ignore_progress, start, Phase.PARSE).check
    try:
        check()
        sources = Source("the domain", domain), Source("the problem", problem)
        texts = read_texts(*sources, sequential=True, check=check)
        return _plan(texts, work_out(texts, check), options, start, cancelled)
    except Interrupted as reason:
        return TimedPlan((), reason.status, reason.sentence)
    except UnsupportedPddl as error:
        return TimedPlan((), PlanStatus.UNSUPPORTED, str(error))
    except InputError as error:
        return TimedPlan((), PlanStatus.INVALID_REQUEST, str(error))


def _plan(
    texts: PddlTexts,
    task: PddlTask,
    options: PlanningOptions,
    start: RequestStart,
    cancelled: Callable[[], bool],
) -> TimedPlan:
    if task.minimises_cost:
        options = replace(options, optimise=Optimise.COST)
    result = plan(
        PlanningRequest(
            task.domain,
            task.instance,
            task.goal,
            options,
            NoMemberships(),
            cancelled=cancelled,
            start=start,
        )
    )
    sentence = PddlNotation(task).write_sentence(result.message)
    if not result.status.solved or result.plan is None:
        sequences = texts.domain.durative and result.status in _UNSOLVABLE
        return TimedPlan((), result.status, sentence + (_ONLY_SEQUENCES if sequences else ""))
    actions = tuple(_time(result.plan, texts, task))
    return TimedPlan(actions, result.status, sentence if actions else _NOTHING_TO_DO)


def _time(found: Plan, texts: PddlTexts, task: PddlTask) -> Iterator[TimedAction]:
    notation = PddlNotation(task)
    durative = {action.name: action for action in texts.domain.durative}
    now = 0.0
    for step in found.steps:
        bound, form = dict(step.arguments), task.forms[step.rule]
        action, duration = durative.get(form.action.lower()), GAP
        if action is not None:
            arguments = [bound[name].lower() for name in form.parameters]
            duration = float(compute_duration(action, arguments, texts.problem.values))
        yield TimedAction(now, notation.write_step(step.rule, bound), duration)
        now += duration + GAP
