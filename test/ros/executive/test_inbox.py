# SPDX-License-Identifier: Apache-2.0
"""The queue into the executive's thread: order, replacement, deadlines."""

from __future__ import annotations

import threading
import time

from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.nodes.executive.inbox import Inbox


def drained(inbox: Inbox) -> list:
    return [inbox.take(0.0) for _ in range(len(inbox))]


def test_events_come_out_in_their_order():
    inbox = Inbox()
    for number in range(5):
        inbox.post(number)
    assert drained(inbox) == [0, 1, 2, 3, 4]
    assert inbox.take(0.0) is None


def test_an_event_replaces_the_waiting_one_with_the_same_key():
    inbox = Inbox()
    for number in range(1000):
        inbox.post(("progress", number), "progress")
        inbox.post(("world", number), "world")
    inbox.post("done")
    assert drained(inbox) == [("progress", 999), ("world", 999), "done"]


@given(st.lists(st.tuples(st.sampled_from([None, "a", "b"]), st.integers())))
def test_nothing_without_a_key_is_lost_and_keys_take_one_place(posted):
    inbox = Inbox()
    for key, value in posted:
        inbox.post((key, value), key)
    out = drained(inbox)
    assert [e for e in out if e[0] is None] == [e for e in posted if e[0] is None]
    for key in ("a", "b"):
        of_key = [e for e in posted if e[0] == key]
        assert [e for e in out if e[0] == key] == of_key[-1:]


def test_taking_waits_for_an_event_and_not_beyond_its_time():
    inbox = Inbox()
    threading.Timer(0.02, inbox.post, ["late"]).start()
    assert inbox.take(time.monotonic() + 10.0) == "late"
    assert inbox.take(time.monotonic() + 0.01) is None
    threading.Timer(0.02, inbox.post, ["later"]).start()
    assert inbox.take(None) == "later"
