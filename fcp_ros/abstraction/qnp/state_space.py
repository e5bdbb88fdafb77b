# SPDX-License-Identifier: Apache-2.0
"""Conditions and actions as bit masks; reachable qstates; the graph of a policy, and SIEVE.

SIEVE (Srivastava, Zilberstein, Immerman and Geffner, "Qualitative Numeric Planning", AAAI 2011): in
a strongly connected component with at least one edge, a number that some edge decreases and none
increases can't be decreased for ever, so the edges that decrease it can be left out. A component
without such a number, and with edges, can be run through for ever. An edge from a qstate to itself
makes a component, too, and so does a cycle that changes only booleans.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.abstraction.qnp.problem import (
    AbstractAction,
    Condition,
    Qnp,
    QnpError,
    QnpPolicy,
    QState,
    QualitativeChange,
    describe_state,
)
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.foundation.wording import join_words, list_names

MOST_DECREASED = 16
"""Numbers that one action may decrease: it has a successor for each subset that becomes zero."""


@dataclass(frozen=True, slots=True)
class BitCondition:
    """A condition on qstates."""

    care: int  # the variables that it names
    value: int

    def holds(self, state: QState) -> bool:
        return state & self.care == self.value


@dataclass(frozen=True, slots=True)
class BitAction:
    """An action on qstates; all variables are masks."""

    name: str
    when: BitCondition
    raised: int  # variables that are one afterwards: set or increased
    cleared: int  # booleans that are false afterwards
    decreased: int  # numbers that may become zero
    increased: int  # numbers that become greater
    outcomes: tuple[int, ...]  # for each successor, the decreased numbers that become zero in it

    def successors(self, state: QState) -> tuple[QState, ...]:
        """Return the qstates that the action may lead to from one in which it applies."""
        stays = (state | self.raised) & ~self.cleared
        return tuple([stays & ~outcome for outcome in self.outcomes])


class EncodedQnp:
    """A QNP as bit masks."""

    def __init__(self, qnp: Qnp) -> None:
        """Encode a problem.

        Raises QnpError if an action decreases more than `MOST_DECREASED` numbers.
        """
        self.qnp = qnp
        bits = {name: 1 << bit for bit, name in enumerate(qnp.variables)}
        self.initial = _encode_condition(qnp.initial, bits)
        self.goal = _encode_condition(qnp.goal, bits)
        # its actions, in its order
        self.actions = tuple(_encode_action(action, bits) for action in qnp.actions)

    def list_initial(self) -> Iterator[QState]:
        """Yield every qstate in which the initial condition holds."""
        free = [1 << bit for bit in range(len(self.qnp.variables))]
        return (
            self.initial.value | more
            for more in _iterate_subsets([bit for bit in free if not bit & self.initial.care])
        )


def _encode_condition(condition: Condition, bits: dict[str, int]) -> BitCondition:
    return BitCondition(
        sum(bits[name] for name in condition),
        sum(bits[name] for name, value in condition.items() if value),
    )


def _encode_action(action: AbstractAction, bits: dict[str, int]) -> BitAction:
    changed = {
        kind: [bits[name] for name, change in action.effects.items() if change is kind]
        for kind in QualitativeChange
    }
    decreased = changed[QualitativeChange.DECREASE]
    if len(decreased) > MOST_DECREASED:
        raise QnpError(
            f"action {action.name!r} decreases {len(decreased)} numbers: at most {MOST_DECREASED}; "
            "split it into several actions"
        )
    increased = sum(changed[QualitativeChange.INCREASE])
    return BitAction(
        name=action.name,
        when=_encode_condition(action.when, bits),
        raised=sum(changed[QualitativeChange.SET]) | increased,
        cleared=sum(changed[QualitativeChange.CLEAR]),
        decreased=sum(decreased),
        increased=increased,
        outcomes=tuple(_iterate_subsets(decreased)),
    )


def _iterate_subsets(bits: list[int]) -> Iterator[int]:
    """Yield the sum of every subset, the empty one first."""
    for number in range(1 << len(bits)):
        yield sum(bit for place, bit in enumerate(bits) if number >> place & 1)


# --- the reachable qstates of a QNP and the moves between them, as flat tables
#
# A move is a qstate with an action that applies in it. Qstates and moves are numbered, in the order
# in which a breadth-first search meets them. A goal qstate has no moves: a policy stops there. So
# the reachable qstates are those that some run meets up to and including its first goal qstate.


ASK_EVERY = 0.005
"""Seconds between two calls of the caller's check, which may take a lock."""


class QnpLimitReached(Exception):
    """A limit of the solver was reached; the message says which one and what to do."""


@dataclass(frozen=True, slots=True)
class QnpLimits:
    """Limits of the solver."""

    states: int = 500_000
    moves: int = 10_000_000  # pairs of a reachable qstate and a successor of it under some action
    seconds: float = 60.0


class QnpWatch:
    """Interrupts the solver at its time limit, or when the caller wants so."""

    def __init__(self, limits: QnpLimits, check: Check = never_stop) -> None:
        self.limits = limits
        self._check = check
        self._start = time.monotonic()
        self._next = self._start

    def tick(self) -> None:
        """Look at the clock; called at each step of a loop.

        Raises QnpLimitReached if the time is up.
        """
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + ASK_EVERY
        self._check()
        if now - self._start > self.limits.seconds:
            raise QnpLimitReached(
                f"the QNP isn't solved within {self.limits.seconds:g} s: allow more time, or "
                "use fewer variables"
            )


class StateSpace:
    """The reachable qstates and moves of a QNP.

    Raises QnpLimitReached if there are too many qstates or moves, or the time is up.
    """

    def __init__(self, qnp: Qnp, watch: QnpWatch) -> None:
        self.code = EncodedQnp(qnp)  # the problem as bit masks
        self.states: list[QState] = []
        self.number: dict[QState, int] = {}
        self.is_goal = bytearray()  # by qstate, 1 for goals
        self.moves: list[range] = []
        self.source: list[int] = []
        self.action: list[int] = []
        # by move, the numbers of the qstates that it may lead to
        self.targets: list[tuple[int, ...]] = []
        self._most = watch.limits.states
        self.initial = [self._visit(state) for state in self.code.list_initial()]
        self._explore(watch)
        self.entering: list[list[int]] = [[] for _ in self.states]
        for move, targets in enumerate(self.targets):
            for target in targets:
                self.entering[target].append(move)

    def _visit(self, state: QState) -> int:
        """Return the number of a qstate, a new one if it wasn't met before."""
        number = self.number.get(state)
        if number is None:
            number = len(self.states)
            if number == self._most:
                raise QnpLimitReached(
                    f"more than {self._most} qstates can be reached: use fewer variables, or allow "
                    "more qstates"
                )
            self.number[state] = number
            self.states.append(state)
            self.is_goal.append(self.code.goal.holds(state))
        return number

    def _explore(self, watch: QnpWatch) -> None:
        # For speed, a precondition is compared without a call.
        actions = [
            (number, action, action.when.care, action.when.value)
            for number, action in enumerate(self.code.actions)
        ]
        edges, most = 0, watch.limits.moves
        for number, state in enumerate(self.states):  # the list grows meanwhile
            watch.tick()
            first = len(self.source)
            if not self.is_goal[number]:
                for place, action, care, value in actions:
                    if state & care != value:
                        continue
                    self.source.append(number)
                    self.action.append(place)
                    targets = tuple([self._visit(after) for after in action.successors(state)])
                    self.targets.append(targets)
                    edges += len(targets)
            if edges > most:
                raise QnpLimitReached(
                    f"there are more than {most} moves between qstates: use fewer actions, or "
                    "allow more moves"
                )
            self.moves.append(range(first, len(self.source)))


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
    component = {state: n for n, one in enumerate(list_components(following)) for state in one}
    inner: dict[int, list[PolicyEdge]] = {}
    for edge in edges:
        if component.get(edge.target) == component[edge.source]:
            inner.setdefault(component[edge.source], []).append(edge)
    return [tuple(one) for one in inner.values()]


def list_components(following: Mapping[int, Iterable[int]]) -> Iterator[set[int]]:
    """Yield the strongly connected components, those first that lead to no other.

    `following`: the targets of each node that has some; other nodes are left out.
    """
    import networkx  # slow to import

    graph = networkx.DiGraph()
    graph.add_nodes_from(following)
    graph.add_edges_from(
        (node, target)
        for node, targets in following.items()
        for target in targets
        if target in following
    )
    found: Iterator[set[int]] = networkx.strongly_connected_components(graph)
    return found
