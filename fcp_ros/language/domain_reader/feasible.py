# SPDX-License-Identifier: Apache-2.0
"""Facts that no action of a domain brings about for things of a type.

A robot that carries cups can't carry people, though both are somewhere: what asks for that is
refused, before a search over all that the robot can do says the same without a reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Exists,
    Expression,
    Term,
    TrajectoryConstraint,
    Variable,
    list_conjuncts,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import ActionRule, Domain, Effect
from fcp_ros.domain.vocabulary import common_subtypes
from fcp_ros.language.domain_reader.terms.places import PresentState

_MET_ON_THE_WAY = (TrajectoryOperator.SOMETIME, TrajectoryOperator.FIRST_THEN)


def find_unreachable(goal: Expression, domain: Domain, instance: Instance) -> Expression | None:
    """Return a demand of a goal that isn't met, and that no action meets; None if there is none.

    Static and derived relations are left out: actions may add what these follow from, and a static
    one is often only said of one of many things.
    """
    return next(_list_unreachable(goal, domain, instance, {}), None)


def _list_unreachable(
    goal: Expression, domain: Domain, instance: Instance, types: dict[str, str]
) -> Iterator[Expression]:
    state = PresentState(instance)
    for part in list_conjuncts(goal):
        if isinstance(part, Exists):
            inner = {**types, **{v.name: v.type for v in part.variables}}
            if not state.holds(part, {}) and any(
                _list_unreachable(part.body, domain, instance, inner)
            ):
                yield part
        elif isinstance(part, TrajectoryConstraint) and part.operator in _MET_ON_THE_WAY:
            for one in part.parts:
                yield from _list_unreachable(one, domain, instance, types)
        elif isinstance(part, Atom) and _is_changing(part, domain):
            so = all(isinstance(t, Constant) for t in part.arguments) and state.holds(part, {})
            added = _list_added(part.predicate, domain)
            if not so and not any(_fits(part, one, domain, instance, types) for one in added):
                yield part


def _is_changing(atom: Atom, domain: Domain) -> bool:
    schema = domain.schema
    if not schema.has_relation(atom.predicate) or atom.predicate in domain.derived:
        return False
    return not schema.relation(atom.predicate).static


def _list_added(relation: str, domain: Domain) -> Iterator[dict[int, str]]:
    """Yield the types of the arguments of each fact that a rule adds to a relation."""
    for rule in domain.rules.values():
        for effect in (Effect((), (), rule.add), *rule.effects):
            for atom in effect.add:
                if atom.predicate == relation:
                    yield _list_types(atom, rule, effect)


def _list_types(atom: Atom, rule: ActionRule, effect: Effect) -> dict[int, str]:
    known = {one.name: one.type for one in (*rule.parameters, *effect.variables)}
    names = (getattr(term, "name", "") for term in atom.arguments)
    return {place: known[name] for place, name in enumerate(names) if name in known}


def _fits(
    atom: Atom, added: dict[int, str], domain: Domain, instance: Instance, types: dict[str, str]
) -> bool:
    schema = domain.schema
    for place, type_ in added.items():
        own = _find_type(atom.arguments[place], instance, types)
        if own in schema.types and not common_subtypes(schema.types, (own, type_)):
            return False
    return True


def _find_type(term: Term, instance: Instance, types: dict[str, str]) -> str:
    if isinstance(term, Constant) and instance.has(term.name):
        return instance.type_of(instance.id_of(term.name))
    return types.get(term.name, "") if isinstance(term, Variable) else ""
