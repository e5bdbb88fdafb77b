# SPDX-License-Identifier: Apache-2.0
"""From outcome messages to lessons: who is credited or blamed, and how much."""

from __future__ import annotations

import math

import pytest
from unique_identifier_msgs.msg import UUID

from fcp_ros.client import Element, predicate_query
from fcp_ros.domain import load_domain
from fcp_ros.msg import ActionOutcome, Argument, Judgement, Membership, OutcomeCode, PlanStep
from fcp_ros.nodes.grounder.learner import Teacher
from fcp_ros.package_files import find_domain

PLAN, OTHER = UUID(uuid=[1] * 16), UUID(uuid=[2] * 16)


def judgement(item, degree, predicate="can_grasp"):
    query = predicate_query(predicate, robot=Element("robot_1", "robot"), item=Element(item, "mug"))
    answer = Membership(degree=degree, prior=0.9, source="table", model="table:x")
    return Judgement(query=query, membership=answer)


def outcome(code, *judgements, elements=("mug_1",), quality=None, plan=PLAN):
    step = PlanStep(
        rule="pick",
        arguments=[
            Argument(parameter="p", kind=Argument.ELEMENT, value=name)
            for name in ("robot_1", *elements)
        ],
        agents=["robot_1"],
        judgements=list(judgements),
    )
    return ActionOutcome(
        plan_id=plan,
        step=step,
        outcome=OutcomeCode(code=code),
        quality_measured=quality is not None,
        quality=quality or 0.0,
    )


@pytest.fixture(scope="module")
def household():
    return load_domain(find_domain("household"))


@pytest.fixture
def teacher(household):
    return Teacher(household)


def test_success_speaks_for_all(teacher):
    grasp, place = judgement("mug_1", 0.9), judgement("mug_1", 0.5, "stable_enough")
    lessons = teacher.derive_lessons(outcome(OutcomeCode.SUCCEEDED, grasp, place))
    assert [lesson.credit.quality for lesson in lessons] == [1.0, 1.0]
    assert [lesson.membership.degree for lesson in lessons] == [0.9, 0.5]
    assert [lesson.request.predicate for lesson in lessons] == ["can_grasp", "stable_enough"]


def test_failure_blames_the_less_likely_one_more(teacher):
    grasp, place = judgement("mug_1", 0.9), judgement("mug_1", 0.5, "stable_enough")
    grasped, placed = teacher.derive_lessons(outcome(OutcomeCode.EXECUTION_FAILED, grasp, place))
    assert grasped.credit.quality == pytest.approx(1.0 - 0.1 / 0.55)
    assert placed.credit.quality == pytest.approx(1.0 - 0.5 / 0.55)
    assert grasped.credit.weight == placed.credit.weight == 1.0


def test_the_only_judgement_takes_it_all(teacher):
    (lesson,) = teacher.derive_lessons(outcome(OutcomeCode.TIMED_OUT, judgement("mug_1", 0.9)))
    assert lesson.credit.quality == 0.0
    (lesson,) = teacher.derive_lessons(
        outcome(OutcomeCode.SUCCEEDED, judgement("mug_1", 0.9), quality=0.25)
    )
    assert lesson.credit.quality == pytest.approx(0.25)


@pytest.mark.parametrize(
    "late", [OutcomeCode.PRECONDITION_FAILED, OutcomeCode.POSTCONDITION_FAILED]
)
def test_a_step_that_finds_the_world_otherwise_blames_earlier_ones(teacher, late):
    teacher.derive_lessons(outcome(OutcomeCode.SUCCEEDED, judgement("mug_1", 0.6)))
    teacher.derive_lessons(
        outcome(OutcomeCode.SUCCEEDED, judgement("spoon_1", 0.6), elements=["spoon_1"])
    )
    teacher.derive_lessons(outcome(OutcomeCode.SUCCEEDED, judgement("mug_1", 0.6), plan=OTHER))
    (lesson,) = teacher.derive_lessons(outcome(late, elements=("mug_1", "table_1")))
    assert lesson.credit.quality == 0.0
    assert 0.5 < lesson.credit.weight < 1.0
    assert lesson.request.arguments[1].text == "mug_1"
    assert lesson.step == "pick(robot_1, mug_1, table_1) found the world otherwise"
    assert teacher.derive_lessons(outcome(late)) == [], "nobody is blamed twice"


def test_a_step_with_a_judgement_of_its_own_blames_that(teacher):
    teacher.derive_lessons(outcome(OutcomeCode.SUCCEEDED, judgement("mug_1", 0.6)))
    own = judgement("mug_1", 0.8, "stable_enough")
    (lesson,) = teacher.derive_lessons(outcome(OutcomeCode.POSTCONDITION_FAILED, own))
    assert (lesson.request.predicate, lesson.credit.weight) == ("stable_enough", 1.0)


def test_a_step_that_was_not_tried_says_nothing_about_its_own(teacher):
    assert (
        teacher.derive_lessons(outcome(OutcomeCode.PRECONDITION_FAILED, judgement("mug_1", 0.9)))
        == []
    )
    assert teacher.derive_lessons(outcome(OutcomeCode.CANCELLED, judgement("mug_1", 0.9))) == []


def test_outcomes_without_a_plan_blame_nobody_earlier(teacher):
    none = UUID()
    teacher.derive_lessons(outcome(OutcomeCode.SUCCEEDED, judgement("mug_1", 0.6), plan=none))
    assert teacher.derive_lessons(outcome(OutcomeCode.PRECONDITION_FAILED, plan=none)) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"outcome.code": 77}, "outcome.code is 77: it must be from 1 to "),
        ({"outcome.code": 0}, "outcome.code is 0"),
        ({"quality": math.nan}, "quality is nan"),
        ({"quality": 1.5}, "quality is 1.5: it must be from 0 to 1"),
        ({"number": 2**64 - 1}, "number is 18446744073709551615"),
        ({"duration.sec": -1}, "duration.sec is -1: a duration is not negative"),
        ({"step.rule": "fly"}, "the domain household has no action 'fly'"),
        ({"step.rule": "pick\x1b[31m"}, "step.rule holds the control character U+001B"),
        ({"step.degree": math.inf}, "step.degree is inf"),
    ],
)
def test_what_can_not_have_happened_is_no_evidence(teacher, change, words):
    message = outcome(OutcomeCode.SUCCEEDED, judgement("mug_1", 0.9), quality=0.5)
    assert not teacher.find_problem(message)
    for path, value in change.items():
        *parts, last = path.split(".")
        target = message
        for part in parts:
            target = getattr(target, part)
        setattr(target, last, value)
    assert words in teacher.find_problem(message)


def test_what_was_not_measured_may_be_anything(teacher):
    message = outcome(OutcomeCode.SUCCEEDED, judgement("mug_1", 0.9))
    message.quality = math.nan
    assert not teacher.find_problem(message)


def test_a_judgement_that_can_not_be_read_is_said(teacher):
    unreadable = Judgement(query=predicate_query(""))
    message = outcome(OutcomeCode.SUCCEEDED, unreadable, judgement("mug_1", 0.9))
    assert "names no predicate" in teacher.find_problem(message)


def test_a_message_that_doesnt_say_what_was_answered(teacher):
    query = judgement("mug_1", 0.9).query
    (lesson,) = teacher.derive_lessons(
        outcome(OutcomeCode.EXECUTION_FAILED, Judgement(query=query))
    )
    assert lesson.membership is None
    assert lesson.credit.quality == 0.0
