# SPDX-License-Identifier: Apache-2.0
"""The story of two robots: where a scene has something for both, they do it side by side."""

import pytest

from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.demo.two_robots import add_robot, prepare_two
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.planning.model.request import Optimise
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.scene import Layer, SceneDelta, save_scene
from fcp_ros.scene.graph.delta import apply_delta


@pytest.fixture
def house(repository, domain):
    path = repository / "config/scenes/twin_house_furnished.json"
    return load_scene_for(path, domain.schema, domain.mapping)


def read_state(domain, graph):
    return scene_to_instance(graph, domain.schema, domain.mapping).instance


def plan(domain, grounder, graph, story):
    options = PlanningOptions(alpha=story.alpha, optimise=Optimise(story.optimise))
    request = PlanningRequest(domain, read_state(domain, graph), story.goal, options, grounder)
    return plan_goal(request)


def test_both_robots_have_a_part_and_work_at_the_same_time(
    domain, grounder, teller, house, tmp_path
):
    shared, story = prepare_two(
        house,
        read_state(domain, house),
        teller,
        lambda story: plan(domain, grounder, house, story).status.solved,
    )
    save_scene(shared, tmp_path / "two.json")
    both = load_scene_for(tmp_path / "two.json", domain.schema, domain.mapping)
    result = plan(domain, grounder, both, story)
    assert story.is_answered_by(result)
    schedule = result.plan.schedule
    assert {robot for robots in schedule.agents for robot in robots} == {"robot_1", "robot_2"}
    assert schedule.makespan < 0.6 * sum(step.duration for step in result.plan.steps)
    alone = plan(domain, grounder, house, story)
    assert alone.status.solved
    assert not story.is_answered_by(alone), "one robot can do it, but that is another story"


def test_a_house_without_a_robot_or_with_one_room_has_no_such_story(domain, teller, house):
    none = apply_delta(house, SceneDelta(house.sequence + 1, removed=("robot_1",)))
    assert prepare_two(none, read_state(domain, none), teller, lambda _story: True) is None
    small = apply_delta(house, SceneDelta(house.sequence + 1, removed=("living_room_1",)))
    assert prepare_two(small, read_state(domain, small), teller, lambda _story: True) is None


def test_another_story_is_told_where_the_first_can_not_be_done(domain, teller, house):
    asked = []
    found = prepare_two(
        house,
        read_state(domain, house),
        teller,
        lambda story: asked.append(story) or len(asked) > 2,
    )
    assert found[1] is asked[2]
    assert len({story.goal for story in asked}) == 3
    assert prepare_two(house, read_state(domain, house), teller, lambda _story: False) is None


def test_another_robot_has_a_name_of_its_own(house):
    three = add_robot(add_robot(house, "robot_1", "living_room_1"), "robot_1", "kitchen_1")
    robots = [node for node in three.in_layer(Layer.AGENT) if node.category == "robot"]
    assert {node.id: node.parents for node in robots} == {
        "robot_1": ("kitchen_1",),
        "robot_2": ("living_room_1",),
        "robot_3": ("kitchen_1",),
    }
