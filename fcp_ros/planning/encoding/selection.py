# SPDX-License-Identifier: Apache-2.0
"""Select the operators of a task that can matter for an alternative: a closure backwards.

A fact is *needed true* if the alternative or a relevant operator requires it, and *needed false* if
one of them requires its absence; conditions of conditional effects of a relevant operator are
needed both ways. An operator is relevant if it adds a fact that is needed true and may be false, or
deletes one that is needed false and may be true, as far as the initial state and relevant operators
can make it so.

Dropping every other operator loses no plan: leave the irrelevant steps out of any plan. No needed
fact is lost by that (they add none that may be false without them), and no absence is violated
(they delete none that may be true without them, and their additions only become absent). Their use
of resources stays available, which is no harm unless a resource can also be gained: then all
operators on that resource belong together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fcp_ros.planning.goal.alternatives import Alternative
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import Absence, FactKey, GroundOperator, Task


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
