# SPDX-License-Identifier: Apache-2.0
"""Interchangeable objects: of three equal mugs on the table, one will do.

Two elements are interchangeable if exchanging them changes nothing: same type, same attributes as
far as anything reads them, the same facts up to the exchange, and the goal does not name them. Then
exchanging them throughout a plan gives a plan of the same worth, whose goal binding has them
exchanged. So of all bindings that differ by such exchanges one is kept: the one that uses the
members of each class in their order.

Operators on the twins that are left out need no treatment of their own: where no binding speaks of
a twin, it matters only as far as it is in the way or a tool, and relevance decides that. (Leaving
out more would be wrong: two equal crowbars may both be needed.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Constant, Expression, Text, atoms
from fcp_ros.domain.model import Domain, GradedPredicate
from fcp_ros.grounding.protocol.context import CATEGORY, NAME, canonical_value
from fcp_ros.planning.goal.alternatives import Alternative
from fcp_ros.planning.goal.formula import (
    Both,
    Bound,
    Either,
    Formula,
    Scaled,
    both,
    bound,
    either,
    graded_atoms,
    scaled,
)


@dataclass(frozen=True)
class Twins:
    """Classes of interchangeable elements.

    Attributes:
        members: the members of each class, at least two, in a fixed order.
        place: element -> number of its class, and its place in it.
    """

    members: Sequence[tuple[str, ...]]
    place: Mapping[str, tuple[int, int]]

    @classmethod
    def of(cls, members: Sequence[tuple[str, ...]]) -> Twins:
        """From the classes."""
        return cls(
            members,
            {
                element: (number, index)
                for number, group in enumerate(members)
                for index, element in enumerate(group)
            },
        )


def twins_of(
    domain: Domain, instance: Instance, goal: Expression, formula: Formula, durations: bool
) -> Twins:
    """Interchangeable elements among those that the goal's variables may stand for.

    Arguments:
        domain: what the rules, costs and graded predicates read.
        instance: the state.
        goal: the goal; elements that it names are no one's twins.
        formula: the goal over facts.
        durations: whether durations matter (then places do, as far as durations depend on them).
    """
    named = {
        term.name if isinstance(term, Constant) else term.value
        for atom in atoms(goal)
        for term in atom.arguments
        if isinstance(term, (Constant, Text))
    }
    described = _Description(domain, instance, formula, durations)
    groups: dict[Hashable, list[str]] = {}
    for element in _choices(formula):
        if element not in named:
            looks = described.of(element)
            if looks is not None:
                groups.setdefault(looks, []).append(element)
    return Twins.of([tuple(group) for group in groups.values() if len(group) > 1])


def one_of_each(formula: Formula, twins: Twins) -> Formula:
    """The formula without choices that no canonical binding makes.

    If an alternative rests on at most k choices from a class, a canonical one uses only the first k
    members. Choices below a negation stay: there they are conditions.
    """
    limits = _most(formula, twins)
    return formula if not limits else _limited(formula, twins, limits)


def representatives(alternatives: Iterable[Alternative], twins: Twins) -> list[Alternative]:
    """The alternatives with a canonical binding: twins are used in their order."""
    return [a for a in alternatives if _is_canonical(a, twins)]


def _is_canonical(alternative: Alternative, twins: Twins) -> bool:
    used: Counter[int] = Counter()
    for _, element in alternative.binding:
        place = twins.place.get(element)
        if place is not None and place[1] >= used[place[0]]:
            if place[1] > used[place[0]]:
                return False
            used[place[0]] += 1
    return True


def _choices(formula: Formula) -> dict[str, None]:
    """The elements that choices outside of negations bind, in order."""
    found: dict[str, None] = {}
    stack = [formula]
    while stack:
        current = stack.pop()
        if isinstance(current, Bound):
            found.setdefault(current.element)
            stack.append(current.body)
        elif isinstance(current, (Both, Either)):
            stack.extend(reversed(current.parts))
        elif isinstance(current, Scaled):
            stack.append(current.body)
    return found


def _most(formula: Formula, twins: Twins) -> Counter[int]:
    """How many choices from each class one alternative rests on at most."""
    if isinstance(formula, Bound):
        place = twins.place.get(formula.element)
        inside = _most(formula.body, twins)
        return inside if place is None else inside + Counter((place[0],))
    if isinstance(formula, Both):
        return sum((_most(part, twins) for part in formula.parts), Counter[int]())
    if isinstance(formula, Either):
        most: Counter[int] = Counter()
        for part in formula.parts:
            most |= _most(part, twins)
        return most
    return _most(formula.body, twins) if isinstance(formula, Scaled) else Counter()


def _limited(formula: Formula, twins: Twins, limits: Counter[int]) -> Formula:
    if isinstance(formula, Both):
        return both(_limited(part, twins, limits) for part in formula.parts)
    if isinstance(formula, Either):
        return either(
            _limited(part, twins, limits)
            for part in formula.parts
            if not _is_beyond(part, twins, limits)
        )
    if isinstance(formula, Bound):
        return bound(formula.variable, formula.element, _limited(formula.body, twins, limits))
    if isinstance(formula, Scaled):
        return scaled(formula.weight, _limited(formula.body, twins, limits))
    return formula


def _is_beyond(formula: Formula, twins: Twins, limits: Counter[int]) -> bool:
    """Whether it chooses a member that no canonical binding uses."""
    if not isinstance(formula, Bound):
        return False
    place = twins.place.get(formula.element)
    if place is not None and place[1] >= limits[place[0]]:
        return True
    return _is_beyond(formula.body, twins, limits)


class _Description:
    """What can be told of an element without naming it."""

    def __init__(
        self, domain: Domain, instance: Instance, formula: Formula, durations: bool
    ) -> None:
        self._instance = instance
        self._schema = instance.schema
        asked = {atom[0] for atom in graded_atoms(formula)}
        asked.update(atom.predicate for rule in domain.rules.values() for atom in rule.graded)
        asked.update(atom.predicate for chunk in domain.chunks.values() for atom in chunk.graded)
        predicates = [domain.graded[name] for name in sorted(asked)]
        self._by_name = _types_known_by_name(predicates)
        read = {name for p in predicates for names in p.context.values() for name in names}
        self._attributes = sorted((read - {NAME}) | {CATEGORY})
        self._moving = {
            parameter.type
            for rule in domain.rules.values()
            if durations and rule.duration.between is not None and rule.duration.per_metre != 0.0
            for parameter in rule.parameters
            if parameter.name in rule.duration.between
        }
        self._priced = {
            element
            for rule in domain.rules.values()
            for term in rule.cost.terms
            for elements in term.table
            for element in elements
        }

    def of(self, element: str) -> Hashable | None:
        """Equal for elements that are interchangeable; None for one that never is."""
        id_ = self._instance.id_of(element)
        type_ = self._instance.type_of(id_)
        above = self._schema.ancestors(type_) | {type_}
        if element in self._priced or not above.isdisjoint(self._by_name):
            return None
        values = ((name, self._instance.attribute(id_, name)) for name in self._attributes)
        shown = tuple(None if v is None else canonical_value(name, v) for name, v in values)
        where = [self._instance.attribute(id_, name) for name in ("x", "y")]
        return (
            type_,
            shown,
            tuple(where) if above & self._moving else (),
            self._facts(id_),
        )

    def _facts(self, id_: int) -> frozenset[Hashable]:
        """All facts with the element, with -1 in its place."""
        found: set[Hashable] = set()
        for relation in self._schema.relations:
            for leg, _ in relation.legs:
                table = self._instance.tuples(relation.name)
                for number in self._instance.tuples_at(relation.name, leg, id_):
                    legs = table[number]
                    found.add((relation.name, *(-1 if e == id_ else e for e in legs)))
        return frozenset(found)


def _types_known_by_name(predicates: Iterable[GradedPredicate]) -> set[str]:
    """Types of which some predicate is judged for each element by itself."""
    return {
        parameter.type
        for predicate in predicates
        for parameter in predicate.parameters
        if NAME in predicate.context.get(parameter.name, ())
    }
