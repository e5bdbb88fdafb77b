# SPDX-License-Identifier: Apache-2.0
"""The thread that writes outcomes to the calibration store, so that no callback waits."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from fcp_ros.msg import ActionOutcome
from fcp_ros.nodes.runtime.worker import CancelToken, Job, Worker, WorkerBusy

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

    Args:
        learn: Stores outcomes, all or none, and returns how many of them were new.
        report_loss: Gets a sentence about each outcome that could not be stored.
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

        Raises:
            WorkerBusy, WorkerClosed: it can't be done now.
        """

        def record(_token: CancelToken) -> int:
            self._record_waiting()
            return self._learn(messages)

        return self._worker.submit(record)

    def close(self) -> None:
        """Record what waits, and end the thread."""
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
