# SPDX-License-Identifier: Apache-2.0
"""docs/generalized_plans.md stays true: its policy is one, and all codes and statuses are told."""

import re

import pytest

from fcp_ros.abstraction.policy.general_policy import PolicyFault
from fcp_ros.abstraction.policy.policy_file import parse_policy, read_policy
from fcp_ros.abstraction.policy.runner import ExecutionStatus
from fcp_ros.planning.plan_reuse import LONGEST_SUGGESTION, SHARE_OF_SUGGESTIONS


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs" / "generalized_plans.md").read_text(encoding="utf-8")


def test_the_policy_of_the_page_is_that_of_the_benchmark(page, repository):
    (text,) = re.findall(r"```yaml\n(format.*?)```", page, re.S)
    shown, known = (
        parse_policy(text),
        read_policy(repository / "benchmark/abstraction/policies/ferry.yaml"),
    )
    assert (shown.policy, shown.refinement) == (known.policy, known.refinement)
    assert (shown.qnp, shown.domain_hash) == (known.qnp, known.domain_hash)


@pytest.mark.parametrize("word", [*ExecutionStatus, *PolicyFault])
def test_every_status_and_code_is_told(page, word):
    assert f"`{word.value}`" in page


def test_the_share_of_the_time_is_told(page):
    assert SHARE_OF_SUGGESTIONS * LONGEST_SUGGESTION == 6.0
    assert "never more than 6 s" in page
