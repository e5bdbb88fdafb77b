# SPDX-License-Identifier: Apache-2.0
"""Depth-first search for a policy that terminates, over open qstates and their moves.

Each choice is tested by SIEVE at once: what can go on for ever, still can with more choices. Three
things keep the search from looking at the same again:

- Conflicts. A rejected move names the qstates whose choices reject it. Where all moves of a qstate
  are rejected, the search goes back to the latest choice among those and the one that leads there.
- Lost qstates. If no other choice takes part in the rejections, no policy terminates from there:
  the qstate is taken out of the region for good, with all that depends on it.
- Settled qstates. Where the moves chosen below a qstate lead only to qstates below it, or settled
  ones, they are part of a solution whatever is chosen elsewhere: other policies may lead there and
  go on with them, since no cycle leaves and returns. They are never taken back.

Memoryless policies suffice. A run that decreases some number for ever and increases it only
finitely often is impossible, so a policy wins the runs that end in the goal and those that meet one
of these conditions: a Rabin objective, for which memoryless strategies are enough (Emerson,
"Automata, tableaux, and temporal logics", 1985; Klarlund, "Progress measures, immediate
determinacy, and a subset construction for tree automata", 1994).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from fcp_ros.abstraction.qnp.incremental_sieve import NONE, IncrementalSieve
from fcp_ros.abstraction.qnp.state_space import QnpWatch, StateSpace
from fcp_ros.abstraction.qnp.strong_cyclic import StrongCyclicRegion

_Agenda: TypeAlias = "tuple[int, int, _Agenda] | None"
"""Qstates to look at: a qstate, the one that leads there, the rest. Where both are the same, all
that the qstate leads to has been looked at."""


@dataclass(slots=True)
class _Choice:
    """A qstate on the path of the search.

    Attributes:
        state: its number.
        leader: the qstate that leads there; `NONE` for initial ones.
        moves: its moves that weren't tried yet.
        agenda: what was to be looked at before it.
        culprits: qstates whose choices take part in the rejection of moves tried so far.
        lowest: place of the first choice that its descendants lead back to, or a lower number.
    """

    state: int
    leader: int
    moves: Iterator[int]
    agenda: _Agenda
    culprits: set[int] = field(default_factory=set)
    lowest: int = 0


class PolicySearch:
    """A search over the moves of a strong-cyclic region.

    Args:
        space: the qstates and moves.
        region: what a policy can stay in; shrinks while the search learns.
        watch: the limits.

    Attributes:
        settled: by qstate, its move in the policy; `NONE` for others.
        choices: number of moves that were tried.
        backjumps: number of times that a choice was taken back.
        lost: number of qstates that were lost because no policy terminates from there.
        endless: the smallest component that rejected a move so far: the move of each of its
            qstates.
    """

    def __init__(self, space: StateSpace, region: StrongCyclicRegion, watch: QnpWatch) -> None:
        self.settled = [NONE] * len(space.states)
        self.choices = 0
        self.backjumps = 0
        self.lost = 0
        self.endless: tuple[int, ...] = ()
        self._space = space
        self._region = region
        self._watch = watch
        self._sieve = IncrementalSieve(space)
        self._preferred = [NONE] * len(space.states)
        self._path: list[_Choice] = []
        self._place = [NONE] * len(space.states)
        self._agenda: _Agenda = None

    def run(self, most_backjumps: int) -> bool | None:
        """Search for a policy.

        Args:
            most_backjumps: the search gives up after so many.

        Returns:
            True if there is one: `settled`. False if there is none. None if the search gave up.

        Raises:
            QnpLimitReached: The time is up.
        """
        self._begin()
        while self._agenda is not None:
            if self.backjumps > most_backjumps:
                return None
            state, leader, rest = self._agenda
            if state == leader:
                self._agenda = rest
                self._close(state)
            elif self._needs_choice(state):
                self._open(state, leader, rest)
                if not self._advance():
                    return False
            else:
                self._agenda = rest
        return True

    def _begin(self) -> None:
        """Start from the initial qstates, with nothing chosen but what is settled."""
        while self._path:
            self._take_back()
        self._agenda = None
        for state in reversed(self._space.initial):
            self._agenda = (state, NONE, self._agenda)

    def _needs_choice(self, state: int) -> bool:
        return (
            self._place[state] == NONE
            and self.settled[state] == NONE
            and not self._space.is_goal[state]
        )

    def _open(self, state: int, leader: int, rest: _Agenda) -> None:
        self._place[state] = len(self._path)
        self._path.append(_Choice(state, leader, iter(self._order_moves(state)), rest))

    def _order_moves(self, state: int) -> list[int]:
        """Return the allowed moves of a qstate: that chosen last, then those nearest to a goal."""
        space, region = self._space, self._region
        distance, preferred = region.distance, self._preferred[state]
        moves = [move for move in space.moves[state] if region.allowed[move]]
        if len(moves) > 1:
            moves.sort(
                key=lambda move: (
                    move != preferred,
                    min(distance[target] for target in space.targets[move]),
                    max(distance[target] for target in space.targets[move]),
                )
            )
        return moves

    def _advance(self) -> bool:
        """Choose a move for the last qstate of the path, or go back as far as needed.

        Returns:
            False if that shows that there is no policy.
        """
        while True:
            choice = self._path[-1]
            if self._choose(choice):
                return True
            if not choice.culprits:
                return self._lose(choice.state)
            self._jump_back(choice)

    def _choose(self, choice: _Choice) -> bool:
        """Choose the next move that SIEVE lets pass; False if there is none."""
        for move in choice.moves:
            self._watch.tick()
            self.choices += 1
            component = self._sieve.add(move)
            if not component:
                self._preferred[choice.state] = move
                self._descend(choice, move)
                return True
            choice.culprits.update(component)
            if not self.endless or len(component) < len(self.endless):
                chosen = self._sieve.chosen
                self.endless = tuple(
                    move if one == choice.state else chosen[one] for one in component
                )
        choice.culprits.discard(choice.state)
        return False

    def _descend(self, choice: _Choice, move: int) -> None:
        """Put what a chosen move leads to on the agenda."""
        agenda: _Agenda = (choice.state, choice.state, choice.agenda)
        choice.lowest = self._place[choice.state]
        for target in self._space.targets[move]:
            if self._needs_choice(target):
                agenda = (target, choice.state, agenda)
            elif self._place[target] != NONE:
                choice.lowest = min(choice.lowest, self._place[target])
        self._agenda = agenda

    def _jump_back(self, choice: _Choice) -> None:
        """Return to the latest choice that takes part in the rejection of all moves of `choice`."""
        self.backjumps += 1
        culprits = choice.culprits
        if choice.leader != NONE:  # without it, the qstate would not be open
            culprits.add(choice.leader)
        latest = max(culprits, key=self._place.__getitem__)
        while self._path[-1].state != latest:
            self._take_back()
        top = self._path[-1]
        self._sieve.remove(latest)
        top.culprits |= culprits
        top.culprits.discard(latest)

    def _take_back(self) -> None:
        """Drop the last qstate of the path."""
        state = self._path.pop().state
        self._place[state] = NONE
        if self._sieve.chosen[state] != NONE:
            self._sieve.remove(state)

    def _lose(self, state: int) -> bool:
        """Take a qstate out of the region and start again; False if an initial one is lost."""
        self.lost += 1
        self._region.remove(state)
        if self._region.lost_initial:
            return False
        self._begin()
        return True

    def _close(self, state: int) -> None:
        """Settle what lies below a qstate if it leads to nothing above; all of it was looked at."""
        place = self._place[state]
        choice = self._path[place]
        lowest = choice.lowest
        if lowest < place:
            if choice.leader != NONE:
                leader = self._path[self._place[choice.leader]]
                leader.lowest = min(leader.lowest, lowest)
            return
        while len(self._path) > place:
            below = self._path[-1].state
            self.settled[below] = self._sieve.chosen[below]
            self._take_back()
