# SPDX-License-Identifier: Apache-2.0
"""`fcp language`: training on a user's rows, and the datasheet of a file."""

import re
from pathlib import Path

from typer.testing import CliRunner

from fcp_ros.cli.language import app

PAGE = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
REMARKS = re.findall(r"^```remarks\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_the_remarks_of_the_docs_are_trained_on(tmp_path):
    rows, out = tmp_path / "rows.yaml", tmp_path / "w.safetensors"
    rows.write_text(REMARKS[0])
    trained = run("train-remarks", rows, "--out", out)
    assert trained.exit_code == 0, trained.output
    assert "rows.yaml: 4 parts, mine" in run("show", out).output
    assert run("train-remarks", "--own-only", "--out", out).exit_code == 2


def test_what_is_no_file_of_weights_is_refused(tmp_path):
    file = tmp_path / "w.safetensors"
    file.write_text("{}")
    shown = run("show", file)
    assert shown.exit_code == 2
    assert "makes no model write plain English" in " ".join(shown.output.split())


def test_the_packaged_file_says_what_it_was_trained_on():
    shown = run("show")
    assert shown.exit_code == 0
    assert "plain English" in shown.output
    assert "heard_rows.jsonl" in shown.output
