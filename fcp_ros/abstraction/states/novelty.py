# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search that goes on only from states with something new: IW(1) and IW(2).

A state is new if some fact of it, or some pair of facts, held in no state before (Lipovetzky and
Geffner, "Width and serialization of classical planning problems", ECAI 2012). So the search looks
at few states, whatever the number of objects; it reaches all that a goal of small width needs. For
width 1, a fact that no longer holds is new, too: some steps do nothing but delete.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from fcp_ros.abstraction.states.engine import RuleEngine, Undo
from fcp_ros.abstraction.states.state import RelationalState, RelationForm, list_bits

WIDTHS = (1, 2)

RuleStep: TypeAlias = tuple[str, tuple[int, ...]]
"""A rule with its binding."""


class NoveltyTable:
    """The facts that held in some state so far; they are small numbers.

    `width`: 1 for single facts, 2 for pairs. `facts`: those of the first state, as a bitset.
    """

    def __init__(self, width: int, facts: int) -> None:
        self._width = width
        self._first = self._seen = facts
        self._gone = 0
        self._partners: dict[int, int] = {}
        if width > 1:
            for fact in list_bits(facts):
                self._partners[fact] = facts

    def may_be_new(self, fact: int, holds: bool) -> bool:
        """Return False if a change of one fact brings nothing new: only for width 1."""
        bit = 1 << fact
        if holds:
            return not self._seen & bit
        return bool(self._first & bit) and not self._gone & bit

    def note(self, before: int, after: int) -> bool:
        """Note the facts after a step; return True if something is new."""
        added, deleted = after & ~before, before & ~after
        is_new = bool(added & ~self._seen or deleted & self._first & ~self._gone)
        self._seen |= added
        self._gone |= deleted
        if self._width == 1:
            return is_new
        for fact in list_bits(added):
            known = self._partners.get(fact, 0)
            new = after & ~known
            if new:
                is_new = True
                self._partners[fact] = known | new
                for other in list_bits(new):
                    self._partners[other] = self._partners.get(other, 0) | 1 << fact
        return is_new


@dataclass
class FactNumbers:
    """Numbers of facts, given as they appear."""

    numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def gather(self, facts: Iterable[tuple[object, ...]]) -> int:
        numbers, bits = self.numbers, 0
        for fact in facts:
            bits |= 1 << numbers.setdefault(fact, len(numbers))
        return bits

    def find(self, form: RelationForm, legs: tuple[int, ...]) -> int:
        return self.numbers.setdefault((form.name, *legs), len(self.numbers))

    def change(self, facts: int, undo: Undo) -> int:
        for form, legs, added, _ in undo:
            bit = 1 << self.find(form, legs)
            facts = facts | bit if added else facts & ~bit
        return facts


@dataclass(frozen=True, slots=True)
class _Node:
    """A state by the steps that lead there, and its facts."""

    steps: tuple[RuleStep, ...]
    facts: int


class NovelStates:
    """The new states from one on, fewest steps first.

    `state`: where the search begins; `find_next` changes it. `width`: 1 or 2.
    """

    def __init__(self, engine: RuleEngine, state: RelationalState, width: int) -> None:
        self._engine = engine
        self._state = state
        self._done: list[Undo] = []
        self._found = self._search(width)

    def find_next(self) -> tuple[RuleStep, ...] | None:
        """Bring the state to the next new one; return the steps to it, or None if none is left."""
        return next(self._found, None)

    def take_back(self) -> None:
        """Bring the state back to where the search began; it is over."""
        self._found.close()
        self._undo()

    def _search(self, width: int) -> Generator[tuple[RuleStep, ...], None, None]:
        engine, state, done = self._engine, self._state, self._done
        numbers = FactNumbers()
        first = _Node((), numbers.gather(state.list_fluent_facts()))
        table = NoveltyTable(width, first.facts)
        queue = [first]
        for node in queue:  # the list grows meanwhile
            done += [engine.apply(rule, binding, state) for rule, binding in node.steps]
            for step in list(engine.successors(state)):
                changes = engine.list_changes(*step) if width == 1 else None
                if changes is not None and not any(
                    table.may_be_new(numbers.find(form, legs), holds)
                    for form, legs, holds in changes
                ):
                    continue
                undo = engine.apply(*step, state)
                done.append(undo)
                facts = numbers.change(node.facts, undo)
                if table.note(node.facts, facts):
                    following = _Node((*node.steps, step), facts)
                    queue.append(following)
                    yield following.steps
                engine.undo(done.pop(), state)
            self._undo()

    def _undo(self) -> None:
        while self._done:
            self._engine.undo(self._done.pop(), self._state)
