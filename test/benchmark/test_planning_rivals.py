# SPDX-License-Identifier: Apache-2.0
"""Other planners as programs: how their ends are understood. Scripts stand in for the planners."""

import sys

import pytest

from benchmark.rivals import programs
from benchmark.rivals.environment import RivalEnvironment
from benchmark.rivals.fast_downward import RivalStatus, run_lama_first
from benchmark.rivals.programs import PLAN, Limits

OUTPUT = """Done! [0.030s CPU, 0.031s wall-clock]
Plan length: 2 step(s).
Expanded 39 state(s).
Search time: 0.0061s
Total time: 0.01s
"""


class FakeEnvironment(RivalEnvironment):
    """Every planner is a script that ignores its arguments."""

    def command(self, planner):
        """The script."""
        return [sys.executable, str(self.folder / "script.py")]


@pytest.fixture
def run(tmp_path):
    """Run lama-first, whose program is the given lines of Python."""

    def run_script(script, limits=Limits(20.0, 2_000)):  # noqa: B008
        (tmp_path / "script.py").write_text(script, encoding="utf-8")
        task = tmp_path / "task.pddl"
        task.write_text("(a task)", encoding="utf-8")
        return run_lama_first([task], limits, FakeEnvironment(tmp_path, {}))

    return run_script


def test_a_plan_is_read(run):
    found = run(f"open('{PLAN}', 'w').write('(go a b)')\nprint('''{OUTPUT}''')")
    assert found.status is RivalStatus.SOLVED
    assert (found.steps, found.expansions, found.plan) == (2, 39, "(go a b)")
    assert found.search_seconds == pytest.approx(0.0061)
    assert found.own_seconds == pytest.approx(0.04)
    assert found.memory is not None
    assert found.memory > 1.0


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (1, RivalStatus.FAILED),
        (11, RivalStatus.UNSOLVABLE),
        (12, RivalStatus.GAVE_UP),
        (22, RivalStatus.MEMOUT),
        (23, RivalStatus.TIMEOUT),
    ],
)
def test_exit_codes(run, code, status):
    assert run(f"raise SystemExit({code})").status is status


def test_no_plan_without_its_length(run):
    found = run("print('fine')")
    assert found.status is RivalStatus.FAILED
    assert found.note == "exit code 0: fine"


def test_who_does_not_stop_is_killed(run, monkeypatch):
    monkeypatch.setattr(programs, "GRACE", 0.1)
    found = run("import time; time.sleep(600)", Limits(0.2, 2_000))
    assert found.status is RivalStatus.TIMEOUT
    assert found.memory is None


def test_memory_is_limited(run):
    script = "try:\n    x = bytearray(10**9)\nexcept MemoryError:\n    raise SystemExit(22)"
    assert run(script, Limits(20.0, 500)).status is RivalStatus.MEMOUT
