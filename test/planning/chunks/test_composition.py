# SPDX-License-Identifier: Apache-2.0
"""Composed bodies against their parts in turn, in every state of random flat tasks."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.planning.chunks.composition import composed
from fcp_ros.planning.chunks.macros import _use, _window
from fcp_ros.planning.compile.encode_merge import Entry
from fcp_ros.planning.compile.encode_operators import Body
from fcp_ros.planning.compile.encoding import Action
from fcp_ros.planning.flat.builder import (
    FlatBlock,
    FlatBuilder,
    FlatEffect,
    FlatOperator,
    FlatResource,
)
from fcp_ros.planning.flat.semantics import amounts_after, is_applicable, operators, successor


def rows(start, *columns):
    """The flat entries of each row."""
    return [
        list(zip(*(column[a:b].tolist() for column in columns), strict=True))
        for a, b in itertools.pairwise(start.tolist())
    ]


def bodies_of(task):
    """The operators of a flat task as bodies."""
    pre = rows(task.pre_start, task.pre_var, task.pre_val)
    unequal = rows(task.not_start, task.not_var, task.not_val)
    conditions = rows(task.cond_start, task.cond_var, task.cond_val, task.cond_neg)
    effects = [
        FlatEffect(
            int(task.eff_var[e]),
            int(task.eff_val[e]),
            tuple((v, x) for v, x, negated in conditions[e] if not negated),
            tuple((v, x) for v, x, negated in conditions[e] if negated),
        )
        for e in range(len(task.eff_var))
    ]
    rest = rows(task.rest_start, task.rest_var, task.rest_val)
    done = rows(task.done_start, task.done_var, task.done_val)
    blocks = [FlatBlock(tuple(r), tuple(d)) for r, d in zip(rest, done, strict=True)]
    return [
        Body(
            tuple(pre[o]),
            tuple(unequal[o]),
            tuple(effects[task.eff_start[o] : task.eff_start[o + 1]]),
            tuple(blocks[task.block_start[o] : task.block_start[o + 1]]),
        )
        for o in range(operators(task))
    ]


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


@settings(max_examples=100, deadline=None)
@given(flat_tasks(resources=False, windows=False), st.data())
def test_the_composed_body_does_what_its_parts_do(task, data):
    sizes, bodies = task.domain.tolist(), bodies_of(task)
    sequence = data.draw(st.lists(st.integers(0, len(bodies) - 1), min_size=1, max_size=4))
    parts = [bodies[o] for o in sequence]
    body = composed(parts, sizes)
    both = as_task(sizes, [*bodies, *([body] if body else [])])
    conditional = any(e.equal or e.unequal for part in parts for e in part.effects)
    for state in itertools.product(*map(range, sizes)):
        expected = in_turn(both, state, sequence)
        if body is not None:
            found = in_turn(both, state, [len(bodies)])
            assert found == expected, (state, parts, body)
        else:
            assert expected is None or conditional


@settings(max_examples=100, deadline=None)
@given(flat_tasks(), st.data())
def test_resources_and_windows_are_never_broken(task, data):
    sequence = data.draw(
        st.lists(st.integers(0, operators(task) - 1), min_size=2, max_size=4), "sequence"
    )
    pools = [
        FlatResource(float(a), float(low), float(high))
        for a, low, high in zip(task.amount, task.low, task.high, strict=True)
    ]
    parts = [
        Entry(
            Body((), (), (), ()),
            Action(),
            use=tuple(task.use[o].tolist()),
            opens=float(task.opens[o]),
            closes=float(task.closes[o]),
        )
        for o in sequence
    ]
    use, (opens, closes) = _use(parts, pools, task.clock), _window(parts, task.clock)
    if use is None:
        return
    macro = FlatBuilder(
        [2], [0], [(0, 1)], [FlatOperator(use=use, opens=opens, closes=closes)], pools, task.clock
    ).build()
    for start in itertools.product(*([0.0, 1.0, 2.0, 4.0, 6.0] for _ in pools)):
        expected = start
        for operator in sequence:
            expected = None if expected is None else amounts_after(task, expected, operator)
        found = amounts_after(macro, start, 0)
        within = all(p.low <= s <= p.high for p, s in zip(pools, start, strict=True))
        if found is not None and within:
            assert found == pytest.approx(expected)
        if expected is not None and all(part.opens == 0.0 for part in parts):
            assert found == pytest.approx(expected), "only waiting may make it narrower"


def test_what_is_produced_inside_is_not_asked_for():
    take = Body(((0, 0),), ((1, 2),), (FlatEffect(0, 1),), ())
    give = Body(((0, 1), (1, 0)), (), (FlatEffect(0, 2),), ())
    assert composed([take, give], [3, 3]) == Body(((0, 0), (1, 0)), (), (FlatEffect(0, 2),), ())
    assert composed([take, take], [3, 3]) is None
    assert composed([take], [3, 3]) == take


def test_a_block_is_kept_in_every_way():
    blocked = Body((), (), (FlatEffect(0, 1),), (FlatBlock(((1, 1), (2, 1)), ((0, 1),)),))
    put = Body((), (), (FlatEffect(1, 1),), ())
    away = Body((), (), (FlatEffect(0, 0),), ())
    after = composed([put, away, blocked], [2, 2, 2])
    assert after.unequal == ((2, 1),)
    assert after.blocks == ()
    assert composed([away, blocked], [2, 2, 2]).blocks == (FlatBlock(((1, 1), (2, 1)), ((1, 0),)),)
    assert composed([blocked, blocked], [2, 2, 2]).blocks == blocked.blocks


def test_a_conditional_effect_that_is_not_decided_can_not_be_composed():
    maybe = Body((), (), (FlatEffect(0, 1, equal=((1, 1),)),), ())
    assert composed([maybe], [2, 2]) is None
    sure = Body(((1, 1),), (), (), ())
    assert composed([sure, maybe], [2, 2]).effects == (FlatEffect(0, 1),)
    assert composed([Body(((1, 0),), (), (), ()), maybe], [2, 2]).changes_nothing


def test_windows_of_parts_without_a_clock_do_not_matter():
    assert _window([Entry(Body((), (), (), ()), Action())], -1) == (0.0, math.inf)
