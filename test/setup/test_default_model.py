# SPDX-License-Identifier: Apache-2.0
"""The set-up's model: fetched where that is possible, never a reason to stop."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def module(repository: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module setup/default_model.py, which is no part of the package."""
    monkeypatch.syspath_prepend(str(repository / "setup"))
    return importlib.import_module("default_model")


def fetch(module: ModuleType, folder: Path, choice: str, command: str) -> None:
    """Run the stage with a python that is the given shell command."""
    shell_file = folder / "env.sh"
    shell_file.write_text(f"python() {{ echo called >> {folder}/calls; {command}; }}\n")
    stages = module.Stages(folder)
    stages.run(
        "model",
        choice,
        "model",
        lambda: module.fetch_default_model(choice, stages, shell_file, folder),
    )


def test_it_is_fetched(module, tmp_path: Path, capsys) -> None:
    fetch(module, tmp_path, "mpnet", "echo $*")
    assert "judges" not in capsys.readouterr().out
    assert "models fetch mpnet" in (tmp_path / "logs" / "model.log").read_text()


def test_without_a_network_the_set_up_goes_on(module, tmp_path: Path, capsys) -> None:
    for _ in range(2):
        fetch(module, tmp_path, "mpnet", "echo error the index can\\'t be reached >&2; false")
    told = capsys.readouterr().out
    assert "the index can't be reached" in told
    assert "minilm judges" in told
    assert "`fcp models fetch mpnet`" in told
    assert (tmp_path / "calls").read_text() == "called\n"  # not tried by each make


def test_it_can_be_left_out(module, tmp_path: Path, capsys) -> None:
    fetch(module, tmp_path, "none", "true")
    assert "FCP_DEFAULT_MODEL=none" in capsys.readouterr().out
    assert not (tmp_path / "calls").exists()


def test_a_wrong_choice_is_refused(module) -> None:
    assert module.check_choice("") == "mpnet"
    with pytest.raises(module.SetupError, match="it can be none or mpnet"):
        module.check_choice("bert")
