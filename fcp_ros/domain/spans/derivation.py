# SPDX-License-Identifier: Apache-2.0
"""The facts that follow from a state, by the rules of its derived relations: a plain fixpoint.

Stratum by stratum, each effect is matched in the state again and again until nothing is added.
Matches are looked for by homomorphism search, as those of actions are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from fcp_ros.cset import Fact, Instance, InstanceBuilder
from fcp_ros.domain.model import ActionRule, Stratum
from fcp_ros.domain.spans.amalgam import compute_changes


def derive(
    state: Instance, strata: Iterable[Stratum], check: Callable[[], None] = lambda: None
) -> Instance:
    """Return a state with exactly the facts of derived relations that follow.

    Args:
        state: what it holds of derived relations is forgotten.
        strata: of its domain, in their order.
        check: called for each round; may raise to stop.
    """
    strata = tuple(strata)
    if not strata:
        return state
    now = _forget(state, strata)
    for stratum in strata:
        while True:
            check()
            new = [
                fact
                for rule in stratum.rules
                for fact in compute_changes(rule, now, bind_only_elements(rule, now)).add
                if now.find_tuple(fact.relation, _find_ids(fact, now)) is None
            ]
            if not new:
                break
            builder = InstanceBuilder.of(now)
            for fact in dict.fromkeys(new):
                builder.relate(fact.relation, *_find_ids(fact, now))
            now = builder.build()
    return now


def bind_only_elements(rule: ActionRule, state: Instance) -> Mapping[str, int]:
    """Bind the parameters of a rule of derived relations: each type has one element."""
    return {p.name: state.elements(p.type)[0] for p in rule.parameters}


def _forget(state: Instance, strata: Iterable[Stratum]) -> Instance:
    builder = InstanceBuilder.of(state)
    for stratum in strata:
        for relation in stratum.relations:
            for legs in tuple(state.tuples(relation).values()):
                builder.unrelate(relation, *legs)
    return builder.build()


def _find_ids(fact: Fact, state: Instance) -> tuple[int, ...]:
    return tuple(state.id_of(name) for name in fact.arguments)
