# SPDX-License-Identifier: Apache-2.0
"""The threads of goals: the queue of events (order, replacement, deadlines), turns, late events."""

from __future__ import annotations

import math
import threading
import time
from functools import partial
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.execution.events import WorldChanged
from fcp_ros.execution.goal_queue import Admission, Ticket, WhenBusy
from fcp_ros.nodes.executive.goal_context import (
    EarlyEnd,
    EventQueue,
    GoalContext,
    GoalWithdrawn,
    Rest,
    ThreadClosed,
)
from fcp_ros.nodes.executive.goal_threads import GoalThreads
from fcp_ros.nodes.runtime.worker import WorkerClosed


def drained(queue: EventQueue) -> list:
    return [queue.take(0.0) for _ in range(len(queue))]


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

    def __init__(self, name: str = "") -> None:
        self.goal_id = SimpleNamespace(uuid=name.encode().rjust(16))


def submit(thread, work, name="", **ticket):
    """Submit a goal, whose work gets its context; its arrival and its context."""
    context = GoalContext(Goal(name))
    arrival = thread.submit(context, Ticket(context.key, **ticket), lambda: work(context), 2)
    return arrival, context


def begin(thread, work, name=""):
    """The answer of a goal that begins at once."""
    arrival, context = submit(thread, work, name)
    assert arrival.admission is Admission.BEGINS
    return context.answer


@pytest.fixture
def late():
    """Events that were handled without a goal, and the thread that did."""
    handled = []
    thread = GoalThreads(lambda event: handled.append((event, threading.current_thread().name)))
    yield handled, thread
    thread.close(10.0)


def wait_for(condition):
    while not condition():  # the test's own time limit ends it
        time.sleep(0.001)


def test_events_between_goals_are_handled_at_once_and_in_order(late):
    handled, thread = late
    for number in range(100):
        thread.post(number)
    wait_for(lambda: len(handled) == 100)
    assert [event for event, _ in handled] == list(range(100))
    assert {name for _, name in handled} == {"executive"}


def test_one_goal_at_a_time_and_it_takes_the_events(late):
    handled, thread = late
    taken = []
    began = threading.Event()

    def work(context) -> str:
        began.set()
        while (event := thread.take(context, time.monotonic() + 60.0)) != "end":
            taken.append(event)
        return "done"

    answer = begin(thread, work)
    assert began.wait(10.0)
    assert thread.is_busy
    for event in (1, 2, "end", 3):
        thread.post(event)
    assert answer.result(10.0) == "done"
    assert not thread.is_busy
    assert taken == [1, 2]
    wait_for(lambda: handled)  # what the goal left
    assert [event for event, _ in handled] == [3]


def test_no_event_is_lost_between_goals(late):
    """Goals that end at any moment, while another thread posts."""
    handled, thread = late
    taken = []

    def work(context) -> None:
        event = thread.take(context, time.monotonic() + 0.0005)
        if event is not None:
            taken.append(event)

    def post() -> None:
        for number in range(2000):
            thread.post(number)

    poster = threading.Thread(target=post)
    poster.start()
    while poster.is_alive():
        begin(thread, work).result(10.0)  # the last goal was free before its client heard of it
    wait_for(lambda: len(handled) + len(taken) == 2000)
    assert sorted([*taken, *(event for event, _ in handled)]) == list(range(2000))


def test_a_wait_ends_with_its_time_and_handles_late_events(late):
    handled, thread = late
    seen = []
    answer = begin(thread, lambda context: seen.extend(thread.wait_events(context, 0.05)))
    thread.post("answer")
    answer.result(10.0)
    assert seen == ["answer"]
    assert [event for event, _ in handled] == ["answer"]


# --- goals that wait ------------------------------------------------------------------------------


@pytest.fixture
def at_work(late):
    """A thread with a goal that works until its token is cancelled, and that goal's context."""
    _, thread = late
    begun = threading.Event()

    def work() -> str:
        begun.set()
        while not context.is_cancelled:
            thread.take(context, time.monotonic() + 60.0)
        return "stopped"

    context = GoalContext(Goal("first"))
    thread.submit(context, Ticket(context.key), work, 2)
    assert begun.wait(10.0)
    return thread, context


def test_a_goal_that_waits_is_cancelled_at_once(at_work):
    thread, first = at_work
    _, second = submit(thread, lambda _context: None, "second")
    thread.cancel(second)
    with pytest.raises(GoalWithdrawn):
        second.answer.result(0.0)
    assert thread.count_waiting == 0
    assert not first.answer.done()


def test_a_preempted_goal_is_told_and_the_other_one_begins_after_it(at_work):
    thread, first = at_work
    arrival, second = submit(
        thread,
        lambda _context: first.answer.done(),
        "second",
        when_busy=WhenBusy.PREEMPT,
        priority=3,
    )
    assert arrival.stops is not None
    assert first.answer.result(10.0) == "stopped"
    assert second.answer.result(10.0), "the first one's client was told before it began"
    assert first.interruption.code == "PREEMPTED"
    assert "priority 3" in first.interruption.sentence


def test_an_interrupted_thread_tells_all_goals_why(at_work):
    thread, first = at_work
    _, second = submit(thread, lambda _context: None, "second")
    thread.interrupt("The node was deactivated.")
    assert first.answer.result(10.0) == "stopped"
    with pytest.raises(GoalWithdrawn):
        second.answer.result(0.0)
    for context in (first, second):
        assert context.interruption == EarlyEnd("NODE_INACTIVE", "The node was deactivated.")
    assert not thread.is_busy


def test_a_closed_thread_ends_a_goal_that_waits_for_an_event_and_those_that_wait(late):
    _, thread = late
    began = threading.Event()

    def work(context) -> None:
        began.set()
        while True:
            thread.take(context, None)

    answer = begin(thread, work)
    _, second = submit(thread, lambda _context: None, "second")
    assert began.wait(10.0)
    assert thread.close(10.0)
    with pytest.raises(ThreadClosed):
        answer.result(10.0)
    with pytest.raises(GoalWithdrawn):
        second.answer.result(10.0)


def test_a_goal_that_fails_leaves_the_thread_free(late):
    _, thread = late
    with pytest.raises(ZeroDivisionError):
        begin(thread, lambda _context: 1 // 0).result(10.0)
    assert begin(thread, lambda _context: 3).result(10.0) == 3


def test_a_closed_thread_takes_no_goals(late):
    handled, thread = late
    assert thread.close(10.0)
    with pytest.raises(WorkerClosed):
        submit(thread, lambda _context: None)
    thread.post("too late")
    assert not handled


# --- goals that rest: they are met, and stay in force ---


class Kept:
    """Work on a goal that is met from its first turn on, and due whenever `due` says so."""

    def __init__(self, thread) -> None:
        self.due = math.inf
        self.turns = 0
        self._thread = thread

    def __call__(self, _context) -> Rest:
        self.turns += 1
        self.due = math.inf
        return Rest(lambda: self.due)

    def undo(self) -> None:
        self.due = 0.0
        self._thread.post(WorldChanged(), "scene changed")


@pytest.fixture
def kept(late):
    """A thread, and a goal that rests in it."""
    _, thread = late
    work = Kept(thread)
    _, context = submit(thread, work, "kept")
    wait_for(lambda: thread.count_resting)
    return thread, work, context


def test_a_goal_that_rests_is_worked_on_again_when_it_is_due(kept):
    thread, work, context = kept
    assert not thread.is_busy
    for turns in (2, 3):
        work.undo()
        wait_for(lambda turns=turns: work.turns == turns and thread.count_resting)
    assert not context.answer.done()
    assert [one.key for one in thread.list_goals()[1]] == [context.key]


def test_a_goal_that_rests_waits_for_the_one_at_work_and_is_noticed_by_it(kept):
    thread, work, _ = kept
    began = threading.Event()

    def other(context) -> str:
        began.set()
        while thread.take(context, None) != "end":
            pass
        return "done"

    answer = begin(thread, other, "other")
    assert began.wait(10.0)
    work.undo()
    wait_for(lambda: thread.count_waiting)
    assert work.turns == 1
    thread.post("end")
    assert answer.result(10.0) == "done"
    wait_for(lambda: work.turns == 2)


def test_one_that_is_due_later_is_looked_at_again():
    reminded = []
    thread = GoalThreads(lambda _event: None, lambda: reminded.append(True))
    work = Kept(thread)
    submit(thread, work)
    wait_for(lambda: thread.count_resting)
    work.due = time.monotonic() + 3600.0
    thread.post(WorldChanged(), "scene changed")
    wait_for(lambda: reminded)
    assert work.turns == 1
    work.due = 0.0
    thread.look_at_resting()
    wait_for(lambda: work.turns == 2)
    thread.close(10.0)


@pytest.mark.parametrize("way", ["cancel", "interrupt", "close"])
def test_a_goal_that_rests_ends_with_a_sentence(kept, way):
    thread, work, context = kept
    if way == "cancel":
        thread.cancel(context)
    elif way == "interrupt":
        thread.interrupt("The node was deactivated.")
    else:
        assert thread.close(10.0)
    with pytest.raises(GoalWithdrawn, match="kept until then"):
        context.answer.result(10.0)
    assert (context.interruption is None) == (way == "cancel")
    assert not thread.list_goals()[0]
    assert work.turns == 1


@pytest.mark.parametrize("way", ["cancelled", "interrupted"])
def test_a_goal_that_comes_to_rest_as_it_is_stopped_ends(late, way):
    """Whoever stops it still took it for the goal at work."""
    _, thread = late
    context = GoalContext(Goal("kept"))

    def work() -> Rest:
        if way == "cancelled":
            thread.cancel(context)
        return Rest(lambda: math.inf)

    thread.submit(context, Ticket(context.key), work, 2)
    if way == "interrupted":
        wait_for(lambda: thread.count_resting)
        context.interrupt(EarlyEnd("PREEMPTED", "Preempted."))
        thread.wake(context)
    with pytest.raises(GoalWithdrawn):
        context.answer.result(10.0)
    assert not thread.count_resting


# --- several goals at work ---


@pytest.fixture
def two():
    """Threads for two goals at a time, and the events that were handled without a goal."""
    handled = []
    threads = GoalThreads(handled.append, places=2)
    yield threads, handled
    threads.close(10.0)


def test_two_goals_take_their_own_events_and_those_for_all(two):
    threads, handled = two
    taken = {"a": [], "b": []}

    def work(name, context) -> None:
        while (event := threads.take(context, None)) != f"end {name}":
            taken[name].append(event)

    contexts = [submit(threads, partial(work, name), name)[1] for name in taken]
    threads.post("all")
    threads.post_to(contexts[0], "first")
    threads.post_to(contexts[1], "second")
    threads.post_to(contexts[0], "end a")
    contexts[0].answer.result(10.0)
    threads.post_to(contexts[0], "late")  # that goal is over: the other one hears of it
    threads.post_to(contexts[1], "end b")
    contexts[1].answer.result(10.0)
    assert taken == {"a": ["all", "first"], "b": ["all", "second", "late"]}
    threads.post_to(contexts[1], "later")
    wait_for(lambda: handled == ["later"])


def test_one_thread_computes_at_a_time_and_changes_places_where_it_takes_an_event(two):
    threads, _ = two
    inside, most, rounds = [], [], 200

    def work(context) -> None:
        for _ in range(rounds):
            inside.append(context)
            most.append(len(inside))
            time.sleep(0.0)  # another thread may run now, if it were allowed to
            inside.remove(context)
            threads.take(context, time.monotonic())

    contexts = [submit(threads, work, name)[1] for name in "ab"]
    for context in contexts:
        context.answer.result(30.0)
    assert len(most) == 2 * rounds
    assert set(most) == {1}


def test_a_third_goal_takes_the_place_that_becomes_free(two):
    threads, _ = two

    def work(context) -> None:
        while not context.is_cancelled:
            threads.take(context, None)

    first, second = (submit(threads, work, name)[1] for name in "ab")
    arrival, third = submit(threads, work, "c")
    assert arrival.admission is Admission.WAITS
    assert arrival.message == "Waits for one of the 2 goals at work."
    threads.cancel(second)
    second.answer.result(10.0)
    wait_for(lambda: threads.count_waiting == 0)
    assert threads.list_goals()[0] == (first, third)
    threads.interrupt("The node was deactivated.")
    for context in (first, third):
        context.answer.result(10.0)
    assert not threads.is_busy


def test_a_goal_at_work_preempts_another_one_that_it_meets(two):
    threads, _ = two
    first = submit(
        threads, lambda c: [threads.take(c, None) for _ in iter(lambda: c.is_cancelled, True)], "a"
    )[1]

    def work(context) -> bool:
        may = threads.may_preempt(context, first.key)
        threads.preempt(context, first.key)
        return may

    second = submit(threads, work, "b", when_busy=WhenBusy.PREEMPT)[1]
    assert second.answer.result(10.0)
    first.answer.result(10.0)
    assert first.interruption.code == "PREEMPTED"


# --- a plan whose steps are being done while its goal waits for something else ------------------


class Running:
    """A plan that wants to be told at once, and again after each event, up to some times."""

    def __init__(self, ticks: int) -> None:
        self.taken: list = []
        self.ticks = ticks

    def look(self) -> float | None:
        return time.monotonic() if self.taken.count(None) < self.ticks else None

    def take(self, event) -> None:
        self.taken.append(event)


def test_a_plan_that_runs_hears_of_events_and_of_its_time_in_any_wait(late):
    handled, thread = late
    running, seen = Running(3), []

    def work(context):
        context.running = running
        for event in thread.wait_events(context, None):
            seen.append(event)
            if event == "last":
                return

    answer = begin(thread, work)
    wait_for(lambda: running.taken.count(None) == 3)
    for event in ("first", "last"):
        thread.post(event)
    answer.result(10.0)
    assert seen == ["first", "last"], "whoever waits isn't told of the time of the plan"
    assert running.taken == [None, None, None, "first", "last"]
    assert handled == [], "nobody else has handled them"


def test_a_wait_ends_in_its_time_whatever_the_plan_that_runs_wants(late):
    _, thread = late

    def work(context):
        context.running = Running(1_000_000_000)
        return list(thread.wait_events(context, 0.02))

    assert begin(thread, work).result(10.0) == []
