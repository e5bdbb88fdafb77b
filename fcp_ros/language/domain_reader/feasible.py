# SPDX-License-Identifier: Apache-2.0
"""Demands that no action meets: people who are carried, a hand that holds several things.

A robot that carries cups can't carry people, though both are somewhere. Who asks for that is told
so; of things the planner proves it, and may know something else to do.
"""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Or,
    Term,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    list_conjuncts,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.holding import find_holding
from fcp_ros.domain.model import ActionRule, Domain, Effect
from fcp_ros.domain.vocabulary import common_subtypes
from fcp_ros.language.domain_reader.terms.places import PresentState
from fcp_ros.language.english.wordnet_nouns import names_person

_MET_ON_THE_WAY = (TrajectoryOperator.SOMETIME, TrajectoryOperator.FIRST_THEN)


def find_unreachable(goal: Expression, domain: Domain, instance: Instance) -> Expression | None:
    """Return a demand for somebody that no action meets; None if there is none.

    Static and derived relations are left out: actions may add what these follow from, and a static
    one is often only said of one of many things.
    """
    demands = _list_demands(goal)
    return next((one for one in demands if _lacks_action(one, domain, instance, ())), None)


def _list_demands(goal: Expression) -> Iterator[Expression]:
    """List what has to be so at the end, or at some time on the way."""
    for part in list_conjuncts(goal):
        if isinstance(part, TrajectoryConstraint) and part.operator in _MET_ON_THE_WAY:
            yield from part.parts
        else:
            yield part


def holds_too_much(goal: Expression, domain: Domain) -> bool:
    """Return True if a hand that takes one thing shall hold several: "take all off the table"."""
    holding = find_holding(domain)
    if holding is None or holding.robot not in domain.schema.relation(holding.relation).functional:
        return False
    return any(_is_held(part, holding.relation) for part in list_conjuncts(goal))


def _is_held(part: Expression, relation: str) -> bool:
    if isinstance(part, Count):
        several = part.bound is not Bound.AT_MOST and part.number > 1
        return several and any(_is_fact(one, relation) for one in list_conjuncts(part.body))
    if not isinstance(part, Forall):
        return False
    demands = part.body.parts if isinstance(part.body, Or) else (part.body,)
    return any(_is_fact(one, relation) for one in demands)


def _is_fact(formula: Expression, relation: str) -> bool:
    return isinstance(formula, Atom) and formula.predicate == relation


def _lacks_action(
    demand: Expression, domain: Domain, instance: Instance, bound: tuple[TypedVariable, ...]
) -> bool:
    if isinstance(demand, Exists):
        return _lacks_action(demand.body, domain, instance, (*bound, *demand.variables))
    if isinstance(demand, And):
        return any(_lacks_action(part, domain, instance, bound) for part in demand.parts)
    if not isinstance(demand, Atom) or not _is_changing(demand, domain):
        return False
    types = {variable.name: variable.type for variable in bound}
    if not any(_is_somebody(term, instance, types) for term in demand.arguments):
        return False
    # A person is somewhere, and stays there; that what is brought is nowhere is another matter.
    own = tuple(variable for variable in bound if Variable(variable.name) in demand.arguments)
    so = Exists(own, demand) if own else demand
    if PresentState(instance).holds(so, {}):
        return False
    added = _list_added(demand.predicate, domain)
    return not any(_fits(demand, one, domain, instance, types) for one in added)


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


def _is_somebody(term: Term, instance: Instance, types: dict[str, str]) -> bool:
    names = [_find_type(term, instance, types)]
    if isinstance(term, Constant) and instance.has(term.name):
        names.append(str(instance.attribute(instance.id_of(term.name), CATEGORY) or ""))
    return any(names_person(name.replace("_", " ").lower()) for name in names)
