# SPDX-License-Identifier: Apache-2.0
"""Threads for streams: each item is handled, also None; a fault costs one; the newest counts."""

import threading

import pytest

from fcp_ros.nodes.runtime.worker import NewestThread

HANGS = 60.0
"""Bound against hanging (s)."""


@pytest.fixture
def run():
    """Makes threads that note what they handle, and are closed at the end."""
    opened = []

    def make(handle):
        faults = []
        opened.append(NewestThread("test", handle, faults.append))
        return opened[-1], faults

    yield make
    for thread in opened:
        thread.close()


def test_none_is_an_item_like_any_other(run):
    handled = threading.Event()
    thread, _ = run(lambda item: handled.set() if item is None else None)
    thread.put_if_idle(None)
    assert handled.wait(HANGS)


def test_what_is_overtaken_while_it_waits_is_left_out(run):
    began, go_on, done = threading.Event(), threading.Event(), threading.Event()
    handled = []

    def handle(item):
        handled.append(item)
        began.set()
        assert go_on.wait(HANGS)
        if item == 3:
            done.set()

    thread, _ = run(handle)
    thread.put(1)
    assert began.wait(HANGS)
    thread.put(2)
    thread.put(3)
    thread.put_if_idle(4)
    go_on.set()
    assert done.wait(HANGS)
    assert handled == [1, 3]


def test_a_fault_is_reported_and_costs_one_item(run):
    done = threading.Event()
    began = threading.Event()

    def handle(item):
        began.set()
        if item == "bad":
            raise ValueError(item)
        done.set()

    thread, faults = run(handle)
    thread.put("bad")
    assert began.wait(HANGS)
    thread.put("good")
    assert done.wait(HANGS)
    assert [str(fault) for fault in faults] == ["bad"]
