# SPDX-License-Identifier: Apache-2.0
"""What goals keep, whether it holds, and how often it may be restored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lidded_boxes import DOMAIN, make_boxes

from fcp_ros.execution.kept_goals import (
    KeepSettings,
    Restorations,
    find_kept,
    find_unkeepable,
    is_kept,
)


@pytest.mark.parametrize(
    ("goal", "kept"),
    [
        ("always closed(b1)", "closed(b1)"),
        ("never closed(b1)", "not closed(b1)"),
        ("always (closed(b1) or lit(ball))", "closed(b1) or lit(ball)"),
        ("always closed(b1) and never (lit(ball) and lit(sock))",
         "closed(b1) and not (lit(ball) and lit(sock))"),
        ("forall ?x: box (always closed(?x))", "forall ?x: box (closed(?x))"),
        # Something is to be done, and what stays is a limit to how.
        ("lit(ball) and always closed(b1)", ""),
        ("prefer 0.1: always closed(b1)", ""),
        ("not always closed(b1)", ""),
        ("hold closed(b1) after 3 s", ""),
        ("sometime closed(b1)", ""),
        ("closed(b1)", ""),
        ("", ""),
        ("always closed(", ""),
    ],
)  # fmt: skip
def test_a_goal_is_kept_if_it_only_wants_things_to_stay(goal, kept):
    assert find_kept(goal) == kept


def test_what_is_kept_holds_or_not_at_present():
    goal = "forall ?x: box (always closed(?x))"
    assert not is_kept(goal, DOMAIN, make_boxes(("closed", "b1")))
    assert is_kept(goal, DOMAIN, make_boxes(("closed", "b1"), ("closed", "b2")))
    assert not is_kept("always closed(b9)", DOMAIN, make_boxes()), "it may have been taken away"


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("always closed(b1)", ""),
        ("always closed(b9)", "There is no element called b9"),
        ("always closed(?x)", "?x"),
        ("forall ?x: item (always (lit(?x) or not initially (lit(?x))))", "held `initially`"),
    ],
)
def test_what_can_not_be_kept_is_said(goal, words):
    found = find_unkeepable(goal, DOMAIN, make_boxes())
    assert words in found
    assert bool(found) == bool(words)


# --- attempts ---


def test_pauses_double_until_an_attempt_has_left_the_window():
    attempts = Restorations(KeepSettings(keep_attempts=4, keep_window=100.0, keep_pause=2.0))
    assert attempts.find_start(7.0) == 7.0, "the first one is at once"
    starts = []
    for now in (10.0, 20.0, 30.0):
        attempts.note_end(now)
        starts.append(attempts.find_start(now))
    assert starts == [12.0, 24.0, 38.0]
    assert not attempts.find_excess(38.0)
    attempts.note_end(40.0)
    assert attempts.find_excess(40.0) == (
        "It had to be restored 4 times within 100 s, which is the limit."
    )
    assert not attempts.find_excess(110.0), "the first one was 100 s ago"
    assert attempts.find_start(110.0) == 40.0 + 8.0
    assert attempts.find_start(1000.0) == 1000.0
    assert attempts.total == 4


@given(st.lists(st.floats(0.0, 50.0), max_size=60), st.integers(1, 5), st.floats(1.0, 60.0))
def test_attempts_in_the_window_are_those_of_a_twin_that_remembers_all(gaps, most, window):
    attempts = Restorations(KeepSettings(most, window, 1.0))
    ends, now = [], 0.0
    for gap in gaps:
        now += gap
        attempts.note_end(now)
        ends.append(now)
        recent = [end for end in ends if now - end < window]
        assert attempts.count(now) == min(len(recent), most)
        assert bool(attempts.find_excess(now)) == (len(recent) >= most)
