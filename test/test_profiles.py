# SPDX-License-Identifier: Apache-2.0
"""The profiles of hypothesis decide how many examples a property gets."""

from effort import SHARES, scaled
from hypothesis import given, settings
from hypothesis import strategies as st

STATED = 40
drawn: list[int] = []


@settings(max_examples=STATED)
@given(st.integers())
def test_a_property_with_a_stated_number(number):
    drawn.append(number)


def test_it_was_tried_with_the_share_of_the_profile():
    assert len(drawn) in (0, scaled(STATED))  # 0: run by itself


def test_nothing_is_weaker_in_the_nightly_run():
    assert SHARES["ci"] <= SHARES["new"] == 1.0 <= SHARES["nightly"]
