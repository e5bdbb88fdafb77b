# SPDX-License-Identifier: Apache-2.0
"""SIEVE finds what can go on for ever."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from qnp_problems import CLEAR_BLOCK, ENDLESS, GROW, TOGGLE, WAIT
from qnp_twins import choose_bound, find_endless_walk, runs_for_ever, sieve_by_the_book
from random_qnps import list_applicable, policies, qnps

from fcp_ros.abstraction.qnp.problem import QnpError, encode_state
from fcp_ros.abstraction.qnp.state_space import build_policy_graph, sieve


def take_all(qnp):
    """A policy that leaves all actions open."""
    states = range(1 << len(qnp.variables))
    return {state: tuple(list_applicable(qnp, state)) for state in states}


@pytest.mark.parametrize("qnp", ENDLESS, ids=lambda qnp: qnp.name)
def test_what_goes_on_for_ever_is_found(qnp):
    assert sieve(build_policy_graph(qnp, take_all(qnp)))


@pytest.mark.parametrize(
    ("qnp", "states", "reason"),
    [
        (TOGGLE, 2, "extinguish and light can go on for ever in (not lit, not done), "
            "(lit, not done): they decrease nothing"),
        (GROW, 1, "grow can go on for ever in (not done, n>0): it decreases nothing"),
        (WAIT, 1, "wait can go on for ever in (not done, n>0): it decreases nothing"),
    ],
    ids=["cycle of booleans", "increase", "no change"],
)  # fmt: skip
def test_components_say_why(qnp, states, reason):
    (component,) = sieve(build_policy_graph(qnp, take_all(qnp)))
    assert len(component.states) == states
    assert component.describe(qnp) == reason


def test_graph_lists_what_the_policy_leaves_open():
    start = encode_state(CLEAR_BLOCK, {"holding": False, "above": True})
    graph = build_policy_graph(CLEAR_BLOCK, {start: ("lift-from-above",)})
    assert graph.states[0] == start == graph.initial[0]
    (holding,) = graph.open_states
    (goal,) = graph.goals
    assert holding == encode_state(CLEAR_BLOCK, {"holding": True, "above": True})
    assert goal == encode_state(CLEAR_BLOCK, {"holding": True, "above": False})


def test_wrong_policies_are_refused():
    with pytest.raises(QnpError, match=r"no action 'put-awya'.*did you mean put-away"):
        build_policy_graph(CLEAR_BLOCK, {2: ("put-awya",)})
    with pytest.raises(QnpError, match=r"takes 'put-away' .* in \(not holding, above>0\)"):
        build_policy_graph(CLEAR_BLOCK, {2: ("put-away",)})


@settings(max_examples=80)
@given(data=st.data(), qnp=qnps())
def test_sieve_equals_its_description(data, qnp):
    graph = build_policy_graph(qnp, data.draw(policies(qnp, most=3)))
    endless = sieve(graph)
    assert (endless == ()) == sieve_by_the_book(graph)
    for component in endless:
        assert set(component.edges) <= set(graph.edges)
        assert {edge.target for edge in component.edges} == set(component.states)


@settings(max_examples=80)
@given(data=st.data(), qnp=qnps(most_booleans=1))
def test_sieve_is_right_about_every_set_of_edges(data, qnp):
    graph = build_policy_graph(qnp, data.draw(policies(qnp, most=2)))
    assume(len({(edge.source, edge.action) for edge in graph.edges}) <= 10)
    assert bool(sieve(graph)) == find_endless_walk(graph)


@settings(max_examples=80)
@given(data=st.data(), qnp=qnps(most_booleans=1))
def test_sieve_is_right_about_whole_numbers(data, qnp):
    graph = build_policy_graph(qnp, data.draw(policies(qnp, most=2)))
    assume(choose_bound(graph) <= 50)
    assert bool(sieve(graph)) == runs_for_ever(graph)
