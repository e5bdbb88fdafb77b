# SPDX-License-Identifier: Apache-2.0
"""The worker thread: one job at a time, a bounded queue, cancelling, closing."""

from __future__ import annotations

import threading

import pytest

from fcp_ros.nodes.runtime.worker import (
    CancelToken,
    JobCancelled,
    NodeWorkers,
    Worker,
    WorkerBusy,
    WorkerClosed,
)


@pytest.fixture
def worker():
    worker = Worker("test", capacity=2)
    yield worker
    worker.close(timeout=10.0)


def until_cancelled(started: threading.Event):
    """A job that runs until it is cancelled."""

    def run(token) -> str:
        started.set()
        assert token.wait(10.0)
        return "stopped"

    return run


def test_result_and_error(worker):
    fine, broken = worker.submit(lambda _: 3), worker.submit(lambda _: 1 // 0)
    assert fine.wait(10.0)
    assert fine.result() == 3
    assert broken.wait(10.0)
    with pytest.raises(ZeroDivisionError):
        broken.result()


def test_jobs_run_one_by_one_in_order(worker):
    order, running = [], []

    def job(number):
        def run(_token):
            running.append(number)
            order.append((number, len(running)))
            running.remove(number)

        return run

    jobs = [worker.submit(job(number)) for number in range(2)]
    assert all(job.wait(10.0) for job in jobs)
    assert order == [(0, 1), (1, 1)]


def test_full_queue_refuses_and_recovers(worker):
    started = threading.Event()
    running = worker.submit(until_cancelled(started))
    assert started.wait(10.0)
    waiting = [worker.submit(lambda _: None) for _ in range(2)]
    with pytest.raises(WorkerBusy, match="2 more requests wait"):
        worker.submit(lambda _: None)
    assert worker.load == 3
    worker.cancel(running)
    assert all(job.wait(10.0) for job in (running, *waiting))
    assert running.result() == "stopped"
    assert worker.submit(lambda _: 1).wait(10.0)


def test_a_waiting_job_is_cancelled_at_once(worker):
    started = threading.Event()
    running = worker.submit(until_cancelled(started))
    assert started.wait(10.0)
    told = []
    waiting = worker.submit(lambda _: 1)
    waiting.answer.add_done_callback(told.append)
    worker.cancel(waiting)
    assert waiting.wait(0.0)
    assert told == [waiting.answer]
    with pytest.raises(JobCancelled):
        waiting.result()
    assert not running.token.cancelled
    assert not running.answer.done()


def test_whoever_hears_the_answer_finds_room_for_the_next_job():
    worker = Worker("test", capacity=0)
    refused = []

    def ask_again(_answer) -> None:
        try:
            worker.submit(lambda _: 2)
        except WorkerBusy as error:
            refused.append(error)

    job = worker.submit(lambda _: 1)
    job.answer.add_done_callback(ask_again)
    assert job.wait(10.0)
    assert worker.close(timeout=10.0)
    assert not refused


def test_a_cancelled_token_tells_so_once(worker):
    told = []
    token = CancelToken()
    token.call_when_cancelled(lambda: told.append("before"))
    token.cancel()
    token.cancel()
    token.call_when_cancelled(lambda: told.append("after"))
    assert told == ["before", "after"]


def test_close_ends_everything():
    worker = Worker("test", capacity=2)
    started = threading.Event()
    running = worker.submit(until_cancelled(started))
    assert started.wait(10.0)
    waiting = worker.submit(lambda _: 1)
    assert worker.close(timeout=10.0)
    assert running.result() == "stopped"
    with pytest.raises(JobCancelled):
        waiting.result()
    with pytest.raises(WorkerClosed):
        worker.submit(lambda _: 1)


def test_close_does_not_wait_for_ever():
    worker = Worker("test", capacity=1)
    started, release = threading.Event(), threading.Event()

    def stuck(_token) -> None:
        started.set()
        release.wait(10.0)

    job = worker.submit(stuck)
    assert started.wait(10.0)
    assert not worker.close(timeout=0.05)
    release.set()
    assert job.wait(10.0)


def test_workers_of_a_node_end_with_it_and_some_outlast_a_deactivation():
    warnings: list[str] = []
    workers = NodeWorkers(warnings.append)
    going_on = threading.Event()
    workers.open("plans", 1, patience=30.0)
    workers.open("files", 1, patience=30.0, outlasts=True)
    started = threading.Event()

    def plan(token: CancelToken) -> bool:
        started.set()
        return token.wait(30.0)

    stopped = workers["plans"].submit(plan)
    kept = workers["files"].submit(lambda _token: going_on.wait(30.0))
    assert started.wait(30.0)
    workers.cancel_jobs()
    assert stopped.answer.result(30.0) is True
    assert not kept.token.cancelled
    assert workers.find_load("files") == 1
    file_worker = workers["files"]
    workers.open("stuck", 1, patience=0.01)
    stuck, is_stuck = threading.Event(), threading.Event()

    def hang(_token: CancelToken) -> bool:
        is_stuck.set()
        return stuck.wait(60.0)

    workers["stuck"].submit(hang)
    assert is_stuck.wait(30.0)
    going_on.set()
    workers.close()
    assert file_worker.is_closed
    assert workers.find_load("files") == 0
    with pytest.raises(WorkerClosed):
        workers["files"]
    assert warnings == ["the worker for stuck did not end in time and is left behind"]
    stuck.set()
