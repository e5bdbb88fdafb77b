# SPDX-License-Identifier: Apache-2.0
"""A domain's rules over numbered slots: the form that relevance and the mutex proofs work on.

A body is a conjunction of literals, from which bindings start, and of formulas, which are decided
when all slots are bound (see `LiftedCondition`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from fcp_ros.cset import Relation
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Variable,
)
from fcp_ros.domain.model import ActionRule, Constraint, Domain, Effect, Literal, Parameter
from fcp_ros.foundation.stopping import Check, never_stop


@dataclass(frozen=True, eq=False, slots=True)
class LiftedBody:
    """Conditions and changes over slots: of a rule, of one of its effects, of a constraint."""

    static: tuple[LiftedAtom, ...]
    fluent: tuple[LiftedAtom, ...]
    absent_static: tuple[LiftedAtom, ...] = ()
    absent: tuple[LiftedAtom, ...] = ()
    add: tuple[LiftedAtom, ...] = ()
    delete: tuple[LiftedAtom, ...] = ()
    formulas: tuple[LiftedCondition, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class LiftedRule:
    """A rule, or the pattern of a constraint, over slots."""

    number: int
    action: ActionRule | None  # the domain's rule; None for a constraint
    names: tuple[str, ...]
    types: tuple[str, ...]
    body: LiftedBody
    # for each conditional effect the types of its own slots, which follow those of the rule, and
    # its body
    effects: tuple[tuple[tuple[str, ...], LiftedBody], ...]
    # names of the relations that it both reads and adds to (moves from room to room)
    chains: frozenset[str]
    graded: frozenset[int]
    # whether it is the rule of a derived relation: it applies by itself, always, and its effects
    # add what follows. It also has an effect that deletes any fact of the relation, as each
    # derivation begins without them.
    derives: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Trigger:
    """An atom that a rule adds or deletes: what binding the rule starts from.

    Attributes:
        static, fluent: the positive conditions of the rule and of the effect.
    """

    rule: LiftedRule
    effect: int  # number of the conditional effect; -1 for the rule itself
    slots: tuple[int, ...]
    types: tuple[str, ...]
    static: tuple[LiftedAtom, ...]
    fluent: tuple[LiftedAtom, ...]


@dataclass(frozen=True, eq=False)
class LiftedDomain:
    """A domain over slots.

    Attributes:
        adders, deleters: by relation, the triggers that add to it and that delete from it.
        gains, spends: for each resource that is both gained and spent the rules that do.
    """

    domain: Domain
    fluents: frozenset[str]
    relations: Mapping[str, LiftedRelation]
    rules: Sequence[LiftedRule]
    adders: Mapping[str, Sequence[Trigger]]
    deleters: Mapping[str, Sequence[Trigger]]
    # by fluent relation, the atoms of constraints that match it
    constraints: Mapping[str, Sequence[Trigger]]
    patterns: Sequence[LiftedRule]
    # tells for each type those that an element of it may have as its own
    below: Callable[[str], frozenset[str]]
    gains: Mapping[str, Sequence[Trigger]]
    spends: Mapping[str, Sequence[Trigger]]


def find_fluents(domain: Domain) -> frozenset[str]:
    """Find the relations that some rule changes, conditional effects included, or derives."""
    changed: set[str] = set()
    for rule in domain.rules.values():
        changed.update(atom.predicate for atom in (*rule.add, *rule.delete))
        for effect in rule.effects:
            changed.update(atom.predicate for atom in (*effect.add, *effect.delete))
    return frozenset(changed) | domain.derived


def lift_domain(domain: Domain, check: Check = never_stop) -> LiftedDomain:
    """Lift a domain: about a millisecond for 20 rules."""
    fluents = find_fluents(domain)
    relations = _lift_relations(domain, fluents)
    deriving = list(_list_deriving(domain))
    rules = tuple(
        _lift_rule(number, action, relations, number >= len(domain.rules))
        for number, action in enumerate((*domain.rules.values(), *deriving))
    )
    patterns = tuple(
        _lift_constraint(number, c, relations) for number, c in enumerate(domain.constraints)
    )
    adders: dict[str, list[Trigger]] = {}
    deleters: dict[str, list[Trigger]] = {}
    constraints: dict[str, list[Trigger]] = {}
    for rule in rules:
        check()
        for effect, part in _list_bodies(rule):
            for atom in part.add:
                adders.setdefault(atom[0].name, []).append(make_trigger(rule, effect, atom[1]))
            for atom in part.delete:
                deleters.setdefault(atom[0].name, []).append(make_trigger(rule, effect, atom[1]))
    for rule in patterns:
        for relation, slots in rule.body.fluent:
            constraints.setdefault(relation.name, []).append(make_trigger(rule, -1, slots))
    gains, spends = _find_mixed_resources(rules)
    return LiftedDomain(
        domain,
        fluents,
        relations,
        rules,
        adders,
        deleters,
        constraints,
        patterns,
        cache(domain.schema.subtypes),
        gains,
        spends,
    )


def _list_deriving(domain: Domain) -> Iterator[ActionRule]:
    """List the rules of derived relations, each with effects that delete what it derives."""
    for stratum in domain.strata:
        for rule in stratum.rules:
            added = (*rule.add, *(atom for effect in rule.effects for atom in effect.add))
            forgotten = [
                _make_forgetting(domain.schema.relation(name))
                for name in dict.fromkeys(atom.predicate for atom in added)
            ]
            yield replace(rule, effects=(*rule.effects, *forgotten))


def _make_forgetting(relation: Relation) -> Effect:
    variables = tuple(
        Parameter(f"any.{position}", type_) for position, (_, type_) in enumerate(relation.legs)
    )
    atom = Atom(relation.name, tuple(Variable(variable.name) for variable in variables))
    return Effect(variables, (Literal(atom),), delete=(atom,))


def make_trigger(rule: LiftedRule, effect: int, slots: tuple[int, ...]) -> Trigger:
    """Make the trigger of an atom that a rule (effect -1), or one of its effects, changes."""
    body = rule.body
    if effect < 0:
        return Trigger(rule, effect, slots, rule.types, body.static, body.fluent)
    own, part = rule.effects[effect]
    return Trigger(
        rule,
        effect,
        slots,
        (*rule.types, *own),
        (*body.static, *part.static),
        (*body.fluent, *part.fluent),
    )


def _list_bodies(rule: LiftedRule) -> Iterable[tuple[int, LiftedBody]]:
    yield -1, rule.body
    for number, (_, part) in enumerate(rule.effects):
        yield number, part


def _lift_relations(domain: Domain, fluents: frozenset[str]) -> dict[str, LiftedRelation]:
    schema = domain.schema
    moves = {
        added.predicate
        for rule in domain.rules.values()
        for added in rule.add
        if any(added.predicate == read.predicate for read in rule.positive())
    }
    return {
        relation.name: LiftedRelation(
            number,
            relation.name,
            tuple(leg for leg, _ in relation.legs),
            tuple(schema.subtypes(type_) for _, type_ in relation.legs),
            relation.keys,
            relation.name in fluents,
            relation.name in moves,
        )
        for number, relation in enumerate(schema.relations)
    }


def _lift_rule(
    number: int, action: ActionRule, relations: Mapping[str, LiftedRelation], derives: bool
) -> LiftedRule:
    names = action.parameter_names
    slots = {name: slot for slot, name in enumerate(names)}
    body = _lift_body(action, slots, relations)
    effects = tuple(_lift_effect(effect, slots, relations) for effect in action.effects)
    read = {relation.name for relation, _ in body.fluent}
    graded = {
        slots[term.name]
        for atom in action.graded
        for term in atom.arguments
        if isinstance(term, Variable)
    }
    return LiftedRule(
        number,
        action,
        names,
        tuple(p.type for p in action.parameters),
        body,
        effects,
        frozenset(relation.name for relation, _ in body.add if relation.name in read),
        frozenset(graded),
        derives,
    )


def _lift_effect(
    effect: Effect, slots: Mapping[str, int], relations: Mapping[str, LiftedRelation]
) -> tuple[tuple[str, ...], LiftedBody]:
    inner = dict(slots)
    for variable in effect.variables:
        inner[variable.name] = len(inner)
    part = _lift_body(effect, inner, relations)
    return tuple(variable.type for variable in effect.variables), part


def _lift_constraint(
    number: int, constraint: Constraint, relations: Mapping[str, LiftedRelation]
) -> LiftedRule:
    names = tuple(variable.name for variable in constraint.variables)
    slots = {name: slot for slot, name in enumerate(names)}
    atoms = [lift_atom(atom, slots, relations) for atom in constraint.never]
    body = LiftedBody(
        tuple(atom for atom in atoms if not atom[0].changes),
        tuple(atom for atom in atoms if atom[0].changes),
    )
    types = tuple(variable.type for variable in constraint.variables)
    return LiftedRule(number, None, names, types, body, (), frozenset(), frozenset())


def _lift_body(
    part: ActionRule | Effect, slots: Mapping[str, int], relations: Mapping[str, LiftedRelation]
) -> LiftedBody:
    positive = [lift_atom(atom, slots, relations) for atom in part.positive()]
    negated = [lift_atom(atom, slots, relations) for atom in part.negative()]
    return LiftedBody(
        tuple(atom for atom in positive if not atom[0].changes),
        tuple(atom for atom in positive if atom[0].changes),
        tuple(atom for atom in negated if not atom[0].changes),
        tuple(atom for atom in negated if atom[0].changes),
        tuple(lift_atom(atom, slots, relations) for atom in part.add),
        tuple(lift_atom(atom, slots, relations) for atom in part.delete),
        tuple(lift_condition(formula, slots, relations) for formula in part.formulas),
    )


def _find_mixed_resources(
    rules: Sequence[LiftedRule],
) -> tuple[dict[str, list[Trigger]], dict[str, list[Trigger]]]:
    gains: dict[str, list[Trigger]] = {}
    spends: dict[str, list[Trigger]] = {}
    for rule in rules:
        assert rule.action is not None
        for resource, amount in rule.action.uses.items():
            if amount != 0.0:
                kind = spends if amount > 0.0 else gains
                kind.setdefault(resource, []).append(make_trigger(rule, -1, ()))
    mixed = gains.keys() & spends.keys()
    return {r: gains[r] for r in sorted(mixed)}, {r: spends[r] for r in sorted(mixed)}


# --- relations, atoms and conditions over numbered slots, as grounding reads them
#
# Disjunctive and quantified conditions are in negation normal form.
#
# A quantifier gets slots of its own behind those of the rule. Its *guards* are static atoms that
# its cases must match: in `exists x: g and f` and in `forall x: not g or f`, only elements with g
# matter. Grounding enumerates the matches of the guards, not the elements of the types.


@dataclass(frozen=True, eq=False, slots=True)
class LiftedRelation:
    """A relation."""

    number: int
    name: str
    legs: tuple[str, ...]
    # for each leg the types that an element there may have as its own
    kinds: tuple[frozenset[str], ...]
    keys: tuple[int, ...]  # positions of the functional legs
    changes: bool
    moves: bool  # whether some rule replaces one of its facts by another (a robot's place)


LiftedAtom = tuple[LiftedRelation, tuple[int, ...]]
"""A relation and the slot of each leg; -1, -2, ... are existential, inside one negation."""


def lift_atom(
    atom: Atom, slots: Mapping[str, int], relations: Mapping[str, LiftedRelation]
) -> LiftedAtom:
    """Replace the variables of an atom by slots; those without one become existential."""
    open_: dict[str, int] = {}
    found = []
    for term in atom.arguments:
        if not isinstance(term, Variable):
            raise TypeError(f"{atom.predicate} in a rule takes parameters, not {term}")
        slot = slots.get(term.name)
        found.append(open_.setdefault(term.name, -1 - len(open_)) if slot is None else slot)
    return (relations[atom.predicate], tuple(found))


@dataclass(frozen=True, eq=False, slots=True)
class LiftedLiteral:
    """An atom or its negation."""

    atom: LiftedAtom
    negated: bool


@dataclass(frozen=True, eq=False, slots=True)
class LiftedJunction:
    """A conjunction (`every`) or a disjunction of any number of parts."""

    every: bool
    parts: tuple[LiftedFormula, ...]


@dataclass(frozen=True, eq=False, slots=True)
class LiftedQuantifier:
    """A formula for every, or for some, choice of elements."""

    every: bool
    slots: tuple[int, ...]
    types: tuple[str, ...]
    # static atoms; only choices with which all of them hold are cases
    guards: tuple[LiftedAtom, ...]
    body: LiftedFormula


LiftedFormula = LiftedLiteral | LiftedJunction | LiftedQuantifier


@dataclass(frozen=True, eq=False, slots=True)
class LiftedCondition:
    """A condition of a rule that is not a literal."""

    expression: Expression
    formula: LiftedFormula
    reads: tuple[int, ...]  # the slots of the rule that it reads, sorted


def lift_condition(
    expression: Expression, slots: Mapping[str, int], relations: Mapping[str, LiftedRelation]
) -> LiftedCondition:
    """Lift a condition.

    Args:
        slots: the slots of its free variables; others follow behind the largest.
    """
    fresh = itertools.count(max(slots.values(), default=-1) + 1)
    formula = _Lifting(relations, fresh).lift(expression, True, slots)
    own = set(slots.values())
    reads = sorted({slot for _, used in iterate_atoms(formula) for slot in used} & own)
    return LiftedCondition(expression, formula, tuple(reads))


def iterate_atoms(formula: LiftedFormula) -> Iterator[LiftedAtom]:
    """Yield all atoms of a formula, guards included."""
    if isinstance(formula, LiftedLiteral):
        yield formula.atom
    elif isinstance(formula, LiftedJunction):
        for part in formula.parts:
            yield from iterate_atoms(part)
    else:
        yield from formula.guards
        yield from iterate_atoms(formula.body)


@dataclass(frozen=True, slots=True)
class _Lifting:
    relations: Mapping[str, LiftedRelation]
    fresh: Iterator[int]

    def lift(self, expression: Expression, wanted: bool, slots: Mapping[str, int]) -> LiftedFormula:
        if isinstance(expression, Not):
            return self.lift(expression.body, not wanted, slots)
        if isinstance(expression, Atom):
            return LiftedLiteral(lift_atom(expression, slots, self.relations), not wanted)
        if isinstance(expression, (And, Or)):
            every = isinstance(expression, And) is wanted
            parts = [self.lift(part, wanted, slots) for part in expression.parts]
            return LiftedJunction(every, tuple(_flatten(parts, every)))
        if isinstance(expression, (Exists, Forall)):
            every = isinstance(expression, Forall) is wanted
            own = {variable.name: next(self.fresh) for variable in expression.variables}
            body = self.lift(expression.body, wanted, {**slots, **own})
            types = tuple(variable.type for variable in expression.variables)
            guards, rest = _split_guards(tuple(_flatten([body], not every)), every)
            return LiftedQuantifier(every, tuple(own.values()), types, guards, rest)
        raise TypeError("conditions of rules have no weights")


def _flatten(parts: Sequence[LiftedFormula], every: bool) -> Iterator[LiftedFormula]:
    """Yield the parts, with the parts of equal junctions in their place."""
    for part in parts:
        if isinstance(part, LiftedJunction) and part.every is every:
            yield from part.parts
        else:
            yield part


def _split_guards(
    parts: Sequence[LiftedFormula], every: bool
) -> tuple[tuple[LiftedAtom, ...], LiftedFormula]:
    """Split the body of a quantifier into its guards and the rest.

    Static atoms that a case of a universal quantifier negates decide the case where they fail, as
    those that a case of an existential one requires do.
    """
    guards, rest = [], []
    for part in parts:
        if isinstance(part, LiftedLiteral) and part.negated is every and not part.atom[0].changes:
            guards.append(part.atom)
        else:
            rest.append(part)
    body = rest[0] if len(rest) == 1 else LiftedJunction(not every, tuple(rest))
    return tuple(guards), body
