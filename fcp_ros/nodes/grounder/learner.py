# SPDX-License-Identifier: Apache-2.0
"""Learning from outcomes: each once, and only from the world that the store is about."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from fcp_ros.domain.model import Domain
from fcp_ros.grounding import Evidence, EvidenceWorld, Grounder, GroundingError, OutcomeNumber
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.conversions.common import time_from_ros
from fcp_ros.nodes.grounder.evidence import Teacher


class OutcomeLearner:
    """Records the evidence of outcomes, which come by topic and by service; thread-safe.

    Args:
        grounder: Records the evidence.
        domain: Outcomes are about its actions.
        world: The world of its store. In the real one, an outcome of a simulated executor is no
            evidence.
        now: Returns the present time (s since the epoch), for outcomes without a time.
        complain: Gets a sentence about each outcome that teaches nothing though it should.
    """

    def __init__(
        self,
        grounder: Grounder,
        domain: Domain,
        world: EvidenceWorld,
        now: Callable[[], float],
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

        `find_problem` must have found nothing wrong with any.

        Returns:
            For each the number of judgements that it is evidence about, or -1 if it is known.

        Raises:
            GroundingError: the store failed; none is recorded then.
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
