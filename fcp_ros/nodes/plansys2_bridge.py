# SPDX-License-Identifier: Apache-2.0
"""The node ``plansys2_bridge``: PlanSys2's clients get plans from this planner.

Plans for PDDL texts, as PlanSys2 wants them: each action with its time and its duration.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from fcp_ros.domain.pddl.domain_file import read_domain
from fcp_ros.domain.pddl.durative import compute_duration, sequence_actions
from fcp_ros.domain.pddl.pddl_task import PddlNotation, PddlTask
from fcp_ros.domain.pddl.source_text import Source, UnsupportedPddl
from fcp_ros.domain.pddl.syntax_checks import check_domain_features, check_domain_names
from fcp_ros.domain.pddl.task_reader import PddlTexts, read_texts, work_out
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import never_stop
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import ParameterSpec, TakesEffect
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefusal, RequestRefused
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise, Phase, PlanningOptions, ignore_progress
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch, measure_memory
from fcp_ros.planning.planner import plan
from fcp_ros.planning.session import PlanningRequest
from fcp_ros.planning.warm_up import compile_missing_kernels, warm_up

# --- plans for PDDL texts ---

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


def check_domain(text: str) -> None:
    """Read a domain file. Raises UnsupportedPddl, PddlError as the reader does."""
    source = Source("the domain", text)
    domain = sequence_actions(read_domain(source, never_stop, durative=True), source)
    check_domain_features(domain, source)
    check_domain_names(domain, source)


# --- the node ---

PACKAGE = "plansys2_msgs"

PARAMETERS = (
    ParameterSpec(
        "plan_solver_timeout",
        15.0,
        "The time after which PlanSys2's clients stop waiting for a plan, theirs by the same name "
        "[s]. A request is answered within 9 tenths of it, its wait for others included.",
        minimum=0.5,
        maximum=3600.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "improve_time",
        2.0,
        "Longest time to look for a plan of fewer actions once there is one [s].",
        minimum=0.0,
        maximum=3600.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec(
        "queue_size",
        20,
        "Requests for plans that may wait while one is planned for.",
        minimum=0,
        maximum=1000,
    ),
)

SHARE = 0.9
"""Share of the client's wait within which it is answered: else it never hears why."""

PLANS, CHECKS = "plans", "checks"
"""The work of the node's threads; a check takes milliseconds and waits for no plan."""


class Plansys2Bridge(ManagedNode):
    """Stands for PlanSys2's planner.

    Services ``planner/get_plan`` and ``planner/validate_domain`` (plansys2_msgs). Requests for
    plans wait for one another; PlanSys2's own experts run beside this node.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("plansys2_bridge", PARAMETERS, **kwargs)
        self._last_answer = ""
        self._is_installed = find_spec(PACKAGE) is not None
        if self._is_installed:
            from plansys2_msgs import srv

            self.offer_service(srv.GetPlan, "planner/get_plan", self._get_plan, _refuse)
            self.offer_service(
                srv.ValidateDomain, "planner/validate_domain", self._validate, _refuse
            )
            # Before any thread of a node runs: numba imports modules as it goes.
            compile_missing_kernels(self.get_logger().warning)
            warm_up()

    def configure(self) -> None:
        if not self._is_installed:
            raise ConfigureError(
                f"the package {PACKAGE} is not installed: build and source it (docs/plansys2.md), "
                "and start this node again."
            )
        self.workers.open(PLANS, self.parameters.integer("queue_size"), patience=5.0)
        self.workers.open(CHECKS, self.parameters.integer("queue_size"))

    def deactivate(self) -> None:
        self.workers.cancel_jobs()

    def release(self) -> None:
        super().release()
        self._last_answer = ""

    def diagnose(self) -> Diagnosis:
        return Diagnosis(
            values={
                "requests_for_plans": self.workers.find_load(PLANS),
                "last_answer": self._last_answer,
            }
        )

    async def _get_plan(self, request: Any, response: Any) -> Any:
        from plansys2_msgs.msg import PlanItem

        start = RequestStart(time.monotonic(), measure_memory())
        options = PlanningOptions(
            time_limit=SHARE * self.parameters.number("plan_solver_timeout"),
            improve_time=self.parameters.number("improve_time"),
        )
        job = self.workers[PLANS].submit(
            lambda token: make_plan(
                request.domain, request.problem, options, start, lambda: token.cancelled
            )
        )
        answer = await self.await_answer(job.answer)  # ends at its time limit
        self._last_answer = answer.status.name
        self.get_logger().info(f"{answer.status.name}: {answer.sentence}")
        response.success = answer.status.solved
        if answer.status is PlanStatus.CANCELLED:
            sentence = "The node stopped planning: it was deactivated or cleaned up."
            raise RequestRefused(RefusalKind.NODE_INACTIVE, sentence)
        if not response.success or not answer.actions:
            response.error_info = f"{answer.status.name}: {answer.sentence}"
        response.plan.items = [
            PlanItem(time=one.time, action=one.text, duration=one.duration)
            for one in answer.actions
        ]
        return response

    async def _validate(self, request: Any, response: Any) -> Any:
        job = self.workers[CHECKS].submit(lambda _token: check_domain(request.domain))
        try:
            await self.await_answer(job.answer)
        except InputError as error:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error
        response.success = True
        return response


def _refuse(response: Any, refusal: RequestRefusal) -> Any:
    response.success, response.error_info = False, refusal.sentence
    return response


def main() -> int:
    return run_node(Plansys2Bridge)
