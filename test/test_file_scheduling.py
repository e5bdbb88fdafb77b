# SPDX-License-Identifier: Apache-2.0
"""A process of the tests that crashes costs one test, not the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parent / "support"
CONFTEST = f"""
import sys
sys.path.insert(0, {str(SUPPORT)!r})
from file_scheduling import FileScheduling

def pytest_xdist_make_scheduler(config, log):
    return FileScheduling(config, log, ["test_2", "test_3"])
"""
SOUND = "def test_one(): pass\ndef test_two(): pass\n"
CRASHES = SOUND + "def test_crash():\n    import os\n    os._exit(1)\ndef test_three(): pass\n"
CRASHES_ONCE = """
import os, pathlib, pytest

@pytest.mark.flaky(reruns=1)
def test_crash_once():
    mark = pathlib.Path(__file__).with_suffix(".crashed")
    if not mark.exists():
        mark.touch()
        os._exit(1)
"""


def test_a_crash_costs_one_test_and_a_live_one_is_repeated(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    files = {f"test_{number}.py": SOUND for number in range(7)}
    files |= {"test_2.py": CRASHES, "test_5.py": CRASHES_ONCE, "test_9.py": CRASHES}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    pytest = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "/dev/null",
        "--rootdir=.",
        "-p",
        "no:cacheprovider",
    ]
    plain = ["-p", "no:launch_testing", "-p", "no:launch_ros", "-p", "no:dash"]
    spread = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    ended = subprocess.run(
        [*pytest, *plain, *spread], cwd=tmp_path, capture_output=True, text=True, timeout=100
    )
    assert "2 failed, 17 passed, 1 rerun" in ended.stdout, ended.stdout + ended.stderr
    assert ended.returncode == 1
