# SPDX-License-Identifier: Apache-2.0
"""Features by their definitions, over sets of numbers and pairs; random features and states."""

from __future__ import annotations

from hypothesis import strategies as st

from fcp_ros.abstraction.features.expressions import (
    AllConcept,
    AndConcept,
    AndRole,
    AnyFeature,
    ChainRole,
    ClosureRole,
    ConceptExpression,
    CountFeature,
    DifferenceRole,
    DistanceFeature,
    Feature,
    FlagFeature,
    InverseRole,
    NamedConcept,
    NamedRole,
    NotConcept,
    RestrictRole,
    RoleExpression,
    SameConcept,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.states.state import RelationalState, StateVocabulary

Pairs = set[tuple[int, int]]

VOCABULARY = StateVocabulary(
    flags=("idle",),
    concepts=("clean", "goal.clean", "small-one"),
    roles=("at", "goal.at", "next"),
    fluent=frozenset(["idle", "clean", "at"]),
)


def list_members(bits: int) -> set[int]:
    return {place for place in range(bits.bit_length()) if bits >> place & 1}


def read_pairs(state: RelationalState, name: str) -> Pairs:
    rows = state.roles.get(name, ())
    return {(i, j) for i, row in enumerate(rows) for j in list_members(row)}


def find_concept(concept: ConceptExpression, state: RelationalState) -> set[int]:
    every = set(range(len(state.objects)))
    match concept:
        case NamedConcept(name):
            return list_members(state.concepts.get(name, 0))
        case Top():
            return every
        case NotConcept(part):
            return every - find_concept(part, state)
        case AndConcept(left, right):
            return find_concept(left, state) & find_concept(right, state)
        case SomeConcept(role, part):
            pairs, wanted = find_role(role, state), find_concept(part, state)
            return {i for i in every if any((i, j) in pairs for j in wanted)}
        case AllConcept(role, part):
            pairs, wanted = find_role(role, state), find_concept(part, state)
            return {i for i in every if all(j in wanted for k, j in pairs if k == i)}
        case SameConcept(left, right):
            one, other = find_role(left, state), find_role(right, state)
            return {
                i for i in every if {j for k, j in one if k == i} == {j for k, j in other if k == i}
            }
    raise TypeError(concept)


def find_role(role: RoleExpression, state: RelationalState) -> Pairs:
    match role:
        case NamedRole(name):
            return read_pairs(state, name)
        case InverseRole(part):
            return {(j, i) for i, j in find_role(part, state)}
        case ClosureRole(part):
            step = find_role(part, state)
            reached = set(step)
            while more := chain_pairs(reached, step) - reached:
                reached |= more
            return reached
        case RestrictRole(part, concept):
            allowed = find_concept(concept, state)
            return {(i, j) for i, j in find_role(part, state) if j in allowed}
        case AndRole(left, right):
            return find_role(left, state) & find_role(right, state)
        case ChainRole(left, right):
            return chain_pairs(find_role(left, state), find_role(right, state))
        case DifferenceRole(left, right):
            return find_role(left, state) - find_role(right, state)
    raise TypeError(role)


def chain_pairs(left: Pairs, right: Pairs) -> Pairs:
    return {(i, k) for i, j in left for other, k in right if j == other}


def find_value(feature: Feature, state: RelationalState) -> int:
    match feature:
        case FlagFeature(name):
            return int(state.flags.get(name, False))
        case AnyFeature(concept):
            return int(bool(find_concept(concept, state)))
        case CountFeature(concept):
            return len(find_concept(concept, state))
        case DistanceFeature(source, role, target):
            pairs = find_role(role, state)
            near, wanted = find_concept(source, state), find_concept(target, state)
            for steps in range(len(state.objects)):
                if near & wanted:
                    return steps
                near = near | {j for i, j in pairs if i in near}
            return len(state.objects)
    raise TypeError(feature)


def nest_expressions(
    depth: int,
) -> tuple[st.SearchStrategy[ConceptExpression], st.SearchStrategy[RoleExpression]]:
    """Returns strategies for concepts and roles that are nested so deep at most."""
    concept: st.SearchStrategy[ConceptExpression] = st.builds(
        NamedConcept, st.sampled_from(VOCABULARY.concepts)
    ) | st.just(Top())
    role: st.SearchStrategy[RoleExpression] = st.builds(
        NamedRole, st.sampled_from(VOCABULARY.roles)
    )
    for _ in range(depth):
        c, r = concept, role
        concept = c | st.one_of(
            st.builds(NotConcept, c),
            st.builds(AndConcept, c, c),
            st.builds(SomeConcept, r, c),
            st.builds(AllConcept, r, c),
            st.builds(SameConcept, r, r),
        )
        role = r | st.one_of(
            st.builds(InverseRole, r),
            st.builds(ClosureRole, r),
            st.builds(RestrictRole, r, c),
            st.builds(AndRole, r, r),
            st.builds(ChainRole, r, r),
            st.builds(DifferenceRole, r, r),
        )
    return concept, role


concepts, roles = nest_expressions(3)
features: st.SearchStrategy[Feature] = (
    st.builds(FlagFeature, st.sampled_from(VOCABULARY.flags))
    | st.builds(AnyFeature, concepts)
    | st.builds(CountFeature, concepts)
    | st.builds(DistanceFeature, concepts, roles, concepts)
)


@st.composite
def states(draw: st.DrawFn, size: int | None = None) -> RelationalState:
    """Draws a state of the vocabulary above, of up to six objects or of a given number."""
    if size is None:
        size = draw(st.integers(1, 6))
    state = RelationalState(VOCABULARY, tuple(f"o{place}" for place in range(size)))
    places = st.integers(0, size - 1)
    state.set_flag("idle", draw(st.booleans()))
    for name in VOCABULARY.concepts:
        for place in draw(st.sets(places, max_size=size)):
            state.set_member(name, place, True)
    for name in VOCABULARY.roles:
        for source, target in draw(st.sets(st.tuples(places, places), max_size=2 * size)):
            state.set_pair(name, source, target, True)
    return state
