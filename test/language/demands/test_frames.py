# SPDX-License-Identifier: Apache-2.0
"""Phrases as frames, parsed clauses as the model sees them, and arguments in their places."""

import numpy as np
import pytest
from tiny_demands import make_clause

from fcp_ros.domain.phrases import parse_phrase
from fcp_ros.language.demands.frames import (
    JOINED,
    OBJECT,
    RECEIVER,
    SUBJECT,
    list_frames,
    make_frames,
)
from fcp_ros.language.demands.model import ClauseComparison, TextVectors
from fcp_ros.language.demands.parsed_clauses import split_clauses
from fcp_ros.language.demands.roles import ROLE_FEATURES, RoleModel
from fcp_ros.language.meanings import Meaning, MeaningSource, list_meanings
from fcp_ros.language.parsing.pattern_building import build_patterns

ROLES = RoleModel(np.array([4.0, 2.0, 2.0, 1.0, -3.0, 3.0, -3.0, -1.0]), lambda a, b: 0.5)


def frame_of(phrase):
    meaning = Meaning("it", MeaningSource.TASK, {"a": "", "b": ""})
    return make_frames([(meaning, way) for way in parse_phrase(phrase).variants])[0]


@pytest.mark.parametrize(
    ("phrase", "masked", "roles"),
    [
        ("put {a} on {b}", "put something on something", [(OBJECT, "a"), ("prep:on", "b")]),
        (
            "put {a} down on {b}",
            "put down something on something",
            [(OBJECT, "a"), ("prep:on", "b")],
        ),
        ("switch on {a}", "switch on something", [(OBJECT, "a")]),
        (
            "take {a} out of {b}",
            "take something out of something",
            [(OBJECT, "a"), ("prep:out of", "b")],
        ),
        ("give {a} {b}", "give something something", [(RECEIVER, "a"), (OBJECT, "b")]),
        ("{a} is in {b}", "something is in something", [(SUBJECT, "a"), ("prep:in", "b")]),
        ("{a} belongs on {b}", "something belong on something", [(SUBJECT, "a"), ("prep:on", "b")]),
        ("{a} is clean", "something is clean", [(SUBJECT, "a")]),
        ("{a} is on", "something is on", [(SUBJECT, "a")]),
        ("set the table for {a}", "set table for something", [(OBJECT, ""), ("prep:for", "a")]),
    ],
)
def test_a_phrase_becomes_a_frame(phrase, masked, roles):
    frame = frame_of(phrase)
    assert frame.masked == masked
    assert [(role.marker, role.slot) for role in frame.roles] == roles


@pytest.mark.parametrize(
    ("said", "masked"),
    [
        ("Please put the mug on the table.", "put something on something"),
        ("the mug belongs in the cupboard", "something belong in something"),
        ("hand me the scissors", "hand something something"),
        ("put the soap on the back of the toilet", "put something on something"),
        ("the apple is heated", "something is heated"),
        ("pick up the spoon", "pick up something"),
        ("the mug on the shelf", "something is on something"),
        ("lights off", "something is off"),
        ("the lamp is off", "something is off"),
        ("there should be a plate on the table", "something is on something"),
        ("I want the window open", "want something open"),
        ("swap the mug and the bowl", "swap something"),
        ("give the table a wipe", "give something wipe"),
        ("get rid of the paper", "get rid"),
    ],
)
def test_a_parsed_clause_is_masked_as_phrases_are(said, masked):
    assert [clause.masked for clause in split_clauses(said)] == [masked]


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("I want the window open", "something is open"),
        ("we'd like the lamp on the desk", "something is on something"),
        ("have the lights off", "something is off"),
        ("I want the mug", None),
        ("I need a spoon from the drawer", None),
        ("put the mug on the desk", None),
    ],
)
def test_what_is_wanted_is_a_state(said, state):
    (clause,) = split_clauses(said)
    found = clause.as_state
    assert (found.masked if found is not None else None) == state


def test_a_particle_may_be_a_preposition():
    clause = make_clause("put", (OBJECT, "sink"), particle="in")
    assert clause.with_preposition.masked == "put in something"
    assert clause.with_preposition.arguments[0].preposition == "in"
    assert make_clause("put", (OBJECT, "cup")).with_preposition is None


def test_the_subject_of_a_state_that_is_needed_is_found():
    for said in ("the door needs to be closed", "make sure the freezer is closed"):
        last = split_clauses(said)[-1]
        assert last.masked == "something is closed"


def test_what_is_joined_fills_the_second_place_of_a_pair_alone():
    clause = make_clause("swap", (OBJECT, "cup"), (JOINED, "glass"))
    assert dict(ROLES.assign(clause.arguments, frame_of("swap {a} and {b}")).slots) == {
        "a": 0,
        "b": 1,
    }
    put = ROLES.assign(clause.arguments, frame_of("put {a} in {b}"))
    assert dict(put.slots) == {"a": 0}
    assert put.left_over == 0


def test_arguments_are_assigned_together():
    frame = frame_of("give {a} to {b}")
    clause = make_clause("give", (RECEIVER, "anna"), (OBJECT, "cup"))
    found = ROLES.assign(clause.arguments, frame)
    assert dict(found.slots) == {"a": 1, "b": 0}
    assert (found.left_over, found.empty) == (0, 0)


def test_a_noun_that_does_not_fit_leaves_its_place_to_another():
    frame = frame_of("take {a} to {b}")
    clause = make_clause("take", (OBJECT, "cup"), ("prep:to", "anna"), ("prep:into", "kitchen"))

    def fit(noun, _type):
        return 0.01 if noun == "anna" else 1.0

    assert dict(ROLES.assign(clause.arguments, frame).slots) == {"a": 0, "b": 1}
    assert dict(ROLES.assign(clause.arguments, frame, fit).slots) == {"a": 0, "b": 2}
    assert len(ROLE_FEATURES) == 8


def test_frames_with_equal_places_take_the_arguments_alike(household):
    def encode(texts):
        return np.array([[len(text), text.count("e")] for text in texts], np.float32)

    def fit(noun, type_):
        return 1.0 / (1 + abs(len(noun) - len(type_)))

    comparison = ClauseComparison(TextVectors(encode), ROLES, np.ones((7, 2), np.float32))
    table = comparison.make_table(list_frames(household))
    clause = make_clause("take", (OBJECT, "cup"), ("prep:to", "anna"), ("prep:into", "kitchen"))
    chosen, _, found = comparison.compare(clause, table, fit)
    alone = [ROLES.assign(clause.arguments, table.frames[place], fit) for place in chosen]
    assert found == alone
    assert len({id(one) for one in found}) < len(found)  # some were looked up


def test_every_phrase_of_the_household_is_a_frame(household):
    names = {frame.meaning.name for frame in list_frames(household)}
    words = household.words
    spoken = {*words.relations, *words.negated, *words.rules, *words.tasks}
    assert spoken <= names


def test_frames_and_the_reader_give_phrases_one_meaning(household):
    meant = {(m.name, str(m.goal), tuple(m.types)) for m, _ in list_meanings(household)}
    patterns = build_patterns(household)
    heard = {
        (p.meaning.name, str(p.meaning.goal), tuple(p.meaning.types))
        for listed in patterns.imperatives.values()
        for p in listed
        if p.degree == 1.0  # the others are made of names
    }
    framed = {(f.meaning.name, str(f.meaning.goal)) for f in list_frames(household)}
    assert heard <= meant
    assert {one[:2] for one in heard} <= framed
