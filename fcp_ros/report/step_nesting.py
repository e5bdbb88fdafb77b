# SPDX-License-Identifier: Apache-2.0
"""The partial order of a plan's steps as nested sequences and parallel parts.

A series-parallel order is a nest of sequences and parallel parts, found by splitting: steps that
fall into groups without any order between them are parallel parts; steps that fall into groups each
of which comes before the next are the parts of a sequence (Valdes, Tarjan, Lawler: The recognition
of series parallel digraphs, SIAM J. Comput. 11, 1982).

What can be split in neither way (a hand-over between two robots, each with steps before and after
it) becomes chains of steps side by side, in which steps wait for those of other chains. Nothing is
added to the order: a step may begin as soon as all that come before it have ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fcp_ros.planning.step_order import PartialOrder, find_all_predecessors

DEEPEST = 40
"""Levels of a nest. Deeper parts become chains, since readers of XML have limits (BehaviorTree.CPP:
256)."""


@dataclass(frozen=True, slots=True)
class SingleStep:
    """A step by its position in the plan."""

    number: int
    waits_for: tuple[int, ...] = ()  # besides all that come before it in the nest


@dataclass(frozen=True, slots=True)
class InSequence:
    """Parts one after the other."""

    parts: tuple[Nest, ...]  # two or more; none of them a sequence


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Parts that may run at the same time."""

    parts: tuple[Nest, ...]  # two or more; none of them side by side


Nest: TypeAlias = SingleStep | InSequence | SideBySide


def nest_steps(order: PartialOrder, agents: Sequence[tuple[str, ...]]) -> Nest | None:
    """Nest the steps of an order; None if there are none.

    `agents`: those of each step. Chains follow them where they can.
    """
    if not order.predecessors:
        return None
    return _Nesting(order, agents).nest(tuple(range(len(order.predecessors))), 0)


class _Nesting:
    """The nest of one order. Sets of steps are the bits of integers."""

    def __init__(self, order: PartialOrder, agents: Sequence[tuple[str, ...]]) -> None:
        self._direct = order.predecessors
        self._agents = agents
        self._below = find_all_predecessors(order.predecessors)
        self._related = list(self._below)
        for number, below in enumerate(self._below):
            for before in range(len(self._below)):
                if below >> before & 1:
                    self._related[before] |= 1 << number

    def nest(self, steps: tuple[int, ...], depth: int) -> Nest:
        """Nest some of the steps, which all others precede, follow, or are unordered with."""
        if len(steps) == 1:
            return SingleStep(steps[0])
        if depth < DEEPEST:
            groups = _split(steps, lambda step: self._related[step])
            if len(groups) > 1:
                return SideBySide(tuple(self.nest(group, depth + 1) for group in groups))
            stages = _split(steps, lambda step: ~self._related[step])
            if len(stages) > 1:
                stages.sort(key=lambda stage: self._count_earlier(stage[0], steps))
                return InSequence(tuple(self.nest(stage, depth + 1) for stage in stages))
        return self._make_chains(steps)

    def _count_earlier(self, step: int, steps: Sequence[int]) -> int:
        return sum(self._below[step] >> other & 1 for other in steps)

    def _make_chains(self, steps: tuple[int, ...]) -> Nest:
        """Cover steps with chains along the order; the rest of the order is what they wait for."""
        chains: list[list[SingleStep]] = []
        for step in sorted(steps, key=lambda step: (self._count_earlier(step, steps), step)):
            before = self._direct[step].intersection(steps)
            open_chains = [chain for chain in chains if chain[-1].number in before]
            chain = max(open_chains, key=lambda c: self._count_shared(c, step), default=None)
            if chain is None:
                chains.append([SingleStep(step, tuple(sorted(before)))])
            else:
                chain.append(SingleStep(step, tuple(sorted(before - {chain[-1].number}))))
        parts = tuple(chain[0] if len(chain) == 1 else InSequence(tuple(chain)) for chain in chains)
        return parts[0] if len(parts) == 1 else SideBySide(parts)

    def _count_shared(self, chain: Sequence[SingleStep], step: int) -> int:
        return len(set(self._agents[chain[-1].number]) & set(self._agents[step]))


def _split(steps: Sequence[int], find_neighbours: Callable[[int], int]) -> list[tuple[int, ...]]:
    """Split steps into connected groups, each sorted, in the order of their first steps."""
    waiting = sum(1 << step for step in steps)
    groups: list[tuple[int, ...]] = []
    for first in sorted(steps):
        if not waiting >> first & 1:
            continue
        waiting &= ~(1 << first)
        group = [first]
        for step in group:  # grows meanwhile
            found = find_neighbours(step) & waiting
            waiting &= ~found
            group.extend(_list_bits(found))
        groups.append(tuple(sorted(group)))
    return groups


def _list_bits(bits: int) -> list[int]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found
