# SPDX-License-Identifier: Apache-2.0
"""achieve_goal with an instruction in words: readings, questions, answers, and a changing world."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scripted_reader import CUP, CUP_GOAL, DOUBTED, MUG, PARTLY, TV_OFF, ScriptedReader

from fcp_ros.client import plan_request
from fcp_ros.client.pending import GoalState
from fcp_ros.execution.outcome import OutcomeCode
from fcp_ros.language import cascade
from fcp_ros.msg import (
    ExecutionState,
    Interpretation,
    PlanRequest,
    Question,
    SceneGraphUpdate,
    TypeShift,
)
from fcp_ros.nodes.conversions.scene import graph_from_ros
from fcp_ros.nodes.conversions.scene_columns import nodes_to_ros, relations_to_ros
from fcp_ros.nodes.executive.parameters import GoalError, PlanError
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.scene.graph.elements import SceneRelation

WINE_GLASS = 'is_a(?x, "wine_glass") and on(?x, table_1)'
"""There is no wine glass: drinking_glass_1 does, to 0.75."""


@pytest.fixture(scope="module")
def site_with_reader(make_sites, tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setattr(cascade, "make_rules", ScriptedReader)
    sites = make_sites()
    yield sites.start(
        tmp_path_factory.mktemp("words"),
        simulated_executor={"time_scale": 100.0},
        task_planner={"reader_model": ""},
    )
    sites.stop()
    patch.undo()


@pytest.fixture
def here(site_with_reader):
    site_with_reader.reset()
    yield site_with_reader
    site_with_reader.set("executive", question_timeout=60.0)
    site_with_reader.set("simulated_executor", time_scale=100.0)


def send(here, request: PlanRequest, **more):
    return here._sent(lambda: here.client.send_achieve(request, **more))


def say(instruction, **more):
    return plan_request(instruction=instruction, alpha=0.5, **more)


def await_question(here, goal) -> Question:
    """The question that a goal asks, by feedback and by the latched state."""
    here.until(lambda: goal.feedback is not None and goal.feedback.question.kind, "a question")
    question = goal.feedback.question
    state = here.states.wait(lambda m: m.state == ExecutionState.ASKING)
    assert state.question == question
    assert state.message == question.text
    return question


def test_what_words_take_for_granted_is_no_obstacle(here):
    # Nobody has seen whether the TV is on, and a state is closed: off would be so already.
    state, result = here.end_of(send(here, say(TV_OFF)))
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert "Taken for granted" in result.plan_result.status.message
    assert [record.step.rule for record in result.outcomes][-1] == "switch_off"
    again = here.end_of(send(here, say(TV_OFF)))[1]
    assert again.outcomes == [], "it has been seen since"


def test_an_instruction_is_achieved(here):
    state, result = here.end_of(send(here, say(CUP)))
    assert state is GoalState.SUCCEEDED, result.error_msg
    reading = result.plan_result.interpretation
    assert reading.status == Interpretation.READ
    assert (reading.instruction, reading.readings[0].goal) == (CUP, CUP_GOAL)
    assert ("on", ("mug_1", "counter_1")) in here.relations()


def test_words_beside_a_goal_say_that_somebody_is_to_be_asked(here):
    goal = plan_request(WINE_GLASS, instruction=CUP, alpha=0.5)
    state, result = here.end_of(send(here, goal))
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.NEEDS_CLARIFICATION)
    assert result.plan_result.question.kind == Question.CONFIRMATION
    goal.instruction = ""
    state, result = here.end_of(send(here, goal))
    assert state is GoalState.SUCCEEDED, result.error_msg


def test_without_leave_to_ask_a_question_ends_the_goal(here):
    state, result = here.end_of(send(here, say(MUG)))
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.NEEDS_CLARIFICATION)
    question = result.plan_result.question
    assert question.kind == Question.READING
    assert list(question.choices) == ["on the counter", "on the TV stand"]
    assert result.error_msg == question.text == "Where does the mug go?"
    assert here.outcomes.messages == []


def test_the_answer_decides_which_reading_is_achieved(here):
    goal = send(here, say(MUG), ask=True)
    question = await_question(here, goal)
    assert question.kind == Question.READING
    assert question.timeout.sec == 60
    answer = here.client.answer(question, 1)
    assert answer.success, answer.message
    state, result = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert ("on", ("mug_1", "tv_stand_1")) in here.relations()
    reading = result.plan_result.interpretation
    assert reading.status == Interpretation.READ
    assert reading.readings[0].goal == "on(mug_1, tv_stand_1)"
    late = here.client.answer(question, 0)
    assert not late.success
    assert "Nobody waits" in late.message


@pytest.mark.parametrize("instruction", [DOUBTED, PARTLY])
def test_what_is_not_plain_is_done_after_a_yes(here, instruction):
    state, result = here.end_of(send(here, say(instruction)))
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.NEEDS_CLARIFICATION)
    assert here.outcomes.messages == []
    goal = send(here, say(instruction), ask=True)
    question = await_question(here, goal)
    assert list(question.choices) == ["yes", "no"]
    assert here.client.answer(question, 0).success
    state, result = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert ("on", ("mug_1", "counter_1")) in here.relations()


def test_no_answer_in_time_counts_as_no(here):
    here.set("executive", question_timeout=0.3)
    for request in (say(MUG), plan_request(WINE_GLASS, alpha=0.5, confirm_below=0.95)):
        state, result = here.end_of(send(here, request, ask=True))
        assert (state, result.error_code) == (GoalState.ABORTED, GoalError.NEEDS_CLARIFICATION)
        assert "Nobody answered within 0.3 s" in result.error_msg
    assert here.outcomes.messages == []


def test_cancel_while_a_question_waits(here):
    goal = send(here, say(MUG), ask=True)
    question = await_question(here, goal)
    goal.cancel()
    state, result = here.end_of(goal)
    assert (state, result.error_code) == (GoalState.CANCELED, GoalError.CANCELLED)
    assert not here.client.answer(question, 0).success
    assert here.achieve("at(robot_1, kitchen_1)")[0] is GoalState.SUCCEEDED


def test_a_relaxation_is_confirmed_before_anything_moves(here):
    goal = send(here, plan_request(WINE_GLASS, alpha=0.5, confirm_below=0.95), ask=True)
    question = await_question(here, goal)
    assert question.kind == Question.CONFIRMATION
    assert list(question.choices) == ["yes", "no"]
    assert "drinking_glass_1" in question.text
    assert here.outcomes.messages == []
    assert here.client.answer(question, 0).success
    state, result = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert ("on", ("drinking_glass_1", "table_1")) in here.relations()
    (relaxation,) = result.plan_result.relaxations
    assert (relaxation.original, relaxation.replacement) == ("wine_glass", "drinking_glass_1")
    assert result.plan_result.status.code == PlanStatus.SOLVED_OPTIMALLY.value
    assert result.plan_result.status.message.endswith("Confirmed.")


def test_the_client_answers_while_it_waits(here):
    asked = []

    def choose(question):
        asked.append(question.text)
        return 0

    result = here.client.achieve(instruction=MUG, alpha=0.5, timeout=30.0, on_question=choose)
    assert result.error_code == GoalError.NONE, result.error_msg
    assert asked == ["Where does the mug go?"]
    assert ("on", ("mug_1", "counter_1")) in here.relations()
    here.set("executive", question_timeout=0.3)
    result = here.client.achieve(instruction=MUG, timeout=30.0, on_question=lambda question: None)
    assert result.error_code == GoalError.NEEDS_CLARIFICATION


# --- elements that a plan takes for another type ------------------------------------------------


def test_a_plan_with_an_element_of_another_type_is_checked_and_executed(here):
    plan = here.client.plan("on(mug_1, counter_1)", alpha=0.3).plan
    plan.shifts = [TypeShift(element="book_1", type="cup")]
    checked = here.client.validate(plan)
    assert checked.valid, checked.message
    state, result = here.execute(plan)
    assert state is GoalState.SUCCEEDED, result.error_msg


@pytest.mark.parametrize(
    ("shift", "words"),
    [(("mgu_1", "cup"), "no element called mgu_1"), (("mug_1", "cpu"), "no type cpu")],
)
def test_a_shift_of_what_is_not_there_is_refused_in_words(here, shift, words):
    plan = here.client.plan("on(mug_1, counter_1)", alpha=0.3).plan
    plan.shifts = [TypeShift(element=shift[0], type=shift[1])]
    checked = here.client.validate(plan)
    assert not checked.success
    assert words in checked.message
    state, result = here.execute(plan)
    assert (state, result.error_code) == (GoalState.ABORTED, PlanError.INVALID_PLAN)
    assert words in result.error_msg
    assert here.outcomes.messages == []


# --- the world changes midway -------------------------------------------------------------------


def change(here, *, added=(), removed=()):
    """Change the scene; wait until the executive and the planner know."""
    updates = here.probe.publisher(SceneGraphUpdate, here.name("scene_graph_update"))
    graph = graph_from_ros(here.client.scene())
    here.until(lambda: here.client.scene().sequence_number >= graph.sequence, "the scene")
    updates.publish(
        SceneGraphUpdate(
            sequence_number=0,
            nodes=nodes_to_ros([copy_glass(graph, name) for name in added]),
            relations=relations_to_ros(
                [SceneRelation("on", (name, "counter_1")) for name in added]
            ),
            removed_nodes=list(removed),
        )
    )

    def is_known():
        return all(
            node.diagnose().values["scene_sequence_number"] > graph.sequence
            for name, node in here.stack.nodes.items()
            if name in ("executive", "task_planner")
        )

    here.until(is_known, "the changed scene")


def copy_glass(graph, name):
    """A thing like the drinking glass, of the category that its name says."""
    return replace(graph.nodes["drinking_glass_1"], id=name, category=name.rpartition("_")[0])


def start_slowly(here, request):
    """Send a goal whose steps take a second or so; wait for the first one."""
    here.set("simulated_executor", time_scale=8.0)
    goal = send(here, request)
    here.until(here.performing, "the first step")
    return goal


def test_what_appears_makes_a_relaxed_plan_end_between_two_steps(here):
    """Nothing breaks: a wine glass is found, and no further step is done with the substitute."""
    goal = start_slowly(here, plan_request(WINE_GLASS, alpha=0.5))
    change(here, added=["wine_glass_1"])
    state, result = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert result.replans == 1
    assert list(result.plan_result.relaxations) == []
    codes = [(one.step.rule, one.outcome.code, one.outcome.message) for one in result.outcomes]
    assert {code for _, code, _ in codes} == {OutcomeCode.SUCCEEDED.value}, codes
    assert ("on", ("wine_glass_1", "table_1")) in here.relations()


def test_what_appears_means_nothing_to_a_strict_plan_or_without_replans(here):
    goal = start_slowly(here, plan_request("on(drinking_glass_1, table_1)", alpha=0.5))
    change(here, added=["wine_glass_1"])
    here.set("simulated_executor", time_scale=100.0)
    state, result = here.end_of(goal)
    assert (state, result.replans) == (GoalState.SUCCEEDED, 0)
    here.reset()
    here.set("simulated_executor", time_scale=8.0)
    goal = send(here, plan_request(WINE_GLASS, alpha=0.5), max_replans=0)
    here.until(here.performing, "the first step")
    change(here, added=["wine_glass_1"])
    here.set("simulated_executor", time_scale=100.0)
    state, result = here.end_of(goal)
    assert (state, result.replans) == (GoalState.SUCCEEDED, 0)
    assert result.plan_result.relaxations


def test_a_goal_is_relaxed_midway_when_a_thing_disappears(here):
    """The wine glass breaks on the way: the drinking glass will do."""
    change(here, added=["wine_glass_1"])
    goal = start_slowly(here, plan_request(WINE_GLASS, alpha=0.5))
    change(here, removed=["wine_glass_1"])
    here.set("simulated_executor", time_scale=100.0)
    state, result = here.end_of(goal)
    assert state is GoalState.SUCCEEDED, result.error_msg
    assert result.replans >= 1
    (relaxation,) = result.plan_result.relaxations
    assert relaxation.replacement == "drinking_glass_1"
    assert ("on", ("drinking_glass_1", "table_1")) in here.relations()


def test_a_relaxation_that_comes_midway_is_asked_about(here):
    change(here, added=["wine_glass_1"])
    here.set("simulated_executor", time_scale=8.0)
    goal = send(here, plan_request(WINE_GLASS, alpha=0.5, confirm_below=0.9), ask=True)
    here.until(here.performing, "the first step")
    change(here, removed=["wine_glass_1"])
    here.set("simulated_executor", time_scale=100.0)
    question = await_question(here, goal)
    assert here.client.answer(question, 1).success
    state, result = here.end_of(goal)
    assert (state, result.error_code) == (GoalState.ABORTED, GoalError.DECLINED)
    assert result.error_msg.endswith("The answer was no.")
