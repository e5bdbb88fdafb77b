# SPDX-License-Identifier: Apache-2.0
"""The README stays true: its fcp commands run, its links lead somewhere."""

import re
import shlex

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app


@pytest.fixture(scope="module")
def readme(repository):
    return (repository / "README.md").read_text(encoding="utf-8")


def commands(text):
    """The ``fcp`` commands in the README's shell blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.startswith("fcp ")]


def test_every_fcp_command_runs(readme, repository, monkeypatch):
    monkeypatch.chdir(repository)
    found = commands(readme)
    assert len(found) >= 5
    for _, *arguments in found:
        if arguments[0] in ("up", "demo"):
            continue  # these need live nodes: tested in test/ros
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"fcp {' '.join(arguments)}: {result.output}"


def test_links_lead_to_files_of_the_repository(readme, repository):
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (repository / target).exists(), f"the README links to {target}, which is not there"


def test_make_targets_exist(readme, repository):
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"\bmake ([a-z]+)\b", readme):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
