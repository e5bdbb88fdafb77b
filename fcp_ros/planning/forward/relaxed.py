# SPDX-License-Identifier: Apache-2.0
"""The delete relaxation of a local task, with absences as atoms of their own.

Atoms are the bits of the task ("the fact holds"), one for each fact whose absence is asked for ("it
does not hold"), and one for each functional leg that must be free ("none of its facts holds").
Nothing that was achieved is ever lost. So every plan of the task is a plan of the relaxation, and
what the relaxation can't reach, or only at a loss, the task can't either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fcp_ros.planning.compile.task import Absence, FactKey, Task
from fcp_ros.planning.forward.local_task import LocalOperator, LocalTask

MAX_SPLIT = 2
"""Absences with an exception (`Absence.unless`) that are modelled by doubling an operator."""


@dataclass(frozen=True, slots=True)
class RelaxedOperator:
    """Atoms needed, atoms achieved, and the number of the operator in the local task."""

    pre: tuple[int, ...]
    add: tuple[int, ...]
    operator: int


class RelaxedTask:
    """The relaxation of one local task.

    Attributes:
        size: number of atoms.
        operators: the relaxed operators; one operator of the task may have several.
        goal: atoms to be reached.
        consumers: for each atom the relaxed operators that need it.
        adders: for each atom the relaxed operators that achieve it.
        needed: for each relaxed operator the number of atoms that it needs.
        unconditional: the relaxed operators that need none.
    """

    def __init__(self, local: LocalTask, task: Task) -> None:
        self._local = local
        self._task = task
        self.size = len(local.facts)
        self._absent: dict[int, int] = {}
        self._free: dict[FactKey, int] = {}
        needs = [list(self._needs(operator)) for operator in local.operators]
        goal_absent = [self._absent_atom(bit) for bit in _bits(local.goal_false)]
        self.goal = (*_bits(local.goal_true), *goal_absent)
        self._free_masks = self._masks()
        self.operators = tuple(
            relaxed
            for number, operator in enumerate(local.operators)
            for relaxed in self._relaxed(number, operator, needs[number])
        )
        self.needed = [len(relaxed.pre) for relaxed in self.operators]
        self.unconditional = [i for i, count in enumerate(self.needed) if not count]
        self.consumers: list[list[int]] = [[] for _ in range(self.size)]
        self.adders: list[list[int]] = [[] for _ in range(self.size)]
        for index, relaxed in enumerate(self.operators):
            for atom in relaxed.pre:
                self.consumers[atom].append(index)
            for atom in relaxed.add:
                self.adders[atom].append(index)

    def atoms_of(self, state: int) -> list[int]:
        """The atoms that hold in a state of the local task."""
        found = list(_bits(state))
        found.extend(atom for bit, atom in self._absent.items() if not state >> bit & 1)
        found.extend(atom for atom, mask in self._free_masks if not state & mask)
        return found

    # --- construction

    def _needs(self, operator: LocalOperator) -> Iterator[tuple[int, int | None]]:
        """(atom, exception): the atom must hold, or the exception's bit does already."""
        for absence in operator.absences:
            if absence.key is None:
                for fact in absence.facts:
                    bit = self._local.bits.get(fact)
                    if bit is not None:
                        yield self._absent_atom(bit), None
            elif any(fact in self._local.bits for fact in absence.facts):
                yield self._free_atom(absence.key), self._exception(absence)

    def _exception(self, absence: Absence) -> int | None:
        return None if absence.unless is None else self._local.bits.get(absence.unless)

    def _absent_atom(self, bit: int) -> int:
        if bit not in self._absent:
            self._absent[bit] = self.size
            self.size += 1
        return self._absent[bit]

    def _free_atom(self, key: FactKey) -> int:
        if key not in self._free:
            self._free[key] = self.size
            self.size += 1
        return self._free[key]

    def _masks(self) -> list[tuple[int, int]]:
        """For each functional leg that must be free: its atom, and the bits that occupy it."""
        masks = dict.fromkeys(self._free, 0)
        for bit, fact in enumerate(self._local.facts):
            for key in self._task.keys_of(fact):
                if key in masks:
                    masks[key] |= 1 << bit
        return [(atom, masks[key]) for key, atom in self._free.items()]

    def _relaxed(
        self, number: int, operator: LocalOperator, needs: list[tuple[int, int | None]]
    ) -> Iterator[RelaxedOperator]:
        """The operator, and again for each exception under which it needs less."""
        pre = set(_bits(operator.pre))
        for rest, completes in operator.blocks:
            if not rest:
                pre.update(_bits(completes))
        add = set(self._achieved(operator))
        strict = {atom for atom, exception in needs if exception is None}
        lenient: dict[int, set[int]] = {}
        for atom, exception in needs:
            if exception is not None and exception not in pre:
                lenient.setdefault(exception, set()).add(atom)
        if len(lenient) > MAX_SPLIT:
            lenient = {}
        for chosen in _subsets(list(lenient)):
            needed = {a for e, atoms in lenient.items() if e not in chosen for a in atoms}
            gained = add - set(chosen)
            if gained:
                yield RelaxedOperator(
                    tuple(sorted(pre | strict | needed | set(chosen))),
                    tuple(sorted(gained)),
                    number,
                )

    def _achieved(self, operator: LocalOperator) -> Iterator[int]:
        yield from _bits(operator.add)
        for bit in _bits(operator.delete):
            if bit in self._absent:
                yield self._absent[bit]
            for key in self._task.keys_of(self._local.facts[bit]):
                if key in self._free and not self._occupies(operator, key):
                    yield self._free[key]

    def _occupies(self, operator: LocalOperator, key: FactKey) -> bool:
        added = self._task.operators[operator.index].add
        return any(key in self._task.keys_of(fact) for fact in added)


def _bits(mask: int) -> Iterator[int]:
    """Numbers of the bits that are set, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _subsets(items: list[int]) -> Iterable[tuple[int, ...]]:
    """All subsets, the empty one first."""
    subsets: list[tuple[int, ...]] = [()]
    for item in items:
        subsets.extend([(*subset, item) for subset in subsets])
    return subsets
