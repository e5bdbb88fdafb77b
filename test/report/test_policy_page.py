# SPDX-License-Identifier: Apache-2.0
"""A plan that a policy made is drawn in the same way on the pages of a plan and of the demo."""

import json
import re
from dataclasses import replace

import pytest

from fcp_ros.abstraction.policy.runner import plan_with_policies, read_policy_folder
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import load_domain, parse_expression
from fcp_ros.grounding import GroundingOptions, make_grounder
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.report.demo_report import DemoReport, Episode, render_page, write_json
from fcp_ros.report.plan_page import PlanRequest, draw_policy_path, render_plan_page
from fcp_ros.scene import load_scene

GOAL = "on(mug_1, counter_1) and on(book_1, counter_1)"


@pytest.fixture(scope="module")
def policy(repository):
    (tidy,) = read_policy_folder(repository / "config/policies").policies
    return tidy


@pytest.fixture(scope="module")
def scene(repository):
    return load_scene(repository / "config/scenes/twin_house_furnished.json")


@pytest.fixture(scope="module")
def result(repository, scene, policy):
    domain = load_domain(repository / "config/domains/household.yaml")
    state = scene_to_instance(scene, domain.schema, domain.mapping).instance
    grounder = make_grounder(domain, GroundingOptions())
    options = PlanningOptions(alpha=0.5)
    found = plan_with_policies(
        [policy], PlanningRequest(domain, state, parse_expression(GOAL), options, grounder)
    )
    assert found.policy == "tidy", found.policy_notes
    return found


def make_report(result, scene, policy):
    episode = Episode(
        "6",
        "Title",
        "Story.",
        GOAL,
        0.5,
        result,
        scene,
        (),
        0,
        (),
        "made",
        True,
        "Done.",
        None,
        policy,
    )
    return DemoReport("Demo", "house", "household", "none", (), "2026-01-01", (episode,))


def test_both_pages_have_the_same_drawings(result, scene, policy):
    page = render_page(make_report(result, scene, policy))
    path = draw_policy_path(result, policy)
    request = PlanRequest("household", "house", GOAL)
    for shown in (page, render_plan_page(result, request, policy)):
        assert str(path.graph) in shown
        assert "8 steps, in 8 abstract actions, without a search" in shown
        headings = re.findall(r'<tr class="group"><td[^>]*><b>(\w+)</b>', shown)
        assert headings == [move.action for move in result.policy_trace.moves]
    assert "<script" not in page


def test_without_the_policy_its_graph_is_left_out(result, scene):
    page = render_page(make_report(result, scene, None))
    assert "Made by the general policy" in page
    assert "What the policy may do" not in page


def test_a_path_of_which_the_end_is_missing_says_so(result, scene, policy):
    trace = result.policy_trace
    cut = replace(trace, moves=trace.moves[:3], final=trace.moves[3].values, left_out=5)
    page = render_page(make_report(replace(result, policy_trace=cut), scene, policy))
    assert "8 steps, in 8 abstract actions, without a search" in page
    assert "The first 3 abstract actions are shown." in page


def test_json_has_the_path_and_not_the_policy(result, scene, policy, tmp_path):
    file = write_json(make_report(result, scene, policy), tmp_path / "demo.json")
    (episode,) = json.loads(file.read_text())["episodes"]
    assert "policy" not in episode
    assert episode["result"]["policy"] == "tidy"
    assert len(episode["result"]["policy_trace"]["moves"]) == 8
