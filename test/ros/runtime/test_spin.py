# SPDX-License-Identifier: Apache-2.0
"""Signals end a node cleanly, once."""

import signal
import subprocess
import sys

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


def test_without_a_signal_the_handlers_of_before_come_back():
    before = signal.getsignal(signal.SIGTERM)
    with StopRequest():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before
