# SPDX-License-Identifier: Apache-2.0
"""docs/generalized_plans.md stays true: its examples, statuses, codes, checks and forms."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from carried_parcels import ABSTRACTION, write_files
from feature_texts import parse_concept, parse_role
from typer.testing import CliRunner

from fcp_ros.abstraction.features.parser import FeatureSyntaxError, parse_feature
from fcp_ros.abstraction.policy.general_policy import PolicyFault
from fcp_ros.abstraction.policy.policy_file import parse_policy, read_policy
from fcp_ros.abstraction.policy.runner import ExecutionStatus
from fcp_ros.abstraction.proposers.faults import AbstractionCheck
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.cli.exit_codes import to_exit_code
from fcp_ros.cli.generalize import ProposerName
from fcp_ros.cli.main import app
from fcp_ros.planning.plan_reuse import LONGEST_SUGGESTION, SHARE_OF_SUGGESTIONS


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


def test_the_policy_of_the_page_is_that_of_the_benchmark(page, repository):
    (text,) = re.findall(r"```yaml\n(format.*?)```", page, re.S)
    shown, known = (
        parse_policy(text),
        read_policy(repository / "benchmark/abstraction/policies/ferry.yaml"),
    )
    assert (shown.policy, shown.refinement) == (known.policy, known.refinement)
    assert (shown.qnp, shown.domain_hash) == (known.qnp, known.domain_hash)


@pytest.mark.parametrize("word", [*ExecutionStatus, *PolicyFault])
def test_every_status_and_fault_of_policies_is_told(page, word):
    assert f"`{word.value}`" in page


def test_the_share_of_the_time_is_told(page):
    assert SHARE_OF_SUGGESTIONS * LONGEST_SUGGESTION == 6.0
    assert "never more than 6 s" in page


@pytest.fixture(scope="module")
def section(page: str) -> str:
    return page[page.index("## Features\n") : page.index("## Programs\n")]


def test_the_forms_of_the_page_are_read(section: str) -> None:
    forms = set(re.findall(r"`([a-z]+\((?:[CDRS](?:, )?)+\))`", section))
    read = set()
    for form in forms:
        for parse in (parse_feature, parse_concept, parse_role):
            with contextlib.suppress(FeatureSyntaxError):
                parse(form)
                read.add(form)
    assert forms == read
    words = {form.partition("(")[0] for form in forms}
    assert words == {
        *("any", "count", "distance", "not", "and", "some", "all", "same"),
        *("inverse", "closure", "restrict", "chain", "difference"),
    }


def test_complexities_that_the_page_tells() -> None:
    free = ("any(clean)", "any(not(clean))", "any(and(goal.clean, not(clean)))")
    assert {parse_feature(text).complexity for text in free} == {2}
    still = ("any(some(difference(goal.at, at), top))", "any(some(inverse(at), top))")
    assert {parse_feature(text).complexity for text in still} == {3}
