# SPDX-License-Identifier: Apache-2.0
"""Learning from outcomes, each once and only from the store's world; the store as messages."""

from __future__ import annotations

import json
import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fcp_ros.domain.model import Domain
from fcp_ros.execution.outcome import Credit, OutcomeCode, PlanMemory, Reliance, credit_step
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.grounding import (
    ArgumentContext,
    Evidence,
    EvidenceWorld,
    Grounder,
    GroundingError,
    JudgementRequest,
    OutcomeNumber,
)
from fcp_ros.grounding.judgement import Membership
from fcp_ros.msg import ActionOutcome, CalibrationEntry
from fcp_ros.nodes.conversions.common import ConversionError, time_from_ros, time_to_ros
from fcp_ros.nodes.conversions.judgement import membership_from_ros, request_from_ros
from fcp_ros.nodes.runtime.request_checks import find_invalid_field
from fcp_ros.nodes.runtime.worker import CancelToken, Job, Worker, WorkerBusy

# --- the thread that writes outcomes to the calibration store ---

MOST_WAITING = 1000
"""Outcomes of the topic that may wait for the disk."""

MOST_AT_ONCE = 100
"""Outcomes of the topic in one transaction."""

QUEUED_REQUESTS = 100
"""Requests to record outcomes that may wait while one is served."""

STOP_TIMEOUT = 5.0
"""Seconds to wait at the end for outcomes that wait for the disk."""


class OutcomeRecorder:
    """Records the outcomes of the topic and of requests, in the order of their arrival.

    Invariant: while outcomes wait, a job is queued that records them, since every job does.

    `learn`: stores outcomes, all or none, and returns how many of them were new. `report_loss`:
    gets a sentence about each outcome that could not be stored.
    """

    def __init__(
        self, learn: Callable[[Sequence[ActionOutcome]], int], report_loss: Callable[[str], None]
    ) -> None:
        self._learn = learn
        self._report_loss = report_loss
        self._worker = Worker("calibration store", QUEUED_REQUESTS)
        self._lock = threading.Lock()
        self._waiting: deque[ActionOutcome] = deque()
        self._is_due = False

    def put(self, message: ActionOutcome) -> None:
        """Take an outcome of the topic; what does not fit is reported."""
        with self._lock:
            is_lost = len(self._waiting) >= MOST_WAITING
            if not is_lost:
                self._waiting.append(message)
            is_due, self._is_due = self._is_due, True
        if is_lost:
            rule = message.step.rule
            self._report_loss(f"an outcome of {rule} was lost: they come faster than they are kept")
        if not is_due:
            with suppress(WorkerBusy):  # then other jobs wait
                self._worker.submit(lambda _token: self._record_waiting())

    def record(self, messages: Sequence[ActionOutcome]) -> Job[int]:
        """Begin to record outcomes; the job returns how many of them were new.

        Raises WorkerBusy, WorkerClosed if it can't be done now.
        """

        def record(_token: CancelToken) -> int:
            self._record_waiting()
            return self._learn(messages)

        return self._worker.submit(record)

    def close(self) -> None:
        with suppress(WorkerBusy):
            self._worker.submit(lambda _token: self._record_waiting()).wait(STOP_TIMEOUT)
        self._worker.close(STOP_TIMEOUT)

    def _record_waiting(self) -> None:
        while True:
            with self._lock:
                count = min(len(self._waiting), MOST_AT_ONCE)
                messages = [self._waiting.popleft() for _ in range(count)]
                self._is_due = bool(messages)
            if not messages:
                return
            try:
                self._learn(messages)
            except Exception:  # of one of them, or of the disk
                self._record_singly(messages)

    def _record_singly(self, messages: Sequence[ActionOutcome]) -> None:
        for message in messages:
            try:
                self._learn([message])
            except Exception as error:
                rule = message.step.rule
                self._report_loss(f"an outcome of {rule} could not be kept: {error}")


# --- evidence of an outcome about the degrees that its step relied on ---

FAILURES = frozenset(
    {
        OutcomeCode.PLANNING_FAILED,
        OutcomeCode.EXECUTION_FAILED,
        OutcomeCode.POSTCONDITION_FAILED,
        OutcomeCode.TIMED_OUT,
    }
)
"""Outcomes of steps that were tried and failed."""

UNKNOWN_DEGREE = 0.5
"""Degree of a judgement whose message has no answer."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """The evidence of an outcome about one judgement."""

    request: JudgementRequest
    membership: Membership | None  # The answer; None if the message has none
    credit: Credit  # Observed quality and its weight
    step: str  # The step that showed it, in words for the audit


@dataclass(frozen=True, slots=True)
class _JudgedRequest:
    request: JudgementRequest
    membership: Membership | None

    @property
    def degree(self) -> float:
        return UNKNOWN_DEGREE if self.membership is None else self.membership.degree


class Teacher:
    """Turns outcomes into lessons: credits a step's own judgements, or those of earlier steps.

    `domain`: outcomes are about its actions.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._memory: PlanMemory[_JudgedRequest] = PlanMemory()

    def find_problem(self, message: ActionOutcome) -> str:
        """Return why an outcome can't be evidence at all; "" if it can."""
        step = message.step
        if problem := find_invalid_field(message):
            return problem
        if step.rule not in self._domain.rules:
            hint = suggest_name(step.rule, self._domain.rules)
            return f"the domain {self._domain.name} has no action {step.rule!r}; {hint}"
        for judgement in step.judgements:
            try:
                request_from_ros(judgement.query)
                if judgement.membership.source:
                    membership_from_ros(judgement.membership)
            except ConversionError as error:
                return str(error)
        return ""

    def derive_lessons(self, message: ActionOutcome) -> list[Lesson]:
        code = OutcomeCode(message.outcome.code)
        quality = determine_quality(code, message.quality if message.quality_measured else None)
        return self._assign_credit(message, code, quality)

    def _assign_credit(
        self, message: ActionOutcome, code: OutcomeCode, quality: float | None
    ) -> list[Lesson]:
        step, plan = message.step, bytes(message.plan_id.uuid)
        elements = frozenset(argument.value for argument in step.arguments) - set(step.agents)
        words = f"{step.rule}({', '.join(argument.value for argument in step.arguments)})"
        judged = self._read_judgements(step)
        if is_about_earlier_steps(code, has_judgements=bool(judged)):
            blamed = self._memory.blame(plan, elements)
            words += " found the world otherwise"
            return [Lesson(one.request, one.membership, credit, words) for one, credit in blamed]
        if quality is None:
            return []
        if code is OutcomeCode.SUCCEEDED and any(plan):
            reliances = [Reliance(one, one.degree, elements) for one in judged]
            self._memory.remember(plan, reliances)
        credits = credit_step([one.degree for one in judged], quality)
        return [
            Lesson(one.request, one.membership, credit, words)
            for one, credit in zip(judged, credits, strict=True)
        ]

    def _read_judgements(self, step: Any) -> list[_JudgedRequest]:
        found = []
        for judgement in step.judgements:
            request = request_from_ros(judgement.query)
            answered = bool(judgement.membership.source)
            membership = membership_from_ros(judgement.membership) if answered else None
            found.append(_JudgedRequest(request, membership))
        return found


def is_about_earlier_steps(code: OutcomeCode, *, has_judgements: bool) -> bool:
    # A failed precondition means that the world is not as they left it, and that the step was never
    # tried. A step that ended without its effect, and rests on no judgement of its own, must have
    # been let down by earlier steps.
    if code is OutcomeCode.PRECONDITION_FAILED:
        return True
    return code is OutcomeCode.POSTCONDITION_FAILED and not has_judgements


def determine_quality(code: OutcomeCode, measured: float | None) -> float | None:
    """Determine the quality in [0, 1] that an outcome shows; None if it shows nothing."""
    # A success counts as measured, or 1; a failure as measured, or 0. A step that was never tried
    # (its precondition failed, its executor did not know it) or that was cancelled shows nothing
    # about the quality of such a step.
    if code is OutcomeCode.SUCCEEDED:
        return 1.0 if measured is None else measured
    if code in FAILURES:
        return 0.0 if measured is None else measured
    return None


# --- learning from outcomes: each once, and only from the world ---


class OutcomeLearner:
    """Records the evidence of outcomes, which come by topic and by service; thread-safe."""

    def __init__(
        self,
        grounder: Grounder,
        domain: Domain,  # Outcomes are about its actions
        # The world of its store. In the real one, an outcome of a simulated executor is no
        # evidence.
        world: EvidenceWorld,
        # Returns the present time (s since the epoch), for outcomes without a time
        now: Callable[[], float],
        # Gets a sentence about each outcome that teaches nothing though it should
        complain: Callable[[str], None],
    ) -> None:
        self._grounder = grounder
        self._world = world
        self._now = now
        self._complain = complain
        self._teacher = Teacher(domain)
        self._lock = threading.Lock()
        self._unstored: dict[OutcomeNumber, list[Evidence]] = {}
        self._known = self._simulated = self._stale = 0

    def find_problem(self, message: ActionOutcome) -> str:
        """Return why an outcome can't be recorded, ever; "" if it can."""
        return self._teacher.find_problem(message)

    def learn(self, messages: Sequence[ActionOutcome]) -> tuple[int, ...]:
        """Record outcomes, except known ones; their evidence is on disk when this returns.

        All in one transaction: each waits for the disk, up to 100 ms.

        `find_problem` must have found nothing wrong with any. Returns for each the number of
        judgements that it is evidence about, or -1 if it is known. Raises GroundingError if the
        store failed; none is recorded then.
        """
        with self._lock:
            lessons = [self._derive_once(message) for message in messages]
            new = [lesson for lesson in lessons if lesson is not None]
            firsts = iter(self._grounder.calibration.record_outcomes(new))
            for number, _ in new:
                if number is not None:
                    self._unstored.pop(number, None)
            kept = [
                -1 if lesson is None or not next(firsts) else len(lesson[1]) for lesson in lessons
            ]
            self._known += kept.count(-1)
            return tuple(kept)

    def _derive_once(
        self, message: ActionOutcome
    ) -> tuple[OutcomeNumber | None, list[Evidence]] | None:
        """Derive the number and the evidence of an outcome; None if it is known."""
        stream = bytes(message.stream_id.uuid)
        if not any(stream):
            return None, self._derive_evidence(message)
        number = OutcomeNumber(stream, message.number)
        if self._grounder.calibration.has_outcome(number):
            return None
        if number not in self._unstored:  # else it was derived, and the store failed
            self._unstored[number] = self._derive_evidence(message)
        return number, self._unstored[number]

    def values(self) -> dict[str, object]:
        """Return the counts for the diagnostics; never waits for the disk, as `learn` does."""
        return {
            "repeated_outcomes": self._known,
            "simulated_outcomes_left_out": self._simulated,
            "outcomes_on_a_stale_scene_left_out": self._stale,
        }

    def _derive_evidence(self, message: ActionOutcome) -> list[Evidence]:
        if message.simulated and self._world is EvidenceWorld.REAL:
            self._simulated += 1
            return []
        if message.scene_lost:  # a stale world is no evidence
            self._stale += 1
            return []
        stamp = time_from_ros(message.header.stamp) or self._now()
        found = []
        for lesson in self._teacher.derive_lessons(message):
            try:
                evidence = self._grounder.make_evidence(
                    lesson.request,
                    lesson.credit.quality,
                    lesson.step,
                    stamp=stamp,
                    membership=lesson.membership,
                    weight=lesson.credit.weight,
                )
            except GroundingError as error:
                self._complain(f"an outcome of {message.step.rule} could not be kept: {error}")
                continue
            if evidence is not None:
                found.append(evidence)
        return found


# --- the calibration store as messages: one entry for each predicate and context


@dataclass
class _Sum:
    count: int = 0
    weight: float = 0.0
    total: float = 0.0
    newest: float = 0.0


def make_entries(
    evidence: Iterable[Evidence],  # The outcomes to sum up
    # The grounder's `judge`, asked for the degrees before and after calibration; if it can't answer
    # (the domain changed), they are NaN
    judge: Callable[[Sequence[JudgementRequest]], Sequence[Membership]],
) -> list[CalibrationEntry]:
    """Make entries, sorted by predicate and context."""
    sums: dict[tuple[str, str], _Sum] = {}
    for item in evidence:
        entry = sums.setdefault((item.predicate, item.context_key), _Sum())
        entry.count += 1
        entry.weight += item.weight
        entry.total += item.weight * item.quality
        entry.newest = max(entry.newest, item.stamp)
    return [
        _make_entry(predicate, context, found, _judge_again(context, judge))
        for (predicate, context), found in sorted(sums.items())
    ]


def _make_entry(
    predicate: str, context: str, found: _Sum, membership: Membership | None
) -> CalibrationEntry:
    return CalibrationEntry(
        predicate=predicate,
        context=context,
        prior=membership.prior if membership else math.nan,
        degree=membership.degree if membership else math.nan,
        evidence_count=found.count,
        mean_quality=found.total / found.weight if found.weight > 0.0 else 0.0,
        last_outcome=time_to_ros(found.newest),
    )


def _judge_again(
    context: str, judge: Callable[[Sequence[JudgementRequest]], Sequence[Membership]]
) -> Membership | None:
    request = request_from_context(context)
    if request is None:
        return None
    try:
        return judge([request])[0]
    except GroundingError:
        return None


def request_from_context(context_key: str) -> JudgementRequest | None:
    """Reconstruct a request from its `context_key`; return None if the text is no such key."""
    # Element names are not part of a context (unless declared), so the request names elements by
    # their category.
    try:
        content = json.loads(context_key)
        arguments = tuple(_read_argument(item) for item in content["arguments"])
        request = JudgementRequest(content["predicate"], arguments)
    except (ValueError, KeyError, TypeError):
        return None
    return request if request.context_key == context_key else None


def _read_argument(item: dict[str, object]) -> ArgumentContext:
    parameter = str(item["parameter"])
    if "text" in item:
        return ArgumentContext(parameter, str(item["text"]))
    attributes = item.get("attributes", {})
    if not isinstance(attributes, dict):
        raise TypeError("attributes are no mapping")
    category = str(item["category"])
    name = str(attributes.get("name", category))
    return ArgumentContext(parameter, name, category, tuple(sorted(attributes.items())))
