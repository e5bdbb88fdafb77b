# SPDX-License-Identifier: Apache-2.0
"""A timer that pauses: nothing wakes an idle node, and no start is lost."""

from __future__ import annotations

import threading

import pytest

from fcp_ros.nodes.runtime.worker import PausableTimer
from fcp_ros.nodes.stack import NodeStack

PERIOD = 0.02


class Ticks:
    """Counts calls; each says if it wants another."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.count = 0
        self.during = lambda: None

    def __call__(self) -> bool:
        self.count += 1
        self.during()
        return self.count < self.wanted


@pytest.fixture
def make_timer(probe):
    """Makes a timer of a node that is spun."""
    timers = []

    def make(act) -> PausableTimer:
        timers.append(PausableTimer(probe.node, PERIOD, act))
        return timers[-1]

    yield make
    for timer in timers:
        timer.close()


def test_it_runs_until_there_is_nothing_to_do(make_timer, until):
    ticks = Ticks(3)
    timer = make_timer(ticks)
    others = Ticks(10)
    make_timer(others).start()
    until(lambda: others.count == 10, "ten periods")
    assert ticks.count == 0, "it was not started"
    timer.start()
    until(lambda: ticks.count == 3, "three calls")
    others.wanted = 20
    make_timer(others).start()
    until(lambda: others.count == 20, "ten more periods")
    assert ticks.count == 3
    timer.start()
    until(lambda: ticks.count == 4, "another call")


def test_a_start_during_the_call_is_not_lost(make_timer, until):
    ticks = Ticks(0)
    timer = make_timer(ticks)

    def start_again() -> None:
        if ticks.count < 3:
            timer.start()

    ticks.during = start_again
    timer.start()
    until(lambda: ticks.count == 3, "three calls")


def test_a_sleeping_executor_is_woken(make_timer, until):
    ticks = Ticks(0)
    timer = make_timer(ticks)
    for count in range(1, 6):
        threading.Thread(target=timer.start).start()
        until(lambda count=count: ticks.count == count, f"call {count}")


def test_idle_nodes_have_one_running_timer(stack_options, tmp_path, until):
    """That of the diagnostics: each further one costs a tenth of a per cent of a core and more."""
    with NodeStack(stack_options(tmp_path, namespace="idle")) as stack:
        stack.wait_active()
        for name, node in stack.nodes.items():
            until(
                lambda node=node: (
                    [timer.timer_period_ns for timer in node.timers if not timer.is_canceled()]
                    == [1_000_000_000]
                ),
                f"{name} with one timer",
            )
