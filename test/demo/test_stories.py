# SPDX-License-Identifier: Apache-2.0
"""The demonstration's goals fit the scene that they are chosen for."""

import pytest

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.demo.spoken_stories import choose_wish, propose_wishes
from fcp_ros.demo.stories import StoryError
from fcp_ros.language.domain_reader import DomainReader
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus, WordRole, WordUse
from fcp_ros.planning import PlanningOptions, PlanningRequest
from fcp_ros.planning.traces import trace_plan
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.plan_instruction import plan_instruction
from fcp_ros.report.demo_report import describe_understanding, split_instruction
from fcp_ros.scene import Layer, SceneGraph, SceneNode, load_scene

ALPHA = 0.5


@pytest.fixture(scope="module", params=["twin_house", "twin_house_furnished", "apartment"])
def state(request, repository, domain):
    if request.param == "apartment":
        shared = request.getfixturevalue("shared_dir") / "bench/scenes/spark_dsg"
        graph = load_scene(shared / "apartment_v1.1.3_labelspace.json")
    else:
        graph = load_scene(repository / f"config/scenes/{request.param}.json")
    return scene_to_instance(graph, domain.schema, domain.mapping).instance


def answer(domain, state, grounder, story):
    options = PlanningOptions(alpha=story.alpha, allow_relaxation=story.relax)
    return plan_goal(PlanningRequest(domain, state, story.goal, options, grounder))


def test_each_story_is_answered_as_it_promises(domain, state, grounder, teller):
    cast = teller.choose_cast(state)
    stories = [
        teller.tell_crisp(state, cast),
        teller.tell_unacceptable(state, cast),
        teller.tell_impossible(state, cast),
        teller.tell_preferred(state, cast),
        teller.tell_vague(state, teller.choose_free_stage(state, cast)),
    ]
    for story in stories:
        result = answer(domain, state, grounder, story)
        assert result.status in story.statuses, story
        assert not result.relaxations
        if result.status.solved:
            traces = trace_plan(domain, state, result.goal, result.plan)
            assert bool(traces) == (story.number == "4c")
            assert result.plan.steps, f"{story.goal} holds already: nothing would be shown"


def test_a_wish_for_more_than_there_is_is_understood_and_relaxed(domain, state, grounder, teller):
    """In two ways where the scene has enough in it for that, or else in one."""
    context = ReadingContext(domain, state)
    reader = DomainReader()

    def plan(story):
        options = PlanningOptions(alpha=story.alpha)
        request = PlanningRequest(context.domain, context.instance, "", options, grounder)
        return plan_instruction(request, story.instruction, reader, context).result

    story = choose_wish(propose_wishes(teller, state, teller.choose_cast(state)), plan)
    read = reader.read(story.instruction, context)
    assert read.status is ReadingStatus.READ
    understood = describe_understanding(read)
    assert "".join(word.text for word in understood.words) == story.instruction
    result = plan(story)
    assert story.is_answered_by(result)
    assert len(story.kinds) == 2 or not state.has("vase_1")
    assert result.plan.steps
    assert result.goal != read.best.goal
    assert result.explored


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


def test_words_are_cut_out_of_the_instruction_without_loss():
    uses = (
        WordUse(4, 7, WordRole.THING, "mug_1", 0.9),
        WordUse(0, 3, WordRole.ACTION, "on"),
        WordUse(5, 9, WordRole.UNREAD),  # overlaps: left out
        WordUse(9, 9, WordRole.FILLER),
    )
    words = list(split_instruction("put mug away", uses))
    assert [(word.text, word.role) for word in words] == [
        ("put", "action"),
        (" ", ""),
        ("mug", "thing"),
        (" away", ""),
    ]
    assert words[2].degree == 0.9
