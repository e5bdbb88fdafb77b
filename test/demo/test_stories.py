# SPDX-License-Identifier: Apache-2.0
"""The demonstration's goals fit the scene that they are chosen for."""

import pytest

from fcp_ros.binding import scene_to_instance
from fcp_ros.demo.stories import StoryError, Storyteller
from fcp_ros.domain import load_domain
from fcp_ros.grounding import GroundingOptions, make_grounder
from fcp_ros.planning import PlanningOptions
from fcp_ros.planning.traces import trace_plan
from fcp_ros.relaxation import plan_goal
from fcp_ros.scene import Layer, SceneGraph, SceneNode, load_scene

ALPHA = 0.5


@pytest.fixture(scope="module")
def domain(repository):
    return load_domain(repository / "config/domains/household.yaml")


@pytest.fixture(scope="module")
def grounder(domain):
    return make_grounder(domain, GroundingOptions())


@pytest.fixture(scope="module")
def teller(domain, grounder):
    return Storyteller(domain, grounder, ALPHA)


@pytest.fixture(scope="module", params=["twin_house", "twin_house_furnished", "apartment"])
def state(request, repository, domain):
    if request.param == "apartment":
        shared = request.getfixturevalue("shared_dir") / "bench/scenes/spark_dsg"
        graph = load_scene(shared / "apartment_v1.1.3_labelspace.json")
    else:
        graph = load_scene(repository / f"config/scenes/{request.param}.json")
    return scene_to_instance(graph, domain.schema, domain.mapping).instance


def answer(domain, state, grounder, story):
    return plan_goal(domain, state, story.goal, PlanningOptions(alpha=story.alpha), grounder)


def test_each_story_is_answered_as_it_promises(domain, state, grounder, teller):
    cast = teller.choose_cast(state)
    stories = [
        teller.tell_crisp(state, cast),
        teller.tell_missing(state, cast),
        teller.tell_unacceptable(state, cast),
        teller.tell_impossible(state, cast),
        teller.tell_preferred(state, cast),
        teller.tell_vague(state, teller.choose_free_stage(state, cast)),
    ]
    for story in stories:
        result = answer(domain, state, grounder, story)
        assert result.status in story.statuses, story
        assert bool(result.relaxations) == story.relaxed
        if result.status.solved:
            traces = trace_plan(domain, state, result.goal, result.plan)
            assert bool(traces) == (story.number == "4c")
            assert result.plan.steps, f"{story.goal} holds already: nothing would be shown"


def test_the_vague_goal_is_not_served_where_the_scene_begins(state, teller):
    cast = teller.choose_free_stage(state, teller.choose_cast(state))
    table = state.id_of(cast.stage)
    lying = {
        state.name_of(state.tuples("on")[t][0]) for t in state.tuples_at("on", "support", table)
    }
    assert cast.best not in lying


def test_the_victim_is_named_in_the_failing_story(state, teller):
    cast = teller.choose_cast(state)
    assert teller.tell_failing(state, cast).avoids == cast.best
    assert not teller.tell_remembering(state, cast).execute


def test_a_scene_with_nothing_in_it_is_refused_with_a_reason(domain, teller):
    room = SceneNode("kitchen_1", Layer.ROOM, "kitchen")
    graph = SceneGraph({"kitchen_1": room})
    state = scene_to_instance(graph, domain.schema, domain.mapping).instance
    with pytest.raises(StoryError, match="two supports"):
        teller.choose_cast(state)
