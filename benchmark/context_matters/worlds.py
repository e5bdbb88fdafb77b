# SPDX-License-Identifier: Apache-2.0
"""Random states and traces in which two goals are compared.

A state is a set of facts over the elements of a given one. What the rules exchange for one another
(a room for a hand, dirty for clean) is exchanged here, too: everything that was in one place is in
one place, and what was either dirty or clean is one of them. Static facts stay. States that random
facts would hardly meet are met by editing: `fulfil` makes a condition true, or false.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fcp_ros.cset import Fact, Instance
from fcp_ros.cset.state_facts import facts, with_facts
from fcp_ros.domain import Domain
from fcp_ros.domain.expressions.evaluation import evaluate, is_a, name_of
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Count,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    Weighted,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import IS_A
from fcp_ros.fuzzy import tnorm_by_name

Role = tuple[str, int]
"""A relation and the position of one of its arguments."""
_MOST_BINDINGS = 400
_TNORM = tnorm_by_name("goedel")


class Exchanges:
    """The roles in which rules exchange one fact about an element for another.

    Attributes:
        group_of: role -> the number of its group; an element has one fact of a group at a time.
        companions: relations that some rule adds together, about the same element.
        added, deleted: relation -> the types of the arguments that rules can add, or delete.
    """

    def __init__(self, domain: Domain) -> None:
        self.group_of: dict[Role, int] = {}
        self.companions: dict[str, set[str]] = defaultdict(set)
        legs = {relation.name: relation for relation in domain.schema.relations}
        single = {
            (name, position)
            for name, relation in legs.items()
            for position, (leg, _) in enumerate(relation.legs)
            if len(relation.legs) == 1 or leg in relation.functional
        }
        self.added: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self.deleted: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for rule in domain.rules.values():
            types = {parameter.name: parameter.type for parameter in rule.parameters}
            for atoms, table in ((rule.add, self.added), (rule.delete, self.deleted)):
                for atom in atoms:
                    names = (t.name for t in atom.arguments if isinstance(t, Variable))
                    table[atom.predicate].add(tuple(types[name] for name in names))
            for gone, new in itertools.product(rule.delete, rule.add):
                for before, after in _shared(gone, new):
                    if before in single and after in single:
                        self._join(before, after)
            for one, other in itertools.permutations(rule.add, 2):
                for role, with_role in _shared(one, other):
                    if role in single and with_role in single:
                        self.companions[role[0]].add(with_role[0])

    def _join(self, one: Role, other: Role) -> None:
        first = self.group_of.setdefault(one, len(self.group_of))
        second = self.group_of.setdefault(other, first)
        for role, group in self.group_of.items():
            if group == second:
                self.group_of[role] = first


def _shared(one: Atom, other: Atom) -> Iterator[tuple[Role, Role]]:
    """Yield the roles of the variables that two atoms share."""
    for i, term in enumerate(one.arguments):
        for j, other_term in enumerate(other.arguments):
            names = [t.name for t in (term, other_term) if isinstance(t, Variable)]
            if len(names) == 2 and names[0] == names[1]:
                yield (one.predicate, i), (other.predicate, j)


class World:
    """A state that is edited fact by fact.

    Args:
        domain: the domain.
        initial: gives the elements and the static facts.
        exchanges: of the domain.
        generator: chooses.
        given: the facts to begin with; those of `initial` by default.
    """

    def __init__(
        self,
        domain: Domain,
        initial: Instance,
        exchanges: Exchanges,
        generator: random.Random,
        given: frozenset[Fact] | None = None,
    ) -> None:
        self._domain = domain
        self._initial = initial
        self._exchanges = exchanges
        self._random = generator
        schema = initial.schema
        self._legs = {r.name: [type_ for _, type_ in r.legs] for r in schema.relations}
        self._functional = {
            r.name: [i for i, (leg, _) in enumerate(r.legs) if leg in r.functional]
            for r in schema.relations
        }
        self._static = {r.name for r in schema.relations if r.static}
        self._first = facts(initial)
        self.facts = set(self._first if given is None else given)

    def copy(self) -> World:
        """Return another world with the same facts."""
        return World(
            self._domain, self._initial, self._exchanges, self._random, frozenset(self.facts)
        )

    def to_state(self) -> Instance:
        """Return the state."""
        return with_facts(self._initial, self.facts - self._first, self._first - self.facts)

    def elements(self, type_: str) -> list[str]:
        """Return the names of the elements of a type."""
        return [self._initial.name_of(e) for e in self._initial.elements(type_)]

    # --- single facts

    def change_something(self) -> None:
        """Add or remove a random fact."""
        relation = self._random.choice([r for r in self._legs if r not in self._static])
        fact = self._draw(relation, {})
        if fact is None:
            return
        if fact in self.facts:
            self.remove(fact)
        else:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        """Make a fact true, with all that follows from one place at a time."""
        if fact in self.facts or not self._can_add(fact):
            return
        if any(not self._can_delete(other) for other in self._find_rivals(fact)):
            return
        for position in self._functional[fact.relation]:
            clashing = [
                f
                for f in self.facts
                if f.relation == fact.relation and f.arguments[position] == fact.arguments[position]
            ]
            for other in clashing:
                self.remove(other, (fact.relation, position))
        for position, element in enumerate(fact.arguments):
            group = self._exchanges.group_of.get((fact.relation, position))
            if group is not None:
                self.facts -= set(self._facts_in(group, element))
        self.facts.add(fact)
        for companion in self._exchanges.companions.get(fact.relation, ()):
            known = {0: fact.arguments[0]}
            drawn = self._draw(companion, known)
            present = any(
                f.relation == companion and f.arguments[0] == fact.arguments[0] for f in self.facts
            )
            if drawn is not None and not present and companion not in self._static:
                self.facts.add(drawn)

    def remove(self, fact: Fact, keep_out: Role | None = None) -> None:
        """Make a fact false; what has to be somewhere goes somewhere else."""
        if fact not in self.facts or not self._can_delete(fact):
            return
        self.facts.discard(fact)
        for position, element in enumerate(fact.arguments):
            group = self._exchanges.group_of.get((fact.relation, position))
            if group is None:
                continue
            self.facts -= set(self._facts_in(group, element))
            roles = [r for r, g in self._exchanges.group_of.items() if g == group and r != keep_out]
            self._random.shuffle(roles)
            for relation, place in roles:
                drawn = self._draw(relation, {place: element})
                taken = drawn is not None and any(
                    f.relation == relation and f.arguments[i] == drawn.arguments[i]
                    for f in self.facts
                    for i in self._functional[relation]
                )
                if drawn is not None and drawn != fact and not taken:
                    self.add(drawn)
                    break

    def _find_rivals(self, fact: Fact) -> Iterator[Fact]:
        """Yield the facts that a fact takes the place of."""
        for position, element in enumerate(fact.arguments):
            group = self._exchanges.group_of.get((fact.relation, position))
            if group is not None:
                yield from self._facts_in(group, element)

    def _facts_in(self, group: int, element: str) -> list[Fact]:
        return [
            f
            for f in self.facts
            for position, name in enumerate(f.arguments)
            if name == element and self._exchanges.group_of.get((f.relation, position)) == group
        ]

    def _fits(self, fact: Fact) -> bool:
        return self._has_types(fact, self._legs[fact.relation])

    def _has_types(self, fact: Fact, types: Sequence[str]) -> bool:
        schema = self._initial.schema
        return all(
            schema.is_subtype(self._initial.type_of(self._initial.id_of(name)), type_)
            for name, type_ in zip(fact.arguments, types, strict=True)
        )

    def _can_add(self, fact: Fact) -> bool:
        return fact in self._first or any(
            self._has_types(fact, types) for types in self._exchanges.added[fact.relation]
        )

    def _can_delete(self, fact: Fact) -> bool:
        return fact not in self._first or any(
            self._has_types(fact, types) for types in self._exchanges.deleted[fact.relation]
        )

    def _draw(self, relation: str, known: Mapping[int, str]) -> Fact | None:
        arguments = []
        for position, type_ in enumerate(self._legs[relation]):
            choices = [known[position]] if position in known else self.elements(type_)
            if not choices:
                return None
            arguments.append(self._random.choice(choices))
        fact = Fact(relation, tuple(arguments))
        return fact if self._fits(fact) and self._can_add(fact) else None

    # --- conditions

    def fulfil(self, goal: Expression, wanted: bool, binding: Mapping[str, str]) -> None:
        """Edit the state so that a condition becomes true (or false), as far as that is easy."""
        if isinstance(goal, Atom):
            self._fulfil_atom(goal, wanted, binding)
        elif isinstance(goal, Not):
            self.fulfil(goal.body, not wanted, binding)
        elif isinstance(goal, (And, Or)):
            every = isinstance(goal, And) == wanted
            possible = [p for p in goal.parts if self._can_be(p, wanted, binding)] or goal.parts
            for part in goal.parts if every else [self._random.choice(possible)]:
                self.fulfil(part, wanted, binding)
        elif isinstance(goal, (Exists, Forall)):
            every = isinstance(goal, Forall) == wanted
            bindings = self._list_bindings(goal.variables, binding)
            fitting = [b for b in bindings if self._can_be(goal.body, wanted, b)]
            for bound in bindings if every else self._sample(fitting, 1):
                self.fulfil(goal.body, wanted, bound)
        elif isinstance(goal, Count):
            self._fulfil_count(goal, wanted, binding)
        elif isinstance(goal, (Preference, Weighted)):
            self.fulfil(goal.body, wanted, binding)
        elif isinstance(goal, TrajectoryConstraint):
            self._fulfil_constraint(goal, wanted, binding)

    def _fulfil_atom(self, atom: Atom, wanted: bool, binding: Mapping[str, str]) -> None:
        if atom.predicate in self._legs:
            fact = Fact(atom.predicate, tuple(name_of(t, binding) for t in atom.arguments))
            if wanted:
                self.add(fact)
            else:
                self.remove(fact)

    def _fulfil_count(self, goal: Count, wanted: bool, binding: Mapping[str, str]) -> None:
        fitting = [
            b
            for b in self._list_bindings(goal.variables, binding)
            if self._can_be(goal.body, True, b)
        ]
        if goal.bound is Bound.MOST:
            numbers = [len(fitting)] if wanted else [0]
        elif goal.bound is Bound.EXACTLY:
            numbers = [goal.number] if wanted else [goal.number - 1, goal.number + 1]
        elif (goal.bound is Bound.AT_LEAST) == wanted:
            low = goal.number if wanted else goal.number + 1
            numbers = [low, low + 1]
        else:
            numbers = list(range(goal.number + 1)) if wanted else list(range(goal.number))
        number = self._random.choice(numbers or [0])
        for bound in fitting:
            self.fulfil(goal.body, False, bound)
        for bound in self._sample(fitting, max(0, number)):
            self.fulfil(goal.body, True, bound)

    def _fulfil_constraint(
        self, goal: TrajectoryConstraint, wanted: bool, binding: Mapping[str, str]
    ) -> None:
        """Keep what shall hold in all states."""
        if goal.operator is TrajectoryOperator.ALWAYS:
            self.fulfil(goal.parts[0], wanted, binding)

    def _can_be(self, goal: Expression, wanted: bool, binding: Mapping[str, str]) -> bool:
        """Return False if labels and static facts alone settle that a condition can't be so."""
        if isinstance(goal, Atom):
            fixed = self._settle(goal, binding)
            return fixed is None or fixed == wanted
        if isinstance(goal, Not):
            return self._can_be(goal.body, not wanted, binding)
        if isinstance(goal, (And, Or)):
            parts = (self._can_be(part, wanted, binding) for part in goal.parts)
            return all(parts) if isinstance(goal, And) == wanted else any(parts)
        if isinstance(goal, Initially):
            degree = evaluate(
                goal.body, self._initial, lambda *_: 1.0, _TNORM, types={}, binding=binding
            )
            return (degree >= 1.0) == wanted
        return True

    def _settle(self, atom: Atom, binding: Mapping[str, str]) -> bool | None:
        """Decide an atom whose truth never changes; None for another."""
        unbound = any(isinstance(t, Variable) and t.name not in binding for t in atom.arguments)
        if unbound:
            return None
        names = tuple(name_of(term, binding) for term in atom.arguments)
        if atom.predicate == IS_A:
            return is_a(self._initial, self._initial.id_of(names[0]), names[1])
        if atom.predicate in self._static:
            return Fact(atom.predicate, names) in self._first
        if atom.predicate in self._legs and not self._fits(Fact(atom.predicate, names)):
            return False
        return None

    def _list_bindings(
        self, variables: Sequence[TypedVariable], binding: Mapping[str, str]
    ) -> list[dict[str, str]]:
        ranges = [self.elements(variable.type) for variable in variables]
        names = [variable.name for variable in variables]
        found = itertools.product(*ranges)
        bindings = [{**binding, **dict(zip(names, chosen, strict=True))} for chosen in found]
        return self._sample(bindings, _MOST_BINDINGS)

    def _sample(self, bindings: list[dict[str, str]], number: int) -> list[dict[str, str]]:
        if len(bindings) <= number:
            return bindings
        return self._random.sample(bindings, number)
