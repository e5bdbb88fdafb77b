# SPDX-License-Identifier: Apache-2.0
"""Facts leave the shelves as they would leave a sorted list."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.planning.heuristics.fact_queues import (
    END,
    FRONT,
    LEVELS,
    bucket_put,
    bucket_take,
    clear_buckets,
)

FACTS = 150
STEPS = st.lists(
    st.one_of(st.none(), st.tuples(st.integers(0, FACTS - 1), st.integers(0, 60))), max_size=120
)


def empty():
    shelf = np.zeros((LEVELS, (FACTS + 63) // 64), np.uint64)
    return shelf, np.zeros(3, np.int64), np.full(FACTS, np.inf)


@given(STEPS, st.sampled_from([1.0, 3.0, 5e9]))
def test_the_least_fact_comes_first(steps, unit):
    """None takes a fact; a pair lays one on a shelf beyond the last one that was taken."""
    shelf, shelved, value = empty()
    waiting, current = {}, 0
    for step in [*steps, *[None] * FACTS]:
        if step is not None:
            fact, more = step
            number = min(current + more, LEVELS - 1)
            if number * unit < value[fact]:
                value[fact] = number * unit
                waiting[fact] = number
                bucket_put(shelf, shelved, number, fact)
            continue
        expected = min(waiting, key=lambda fact: (waiting[fact], fact), default=-1)
        assert bucket_take(shelf, shelved, value, unit) == expected
        if expected >= 0:
            current = waiting.pop(expected)
            value[expected] = -1.0  # it is not laid anywhere again
    assert not shelf.any()


def test_sweeping_leaves_nothing():
    shelf, shelved, value = empty()
    for fact in (3, 64, 149):
        value[fact] = fact
        bucket_put(shelf, shelved, fact, fact)
    assert bucket_take(shelf, shelved, value, 1.0) == 3
    clear_buckets(shelf, shelved)
    assert not shelf.any()
    assert shelved[FRONT] == shelved[END] == 0
    assert bucket_take(shelf, shelved, value, 1.0) == -1
