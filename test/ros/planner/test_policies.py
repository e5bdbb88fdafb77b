# SPDX-License-Identifier: Apache-2.0
"""The policies of the planner node: those that fit suggest plans, the others are named."""

import pytest
from walking_policy import DOMAIN, PROBLEM, write_policy_text

from fcp_ros.domain import load_domain
from fcp_ros.domain.identity import identify_domain
from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.nodes.conversions.planning import result_from_ros
from fcp_ros.nodes.planner.service import NodePolicies, read_policies

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


# --- in the node

SLIDES = """format: fcp_ros general policy
version: 1
name: slides
domain: {name: sliding_tiles, hash: "HASH"}
goals: [free]
features: {left: "count(and(goal.free, not(free)))"}
goal: [left = 0]
actions:
  slide: {when: [left > 0], effects: [left decreases], programs: ["slide(from: goal.free)"]}
policy:
  - {when: [left > 0], do: [slide]}
"""


@pytest.fixture(scope="module")
def sliding(live, tmp_path_factory, tiles):
    """A planner with a folder of policies, one of which is damaged, on the sliding tiles."""
    folder = tmp_path_factory.mktemp("policies")
    domain = load_domain(tiles["domain"])
    (folder / "slides.yaml").write_text(SLIDES.replace("HASH", identify_domain(domain)))
    (folder / "damaged.yaml").write_text(SLIDES.replace("left = 0", "lift = 0"))
    with live(
        folder,
        {"task_planner": {"grounder_wait": 0.0, "policies": str(folder)}},
        nodes=("scene_graph", "task_planner"),
        namespace="sliding",
        offers=("make_plan",),
        **tiles,
    ) as both:
        yield both


def test_the_node_plans_by_a_policy_and_says_so(sliding):
    stack, client = sliding
    near = result_from_ros(client.plan("free(cell_14)"))
    assert near.policy == "slides", near.policy_notes
    assert near.status.solved
    assert [step.rule for step in near.plan.steps] == ["slide"]
    trace = near.policy_trace
    assert [(one.name, one.is_boolean) for one in trace.features] == [("left", False)]
    assert [(one.action, one.values, one.steps) for one in trace.moves] == [("slide", (1,), 1)]
    assert (trace.final, trace.left_out) == ((0,), 0)
    far = result_from_ros(client.plan("free(cell_0)"))
    assert far.policy == ""
    assert "Policy slides was not used: NO_REFINEMENT." in far.policy_notes[0]
    assert far.status.solved
    assert far.policy_trace is None
    found = stack.nodes["task_planner"].diagnose()
    assert found.values["policies"] == "slides"
    assert "no feature lift" in found.values["refused_policies"]
    assert "not all policies could be read" in found.message
