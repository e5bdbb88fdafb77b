# SPDX-License-Identifier: Apache-2.0
"""Concurrent callers are answered in one batch, each with its own answers or its own error."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fcp_ros.grounding import (
    ArgumentContext,
    GroundingCode,
    GroundingError,
    JudgementRequest,
    Membership,
)
from fcp_ros.nodes.grounder.judge_batches import JudgeBatches
from fcp_ros.nodes.runtime.worker import JobCancelled, Worker, WorkerBusy

LIMIT = 20.0


def question(number: int) -> JudgementRequest:
    return JudgementRequest("p", (ArgumentContext("word", str(number)),))


def ask(batches: JudgeBatches, questions, limit: float):
    return batches.ask(questions, limit).result(LIMIT)


class Judge:
    """Answers n with n / 100, and notes the size of every batch."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def __call__(self, requests):
        self.sizes.append(len(requests))
        self.entered.set()
        assert self.gate.wait(LIMIT)
        degrees = [int(request.arguments[0].text) / 100 for request in requests]
        if any(degree > 1.0 for degree in degrees):
            raise GroundingError(GroundingCode.NO_ANSWER, "too high")
        return [Membership(degree, degree) for degree in degrees]


@pytest.fixture
def judge():
    return Judge()


@pytest.fixture
def worker():
    worker = Worker("test", capacity=4)
    yield worker
    worker.close(timeout=10.0)


def held(judge, worker, window=0.0, capacity=4):
    """Batches whose first one is under way and held, the caller of it, and a pool of callers."""
    batches = JudgeBatches(worker, judge, window, capacity)
    judge.gate.clear()
    pool = ThreadPoolExecutor(8)
    first = pool.submit(ask, batches, [question(1)], LIMIT)
    assert judge.entered.wait(LIMIT)
    return batches, first, pool


def test_callers_of_one_window_are_one_batch(judge, worker, until):
    batches = JudgeBatches(worker, judge, window=0.5, capacity=6)
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(ask, batches, [question(n), question(n + 1)], LIMIT) for n in range(4)]
        for n, call in enumerate(calls):
            assert [m.degree for m in call.result()] == [n / 100, (n + 1) / 100]
    assert judge.sizes == [8]
    statistics = batches.statistics()
    assert (statistics.batches, statistics.callers, statistics.questions) == (1, 4, 8)


def test_who_asks_while_the_model_works_is_in_the_next_batch(judge, worker, until):
    batches, first, pool = held(judge, worker)
    with pool:
        others = [pool.submit(ask, batches, [question(n)], LIMIT) for n in (2, 3, 4)]
        until(lambda: batches.statistics().waiting == 3, "three callers that wait")
        judge.gate.set()
        assert [call.result()[0].degree for call in (first, *others)] == [0.01, 0.02, 0.03, 0.04]
    assert judge.sizes == [1, 3]


def test_an_error_is_only_its_own_callers(judge, worker, until):
    batches, first, pool = held(judge, worker)
    with pool:
        good, bad = (pool.submit(ask, batches, [question(n)], LIMIT) for n in (2, 500))
        until(lambda: batches.statistics().waiting == 2, "two callers that wait")
        judge.gate.set()
        assert first.result()[0].degree == 0.01
        assert good.result()[0].degree == 0.02
        with pytest.raises(GroundingError, match="too high"):
            bad.result()


def test_a_full_queue_refuses_and_recovers(judge, worker, until):
    batches, first, pool = held(judge, worker, capacity=1)
    with pool:
        waiting = [pool.submit(ask, batches, [question(n)], LIMIT) for n in (2, 3)]
        until(lambda: batches.statistics().waiting == 2, "a full queue")
        with pytest.raises(WorkerBusy, match="1 more requests wait"):
            ask(batches, [question(4)], LIMIT)
        judge.gate.set()
        assert [call.result()[0].degree for call in (first, *waiting)] == [0.01, 0.02, 0.03]
        assert ask(batches, [question(5)], LIMIT)[0].degree == 0.05


def test_questions_nobody_waits_for_are_not_judged(judge, worker, until):
    batches, first, pool = held(judge, worker)
    with pool:
        with pytest.raises(TimeoutError, match=r"0\.01 s"):
            ask(batches, [question(2)], 0.01)
        assert batches.statistics().waiting == 0
        judge.gate.set()
        assert first.result()[0].degree == 0.01
    assert ask(batches, [question(3)], LIMIT)[0].degree == 0.03
    assert judge.sizes == [1, 1]


def test_cancelled_before_its_turn(judge, worker, until):
    """A batch that never begins, as when the node is deactivated, ends its callers' waits."""
    batches, first, pool = held(judge, worker)
    with pool:
        second = pool.submit(ask, batches, [question(2)], LIMIT)
        until(lambda: batches.statistics().waiting == 1, "a caller that waits")
        worker.cancel_all()
        with pytest.raises(JobCancelled):
            second.result()
        judge.gate.set()
        assert first.result()[0].degree == 0.01
        assert ask(batches, [question(3)], LIMIT)[0].degree == 0.03
