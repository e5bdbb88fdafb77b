# SPDX-License-Identifier: Apache-2.0
"""No test can stand still for ever, not even in a library that keeps the interpreter's lock."""

from __future__ import annotations

import subprocess
import sys

BLOCKED = """
import ctypes

def test_blocked():
    ctypes.PyDLL(None).sleep(3600)  # keeps the lock, unlike time.sleep
"""


def test_a_test_that_keeps_the_interpreters_lock_is_ended(repository, tmp_path):
    file = tmp_path / "test_blocked.py"
    file.write_text(BLOCKED)
    settings = ["-c", str(repository / "pyproject.toml"), "-o", "faulthandler_timeout=5"]
    # The signal of the other time limit would interrupt this sleep, and the two would race.
    arguments = [*settings, "-p", "no:cacheprovider", "--timeout=0", str(file)]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        capture_output=True,
        text=True,
        timeout=110.0,
        check=False,
    )
    assert ended.returncode != 0
    assert "in test_blocked" in ended.stderr, "it shows where the process stood"


def test_single_tests_end_before_their_process(pytestconfig):
    """The timeout that only fails one test comes first."""
    assert float(pytestconfig.getini("timeout")) < float(
        pytestconfig.getini("faulthandler_timeout")
    )
