# SPDX-License-Identifier: Apache-2.0
"""Few matches among many candidates in the C-set benchmark: small patterns in random graphs."""

from __future__ import annotations

import random
from dataclasses import dataclass

from cset_rivals import Result, best_time, by_rustworkx
from cset_scene import LabelledGraph

from fcp_ros.cset import Instance, InstanceBuilder, Relation, Schema, find_homs

SCHEMA = Schema("graph", {"v": ()}, relations=(Relation("e", (("s", "v"), ("t", "v"))),))
Edges = list[tuple[int, int]]
PATTERNS: dict[str, Edges] = {
    "triangle": [(0, 1), (1, 2), (0, 2)],
    "diamond": [(0, 1), (0, 2), (1, 3), (2, 3)],
    "circle of 3": [(0, 1), (1, 2), (2, 0)],
    "clique of 4": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)],
}


@dataclass(frozen=True)
class GraphRow:
    """One pattern in one graph: what we take for all matches and for their number, and rustworkx.

    Attributes:
        name: of the pattern.
        iterated: one morphism after the other.
        counted: their number only.
        rival: of rustworkx.
    """

    name: str
    iterated: Result
    counted: Result
    rival: Result


def random_edges(nodes: int, degree: int, seed: int = 1) -> Edges:
    """Different edges between different nodes, `degree` a node on average."""
    generator = random.Random(seed)
    found: set[tuple[int, int]] = set()
    while len(found) < nodes * degree:
        edge = (generator.randrange(nodes), generator.randrange(nodes))
        if edge[0] != edge[1]:
            found.add(edge)
    return sorted(found)


def graph_rows(nodes: int, degree: int, seconds: float) -> list[GraphRow]:
    """All patterns in one random graph."""
    edges = random_edges(nodes, degree)
    target, rivals = _make_instance(nodes, edges), _make_labelled(nodes, edges)
    rows = []
    for name, wanted in PATTERNS.items():
        size = 1 + max(map(max, wanted))
        query = _make_instance(size, wanted)
        count = find_homs(query, target).count()
        counted = best_time(lambda q=query: find_homs(q, target).count(), seconds)
        iterated = best_time(lambda q=query: sum(1 for _ in find_homs(q, target)), seconds)
        rival = by_rustworkx(rivals, _make_labelled(size, wanted), seconds)
        assert rival.matches in (None, count), f"not equally many: {name}"
        rows.append(GraphRow(name, Result(count, iterated, ""), Result(count, counted, ""), rival))
    return rows


def _make_instance(nodes: int, edges: Edges) -> Instance:
    builder = InstanceBuilder(SCHEMA)
    ids = [builder.add("v") for _ in range(nodes)]
    for source, target in edges:
        builder.relate("e", ids[source], ids[target])
    return builder.build()


def _make_labelled(nodes: int, edges: Edges) -> LabelledGraph:
    return LabelledGraph([0] * nodes, [*edges])
