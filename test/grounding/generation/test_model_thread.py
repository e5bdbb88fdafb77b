# SPDX-License-Identifier: Apache-2.0
"""A thread that computes for others: results, errors, deadlines, checks."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import weakref

import pytest

from fcp_ros.grounding import GroundingError
from fcp_ros.grounding.generators import ModelThread, StoppedError


def never() -> None:
    """Does not stop."""


def test_results_and_errors_come_back() -> None:
    thread = ModelThread("test")
    assert thread.run(lambda stop: 7, never, 5.0, "late") == 7

    def fail(stop: object) -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        thread.run(fail, never, 60.0, "late")
    for _ in range(2):
        assert thread.run(lambda stop: threading.current_thread().name, never, 60.0, "") == "test"


def test_a_computation_that_hangs_is_left_at_the_deadline() -> None:
    thread = ModelThread("test")
    release = threading.Event()
    with pytest.raises(GroundingError, match="too slow") as told:
        thread.run(lambda stop: release.wait(), never, 0.2, "too slow")
    assert told.value.code == "no_answer"
    # The next one waits behind it, with a deadline of its own.
    with pytest.raises(GroundingError, match="still"):
        thread.run(lambda stop: 1, never, 0.2, "still")
    release.set()
    assert thread.run(lambda stop: 2, never, 60.0, "late") == 2


def test_a_check_that_raises_stops_the_computation() -> None:
    thread = ModelThread("test")
    ended = threading.Event()

    def compute(stop):
        try:
            while True:
                stop()
                time.sleep(0.01)
        except StoppedError:
            ended.set()
            raise

    checks = iter(range(3))

    def check() -> None:
        if next(checks, None) is None:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        thread.run(compute, check, 600.0, "late")
    assert ended.wait(60.0)


SCRIPT = """
import time
from fcp_ros.grounding import GroundingError
from fcp_ros.grounding.generators import ModelThread

def compute(stop):
    try:
        while True:
            time.sleep(0.3)
            stop()
    finally:
        print("ended", flush=True)

try:
    ModelThread("test", last_wait=20.0).run(compute, lambda: None, 0.1, "late")
except GroundingError as error:
    print(error, flush=True)
"""


def test_the_end_of_the_process_waits_for_what_was_stopped() -> None:
    told = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert told.stdout.split() == ["late", "ended"]
    assert told.returncode == 0


def test_a_thread_ends_with_its_owner_and_keeps_nothing_of_what_it_computed() -> None:
    class Model:
        """Anything large."""

    model = Model()
    kept = weakref.ref(model)
    thread = ModelThread("owned", last_wait=20.0)
    assert thread.run(lambda stop, model=model: type(model), never, 60.0, "late") is Model
    (worker,) = [one for one in threading.enumerate() if one.name == "owned"]
    del model
    while kept() is not None:  # the test's own time limit ends it
        time.sleep(0.01)
    del thread
    worker.join(60.0)
    assert not worker.is_alive()
