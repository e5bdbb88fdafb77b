# SPDX-License-Identifier: Apache-2.0
"""Learning from outcomes: each once, and only from the world that the store is about."""

from __future__ import annotations

import threading
from collections.abc import Callable

from fcp_ros.grounding import Evidence, EvidenceWorld, Grounder, GroundingError, OutcomeNumber
from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.conversions.common import time_from_ros
from fcp_ros.nodes.grounder.evidence import Teacher


class OutcomeLearner:
    """Records the evidence of outcomes, which come by topic and by service; thread-safe.

    Args:
        grounder: Records the evidence.
        world: The world of its store. In the real one, an outcome of a simulated executor is no
            evidence.
        now: Returns the present time (s since the epoch), for outcomes without a time.
        complain: Gets a sentence about each outcome that teaches nothing though it should.
    """

    def __init__(
        self,
        grounder: Grounder,
        world: EvidenceWorld,
        now: Callable[[], float],
        complain: Callable[[str], None],
    ) -> None:
        self._grounder = grounder
        self._world = world
        self._now = now
        self._complain = complain
        self._teacher = Teacher(complain)
        self._lock = threading.Lock()
        self._unstored: dict[OutcomeNumber, list[Evidence]] = {}
        self._known = self._simulated = 0

    def learn(self, message: ActionOutcome) -> int:
        """Record an outcome unless it is known; its evidence is on disk when this returns.

        Returns:
            The number of judgements that it is evidence about, or -1 if it is known.

        Raises:
            GroundingError: the store failed.
        """
        stream = bytes(message.stream_id.uuid)
        number = OutcomeNumber(stream, message.number) if any(stream) else None
        store = self._grounder.calibration
        with self._lock:
            if number is not None and store.has_outcome(number):
                self._known += 1
                return -1
            if number is None:
                evidence = self._derive_evidence(message)
                store.record_all(evidence)
                return len(evidence)
            if number not in self._unstored:  # else it was derived, and the store failed
                self._unstored[number] = self._derive_evidence(message)
            evidence = self._unstored[number]
            first = store.record_outcome(number, evidence)
            del self._unstored[number]
            return len(evidence) if first else -1

    def values(self) -> dict[str, object]:
        """Return the counts for the diagnostics."""
        with self._lock:
            return {
                "repeated_outcomes": self._known,
                "simulated_outcomes_left_out": self._simulated,
            }

    def _derive_evidence(self, message: ActionOutcome) -> list[Evidence]:
        if message.simulated and self._world is EvidenceWorld.REAL:
            self._simulated += 1
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
