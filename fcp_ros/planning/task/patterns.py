# SPDX-License-Identifier: Apache-2.0
"""Patterns of atoms, matched against facts by a join in an order that is fixed beforehand.

They serve the patterns of constraints and negated conditions. Variables of one pattern bind
distinct elements (monic matches, docs/design.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.model import ActionRule

Arguments = tuple[str, ...]
PatternAtom = tuple[str, tuple[int, ...]]
"""A relation and, for each leg, the slot (number of a variable) that it binds."""


class FactSource(Protocol):
    """A source of facts for a join."""

    def has(self, relation: str, arguments: Arguments) -> bool: ...

    def matching(self, relation: str, bound: Sequence[tuple[int, str]]) -> Sequence[Arguments]:
        """Return a superset of the facts that have the given elements in the given legs."""
        ...


class FactStore:
    """Facts, indexed by relation and the element in one leg."""

    def __init__(self) -> None:
        self._all: dict[str, list[Arguments]] = {}
        self._known: set[tuple[str, Arguments]] = set()
        self._index: dict[tuple[str, int, str], list[Arguments]] = {}

    def add(self, relation: str, arguments: Arguments) -> bool:
        """Add a fact; return False if it is there already."""
        key = (relation, arguments)
        if key in self._known:
            return False
        self._known.add(key)
        self._all.setdefault(relation, []).append(arguments)
        for position, element in enumerate(arguments):
            self._index.setdefault((relation, position, element), []).append(arguments)
        return True

    def has(self, relation: str, arguments: Arguments) -> bool:
        return (relation, arguments) in self._known

    def __contains__(self, fact: Fact) -> bool:
        return (fact.relation, fact.arguments) in self._known

    def matching(self, relation: str, bound: Sequence[tuple[int, str]]) -> Sequence[Arguments]:
        """Return a superset of the facts that have the given elements in the given legs.

        It is the shortest list of the index: the caller checks the other legs.
        """
        if not bound:
            return self._all.get(relation, ())
        best: Sequence[Arguments] | None = None
        for position, element in bound:
            found = self._index.get((relation, position, element))
            if found is None:
                return ()
            if best is None or len(found) < len(best):
                best = found
        return best or ()


class SceneFacts:
    """Some fluent facts, and all static ones of a scene, which are looked up in the scene."""

    def __init__(self, instance: Instance, fluents: Collection[str]) -> None:
        self._instance = instance
        self._fluents = fluents
        self._changing = FactStore()

    def add(self, relation: str, arguments: Arguments) -> None:
        self._changing.add(relation, arguments)

    def has(self, relation: str, arguments: Arguments) -> bool:
        if relation in self._fluents:
            return self._changing.has(relation, arguments)
        instance = self._instance
        if not all(map(instance.has, arguments)):
            return False
        return instance.find_tuple(relation, tuple(map(instance.id_of, arguments))) is not None

    def matching(self, relation: str, bound: Sequence[tuple[int, str]]) -> Sequence[Arguments]:
        """Return a superset of the facts that have the given elements in the given legs."""
        if relation in self._fluents:
            return self._changing.matching(relation, bound)
        instance = self._instance
        tuples, name_of = instance.tuples(relation), instance.name_of
        if not bound:
            return [tuple(map(name_of, legs)) for legs in tuples.values()]
        shape = instance.schema.relation(relation)
        keyed = [pair for pair in bound if shape.legs[pair[0]][0] in shape.functional]
        position, element = (keyed or bound)[0]
        rows = instance.tuples_at(relation, shape.legs[position][0], instance.id_of(element))
        return [tuple(map(name_of, tuples[row])) for row in rows]


class ElementsOf(Collection[str]):
    """Names of the elements of a type, without a list of them."""

    def __init__(self, instance: Instance, type_: str) -> None:
        self._instance = instance
        self._type = type_
        self._below = instance.schema.subtypes(type_)

    def __contains__(self, name: object) -> bool:
        instance = self._instance
        return (
            isinstance(name, str)
            and instance.has(name)
            and instance.type_of(instance.id_of(name)) in self._below
        )

    def __iter__(self) -> Iterator[str]:
        return map(self._instance.name_of, self._instance.elements(self._type))

    def __len__(self) -> int:
        return self._instance.count(self._type)


@dataclass(frozen=True)
class AtomPattern:
    """Variables with the elements that each may bind, and the atoms that must hold of them."""

    slots: tuple[str, ...]
    allowed: tuple[Collection[str], ...]
    atoms: tuple[PatternAtom, ...]


class PatternJoin:
    """A join that finds the matches of a pattern, given the fact that one of its atoms matches.

    Args:
        trigger: index of the atom whose fact is given; None to match without one.
    """

    def __init__(self, pattern: AtomPattern, trigger: int | None) -> None:
        self._pattern = pattern
        self._allowed = tuple(
            kind if isinstance(kind, (set, frozenset, ElementsOf)) else frozenset(kind)
            for kind in pattern.allowed
        )
        self._trigger = None if trigger is None else pattern.atoms[trigger]
        self._order = _order_atoms(pattern, trigger)
        bound = {slot for _, slots in self._order for slot in slots}
        if self._trigger is not None:
            bound.update(self._trigger[1])
        self._unbound = tuple(s for s in range(len(pattern.slots)) if s not in bound)

    def matches(self, store: FactSource, given: Arguments = ()) -> Iterator[Arguments]:
        """Yield all matches: an element for each slot.

        Args:
            store: the facts; must not grow during the iteration.
        """
        binding: list[str | None] = [None] * len(self._pattern.slots)
        if self._trigger is not None and self._bind(self._trigger[1], given, binding) is None:
            return
        yield from self._extend(0, binding, store)

    def _extend(
        self, depth: int, binding: list[str | None], store: FactSource
    ) -> Iterator[Arguments]:
        if depth == len(self._order):
            yield from self._bind_free(0, binding)
            return
        relation, slots = self._order[depth]
        bound = [
            (position, element)
            for position, slot in enumerate(slots)
            if (element := binding[slot]) is not None
        ]
        if len(bound) == len(slots):
            if store.has(relation, tuple(element for _, element in bound)):
                yield from self._extend(depth + 1, binding, store)
            return
        for arguments in store.matching(relation, bound):
            fresh = self._bind(slots, arguments, binding)
            if fresh is not None:
                yield from self._extend(depth + 1, binding, store)
                for slot in fresh:
                    binding[slot] = None

    def _bind_free(self, position: int, binding: list[str | None]) -> Iterator[Arguments]:
        """Bind the variables of no atom to all elements of their type."""
        if position == len(self._unbound):
            yield tuple(element for element in binding if element is not None)
            return
        slot = self._unbound[position]
        for element in self._pattern.allowed[slot]:
            if element not in binding:
                binding[slot] = element
                yield from self._bind_free(position + 1, binding)
                binding[slot] = None

    def _bind(
        self, slots: tuple[int, ...], arguments: Arguments, binding: list[str | None]
    ) -> list[int] | None:
        """Bind slots; return those that were unbound, or None (and no change) on a clash."""
        fresh: list[int] = []
        for slot, element in zip(slots, arguments, strict=True):
            current = binding[slot]
            if current is None and element in self._allowed[slot] and element not in binding:
                binding[slot] = element
                fresh.append(slot)
            elif current != element:
                for undone in fresh:
                    binding[undone] = None
                return None
        return fresh


def _order_atoms(pattern: AtomPattern, trigger: int | None) -> tuple[PatternAtom, ...]:
    """Order atoms greedily by open legs, those without common variables last."""
    bound = set() if trigger is None else set(pattern.atoms[trigger][1])
    rest = [atom for index, atom in enumerate(pattern.atoms) if index != trigger]
    order: list[PatternAtom] = []
    while rest:

        def openness(atom: PatternAtom) -> tuple[bool, int]:
            slots = set(atom[1])
            return (not slots & bound, len(slots - bound))

        best = min(rest, key=openness)
        rest.remove(best)
        order.append(best)
        bound.update(best[1])
    return tuple(order)


def make_pattern(
    names: tuple[str, ...], types: tuple[str, ...], atoms: tuple[Atom, ...], instance: Instance
) -> AtomPattern:
    slots = {name: slot for slot, name in enumerate(names)}
    return AtomPattern(
        names,
        tuple(ElementsOf(instance, type_) for type_ in types),
        tuple(make_pattern_atom(atom, slots) for atom in atoms),
    )


def make_pattern_atom(atom: Atom, slots: dict[str, int]) -> PatternAtom:
    """Replace the variables of an atom by slots; every argument must be a known variable."""
    return (atom.predicate, tuple(slots[term.name] for term in _check_variables(atom)))


def _check_variables(atom: Atom) -> Iterator[Variable]:
    for term in atom.arguments:
        if not isinstance(term, Variable):
            raise TypeError(f"{atom.predicate} in a rule takes parameters, not {term}")
        yield term


def bind_terms(atom: Atom, rule: ActionRule, binding: Arguments) -> dict[int, str]:
    """Bind the legs of a negated atom that are parameters: leg number -> element."""
    slots = {name: slot for slot, name in enumerate(rule.parameter_names)}
    return {
        position: binding[slots[term.name]]
        for position, term in enumerate(atom.arguments)
        if isinstance(term, Variable) and term.name in slots
    }


def matches_atom(arguments: Arguments, atom: Atom, bound: dict[int, str]) -> bool:
    """Return True if a fact of the atom's relation matches it; open variables are existential."""
    open_: dict[str, str] = {}
    for position, (term, element) in enumerate(zip(atom.arguments, arguments, strict=True)):
        if position in bound:
            if bound[position] != element:
                return False
        elif isinstance(term, Variable) and open_.setdefault(term.name, element) != element:
            return False
    return True
