# SPDX-License-Identifier: Apache-2.0
"""Arrays made in bulk equal those of the builder."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.planning.encoding.arrays import make_flat_task
from fcp_ros.planning.encoding.encoding import FlatAction
from fcp_ros.planning.encoding.merge import Entry
from fcp_ros.planning.encoding.operators import Body
from fcp_ros.planning.flat.builder import (
    FlatBlock,
    FlatBuilder,
    FlatEffect,
    FlatOperator,
    FlatResource,
)

PAIR = st.tuples(st.integers(0, 2), st.integers(0, 1))
PAIRS = st.lists(PAIR, max_size=2).map(tuple)
EFFECTS = st.builds(FlatEffect, st.integers(0, 2), st.integers(0, 1), PAIRS, PAIRS)
BLOCKS = st.builds(FlatBlock, PAIRS, st.lists(PAIR, min_size=1, max_size=2).map(tuple))
BODIES = st.builds(
    Body,
    PAIRS,
    PAIRS,
    st.lists(EFFECTS, max_size=2).map(tuple),
    st.lists(BLOCKS, max_size=2).map(tuple),
)


@settings(max_examples=100, deadline=None)
@given(
    bodies=st.lists(BODIES, max_size=4),
    pools=st.lists(st.builds(FlatResource, st.sampled_from([1.0, 2.0])), max_size=2),
    data=st.data(),
)
def test_bulk_arrays_equal_those_of_the_builder(bodies, pools, data):
    entries = [
        Entry(
            body,
            FlatAction(),
            (),
            data.draw(st.sampled_from([0.0, 2.5])),
            tuple(data.draw(st.sampled_from([0.0, -1.0])) for _ in pools),
            data.draw(st.sampled_from([0.0, 1.0])),
            data.draw(st.sampled_from([5.0, float("inf")])),
        )
        for body in bodies
    ]
    goal = data.draw(PAIRS)
    clock = len(pools) - 1
    made = make_flat_task([2, 2, 2], [0, 1, 0], goal, entries, pools, clock)
    operators = [
        FlatOperator(
            e.body.pre,
            e.body.unequal,
            e.body.effects,
            e.body.blocks,
            0.0,
            e.cost,
            e.use,
            e.opens,
            e.closes,
        )
        for e in entries
    ]
    twin = FlatBuilder([2, 2, 2], [0, 1, 0], goal, operators, pools, clock).build()
    assert all(map(np.array_equal, made.axioms, twin.axioms))
    for name, one, other in zip(made._fields, made, twin, strict=True):
        if name == "axioms":
            continue
        assert np.array_equal(one, other), name
        if name != "clock":
            assert one.dtype == other.dtype, name
            assert one.shape == other.shape, name
            assert one.flags.c_contiguous, name
