# SPDX-License-Identifier: Apache-2.0
"""The purpose of a plan for a relaxed goal: it has to bring about something that was wanted.

Giving everything up is no relaxation. A plan serves a requirement that is not given up if it brings
about a fact that the requirement speaks of, or ends one that it speaks of in a negation; what holds
before and after it is not its doing. Moves of an agent serve nothing by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Not,
    Variable,
    Weighted,
    atoms,
    children,
)
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.schedule.agents import AGENT_TYPES


def find_moves(domain: Domain) -> frozenset[str]:
    """Find the rules that do nothing but change where an agent is."""
    return frozenset(name for name, rule in domain.rules.items() if _find_moved(rule, domain))


def find_locations(domain: Domain) -> frozenset[str]:
    """Find the relations that say where an agent is, and perhaps where other things are."""
    moved = (_find_moved(rule, domain) for rule in domain.rules.values())
    return frozenset(relation for relation in moved if relation)


def _find_moved(rule: ActionRule, domain: Domain) -> str:
    """Find the relation that a move changes; "" if the rule does anything else."""
    changed = [*rule.add, *rule.delete]
    relations = {atom.predicate for atom in changed}
    if rule.effects or len(relations) != 1 or not rule.add:
        return ""
    types = {parameter.name: parameter.type for parameter in rule.parameters}
    movers = {atom.arguments[0] for atom in changed}
    mover = next(iter(movers))
    if len(movers) != 1 or not isinstance(mover, Variable):
        return ""
    moves = _is_agent_type(types[mover.name], domain) and len(changed[0].arguments) > 1
    return next(iter(relations)) if moves else ""


def _is_agent_type(type_: str, domain: Domain) -> bool:
    agents = {*AGENT_TYPES, domain.mapping.layer_types.get("agent", "")}
    return not agents.isdisjoint(domain.schema.ancestors(type_))


def _is_agent(element: str, instance: Instance, domain: Domain) -> bool:
    return _is_agent_type(instance.type_of(instance.id_of(element)), domain)


def only_locates_agents(
    condition: Expression, types: Mapping[str, str], instance: Instance, domain: Domain
) -> bool:
    """Return True if a condition, over variables of some types, only says where agents are."""
    locations = find_locations(domain)
    for atom in atoms(condition):
        term = atom.arguments[0] if atom.arguments else None
        if isinstance(term, Variable):
            known = types.get(term.name)
            mover = known is not None and _is_agent_type(known, domain)
        else:
            mover = isinstance(term, Constant) and _is_agent(term.name, instance, domain)
        if atom.predicate not in locations or not mover:
            return False
    return True


def serves_purpose(
    plan: Plan, initial: Instance, final: Instance, wanted: Iterable[Expression], domain: Domain
) -> bool:
    """Return True if a plan brings about something that is wanted, and not given up."""
    moves = find_moves(domain)
    if all(step.rule in moves for step in plan.steps):
        return False
    locations = find_locations(domain)
    touched = {
        fact
        for fact in _list_touched(plan, domain)
        if not (fact.relation in locations and _is_agent(fact.arguments[0], initial, domain))
    }
    before = {fact for fact in touched if _holds(fact, initial)}
    after = {fact for fact in touched if _holds(fact, final)}
    asked = [pair for one in wanted for pair in _list_literals(one, True)]
    return any(
        _fits(atom, fact, final)
        for atom, positive in asked
        for fact in (after - before if positive else before - after)
    )


def _list_touched(plan: Plan, domain: Domain) -> Iterator[Fact]:
    """Yield the facts that the rules of a plan add or delete, without those of their effects."""
    for step in plan.steps:
        rule: ActionRule = domain.rules[step.rule]
        names: Mapping[str, str] = dict(step.arguments)
        for atom in (*rule.add, *rule.delete):
            terms = tuple(
                names[term.name] if isinstance(term, Variable) else str(term)
                for term in atom.arguments
            )
            yield Fact(atom.predicate, terms)


def _holds(fact: Fact, instance: Instance) -> bool:
    legs = tuple(map(instance.id_of, fact.arguments))
    return instance.find_tuple(fact.relation, legs) is not None


def _list_literals(expression: Expression, positive: bool) -> Iterator[tuple[Atom, bool]]:
    if isinstance(expression, Atom):
        yield expression, positive
    elif isinstance(expression, Not):
        yield from _list_literals(expression.body, not positive)
    elif not isinstance(expression, Weighted):  # what is only weighted holds anyway
        for part in children(expression):
            yield from _list_literals(part, positive)


def _fits(atom: Atom, fact: Fact, instance: Instance) -> bool:
    """Return True if an atom can speak of a fact: it names no other element."""
    return atom.predicate == fact.relation and all(
        term.name == name
        for term, name in zip(atom.arguments, fact.arguments, strict=True)
        if isinstance(term, Constant)
    )
