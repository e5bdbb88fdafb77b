# SPDX-License-Identifier: Apache-2.0
"""The solver: a policy that surely reaches the goal of a QNP, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from fcp_ros.abstraction.qnp.problem import FrozenMapping, Qnp, QnpPolicy, QState, describe_state
from fcp_ros.abstraction.qnp.state_space import (
    EndlessComponent,
    QnpLimitReached,
    QnpLimits,
    QnpWatch,
    StateSpace,
    build_policy_graph,
    list_components,
    sieve,
)
from fcp_ros.foundation.stopping import Check, never_stop

FAR = 1 << 60
"""Distance of qstates from which the goal can't be reached."""


class StrongCyclicRegion:
    """The greatest set of qstates that a strong-cyclic policy can stay in.

    A move is allowed if all its targets are in the set. Raises QnpLimitReached if the time is up.
    """

    def __init__(self, space: StateSpace, watch: QnpWatch) -> None:
        self._space = space
        self._watch = watch
        self.kept = bytearray(b"\1" * len(space.states))  # by qstate, 1 if it is in the set
        self.allowed = bytearray(b"\1" * len(space.source))  # by move, 1 if it is allowed
        # by qstate, the least number of allowed moves to a goal, if all goes well
        self.distance: list[int] = []
        self._left = [len(moves) for moves in space.moves]
        self._shrink()

    @property
    def lost_initial(self) -> list[int]:
        """Initial qstates without a strong-cyclic policy."""
        return [number for number in self._space.initial if not self.kept[number]]

    def find_nearest_moves(self) -> dict[int, int]:
        """Find, for each qstate in the set, an allowed move that may lead nearest to a goal."""
        space = self._space
        return {
            state: min(
                (move for move in space.moves[state] if self.allowed[move]),
                key=lambda move: min(self.distance[target] for target in space.targets[move]),
            )
            for state, kept in enumerate(self.kept)
            if kept and not space.is_goal[state]
        }

    def _shrink(self) -> None:
        while True:
            self.distance = self._measure_distances()
            lost = [
                state
                for state, distance in enumerate(self.distance)
                if distance == FAR and self.kept[state]
            ]
            if not lost:
                return
            self._drop(lost)

    def _drop(self, states: list[int]) -> None:
        """Take out qstates, the moves that may lead to them, and qstates without moves left."""
        space, allowed, kept = self._space, self.allowed, self.kept
        for state in states:
            kept[state] = 0
        queue = list(states)
        for state in queue:  # the list grows meanwhile
            self._watch.tick()
            for move in space.moves[state]:
                allowed[move] = 0
            for move in space.entering[state]:
                if not allowed[move]:
                    continue
                allowed[move] = 0
                source = space.source[move]
                self._left[source] -= 1
                if not self._left[source] and kept[source]:
                    kept[source] = 0
                    queue.append(source)

    def _measure_distances(self) -> list[int]:
        """Return the distance of each qstate to the nearest goal over allowed moves."""
        space, allowed = self._space, self.allowed
        distance = [FAR] * len(space.states)
        queue = [
            state for state, is_goal in enumerate(space.is_goal) if is_goal and self.kept[state]
        ]
        for state in queue:
            distance[state] = 0
        for state in queue:  # the list grows meanwhile
            self._watch.tick()
            further = distance[state] + 1
            for move in space.entering[state]:
                if allowed[move] and distance[space.source[move]] == FAR:
                    distance[space.source[move]] = further
                    queue.append(space.source[move])
        return distance


_Moves: TypeAlias = dict[int, list[int]]
"""Moves by qstate. What they lead to is in the region that is played, or else won."""
_Won: TypeAlias = dict[int, int]
"""Won qstates, each with the move that wins."""


class TerminationGame:
    """The game on a strong-cyclic region."""

    def __init__(self, space: StateSpace, watch: QnpWatch) -> None:
        self._space = space
        self._watch = watch
        actions = space.code.actions
        self._decreased = [actions[action].decreased for action in space.action]
        self._increased = [actions[action].increased for action in space.action]

    def solve(self, region: StrongCyclicRegion) -> dict[int, int]:
        """Find all qstates from which some policy terminates.

        `region`: the moves that may be taken. Returns a policy: the move of each such qstate, goals
        excepted. Raises QnpLimitReached if the time is up.
        """
        space = self._space
        moves = {
            state: [move for move in space.moves[state] if region.allowed[move]]
            for state, kept in enumerate(region.kept)
            if kept and not space.is_goal[state]
        }
        return self._play(moves, {})

    def _play(self, moves: _Moves, exits: _Won) -> _Won:
        """Play a region. `exits`: moves that win at once."""
        won = self._attract(moves, exits)
        rest = {state: own for state, own in moves.items() if state not in won}
        for component in self._order_components(rest):
            playable = {
                state: [
                    move
                    for move in rest[state]
                    if all(
                        target in component or target in won or target not in rest
                        for target in self._space.targets[move]
                    )
                ]
                for state in component
            }
            won.update(self._play_component(playable))
        return won

    def _play_component(self, moves: _Moves) -> _Won:
        won: _Won = {}
        while True:
            won.update(self._attract(self._without(moves, won), {}))
            rest = self._without(moves, won)
            cyclic = [move for own in rest.values() for move in own]
            decreased, increased = self._join_changes(cyclic)
            if not decreased:
                return won
            if decreased & ~increased:
                won.update(self._play_falling(rest, decreased & ~increased))
                return won
            for bit in _iterate_bits(decreased):
                given_up = {
                    state: [move for move in own if not self._increased[move] & bit]
                    for state, own in rest.items()
                }
                found = self._play(given_up, {})
                if found:
                    won.update(found)
                    break
            else:
                return won

    def _play_falling(self, moves: _Moves, falling: int) -> _Won:
        """Play a region in which nothing increases the numbers `falling`."""
        while True:
            exits: _Won = {}
            others: _Moves = {}
            for state, own in moves.items():
                others[state] = []
                for move in own:
                    if self._decreased[move] & falling:
                        exits.setdefault(state, move)
                    else:
                        others[state].append(move)
            won = self._play(others, exits)
            if len(won) == len(moves):
                return won
            moves = self._restrict(moves, won)

    def _attract(self, moves: _Moves, exits: _Won) -> _Won:
        """Return the qstates from which leaving the region, or an exit, can be forced."""
        won = dict(exits)
        open_targets: dict[int, int] = {}
        entering: dict[int, list[int]] = {}
        queue = list(exits)
        for state, own in moves.items():
            if state in won:
                continue
            for move in own:
                inside = {target for target in self._space.targets[move] if target in moves}
                if not inside:
                    won[state] = move
                    queue.append(state)
                    break
                open_targets[move] = len(inside)
                for target in inside:
                    entering.setdefault(target, []).append(move)
        for state in queue:  # the list grows meanwhile
            self._watch.tick()
            for move in entering.get(state, ()):
                open_targets[move] -= 1
                source = self._space.source[move]
                if not open_targets[move] and source not in won:
                    won[source] = move
                    queue.append(source)
        return won

    def _without(self, moves: _Moves, won: _Won) -> _Moves:
        """Return a region without qstates that were won meanwhile."""
        return {state: own for state, own in moves.items() if state not in won} if won else moves

    def _restrict(self, moves: _Moves, kept: Collection[int]) -> _Moves:
        """Return the part of a region in `kept`, and the moves that can't lead to the rest."""
        return {
            state: [
                move
                for move in moves[state]
                if all(
                    target in kept or target not in moves for target in self._space.targets[move]
                )
            ]
            for state in kept
        }

    def _join_changes(self, moves: Iterable[int]) -> tuple[int, int]:
        """Return the numbers that some move decreases, and those that some move increases."""
        decreased = increased = 0
        for move in moves:
            decreased |= self._decreased[move]
            increased |= self._increased[move]
        return decreased, increased

    def _order_components(self, moves: _Moves) -> list[set[int]]:
        """Return the strongly connected components, those first that lead to no other."""
        self._watch.tick()
        targets = self._space.targets
        following = {
            state: [target for move in own for target in targets[move]]
            for state, own in moves.items()
        }
        return list(list_components(following))


def _iterate_bits(mask: int) -> Iterable[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


class QnpStatus(Enum):
    """The verdict on a QNP."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class QnpResult:
    """The answer of the solver."""

    status: QnpStatus
    # one action for every qstate that it may lead to, except goals; empty unless solved
    policy: QnpPolicy = field(default_factory=FrozenMapping)
    reason: str = ""  # why there is no policy, in a sentence; empty if solved
    # an initial qstate without a strong-cyclic policy, if that is the reason
    hopeless: QState | None = None
    # what every policy runs into that keeps the goal reachable, for example, if that is the reason
    component: EndlessComponent | None = None


def solve_qnp(qnp: Qnp, limits: QnpLimits | None = None, check: Check = never_stop) -> QnpResult:
    """Find a policy that reaches the goal from every initial qstate, whatever the numbers are.

    `limits`: of qstates, moves and time. Returns a policy that SIEVE has tested again as a whole,
    or the reason why there is none, or LIMIT. Raises QnpError if an action decreases too many
    numbers.
    """
    watch = QnpWatch(limits or QnpLimits(), check)
    try:
        space = StateSpace(qnp, watch)
        region = StrongCyclicRegion(space, watch)
        if region.lost_initial:
            return _refute_strong_cyclic(space, space.states[region.lost_initial[0]])
        moves = TerminationGame(space, watch).solve(region)
    except QnpLimitReached as limit:
        return QnpResult(QnpStatus.LIMIT, reason=str(limit))
    lost = [state for state in space.initial if state not in moves and not space.is_goal[state]]
    if lost:
        return _refute_termination(space, region, moves, space.states[lost[0]])
    return _conclude(space, moves)


def _refute_strong_cyclic(space: StateSpace, state: QState) -> QnpResult:
    where = f"from ({describe_state(space.code.qnp, state)})"
    reason = (
        f"no policy {where} keeps the goal reachable: whatever it does, it may come to where "
        "no action leads on to the goal"
        if any(space.is_goal)
        else f"no run {where} reaches the goal"
    )
    return QnpResult(QnpStatus.UNSOLVABLE, reason=reason, hopeless=state)


def _refute_termination(
    space: StateSpace, region: StrongCyclicRegion, won: Mapping[int, int], state: QState
) -> QnpResult:
    """Show what a policy runs into that goes the shortest way, if all goes well."""
    nearest = {**region.find_nearest_moves(), **won}
    graph = build_policy_graph(space.code.qnp, _name_actions(space, nearest), [state])
    component = sieve(graph)[0]
    reason = (
        "every policy that keeps the goal reachable may go on for ever; for example, "
        + component.describe(space.code.qnp)
    )
    return QnpResult(QnpStatus.UNSOLVABLE, reason=reason, component=component)


def _conclude(space: StateSpace, moves: Mapping[int, int]) -> QnpResult:
    """Return the policy, after it was tested as a whole."""
    names = _name_actions(space, moves)
    graph = build_policy_graph(space.code.qnp, names)
    assert not graph.open_states, "the policy leaves a qstate open"
    assert not sieve(graph), "the policy need not terminate"
    policy = FrozenMapping({state: names[state] for state in graph.states if state in names})
    return QnpResult(QnpStatus.SOLVED, policy=policy)


def _name_actions(space: StateSpace, moves: Mapping[int, int]) -> dict[QState, tuple[str, ...]]:
    actions = space.code.actions
    return {
        space.states[state]: (actions[space.action[move]].name,) for state, move in moves.items()
    }
