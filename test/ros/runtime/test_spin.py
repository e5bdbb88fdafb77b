# SPDX-License-Identifier: Apache-2.0
"""Signals end a node cleanly, once."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fcp_ros.nodes.runtime.spin import StopRequest

PROGRAM = """
import os, signal
from fcp_ros.nodes.runtime.spin import StopRequest
with StopRequest() as stop:
    os.kill(os.getpid(), signal.SIGINT)
    stop.wait()
os.kill(os.getpid(), signal.SIGINT)
print("cleaned up")
"""


def test_a_second_interrupt_does_not_kill_a_process_that_is_ending():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "cleaned up\n"


SLEEPER = """
from fcp_ros.nodes.runtime.spin import StopRequest
with StopRequest() as stop:
    print("waiting", flush=True)
    stop.wait()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_wait_which_polls_nothing(number):
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPER], stdout=subprocess.PIPE, text=True
    ) as one:
        try:
            assert one.stdout.readline() == "waiting\n"
            before = count_waits(one.pid)
            time.sleep(1.0)
            assert count_waits(one.pid) - before <= 2
            one.send_signal(number)
            assert one.wait(10.0) == 0
        finally:
            one.kill()  # or the end of the block would wait for it


def count_waits(process: int) -> int:
    """How often the main thread of a process has gone to sleep."""
    status = Path(f"/proc/{process}/task/{process}/status").read_text()
    return int(status.partition("\nvoluntary_ctxt_switches:")[2].split()[0])


@pytest.mark.parametrize("in_main_thread", [True, False])
def test_an_event_ends_the_wait(in_main_thread):
    event = threading.Event()
    ended = []

    def wait():
        with StopRequest(event) as stop:
            stop.wait()
            ended.append(stop())

    threading.Timer(0.2, event.set).start()
    if in_main_thread:
        wait()
    else:
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(10.0)
    assert ended == [True]


def test_without_a_signal_the_handlers_of_before_come_back():
    before = signal.getsignal(signal.SIGTERM)
    with StopRequest():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before
