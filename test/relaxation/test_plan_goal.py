# SPDX-License-Identifier: Apache-2.0
"""Goals from text to result: errors that point, and relaxation by substitution with its reason."""

from pathlib import Path

import pytest

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import load_domain
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, Membership
from fcp_ros.planning import Phase, PlanningOptions, PlanningRequest, PlanStatus
from fcp_ros.relaxation.plan_goal import plan_goal

HOUSEHOLD = Path(__file__).parents[2] / "config" / "domains" / "household.yaml"
ELEMENTS = {
    "robot_1": ("robot", "robot"),
    "kitchen_1": ("room", "kitchen"),
    "table_1": ("table", "dining_table"),
    "counter_1": ("counter", "counter"),
    "lamp_1": ("lamp", "desk_lamp"),
    "mug_1": ("cup", "mug"),
    "bowl_1": ("dish", "bowl"),
    "fridge_1": ("fridge", "fridge"),
    "milk_1": ("drink", "milk"),
}
FACTS = (
    ("at", "robot_1", "kitchen_1"),
    ("in_room", "table_1", "kitchen_1"),
    ("in_room", "counter_1", "kitchen_1"),
    ("in_room", "fridge_1", "kitchen_1"),
    ("on", "lamp_1", "counter_1"),
    ("on", "mug_1", "counter_1"),
    ("on", "bowl_1", "counter_1"),
    ("on", "milk_1", "counter_1"),
)


class Given:
    """Degrees by predicate and the words of the arguments."""

    def __init__(self, degrees):
        self.degrees = degrees

    def judge(self, requests):
        found = []
        for request in requests:
            words = (request.predicate, *(argument.text for argument in request.arguments))
            degree = self.degrees.get(words, 0.0 if request.predicate.startswith("suit") else 1.0)
            found.append(Membership(degree, degree, source="table"))
        return found


@pytest.fixture(scope="module")
def household():
    return load_domain(HOUSEHOLD)


@pytest.fixture(scope="module")
def kitchen(household):
    builder = InstanceBuilder(household.schema)
    for name, (type_, category) in ELEMENTS.items():
        builder.add(type_, name, {"category": category})
    for relation, *names in FACTS:
        builder.relate(relation, *map(builder.id_of, names))
    return builder.build()


@pytest.fixture(scope="module")
def ask(household, kitchen):
    def run(text, degrees=None, **options):
        settings = PlanningOptions(**options)
        return plan_goal(PlanningRequest(household, kitchen, text, settings, Given(degrees or {})))

    return run


LAMP = {("suitable_substitute", "lamp_1", "flashlight"): 0.71}


@pytest.mark.parametrize(
    "goal",
    [
        'on(?x, table_1) and is_a(?x, "flashlight")',
        "exists ?x: flashlight (on(?x, table_1))",
        'exists ?y: item (is_a(?y, "flashlight") and on(?y, table_1))',
    ],
)
def test_what_is_not_there_is_substituted_with_a_reason(ask, goal):
    result = ask(goal, LAMP)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    (relaxation,) = result.relaxations
    assert relaxation.kind == "substitution"
    assert relaxation.original == "flashlight"
    assert relaxation.replacement == "lamp_1"
    assert relaxation.degree == pytest.approx(0.71)
    assert relaxation.reason == (
        'Nothing here is a "flashlight"; lamp_1 is a suitable substitute to degree 0.71.'
    )
    assert relaxation.reason in result.message
    assert "suitable_substitute" in result.goal
    assert [str(step) for step in result.plan.steps] == [
        "pick(robot_1, lamp_1, counter_1, kitchen_1)",
        "place(robot_1, lamp_1, table_1, kitchen_1)",
    ]


def test_no_substitute_is_good_enough(ask):
    result = ask('on(?x, table_1) and is_a(?x, "flashlight")', LAMP, alpha=0.9)
    assert result.status is PlanStatus.UNSOLVABLE_AT_ALPHA
    assert result.plan is None
    assert result.relaxations == ()
    assert result.best_membership == pytest.approx(0.71)
    assert 'Nothing here is a "flashlight".' in result.message
    assert "lamp_1" in result.message


def test_without_a_judge_of_substitutes_the_status_says_so(household, kitchen):
    class Unable(Given):
        def judge(self, requests):
            if any(one.predicate.startswith("suit") for one in requests):
                raise GroundingError(GroundingCode.MODEL_NOT_FOUND, "fetch the model")
            return super().judge(requests)

    goal = 'on(?x, table_1) and is_a(?x, "flashlight")'
    result = plan_goal(PlanningRequest(household, kitchen, goal, PlanningOptions(), Unable({})))
    assert result.status is PlanStatus.NO_JUDGEMENT
    assert result.message.endswith("It could not be relaxed: fetch the model")


def test_relaxation_may_be_forbidden(ask):
    goal = 'on(?x, table_1) and is_a(?x, "flashlight")'
    result = ask(goal, LAMP, allow_relaxation=False)
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    assert result.message == 'Nothing here is a "flashlight".'


def test_what_is_there_but_out_of_reach_is_substituted_too(ask):
    degrees = {("suitable_substitute", "bowl_1", "milk"): 0.8}
    result = ask('on(?x, fridge_1) and is_a(?x, "milk")', degrees)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    (relaxation,) = result.relaxations
    assert relaxation.replacement == "bowl_1"
    assert relaxation.reason.startswith('No "milk" will do, as no sequence of actions')


def test_an_impossible_goal_stays_impossible(ask):
    result = ask("on(milk_1, fridge_1)")
    assert result.status is PlanStatus.UNSOLVABLE_PROVEN
    result = ask('on(?x, fridge_1) and is_a(?x, "milk") and liquid_1(?x)')
    assert result.status is PlanStatus.INVALID_REQUEST


@pytest.mark.parametrize(
    ("goal", "column"),
    [("on(?x, tabel_1)", 8), ("onn(?x, table_1)", 1), ("on(?x table_1)", 7), ("", 0)],
)
def test_goals_that_cannot_be_read_point_at_the_character(ask, goal, column):
    result = ask(goal)
    assert result.status is PlanStatus.INVALID_REQUEST
    assert result.goal == goal
    if column:
        assert result.message.splitlines()[-1] == "  " + " " * (column - 1) + "^"


def test_cancelling_and_phases(household, kitchen):
    seen = []
    goal = 'on(?x, table_1) and is_a(?x, "flashlight")'
    result = plan_goal(
        PlanningRequest(
            household, kitchen, goal, PlanningOptions(), Given(LAMP), progress=seen.append
        )
    )
    assert result.status.solved
    assert seen[0].phase is Phase.PARSE
    assert [progress.phase for progress in seen].count(Phase.COMPILE) >= 2
    result = plan_goal(
        PlanningRequest(
            household, kitchen, goal, PlanningOptions(), Given(LAMP), cancelled=lambda: True
        )
    )
    assert result.status is PlanStatus.CANCELLED


def test_negated_labels_are_left_alone(ask):
    goal = 'on(?x, table_1) and not is_a(?x, "mug") and is_a(?x, "flashlight")'
    result = ask(goal, {**LAMP, ("suitable_substitute", "mug_1", "flashlight"): 0.9})
    assert [one.replacement for one in result.relaxations] == ["lamp_1"]
    assert 'not is_a(lamp_1, "mug")' in result.goal


def test_somebody_who_has_it_is_asked_for_it(household, kitchen):
    builder = InstanceBuilder.of(kitchen)
    builder.add("person", "anna", {"category": "woman"})
    for relation, *names in (("at", "anna", "kitchen_1"), ("holding", "anna", "mug_1")):
        builder.relate(relation, *map(builder.id_of, names))
    builder.unrelate("on", *map(builder.id_of, ("mug_1", "counter_1")))
    result = plan_goal(
        PlanningRequest(
            household, builder.build(), "on(mug_1, table_1)", PlanningOptions(), Given({})
        )
    )
    assert [one.kind for one in result.relaxations] == ["ask"]
    assert result.relaxations[0].reason == "A person is asked for help, by ask_for, to degree 0.80."
    assert [step.rule for step in result.plan.steps] == ["ask_for", "place"]
    assert result.best_membership == pytest.approx(0.8)


def test_nobody_is_asked_where_nobody_is(ask):
    assert ask("holding(robot_1, fridge_1)").status is PlanStatus.INVALID_REQUEST
    result = ask('on(?x, table_1) and is_a(?x, "flashlight")', LAMP)
    assert all("help" not in change for one in result.explored for change in one.changes)
