# SPDX-License-Identifier: Apache-2.0
"""Guarded code shares the one timer of its process with whoever runs the command in it."""

from __future__ import annotations

import signal

import pytest

from fcp_ros.cli.plan import interruption
from fcp_ros.cli.plan.interruption import open_interruption


@pytest.fixture
def alarms():
    """The alarms of a program, which has set one for long after this test's own time limit."""
    left, _ = signal.setitimer(signal.ITIMER_REAL, 1000.0)
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append("program"))
    yield rung
    signal.signal(signal.SIGALRM, before)
    signal.setitimer(signal.ITIMER_REAL, left)


def test_the_alarm_of_the_program_is_set_again(alarms):
    with open_interruption() as opened:
        for _ in range(2):
            with opened.guard(lambda: None):
                assert signal.getitimer(signal.ITIMER_REAL)[0] <= interruption.TICK
            assert 500.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000.0
    assert alarms == []


def test_the_alarm_of_the_program_rings_once_in_guarded_code(alarms, monkeypatch):
    checks = []
    with open_interruption() as opened, opened.guard(lambda: checks.append("check")):
        signal.raise_signal(signal.SIGALRM)
        assert alarms == []
        end = interruption.monotonic() + 1000.0
        monkeypatch.setattr(interruption, "monotonic", lambda: end)
        signal.raise_signal(signal.SIGALRM)
        signal.raise_signal(signal.SIGALRM)
    assert alarms == ["program"]
    assert len(checks) >= 3
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


def test_without_an_alarm_none_is_set(alarms):
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    with open_interruption() as opened:
        with opened.guard(lambda: None):
            pass
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
