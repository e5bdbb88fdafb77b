# SPDX-License-Identifier: Apache-2.0
"""The solver's verdicts are right: on known problems, and against all policies of random ones."""

import itertools

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from qnp_problems import (
    CLEAR_BLOCK,
    ENDLESS,
    GROW,
    KNOWN,
    SWITCH_IN_VAIN,
    TOGGLE,
    TOGGLE_AFTER_WORK,
    WAIT,
    make_nest,
    make_qnp,
    make_tangle,
)
from qnp_twins import (
    apply_by_words,
    choose_bound,
    find_endless_walk,
    iterate_policies,
    reaches_goal_throughout,
    runs_for_ever,
    sieve_by_the_book,
)
from random_qnps import list_applicable, policies, qnps

from fcp_ros.abstraction.qnp.problem import QnpError, encode_state
from fcp_ros.abstraction.qnp.solver import QnpStatus, StrongCyclicRegion, TerminationGame, solve_qnp
from fcp_ros.abstraction.qnp.state_space import (
    EncodedQnp,
    QnpLimits,
    QnpWatch,
    StateSpace,
    build_policy_graph,
    sieve,
)

EXHAUSTIBLE = qnps(most_booleans=1, most_numerics=2, most_actions=4)
"""At most 8 qstates: all policies and all sets of their edges can be tried."""


def assert_solves(qnp, policy):
    graph = build_policy_graph(qnp, policy)
    assert reaches_goal_throughout(graph)
    assert sieve_by_the_book(graph)
    return graph


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.qnp.name)
def test_known_problems(known):
    result = solve_qnp(known.qnp)
    assert result.status is (QnpStatus.SOLVED if known.solvable else QnpStatus.UNSOLVABLE)
    reachable = StateSpace(known.qnp, QnpWatch(QnpLimits())).states
    assert len(reachable) == known.reachable == count_reachable(known.qnp)
    if known.solvable:
        graph = assert_solves(known.qnp, result.policy)
        assert set(result.policy) == set(graph.states) - set(graph.goals)
        assert not result.reason
    else:
        assert result.reason
        assert not result.policy


def count_reachable(qnp):
    """Count by a plain search the qstates that any actions lead to, short of the goal."""
    free = [name for name in qnp.variables if name not in qnp.initial]
    rows = itertools.product((False, True), repeat=len(free))
    queue = [
        encode_state(qnp, {**qnp.initial, **dict(zip(free, row, strict=True))}) for row in rows
    ]
    seen = set(queue)
    for state in queue:
        truth = {name: bool(state >> bit & 1) for bit, name in enumerate(qnp.variables)}
        if all(truth[name] == value for name, value in qnp.goal.items()):
            continue
        for action in qnp.actions:
            for other in apply_by_words(qnp, state, action.name):
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
    return len(seen)


@pytest.mark.parametrize("qnp", ENDLESS, ids=lambda qnp: qnp.name)
def test_what_goes_on_for_ever_solves_nothing(qnp):
    assert solve_qnp(qnp).status is QnpStatus.UNSOLVABLE


def test_fixpoint_alone_refutes():
    for qnp in (make_nest(10, endless=True), ENDLESS[0]):
        result = solve_qnp(qnp)
        assert result.hopeless is not None
        assert result.component is None
        assert result.reason.startswith("no run from (")


def test_dead_end_is_told_from_a_goal_out_of_reach():
    qnp = make_qnp(
        "trap", "done stuck", "n", "not done, not stuck, n>0", "done",
        {"try": ("n>0, not stuck", "n-, stuck"), "finish": ("n=0, stuck", "done")},
    )  # fmt: skip
    result = solve_qnp(qnp)
    assert result.status is QnpStatus.UNSOLVABLE
    assert result.reason.startswith(
        "no policy from (not done, not stuck, n>0) keeps the goal reachable"
    )


@pytest.mark.parametrize(
    ("qnp", "actions", "number"),
    [(SWITCH_IN_VAIN, "reset and use", "x"), (TOGGLE_AFTER_WORK, "extinguish and work", "n")],
    ids=lambda value: getattr(value, "name", ""),
)
def test_component_that_cannot_terminate_is_named(qnp, actions, number):
    result = solve_qnp(qnp)
    assert result.status is QnpStatus.UNSOLVABLE
    assert f"{actions} can go on for ever in" in result.reason
    assert f"all that they decrease ({number}) is increased again there" in result.reason
    assert len(result.component.states) == 2
    assert {edge.action for edge in result.component.edges} == set(actions.split(" and "))


def test_every_completion_of_the_initial_condition_is_solved():
    qnp = make_qnp("any", "b", "n m", "b", "n=0, m=0", {
        "n": ("n>0", "n-"), "m": ("m>0, n=0", "m-"),
    })  # fmt: skip
    result = solve_qnp(qnp)
    assert {state & 0b001 for state in result.policy} == {1}
    assert len(result.policy) == 3


def test_goal_that_holds_already_needs_no_action():
    result = solve_qnp(make_qnp("done", "b", "", "b", "b", {}))
    assert result.status is QnpStatus.SOLVED
    assert dict(result.policy) == {}


@settings(max_examples=100)
@given(qnp=qnps(most_booleans=2, most_numerics=3))
def test_successors_equal_those_computed_over_names(qnp):
    encoded = EncodedQnp(qnp).actions
    for state in range(1 << len(qnp.variables)):
        for action, bits in zip(qnp.actions, encoded, strict=True):
            found = bits.successors(state) if bits.when.holds(state) else ()
            assert set(found) == apply_by_words(qnp, state, action.name)
            assert len(set(found)) == len(found) or any(
                name in action.effects for name in action.when
            )


@settings(max_examples=100)
@given(qnp=EXHAUSTIBLE)
def test_verdict_is_that_of_all_policies(qnp):
    result = solve_qnp(qnp)
    if result.status is QnpStatus.SOLVED:
        graph = build_policy_graph(qnp, result.policy)
        assert reaches_goal_throughout(graph)
        assert not find_endless_walk(graph)
        return
    policies = list(itertools.islice(iterate_policies(qnp), 2000))
    assume(len(policies) < 2000)
    for policy in policies:
        graph = build_policy_graph(qnp, policy)
        assert not reaches_goal_throughout(graph) or find_endless_walk(graph)


@settings(max_examples=100)
@given(qnp=EXHAUSTIBLE)
def test_reasons_are_true(qnp):
    result = solve_qnp(qnp)
    assume(result.status is QnpStatus.UNSOLVABLE)
    if result.component is None:
        for policy in itertools.islice(iterate_policies(qnp), 200):
            graph = build_policy_graph(qnp, policy, [result.hopeless])
            assert graph.open_states or not reaches_goal_throughout(graph)
    else:
        policy = {edge.source: (edge.action,) for edge in result.component.edges}
        endless = sieve(build_policy_graph(qnp, policy, result.component.states[:1]))
        assert [set(one.states) for one in endless] == [set(result.component.states)]


@settings(max_examples=100)
@given(qnp=qnps(most_booleans=1, most_numerics=4, most_actions=10))
def test_the_policy_of_all_that_can_be_won_wins(qnp):
    watch = QnpWatch(QnpLimits())
    space = StateSpace(qnp, watch)
    won = TerminationGame(space, watch).solve(StrongCyclicRegion(space, watch))
    policy = {
        space.states[state]: (qnp.actions[space.action[move]].name,) for state, move in won.items()
    }
    graph = build_policy_graph(qnp, policy, policy)
    assert reaches_goal_throughout(graph)
    assert sieve_by_the_book(graph)


def test_tangles_are_won_or_have_a_component():
    """A search for the policy takes thousands of choices back in some of these."""
    results = [solve_qnp(make_tangle(seed)) for seed in range(40, 60)]
    assert {result.status for result in results} == set(QnpStatus) - {QnpStatus.LIMIT}
    for result in results:
        assert bool(result.policy) != bool(result.component or result.hopeless is not None)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (QnpLimits(states=1000), "more than 1000 qstates can be reached"),
        (QnpLimits(moves=1000), "more than 1000 moves between qstates"),
        (QnpLimits(seconds=0.0), "isn't solved within 0 s"),
    ],
)
def test_limits_are_told(limits, sentence):
    result = solve_qnp(make_nest(10), limits)
    assert result.status is QnpStatus.LIMIT
    assert sentence in result.reason
    assert not result.policy


def test_open_initial_condition_of_many_variables_meets_the_limit():
    names = [f"b{number}" for number in range(40)]
    qnp = make_qnp("open", " ".join(names), "", "", "b0", {})
    assert solve_qnp(qnp, QnpLimits(states=5000)).status is QnpStatus.LIMIT


def test_caller_can_cancel():
    class Cancelled(Exception):
        pass

    def check():
        raise Cancelled

    with pytest.raises(Cancelled):
        solve_qnp(make_nest(10), check=check)


def test_action_with_too_many_outcomes_is_refused():
    names = [f"n{number}" for number in range(20)]
    when = ", ".join(f"{name}>0" for name in names)
    qnp = make_qnp(
        "many", "", " ".join(names), when, "n0=0", {"all": (when, "-, ".join(names) + "-")}
    )
    with pytest.raises(QnpError, match="decreases 20 numbers: at most 16"):
        solve_qnp(qnp)


# --- SIEVE finds what can go on for ever


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
