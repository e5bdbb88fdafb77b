# SPDX-License-Identifier: Apache-2.0
"""PDDL by definition: states are sets of facts, actions are tried with all objects. Slow, obvious.

The twin of the translation: it works on the texts as they were read and knows nothing of rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from fcp_ros.domain.expressions.syntax import Atom, Constant
from fcp_ros.domain.pddl.syntax_tree import (
    ROOT,
    Conjunction,
    Disjunction,
    Equality,
    FunctionValue,
    Negation,
    Quantified,
)
from fcp_ros.domain.pddl.task_reader import PddlTexts

State = frozenset[tuple[str, ...]]


class Interpreter:
    """One task."""

    def __init__(self, texts: PddlTexts) -> None:
        self.domain, self.problem, self.goal = texts.domain, texts.problem, texts.goal
        self._ranks = rank_derived(self.domain)
        self._objects: dict[tuple[str, ...], list[str]] = {}
        self.initial: State = self.derive(
            frozenset(
                (predicate, *arguments)
                for predicate, tuples in self.problem.facts.items()
                for arguments in tuples
            )
        )

    def objects(self, types: tuple[str, ...]) -> list[str]:
        if types not in self._objects:  # asked for in each step by each parameter and quantifier
            wanted, objects = set(types), self.problem.objects
            self._objects[types] = [o.name for o in objects if wanted & self._upwards(o.types[0])]
        return self._objects[types]

    def _upwards(self, type_: str) -> set[str]:
        above = (self._upwards(parent) for parent in self.domain.types.get(type_, ()))
        return {ROOT, type_}.union(*above)

    def bindings(self, variables) -> Iterator[dict[str, str]]:
        names = [variable.name for variable in variables]
        for chosen in itertools.product(*(self.objects(v.types) for v in variables)):
            yield dict(zip(names, chosen, strict=True))

    def holds(self, formula, state: State, bound: dict[str, str]) -> bool:
        if isinstance(formula, Atom):
            return ground(formula, bound) in state
        if isinstance(formula, Equality):
            return value(formula.left, bound) == value(formula.right, bound)
        if isinstance(formula, Negation):
            return not self.holds(formula.body, state, bound)
        if isinstance(formula, Conjunction):
            return all(self.holds(part, state, bound) for part in formula.parts)
        if isinstance(formula, Disjunction):
            return any(self.holds(part, state, bound) for part in formula.parts)
        assert isinstance(formula, Quantified)
        inner = (
            self.holds(formula.body, state, {**bound, **new})
            for new in self.bindings(formula.variables)
        )
        return all(inner) if formula.universal else any(inner)

    def step(self, state: State, action: str, arguments: tuple[str, ...]) -> State | None:
        """The state after an action; None where it can't be done."""
        (found,) = (a for a in self.domain.actions if a.name == action)
        bound = dict(zip((p.name for p in found.parameters), arguments, strict=True))
        if any(bound[p.name] not in self.objects(p.types) for p in found.parameters):
            return None
        return self._apply(found, bound, state)

    def _apply(self, action, bound: dict[str, str], state: State) -> State | None:
        if not self.holds(action.precondition, state, bound):
            return None
        if self._add_up(action, bound) is None:
            return None
        add, delete = set(), set()
        for effect in action.effects:
            for new in self.bindings(effect.variables):
                inner = {**bound, **new}
                if self.holds(effect.condition, state, inner):
                    add |= {ground(atom, inner) for atom in effect.add}
                    delete |= {ground(atom, inner) for atom in effect.delete}
        return self.derive((state - delete) | add)

    def derive(self, state: State) -> State:
        """Of derived facts exactly those that follow: rank by rank, until nothing is added."""
        derived = self.domain.derived
        state = frozenset(fact for fact in state if fact[0] not in derived)
        for rank in sorted(set(self._ranks.values())):
            axioms = [a for a in self.domain.axioms if self._ranks[a.head.predicate] == rank]
            while True:
                new = {
                    ground(axiom.head, bound)
                    for axiom in axioms
                    for bound in self.bindings(axiom.parameters)
                    if self.holds(axiom.body, state, bound)
                }
                if new <= state:
                    break
                state |= new
        return state

    def transitions(self, state: State) -> set[tuple[str, tuple[str, ...], State]]:
        """What can be done, and what comes of it, where that is another state."""
        found = set()
        for action in self.domain.actions:
            for bound in self.bindings(action.parameters):
                after = self._apply(action, bound, state)
                if after is not None and after != state:
                    found.add((action.name, tuple(bound.values()), after))
        return found

    def reaches_goal(self, state: State) -> bool:
        return self.holds(self.goal, state, {})

    def cost(self, action: str, arguments: tuple[str, ...]) -> Fraction | None:
        """What an action adds to total-cost; None where a function has no value."""
        (found,) = (a for a in self.domain.actions if a.name == action)
        return self._add_up(
            found, dict(zip((p.name for p in found.parameters), arguments, strict=True))
        )

    def _add_up(self, action, bound: dict[str, str]) -> Fraction | None:
        total = Fraction(0)
        for part in action.cost:
            if isinstance(part, FunctionValue):
                at = tuple(value(term, bound) for term in part.arguments)
                part = self.problem.values.get(part.function, {}).get(at)
                if part is None:
                    return None
            total += part
        return total


def rank_derived(domain) -> dict[str, int]:
    """Ranks of derived predicates: no lower than what they use, higher than what they negate."""
    uses = [
        (axiom.head.predicate, *used)
        for axiom in domain.axioms
        for used in list_uses(axiom.body, False)
        if used[0] in domain.derived
    ]
    ranks = dict.fromkeys(domain.derived, 0)
    for _ in range(len(ranks) + 1):
        for head, used, negated in uses:
            ranks[head] = max(ranks[head], ranks[used] + negated)
    if any(rank > len(ranks) for rank in ranks.values()):
        raise ValueError("a derived predicate depends on its own negation")
    return ranks


def list_uses(formula, negated: bool) -> Iterator[tuple[str, bool]]:
    """Predicates of a condition, and whether an odd number of negations is around them."""
    if isinstance(formula, Atom):
        yield formula.predicate, negated
    elif isinstance(formula, (Negation, Quantified)):
        yield from list_uses(formula.body, negated is not isinstance(formula, Negation))
    elif isinstance(formula, (Conjunction, Disjunction)):
        for part in formula.parts:
            yield from list_uses(part, negated)


def ground(atom: Atom, bound: dict[str, str]) -> tuple[str, ...]:
    return (atom.predicate, *[value(term, bound) for term in atom.arguments])


def value(term, bound: dict[str, str]) -> str:
    return term.name if isinstance(term, Constant) else bound[term.name]
