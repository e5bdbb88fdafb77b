# SPDX-License-Identifier: Apache-2.0
"""Facts that matter, and finite-domain variables: one for each chosen functional leg.

A derived fact is a variable of its own.

At most one fact of a functional leg holds at a time, so a leg *is* a variable: its values are its
facts, and "none of them" if that can happen. Every other fluent fact becomes a variable with two
values. Facts that never change in the task are no variables.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from fcp_ros.planning.flat.builder import Assignment
from fcp_ros.planning.goal.alternatives import Alternative
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.task.invariants import LegMutexes
from fcp_ros.planning.task.task import Absence, Conditions, FactKey, GroundOperator, Task


@dataclass(frozen=True)
class Variables:
    """The variables of a flat task."""

    # for each variable the fact behind each of its values, None for "none of them"
    values: Sequence[tuple[int | None, ...]]
    # for each variable the number of the value "none of them"; -1 if it never happens
    none: Sequence[int]
    place: dict[int, Assignment]  # fluent fact -> its variable and value
    always: frozenset[int]
    never: frozenset[int]
    initial: Sequence[int]
    # derived fact -> its variable, which has two values
    derived: dict[int, int] = field(default_factory=dict)


def choose_variables(
    task: Task, conditions: Conditions, relevance: Relevance, mutexes: LegMutexes
) -> Variables:
    """Choose the variables for the relevant part of a task."""
    operators = [task.operators[index] for index in relevance.operators]
    needed = relevance.needed_true | relevance.needed_false
    changing = _find_changing(task, operators, needed)
    derived = sorted({axiom.head for axiom in task.axioms})
    wanted = _find_emptied_legs(task, conditions, relevance.operators, mutexes)
    groups = _cover(task, sorted(changing), wanted, mutexes)
    values, none, place = [], [], {}
    may_be_none = _find_optional(task, operators, groups)
    first = len(groups)
    groups += [(fact,) for fact in derived]
    may_be_none += [True for _ in derived]
    for number, (group, with_none) in enumerate(zip(groups, may_be_none, strict=True)):
        listed: tuple[int | None, ...] = (None, *group) if with_none else tuple(group)
        values.append(listed)
        none.append(0 if with_none else -1)
        for value, fact in enumerate(listed):
            if fact is not None:
                place[fact] = (number, value)
    initial = [max(n, 0) for n in none]
    changing.update(derived)
    for fact in task.initial & changing:
        variable, value = place[fact]
        initial[variable] = value
    return Variables(
        values,
        none,
        place,
        frozenset(needed & task.initial - changing),
        frozenset(needed - task.initial - changing),
        initial,
        {fact: first + number for number, fact in enumerate(derived)},
    )


def _find_changing(
    task: Task, operators: Sequence[GroundOperator], needed: Iterable[int]
) -> set[int]:
    added: set[int] = set()
    deleted: set[int] = set()
    for operator in operators:
        added.update(operator.add)
        deleted.update(operator.delete)
        for effect in operator.effects:
            added.update(effect.add)
            deleted.update(effect.delete)
    return {fact for fact in needed if fact in (deleted if fact in task.initial else added)}


def _find_emptied_legs(
    task: Task, conditions: Conditions, operators: Iterable[int], mutexes: LegMutexes
) -> set[FactKey]:
    """Find the legs that some operator requires to be empty, unless that is implied anyway."""
    return {
        absence.key
        for index in operators
        for absence in conditions.find_absences(index) or ()
        if absence.key is not None and not mutexes.implies(absence, task.operators[index].pre)
    }


def _cover(
    task: Task, changing: Sequence[int], wanted: Collection[FactKey], mutexes: LegMutexes
) -> list[tuple[int, ...]]:
    """Cover the facts by groups of which at most one fact holds.

    The cover is greedy: first the legs that operators require to be empty, then the groups with the
    most facts left, where mutex legs count as one group.
    """
    legs: dict[FactKey, list[int]] = {}
    for fact in changing:
        for key in task.keys_of(fact):
            if key not in task.broken:
                legs.setdefault(key, []).append(fact)
    together = [
        tuple(dict.fromkeys(fact for key in group for fact in legs.get(key, ())))
        for group in mutexes.make_groups()
    ]
    present = set(changing)
    together += [tuple(filter(present.__contains__, group)) for group in task.mutex_groups]
    chosen = _Cover()
    chosen.take([tuple(legs[key]) for key in legs if key in wanted])
    chosen.take([*together, *map(tuple, legs.values())])
    chosen.take([(fact,) for fact in changing])
    return chosen.groups


class _Cover:
    """A greedy cover: it always takes the group with the most facts left."""

    def __init__(self) -> None:
        self.groups: list[tuple[int, ...]] = []
        self._covered: set[int] = set()

    def take(self, candidates: Sequence[tuple[int, ...]]) -> None:
        queue = [(-len(group), number) for number, group in enumerate(candidates)]
        heapq.heapify(queue)
        while queue:
            size, number = heapq.heappop(queue)
            left = tuple(fact for fact in candidates[number] if fact not in self._covered)
            if left and len(left) == -size:
                self.groups.append(left)
                self._covered.update(left)
            elif left:
                heapq.heappush(queue, (-len(left), number))


def _find_optional(
    task: Task, operators: Sequence[GroundOperator], groups: Sequence[Sequence[int]]
) -> list[bool]:
    """Decide for each group if there may be a state in which none of its facts holds."""
    group_of = {fact: number for number, group in enumerate(groups) for fact in group}
    empty = [task.initial.isdisjoint(group) for group in groups]
    for operator in operators:
        filled = {group_of[fact] for fact in operator.add if fact in group_of}
        for fact in operator.delete:
            number = group_of.get(fact)
            if number is not None and number not in filled:
                empty[number] = True
        for effect in operator.effects:
            for fact in effect.delete:
                if fact in group_of and group_of[fact] not in filled:
                    empty[group_of[fact]] = True
    return empty


# --- what the operators and the goal ask for
#
# Relevance has made what can matter, so all of it is encoded. Facts that nobody asks for become no
# variables, and operators that change nothing else are dropped when they are encoded. (A second
# closure from the alternatives left the operators of 50 of 59 IPC tasks as they were.)


@dataclass(frozen=True)
class Relevance:
    """The operators that are ever applicable, and the facts that matter."""

    operators: tuple[int, ...]
    needed_true: frozenset[int]
    needed_false: frozenset[int]


def find_needed(
    task: Task, conditions: Conditions, alternatives: Iterable[Alternative], watch: Watch
) -> Relevance:
    """Find what some operator, axiom or alternative needs to hold, and not to hold.

    Conditions of axioms and of conditional effects may help or harm, so they matter both ways.
    """
    true: set[int] = set()
    false: set[int] = set()
    for alternative in alternatives:
        true |= alternative.positive
        false |= alternative.negative
    legs: set[FactKey] = set()  # all their facts are needed false already
    operators: list[int] = []
    for index, operator in enumerate(task.operators):
        watch.check()
        absences = conditions.find_absences(index)
        if absences is None:
            continue
        operators.append(index)
        true.update(operator.pre)
        for absence in absences:
            if absence.key not in legs and not _is_pointless_otherwise(operator, absence):
                false.update(absence.facts)
                legs.update(() if absence.key is None else (absence.key,))
        for block in conditions.find_blocks(index):
            true.update(block.completes, block.absent)
            false.update(block.rest)
        for clause in operator.clauses:
            true.update(clause.present)
            false.update(clause.absent)
        for effect in operator.effects:
            for needed in (true, false):
                needed.update(effect.pre, effect.absent)
    for axiom in task.axioms:
        for needed in (true, false):
            needed.update(axiom.pre, axiom.absent)
    return Relevance(tuple(operators), frozenset(true), frozenset(false))


def _is_pointless_otherwise(operator: GroundOperator, absence: Absence) -> bool:
    """Return True if an operator requires only the absence of what it adds, and does nothing else.

    Then nothing needs to become false for its sake: if it holds already, the operator is useless.
    (An operator that opens a shut door does not make it relevant to shut the door.)
    """
    alone = not (operator.delete or operator.effects or operator.rule.uses)
    return alone and absence.unless is None and absence.facts == operator.add
