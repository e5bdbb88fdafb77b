# SPDX-License-Identifier: Apache-2.0
"""Derived predicates: their strata, and the facts of those that no action can change.

A predicate depends on those in the bodies of its axioms. Predicates that depend on one another are
one component, which must not use one of its own under a negation: then what holds would depend on
the order of derivation. Components in the order of their dependencies are the strata (Apt, Blair,
Walker, Towards a Theory of Declarative Knowledge, 1988).

A static predicate depends on nothing that actions change. Its facts are derived once and become
facts of the problem; its axioms go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.pddl.assembly import DraftStratum, assemble
from fcp_ros.domain.pddl.rules.drafting import draft_rules
from fcp_ros.domain.pddl.rules.universe import Universe, list_derivations
from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.tree import (
    TRUE,
    DomainText,
    Formula,
    Negation,
    ProblemText,
    children,
    subformulas,
)

Layer = tuple[str, ...]
"""Derived predicates, sorted."""


def find_layers(domain: DomainText, source: Source) -> tuple[Layer, ...]:
    """Find the strata of the derived predicates, the first ones first.

    Args:
        domain: the domain.
        source: its file.

    Raises:
        PddlError: a predicate depends on its own negation; the message names the cycle.
    """
    if not domain.axioms:
        return ()
    import networkx  # slow to import

    graph = networkx.DiGraph()
    graph.add_nodes_from(sorted(domain.derived))
    negative: dict[tuple[str, str], Atom] = {}
    for axiom in domain.axioms:
        for atom, holds in _list_uses(axiom.body):
            if atom.predicate in domain.derived:
                graph.add_edge(atom.predicate, axiom.head.predicate)
                if not holds:
                    negative.setdefault((atom.predicate, axiom.head.predicate), atom)
    for (used, user), atom in negative.items():
        if networkx.has_path(graph, user, used):
            cycle = networkx.shortest_path(graph, user, used)
            raise source.error(atom.column - 1, *_explain_cycle(cycle))
    components = networkx.condensation(graph)
    level: dict[int, int] = {}
    found: list[list[str]] = []
    for component in networkx.topological_sort(components):
        above = (level[other] for other in components.predecessors(component))
        level[component] = place = max(above, default=-1) + 1
        if place == len(found):
            found.append([])
        found[place].extend(components.nodes[component]["members"])
    return tuple(tuple(sorted(layer)) for layer in found)


def _explain_cycle(cycle: list[str]) -> tuple[str, str]:
    """Explain that the last predicate of a path, each of the next, is negated by the first."""
    negated = f"{cycle[0]} on (not ({cycle[-1]} ...))"
    steps = [negated, *(f"{user} on {used}" for used, user in reversed(list(pairwise(cycle))))]
    message = f"a derived predicate depends on its own negation: {', '.join(steps)}"
    return message, "define one of them without the others"


def _list_uses(formula: Formula, holds: bool = True) -> Iterator[tuple[Atom, bool]]:
    """List the atoms of a condition; False with those under an odd number of negations."""
    if isinstance(formula, Atom):
        yield formula, holds
    for part in children(formula):
        yield from _list_uses(part, holds is not isinstance(formula, Negation))


def draft_strata(
    layers: Iterable[Layer], universe: Universe, source: Source, check: Callable[[], None]
) -> tuple[DraftStratum, ...]:
    """Draft the rules of the derived predicates.

    Args:
        layers: the predicates by strata.
        universe: types, objects, facts.
        source: the domain file.
        check: called for each rule; may raise to stop.

    Raises:
        UnsupportedPddl: a body with too many cases.
    """
    actions = {action.name: action for action in list_derivations(universe.domain)}
    return tuple(
        (layer, tuple(r for n in layer for r in draft_rules(actions[n], universe, source, check)))
        for layer in layers
    )


def settle_static(
    domain: DomainText,
    problem: ProblemText,
    sources: tuple[Source, Source],
    check: Callable[[], None],
) -> tuple[DomainText, ProblemText]:
    """Derive the facts of static predicates, and drop their axioms.

    Args:
        domain: the domain.
        problem: the problem.
        sources: domain and problem file.
        check: called often; may raise to stop.
    """
    static = _find_static(domain)
    if not static:
        return domain, problem
    own = tuple(axiom for axiom in domain.axioms if axiom.head.predicate in static)
    used = {atom.predicate for axiom in own for atom, _ in _list_uses(axiom.body)} | static
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
