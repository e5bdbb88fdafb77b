# SPDX-License-Identifier: Apache-2.0
"""Cached values of features are those of the definition, in any order of states and changes."""

from __future__ import annotations

import pytest
from feature_texts import parse_concept
from feature_twin import VOCABULARY, concepts, features, find_concept, find_value, states
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import Feature, NamedConcept
from fcp_ros.abstraction.features.parser import parse_feature
from fcp_ros.abstraction.states.state import RelationalState, StateVocabulary


def make_state(
    objects: str, concepts: dict[str, str] | None = None, roles: dict[str, str] | None = None
) -> RelationalState:
    """Makes a state of objects with one letter, such as roles={"next": "ab bc"}."""
    concepts, roles = concepts or {}, roles or {}
    vocabulary = StateVocabulary((), tuple(concepts), tuple(roles), frozenset([*concepts, *roles]))
    state = RelationalState(vocabulary, tuple(objects))
    for name, members in concepts.items():
        for member in members:
            state.set_member(name, objects.index(member), True)
    for name, pairs in roles.items():
        for source, target in pairs.split():
            state.set_pair(name, objects.index(source), objects.index(target), True)
    return state


def value_of(text: str, state: RelationalState) -> int:
    return FeatureEvaluator([parse_feature(text)]).evaluate(state)[0]


def members_of(text: str, state: RelationalState) -> str:
    bits = FeatureEvaluator([]).evaluate_concept(parse_concept(text), state)
    return "".join(name for place, name in enumerate(state.objects) if bits >> place & 1)


@settings(max_examples=600)
@given(st.lists(features, min_size=1, max_size=4), states())
def test_values_are_those_of_the_definition(wanted: list[Feature], state: RelationalState) -> None:
    evaluator = FeatureEvaluator(wanted)
    assert evaluator.evaluate(state) == tuple(find_value(feature, state) for feature in wanted)


ROLES = (
    "at",
    "inverse(at)",
    "closure(next)",
    "restrict(at, clean)",
    "and(at, next)",
    "chain(at, next)",
    "difference(goal.at, at)",
)


@settings(max_examples=100)
@given(states())
def test_each_constructor_of_roles_in_each_place(state: RelationalState) -> None:
    roles = [*ROLES, *(f"inverse({r})" for r in ROLES), *(f"closure({r})" for r in ROLES)]
    wanted = [
        parse_feature(form.replace("R", role))
        for role in roles
        for form in (
            "count(some(R, clean))",
            "count(all(R, clean))",
            "count(same(R, goal.at))",
            "distance(clean, R, goal.clean)",
            "count(some(restrict(R, clean), goal.clean))",
            "count(some(chain(R, next), clean))",
            "count(some(and(R, next), clean))",
        )
    ]
    assert FeatureEvaluator(wanted).evaluate(state) == tuple(find_value(f, state) for f in wanted)


@settings(max_examples=40)
@given(features, st.data())
def test_states_of_many_objects(feature: Feature, data: st.DataObject) -> None:
    state = data.draw(states(size=70))
    assert FeatureEvaluator([feature]).evaluate(state) == (find_value(feature, state),)


@settings(max_examples=300)
@given(st.lists(features, min_size=1, max_size=4), concepts, states(), states(), st.data())
def test_cached_values_are_those_of_the_definition(
    wanted: list[Feature],
    concept: NamedConcept,
    one: RelationalState,
    other: RelationalState,
    data: st.DataObject,
) -> None:
    evaluator = FeatureEvaluator(wanted)
    known = [one, other]
    for _ in range(6):
        state = data.draw(st.sampled_from(known))
        if data.draw(st.booleans()):
            state = state.copy()
            known.append(state)
        change_once(state, data)
        assert evaluator.evaluate(state) == tuple(find_value(f, state) for f in wanted)
        bits = evaluator.evaluate_concept(concept, state)
        assert bits == sum(1 << place for place in find_concept(concept, state))


def change_once(state: RelationalState, data: st.DataObject) -> None:
    """Makes one random change, or none."""
    places = st.integers(0, len(state.objects) - 1)
    kind = data.draw(st.sampled_from(["flag", "concept", "role", "none"]))
    if kind == "flag":
        state.set_flag("idle", not state.flags["idle"])
    elif kind == "concept":
        state.set_member("clean", data.draw(places), data.draw(st.booleans()))
    elif kind == "role":
        state.set_pair("at", data.draw(places), data.draw(places), data.draw(st.booleans()))


def test_only_what_depends_on_a_changed_name_is_computed_again() -> None:
    state = make_state("abc", {"clean": "a", "big": "b"}, {"next": "ab bc"})
    evaluator = FeatureEvaluator([parse_feature("count(some(next, big))")])
    assert evaluator.evaluate(state) == (1,)
    # Not seen, because the version of the name stays the same.
    state.concepts["big"] = 0b110
    assert evaluator.evaluate(state) == (1,)
    state.set_member("clean", 1, True)
    assert evaluator.evaluate(state) == (1,)
    state.set_member("big", 0, True)
    assert evaluator.evaluate(state) == (2,)


def test_rows_of_another_state_with_the_same_versions_are_not_kept() -> None:
    one = make_state("abxy", {"clean": "x"}, {"at": "ax bx", "goal.at": "ax"})
    evaluator = FeatureEvaluator(
        [
            parse_feature(text)
            for text in ("count(same(at, goal.at))", "any(some(and(at, goal.at), clean))")
        ]
    )
    other = one.copy()
    assert evaluator.evaluate(one) == (3, 1)
    # Not seen by the evaluator, which goes on with the copy.
    one.set_pair("at", 1, 2, False)
    one.set_pair("at", 0, 2, False)
    other.set_pair("goal.at", 1, 2, True)
    assert evaluator.evaluate(other) == (4, 1)
    other.set_member("clean", 2, False)
    assert evaluator.evaluate(other) == (4, 0)
    assert evaluator.evaluate(one) == (3, 0)


def test_names_that_the_state_lacks_are_empty() -> None:
    state = make_state("ab", {"clean": "a"})
    assert members_of("goal.clean", state) == ""
    assert members_of("some(goal.at, top)", state) == ""
    assert members_of("same(goal.at, inverse(goal.at))", state) == "ab"
    assert value_of("flag(idle)", state) == 0
    assert value_of("distance(clean, goal.at, goal.clean)", state) == 2


@pytest.mark.parametrize("size", [1, 3])
def test_top_is_all_objects_of_each_state(size: int) -> None:
    evaluator = FeatureEvaluator([parse_feature("count(top)")])
    for count in (size, 2, size):
        state = RelationalState(VOCABULARY, tuple("abc"[:count]))
        assert evaluator.evaluate(state) == (count,)
