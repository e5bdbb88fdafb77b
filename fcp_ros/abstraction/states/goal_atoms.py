# SPDX-License-Identifier: Apache-2.0
"""A conjunctive goal as facts: quantifiers and conditions are worked out in the initial state."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import RelationForm, list_changed_relations
from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.evaluation import is_a, name_of
from fcp_ros.domain.expressions.resolution import infer_types
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    TypedVariable,
    free_variables,
    to_text,
)
from fcp_ros.domain.model import IS_A, SAME, Domain

GoalAtoms = tuple[Fact, ...]
"""The facts that a goal asks for, all of them."""

MAX_BINDINGS = 1_000_000
"""Quantifiers over more combinations of elements are refused; a million takes some seconds."""

Binding = Mapping[str, str]
_Demand = bool | dict[Fact, None]
"""True or false for good, or facts that are to hold."""


class UnsupportedGoal(ValueError):
    """A goal that is no conjunction of facts; the message says which part."""


class GoalTest:
    """The facts of a goal, tested in states that have the same elements as a given one."""

    def __init__(
        self, forms: Mapping[str, RelationForm], goal: GoalAtoms, state: RelationalState
    ) -> None:
        positions = state.positions
        self.facts = tuple(
            (form, tuple([positions[fact.arguments[place]] for place in form.positions]))
            for fact in goal
            for form in (forms[fact.relation],)
        )

    def holds(self, state: RelationalState) -> bool:
        """Return True if all facts hold."""
        return all(state.holds(form, legs) for form, legs in self.facts)


def list_goal_atoms(goal: Expression, instance: Instance, domain: Domain) -> GoalAtoms:
    """Work out the facts that a goal asks for.

    `forall ?c: cup (not dirty(?c) or inside(?c, dishwasher_1))` asks for one fact for each dirty
    cup, if no rule changes `dirty`. Where a rule does, write `initially (dirty(?c))`: conditions
    are read in the initial state only if they say so. `exists`, and variables that no quantifier
    binds, are allowed where only one choice is left. Raises UnsupportedGoal if the goal leaves a
    choice, asks for the absence of something that rules change, has degrees, counts or constraints
    on the way, or can never hold.
    """
    free = free_variables(goal)
    if free:
        types = infer_types(goal, domain)
        everything = [type_ for type_, parents in domain.schema.types.items() if not parents]
        if not all(name in types for name in free) and len(everything) != 1:
            raise UnsupportedGoal(f"give {free[0]!r} a type: exists ?{free[0]}: TYPE (...)")
        declared = (TypedVariable(name, types.get(name, everything[0])) for name in free)
        goal = Exists(tuple(declared), goal)
    changed = list_changed_relations(domain.rules.values())
    demand = _GoalReader(domain, instance, changed).read(goal, {})
    if demand is False:
        raise UnsupportedGoal("the goal can never hold: no rule changes what it asks for")
    return () if demand is True else tuple(demand)


class _GoalReader:
    def __init__(self, domain: Domain, instance: Instance, changed: frozenset[str]) -> None:
        """Read goals of a domain; facts of relations that are not `changed` are decided."""
        self._domain, self._instance, self._changed = domain, instance, changed

    def read(self, goal: Expression, binding: Binding) -> _Demand:
        """Work out one part of the goal."""
        if isinstance(goal, Atom):
            return self._read_atom(goal, binding)
        if isinstance(goal, Initially):
            # Nothing changes in one state: all is decided.
            return _GoalReader(self._domain, self._instance, frozenset()).read(goal.body, binding)
        if isinstance(goal, Not):
            demand = self.read(goal.body, binding)
            if isinstance(demand, bool):
                return not demand
            raise UnsupportedGoal(f"{to_text(goal)} asks for the absence of what rules change")
        if isinstance(goal, And):
            return _join(partial(self.read, part, binding) for part in goal.parts)
        if isinstance(goal, Or):
            return _choose(goal, (partial(self.read, part, binding) for part in goal.parts))
        if isinstance(goal, (Forall, Exists)):
            body, inner = goal.body, self._list_bindings(goal, binding)
            readings = (partial(self.read, body, bound) for bound in inner)
            return _join(readings) if isinstance(goal, Forall) else _choose(goal, readings)
        raise UnsupportedGoal(f"{to_text(goal)} is no condition on the end state alone")

    def _read_atom(self, atom: Atom, binding: Binding) -> _Demand:
        instance = self._instance
        names = tuple([name_of(term, binding) for term in atom.arguments])
        if atom.predicate == IS_A and not instance.schema.has_relation(IS_A):
            return is_a(instance, instance.id_of(names[0]), names[1])
        if not instance.schema.has_relation(atom.predicate):
            if atom.predicate == SAME:
                return names[0] == names[1]
            raise UnsupportedGoal(f"{atom.predicate!r} has degrees; policies know facts only")
        if atom.predicate in self._changed:
            return {Fact(atom.predicate, names): None}
        legs = tuple([instance.id_of(name) for name in names])
        return instance.find_tuple(atom.predicate, legs) is not None

    def _list_bindings(self, goal: Forall | Exists, binding: Binding) -> Iterator[Binding]:
        instance = self._instance
        ranges: Sequence[Sequence[int]] = [instance.elements(v.type) for v in goal.variables]
        if math.prod(map(len, ranges)) > MAX_BINDINGS:
            raise UnsupportedGoal(f"{to_text(goal)} is about too many combinations of elements")
        names = [variable.name for variable in goal.variables]
        for chosen in itertools.product(*ranges):
            elements = map(instance.name_of, chosen)
            yield {**binding, **dict(zip(names, elements, strict=True))}


def _join(readings: Iterable[Callable[[], _Demand]]) -> _Demand:
    facts: dict[Fact, None] = {}
    for read in readings:
        demand = read()
        if demand is False:
            return False
        if demand is not True:
            facts.update(demand)
    return facts or True


def _choose(goal: Expression, readings: Iterable[Callable[[], _Demand]]) -> _Demand:
    """Demand the only part that can hold; a part that can't be read matters if no other holds."""
    left: list[dict[Fact, None]] = []
    refused: UnsupportedGoal | None = None
    for read in readings:
        try:
            demand = read()
        except UnsupportedGoal as error:
            refused = refused or error
            continue
        if demand is True:
            return True
        if demand is not False and demand not in left:
            left.append(demand)
    if refused is not None:
        raise refused
    if len(left) > 1:
        raise UnsupportedGoal(f"{to_text(goal)} leaves a choice")
    return left[0] if left else False
