# SPDX-License-Identifier: Apache-2.0
"""``fcp calibration``: what was learnt is shown in words and figures; resets can be undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.grounding import ArgumentContext, CalibrationStore, Evidence, JudgementRequest

RUNNER = CliRunner()


def fcp(*words: str) -> tuple[int, str]:
    """Exit code and output of a command; of JSON only what goes to stdout, as for a program."""
    result = RUNNER.invoke(app, ["calibration", *words], env={"COLUMNS": "100"})
    return result.exit_code, result.stdout if "--json" in words else result.output


def key(number: int) -> str:
    mug = ArgumentContext("item", f"mug_{number}", "mug", (("name", f"mug_{number}"),))
    robot = ArgumentContext("robot", "robot_1", "robot")
    return JudgementRequest("can_grasp", (robot, mug)).context_key


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Grasping went well for thirty mugs, and then no more."""
    path = tmp_path / "store.sqlite"
    store = CalibrationStore(path)
    for number in range(90):
        store.record(
            Evidence(
                "can_grasp",
                key(number % 30),
                float(number < 30),
                1.0e9 + number,
                f"pick(robot_1, mug_{number % 30})",
                prior=0.97,
                degree=0.9,
                source="table",
                model="table:can_grasp",
            )
        )
    store.record(Evidence("serves_as", '{"old": 1}', 0.5, 1.0e9, "fetch(mug_1)"))
    store.close()
    return str(path)


def test_what_was_learnt_is_shown(path: str) -> None:
    code, out = fcp("show", "--path", path)
    assert code == 0
    words = " ".join(out.split())
    assert "robot, mug (name mug_0) 3" in words
    assert "0.33" in words
    assert "degrees of table:can_grasp after 90 outcomes" in words
    assert "0.9 →" in words
    assert "Brier score" in words
    assert "drift: can_grasp goes worse than its degrees" in words
    assert "high calibration error" in words
    assert '{"old": 1}' in words
    assert max(map(len, out.splitlines())) <= 100
    assert "serves_as" not in fcp("show", "--path", path, "--predicate", "can_grasp")[1]


def test_json(path: str) -> None:
    code, out = fcp("show", "--path", path, "--json")
    assert code == 0
    shown = json.loads(out)
    assert len(shown["evidence"]) == 91
    grasp, serves = shown["predicates"]
    assert (grasp["predicate"], len(grasp["contexts"])) == ("can_grasp", 30)
    first = grasp["contexts"][0]
    assert first["prior"] == 0.97
    assert first["degree"] < 0.8
    (model,) = grasp["models"]
    assert model["drift"]["direction"] == "WORSE"
    assert len(model["points"]) == 11
    assert serves["contexts"][0]["degree"] is None
    assert serves["models"] == []


def test_a_reset_is_listed_and_undone(path: str) -> None:
    assert "no resets" in fcp("resets", "--path", path)[1]
    code, out = fcp("reset", "--path", path, "--predicate", "can_grasp")
    assert code == 0
    assert "set 90 outcomes aside (reset 1)" in out
    assert "can_grasp" not in fcp("show", "--path", path)[1]
    assert "can_grasp" in fcp("resets", "--path", path)[1]
    assert "90 outcomes count again (reset 1 is undone)" in fcp("undo", "--path", path)[1]
    assert "can_grasp" in fcp("show", "--path", path)[1]
    assert json.loads(fcp("resets", "--path", path, "--json")[1])[0]["undone"]
    code, out = fcp("undo", "--path", path)
    assert code == 2
    assert "no reset to undo" in out
    assert fcp("undo", "7", "--path", path)[0] == 2


def test_stores_are_merged_on_request(path: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    code, out = fcp("merge", path, "--robot", "robot_1", "--world", "simulated", "--weight", "0.5")
    words = " ".join(out.split())
    assert code == 0, out
    assert "copied 91 outcomes of unknown origin" in words
    assert "robot_1 in the simulated world" in words
    code, out = fcp("show", "--robot", "robot_1", "--world", "simulated", "--json")
    assert code == 0
    assert {item["weight"] for item in json.loads(out)["evidence"]} == {0.5}
    merged = tmp_path / ".local/state/fcp_ros/calibration/robot_1/simulated.sqlite"
    code, out = fcp("merge", path, "--into", str(merged))
    assert "copied 0 outcomes" in out
    code, out = fcp("show")  # there is none of the real robot without a namespace
    assert code == 2
    assert str(merged) in "".join(out.split())


@pytest.mark.parametrize("command", ["show", "resets", "reset", "undo", "merge"])
def test_a_file_of_the_user_stays_as_it_is(command: str, path: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("my only copy\n" * 100)
    before = notes.read_text()
    files = {file.name for file in tmp_path.iterdir()}
    code, out = (
        fcp("merge", path, "--into", str(notes))
        if command == "merge"
        else fcp(command, "--path", str(notes))
    )
    assert code == 2
    assert "is no SQLite database, and is left as it is" in " ".join(out.split())
    assert notes.read_text() == before
    assert {file.name for file in tmp_path.iterdir()} == files


def test_showing_writes_nothing(path: str) -> None:
    """A store can be shown on a disk that nobody may write to."""
    file = Path(path)
    before = file.read_bytes(), file.stat().st_mtime_ns
    folder = sorted(file.parent.iterdir())
    for command in ("show", "resets"):
        assert fcp(command, "--path", path)[0] == 0
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before
    assert sorted(file.parent.iterdir()) == folder


def test_a_damaged_store_is_refused_by_commands_and_not_replaced(path: str) -> None:
    file = Path(path)
    damaged = bytearray(file.read_bytes())
    damaged[100:] = b"x" * (len(damaged) - 100)
    file.write_bytes(damaged)
    for command in ("show", "resets", "reset", "undo"):
        code, out = fcp(command, "--path", path)
        assert code == 2, out
    assert file.read_bytes() == damaged
    assert [one.name for one in file.parent.iterdir()] == [file.name]
