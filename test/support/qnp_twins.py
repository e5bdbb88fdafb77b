# SPDX-License-Identifier: Apache-2.0
"""Slow and obvious twins of the QNP solver: SIEVE by the book, cycles one by one, all policies.

`sieve_by_the_book` follows the description with networkx. `find_endless_walk` does without SIEVE:
it tries every set of qstates and actions. `runs_for_ever` does without qualitative reasoning: it
lets whole numbers fall by one, or to zero, and grow to a bound.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import networkx as nx
from random_qnps import list_applicable

from fcp_ros.abstraction.qnp.problem import Qnp, QnpPolicy, QState, QualitativeChange, decode_state
from fcp_ros.abstraction.qnp.state_space import PolicyGraph, build_policy_graph


def apply_by_words(qnp: Qnp, state: QState, name: str) -> set[QState]:
    """Return the successors of a qstate, computed over the names of the variables."""
    action = qnp.action(name)
    values = dict(decode_state(qnp, state))
    if any(values[variable] != value for variable, value in action.when.items()):
        return set()
    falling = []
    for variable, change in action.effects.items():
        if change is QualitativeChange.DECREASE:
            falling.append(variable)
        else:
            values[variable] = change.raises
    results = set()
    for outcome in itertools.product((True, False), repeat=len(falling)):
        after = values | dict(zip(falling, outcome, strict=True))
        results.add(sum(1 << bit for bit, one in enumerate(qnp.variables) if after[one]))
    return results


def _changes(qnp: Qnp, name: str, change: QualitativeChange) -> set[str]:
    return {one for one, found in qnp.action(name).effects.items() if found is change}


def sieve_by_the_book(graph: PolicyGraph) -> bool:
    """Return True if the policy terminates."""

    def passes(edges: list[tuple[QState, QState, str]]) -> bool:
        whole = nx.MultiDiGraph()
        for source, target, name in edges:
            whole.add_edge(source, target, key=name)
        for nodes in nx.strongly_connected_components(whole):
            inner = [edge for edge in edges if edge[0] in nodes and edge[1] in nodes]
            if not inner:
                continue
            fallen: set[str] = set()
            grown: set[str] = set()
            for _, _, name in inner:
                fallen |= _changes(graph.qnp, name, QualitativeChange.DECREASE)
                grown |= _changes(graph.qnp, name, QualitativeChange.INCREASE)
            variables = fallen - grown
            if not variables:
                return False
            rest = [
                edge
                for edge in inner
                if not variables & _changes(graph.qnp, edge[2], QualitativeChange.DECREASE)
            ]
            if not passes(rest):
                return False
        return True

    return passes([(edge.source, edge.target, edge.action) for edge in graph.edges])


def find_endless_walk(graph: PolicyGraph) -> bool:
    """Return True if some set of qstates and actions can be run through for ever.

    A run that goes on for ever takes, from some time on, only pairs of a qstate and an action that
    it takes again and again. They connect their qstates strongly, and what they decrease they
    increase. On the other hand, such a set can be run through for ever.
    """
    pairs = sorted({(edge.source, edge.action) for edge in graph.edges})
    for size in range(1, len(pairs) + 1):
        for chosen in itertools.combinations(pairs, size):
            fallen: set[str] = set()
            grown: set[str] = set()
            for _, name in chosen:
                fallen |= _changes(graph.qnp, name, QualitativeChange.DECREASE)
                grown |= _changes(graph.qnp, name, QualitativeChange.INCREASE)
            if fallen <= grown and _connects(graph, set(chosen)):
                return True
    return False


def _connects(graph: PolicyGraph, pairs: set[tuple[QState, str]]) -> bool:
    """Return True if the edges of pairs within their qstates connect them, using every pair."""
    sources = {source for source, _ in pairs}
    inner = [
        edge
        for edge in graph.edges
        if (edge.source, edge.action) in pairs and edge.target in sources
    ]
    if {(edge.source, edge.action) for edge in inner} != pairs:
        return False
    whole = nx.DiGraph([(edge.source, edge.target) for edge in inner])
    return len(whole) == len(sources) and nx.is_strongly_connected(whole)


def choose_bound(graph: PolicyGraph) -> int:
    """Return a number that decreases of one walk through all edges don't use up."""
    return len(graph.edges) * len(graph.states) + 1


def runs_for_ever(graph: PolicyGraph) -> bool:
    """Return True if whole numbers up to a bound allow a run that comes to where it was.

    A number falls by one, or to zero; it grows to the bound. Whatever goes on for ever in the graph
    does so here, since a walk through all edges involved uses up less than the bound. What comes
    back here decreases nothing that it doesn't increase.
    """
    bound = choose_bound(graph)
    bits = {name: bit for bit, name in enumerate(graph.qnp.variables) if name in graph.qnp.numerics}
    steps = nx.DiGraph()
    for edge in graph.edges:
        effects = graph.qnp.action(edge.action).effects
        ranges = [
            range(1, bound + 1) if edge.source >> bit & 1 else range(1) for bit in bits.values()
        ]
        for values in itertools.product(*ranges):
            after = []
            for (name, bit), value in zip(bits.items(), values, strict=True):
                change = effects.get(name)
                if change is QualitativeChange.INCREASE:
                    value = bound
                elif change is QualitativeChange.DECREASE:
                    value = value - 1 if edge.target >> bit & 1 else 0
                after.append(value)
            if all(
                value > 0 or not edge.target >> bit & 1
                for value, bit in zip(after, bits.values(), strict=True)
            ):
                steps.add_edge((edge.source, values), (edge.target, tuple(after)))
    return not nx.is_directed_acyclic_graph(steps)


def reaches_goal_throughout(graph: PolicyGraph) -> bool:
    """Return True if the policy is complete, and may reach a goal from wherever it may come."""
    whole = nx.DiGraph([(edge.source, edge.target) for edge in graph.edges])
    whole.add_nodes_from(graph.states)
    good = set(graph.goals)
    for goal in graph.goals:
        good |= nx.ancestors(whole, goal)
    return not graph.open_states and good == set(graph.states)


def iterate_policies(qnp: Qnp) -> Iterator[QnpPolicy]:
    """Yield every memoryless policy, as far as it matters: for the qstates that it may lead to."""

    def extend(chosen: dict[QState, tuple[str, ...]]) -> Iterator[QnpPolicy]:
        for state in build_policy_graph(qnp, chosen).open_states:
            for action in list_applicable(qnp, state):
                yield from extend({**chosen, state: (action,)})
            return
        yield chosen

    return extend({})
