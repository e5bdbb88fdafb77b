# SPDX-License-Identifier: Apache-2.0
"""Pools of features: their values, one simplest representative of each value, limits."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from feature_texts import parse_role
from feature_twin import VOCABULARY, find_concept, find_value, states
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.abstraction.features.enumeration import PoolLimits, enumerate_features
from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import (
    AllConcept,
    AndConcept,
    AnyFeature,
    ConceptExpression,
    CountFeature,
    DistanceFeature,
    Feature,
    NamedConcept,
    NotConcept,
    RoleExpression,
    SameConcept,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.features.parser import parse_feature
from fcp_ros.abstraction.states.state import RelationalState

some_states = st.lists(states(), min_size=1, max_size=8)
ALL_FLUENT = replace(VOCABULARY, fluent=frozenset(VOCABULARY.concepts + VOCABULARY.roles))

ROLES = (
    *("at", "goal.at", "next", "closure(at)", "closure(next)", "and(at, next)"),
    *("difference(goal.at, at)", "difference(next, at)", "inverse(difference(at, next))"),
    *("inverse(at)", "inverse(next)", "inverse(closure(next))", "inverse(and(at, goal.at))"),
)


def nest_concepts(depth: int) -> st.SearchStrategy[ConceptExpression]:
    """Returns a strategy for concepts that pools are made of."""
    roles: st.SearchStrategy[RoleExpression] = st.sampled_from([*map(parse_role, ROLES)])
    concepts: st.SearchStrategy[ConceptExpression] = st.just(Top()) | st.builds(
        NamedConcept, st.sampled_from(VOCABULARY.concepts)
    )
    for _ in range(depth):
        c = concepts
        concepts = c | st.one_of(
            st.builds(NotConcept, c),
            st.builds(AndConcept, c, c),
            st.builds(SomeConcept, roles, c),
            st.builds(AllConcept, roles, c),
            st.builds(SameConcept, roles, roles),
        )
    return concepts


concepts = nest_concepts(2)
distances = st.sampled_from(
    [
        *("distance(clean, next, goal.clean)", "distance(clean, inverse(next), some(at, top))"),
        *("distance(clean, restrict(next, goal.clean), small-one)",),
        *("distance(small-one, restrict(inverse(at), not(clean)), clean)",),
    ]
).map(parse_feature)


@settings(max_examples=100)
@given(some_states)
def test_values_are_those_of_the_definition(given_states: list[RelationalState]) -> None:
    pool = enumerate_features(VOCABULARY, given_states, PoolLimits(max_complexity=5))
    assert pool.values.shape == (len(given_states), len(pool.features))
    for feature, values in zip(pool.features, pool.values.T.tolist(), strict=True):
        assert values == [find_value(feature, state) for state in given_states], feature
    for place, concept in list(enumerate(pool.concepts))[:200]:
        expected = [sum(1 << i for i in find_concept(concept, state)) for state in given_states]
        assert pool.list_members(place) == expected, concept


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_values_in_states_of_many_objects(seed: int) -> None:
    draw = random.Random(seed)
    given_states = [make_random_state(draw, size) for size in (3, 70, 40)]
    pool = enumerate_features(VOCABULARY, given_states, PoolLimits(max_complexity=4))
    evaluator = FeatureEvaluator(pool.features)
    assert pool.values.tolist() == [list(evaluator.evaluate(state)) for state in given_states]


def make_random_state(draw: random.Random, size: int) -> RelationalState:
    state = RelationalState(VOCABULARY, tuple(f"o{place}" for place in range(size)))
    for name in VOCABULARY.concepts:
        for place in draw.sample(range(size), draw.choice([1, size // 2])):
            state.set_member(name, place, True)
    for name in VOCABULARY.roles:
        for _ in range(size):
            state.set_pair(name, draw.randrange(size), draw.randrange(size), True)
    return state


@settings(max_examples=200)
@given(some_states, st.lists(concepts, max_size=20), distances)
def test_each_value_has_a_representative_of_least_complexity(
    given_states: list[RelationalState], wanted: list[ConceptExpression], distance: DistanceFeature
) -> None:
    pool = enumerate_features(ALL_FLUENT, given_states, PoolLimits(max_complexity=6))
    assert pool.complete_to == 6
    complexities = {
        key: feature.complexity
        for feature, values in zip(pool.features, pool.values.T, strict=True)
        for key in (tuple(values.tolist()), tuple((1 - values).tolist()))
    }
    asked: list[Feature] = [*map(AnyFeature, wanted), *map(CountFeature, wanted)]
    if max(len(find_concept(distance.source, state)) for state in given_states) == 1:
        asked.append(distance)
    sizes = tuple(len(state.objects) for state in given_states)
    for feature in asked:
        values = tuple(find_value(feature, state) for state in given_states)
        # Counts of all objects, and distances without any way, never change.
        if len(set(values)) > 1 and values != sizes and feature.complexity <= 6:
            assert complexities[values] <= feature.complexity, feature


@settings(max_examples=60)
@given(some_states)
def test_features_are_different_and_change(given_states: list[RelationalState]) -> None:
    pool = enumerate_features(VOCABULARY, given_states, PoolLimits(max_complexity=6))
    values = [tuple(column) for column in pool.values.T.tolist()]
    negations = [tuple(1 - value for value in column) for column in values]
    assert len({*values, *negations}) == 2 * len(values)
    assert all(len(set(column)) > 1 for column in values)
    assert all(feature.names & VOCABULARY.fluent for feature in pool.features)
    complexities = [feature.complexity for feature in pool.features]
    assert complexities == sorted(complexities)
    again = enumerate_features(VOCABULARY, given_states, PoolLimits(max_complexity=6))
    assert again.features == pool.features


def test_a_count_stands_beside_any_only_where_it_says_more() -> None:
    one, two = make_random_state(random.Random(1), 4), make_random_state(random.Random(1), 4)
    for place in range(4):
        one.set_member("clean", place, place == 1)
        two.set_member("clean", place, False)
    texts = [f.text for f in enumerate_features(VOCABULARY, [one, two]).features]
    assert "any(clean)" in texts
    assert "count(clean)" not in texts
    one.set_member("clean", 2, True)
    texts = [f.text for f in enumerate_features(VOCABULARY, [one, two]).features]
    assert {"any(clean)", "count(clean)"} <= {*texts}


def make_varied_states() -> list[RelationalState]:
    draw = random.Random(5)
    return [make_random_state(draw, 6) for _ in range(10)]


def test_limits_end_the_enumeration() -> None:
    given_states = make_varied_states()
    pool = enumerate_features(VOCABULARY, given_states, PoolLimits(max_complexity=5))
    assert (pool.complete_to, pool.stopped_by) == (5, "")
    many = enumerate_features(VOCABULARY, given_states, PoolLimits(max_features=50))
    assert (len(many.features), many.stopped_by) == (50, "features")
    assert many.features == pool.features[:50]
    few = enumerate_features(VOCABULARY, given_states, PoolLimits(max_concepts=60))
    assert few.stopped_by == "concepts"
    assert few.complete_to < 5
    assert len(few.concepts) <= 60
    late = enumerate_features(VOCABULARY, given_states, PoolLimits(time_limit=0))
    assert late.stopped_by == "time"
    assert late.values.shape == (10, 0)


def test_a_check_that_raises_ends_the_enumeration() -> None:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        enumerate_features(VOCABULARY, make_varied_states(), check=check)
