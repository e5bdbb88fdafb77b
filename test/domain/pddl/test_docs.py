# SPDX-License-Identifier: Apache-2.0
"""docs/pddl.md stays true: its commands run, its figures are those of the code."""

import re
import shlex

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.main import app
from fcp_ros.domain.pddl import PddlError, parse_pddl
from fcp_ros.domain.pddl.drafting import MAX_RULES
from fcp_ros.domain.pddl.normal_form import MAX_ALTERNATIVES, MAX_EXPANSION


@pytest.fixture(scope="module")
def text(repository):
    return (repository / "docs" / "pddl.md").read_text(encoding="utf-8")


def test_commands_run(text, repository, monkeypatch, tmp_path):
    monkeypatch.chdir(repository)
    (block,) = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    for line in block.splitlines():
        _, *arguments = shlex.split(line.replace("/tmp/", f"{tmp_path}/"))
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}: {result.output}"


def test_limits_are_those_of_the_code(text):
    for limit in (MAX_ALTERNATIVES, MAX_EXPANSION, MAX_RULES):
        assert f"{limit:,}" in text


def test_the_message_is_one_that_is_given(text):
    domain = "(define (domain d) (:predicates (p ?x)))"
    problem = "(define (problem p)\n(:domain d)\n(:objects a)\n(:init (p c))\n(:goal (p a)))"
    with pytest.raises(PddlError) as error:
        parse_pddl(domain, problem, ("d.pddl", "p.pddl"))
    assert f"    {error.value}\n" in text
