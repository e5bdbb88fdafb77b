# SPDX-License-Identifier: Apache-2.0
"""Composed bodies against their parts in turn, in every state of random flat tasks."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.planning.encoding.chunk_macros import BodyComposition, _find_window, _sum_use
from fcp_ros.planning.encoding.encode import Entry
from fcp_ros.planning.encoding.encoding import FlatAction
from fcp_ros.planning.flat.builder import (
    Body,
    FlatBlock,
    FlatBuilder,
    FlatEffect,
    FlatOperator,
    FlatResource,
)
from fcp_ros.planning.flat.semantics import amounts_after, is_applicable, successor


def compose_bodies(bodies, sizes):
    """Compose bodies to one; None if that is impossible."""
    whole = BodyComposition(sizes)
    return whole.body() if all(whole.take(body) for body in bodies) else None


def some(places, most, least=0):
    """So many assignments, of different variables."""
    drawn = st.lists(places, min_size=least, max_size=most)
    return drawn.map(lambda found: tuple(dict(found).items()))


@st.composite
def sequences(draw):
    """Sizes of a few variables and bodies that speak of them again and again."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    places = st.integers(0, len(sizes) - 1).flatmap(
        lambda v: st.tuples(st.just(v), st.integers(0, sizes[v] - 1))
    )
    conditional = draw(st.integers(0, 3)) == 0
    body = st.builds(
        Body,
        some(places, 2),
        some(places, 2),
        st.lists(
            st.builds(
                lambda place, equal, unequal: FlatEffect(*place, equal, unequal),
                places,
                some(places, 1) if conditional else st.just(()),
                some(places, 1) if conditional else st.just(()),
            ),
            max_size=2,
        ).map(tuple),
        st.lists(st.builds(FlatBlock, some(places, 3), some(places, 2, 1)), max_size=1).map(tuple),
    )
    return sizes, draw(st.lists(body, min_size=1, max_size=4))


def as_task(sizes, bodies):
    made = [FlatOperator(b.pre, b.unequal, b.effects, b.blocks) for b in bodies]
    return FlatBuilder(sizes, [0] * len(sizes), [(0, 0)], made).build()


def in_turn(task, state, sequence):
    """The state after operators in turn; None where they can't be applied."""
    for operator in sequence:
        if not is_applicable(task, state, operator):
            return None
        state = successor(task, state, operator)
    return state


@settings(max_examples=300, deadline=None)
@given(sequences())
def test_the_composed_body_does_what_its_parts_do(case):
    sizes, parts = case
    body = compose_bodies(parts, sizes)
    task = as_task(sizes, [*parts, *([body] if body else [])])
    conditional = any(e.equal or e.unequal for part in parts for e in part.effects)
    for state in itertools.product(*map(range, sizes)):
        expected = in_turn(task, state, range(len(parts)))
        if body is not None:
            assert in_turn(task, state, [len(parts)]) == expected, (state, body)
        else:
            assert expected is None or conditional


NUMBERS = st.sampled_from([0.0, 1.0, 2.0, 3.0])
PARTS = st.builds(
    lambda use, duration, opens, length: Entry(
        Body((), (), (), ()),
        FlatAction(),
        use=(use, -duration),
        opens=opens,
        closes=opens + duration + length,
    ),
    st.sampled_from([0.0, 1.0, 2.0, -1.0]),
    NUMBERS,
    st.sampled_from([0.0, 0.0, 0.0, 2.0, 5.0]),
    st.sampled_from([math.inf, math.inf, 1.0, 4.0]),
)


@settings(max_examples=250, deadline=None)
@given(st.lists(PARTS, min_size=2, max_size=4), st.sampled_from([math.inf, 6.0]))
def test_resources_and_windows_are_never_broken(parts, deadline):
    pools = [FlatResource(3.0, 0.0, 6.0), FlatResource(0.0, 0.0, deadline)]
    use, (opens, closes) = _sum_use(parts, pools, 1), _find_window(parts, 1)
    if use is None or opens - use[1] > closes:
        return
    macro = FlatOperator(use=use, opens=opens, closes=closes)
    made = [FlatOperator(use=p.use, opens=p.opens, closes=p.closes) for p in parts]
    task = FlatBuilder([2], [0], [(0, 1)], [*made, macro], pools, 1).build()
    for start in itertools.product([0.0, 1.0, 2.0, 4.0, 6.0], [0.0, 1.0, 4.0]):
        expected = start
        for operator in range(len(parts)):
            expected = None if expected is None else amounts_after(task, expected, operator)
        found = amounts_after(task, start, len(parts))
        if found is not None or all(part.opens == 0.0 for part in parts):
            assert found == (None if expected is None else pytest.approx(expected))


def test_a_macro_is_not_made_where_its_resource_is_out_of_bounds():
    """Each part would be refused, and only their sum would do."""
    parts = [Entry(Body((), (), (), ()), FlatAction(), use=(2.0,))] * 2
    assert _sum_use(parts, [FlatResource(9.0, 0.0, 6.0)], -1) is None
    assert _sum_use(parts, [FlatResource(5.0, 0.0, 6.0)], -1) == (4.0,)


def test_a_conditional_effect_that_is_not_decided_can_not_be_composed():
    maybe = Body((), (), (FlatEffect(0, 1, equal=((1, 1),)),), ())
    assert compose_bodies([maybe], [2, 2]) is None
    sure = Body(((1, 1),), (), (), ())
    assert compose_bodies([sure, maybe], [2, 2]).effects == (FlatEffect(0, 1),)
    assert compose_bodies([Body(((1, 0),), (), (), ()), maybe], [2, 2]).changes_nothing


def test_windows_of_parts_without_a_clock_do_not_matter():
    assert _find_window([Entry(Body((), (), (), ()), FlatAction())], -1) == (0.0, math.inf)
