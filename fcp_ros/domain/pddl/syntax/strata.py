# SPDX-License-Identifier: Apache-2.0
"""The strata of derived predicates.

A predicate depends on those in the bodies of its axioms. Predicates that depend on one another are
one component, which must not use one of its own under a negation: then what holds would depend on
the order of derivation. Components in the order of their dependencies are the strata (Apt, Blair,
Walker, Towards a Theory of Declarative Knowledge, 1988).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.tree import DomainText, Formula, Negation, children

Layer = tuple[str, ...]
"""Derived predicates, sorted."""


def find_layers(domain: DomainText, source: Source) -> tuple[Layer, ...]:
    """Find the strata of the derived predicates, the first ones first.

    Raises PddlError if a predicate depends on its own negation; the message names the cycle.
    """
    if not domain.axioms:
        return ()
    import networkx  # slow to import

    graph = networkx.DiGraph()
    graph.add_nodes_from(sorted(domain.derived))
    negative: dict[tuple[str, str], Atom] = {}
    for axiom in domain.axioms:
        for atom, holds in list_uses(axiom.body):
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


def list_uses(formula: Formula, holds: bool = True) -> Iterator[tuple[Atom, bool]]:
    """List the atoms of a condition; False with those under an odd number of negations."""
    if isinstance(formula, Atom):
        yield formula, holds
    for part in children(formula):
        yield from list_uses(part, holds is not isinstance(formula, Negation))
