# SPDX-License-Identifier: Apache-2.0
"""Sets of keys: like plain sets, through any number of changes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset.search.match_set import MatchKeys

KEYS = st.sets(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=120)


@settings(max_examples=60, deadline=None)
@given(start=KEYS, steps=st.lists(KEYS, max_size=4))
def test_like_a_plain_set(start: set[tuple[int, int]], steps: list[set[tuple[int, int]]]) -> None:
    keys, plain = MatchKeys(sorted(start)), set(start)
    for step in steps:
        older, before = keys, set(plain)
        keys = keys.replace(step & plain, step - plain)
        plain ^= step
        assert set(keys) == plain
        assert len(list(keys)) == len(keys) == len(plain)
        assert all((key in keys) == (key in plain) for key in step | start)
        assert set(older) == before
