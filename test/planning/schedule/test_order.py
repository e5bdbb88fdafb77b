# SPDX-License-Identifier: Apache-2.0
"""The causal order of random footprints, and partial orders against all permutations."""

import itertools
from itertools import permutations
from random import Random

import networkx
import pytest
from explored_order import ExploredOrder
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Fact
from fcp_ros.planning.footprint import FactPattern, StepFootprint
from fcp_ros.planning.step_order import OrderError, find_causal_pairs

FACTS = [Fact("p", (a, b)) for a in "xy" for b in "uv"]


class Start:
    """What `find_causal_pairs` asks of a view."""

    def __init__(self, facts):
        self.facts = frozenset(facts)

    def holds_initially(self, fact):
        return fact in self.facts


def exactly(facts):
    return tuple(FactPattern("p", tuple(enumerate(fact.arguments))) for fact in sorted(facts))


@st.composite
def sequences(draw):
    """(facts at the start, footprints of steps that can be done from there)."""
    subset = st.frozensets(st.sampled_from(FACTS), max_size=2)
    start = state = draw(st.frozensets(st.sampled_from(FACTS)))
    steps = []
    for _ in range(draw(st.integers(2, 6))):
        adds = draw(subset)
        step = StepFootprint(
            needs=draw(subset) & state,
            avoids=exactly(draw(subset) - state),
            watches=exactly(draw(subset) if draw(st.integers(0, 3)) == 0 else ()),
            adds=adds,
            deletes=draw(subset) - adds,
        )
        steps.append(step)
        state = state - step.deletes | step.adds
    return start, steps


def read(step, state):
    """What a step sees of a state."""
    watched = [any(p.covers(f) for f in state) for p in step.watches]
    avoided = [any(p.covers(f) for f in state) for p in step.avoids]
    return step.needs <= state, watched, avoided


def run(start, steps, order):
    """What each step sees, by its number, and the end."""
    state, seen = start, {}
    for number in order:
        seen[number] = read(steps[number], state)
        state = state - steps[number].deletes | steps[number].adds
    return seen, state


@settings(max_examples=250, deadline=None)
@given(sequences())
def test_every_order_reads_and_ends_the_same(case):
    start, steps = case
    order = ExploredOrder.of(len(steps), find_causal_pairs(Start(start), steps))
    expected = run(start, steps, range(len(steps)))
    for chosen in itertools.islice(order.linear_extensions(), 60):
        assert run(start, steps, chosen) == expected, chosen


def step(needs="", avoids="", watches="", adds="", deletes=""):
    """A footprint of facts by the letters of their first argument: "a" is p(a, u)."""

    def facts(letters):
        return frozenset(Fact("p", (letter, "u")) for letter in letters)

    return StepFootprint(
        facts(needs), exactly(facts(avoids)), exactly(facts(watches)), facts(adds), facts(deletes)
    )


def pairs(start, *steps):
    return find_causal_pairs(Start(Fact("p", (letter, "u")) for letter in start), steps)


def test_a_producer_comes_before_what_needs_it():
    assert pairs("", step(adds="a"), step(needs="a")) == {(0, 1)}
    assert pairs("a", step(adds="a"), step(needs="a")) == set()
    # The second producer is not needed; the first one is.
    assert pairs("", step(adds="a"), step(adds="a"), step(needs="a")) == {(0, 2)}


def test_what_avoids_a_fact_comes_before_those_that_add_it():
    assert pairs("", step(avoids="a"), step(adds="a")) == {(0, 1)}
    assert pairs("a", step(deletes="a"), step(avoids="a")) == {(0, 1)}
    assert pairs("", step(avoids="a"), step(avoids="a"), step(needs="b")) == set()


def test_patterns_leave_out_what_they_say():
    one, other = FACTS[:2]
    pattern = FactPattern("p", ((0, "x"),), frozenset({other}))
    assert pattern.covers(one)
    assert not pattern.covers(other)
    assert not pattern.covers(Fact("q", ("x", "u")))


PAIRS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9)


@settings(max_examples=150, deadline=None)
@given(size=st.integers(0, 6), drawn=PAIRS, seed=st.integers(0, 9))
def test_linear_extensions_are_the_permutations_that_keep_the_pairs(
    size: int, drawn: set[tuple[int, int]], seed: int
) -> None:
    pairs = {(min(pair), max(pair)) for pair in drawn if len(set(pair)) == 2 and max(pair) < size}
    order = ExploredOrder.of(size, pairs)
    kept = [
        numbers
        for numbers in permutations(range(size))
        if all(numbers.index(before) < numbers.index(after) for before, after in pairs)
    ]
    assert list(order.linear_extensions()) == kept
    assert all(order.admits(numbers) == (numbers in kept) for numbers in permutations(range(size)))
    assert order.sample(Random(seed)) in kept
    for before, after in permutations(range(size), 2):
        always = all(numbers.index(before) < numbers.index(after) for numbers in kept)
        assert order.precedes(before, after) == always
        both = not always and not order.precedes(after, before)
        assert order.are_independent(before, after) == both
    graph = networkx.DiGraph(order.pairs())
    assert networkx.transitive_reduction(graph).edges == graph.edges


def test_only_immediate_predecessors_are_kept() -> None:
    order = ExploredOrder.of(4, [(0, 1), (1, 2), (0, 2), (0, 3)])
    assert order.predecessors == (frozenset(), frozenset({0}), frozenset({1}), frozenset({0}))
    assert order.pairs() == ((0, 1), (0, 3), (1, 2))
    assert not order.admits((0, 1, 2))
    assert not order.admits((0, 1, 2, 2))


def test_what_is_no_order_is_refused() -> None:
    with pytest.raises(OrderError, match=r"cycle 0 < 2 < 1 \(each after the next\)"):
        ExploredOrder.of(3, [(0, 1), (1, 2), (2, 0)])
    with pytest.raises(OrderError, match="cycle 1"):
        ExploredOrder.of(2, [(1, 1)])
    with pytest.raises(OrderError, match=r"\(0, 3\) orders numbers outside 0 .. 2"):
        ExploredOrder.of(3, [(0, 3)])
