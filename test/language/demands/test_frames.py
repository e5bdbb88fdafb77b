# SPDX-License-Identifier: Apache-2.0
"""Phrases as frames, parsed clauses as the model sees them, and arguments in their places."""

import numpy as np
import pytest
from tiny_demands import make_clause

from fcp_ros.domain.phrases import parse_phrase
from fcp_ros.language.demands.clause import OBJECT, RECEIVER, SUBJECT
from fcp_ros.language.demands.frames import list_frames, make_frames
from fcp_ros.language.demands.parsed_clauses import split_clauses
from fcp_ros.language.demands.roles import ROLE_FEATURES, RoleModel
from fcp_ros.language.meanings import Meaning, MeaningSource

ROLES = RoleModel(np.array([4.0, 2.0, 2.0, 1.0, -3.0, 3.0, -1.0]), lambda a, b: 0.5)


def frame_of(phrase):
    meaning = Meaning("it", MeaningSource.TASK, {"a": "", "b": ""})
    return make_frames(meaning, [parse_phrase(phrase)])[0]


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
    ],
)
def test_a_parsed_clause_is_masked_as_phrases_are(said, masked):
    assert [clause.masked for clause in split_clauses(said)] == [masked]


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
    assert len(ROLE_FEATURES) == 7


def test_every_phrase_of_the_household_is_a_frame(household):
    names = {frame.meaning.name for frame in list_frames(household)}
    words = household.words
    spoken = {*words.relations, *words.negated, *words.rules, *words.tasks}
    assert spoken <= names
