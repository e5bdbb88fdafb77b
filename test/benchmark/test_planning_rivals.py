# SPDX-License-Identifier: Apache-2.0
"""Other planners as programs: how their ends are understood. Scripts stand in for the planners."""

import sys
from pathlib import Path

import pytest

from benchmark.rivals import programs as planning_rivals
from benchmark.rivals.environment import RivalEnvironment
from benchmark.rivals.programs import KAIROS, LAMA_FIRST, PYPERPLAN, Limits, RivalStatus, run_rival

KAIROS_OUTPUT = """; cost = 2
(go a b)
(press b)
kairos: parse 0.8 ms, search 66.1 ms, total 87.7 ms, first plan 84.7 ms
kairos: 4195 atoms, 148 states, 59 expanded, 143 evaluated, 1 plans, 31 MB peak
"""
PYPERPLAN_OUTPUT = """INFO     39 Nodes expanded
INFO     Search time: 0.0061
INFO     Plan length: 2
"""


class FakeEnvironment(RivalEnvironment):
    """Every planner is a script that ignores its arguments."""

    def command(self, planner):
        """The script."""
        return [sys.executable, str(self.folder / "script.py")]


@pytest.fixture
def run(tmp_path):
    """Run a rival whose program is the given lines of Python."""

    def run_script(rival, script, limits=Limits(20.0, 2_000)):  # noqa: B008
        (tmp_path / "script.py").write_text(script, encoding="utf-8")
        task = tmp_path / "task.pddl"
        task.write_text("(a task)", encoding="utf-8")
        return run_rival(rival, [task], limits, FakeEnvironment(tmp_path, {}))

    return run_script


def test_kairos_plan_is_read(run):
    found = run(KAIROS, f"print('''{KAIROS_OUTPUT}''')")
    assert found.status is RivalStatus.SOLVED
    assert (found.steps, found.cost, found.expansions) == (2, 2.0, 59)
    assert found.search_seconds == pytest.approx(0.0661)
    assert found.memory is not None
    assert found.memory > 1.0


def test_pyperplan_plan_is_read(run):
    found = run(PYPERPLAN, f"print('''{PYPERPLAN_OUTPUT}''')")
    assert (found.status, found.steps, found.expansions) == (RivalStatus.SOLVED, 2, 39)


@pytest.mark.parametrize(
    ("rival", "code", "status"),
    [
        (LAMA_FIRST, 11, RivalStatus.UNSOLVABLE),
        (LAMA_FIRST, 12, RivalStatus.GAVE_UP),
        (LAMA_FIRST, 22, RivalStatus.MEMOUT),
        (LAMA_FIRST, 23, RivalStatus.TIMEOUT),
        (KAIROS, 10, RivalStatus.UNSOLVABLE),
        (KAIROS, 12, RivalStatus.MEMOUT),
        (KAIROS, 14, RivalStatus.GAVE_UP),
        (PYPERPLAN, 1, RivalStatus.FAILED),
    ],
)
def test_exit_codes(run, rival, code, status):
    assert run(rival, f"raise SystemExit({code})").status is status


def test_no_plan_without_its_length(run):
    found = run(PYPERPLAN, "print('fine')")
    assert found.status is RivalStatus.FAILED
    assert found.note == "exit code 0: fine"


def test_who_does_not_stop_is_killed(run, monkeypatch):
    monkeypatch.setattr(planning_rivals, "GRACE", 0.1)
    found = run(KAIROS, "import time; time.sleep(60)", Limits(0.2, 2_000))
    assert found.status is RivalStatus.TIMEOUT
    assert found.seconds < 10.0


def test_memory_is_limited(run):
    script = "try:\n    x = bytearray(10**9)\nexcept MemoryError:\n    raise SystemExit(12)"
    assert run(KAIROS, script, Limits(20.0, 500)).status is RivalStatus.MEMOUT


def test_missing_planner_is_said_so():
    nowhere = RivalEnvironment(Path("/nowhere"), {"Kairos": "no wheel"})
    found = run_rival(KAIROS, [], Limits(), nowhere)
    assert (found.status, found.note) == (RivalStatus.MISSING, "no wheel")
