# SPDX-License-Identifier: Apache-2.0
"""`fcp language`: the datasheet of a file."""

from typer.testing import CliRunner

from fcp_ros.cli.language import app


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


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
