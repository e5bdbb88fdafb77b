# SPDX-License-Identifier: Apache-2.0
"""Facts that hold after some steps, and all bindings of variables under which atoms hold.

A state and the facts that have changed since, looked up by element: only what is asked for is read,
so that a large state costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.syntax import Atom, Variable

Binding = Mapping[str, str]
"""Variable -> element name."""


class FactView:
    """The facts of a state, with some added and some taken away."""

    def __init__(self, instance: Instance, added: Iterable[Fact] = ()) -> None:
        self.instance = instance
        self._changed: dict[Fact, bool] = {}
        self._by_relation: dict[str, set[Fact]] = {}
        for fact in added:
            self.set(fact, True)

    def holds(self, fact: Fact) -> bool:
        """Return True if the fact holds now."""
        known = self._changed.get(fact)
        return self.holds_initially(fact) if known is None else known

    def holds_initially(self, fact: Fact) -> bool:
        """Return True if the fact holds in the initial state."""
        legs = tuple(self.instance.id_of(name) for name in fact.arguments)
        return self.instance.find_tuple(fact.relation, legs) is not None

    def set(self, fact: Fact, holds: bool) -> None:
        """Make a fact hold from now on, or not."""
        self._changed[fact] = holds
        self._by_relation.setdefault(fact.relation, set()).add(fact)

    def find_facts(self, relation: str, bound: Mapping[int, str]) -> Iterator[Fact]:
        """Yield the facts of a relation that hold and have these elements at these legs."""
        changed = self._by_relation.get(relation, ())
        for fact in changed:
            if self._changed[fact] and all(fact.arguments[p] == e for p, e in bound.items()):
                yield fact
        for fact in self._rows(relation, bound):
            if fact not in changed:
                yield fact

    def _rows(self, relation: str, bound: Mapping[int, str]) -> Iterator[Fact]:
        instance = self.instance
        rows = instance.tuples(relation)
        legs = instance.schema.relation(relation).legs
        ids = {position: instance.id_of(name) for position, name in bound.items()}
        choices = [instance.tuples_at(relation, legs[p][0], id_) for p, id_ in ids.items()]
        for row in min(choices, key=len) if choices else rows:
            if all(rows[row][position] == id_ for position, id_ in ids.items()):
                yield Fact(relation, tuple(instance.name_of(leg) for leg in rows[row]))


def list_variables(atom: Atom) -> tuple[str, ...]:
    """Return the variables of an atom of a rule or constraint, by position."""
    return tuple(term.name for term in atom.arguments if isinstance(term, Variable))


def find_bound_positions(atom: Atom, binding: Binding) -> dict[int, str]:
    """Return the elements at the positions of an atom that are bound."""
    return {p: binding[name] for p, name in enumerate(list_variables(atom)) if name in binding}


def ground(atom: Atom, binding: Binding) -> Fact:
    """Return the fact that an atom stands for; all of its variables are bound."""
    return Fact(atom.predicate, tuple(binding[name] for name in list_variables(atom)))


def unify(atom: Atom, fact: Fact, binding: Binding) -> Binding | None:
    """Extend the binding so that the atom is the fact; None if that is impossible."""
    extended = dict(binding)
    for name, element in zip(list_variables(atom), fact.arguments, strict=True):
        if extended.setdefault(name, element) != element:
            return None
    return extended


def find_bindings(
    atoms: Sequence[Atom],
    # of the variables to bind; a variable that no atom binds ranges over all elements
    types: Mapping[str, str],
    view: FactView,
    binding: Binding,
    *,
    monic: bool = False,
) -> Iterator[Binding]:
    """Yield all bindings that extend the given one, fit the types, and make all atoms hold."""
    if not _fits(types, view, binding, monic):
        return
    if atoms:
        # The most bound atom first: fewest candidates.
        chosen = max(range(len(atoms)), key=lambda i: len(find_bound_positions(atoms[i], binding)))
        rest = [*atoms[:chosen], *atoms[chosen + 1 :]]
        atom = atoms[chosen]
        for fact in view.find_facts(atom.predicate, find_bound_positions(atom, binding)):
            extended = unify(atom, fact, binding)
            if extended is not None:
                yield from find_bindings(rest, types, view, extended, monic=monic)
        return
    free = next((name for name in types if name not in binding), None)
    if free is None:
        yield binding
        return
    for element in view.instance.elements(types[free]):
        extended = {**binding, free: view.instance.name_of(element)}
        yield from find_bindings((), types, view, extended, monic=monic)


def _fits(types: Mapping[str, str], view: FactView, binding: Binding, monic: bool) -> bool:
    if monic and len(set(binding.values())) < len(binding):
        return False
    instance = view.instance
    for name, type_ in types.items():
        if name in binding:
            own = instance.type_of(instance.id_of(binding[name]))
            if own != type_ and type_ not in instance.schema.ancestors(own):
                return False
    return True
