# SPDX-License-Identifier: Apache-2.0
"""One alternative of the goal as a small task of its own: what matters for it, as bit masks.

A state is an integer with one bit for each *changing* needed fact. Needed facts that hold all the
time, and those that never do, are worked out of the operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.goal_alternatives import Alternative
from fcp_ros.planning.compile.relevance import Relevance, relevant
from fcp_ros.planning.compile.task import Absence, Task
from fcp_ros.planning.model.watch import Watch

Resources = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class LocalOperator:
    """An operator over the bits of a local task.

    Attributes:
        index: its number in the whole task.
        pre: bits that must be set.
        absent: bits that must not be set.
        add: bits that are set afterwards.
        delete: bits that are not set afterwards.
        blocks: (rest, completes): not applicable where all bits of `rest` are set and not all of
            `completes` are.
        uses: what it takes from each tracked resource.
        degree: its degree, in [0, 1].
        absences: the absences behind `absent`, for the heuristics.
    """

    index: int
    pre: int
    absent: int
    add: int
    delete: int
    blocks: tuple[tuple[int, int], ...]
    uses: Resources
    degree: float
    absences: tuple[Absence, ...]

    def applicable(self, state: int) -> bool:
        """Whether it may be applied in a state (resources aside)."""
        return (
            state & self.pre == self.pre
            and not state & self.absent
            and not any(
                state & rest == rest and state & completes != completes
                for rest, completes in self.blocks
            )
        )

    def apply(self, state: int) -> int:
        """The successor."""
        return (state & ~self.delete) | self.add


@dataclass(frozen=True)
class LocalTask:
    """What matters for one alternative.

    Attributes:
        alternative: what is to be reached.
        facts: the fact behind each bit.
        bits: fact -> number of its bit.
        initial: the state it starts in.
        goal_true: bits that must be set in the end.
        goal_false: bits that must not be set in the end.
        operators: the operators that matter.
        possible: False when the alternative asks for a fact that never changes as it would have to.
        resources: numbers of the tracked resources (those that some operator here uses).
        directions: for each tracked resource 1 if having more is never worse, -1 if having less is
            never worse, 0 if neither can be said.
    """

    alternative: Alternative
    facts: Sequence[int]
    bits: dict[int, int]
    initial: int
    goal_true: int
    goal_false: int
    operators: Sequence[LocalOperator]
    possible: bool
    resources: tuple[int, ...]
    initial_resources: Resources
    bounds: tuple[tuple[float, float], ...]
    directions: tuple[int, ...]

    def fulfilled(self, state: int) -> bool:
        """Whether the alternative holds in a state."""
        return state & self.goal_true == self.goal_true and not state & self.goal_false

    def spend(self, available: Resources, operator: LocalOperator) -> Resources | None:
        """What is left after an operator; None if a resource would leave its bounds."""
        if not available:
            return available
        left = []
        for value, use, (low, high) in zip(available, operator.uses, self.bounds, strict=True):
            if use != 0.0:
                value -= use
                if not low - EPSILON <= value <= high + EPSILON:
                    return None
            left.append(value)
        return tuple(left)


def localise(
    task: Task,
    conditions: Conditions,
    alternative: Alternative,
    degrees: Sequence[float],
    available: Resources,
    watch: Watch,
) -> LocalTask:
    """The local task of one alternative.

    Arguments:
        task: the whole task.
        conditions: its negative conditions.
        alternative: what is to be reached.
        degrees: degree of each operator of the task (only relevant ones are read).
        available: what there is of each resource at first.
        watch: checked all the time.
    """
    found = relevant(task, conditions, (alternative,), watch)
    return _Localisation(task, conditions, found, degrees, available, watch).run(alternative)


class _Localisation:
    def __init__(
        self,
        task: Task,
        conditions: Conditions,
        relevance: Relevance,
        degrees: Sequence[float],
        available: Resources,
        watch: Watch,
    ) -> None:
        self._task = task
        self._conditions = conditions
        self._relevance = relevance
        self._degrees = degrees
        self._available = available
        self._watch = watch
        operators = [task.operators[index] for index in relevance.operators]
        added = {fact for operator in operators for fact in operator.add}
        deleted = {fact for operator in operators for fact in operator.delete}
        needed = relevance.needed_true | relevance.needed_false
        changing = {fact for fact in needed if fact in (deleted if fact in task.initial else added)}
        self._facts = sorted(changing)
        self._bits = {fact: bit for bit, fact in enumerate(self._facts)}
        self._always = frozenset(needed & task.initial - changing)
        self._never = frozenset(needed - task.initial - changing)
        self._masks: dict[tuple[int, ...], int | None] = {}
        used = {name for operator in operators for name, use in operator.rule.uses.items() if use}
        self._resources = tuple(i for i, r in enumerate(task.resources) if r.name in used)

    def run(self, alternative: Alternative) -> LocalTask:
        task = self._task
        operators = [
            local
            for index in self._relevance.operators
            if (local := self._operator(index)) is not None
        ]
        return LocalTask(
            alternative,
            self._facts,
            self._bits,
            self._mask(task.initial),
            self._mask(alternative.positive),
            self._mask(alternative.negative),
            operators,
            not alternative.missing
            and self._never.isdisjoint(alternative.positive)
            and self._always.isdisjoint(alternative.negative),
            self._resources,
            tuple(self._available[i] for i in self._resources),
            tuple((task.resources[i].minimum, task.resources[i].maximum) for i in self._resources),
            tuple(_direction([o.uses[k] for o in operators]) for k in range(len(self._resources))),
        )

    def _operator(self, index: int) -> LocalOperator | None:
        """The operator over bits; None if one of its conditions never holds."""
        self._watch.check()
        operator = self._task.operators[index]
        absences = self._conditions.absences(index) or ()
        if not self._never.isdisjoint(operator.pre):
            return None
        absent = 0
        for absence in absences:
            mask = self._absent_mask(absence)
            if mask is None:
                return None
            absent |= mask
        blocks = tuple(
            (self._mask(block.rest), self._mask(block.completes))
            for block in self._conditions.blocks(index)
            if self._never.isdisjoint(block.rest) and not self._always.issuperset(block.completes)
        )
        uses = operator.rule.uses
        return LocalOperator(
            index,
            self._mask(operator.pre),
            absent,
            self._mask(operator.add),
            self._mask(operator.delete),
            blocks,
            tuple(uses.get(self._task.resources[i].name, 0.0) for i in self._resources),
            self._degrees[index],
            absences,
        )

    def _absent_mask(self, absence: Absence) -> int | None:
        """The bits that must not be set; None if one of the facts holds all the time."""
        exception = absence.unless
        if exception in self._always:
            return 0
        mask = self._masks.get(absence.facts, 0)
        if absence.facts not in self._masks:
            surely = not self._always.isdisjoint(absence.facts)
            mask = self._masks[absence.facts] = None if surely else self._mask(absence.facts)
        if mask is None or exception not in self._bits:
            return mask
        return mask & ~(1 << self._bits[exception])

    def _mask(self, facts: Iterable[int]) -> int:
        mask = 0
        for fact in facts:
            bit = self._bits.get(fact)
            if bit is not None:
                mask |= 1 << bit
        return mask


def _direction(uses: Sequence[float]) -> int:
    if all(use >= 0.0 for use in uses):
        return 1
    return -1 if all(use <= 0.0 for use in uses) else 0
