# SPDX-License-Identifier: Apache-2.0
"""Schedules of random sequences: every order that they allow can be done and ends the same."""

import itertools
import math

import pytest
from explored_order import ExploredOrder
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from random_walks import Walker, timed
from random_worlds import worlds

from fcp_ros.cset import facts
from fcp_ros.planning.footprint import FactView, find_footprints
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.schedule import Inconsistency, Schedule, schedule_steps
from fcp_ros.planning.step_order import find_causal_pairs, find_reservoir_pairs

PROPERTY = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
ORDERS = 6


@st.composite
def sequences(draw):
    """(domain, instance, walker, states after each step, plan steps, random)."""
    domain, instance = draw(worlds())
    domain = draw(timed(domain))
    assume(facts(instance))
    rng = draw(st.randoms(use_true_random=False))
    walker = Walker(domain)
    states, steps = walker.walk(instance, rng, draw(st.integers(2, 8)))
    assume(len(steps) > 1)
    return domain, instance, walker, states, steps, rng


def bound(domain, steps):
    return [GroundStep(domain.rules[s.rule], tuple(e for _, e in s.arguments)) for s in steps]


def without_agents(domain, instance, steps):
    """The order that causes and resources make."""
    ground = bound(domain, steps)
    pairs = find_causal_pairs(FactView(instance), find_footprints(domain, instance, ground))
    return ExploredOrder.of(len(steps), pairs | find_reservoir_pairs(domain, ground, {}))


def some_orders(order, rng):
    """A few linear extensions: at random, and all of them where there are few."""
    first = list(itertools.islice(order.linear_extensions(), ORDERS))
    return first if len(first) < ORDERS else [order.sample(rng) for _ in range(ORDERS)]


@PROPERTY
@given(sequences())
def test_every_order_replays_to_the_same_state(sequence):
    domain, instance, walker, states, steps, rng = sequence
    for chosen in some_orders(without_agents(domain, instance, steps), rng):
        left, state = walker.start(), instance
        for number in chosen:
            left = walker.spent(steps[number].rule, left)
            assert left is not None, f"{chosen}: a resource leaves its bounds"
            state = walker.redo(steps[number], state)
            assert state is not None, f"{chosen}: step {number} can't be done"
        assert state == states[-1]


@PROPERTY
@given(sequences())
def test_neighbours_that_cannot_change_places_are_ordered(sequence):
    """Sequential independence, step by step: the twin of what the footprints say."""
    domain, instance, walker, states, steps, _ = sequence
    order = without_agents(domain, instance, steps)
    for number, before in enumerate([instance, *states[:-2]]):
        middle = walker.redo(steps[number + 1], before)
        end = None if middle is None else walker.redo(steps[number], middle)
        if end != states[number + 1]:
            assert order.precedes(number, number + 1), (number, list(map(str, steps)))


def earliest(domain, steps, order):
    """Longest paths by trying every chain; None where a window can't be kept."""
    starts = []
    for number, step in enumerate(steps):
        window = domain.rules[step.rule].window
        chains = (starts[b] + steps[b].duration for b, a in order if a == number)
        starts.append(max([window.opens, *chains]))
        if starts[-1] + step.duration > window.closes + 1e-9:
            return None
    return starts


@PROPERTY
@given(sequences(), st.sampled_from([math.inf, math.inf, 0.0, 4.0, 12.0]))
def test_times_keep_everything_and_are_the_earliest(sequence, deadline):
    domain, instance, _, _, steps, _ = sequence
    made = schedule_steps(domain, instance, steps, deadline=deadline)
    causal = without_agents(domain, instance, steps)
    alone = earliest(domain, steps, causal.pairs())
    if isinstance(made, Inconsistency):
        ends = alone and [s + step.duration for s, step in zip(alone, steps, strict=True)]
        assert made.excess > 0.0
        assert made.proven == (alone is None or max(ends) > deadline + 1e-9)
        assert all(str(steps[number]) in made.message for number in made.steps)
        return
    assert isinstance(made, Schedule)
    order = ExploredOrder.of(len(steps), made.order)
    assert all(order.precedes(*pair) for pair in causal.pairs())
    topological = next(order.linear_extensions())
    place = {number: position for position, number in enumerate(topological)}
    again = earliest(
        domain, [steps[n] for n in topological], [(place[b], place[a]) for b, a in made.order]
    )
    assert made.starts == pytest.approx([again[place[n]] for n in range(len(steps))])
    assert made.makespan == max(made.ends) <= deadline + 1e-9
    for times in (made.starts, made.latest_starts):
        ends = [start + step.duration for start, step in zip(times, steps, strict=True)]
        assert max(ends) <= made.makespan + 1e-9
        for b, a in made.order:
            assert ends[b] <= times[a] + 1e-9
        for step, start, end in zip(steps, times, ends, strict=True):
            window = domain.rules[step.rule].window
            assert window.opens - 1e-9 <= start
            assert end <= window.closes + 1e-9
        for one, other in itertools.combinations(range(len(steps)), 2):
            if times[one] < ends[other] - 1e-9 and times[other] < ends[one] - 1e-9:
                assert set(made.agents[one]).isdisjoint(made.agents[other])
                assert order.are_independent(one, other)


@PROPERTY
@given(sequences())
def test_no_step_can_start_later_than_said(sequence):
    domain, instance, _, _, steps, _ = sequence
    made = schedule_steps(domain, instance, steps)
    assume(isinstance(made, Schedule))
    for number, latest in enumerate(made.latest_starts):
        # Starting a little later pushes what follows beyond a window or the makespan.
        late = latest + 1e-3
        starts = list(made.latest_starts)
        starts[number] = late
        broken = late + steps[number].duration > min(
            made.makespan, domain.rules[steps[number].rule].window.closes
        )
        following = [a for b, a in made.order if b == number]
        assert broken or any(
            late + steps[number].duration > made.latest_starts[a] for a in following
        )


def interferes(one, other):
    """Whether two footprints can't overlap: one writes what the other one reads or undoes."""
    return any(
        written & reads
        or any(p.covers(f) for f in written for p in (*second.avoids, *second.watches))
        for first, second in ((one, other), (other, one))
        for written, reads in (
            (first.deletes, second.needs | second.adds | second.deletes),
            (first.adds, second.deletes),
        )
        if written
    )


@PROPERTY
@given(sequences())
def test_unordered_steps_do_not_interfere(sequence):
    domain, instance, _, _, steps, _ = sequence
    order = without_agents(domain, instance, steps)
    prints = find_footprints(domain, instance, bound(domain, steps))
    for one, other in itertools.combinations(range(len(steps)), 2):
        if order.are_independent(one, other):
            assert not interferes(prints[one], prints[other])
