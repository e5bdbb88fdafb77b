# SPDX-License-Identifier: Apache-2.0
"""Actions whose cost has no value: they are not applicable, as PDDL has it, rather than free.

PDDL 2.1 (Fox and Long 2003, section 3.1) leaves a function undefined where the initial state gives
no value, and an effect that reads it cannot be applied. So an action that adds the value of such a
function to its cost gets a static condition: the value is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product

from fcp_ros.cset.builder import FreeNames
from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.rules.columns import list_required
from fcp_ros.domain.pddl.rules.universe import Universe
from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.tree import (
    Conjunction,
    DomainText,
    FunctionValue,
    PddlAction,
    PddlTerm,
    ProblemText,
    terms_of,
)

Objects = tuple[str, ...]


def require_known_values(
    domain: DomainText, problem: ProblemText, source: Source
) -> tuple[DomainText, ProblemText]:
    """Return a domain and a problem whose actions require the values that their costs read.

    An action whose other conditions and types leave only known values is not changed. A function
    without any value is noted. `source`: the domain file, for notes.
    """
    adder = _ConditionAdder(domain, problem)
    actions = tuple(map(adder.add_conditions, domain.actions))
    if not adder.known:
        return domain, problem
    legs = {adder.known[name]: domain.functions[name] for name in adder.known}
    facts = {
        predicate: frozenset(problem.values.get(name, {}))
        for name, predicate in adder.known.items()
    }
    notes = [
        source.note(
            action.at,
            f"{action.name} can't be done: its cost reads {part.function}, which has no value",
            f"give the values in the problem, as (= ({part.function} ...) 1)",
        )
        for action in domain.actions
        for part in dict.fromkeys(action.cost)
        if isinstance(part, FunctionValue) and not problem.values.get(part.function)
    ]
    predicates = {**domain.predicates, **legs}
    return (
        replace(domain, predicates=predicates, actions=actions, notes=(*domain.notes, *notes)),
        replace(problem, facts={**problem.facts, **facts}),
    )


class _ConditionAdder:
    """Adds conditions to actions."""

    def __init__(self, domain: DomainText, problem: ProblemText) -> None:
        # function -> the predicate of the objects for which it has a value
        self.known: dict[str, str] = {}
        self._values = problem.values
        self._universe = Universe(domain, problem)
        self._free = FreeNames()
        for name in domain.predicates:
            self._free.take(name)

    def add_conditions(self, action: PddlAction) -> PddlAction:
        """Add the conditions that an action lacks."""
        missing = tuple(
            Atom(self._name_known(part.function), part.arguments)
            for part in dict.fromkeys(action.cost)
            if isinstance(part, FunctionValue) and not self._is_known(part, action)
        )
        if not missing:
            return action
        return replace(action, precondition=Conjunction((*missing, action.precondition)))

    def _name_known(self, function: str) -> str:
        found = self.known.get(function)
        if found is None:
            found = self.known[function] = self._free.take(f"known-{function}")
        return found

    def _is_known(self, part: FunctionValue, action: PddlAction) -> bool:
        """Return True if a function has a value wherever the action's static conditions hold."""
        given = self._values.get(part.function, {})
        if any(
            all(at in given for at in self._list_arguments(part, atom))
            for atom in list_required(action.precondition)
            if self._universe.is_static(atom.predicate)
            and {t for t in part.arguments if isinstance(t, Variable)} <= set(terms_of(atom))
        ):
            return True
        objects = {
            Variable(p.name): sorted(self._universe.candidates(p)) for p in action.parameters
        }
        count = 1
        for term in dict.fromkeys(part.arguments):
            count *= len(objects[term]) if isinstance(term, Variable) else 1
        return count <= len(given) and all(
            at in given for at in _list_bindings(part.arguments, objects)
        )

    def _list_arguments(self, part: FunctionValue, atom: Atom) -> Iterable[Objects]:
        """List the arguments of a function for which an atom holds."""
        terms = tuple(terms_of(atom))
        for objects in self._universe.facts(atom.predicate):
            bound: dict[PddlTerm, str] = {
                term: term.name for term in terms if isinstance(term, Constant)
            }
            if all(
                bound.setdefault(term, name) == name
                for term, name in zip(terms, objects, strict=True)
            ):
                yield tuple(
                    term.name if isinstance(term, Constant) else bound[term]
                    for term in part.arguments
                )


def _list_bindings(
    terms: Iterable[PddlTerm], objects: Mapping[Variable, Iterable[str]]
) -> Iterable[Objects]:
    """List the objects that terms may stand for, in all combinations."""
    terms = tuple(terms)
    variables = [term for term in dict.fromkeys(terms) if isinstance(term, Variable)]
    for chosen in product(*(objects[variable] for variable in variables)):
        bound = dict(zip(variables, chosen, strict=True))
        yield tuple(term.name if isinstance(term, Constant) else bound[term] for term in terms)
