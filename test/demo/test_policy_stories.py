# SPDX-License-Identifier: Apache-2.0
"""The demo's episode of a general policy: goals that a policy of this package meets."""

import pytest

from fcp_ros.abstraction.policy.runner import plan_with_policies, read_policy_folder
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.demo.run import MOST_THINGS, choose_tidying, propose_tidying
from fcp_ros.demo.stories import Storyteller, find_support
from fcp_ros.domain import parse_expression
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.scene import load_scene


@pytest.fixture(scope="module")
def state(repository, domain):
    graph = load_scene(repository / "config/scenes/twin_house_furnished.json")
    return scene_to_instance(graph, domain.schema, domain.mapping).instance


@pytest.fixture(scope="module")
def stories(domain, grounder, state):
    teller = Storyteller(domain, grounder, 0.5)
    return propose_tidying(teller, state, teller.choose_cast(state))


def test_more_things_come_first_and_none_lies_where_it_belongs(stories, state):
    counts = [story.goal.count("on(") for story in stories]
    assert counts[0] == MOST_THINGS
    assert counts == sorted(counts, reverse=True)
    assert len({story.goal for story in stories}) == len(stories)
    for story in stories:
        for atom in story.goal.split(" and "):
            thing, place = atom.removeprefix("on(").removesuffix(")").split(", ")
            assert find_support(state, thing) not in ("", place)


def test_a_policy_makes_the_plan_of_the_story_that_is_told(
    stories, domain, state, grounder, repository
):
    policies = read_policy_folder(repository / "config/policies").policies

    def plan(story):
        goal = parse_expression(story.goal)
        options = PlanningOptions(alpha=story.alpha)
        return plan_with_policies(policies, PlanningRequest(domain, state, goal, options, grounder))

    story = choose_tidying(stories, plan)
    assert story is stories[0]
    result = plan(story)
    assert story.is_answered_by(result)
    assert result.policy == "tidy"
    assert len(result.policy_trace.moves) >= 4 * MOST_THINGS - 1


def test_without_a_policy_there_is_no_story(stories, domain, state, grounder):
    def plan(story):
        goal = parse_expression(story.goal)
        options = PlanningOptions(alpha=story.alpha)
        return plan_with_policies((), PlanningRequest(domain, state, goal, options, grounder))

    assert choose_tidying(stories[:1], plan) is None
