# SPDX-License-Identifier: Apache-2.0
"""The turns of goals, against a twin that keeps everybody in a list and looks at all of them."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.execution.goal_queue import Admission, GoalQueue, Pace, Ticket, WhenBusy

QUEUE, PREEMPT, REJECT = WhenBusy


class Twin:
    """The same by its definition: every goal is kept with its arrival, and the next is looked for.

    `order` puts a goal that preempts before all that came earlier, by a number below theirs.
    """

    def __init__(self, most: int, places: int) -> None:
        self.most = most
        self.places = places
        self.at_work: list[Ticket] = []
        self.stopping: list[Ticket] = []
        self.order: list[Ticket] = []
        self.kept: list[Ticket] = []

    def arrive(self, new: Ticket) -> tuple[Admission, Ticket | None]:
        if len(self.at_work) < self.places:
            self.at_work.append(new)
            return Admission.BEGINS, None
        is_place_left = len(self.order) < len(self.stopping)
        if new.when_busy is REJECT and not is_place_left:
            return Admission.REFUSED, None
        if len(self.order) + len(self.kept) >= self.most:
            return Admission.REFUSED, None
        weaker = [one for one in self.at_work if one.priority <= new.priority]
        if new.when_busy is not PREEMPT or not weaker:
            self.order = [*self.order, new]
            return Admission.WAITS, None
        self.order = [new, *self.order]
        going_on = [one for one in weaker if one not in self.stopping]
        if self.turns().index(new) < len(self.stopping) or not going_on:
            return Admission.WAITS, None
        lowest = min(one.priority for one in going_on)
        self.stopping.append([one for one in going_on if one.priority == lowest][-1])
        return Admission.WAITS, self.stopping[-1]

    def turns(self) -> list[Ticket]:
        left, turns = list(self.order), []
        while left:
            highest = max(one.priority for one in left)
            turns.append(next(one for one in left if one.priority == highest))
            left.remove(turns[-1])
        return turns

    def cancel(self, key: bytes) -> bool:
        for one in self.at_work:
            if one.key == key:
                self.stopping = [*(o for o in self.stopping if o != one), one]
                return False
        found = [one for one in (*self.order, *self.kept) if one.key == key]
        self.order = [one for one in self.order if one.key != key]
        self.kept = [one for one in self.kept if one.key != key]
        return bool(found)

    def wake(self, ticket: Ticket) -> None:
        self.kept.remove(ticket)
        self.order.append(ticket)
        self.fill()

    def end(self, ended: Ticket, rests: bool = False) -> None:
        self.at_work.remove(ended)
        self.stopping = [one for one in self.stopping if one != ended]
        if rests:
            self.kept.append(ended)
        self.fill()

    def fill(self) -> None:
        if self.order and len(self.at_work) < self.places:
            self.at_work.append(self.turns()[0])
            self.order.remove(self.at_work[-1])

    def clear(self) -> list[Ticket]:
        gone, self.order, self.kept = [*self.turns(), *self.kept], [], []
        self.stopping = list(self.at_work)
        return gone


ARRIVALS = st.tuples(st.sampled_from(WhenBusy), st.integers(-2, 2))
WORDS = st.sampled_from(["end", "rest", "wake", "clear"])
MOVES = st.lists(st.one_of(ARRIVALS, WORDS, st.integers(0, 9)))


@given(MOVES, st.integers(1, 4), st.integers(1, 3))
def test_turns_are_those_of_the_twin(moves, most, places):
    queue, twin, keys = GoalQueue(places), Twin(most, places), 0
    for move in moves:
        if isinstance(move, tuple):
            ticket = Ticket(bytes([keys % 256]), move[1], move[0])
            keys += 1
            arrival = queue.arrive(ticket, most)
            admission, stops = twin.arrive(ticket)
            assert (arrival.admission, arrival.stops) == (admission, stops)
            assert bool(arrival.message) == (admission is not Admission.BEGINS)
        elif move in ("end", "rest"):
            rests = move == "rest"
            if not twin.at_work or (rests and len(twin.order) + len(twin.kept) >= most):
                continue
            ended, before = twin.at_work[keys % len(twin.at_work)], list(twin.at_work)
            twin.end(ended, rests)
            begun = [one for one in twin.at_work if one not in before]
            assert queue.end(ended.key, rests=rests) == next(iter(begun), None)
        elif move == "wake":
            if not twin.kept:
                continue
            ticket, was_free = twin.kept[-1], len(twin.at_work) < places
            twin.wake(ticket)
            began = queue.wake(ticket.key) is Admission.BEGINS
            assert began is was_free
        elif move == "clear":
            assert list(queue.clear()) == twin.clear()
        else:
            key = bytes([move])
            assert queue.cancel(key) == twin.cancel(key)
        assert list(queue.at_work) == twin.at_work
        assert list(queue.waiting) == twin.turns()
        assert list(queue.resting) == twin.kept
        assert len(queue) == len(twin.order) <= most
        assert len(queue.at_work) == places or not queue.waiting, "nobody waits for nothing"


def test_a_goal_that_is_not_to_wait_waits_for_one_that_is_being_stopped():
    queue = GoalQueue()
    queue.arrive(Ticket(b"first"), 5)
    refused = queue.arrive(Ticket(b"second", when_busy=REJECT), 5)
    assert refused.admission is Admission.REFUSED
    assert "not to wait" in refused.message
    queue.cancel(b"first")
    assert queue.arrive(Ticket(b"third", when_busy=REJECT), 5).admission is Admission.WAITS
    assert queue.arrive(Ticket(b"fourth", when_busy=REJECT), 5).admission is Admission.REFUSED


def test_a_goal_of_a_lower_priority_preempts_nobody():
    queue = GoalQueue()
    queue.arrive(Ticket(b"first", 5), 5)
    assert queue.arrive(Ticket(b"low", 4, PREEMPT), 5).stops is None
    assert queue.arrive(Ticket(b"same", 5, PREEMPT), 5).stops == Ticket(b"first", 5)
    assert queue.arrive(Ticket(b"newer", 5, PREEMPT), 5).stops is None, (
        "it is being stopped already"
    )
    assert [ticket.key for ticket in queue.waiting] == [b"newer", b"same", b"low"]


def test_the_lowest_and_of_those_the_newest_goal_makes_room():
    queue = GoalQueue(places=3)
    low = [Ticket(b"older", 1), Ticket(b"newer", 1)]
    for ticket in (*low, Ticket(b"higher", 2)):
        queue.arrive(ticket, 5)
    assert queue.arrive(Ticket(b"urgent", 3, PREEMPT), 5).stops == low[1]


def test_ten_thousand_at_once_are_refused_with_a_sentence_and_in_no_time():
    queue = GoalQueue()
    began = time.process_time()
    arrivals = [queue.arrive(Ticket(b"%d" % number), 1000) for number in range(10_000)]
    assert time.process_time() - began < 2.0
    assert [one.admission for one in arrivals].count(Admission.REFUSED) == 8999
    assert "1000 goals wait already" in arrivals[-1].message


# --- pausing ---


@given(st.lists(st.sampled_from(["pause", "resume", "step", "take"])))
def test_the_steps_that_may_begin_are_counted(moves):
    pace, allowed = Pace(), float("inf")
    for move in moves:
        if move == "take":
            assert pace.take() == (allowed > 0)
            allowed = max(0, allowed - 1)
            continue
        getattr(pace, move)()
        was_free = allowed == float("inf")
        allowed = {"pause": 0, "resume": float("inf"), "step": 1 if was_free else allowed + 1}[move]
        assert pace.is_paused == (allowed < float("inf"))
