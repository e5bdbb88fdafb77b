# SPDX-License-Identifier: Apache-2.0
"""Instructions from words to a result: questions, answers, limits; readings are scripted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from passing_time import let_time_pass
from scripted_reader import (
    BROKEN,
    CUP,
    CUP_GOAL,
    DOUBTED,
    MUG,
    NONSENSE,
    PARTLY,
    STRANGE,
    ScriptedReader,
)

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.grounding.judgement import Membership
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanStatus
from fcp_ros.planning.model.request import never_cancel
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.plan_instruction import plan_instruction
from fcp_ros.relaxation.question import (
    QuestionKind,
    find_confirmation,
    find_question,
    settle_confirmation,
)
from fcp_ros.scene import complete_relations, read_scene

WINE_GLASS = 'is_a(?x, "wine_glass") and on(?x, table_1)'
OPTIONS = PlanningOptions(time_limit=20.0)


class Certain:
    """Every degree is 1, but the drinking glass is a substitute to 0.75, and nothing else is."""

    def judge(self, requests):
        return [Membership(self.decide(one), 1.0, source="table") for one in requests]

    def decide(self, request):
        if request.predicate != "suitable_substitute":
            return 1.0
        return 0.75 if "glass" in request.arguments[0].text else 0.0


@pytest.fixture(scope="module")
def context():
    domain = load_domain(find_domain("household"))
    graph = complete_relations(read_scene(find_scene("twin_house_furnished")))
    state = scene_to_instance(graph, domain.schema, domain.mapping)
    return ReadingContext(domain, state.instance)


def ask_for(context, goal="", options=OPTIONS, judge=None, **more):
    judge = judge or Certain()
    return PlanningRequest(context.domain, context.instance, goal, options, judge, **more)


def solve(context, instruction, reader=None, options=OPTIONS, cancelled=never_cancel, **more):
    request = ask_for(context, options=options, cancelled=cancelled)
    return plan_instruction(request, instruction, reader or ScriptedReader(), context, **more)


def test_a_clear_reading_is_planned_like_its_goal(context):
    told = []
    answer = solve(context, CUP, tell=told.append)
    same = plan_goal(
        PlanningRequest(context.domain, context.instance, CUP_GOAL, OPTIONS, Certain())
    )
    assert answer.result.status is same.status is PlanStatus.SOLVED_OPTIMALLY
    assert answer.result.plan.steps == same.plan.steps
    assert told == [answer.interpretation]
    assert answer.interpretation.best.goal == CUP_GOAL


@pytest.mark.parametrize(
    ("instruction", "status"),
    [
        (MUG, PlanStatus.NEEDS_CLARIFICATION),
        (DOUBTED, PlanStatus.NEEDS_CLARIFICATION),
        (PARTLY, PlanStatus.NEEDS_CLARIFICATION),
        (NONSENSE, PlanStatus.INVALID_REQUEST),
        (STRANGE, PlanStatus.INVALID_REQUEST),
        (BROKEN, PlanStatus.INTERNAL_ERROR),
    ],
)
def test_without_a_clear_reading_nothing_is_planned(context, instruction, status):
    answer = solve(context, instruction)
    assert answer.result.status is status
    assert answer.result.plan is None
    assert answer.result.message
    assert not answer.result.timings, "nothing was planned"


@pytest.mark.parametrize(("choice", "place"), [(0, "counter_1"), (1, "tv_stand_1")])
def test_the_reading_that_was_chosen_is_planned(context, choice, place):
    asked = []

    def ask(question):
        asked.append(question)
        return choice

    answer = solve(context, MUG, ask=ask)
    (question,) = asked
    assert question.kind is QuestionKind.READING
    assert question.text == "Where does the mug go?"
    assert question.choices == ("on the counter", "on the TV stand")
    assert answer.interpretation.status is ReadingStatus.READ
    assert answer.interpretation.best.goal == f"on(mug_1, {place})"
    assert len(answer.interpretation.readings) == 3
    assert place in str(answer.result.plan.steps[-1])


@pytest.mark.parametrize("instruction", [DOUBTED, PARTLY])
def test_what_is_not_plain_is_planned_after_a_yes_and_not_after_a_no(context, instruction):
    asked = []
    answers = iter((0, 1))

    def ask(question):
        asked.append(question)
        return next(answers)

    confirmed = solve(context, instruction, ask=ask)
    assert confirmed.result.status.solved
    assert confirmed.interpretation.best.goal == "on(mug_1, counter_1)"
    declined = solve(context, instruction, ask=ask)
    assert declined.result.plan is None
    assert declined.result.status is PlanStatus.INVALID_REQUEST
    assert "The answer was no" in declined.result.message
    assert asked[0] == asked[1]
    assert asked[0].kind is QuestionKind.READING
    assert asked[0].choices == ("yes", "no")
    assert asked[0].text.startswith("Shall I see to this: mug_1 is on counter_1?")
    assert ("purple" in asked[0].text) == (instruction == PARTLY)


def test_the_time_until_an_answer_does_not_count(context, monkeypatch):
    def ask(_question):
        let_time_pass(monkeypatch, 400.0)
        return 0

    options = replace(OPTIONS, time_limit=30.0, improve_time=0.1)
    assert solve(context, MUG, options=options, ask=ask).result.status.solved


def test_an_unknown_speaker_or_robot_is_refused_before_reading(context):
    for wrong in ({"speaker": "persn_1"}, {"robot": "robt_1"}):
        reader = ScriptedReader()
        answer = solve(replace(context, **wrong), CUP, reader)
        assert answer.result.status is PlanStatus.INVALID_REQUEST
        assert "did you mean" in answer.result.message
        assert reader.contexts == []


def test_a_reader_is_stopped_by_the_limit_and_by_the_caller(context):
    late = solve(context, CUP, options=replace(OPTIONS, time_limit=1e-9)).result
    assert late.status is PlanStatus.TIMEOUT
    stopped = solve(context, CUP, cancelled=lambda: True).result
    assert stopped.status is PlanStatus.CANCELLED


@pytest.fixture(scope="module")
def unconfirmed(context):
    """A result whose relaxation has to be confirmed."""
    options = replace(OPTIONS, confirm_below=0.9)
    return plan_goal(
        PlanningRequest(context.domain, context.instance, WINE_GLASS, options, Certain())
    )


def test_a_yes_makes_a_relaxed_plan_one_to_execute(context, unconfirmed):
    assert unconfirmed.status is PlanStatus.NEEDS_CLARIFICATION, unconfirmed.message
    question = find_confirmation(unconfirmed)
    assert question == find_question(unconfirmed)
    assert question.kind is QuestionKind.CONFIRMATION
    assert "drinking_glass_1" in question.text
    assert question.choices == ("yes", "no")
    settled = settle_confirmation(unconfirmed, OPTIONS, lambda _question: 0)
    unasked = plan_goal(
        PlanningRequest(context.domain, context.instance, WINE_GLASS, OPTIONS, Certain())
    )
    assert settled.status is unasked.status is PlanStatus.SOLVED_OPTIMALLY
    assert settled.plan.steps == unasked.plan.steps
    assert settled.relaxations == unasked.relaxations
    assert find_question(settled) is None


def test_a_no_takes_the_plan_away_and_no_answer_leaves_it_open(unconfirmed):
    settled = settle_confirmation(unconfirmed, OPTIONS, lambda _question: 1)
    assert settled.status is PlanStatus.NEEDS_CLARIFICATION
    assert settled.plan is None
    assert "The answer was no" in settled.message
    assert find_confirmation(settled) is None
    assert settle_confirmation(unconfirmed, OPTIONS, lambda _question: None) is unconfirmed


def test_a_result_that_needs_no_confirmation_asks_nothing(context):
    solved = plan_goal(
        PlanningRequest(context.domain, context.instance, CUP_GOAL, OPTIONS, Certain())
    )
    assert settle_confirmation(solved, OPTIONS, pytest.fail) is solved


class WineGlassReader(ScriptedReader):
    """Reads everything as a wish for a wine glass."""

    def read(self, instruction, context):
        reading = Reading(WINE_GLASS, 0.9, "A wine glass is on the table.")
        return Interpretation(instruction, ReadingStatus.READ, "Understood.", (reading,))


@pytest.mark.parametrize(("confirm_below", "is_asked"), [(None, True), (0.0, False), (0.6, False)])
def test_words_are_asked_about_unless_somebody_says_otherwise(context, confirm_below, is_asked):
    options = replace(OPTIONS, confirm_below=confirm_below)
    result = solve(context, CUP, WineGlassReader(), options=options).result
    assert (result.status is PlanStatus.NEEDS_CLARIFICATION) == is_asked, result.message
    assert result.relaxations


def test_a_formula_says_itself_what_is_asked_about(context):
    options = replace(OPTIONS, confirm_below=None)
    result = plan_goal(
        PlanningRequest(context.domain, context.instance, WINE_GLASS, options, Certain())
    )
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.relaxations


def test_the_words_of_a_known_goal_say_what_it_is_for(context):
    class Purposeful(Certain):
        def __init__(self):
            self.purposes = set()

        def decide(self, request):
            if request.predicate == "serves_as":
                self.purposes.add(request.arguments[1].text)
            return super().decide(request)

    judge = Purposeful()
    said = "I have to drink, bring me a wine glass"
    use = WordUse(0, len("I have to drink"), WordRole.FILLER, ASIDE)

    class Reader(ScriptedReader):
        def read(self, instruction, context):
            reading = Reading("another goal, read today", 1.0, "", (use,))
            return Interpretation(instruction, ReadingStatus.READ, "", (reading,))

    answer = plan_instruction(ask_for(context, WINE_GLASS, judge=judge), said, Reader(), context)
    assert judge.purposes == {"drinking"}
    assert answer.result.goal.startswith("on(drinking_glass_1, table_1)")
    assert answer.interpretation.best.goal == WINE_GLASS
    assert answer.result.status is PlanStatus.NEEDS_CLARIFICATION, "0.75 is below 0.8"
