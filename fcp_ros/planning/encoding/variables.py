# SPDX-License-Identifier: Apache-2.0
"""Operators that can matter, and finite-domain variables: one for each chosen functional leg.

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
    derived = sorted({task.axioms[number].head for number in relevance.axioms})
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


# --- select the operators of a task that can matter for an alternative: a closure backwards
#
# A fact is *needed true* if the alternative or a relevant operator requires it, and *needed false*
# if one of them requires its absence; conditions of conditional effects of a relevant operator are
# needed both ways. An operator is relevant if it adds a fact that is needed true and may be false,
# or deletes one that is needed false and may be true, as far as the initial state and relevant
# operators can make it so.
#
# Dropping every other operator loses no plan: leave the irrelevant steps out of any plan. No needed
# fact is lost by that (they add none that may be false without them), and no absence is violated
# (they delete none that may be true without them, and their additions only become absent). Their
# use of resources stays available, which is no harm unless a resource can also be gained: then all
# operators on that resource belong together.


@dataclass(frozen=True)
class Relevance:
    """The operators and facts that matter."""

    operators: tuple[int, ...]
    needed_true: frozenset[int]
    needed_false: frozenset[int]
    axioms: tuple[int, ...] = ()


def select_relevant(
    task: Task, conditions: Conditions, alternatives: Iterable[Alternative], watch: Watch
) -> Relevance:
    """Select what matters for reaching any of the alternatives."""
    closure = _Closure(task, conditions, watch)
    for alternative in alternatives:
        closure.need(alternative.positive, alternative.negative)
    return closure.run()


class _Closure:
    def __init__(self, task: Task, conditions: Conditions, watch: Watch) -> None:
        self._task = task
        self._conditions = conditions
        self._watch = watch
        self._true: set[int] = set()
        self._false: set[int] = set()
        self._may_be_true = set(task.initial)
        self._may_be_false: set[int] = set()  # beyond those that are false initially
        self._legs: set[FactKey] = set()  # all their facts are needed false already
        self._operators: set[int] = set()
        self._pending: list[int] = []
        self._axioms_of: dict[int, list[int]] = {}
        for number, axiom in enumerate(task.axioms):
            self._axioms_of.setdefault(axiom.head, []).append(number)
        self._axioms: set[int] = set()
        self._underived: list[int] = []
        self._on_resource = _find_operators_on_mixed_resources(task)
        self._resources: set[str] = set()

    def need(self, true: Iterable[int], false: Iterable[int]) -> None:
        for fact in true:
            if fact not in self._true:
                self._true.add(fact)
                self._wake_adders(fact)
                self._underived.append(fact)
        for fact in false:
            if fact not in self._false:
                self._false.add(fact)
                self._wake_deleters(fact)
                self._underived.append(fact)
        self._derive()

    def _derive(self) -> None:
        """Need what the facts follow from: axioms help and harm, so it matters both ways."""
        while self._underived:
            fact = self._underived.pop()
            for number in self._axioms_of.pop(fact, ()):
                axiom = self._task.axioms[number]
                self._axioms.add(number)
                self.need((*axiom.pre, *axiom.absent), (*axiom.pre, *axiom.absent))

    def run(self) -> Relevance:
        while self._pending:
            self._watch.check()
            self._take(self._pending.pop())
        return Relevance(
            tuple(sorted(self._operators)),
            frozenset(self._true),
            frozenset(self._false),
            tuple(sorted(self._axioms)),
        )

    def _wake_adders(self, fact: int) -> None:
        if fact not in self._task.initial or fact in self._may_be_false:
            self._wake(self._task.adders[fact])

    def _wake_deleters(self, fact: int) -> None:
        if fact in self._may_be_true:
            self._wake(self._task.deleters[fact])

    def _wake(self, operators: Iterable[int]) -> None:
        for operator in operators:
            if operator not in self._operators and (
                self._conditions.find_absences(operator) is not None
            ):
                self._operators.add(operator)
                self._pending.append(operator)

    def _take(self, index: int) -> None:
        operator = self._task.operators[index]
        self.need(operator.pre, ())
        for absence in self._conditions.find_absences(index) or ():
            if _is_pointless_otherwise(operator, absence):
                continue
            if absence.key is None or absence.key not in self._legs:
                self.need((), absence.facts)
            if absence.key is not None:
                self._legs.add(absence.key)
        for block in self._conditions.find_blocks(index):
            self.need((*block.completes, *block.absent), block.rest)
        for clause in operator.clauses:
            self.need(clause.present, clause.absent)
        for effect in operator.effects:
            # It may help or harm: its conditions matter both ways.
            self.need((*effect.pre, *effect.absent), (*effect.pre, *effect.absent))
        for fact in (*operator.add, *(f for effect in operator.effects for f in effect.add)):
            if fact not in self._may_be_true:
                self._may_be_true.add(fact)
                if fact in self._false:
                    self._wake_deleters(fact)
        for fact in (*operator.delete, *(f for effect in operator.effects for f in effect.delete)):
            if fact not in self._may_be_false:
                self._may_be_false.add(fact)
                if fact in self._true:
                    self._wake_adders(fact)
        for resource in operator.rule.uses:
            if resource in self._on_resource and resource not in self._resources:
                self._resources.add(resource)
                self._wake(self._on_resource[resource])


def _is_pointless_otherwise(operator: GroundOperator, absence: Absence) -> bool:
    """Return True if an operator requires only the absence of what it adds, and does nothing else.

    Then nothing needs to become false for its sake: if it holds already, the operator is useless.
    (An operator that opens a shut door does not make it relevant to shut the door.)
    """
    alone = not (operator.delete or operator.effects or operator.rule.uses)
    return alone and absence.unless is None and absence.facts == operator.add


def _find_operators_on_mixed_resources(task: Task) -> dict[str, list[int]]:
    """Find the operators on each resource that some rule consumes and another one produces."""
    signs: dict[str, set[bool]] = {}
    for rule in task.domain.rules.values():
        for resource, amount in rule.uses.items():
            if amount != 0.0:
                signs.setdefault(resource, set()).add(amount > 0.0)
    return {
        resource: [
            index
            for index, operator in enumerate(task.operators)
            if operator.rule.uses.get(resource, 0.0) != 0.0
        ]
        for resource, found in signs.items()
        if len(found) == 2
    }
