# SPDX-License-Identifier: Apache-2.0
"""Interpretations of instructions and questions, as messages and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_scenes import names
from scene_messages import over_the_wire

from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse
from fcp_ros.msg import Interpretation as InterpretationMessage
from fcp_ros.msg import Question
from fcp_ros.msg import Reading as ReadingMessage
from fcp_ros.msg import WordUse as WordUseMessage
from fcp_ros.nodes.conversions import planning
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.relaxation.question import QuestionKind, UserQuestion

degrees = st.floats(0.0, 1.0)


text = st.text(max_size=20)
interpretations = text.flatmap(
    lambda instruction: st.builds(
        Interpretation,
        st.just(instruction),
        st.sampled_from(ReadingStatus),
        names,
        st.lists(
            st.builds(
                Reading,
                names,
                degrees,
                names,
                st.lists(
                    st.builds(
                        WordUse,
                        st.just(0),
                        st.integers(0, len(instruction)),
                        st.sampled_from(WordRole),
                        names,
                        degrees,
                    ),
                    max_size=2,
                ).map(tuple),
            ),
            max_size=3,
        ).map(tuple),
        names,
        st.lists(names, max_size=3).map(tuple),
        names,
    )
)


@settings(max_examples=40, deadline=None)
@given(interpretations)
def test_interpretation_round_trip(value):
    message = over_the_wire(planning.interpretation_to_ros(value))
    assert planning.interpretation_from_ros(message) == value


def test_without_an_instruction_there_is_no_interpretation():
    assert planning.interpretation_from_ros(planning.interpretation_to_ros(None)) is None


def test_statuses_and_roles_of_readings_are_those_of_the_messages():
    for role in WordRole:
        assert getattr(WordUseMessage, role.name) == role.value
    for status in ReadingStatus:
        message = planning.interpretation_to_ros(Interpretation("i", status, "m"))
        assert message.status == getattr(InterpretationMessage, status.name)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (InterpretationMessage(status=9), "unknown status 9"),
        (
            InterpretationMessage(
                status=1,
                instruction="abc",
                readings=[ReadingMessage(words=[WordUseMessage(end=4)])],
            ),
            "from 0 to 4 in an instruction of 3",
        ),
        (
            InterpretationMessage(
                status=1, readings=[ReadingMessage(words=[WordUseMessage(role="hero")])]
            ),
            "'hero'",
        ),
    ],
)
def test_bad_interpretations_are_named(message, words):
    with pytest.raises(ConversionError, match=words):
        planning.interpretation_from_ros(message)


@pytest.mark.parametrize("kind", QuestionKind)
def test_question_round_trip(kind):
    value = UserQuestion(kind, "Which one?", ("this", "that"))
    message = over_the_wire(planning.question_to_ros(value))
    assert planning.question_from_ros(message) == value
    assert message.kind == getattr(Question, kind.name)
    assert planning.question_from_ros(planning.question_to_ros(None)) is None
    with pytest.raises(ConversionError, match="9"):
        planning.question_from_ros(Question(kind=9))
