# SPDX-License-Identifier: Apache-2.0
"""The rules of derived predicates, and the facts of those that no action can change.

A static predicate depends on nothing that actions change. Its facts are derived once and become
facts of the problem; its axioms go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.pddl.assembly import DraftStratum, assemble
from fcp_ros.domain.pddl.rules.drafting import draft_rules
from fcp_ros.domain.pddl.rules.universe import Universe, list_derivations
from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.strata import Layer, find_layers, list_uses
from fcp_ros.domain.pddl.syntax.tree import TRUE, DomainText, ProblemText, subformulas


def draft_strata(
    layers: Iterable[Layer], universe: Universe, source: Source, check: Callable[[], None]
) -> tuple[DraftStratum, ...]:
    """Draft the rules of the derived predicates.

    `universe`: types, objects, facts. Raises UnsupportedPddl for a body with too many cases.
    """
    actions = {action.name: action for action in list_derivations(universe.domain)}
    return tuple(
        (layer, tuple(r for n in layer for r in draft_rules(actions[n], universe, source, check)))
        for layer in layers
    )


def settle_static(
    domain: DomainText,
    problem: ProblemText,
    sources: tuple[Source, Source],  # domain and problem file
    check: Callable[[], None],
) -> tuple[DomainText, ProblemText]:
    """Derive the facts of static predicates, and drop their axioms."""
    static = _find_static(domain)
    if not static:
        return domain, problem
    own = tuple(axiom for axiom in domain.axioms if axiom.head.predicate in static)
    used = {atom.predicate for axiom in own for atom, _ in list_uses(axiom.body)} | static
    part = replace(domain, actions=(), axioms=own, constraints=TRUE)
    facts = {name: tuples for name, tuples in problem.facts.items() if name in used}
    start = replace(problem, facts=facts, goal=TRUE, constraints=TRUE, metric=None)
    universe = Universe(part, start)
    strata = draft_strata(find_layers(part, sources[0]), universe, sources[0], check)
    task = assemble(universe, [], {}, (TRUE, {}), sources, {}, check, strata)
    lower = {spelt: name for name, spelt in problem.spelling.items()}
    state = task.instance
    found: dict[str, frozenset[tuple[str, ...]]] = {}
    for relation, (predicate, has_world) in task.predicates.items():
        if predicate in static:
            found[predicate] = frozenset(
                tuple(lower[state.name_of(leg)] for leg in legs[has_world:])
                for legs in state.tuples(relation).values()
            )
    left = tuple(axiom for axiom in domain.axioms if axiom.head.predicate not in static)
    return replace(domain, axioms=left), replace(problem, facts={**problem.facts, **found})


def _find_static(domain: DomainText) -> frozenset[str]:
    """Find the derived predicates that depend on nothing that an action changes."""
    changing = {
        atom.predicate
        for action in domain.actions
        for effect in action.effects
        for atom in (*effect.add, *effect.delete)
    }
    users: dict[str, set[str]] = {}
    for axiom in domain.axioms:
        for part in subformulas(axiom.body):
            if isinstance(part, Atom):
                users.setdefault(part.predicate, set()).add(axiom.head.predicate)
    waiting = list(changing)
    while waiting:
        fresh = users.get(waiting.pop(), set()) - changing
        changing |= fresh
        waiting.extend(fresh)
    return domain.derived - changing
