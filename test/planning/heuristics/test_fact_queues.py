# SPDX-License-Identifier: Apache-2.0
"""Facts leave the buckets by value; of equal ones the last comes first."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.planning.heuristics.fact_queues import (
    END,
    FRONT,
    LEVELS,
    bucket_drop,
    bucket_put,
    bucket_take,
    clear_buckets,
    make_buckets,
)

FACTS = 150
STEPS = st.lists(
    st.one_of(st.none(), st.tuples(st.integers(0, FACTS - 1), st.integers(0, 60))), max_size=120
)


@given(STEPS)
def test_the_least_fact_comes_first_and_of_equal_ones_the_last(steps):
    """None takes a fact; a pair puts one into a bucket that the last one taken does not follow."""
    buckets, span = make_buckets(FACTS), np.zeros(2, np.int64)
    waiting, gone, current = {}, set(), 0
    for time, step in enumerate([*steps, *[None] * FACTS]):
        if step is not None:
            fact, more = step
            number = min(current + more, LEVELS - 1)
            before = waiting.get(fact, (LEVELS, 0))[0]
            if fact not in gone and number < before:
                if fact in waiting:
                    bucket_drop(buckets, before, fact)
                waiting[fact] = number, -time
                bucket_put(buckets, span, number, fact)
            continue
        expected = min(waiting, key=waiting.__getitem__, default=-1)
        assert bucket_take(buckets, span) == expected
        if expected >= 0:
            current = waiting.pop(expected)[0]
            gone.add(expected)
    assert (buckets.first == -1).all()


def test_clearing_leaves_nothing():
    buckets, span = make_buckets(FACTS), np.zeros(2, np.int64)
    for fact in (3, 64, 149):
        bucket_put(buckets, span, fact, fact)
    assert bucket_take(buckets, span) == 3
    clear_buckets(buckets, span)
    assert (buckets.first == -1).all()
    assert span[FRONT] == span[END] == 0
    assert bucket_take(buckets, span) == -1
