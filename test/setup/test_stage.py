# SPDX-License-Identifier: Apache-2.0
"""The set-up's stages: skipped while nothing changed, repeated after a failure or a change."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def stage(repository: Path):
    """The module setup/stage.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("stage", repository / "setup" / "stage.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_hash_sees_content_and_order(stage, tmp_path: Path) -> None:
    file = tmp_path / "Plan.msg"
    file.write_text("string goal\n")
    first = stage.content_hash(["jazzy", file])
    assert stage.content_hash(["jazzy", file]) == first
    assert stage.content_hash([file, "jazzy"]) != first
    file.write_text("string goal\nfloat64 alpha\n")
    assert stage.content_hash(["jazzy", file]) != first


def test_unchanged_stage_is_skipped(stage, tmp_path: Path) -> None:
    calls: list[str] = []
    for stamp in ("a", "a", "b"):
        stage.Stages(tmp_path).run("build", [stamp], "build", lambda log: calls.append("run"))
    assert calls == ["run", "run"]


def test_failed_stage_runs_again(stage, tmp_path: Path) -> None:
    def fail(log) -> None:
        raise stage.SetupError("no network: connect and run make again")

    stage.Stages(tmp_path).run("build", ["a"], "build", lambda log: None)
    with pytest.raises(stage.SetupError):
        stage.Stages(tmp_path).run("build", ["b"], "build", fail)
    calls: list[str] = []
    stage.Stages(tmp_path).run("build", ["a"], "build", lambda log: calls.append("run"))
    assert calls == ["run"], "a failed attempt may have left half a result"


def test_output_is_quiet_unless_the_command_fails(stage, tmp_path: Path, capfd) -> None:
    stages = stage.Stages(tmp_path)
    program = "import sys; print('detail'); sys.exit(int(sys.argv[1]))"

    def command(log, status: int) -> None:
        log.command([sys.executable, "-c", program, str(status)], os.environ, "it did not work")

    stages.run("quiet", ["a"], "quiet", command, 0)
    assert "detail" not in "".join(capfd.readouterr())
    with pytest.raises(stage.SetupError, match=r"it did not work .*loud\.log"):
        stages.run("loud", ["a"], "loud", command, 3)
    assert "detail" in capfd.readouterr().err
    assert "detail" in (tmp_path / "logs" / "loud.log").read_text()
