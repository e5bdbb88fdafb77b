# SPDX-License-Identifier: Apache-2.0
"""The graph of a policy on qstates, and SIEVE, which decides if the policy terminates.

SIEVE (Srivastava, Zilberstein, Immerman and Geffner, "Qualitative Numeric Planning", AAAI 2011): in
a strongly connected component with at least one edge, a number that some edge decreases and none
increases can't be decreased for ever, so the edges that decrease it can be left out. A component
without such a number, and with edges, can be run through for ever. An edge from a qstate to itself
makes a component, too, and so does a cycle that changes only booleans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fcp_ros.abstraction.qnp.problem import (
    Qnp,
    QnpError,
    QnpPolicy,
    QState,
    QualitativeChange,
    describe_state,
)
from fcp_ros.abstraction.qnp.state_space import EncodedQnp
from fcp_ros.foundation.wording import join_words, list_names


@dataclass(frozen=True, slots=True)
class PolicyEdge:
    """A step that a policy may take."""

    source: QState
    action: str
    target: QState


@dataclass(frozen=True, slots=True)
class PolicyGraph:
    """The qstates that a policy may lead to."""

    qnp: Qnp
    initial: tuple[QState, ...]
    states: tuple[QState, ...]  # all that it may lead to, nearest first
    edges: tuple[PolicyEdge, ...]  # all steps that it may take; none from goals
    goals: tuple[QState, ...]  # the qstates among `states` in which the goal holds
    # the others among `states` for which the policy names no action
    open_states: tuple[QState, ...]


@dataclass(frozen=True, slots=True)
class EndlessComponent:
    """Part of a policy graph that can be run through for ever."""

    states: tuple[QState, ...]
    # its edges: each number that one of them decreases is increased by another
    edges: tuple[PolicyEdge, ...]

    def describe(self, qnp: Qnp) -> str:
        """Say why it need not terminate."""
        names = sorted({edge.action for edge in self.edges})
        changes = [
            (name, change) for one in names for name, change in qnp.action(one).effects.items()
        ]
        decreased = {name for name, change in changes if change is QualitativeChange.DECREASE}
        places = list_names((f"({describe_state(qnp, state)})" for state in self.states), 3)
        many = len(names) > 1
        reason = (
            f"all that {'they decrease' if many else 'it decreases'} "
            f"({', '.join(sorted(decreased))}) is increased again there"
            if decreased
            else f"{'they decrease' if many else 'it decreases'} nothing"
        )
        return f"{join_words(names)} can go on for ever in {places}: {reason}"


def build_policy_graph(
    qnp: Qnp, policy: QnpPolicy, initial: Iterable[QState] | None = None
) -> PolicyGraph:
    """Collect all that a policy may lead to.

    `policy`: names of the actions that may be taken, by qstate; goals need none. `initial`: qstates
    to start from; those in which the initial condition holds by default. Raises QnpError if the
    policy takes an unknown action, or one where its precondition doesn't hold.
    """
    code = EncodedQnp(qnp)
    actions = {action.name: action for action in code.actions}
    starts = tuple(dict.fromkeys(code.list_initial() if initial is None else initial))
    queue, known = list(starts), set(starts)
    goals, open_states, edges = [], [], []
    for state in queue:  # the list grows meanwhile
        if code.goal.holds(state):
            goals.append(state)
            continue
        names = policy.get(state, ())
        if not names:
            open_states.append(state)
        for name in dict.fromkeys(names):
            action = actions.get(name)
            if action is None:
                qnp.action(name)  # raises with the names that there are
                raise AssertionError(name)
            if not action.when.holds(state):
                raise QnpError(
                    f"the policy takes {name!r} where its precondition doesn't hold: in "
                    f"({describe_state(qnp, state)})"
                )
            for target in action.successors(state):
                edges.append(PolicyEdge(state, name, target))
                if target not in known:
                    known.add(target)
                    queue.append(target)
    return PolicyGraph(qnp, starts, tuple(queue), tuple(edges), tuple(goals), tuple(open_states))


def sieve(graph: PolicyGraph) -> tuple[EndlessComponent, ...]:
    """Find the components that can be run through for ever.

    `graph`: of the policy; all its edges count. Returns the components; none if the policy
    terminates.
    """
    decreased, increased = _collect_changes(graph.qnp)
    endless = []
    todo = [graph.edges]
    while todo:
        for edges in _split_components(todo.pop()):
            names = {edge.action for edge in edges}
            falling = frozenset().union(*(decreased[name] for name in names)) - frozenset().union(
                *(increased[name] for name in names)
            )
            if not falling:
                states = dict.fromkeys(edge.source for edge in edges)
                endless.append(EndlessComponent(tuple(states), edges))
                continue
            todo.append(tuple(edge for edge in edges if not decreased[edge.action] & falling))
    return tuple(endless)


def _collect_changes(qnp: Qnp) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Return the numbers that each action decreases, and those that it increases."""
    decreased, increased = (
        {
            action.name: frozenset(name for name, one in action.effects.items() if one is change)
            for action in qnp.actions
        }
        for change in (QualitativeChange.DECREASE, QualitativeChange.INCREASE)
    )
    return decreased, increased


def _split_components(edges: tuple[PolicyEdge, ...]) -> list[tuple[PolicyEdge, ...]]:
    """Return the edges within each strongly connected component that has some."""
    following: dict[QState, list[QState]] = {}
    for edge in edges:
        following.setdefault(edge.source, []).append(edge.target)
    component = number_components(following)
    inner: dict[int, list[PolicyEdge]] = {}
    for edge in edges:
        if component.get(edge.target) == component[edge.source]:
            inner.setdefault(component[edge.source], []).append(edge)
    return [tuple(one) for one in inner.values()]


def number_components(following: Mapping[int, Iterable[int]]) -> dict[int, int]:
    """Number the strongly connected components (Tarjan, without recursion).

    `following`: the targets of each node that has some; other nodes are left out. Returns the
    number of the component of each node with targets.
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    component: dict[int, int] = {}
    stack: list[int] = []
    for root in following:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        path = [(root, iter(following[root]))]
        while path:
            node, targets = path[-1]
            for target in targets:
                if target in order:
                    if target not in component:
                        low[node] = min(low[node], order[target])
                elif target in following:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    path.append((target, iter(following[target])))
                    break
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    _close_component(node, stack, component)
    return component


def _close_component(root: int, stack: list[int], component: dict[int, int]) -> None:
    """Take the component of `root` from the stack; its nodes get the number of `root`."""
    while True:
        node = stack.pop()
        component[node] = root
        if node == root:
            return
