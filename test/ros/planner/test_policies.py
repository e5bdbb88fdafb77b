# SPDX-License-Identifier: Apache-2.0
"""The policies of the planner node: those that fit suggest plans, the others are named."""

from walking_policy import DOMAIN, PROBLEM, write_policy_text

from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.nodes.planner.policies import NodePolicies, read_policies

LAMPS = parse_pddl(DOMAIN, PROBLEM)


def test_without_a_folder_there_are_none():
    assert read_policies("", LAMPS.domain) == NodePolicies()


def test_policies_that_fit_suggest_plans(tmp_path):
    (tmp_path / "a.yaml").write_text(write_policy_text())
    found = read_policies(str(tmp_path), LAMPS.domain)
    assert (found.names, found.refused, found.is_damaged) == (("lamps",), (), False)
    suggestion = found.suggester.suggest(LAMPS.instance, LAMPS.goal, 5.0, lambda: None)
    assert suggestion.policy == "lamps"
    assert len(suggestion.steps) == 5


def test_policies_of_other_domains_are_no_damage(tmp_path):
    text = write_policy_text().replace("domain: {name: lamps", "domain: {name: cakes")
    (tmp_path / "a.yaml").write_text(text.replace('hash: "', 'hash: "x'))
    found = read_policies(str(tmp_path), LAMPS.domain)
    assert (found.suggester, found.is_damaged) == (None, False)
    assert found.refused == ("For other domains: lamps.",)


def test_damaged_files_are_named(tmp_path):
    (tmp_path / "a.yaml").write_text(write_policy_text())
    (tmp_path / "b.yaml").write_text("[")
    found = read_policies(str(tmp_path), LAMPS.domain)
    assert found.names == ("lamps",)
    assert found.is_damaged
    assert "b.yaml" in found.refused[0]
    missing = read_policies(str(tmp_path / "none"), LAMPS.domain)
    assert missing.is_damaged
    assert missing.suggester is None
