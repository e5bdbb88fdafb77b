# SPDX-License-Identifier: Apache-2.0
"""All ways to bind variables so that atoms hold: for effects and constraints, in a `FactView`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fcp_ros.cset import Fact
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.planning.schedule.fact_view import FactView

Binding = Mapping[str, str]
"""Variable -> element name."""


def names_of(atom: Atom) -> tuple[str, ...]:
    """The variables of an atom of a rule or constraint, by position."""
    return tuple(term.name for term in atom.arguments if isinstance(term, Variable))


def bound_positions(atom: Atom, binding: Binding) -> dict[int, str]:
    """The elements at those positions of an atom that are bound."""
    return {p: binding[name] for p, name in enumerate(names_of(atom)) if name in binding}


def ground(atom: Atom, binding: Binding) -> Fact:
    """The fact that an atom stands for; all of its variables are bound."""
    return Fact(atom.predicate, tuple(binding[name] for name in names_of(atom)))


def unified(atom: Atom, fact: Fact, binding: Binding) -> Binding | None:
    """The binding extended so that the atom is the fact; None where that is impossible."""
    extended = dict(binding)
    for name, element in zip(names_of(atom), fact.arguments, strict=True):
        if extended.setdefault(name, element) != element:
            return None
    return extended


def matches(
    atoms: Sequence[Atom],
    types: Mapping[str, str],
    view: FactView,
    binding: Binding,
    *,
    monic: bool = False,
) -> Iterator[Binding]:
    """All bindings that extend the given one, fit the types, and make all atoms hold.

    Arguments:
        atoms: over the variables.
        types: of the variables to bind; those that no atom binds range over all elements.
        view: the facts.
        binding: what is bound already.
        monic: whether different variables must be different elements.
    """
    if not _fits(types, view, binding, monic):
        return
    if atoms:
        # The most bound atom first: fewest candidates.
        chosen = max(range(len(atoms)), key=lambda i: len(bound_positions(atoms[i], binding)))
        rest = [*atoms[:chosen], *atoms[chosen + 1 :]]
        atom = atoms[chosen]
        for fact in view.matching(atom.predicate, bound_positions(atom, binding)):
            extended = unified(atom, fact, binding)
            if extended is not None:
                yield from matches(rest, types, view, extended, monic=monic)
        return
    free = next((name for name in types if name not in binding), None)
    if free is None:
        yield binding
        return
    for element in view.instance.elements(types[free]):
        extended = {**binding, free: view.instance.name_of(element)}
        yield from matches((), types, view, extended, monic=monic)


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
