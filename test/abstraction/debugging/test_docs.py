# SPDX-License-Identifier: Apache-2.0
"""docs/generalized_plans.md stays true about finding policies: statuses, codes, and its example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from carried_parcels import ABSTRACTION, write_files
from typer.testing import CliRunner

from fcp_ros.abstraction.proposers.faults import AbstractionCheck
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.cli.exit_codes import to_exit_code
from fcp_ros.cli.generalize import ProposerName
from fcp_ros.cli.main import app


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs" / "generalized_plans.md").read_text(encoding="utf-8")


def test_every_status_is_told_with_its_exit_code(page: str) -> None:
    told: dict[str, int] = {}
    for names, codes in re.findall(r"^\| (`[A-Z_`, ]+`) \| ([\d, ]+) \|", page, re.M):
        pairs = zip(re.findall(r"[A-Z_]+", names), re.findall(r"\d+", codes), strict=True)
        told |= {name: int(code) for name, code in pairs}
    assert told == {status.value: to_exit_code(status) for status in GeneralizationStatus}


def test_every_check_and_proposer_is_told(page: str) -> None:
    for name in (*AbstractionCheck, *ProposerName):
        assert f"| `{name.value}` |" in page


def test_the_example_of_a_fault_is_what_is_printed(page: str, tmp_path: Path) -> None:
    domain, paths = write_files(tmp_path)
    file = tmp_path / "abstraction.yaml"
    file.write_text(
        ABSTRACTION.replace("[not holding, left decreases]", "[left decreases]"), encoding="utf-8"
    )
    command = ["generalize", domain, paths[0], "--proposer", "file", "--file", file]
    printed = CliRunner().invoke(app, list(map(str, command))).output
    (example,) = re.findall(r"```text\n(round 1: .*?)```", page, re.S)

    def strip(text: str) -> list[str]:
        text = text.replace(tmp_path.name, "train")
        return [re.sub(r"\d+ states.*", "", line) for line in text.strip().splitlines()]

    assert strip(example) == strip(printed[printed.index("round 1: ") :])
