# SPDX-License-Identifier: Apache-2.0
"""The comparison of goals on which the figures of reading rest."""

import random

import pytest

from benchmark.context_matters.answers import Setting
from benchmark.context_matters.equivalence import (
    Likeness,
    close,
    compare_goals,
    draw_traces,
    drop_set_down,
    judge,
    normalise,
)
from benchmark.context_matters.instances import DATA, HouseTask, Thing, build_state, domain_of
from benchmark.context_matters.part_reading import (
    DEVELOPMENT,
    FIFTH_SEALED,
    FOURTH,
    SEALED,
    SECOND_SEALED,
    THIRD_SEALED,
    Meaning,
    context_of,
    judge_reading,
    read_sentences,
    reading_part,
)
from benchmark.context_matters.scoring import check
from benchmark.context_matters.worlds import Exchanges, World
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import to_text
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse

DOMAIN = domain_of("dining_setup")
THINGS = (
    Thing("table_1", "table", "hall_2", False),
    Thing("chair_2", "chair", "kitchen_1", False),
    Thing("cup_3", "cup", "kitchen_1", True),
    Thing("cup_4", "cup", "hall_2", True),
    Thing("fork_5", "fork", "hall_2", True),
)
ROOMS = ("kitchen_1", "hall_2")
TASK = HouseTask("t", "dining_setup", "s", "p", "do it", "kitchen_1", ROOMS, THINGS)
STATE = build_state(TASK, DOMAIN)


def compare(one, other):
    """The likeness of two goals."""
    goals = [check(text, DOMAIN, STATE) for text in (one, other)]
    return compare_goals(*goals, DOMAIN, STATE).likeness


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "is_on(cup_3, table_1) and at(fork_5, hall_2)",
            "at(fork_5, hall_2) and is_on(cup_3, table_1)",
        ),
        ("exists ?x: cup (is_on(?x, table_1))", 'is_on(?y, table_1) and is_a(?y, "cup")'),
        (
            "exists ?x: cup, ?y: fork (is_on(?x, table_1) and is_on(?y, table_1))",
            "exists ?b: fork (is_on(?b, table_1)) and exists ?a: cup (is_on(?a, table_1))",
        ),
        ("prefer 0.3: at(cup_3, hall_2)", "prefer 0.9 as neat: at(cup_3, hall_2)"),
        ("not not at(cup_3, hall_2)", "at(cup_3, hall_2)"),
    ],
)
def test_goals_that_are_written_alike(one, other):
    assert compare(one, other) in (Likeness.ALIKE, Likeness.EQUAL)


def test_names_and_nesting_make_no_difference():
    one = "exists ?x: cup (exists ?y: fork (is_on(?y, table_1) and is_on(?x, table_1)))"
    other = "exists ?b: fork (is_on(?b, table_1)) and exists ?a: cup (is_on(?a, table_1))"
    goals = [close(check(text, DOMAIN, STATE), DOMAIN) for text in (one, other)]
    assert len({to_text(normalise(goal)) for goal in goals}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("forall ?x: cup (is_on(?x, table_1))", "is_on(cup_3, table_1) and is_on(cup_4, table_1)"),
        ("at least 2 ?x: cup (is_on(?x, table_1))", "forall ?x: cup (is_on(?x, table_1))"),
        ("not exists ?x: cup (is_on(?x, chair_2))", "at most 0 ?x: cup (is_on(?x, chair_2))"),
        ("never at(robot_1, hall_2)", "always not at(robot_1, hall_2)"),
        (
            "exists ?r: room (at(table_1, ?r) and is_on(fork_5, table_1))",
            "is_on(fork_5, table_1)",  # the table never moves
        ),
        (
            "first at(cup_3, hall_2) then at(fork_5, kitchen_1)",
            "first at(cup_3, hall_2) then at(fork_5, kitchen_1) and sometime at(cup_3, hall_2)",
        ),
    ],
)
def test_goals_that_mean_the_same(one, other):
    assert compare(one, other).same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("is_on(cup_3, table_1)", "is_on(cup_4, table_1)"),
        ("exists ?x: cup (is_on(?x, table_1))", "forall ?x: cup (is_on(?x, table_1))"),
        ("at least 1 ?x: cup (is_on(?x, table_1))", "exactly 1 ?x: cup (is_on(?x, table_1))"),
        ("is_on(cup_3, table_1)", "is_on(cup_3, table_1) and never at(robot_1, hall_2)"),
        (
            "at(cup_3, hall_2) and at(fork_5, kitchen_1) before at(cup_3, hall_2)",
            "at(cup_3, hall_2) and at(fork_5, kitchen_1)",
        ),
        (
            "first at(cup_3, hall_2) then at(fork_5, kitchen_1)",
            "first at(fork_5, kitchen_1) then at(cup_3, hall_2)",
        ),
        ("prefer 0.5: at(cup_3, hall_2)", "at(cup_3, hall_2)"),
        ("at(cup_3, hall_2) within 30 s", "at(cup_3, hall_2) within 3 min"),
    ],
)
def test_goals_that_mean_something_else(one, other):
    assert compare(one, other) is Likeness.DIFFERENT


def test_goals_that_nothing_meets_are_not_compared():
    one = "at(cup_3, hall_2) and at(cup_3, kitchen_1)"
    other = "at(cup_3, kitchen_1) and is_on(cup_3, table_1)"
    assert compare(one, other) is Likeness.UNTRIED


def test_worlds_keep_what_rules_exchange():
    exchanges = Exchanges(DOMAIN)
    generator = random.Random(3)
    world = World(DOMAIN, STATE, exchanges, generator)
    goal = check("is_on(cup_3, table_1) and is_holding(robot_1, cup_4)", DOMAIN, STATE)
    for turn in range(200):
        world.change_something()
        if turn % 10 == 0:
            world.fulfil(goal, generator.random() < 0.5, {})
        for item in ("cup_3", "cup_4", "fork_5"):
            places = [f for f in world.facts if item in f.arguments]
            assert len(places) == 1, places
        fixed = {f for f in world.facts if f.arguments[0] in ("table_1", "chair_2")}
        assert {f.arguments for f in fixed} == {("table_1", "hall_2"), ("chair_2", "kitchen_1")}
        world.to_state()


def test_traces_begin_in_the_state_of_the_sentence():
    goal = check("sometime at(cup_3, hall_2)", DOMAIN, STATE)
    traces = list(draw_traces((goal,), DOMAIN, STATE, random.Random(1), 50))
    assert all(trace[0] is STATE for trace in traces)
    met = sum(judge(goal, trace, DOMAIN) for trace in traces)
    assert 0 < met < 50


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the data is not on this machine")

# --- readings


class DeafReader:
    """A reader that understands nothing."""

    name = "deaf"

    def read(self, instruction, context):
        return Interpretation(instruction, ReadingStatus.NOT_UNDERSTOOD, "What was that?", ())


def meaning(goals=(), ambiguous=False, unreadable=()):
    """A meaning with one sentence."""
    return Meaning("m", "dining_setup", "", tuple(goals), ambiguous, unreadable, ("do it",))


def reading(status, goal="at(cup_3, hall_2)", message="", words=()):
    """An interpretation with one reading."""
    return Interpretation("put the gong down", status, message, (Reading(goal, 0.9, "", words),))


def test_readings_are_right_if_they_mean_one_of_the_goals():
    context = ReadingContext(DOMAIN, STATE)
    wanted = meaning(["at(cup_4, hall_2)", "at(cup_3, hall_2)"])
    assert judge_reading(wanted, reading(ReadingStatus.READ), context)[0]
    another = meaning(["at(cup_4, hall_2)"])
    assert not judge_reading(another, reading(ReadingStatus.READ), context)[0]
    assert not judge_reading(wanted, reading(ReadingStatus.NOT_UNDERSTOOD), context)[0]
    assert not judge_reading(wanted, reading(ReadingStatus.READ, "at(cup_3"), context)[0]


def test_questions_are_right_where_sentences_are_ambiguous():
    context = ReadingContext(DOMAIN, STATE)
    unclear = meaning(["at(cup_3, hall_2)"], ambiguous=True)
    assert judge_reading(unclear, reading(ReadingStatus.AMBIGUOUS), context)[0]
    assert not judge_reading(unclear, reading(ReadingStatus.READ), context)[0]


def test_words_that_are_not_understood_have_to_be_named():
    context = ReadingContext(DOMAIN, STATE)
    strange = meaning(unreadable=("gong",))
    word = WordUse(8, 12, WordRole.UNREAD)
    unread = ReadingStatus.NOT_UNDERSTOOD
    assert judge_reading(strange, reading(unread, message="What is a gong?"), context)[0]
    assert judge_reading(strange, reading(unread, words=(word,)), context)[0]
    assert not judge_reading(strange, reading(unread), context)[0]
    assert not judge_reading(strange, reading(ReadingStatus.READ), context)[0]


def test_sealed_and_development_sentences_have_meanings_of_their_own():
    sizes, names = [], []
    for path in (SEALED, SECOND_SEALED, THIRD_SEALED, FOURTH, FIFTH_SEALED, *DEVELOPMENT):
        found = read_sentences(path)
        assert all(m.goals or m.unreadable or m.question for m in found)
        sizes.append((len(found), sum(len(m.wordings) for m in found)))
        names += [m.name for m in found]
    sealed, development = [(100, 300), (100, 300), (200, 200)], [(100, 300), (30, 60), (85, 170)]
    assert sizes == [*sealed, (300, 300), (100, 100), *development]
    assert len(set(names)) == len(names)


@needs_data
@pytest.mark.parametrize("path", [THIRD_SEALED, FOURTH, FIFTH_SEALED], ids=lambda path: path.stem)
def test_the_goals_of_the_speakers_sentences_fit_their_worlds(path):
    for meaning in read_sentences(path):
        context = context_of(meaning, None)
        for goal in meaning.goals:  # raises an error that names what is unknown
            check(goal, context.domain, context.instance)
        assert meaning.kinds
        assert not (meaning.question and meaning.goals)


@needs_data
def test_sealed_sentences_are_shown_on_request_only():
    setting = Setting(DeafReader())
    only = read_sentences(THIRD_SEALED)[0].name
    (sentence,) = read_sentences(THIRD_SEALED)[0].wordings
    part, details = reading_part("third", setting, False, only)
    assert part.lines[-1].figures["wrong, flagged"] == 1
    assert sentence not in repr((part, details))
    assert sentence in repr(reading_part("third", setting, False, only, show=True))


class OfferingReader:
    """A reader whose only reading lacks the first word."""

    name = "offering"

    def __init__(self, goal):
        self._goal = goal

    def read(self, instruction, context):
        words = (WordUse(0, 4, WordRole.UNREAD),)
        first = Reading(self._goal, 0.1, "", words)
        return Interpretation(instruction, ReadingStatus.NOT_UNDERSTOOD, "What was that?", (first,))


@pytest.mark.parametrize(
    ("goal", "offered"), [("holding(robot_1, book_1)", 1), ("holding(robot_1, mug_1)", 0)]
)
def test_right_goals_that_lack_words_are_counted_beside_the_right_ones(goal, offered):
    only = read_sentences(FOURTH)[0].name
    part, _ = reading_part("fourth", Setting(OfferingReader(goal)), False, only)
    figures = part.lines[-1].figures
    assert (figures["right"], figures["right or in the offer"]) == (0, offered)


SET_DOWN = "exists ?p: fixture (not same(?p, t) and usual_place(?x, ?p) and on(?x, ?p))"


@pytest.mark.parametrize(
    ("goal", "left"),
    [
        (f"not on(mug, t) and {SET_DOWN.replace('?x', 'mug')}", "not on(mug, t)"),
        (
            "not exists ?x: item (on(?x, t)) and forall ?x: item "
            f"(not initially (on(?x, t)) or {SET_DOWN})",
            "not exists ?x: item (on(?x, t))",
        ),
        (
            "exists ?p: fixture (in_room(?p, hall) and usual_place(mug, ?p) and on(mug, ?p))",
            "exists ?p: fixture (in_room(?p, hall) and usual_place(mug, ?p) and on(mug, ?p))",
        ),
    ],
)
def test_places_for_what_is_taken_away_make_no_difference(goal, left):
    assert drop_set_down(parse_expression(goal)) == parse_expression(left)
