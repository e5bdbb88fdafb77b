# SPDX-License-Identifier: Apache-2.0
"""Test processes that run side by side have ROS domains of their own."""

import os
import subprocess
import sys

import pytest
import ros_domains
from ros_domains import DOMAINS, claim_domain

HOLD = """
from ros_domains import claim_domain
with claim_domain() as domain:
    print(domain, flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def first_domain(monkeypatch):
    """All claims of these tests begin to look at the same domain."""
    monkeypatch.setenv("FCP_TEST_DOMAIN_BASE", "60")


def test_claims_of_one_process_differ():
    with claim_domain() as one, claim_domain() as other:
        assert one != other
        assert {one, other} <= set(DOMAINS)


def test_claims_of_two_processes_differ_until_one_ends(repository):
    environment = {**os.environ, "PYTHONPATH": str(repository / "test" / "support")}
    with claim_domain() as ours:
        pass  # free again
    with subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        theirs = int(other.stdout.readline())
        with claim_domain() as now:
            assert now != theirs
        other.kill()
    with claim_domain() as again:
        assert again in (ours, theirs)


def test_no_domain_left_is_said(monkeypatch):
    monkeypatch.setattr(ros_domains, "_lock", lambda _path: None)
    with pytest.raises(RuntimeError, match="all ROS domains"), claim_domain():
        pass
