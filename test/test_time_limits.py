# SPDX-License-Identifier: Apache-2.0
"""A test that hangs ends, also after a failure, and says where it stood."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parent / "support"
CONFTEST = f"""
import sys
sys.path.insert(0, {str(SUPPORT)!r})
from time_limits import TimeLimits

def pytest_configure(config):
    config.pluginmanager.register(TimeLimits(config))
"""
HANGS = """
import ctypes, time
import pytest

def block():
    lock, mutex = ctypes.PyDLL(None).pthread_mutex_lock, ctypes.create_string_buffer(64)
    lock(mutex), lock(mutex)  # keeps the interpreter's lock as well: no alarm is handled

@pytest.fixture
def blocking():
    yield
    block()

@pytest.mark.flaky(reruns=1)
def test_repeated():
    time.sleep(600)

def test_failed(blocking):
    raise LookupError("the failure before")

def test_blocked():
    block()
"""


def test_what_hangs_ends_and_says_where(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_hangs.py").write_text(HANGS)
    limits = ["faulthandler_timeout=2", "faulthandler_exit_on_timeout=true", "timeout=1"]
    options = [word for limit in limits for word in ("-o", limit)]
    plugins = ["no:cacheprovider", "no:launch_testing", "no:launch_ros", "no:dash"]
    options += [word for name in plugins for word in ("-p", name)]
    options.append("-rN")  # where CI is set, pytest's summary says each report once more
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir=.", "-n", "1", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    said = ended.stdout
    assert "4 failed, 1 rerun" in said, said + ended.stderr
    for name in ("test_failed", "test_blocked"):
        assert f"crashed while running 'test_hangs.py::{name}'" in said, said
    assert said.count('test_hangs.py", line 7 in block') == 2, said
    assert "in test_blocked" in said
