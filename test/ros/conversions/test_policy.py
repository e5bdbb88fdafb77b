# SPDX-License-Identifier: Apache-2.0
"""The path of a policy as a message."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scene_messages import over_the_wire

from fcp_ros.msg import PolicyPath
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.plan import MOST_MOVES, path_from_ros, path_to_ros
from fcp_ros.planning.model.plan import PolicyFeature, PolicyMove, PolicyTrace

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
FEATURES = (PolicyFeature("left", "count(c)", False), PolicyFeature("holds", "any(c)", True))


@st.composite
def traces(draw):
    features = tuple(
        PolicyFeature(*one)
        for one in draw(
            st.lists(
                st.tuples(texts, texts, st.booleans(), st.none() | st.integers(0, 2**40)),
                min_size=1,
                max_size=4,
            )
        )
    )
    values = st.tuples(*(st.integers(0, 2**40) for _ in features))
    moves, done = [], 0
    for steps in draw(st.lists(st.integers(0, 5), max_size=6)):
        done += steps
        moves.append(PolicyMove(draw(texts), draw(values), done))
    return PolicyTrace(features, tuple(moves), draw(values), draw(st.integers(0, 9)))


@settings(max_examples=60, deadline=None)
@given(st.none() | traces())
def test_path_round_trip(trace):
    assert path_from_ros(over_the_wire(path_to_ros(trace))) == trace


def test_moves_say_which_steps_are_theirs():
    moves = (PolicyMove("fetch", (2, 0), 2), PolicyMove("bring", (2, 1), 5))
    message = path_to_ros(PolicyTrace(FEATURES, moves, (1, 0)))
    assert [(one.action, one.first_step, one.steps) for one in message.moves] == [
        ("fetch", 0, 2),
        ("bring", 2, 3),
    ]
    assert list(message.values_after) == [1, 0]
    assert [one.no_way for one in message.features] == [-1, -1]


def test_of_a_long_run_the_first_moves_are_told_and_how_many_are_not():
    moves = tuple(PolicyMove("go", (number, 0), number + 1) for number in range(MOST_MOVES + 5))
    read = path_from_ros(over_the_wire(path_to_ros(PolicyTrace(FEATURES, moves, (7, 1)))))
    assert read.moves == moves[:MOST_MOVES]
    assert read.final == (MOST_MOVES, 0), "the values after the last move that is there"
    assert read.left_out == 5
    assert path_from_ros(path_to_ros(read)) == read


def test_paths_that_can_not_be_are_refused():
    trace = PolicyTrace(FEATURES, (PolicyMove("fetch", (2, 0), 2),), (1, 0))
    message = path_to_ros(trace)
    message.values_after = [1]
    with pytest.raises(ConversionError, match="2 features, but 1 values"):
        path_from_ros(message)
    message = path_to_ros(trace)
    message.moves[0].first_step = 1
    with pytest.raises(ConversionError, match="leaves steps out"):
        path_from_ros(message)
    assert path_from_ros(PolicyPath()) is None
