# SPDX-License-Identifier: Apache-2.0
"""The facts that follow from a state, by the rules of its derived relations: a plain fixpoint.

Stratum by stratum, the effects of the rules are matched in the state again and again until nothing
is added. Matches are looked for by homomorphism search, as those of actions are. Whatever reads no
relation that has changed is left alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from fcp_ros.cset import Fact, Instance, InstanceBuilder, Schema
from fcp_ros.domain.expressions.syntax import atoms, list_variables
from fcp_ros.domain.model import ActionRule, Domain, Effect, Stratum
from fcp_ros.domain.rule_spans import EffectMatcher
from fcp_ros.foundation.stopping import Check, never_stop

Tuple = tuple[str, tuple[int, ...]]
"""A relation and the ids of the elements in its legs."""


class FactDerivation:
    """The derived relations of a domain, ready for its states. Safe to use from several threads.

    `strata`: in their order.
    """

    def __init__(self, strata: Iterable[Stratum], schema: Schema) -> None:
        self._strata = [_PreparedStratum(stratum, schema) for stratum in strata]

    @classmethod
    def of(cls, domain: Domain) -> FactDerivation:
        """Prepare the derived relations of a domain."""
        return cls(domain.strata, domain.schema)

    def derive(
        self,
        state: Instance,  # what it holds of derived relations is forgotten
        # the relations in which it differs from a state with the same facts of derived relations,
        # all of which followed there; None if nothing is known
        changed: Collection[str] | None = None,
        check: Check = never_stop,
    ) -> Instance:
        """Return a state with exactly the facts of derived relations that follow."""
        known = None if changed is None else set(changed)
        for stratum in self._strata:
            if known is None or not known.isdisjoint(stratum.reads):
                state = stratum.derive(state, check)
                if known is not None:
                    known.update(stratum.relations)
        return state


class _PreparedRule:
    """A part of a rule that adds facts: one of its effects, or what it adds in any state."""

    def __init__(self, rule: ActionRule, effect: Effect, schema: Schema) -> None:
        self._parameters = rule.parameters
        self._add = effect.add
        self._matcher = EffectMatcher(rule, effect, schema)
        read = [literal.atom for literal in effect.when]
        read += [atom for formula in effect.formulas for atom in atoms(formula)]
        self.reads = frozenset(atom.predicate for atom in read)

    def find_new(self, state: Instance) -> set[Tuple]:
        """Find what follows from a state and is not there."""
        # Parameters stand for single objects: each type has one element.
        bound = {p.name: state.elements(p.type)[0] for p in self._parameters}
        return {
            (atom.predicate, legs)
            for binding in self._matcher.find(state, bound)
            for atom in self._add
            for legs in (tuple(binding[name] for name in list_variables(atom)),)
            if state.find_tuple(atom.predicate, legs) is None
        }


class _PreparedStratum:
    def __init__(self, stratum: Stratum, schema: Schema) -> None:
        self.relations = stratum.relations
        self._rules = [
            _PreparedRule(rule, effect, schema)
            for rule in stratum.rules
            for effect in (Effect((), (), rule.add), *rule.effects)
            if effect.add
        ]
        self.reads = frozenset[str]().union(*(rule.reads for rule in self._rules))

    def derive(self, state: Instance, check: Check) -> Instance:
        """Return the state with what follows of these relations; others stay."""
        builder = InstanceBuilder.of(state)
        for relation in self.relations:
            for legs in tuple(state.tuples(relation).values()):
                builder.unrelate(relation, *legs)
        now, waiting = builder.build(), self._rules
        while waiting:
            check()
            new = set[Tuple]().union(*(rule.find_new(now) for rule in waiting))
            if new:
                builder = InstanceBuilder.of(now)
                for relation, legs in sorted(new):
                    builder.relate(relation, *legs)
                now = builder.build()
            fresh = {relation for relation, _ in new}
            waiting = [rule for rule in self._rules if not fresh.isdisjoint(rule.reads)]
        return now


def add_facts(domain: Domain, instance: Instance, facts: Collection[Fact]) -> Instance:
    """Return a state in which some facts hold, too, with what follows from them."""
    return change_facts(FactDerivation.of(domain), instance, facts, ())


def change_facts(
    derivation: FactDerivation,
    instance: Instance,
    added: Collection[Fact],  # each takes the place of what its functional legs have now
    removed: Collection[Fact],
) -> Instance:
    """Return a state in which some facts hold, and others don't, with what follows from that.

    Raises UnknownElement if one is about an element that is not there.
    """
    builder = InstanceBuilder.of(instance)
    for fact in removed:
        builder.unrelate(fact.relation, *map(builder.id_of, fact.arguments))
    for fact in added:
        legs = tuple(map(builder.id_of, fact.arguments))
        declared = instance.schema.relation(fact.relation)
        for position in declared.keys:
            leg = declared.legs[position][0]
            for row in instance.tuples_at(fact.relation, leg, legs[position]):
                if instance.tuples(fact.relation)[row] != legs:
                    builder.unrelate(fact.relation, *instance.tuples(fact.relation)[row])
    for fact in added:
        builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
    changed = {fact.relation for fact in (*added, *removed)}
    return derivation.derive(builder.build(), changed)
