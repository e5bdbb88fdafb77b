# SPDX-License-Identifier: Apache-2.0
"""The node ``grounder``: judges graded predicates, and learns from outcomes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Header

from fcp_ros.domain.model import TEXT, GradedPredicate
from fcp_ros.grounding import (
    ArgumentContext,
    CalibrationStore,
    EvidenceOrigin,
    Grounder,
    GroundingCode,
    GroundingError,
    JudgementRequest,
    make_grounder,
)
from fcp_ros.grounding.grounder import suggest_model
from fcp_ros.grounding.judgement import Membership
from fcp_ros.grounding.models.torch_device import measure_device_memory
from fcp_ros.msg import ActionOutcome, CalibrationEntry, GroundingInfo
from fcp_ros.nodes.conversions.common import ConversionError, duration_from_ros
from fcp_ros.nodes.conversions.judgement import (
    MEMBERSHIPS,
    refuse_judgement,
    request_from_ros,
)
from fcp_ros.nodes.grounder.learner import OutcomeLearner, OutcomeRecorder, make_entries
from fcp_ros.nodes.grounder.parameters import PARAMETERS, read_grounding_options
from fcp_ros.nodes.runtime.domain_parameter import choose_world, load_configured_domain
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.request_checks import (
    CLEANED_UP,
    RefusalKind,
    RequestRefused,
    fill_refusal,
    make_refusal,
)
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import CancelToken, JobCancelled, Worker, WorkerClosed
from fcp_ros.srv import GetCalibration, JudgePredicates, RecordOutcomes

MODEL = "grounder"
"""The work of the thread that the model lives in."""


class GrounderNode(ManagedNode):
    """Judges graded predicates.

    Services ``judge`` (JudgePredicates), ``confirm`` (the same, for what a plan rests on: the tuned
    encoder judges it again, and from then on that counts), ``calibration`` (GetCalibration) and
    ``record_outcomes`` (RecordOutcomes). Subscribes to ``outcomes`` (ActionOutcome, events; also
    while inactive, so that no evidence is lost); an outcome that comes by topic and by service, or
    several times, is evidence once. Publishes ``grounding_info`` (GroundingInfo, latched).

    The model lives in one worker thread; requests wait for it in a bounded queue. Evidence is
    written by a thread of its own, all that waits at once, and is on disk before the service
    answers.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("grounder", PARAMETERS, **kwargs)
        self._grounder: Grounder | None = None
        self._domain_name = ""
        self._evidence_lock = threading.Lock()
        self._evidence_count = 0
        self._learner: OutcomeLearner | None = None
        self._recorder: OutcomeRecorder | None = None
        self._origin = EvidenceOrigin()
        self._lost_outcomes = ""
        self._model_problem = ""
        self._info_publisher: Any = None
        self._published_info: GroundingInfo | None = None
        self.offer_service(JudgePredicates, "judge", self._judge)
        self.offer_service(JudgePredicates, "confirm", self._confirm)
        self.offer_service(GetCalibration, "calibration", self._calibration, once=True)
        self.offer_service(RecordOutcomes, "record_outcomes", self._record_outcomes)

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        """Read the domain, open the stores, check the model (the first question loads it)."""
        domain = load_configured_domain(self.parameters.file("domain"))
        simulated_time = bool(self.get_parameter("use_sim_time").value)
        world = choose_world(self.parameters, simulated_time=simulated_time)
        self._origin = EvidenceOrigin(self.get_namespace().strip("/"), world)
        try:
            options = read_grounding_options(self.parameters, self._origin)
            self._grounder = self.own(make_grounder(domain, options))
            self._evidence_count = len(self._grounder.calibration.entries())
        except GroundingError as error:
            raise ConfigureError(f"{error}.") from error
        for note in self._grounder.notes:
            self.get_logger().warning(note)
        if suggestion := suggest_model(options):
            self.get_logger().info(suggestion)
        self._learner = OutcomeLearner(
            self._grounder,
            domain,
            world,
            lambda: float(self.get_clock().now().nanoseconds / 1e9),
            self._report_loss,
        )
        self._domain_name = domain.name
        self.workers.open(MODEL, self.parameters.integer("queue_size"), patience=5.0)
        self._info_publisher = self.publish_state(GroundingInfo, "grounding_info")
        self._recorder = self.own(OutcomeRecorder(self._learn, self._report_loss))
        self.subscribe_events(ActionOutcome, "outcomes", self._take_outcome)

    def activate(self) -> None:
        grounder, worker = self._get_parts()
        self._published_info = None
        self._publish_info(self._make_info(grounder))
        if self.parameters.flag("warm_up"):
            worker.submit(lambda _token: self._warm_up(grounder))

    def deactivate(self) -> None:
        self.workers.cancel_jobs()

    def release(self) -> None:
        super().release()
        self._recorder = self._learner = self._grounder = None
        self._lost_outcomes = self._model_problem = ""

    def diagnose(self) -> Diagnosis:
        grounder, learner = self._grounder, self._learner
        if grounder is None or learner is None:
            return Diagnosis()
        info = self._make_info(grounder)
        self._publish_info(info)
        values = make_values(info, self.workers.find_load(MODEL)) | learner.values()
        problems = [self._model_problem, self._lost_outcomes, *list_concerns(grounder)]
        problem = "; ".join(dict.fromkeys(problem for problem in problems if problem))
        return Diagnosis(DiagnosticStatus.WARN if problem else DiagnosticStatus.OK, problem, values)

    def _get_parts(self) -> tuple[Grounder, Worker]:
        """Return the parts of an active node; raise if it was cleaned up this very moment."""
        grounder, worker = self._grounder, self.workers[MODEL]
        if grounder is None:
            raise WorkerClosed(CLEANED_UP)
        return grounder, worker

    def _warm_up(self, grounder: Grounder) -> None:
        problem = warm_up(grounder)
        if problem and self._grounder is grounder:  # else the node was cleaned up meanwhile
            self._model_problem = problem
            self.get_logger().error(problem)

    # --- judge ----------------------------------------------------------------------------------

    async def _judge(self, request: Any, response: Any) -> Any:
        return await self._answer(request, response, confirms=False)

    async def _confirm(self, request: Any, response: Any) -> Any:
        return await self._answer(request, response, confirms=True)

    async def _answer(self, request: Any, response: Any, *, confirms: bool) -> Any:
        grounder, worker = self._get_parts()
        limit = self._choose_limit(duration_from_ros(request.time_limit))
        try:
            requests = [request_from_ros(query) for query in request.queries]

            def judge(_token: CancelToken) -> list[Membership]:
                if confirms:  # what it finds counts from now on
                    grounder.confirm(requests)
                return grounder.judge(requests)

            answers = await self.await_job(worker, worker.submit(judge), limit)
        except GroundingError as error:
            return fill_refusal(response, refuse_judgement(error))
        except ConversionError as error:
            return fill_refusal(response, make_refusal(error))
        response.success = True
        response.message = f"{len(answers)} judged."
        response.memberships = MEMBERSHIPS.write_all(answers)
        return response

    def _choose_limit(self, asked: float) -> float:
        return asked if asked > 0.0 else self.parameters.number("judge_timeout")

    # --- calibration ----------------------------------------------------------------------------

    async def _record_outcomes(self, request: Any, response: Any) -> Any:
        recorder = self._recorder
        if recorder is None:
            raise RequestRefused(RefusalKind.NODE_INACTIVE, CLEANED_UP)
        try:
            for at, message in enumerate(request.outcomes):
                if problem := self._get_learner().find_problem(message):
                    sentence = f"outcomes[{at}] can't be used, and none was recorded: {problem}."
                    raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence)
            response.recorded = await self.await_answer(recorder.record(request.outcomes).answer)
        except GroundingError as error:
            raise RequestRefused(RefusalKind.INTERNAL_ERROR, str(error)) from error
        response.success = True
        response.message = f"{len(request.outcomes)} outcomes are on disk."
        return response

    def _take_outcome(self, message: ActionOutcome) -> None:
        learner, recorder = self._learner, self._recorder
        if learner is None or recorder is None:
            return
        if problem := learner.find_problem(message):
            self._report_loss(f"an outcome can't be used: {problem}")
        else:
            recorder.put(message)

    def _learn(self, messages: Sequence[ActionOutcome]) -> int:
        """Learn from outcomes, in the recorder's thread; return how many were new."""
        kept = self._get_learner().learn(messages)
        with self._evidence_lock:
            self._evidence_count += sum(max(count, 0) for count in kept)
        return sum(count >= 0 for count in kept)

    def _get_learner(self) -> OutcomeLearner:
        if self._learner is None:
            raise GroundingError(GroundingCode.STORE_FAILED, CLEANED_UP)
        return self._learner

    def _report_loss(self, reason: str) -> None:
        self._lost_outcomes = reason
        self.get_logger().warning(reason)

    async def _calibration(self, request: Any, response: Any) -> Any:
        grounder, worker = self._get_parts()
        predicate, context = request.predicate or None, request.context or None
        if request.operation not in (GetCalibration.Request.SHOW, GetCalibration.Request.RESET):
            sentence = f"The operation {request.operation} is unknown: SHOW is 0, RESET is 1."
            raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence)
        resets = request.operation == GetCalibration.Request.RESET

        def show(token: CancelToken) -> tuple[list[CalibrationEntry], str]:
            evidence = [
                item
                for item in grounder.calibration.entries(predicate)
                if context is None or item.context_key == context
            ]
            entries = make_entries(evidence, grounder.judge)
            if not resets:
                return entries, f"{len(evidence)} outcomes in {len(entries)} contexts."
            if token.cancelled:  # nobody waits for it any more
                raise JobCancelled("The request was given up.")
            return entries, self._reset(grounder.calibration, predicate, context)

        try:
            job = worker.submit(show)
            limit = self._choose_limit(0.0)
            response.entries, response.message = await self.await_job(worker, job, limit)
        except GroundingError as error:
            raise RequestRefused(RefusalKind.INTERNAL_ERROR, str(error)) from error
        response.success = True
        return response

    def _reset(self, store: CalibrationStore, predicate: str | None, context: str | None) -> str:
        reset = store.reset(predicate, context)
        with self._evidence_lock:
            self._evidence_count = len(store.entries())
        return f"Set {reset.count} outcomes aside (reset {reset.id})."

    # --- info -----------------------------------------------------------------------------------

    def _make_info(self, grounder: Grounder) -> GroundingInfo:
        statistics = grounder.statistics()
        default = self.parameters.text("oracle")
        models = {info.model for info in grounder.describe() if info.oracle == default}
        return GroundingInfo(
            domain=self._domain_name,
            predicates=sorted(grounder.predicates),
            default_oracle=default,
            model=", ".join(sorted(models)),
            device=self.parameters.text("device"),
            judged=statistics.misses,
            from_cache=statistics.memory_hits + statistics.file_hits,
            robot=self._origin.robot,
            world=self._origin.world.value,
            calibration_store=self._describe_store(grounder),
            evidence_count=self._evidence_count,
        )

    def _describe_store(self, grounder: Grounder) -> str:
        return str(grounder.calibration.path) if self.parameters.text("calibration_path") else ""

    def _publish_info(self, info: GroundingInfo) -> None:
        if self._published_info is not None:
            info.header = self._published_info.header  # its time is no news
        if info != self._published_info:
            info.header = Header(stamp=self.get_clock().now().to_msg())
            self._published_info = info
            self._info_publisher.publish(info)


def main() -> int:
    return run_node(GrounderNode)


def make_values(info: GroundingInfo, requests: int) -> dict[str, object]:
    """Make the values of the diagnostic status; `requests` run or wait."""
    asked = info.judged + info.from_cache
    return {
        "domain": info.domain,
        "oracle": info.default_oracle,
        "model": info.model,
        "judged": info.judged,
        "from_cache": info.from_cache,
        "cache_hit_rate": f"{info.from_cache / asked:.3f}" if asked else "",
        "robot": info.robot,
        "world": info.world,
        "calibration_store": info.calibration_store,
        "evidence": info.evidence_count,
        "requests": requests,
        **_read_memory(),
    }


def list_concerns(grounder: Grounder) -> list[str]:
    found = list(grounder.notes)
    try:
        found += [str(drift) for drift in grounder.drifts()]
        found += [str(score) for score in grounder.reliabilities() if score.is_poor]
    except GroundingError as error:
        found.append(str(error))
    return found


def _read_memory() -> dict[str, object]:
    """Read the GPU memory in MiB, if a model uses one."""
    memory = measure_device_memory()
    if memory is None:
        return {}
    return {
        "gpu": memory.device,
        "gpu_memory_own_mib": round(memory.own),
        "gpu_memory_used_mib": round(memory.used),
        "gpu_memory_total_mib": round(memory.total),
    }


def warm_up(grounder: Grounder) -> str:
    """Ask each oracle without a loaded model about each of its predicates, from a rubric's example.

    The first question about a predicate may cost more than the model's loading: a language model is
    asked what is known, too. Returns "", or a sentence why a model can't be used.
    """
    for info in grounder.describe():
        question = make_example(grounder.predicates[info.predicate])
        if info.loaded or question is None:
            continue
        try:
            grounder.judge([question])
        except GroundingError as error:
            return f"{error}."
    return ""


def make_example(predicate: GradedPredicate) -> JudgementRequest | None:
    """Make a question about a rubric's example, reworded so that the model must judge it."""
    for anchor in predicate.rubric.anchors if predicate.rubric is not None else ():
        for words in anchor.examples:
            if len(words) == len(predicate.parameters):
                return JudgementRequest(
                    predicate.name,
                    tuple(
                        ArgumentContext(parameter.name, f"some {word}")
                        if parameter.type == TEXT
                        else ArgumentContext(parameter.name, f"some {word}", f"some {word}")
                        for parameter, word in zip(predicate.parameters, words, strict=True)
                    ),
                )
    return None
