# SPDX-License-Identifier: Apache-2.0
"""Functional legs that exclude each other: an item that is held is not on anything.

Two legs of one element exclude each other if never a fact of each holds. That is proved by
induction over the operators at hand: it is so at first, and no operator breaks it, given that all
the other pairs hold before (so the pairs that are kept are the greatest set that supports itself).
The simplest case of invariant synthesis (Helmert, Concise finite-domain representations for PDDL
planning tasks, 2009), on ground operators.

Two things get simpler: an absence that a precondition implies need not be checked, and legs that
exclude each other are one variable ("where the item is").
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import Absence, FactKey, Operator, Task

Partners = dict[FactKey, set[FactKey]]


class Exclusions:
    """Which legs exclude each other.

    Args:
        task: the task.
        partners: for each leg those that it excludes; symmetric.
    """

    def __init__(self, task: Task, partners: Partners) -> None:
        self._partners = partners
        self._keys: dict[int, tuple[FactKey, ...]] = {}
        self._rivals: dict[int, frozenset[FactKey]] = {}
        for fact in range(len(task.facts)):
            keys = tuple([key for key in task.keys_of(fact) if key in partners])
            if keys:
                self._keys[fact] = keys
                self._rivals[fact] = frozenset().union(*[partners[key] for key in keys])

    def implied(self, absence: Absence, pre: Iterable[int]) -> bool:
        """Whether facts that hold exclude all that must be absent."""
        key, rivals = absence.key, self._rivals
        if key not in self._partners:
            return False
        return any(key in rivals[fact] for fact in pre if fact in rivals)

    def possible(self, facts: Iterable[int]) -> bool:
        """Whether nothing here speaks against all of some facts holding at once."""
        rivals: set[FactKey] = set()
        for fact in facts:
            keys = self._keys.get(fact)
            if keys is not None:
                if not rivals.isdisjoint(keys):
                    return False
                rivals |= self._rivals[fact]
        return True

    def groups(self) -> Iterator[tuple[FactKey, ...]]:
        """Disjoint groups of at least two legs that all exclude each other."""
        taken: set[FactKey] = set()
        for key in self._partners:
            group = [] if key in taken else [key]
            for other in sorted(self._partners[key]) if group else ():
                if other not in taken and all(other in self._partners[k] for k in group):
                    group.append(other)
            if len(group) > 1:
                taken.update(group)
                yield tuple(group)


def exclusions_of(task: Task, conditions: Conditions, operators: Collection[int]) -> Exclusions:
    """What the operators at hand (numbers in the task) and the initial state make certain."""
    partners = _candidates(task, operators)
    proofs = [
        proof
        for index in operators
        for proof in _Proofs(task, conditions, task.operators[index], index, partners).open_()
    ]
    changed = True
    while changed:
        changed = False
        for one, other, supports in proofs:
            if other in partners[one] and not any(other in partners[key] for key in supports):
                partners[one].discard(other)
                partners[other].discard(one)
                changed = True
    return Exclusions(task, {key: others for key, others in partners.items() if others})


def _candidates(task: Task, operators: Iterable[int]) -> Partners:
    """Pairs of sound legs of one element of which the initial state fills at most one."""
    seen = set(task.initial)
    for index in operators:
        operator = task.operators[index]
        seen.update(operator.add)
        for effect in operator.effects:
            seen.update(effect.add)
    keys = dict.fromkeys(k for fact in sorted(seen) for k in task.keys_of(fact))
    filled = {key for fact in task.initial for key in task.keys_of(fact)}
    at_element: dict[str, list[FactKey]] = {}
    for key in keys:
        if key not in task.broken:
            at_element.setdefault(key[2], []).append(key)
    partners: Partners = {key: set() for key in keys}
    for legs in at_element.values():
        for one, other in combinations(legs, 2):
            if not (one in filled and other in filled):
                partners[one].add(other)
                partners[other].add(one)
    return partners


Proof = tuple[FactKey, FactKey, Sequence[FactKey]]
"""A pair, and the legs of preconditions: one of them must exclude the second leg of the pair."""


class _Proofs:
    """What one operator leaves to be proved about the pairs of legs that it fills."""

    def __init__(
        self,
        task: Task,
        conditions: Conditions,
        operator: Operator,
        index: int,
        partners: Partners,
    ) -> None:
        self._task = task
        self._operator = operator
        self._partners = partners
        self._empty = {
            absence.key
            for absence in conditions.absences(index) or ()
            if absence.key is not None and absence.unless is None
        }
        self._filled = {key for fact in operator.add for key in task.keys_of(fact)}
        for effect in operator.effects:
            self._filled.update(key for fact in effect.add for key in task.keys_of(fact))

    def open_(self) -> Iterator[Proof]:
        """Pairs that the operator only keeps apart if other pairs are; hopeless ones with none."""
        operator = self._operator
        for fact in operator.add:
            yield from self._of(fact, operator.pre, operator.delete)
        for effect in operator.effects:
            pre = (*operator.pre, *effect.pre)
            delete = {*operator.delete, *effect.delete}.intersection(pre)
            for fact in effect.add:
                yield from self._of(fact, pre, delete)

    def _of(self, fact: int, pre: Sequence[int], delete: Collection[int]) -> Iterator[Proof]:
        task = self._task
        cleared = {key for gone in delete for key in task.keys_of(gone)} | self._empty
        kept = {key for held in pre if held not in delete for key in task.keys_of(held)}
        supports = tuple(dict.fromkeys(key for held in pre for key in task.keys_of(held)))
        keys = task.keys_of(fact)
        for one in keys:
            for other in self._partners[one]:
                if other in kept or other in self._filled:
                    yield one, other, ()
                elif other not in cleared:
                    yield one, other, tuple(key for key in supports if key in self._partners)
