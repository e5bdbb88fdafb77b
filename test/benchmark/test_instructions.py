# SPDX-License-Identifier: Apache-2.0
"""ALFRED's goals as facts, and goals of our language that say the same."""

from __future__ import annotations

import pytest

from benchmark.context_matters.answers import Setting
from benchmark.context_matters.part_reading import context_of
from benchmark.context_matters.scoring import check
from benchmark.instructions.__main__ import make_read
from benchmark.instructions.alfred import (
    AlfredTask,
    FloorPlans,
    is_development,
    is_same_goal,
    is_wider_goal,
    list_facts,
    split_name,
    state_goal,
)
from benchmark.instructions.frames import frames_part, read_frames
from fcp_ros.cset.state_facts import facts
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.cascade import ReaderOptions, make_reader

ROW = {"object": "Apple", "into": "Fridge", "inside": "", "lamp": "", "sliced": False}
APPLE = '?x: object (is_a(?x, "apple") and in_or_on(?x, fridge_1)'
TASKS = [
    ("pick_and_place_simple", {}, f"exists {APPLE})"),
    ("pick_two_obj_and_place", {}, f"at least 2 {APPLE})"),
    ("pick_heat_then_place_in_recep", {}, f"exists {APPLE} and hot(?x))"),
    ("pick_cool_then_place_in_recep", {}, "cold(apple_1) and in_or_on(apple_1, fridge_1)"),
    (
        "pick_clean_then_place_in_recep",
        {"sliced": True},
        f"exists {APPLE} and clean(?x) and sliced(?x))",
    ),
    (
        "pick_and_place_with_movable_recep",
        {"inside": "Bowl"},
        "in_or_on(apple_2, bowl_1) and in_or_on(bowl_1, fridge_1)",
    ),
    (
        "look_at_obj_in_light",
        {"into": "", "lamp": "DeskLamp"},
        "holding(robot_1, apple_1) and switched_on(desk_lamp_1)",
    ),
]


@pytest.fixture(scope="module")
def kitchen():
    objects = {"apple": 2, "bowl": 1, "desk lamp": 1}
    task = AlfredTask(
        "t", "", 1, (), frozenset(), objects, (("apple", "fridge"),), ("fridge",), (), ()
    )
    return FloorPlans([task]).build(task)


@pytest.mark.parametrize(("kind", "more", "goal"), TASKS)
def test_a_goal_of_each_type_is_the_same_in_our_language(kind, more, goal, kitchen):
    meant = state_goal({**ROW, "task": kind, **more})
    assert is_same_goal(meant, list_facts(goal, kitchen))
    others = [other for name, _, other in TASKS if name != kind]
    assert not any(is_same_goal(meant, list_facts(other, kitchen)) for other in others)


def test_the_way_is_no_part_of_the_goal(kitchen):
    goal = "hot(apple_1) and sometime in_or_on(apple_1, fridge_1)"
    assert list_facts(goal, kitchen) == {("hot", "apple")}


def test_things_are_where_they_are_picked_up(kitchen):
    found = {(fact.relation, fact.arguments) for fact in facts(kitchen)}
    assert found == {("in_or_on", ("apple_1", "fridge_1"))}


def test_a_tenth_of_the_floor_plans_is_for_development():
    plans = [*range(1, 31), *range(201, 231), *range(301, 331), *range(401, 431)]
    assert sum(map(is_development, plans)) == 12
    assert split_name("ButterKnife") == "butter knife"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Put a chilled apple in the bowl.", {("in", "apple", "bowl", "1"), ("cold", "apple")}),
        ("Turn on the lamp while holding an apple", {("on", "desk lamp"), ("holding", "apple")}),
        ("Put both apples into the refrigerator", {("in", "apple", "fridge", "2")}),
    ],
)
def test_plain_sentences_are_read(said, meant, kitchen):
    reader = make_reader(ReaderOptions(model=""))
    assert is_same_goal(
        frozenset(meant), make_read(reader, kitchen, EmbeddingLabelSimilarity())(said).facts
    )


@pytest.mark.parametrize(
    ("bowl", "is_plain"),
    [
        ("a bowl with an apple in it", True),
        ("a bowl containing an apple", False),
        ("a bowl with an apple", False),
    ],
)
def test_what_is_in_an_indefinite_thing_may_be_put_there_first(bowl, is_plain, kitchen):
    read = make_read(make_reader(ReaderOptions(model="")), kitchen, EmbeddingLabelSimilarity())
    answer = read(f"Put {bowl} in the fridge.")
    assert answer.facts == {("in", "apple", "bowl", "1"), ("in", "bowl", "fridge", "1")}
    assert answer.flagged is not is_plain, "else both may be meant to be put there side by side"


@pytest.mark.parametrize(
    "said", ["Put an apple slice in the bowl.", "Put a piece of apple in the bowl."]
)
def test_what_was_cut_off_is_sliced_where_the_domain_has_that(said, kitchen):
    read = make_read(make_reader(ReaderOptions(model="")), kitchen, EmbeddingLabelSimilarity())
    assert read(said).facts == {("in", "apple", "bowl", "1"), ("sliced", "apple")}


def test_where_a_thing_was_is_read_by_the_state(kitchen):
    goal = (
        "forall ?p: place (not initially (in_or_on(apple_1, ?p)) or in_or_on(apple_1, ?p)) "
        "and initially (in_or_on(apple_1, fridge_1))"
    )
    assert list_facts(goal, kitchen) == {("in", "apple", "fridge", "1")}


# --- The commands in polite frames are whole, and mean what the command means


FRAMES, COMMANDS = read_frames()


def test_there_are_ten_commands_in_twenty_five_frames():
    assert len(set(FRAMES)) == 25
    assert len({one.command for one in COMMANDS}) == 10
    sentences = [said for one in COMMANDS for said in one.meaning.wordings]
    assert len(set(sentences)) == 250
    assert not [said for said in sentences if "{" in said]


@pytest.mark.parametrize("framed", COMMANDS, ids=lambda one: one.meaning.name)
def test_the_goals_are_goals(framed):
    context = context_of(framed.meaning, None)
    (goal,) = framed.meaning.goals
    check(goal, context.domain, context.instance)


def test_the_part_counts_every_sentence_once():
    part, judged = frames_part(Setting(make_reader(ReaderOptions())), False, "frame02")
    assert len(judged) == 25
    line = part.lines[-1].figures
    assert line["sentences"] == 25
    assert line["right"] == sum(one.right for one in judged)
    plain = next(one for one in judged if one.sentence.startswith("When you get a minute"))
    assert plain.right


def test_a_wider_goal_leaves_kinds_open():
    meant = frozenset({("in", "book", "coffee table", "1"), ("clean", "book")})
    wider = frozenset({("in", "book", "coffee table|side table", "1"), ("clean", "book")})
    assert is_wider_goal(meant, wider)
    assert not is_wider_goal(meant, frozenset({("in", "book", "desk|side table", "1")} | meant))
    assert not is_wider_goal(meant, frozenset({("in", "book", "coffee table|side table", "1")}))
