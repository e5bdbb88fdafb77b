# SPDX-License-Identifier: Apache-2.0
"""Batches of questions from callers that ask at the same time.

A model answers a hundred questions together in little more time than one. So the first caller's
questions wait a few milliseconds for others, and questions that come while the model works are in
the next batch. A batch that fails is judged again caller by caller, so that no caller gets the
error of another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future as Answer
from concurrent.futures import InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field

from fcp_ros.grounding import JudgementRequest, Membership
from fcp_ros.nodes.runtime.server_life import call_later
from fcp_ros.nodes.runtime.worker import CancelToken, Job, JobCancelled, Worker, WorkerBusy

Judge = Callable[[Sequence[JudgementRequest]], list[Membership]]


@dataclass(frozen=True, slots=True)
class BatchStatistics:
    """The batches so far, and the newest one."""

    batches: int = 0
    callers: int = 0
    questions: int = 0
    waiting: int = 0  # Callers that wait for the next one


@dataclass(slots=True, eq=False)
class _Caller:
    """One caller: its questions and, in the end, the answers or the error."""

    requests: Sequence[JudgementRequest]
    answer: Answer[list[Membership]] = field(default_factory=Answer)

    def end(self, memberships: list[Membership]) -> None:
        with suppress(InvalidStateError):  # its time was up
            self.answer.set_result(memberships)

    def fail(self, error: BaseException) -> None:
        with suppress(InvalidStateError):
            self.answer.set_exception(error)


class JudgeBatches:
    """Collects callers and judges their questions together; thread-safe.

    Invariants: `_waiting`, `_submitted` and `_newest` change under `_lock`. While anybody waits, a
    job is submitted that has not yet taken the waiting callers. Each caller is ended exactly once:
    by the job that took it, or by `_after` if that job was cancelled before it began.

    `judge`: the grounder's `judge`. `window`: seconds that the first caller's questions wait for
    others, >= 0.
    """

    def __init__(self, worker: Worker, judge: Judge, window: float, capacity: int) -> None:
        self._worker = worker
        self._judge = judge
        self._window = window
        self._capacity = capacity
        self._lock = threading.Lock()
        self._waiting: list[_Caller] = []
        self._submitted = False
        self._newest = BatchStatistics()

    def ask(self, requests: Sequence[JudgementRequest], limit: float) -> Answer[list[Membership]]:
        """Ask questions; returns at once.

        `limit`: longest wait in seconds. Returns one membership for each request, in order, once
        they are there; or what went wrong: a `TimeoutError` (the questions are withdrawn), a
        `JobCancelled` (the node does not serve requests now), or a `GroundingError` (the grounder
        can't answer these questions). Raises WorkerBusy, WorkerClosed if the node does not serve
        requests now.
        """
        asked = _Caller(requests)
        self._add(asked)

        def give_up() -> None:
            self._withdraw(asked)
            text = f"No answer within {limit:g} s: give more time or ask for less."
            asked.fail(TimeoutError(text))

        alarm = call_later(limit, give_up)
        asked.answer.add_done_callback(lambda _answer: alarm.cancel())
        return asked.answer

    def statistics(self) -> BatchStatistics:
        with self._lock:
            newest = self._newest
            return BatchStatistics(
                newest.batches, newest.callers, newest.questions, len(self._waiting)
            )

    def _add(self, asked: _Caller) -> None:
        with self._lock:
            # The first waiting caller does not count: its batch is about to begin.
            if len(self._waiting) > self._capacity:
                raise WorkerBusy(
                    f"The node is busy and {self._capacity} more requests wait already: "
                    "ask again later."
                )
            self._waiting.append(asked)
            if self._submitted:
                return
            try:
                job = self._worker.submit(self._judge_batch)
            except BaseException:
                self._waiting.remove(asked)
                raise
            self._submitted = True
        job.answer.add_done_callback(lambda _answer: self._after(job))

    def _withdraw(self, asked: _Caller) -> None:
        with self._lock:
            if asked in self._waiting:
                self._waiting.remove(asked)

    def _judge_batch(self, token: CancelToken) -> None:
        """The worker's job: wait for more callers, then judge what is there."""
        token.wait(self._window)
        with self._lock:
            batch, self._waiting = self._waiting, []
            self._submitted = False  # callers from now on are in the next batch
            self._newest = BatchStatistics(
                self._newest.batches + 1, len(batch), sum(len(a.requests) for a in batch)
            )
        if not batch:  # all callers have given up
            return
        if token.cancelled:
            _end_all(batch, JobCancelled("The node was deactivated: ask again when it is active."))
            return
        together = [request for asked in batch for request in asked.requests]
        try:
            answers = self._judge(together)
        except Exception as error:
            self._judge_one_by_one(batch, error)
            return
        start = 0
        for asked in batch:
            asked.end(answers[start : start + len(asked.requests)])
            start += len(asked.requests)

    def _judge_one_by_one(self, batch: Sequence[_Caller], error: Exception) -> None:
        for asked in batch:
            if len(batch) == 1:
                asked.fail(error)
                continue
            try:
                asked.end(self._judge(asked.requests))
            except Exception as own:
                asked.fail(own)

    def _after(self, job: Job[None]) -> None:
        """End the waiting callers of a job that was cancelled before it began."""
        try:
            job.result()
        except JobCancelled as error:
            with self._lock:
                left, self._waiting = self._waiting, []
                self._submitted = False
            _end_all(left, error)


def _end_all(asked: Sequence[_Caller], error: BaseException) -> None:
    for one in asked:
        one.fail(error)
