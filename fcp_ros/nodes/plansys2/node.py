# SPDX-License-Identifier: Apache-2.0
"""The node ``plansys2_bridge``: PlanSys2's clients get plans from this planner."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from std_msgs.msg import Empty

from fcp_ros.domain.pddl.source_text import Source, read_source
from fcp_ros.foundation.input_error import InputError
from fcp_ros.nodes.plansys2.knowledge import ExpertDomain, Knowledge
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import (
    DOMAIN_FILES,
    DOMAIN_FOLDERS,
    ParameterSpec,
    TakesEffect,
)
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefusal, RequestRefused
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import RequestStart, measure_memory
from fcp_ros.planning.warm_up import compile_missing_kernels, warm_up

PACKAGE = "plansys2_msgs"
PLANNER, DOMAIN_EXPERT, PROBLEM_EXPERT = "planner", "domain_expert", "problem_expert"
PARTS = (PLANNER, DOMAIN_EXPERT, PROBLEM_EXPERT)
"""The nodes of PlanSys2 whose services are offered; each is a name before theirs."""

PARAMETERS = (
    ParameterSpec(
        "parts",
        list(PARTS),
        "The nodes of PlanSys2 that this one stands for; the others run beside it.",
        choices=PARTS,
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec(
        "model_file",
        "",
        "PDDL domain file of the experts.",
        files=DOMAIN_FILES,
    ),
    ParameterSpec(
        "problem_file",
        "",
        "PDDL problem file that the problem expert begins with; empty: it knows nothing.",
        files=DOMAIN_FILES,
    ),
    DOMAIN_FOLDERS,
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

PLANS, KNOWLEDGE = "plans", "knowledge"
"""The work of the node's threads."""
QUEUED = 200
"""Questions and changes that may wait for others; each takes milliseconds."""


class Plansys2Bridge(ManagedNode):
    """Stands for PlanSys2's planner, domain expert and problem expert.

    Services ``planner/get_plan`` and ``planner/validate_domain``, all of ``domain_expert/`` and
    ``problem_expert/`` (plansys2_msgs). Publishes ``problem_expert/knowledge`` (Knowledge, latched)
    and ``problem_expert/update_notify`` (Empty). Requests for plans wait for one another, and so do
    questions and changes: a change is seen by each question that comes after its answer.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("plansys2_bridge", PARAMETERS, **kwargs)
        self._parts = self.parameters.texts("parts")
        self._known: Knowledge | None = None  # changes in the thread for KNOWLEDGE only
        self._last_answer = ""
        self._knowledge_publisher: Any = None
        self._update_publisher: Any = None
        self._is_installed = find_spec(PACKAGE) is not None
        if self._is_installed:
            self._offer_services()

    def _offer_services(self) -> None:
        from plansys2_msgs import srv

        from fcp_ros.nodes.plansys2.domain_expert import SERVICES
        from fcp_ros.nodes.plansys2.problem_expert import CHANGES, QUESTIONS

        if PLANNER in self._parts:
            self._offer(srv.GetPlan, f"{PLANNER}/get_plan", self._get_plan)
            self._offer(srv.ValidateDomain, f"{PLANNER}/validate_domain", self._validate)
            # Before any thread of a node runs: numba imports modules as it goes.
            compile_missing_kernels(self.get_logger().warning)
            warm_up()
        for part, questions in ((DOMAIN_EXPERT, SERVICES), (PROBLEM_EXPERT, QUESTIONS)):
            for name, kind, answer in questions if part in self._parts else ():
                self._offer(kind, f"{part}/{name}", self._serve(answer))
        for name, kind, change in CHANGES if PROBLEM_EXPERT in self._parts else ():
            self._offer(kind, f"{PROBLEM_EXPERT}/{name}", self._serve_change(change))

    def _offer(self, kind: Any, name: str, serve: Callable[[Any, Any], Any]) -> None:
        self.offer_service(kind, name, serve, _refuse)

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        if not self._is_installed:
            raise ConfigureError(
                f"the package {PACKAGE} is not installed: build and source it (docs/plansys2.md), "
                "and start this node again."
            )
        self.workers.open(PLANS, self.parameters.integer("queue_size"), patience=5.0)
        self.workers.open(KNOWLEDGE, QUEUED)
        if DOMAIN_EXPERT in self._parts or PROBLEM_EXPERT in self._parts:
            self._known = self._read_files()
        if PROBLEM_EXPERT in self._parts:
            from plansys2_msgs.msg import Knowledge as KnowledgeMessage

            topic = f"{PROBLEM_EXPERT}/knowledge"
            self._knowledge_publisher = self.publish_state(KnowledgeMessage, topic)
            topic = f"{PROBLEM_EXPERT}/update_notify"
            self._update_publisher = self.publish_events(Empty, topic)

    def _read_files(self) -> Knowledge:
        model, problem = self.parameters.file("model_file"), self.parameters.file("problem_file")
        if not model:
            raise ConfigureError(
                "the experts need a domain: set model_file to a PDDL domain, or parts to [planner]."
            )
        try:
            known = Knowledge.empty(ExpertDomain.read(read_source(model)))
            return known.add_problem(read_source(problem).text) if problem else known
        except InputError as error:
            raise ConfigureError(f"the files of the experts can't be used: {error}") from error

    def activate(self) -> None:
        self._publish()

    def deactivate(self) -> None:
        self.workers.cancel_jobs()

    def release(self) -> None:
        super().release()
        self._known = self._knowledge_publisher = self._update_publisher = None
        self._last_answer = ""

    def diagnose(self) -> Diagnosis:
        known = self._known
        values: dict[str, object] = {
            "parts": ", ".join(self._parts),
            "requests_for_plans": self.workers.find_load(PLANS),
            "last_answer": self._last_answer,
        }
        if known is not None:
            values["domain"] = known.model.domain.name
            values["instances"] = len(known.instances)
            values["facts"] = sum(map(len, known.problem.facts.values()))
        return Diagnosis(values=values)

    # --- experts --------------------------------------------------------------------------------

    def _serve(self, answer: Callable[[Knowledge, Any, Any], None]) -> Callable[[Any, Any], Any]:
        """Answer a question in the thread that changes what is known."""

        async def serve(request: Any, response: Any) -> Any:
            def run(_token: CancelToken) -> None:
                answer(self._get_known(), request, response)

            await self._await_expert(run)
            return _succeed(response)

        return serve

    def _serve_change(self, change: Callable[[Knowledge, Any], Knowledge]) -> Any:
        async def serve(request: Any, response: Any) -> Any:
            def run(_token: CancelToken) -> None:
                self._known = change(self._get_known(), request)
                self._publish()

            await self._await_expert(run)
            return _succeed(response)

        return serve

    async def _await_expert(self, run: Callable[[CancelToken], None]) -> None:
        try:
            await self.await_answer(self.workers[KNOWLEDGE].submit(run).answer)
        except InputError as error:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error

    def _get_known(self) -> Knowledge:
        if self._known is None:
            raise InputError("The node has been cleaned up meanwhile: ask again when it is active.")
        return self._known

    def _publish(self) -> None:
        known, publisher = self._known, self._knowledge_publisher
        if known is None or publisher is None:
            return
        from fcp_ros.nodes.plansys2.problem_expert import write_knowledge

        publisher.publish(write_knowledge(known))
        self._update_publisher.publish(Empty())

    # --- planner --------------------------------------------------------------------------------

    async def _get_plan(self, request: Any, response: Any) -> Any:
        from plansys2_msgs.msg import PlanItem

        from fcp_ros.nodes.plansys2.planning import make_plan

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
        def run(_token: CancelToken) -> None:
            ExpertDomain.read(Source("the domain", request.domain))

        await self._await_expert(run)
        return _succeed(response)


def _succeed(response: Any) -> Any:
    if hasattr(response, "success"):  # `ExistNode` has none
        response.success = True
    return response


def _refuse(response: Any, refusal: RequestRefusal) -> Any:
    if hasattr(response, "success"):
        response.success, response.error_info = False, refusal.sentence
    return response


def main() -> int:
    return run_node(Plansys2Bridge)
