# SPDX-License-Identifier: Apache-2.0
"""The executive's thread: its queue (order, replacement, deadlines), goals, and late events."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.nodes.executive.thread import EventQueue, ExecutiveThread, GoalContext, ThreadClosed
from fcp_ros.nodes.runtime.worker import WorkerClosed


def drained(queue: EventQueue) -> list:
    return [queue.take(0.0) for _ in range(len(queue))]


def test_events_come_out_in_their_order():
    queue = EventQueue()
    for number in range(5):
        queue.post(number)
    assert drained(queue) == [0, 1, 2, 3, 4]
    assert queue.take(0.0) is None


def test_an_event_replaces_the_waiting_one_with_the_same_key():
    queue = EventQueue()
    for number in range(1000):
        queue.post(("progress", number), "progress")
        queue.post(("world", number), "world")
    queue.post("done")
    assert drained(queue) == [("progress", 999), ("world", 999), "done"]


@given(st.lists(st.tuples(st.sampled_from([None, "a", "b"]), st.integers())))
def test_nothing_without_a_key_is_lost_and_keys_take_one_place(posted):
    queue = EventQueue()
    for key, value in posted:
        queue.post((key, value), key)
    out = drained(queue)
    assert [e for e in out if e[0] is None] == [e for e in posted if e[0] is None]
    for key in ("a", "b"):
        of_key = [e for e in posted if e[0] == key]
        assert [e for e in out if e[0] == key] == of_key[-1:]


def test_taking_waits_for_an_event_and_not_beyond_its_time():
    queue = EventQueue()
    threading.Timer(0.02, queue.post, ["late"]).start()
    assert queue.take(time.monotonic() + 60.0) == "late"
    assert queue.take(time.monotonic() + 0.01) is None
    threading.Timer(0.02, queue.post, ["later"]).start()
    assert queue.take(None) == "later"


# --- the thread: goals and late events ----------------------------------------------------------


class Goal:
    """A goal handle, as far as the thread looks at it."""

    class goal_id:
        uuid = bytes(16)


@pytest.fixture
def late():
    """Events that were handled without a goal, and the thread that did."""
    handled = []
    thread = ExecutiveThread(lambda event: handled.append((event, threading.current_thread().name)))
    yield handled, thread
    thread.close(10.0)


def wait_for(condition):
    while not condition():  # the test's own time limit ends it
        time.sleep(0.001)


def test_events_between_goals_are_handled_at_once_and_in_order(late):
    handled, thread = late
    for number in range(100):
        thread.events.post(number)
    wait_for(lambda: len(handled) == 100)
    assert [event for event, _ in handled] == list(range(100))
    assert {name for _, name in handled} == {"executive"}


def test_one_goal_at_a_time_and_it_takes_the_events(late):
    handled, thread = late
    taken = []
    began = threading.Event()

    def work() -> str:
        began.set()
        while (event := thread.take(time.monotonic() + 60.0)) != "end":
            taken.append(event)
        return "done"

    job = thread.submit(GoalContext(Goal()), work)
    assert began.wait(10.0)
    assert thread.is_busy
    assert thread.submit(GoalContext(Goal()), work) is None
    for event in (1, 2, "end", 3):
        thread.events.post(event)
    assert job.wait(10.0)
    assert job.result() == "done"
    assert not thread.is_busy
    assert taken == [1, 2]
    wait_for(lambda: handled)  # what the goal left
    assert [event for event, _ in handled] == [3]


def test_no_event_is_lost_between_goals(late):
    """Goals that end at any moment, while another thread posts."""
    handled, thread = late
    taken = []

    def work() -> None:
        event = thread.take(time.monotonic() + 0.0005)
        if event is not None:
            taken.append(event)

    def post() -> None:
        for number in range(2000):
            thread.events.post(number)

    poster = threading.Thread(target=post)
    poster.start()
    while poster.is_alive():
        job = thread.submit(GoalContext(Goal()), work)
        assert job is not None, "the last goal was free before its job ended"
        assert job.wait(10.0)
    wait_for(lambda: len(handled) + len(taken) == 2000)
    assert sorted([*taken, *(event for event, _ in handled)]) == list(range(2000))


def test_a_wait_ends_with_its_time_and_handles_late_events(late):
    handled, thread = late
    seen = []
    job = thread.submit(GoalContext(Goal()), lambda: seen.extend(thread.wait_events(0.05)))
    thread.events.post("answer")
    assert job.wait(10.0)
    assert seen == ["answer"]
    assert [event for event, _ in handled] == ["answer"]


def test_an_interrupted_goal_is_told_why(late):
    _, thread = late
    context = GoalContext(Goal())
    began = threading.Event()

    def work() -> None:
        began.set()
        for _ in thread.wait_events(10.0):
            if context.is_cancelled:
                return

    job = thread.submit(context, work)
    assert began.wait(10.0)
    thread.interrupt("The node was deactivated.")
    assert job.wait(10.0)
    assert context.interruption == "The node was deactivated."
    assert not thread.is_busy


def test_a_closed_thread_ends_a_goal_that_waits_for_an_event(late):
    _, thread = late
    began = threading.Event()

    def work() -> None:
        began.set()
        thread.take(None)

    job = thread.submit(GoalContext(Goal()), work)
    assert began.wait(10.0)
    assert thread.close(10.0)
    with pytest.raises(ThreadClosed):
        job.result()


def test_a_goal_that_fails_leaves_the_thread_free(late):
    _, thread = late
    broken = thread.submit(GoalContext(Goal()), lambda: 1 // 0)
    assert broken.wait(10.0)
    with pytest.raises(ZeroDivisionError):
        broken.result()
    fine = thread.submit(GoalContext(Goal()), lambda: 3)
    assert fine.wait(10.0)
    assert fine.result() == 3


def test_a_closed_thread_takes_no_goals(late):
    handled, thread = late
    assert thread.close(10.0)
    with pytest.raises(WorkerClosed):
        thread.submit(GoalContext(Goal()), lambda: None)
    thread.events.post("too late")
    assert not handled
