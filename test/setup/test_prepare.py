# SPDX-License-Identifier: Apache-2.0
"""Stages of the set-up: models are fetched where that is possible; interfaces may go."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest


@pytest.fixture
def module(repository: Path, monkeypatch: pytest.MonkeyPatch):
    """The module setup/prepare.py, which is no part of the package."""
    monkeypatch.syspath_prepend(str(repository / "setup"))
    return importlib.import_module("prepare")


def fetch(module, folder: Path, choice: str, command: str) -> None:
    """Run the stages with a python that is the given shell command."""
    python = folder / "bin" / "python"
    python.parent.mkdir(exist_ok=True)
    python.write_text(f"#!/bin/sh\necho called >> {folder}/calls\n{command}\n")
    python.chmod(0o755)
    setup = module.Setup(folder, "jazzy")
    setup.have_models({"FCP_DEFAULT_MODEL": choice})


def test_they_are_fetched(module, tmp_path: Path, capsys) -> None:
    fetch(module, tmp_path, "", "echo $*")
    assert "until" not in capsys.readouterr().out
    for name in ("mpnet", "smollm2-135m"):
        log = tmp_path / "logs" / f"model-{name}.log"
        assert f"models fetch {name}" in log.read_text()


def test_without_a_network_the_set_up_goes_on(module, tmp_path: Path, capsys) -> None:
    for _ in range(2):
        fetch(module, tmp_path, "mpnet", "echo error the index can\\'t be reached >&2; false")
    told = capsys.readouterr().out
    assert "the index can't be reached" in told
    assert "until `fcp models fetch mpnet`, minilm judges" in told
    assert "`fcp models fetch smollm2-135m`" in told
    assert (tmp_path / "calls").read_text() == 2 * "called\n"  # not tried by each make


def test_they_can_be_left_out(module, tmp_path: Path, capsys) -> None:
    fetch(module, tmp_path, "none", "true")
    assert "FCP_DEFAULT_MODEL=none" in capsys.readouterr().out
    assert not (tmp_path / "calls").exists()


def test_the_package_finds_its_files_without_a_ros_environment(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in set-up, before the environment is there: fetching the models failed (issue 29)."""
    from fcp_ros.package_files import config_folder

    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    assert config_folder() == repository / "config"


@pytest.mark.parametrize(
    ("variable", "wrong", "choices"),
    [("FCP_DEFAULT_MODEL", "bert", "none or mpnet"), ("FCP_OPEN3D", "newest", "none or pinned")],
)
def test_a_wrong_choice_is_refused(module, tmp_path, monkeypatch, variable, wrong, choices) -> None:
    monkeypatch.setenv(variable, "none")
    assert module.recall(tmp_path, variable) == "none"
    monkeypatch.setenv(variable, wrong)
    with pytest.raises(module.SetupError, match=f"{variable} is '{wrong}'; it can be {choices}"):
        module.recall(tmp_path, variable)
    monkeypatch.delenv(variable)
    assert module.recall(tmp_path, variable) == "none"  # that of the last run that was right


def test_an_interface_that_is_gone_leaves_nothing_behind(module, tmp_path: Path) -> None:
    """What was generated of it is linked with the others, and none of them loads any more."""
    setup, folder = module.Setup(tmp_path, "jazzy"), tmp_path / "colcon"
    built = folder / "build" / "generated.c"

    def build() -> None:
        setup.forget_interfaces_that_are_gone(folder)
        built.parent.mkdir(exist_ok=True)
        built.touch()

    build()
    setup.forget_interfaces_that_are_gone(folder)
    assert built.exists()
    kept = folder / "interfaces.txt"
    kept.write_text(f"{kept.read_text()}\naction/Gone.action")
    setup.forget_interfaces_that_are_gone(folder)
    assert not built.exists()
