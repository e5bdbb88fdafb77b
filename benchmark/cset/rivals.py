# SPDX-License-Identifier: Apache-2.0
"""What others need for the searches of the C-set benchmark, each in the set-up that suits it best.

networkx and rustworkx run here, igraph as a separate process. All three look for monomorphisms of
the pattern into a graph with labelled nodes.
"""

from __future__ import annotations

import importlib.util
import json
import operator
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmark.cset.scene import LabelledGraph

IGRAPH_SCRIPT = Path(__file__).resolve().parent / "igraph_child.py"


@dataclass(frozen=True)
class Result:
    """What one search found, and how long it took.

    Attributes:
        matches: their number; None where the search was not made.
        seconds: the shortest time of all repetitions.
        note: the set-up, or why the search was not made.
    """

    matches: int | None
    seconds: float
    note: str


def best_time(action: Callable[[], object], seconds: float) -> float:
    """The shortest time that an action takes, of as many repetitions as fit in some seconds."""
    best = float("inf")
    end = time.perf_counter() + seconds
    while best == float("inf") or time.perf_counter() < end:
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def by_rustworkx(target: LabelledGraph, pattern: LabelledGraph, seconds: float) -> Result:
    """VF2 of rustworkx. It has no native labels; a matcher written in C is the fastest there is."""
    if importlib.util.find_spec("rustworkx") is None:
        return Result(None, 0.0, "rustworkx is not installed: left out")
    import rustworkx

    graphs = []
    for part in (target, pattern):
        graph = rustworkx.PyDiGraph()
        graph.add_nodes_from(part.labels)
        graph.add_edges_from_no_data([(edge[0], edge[1]) for edge in part.edges])
        graphs.append(graph)

    def search(id_order: bool) -> int:
        found = rustworkx.vf2_mapping(
            *graphs, node_matcher=operator.eq, subgraph=True, induced=False, id_order=id_order
        )
        return sum(1 for _ in found)

    times = {order: best_time(lambda o=order: search(o), seconds / 2) for order in (False, True)}
    order = min(times, key=times.__getitem__)
    note = f"VF2 of rustworkx {rustworkx.__version__}, id_order={order}, matches not read"
    return Result(search(order), times[order], note)


def by_networkx(target: LabelledGraph, pattern: LabelledGraph, seconds: float) -> Result:
    """VF2 of networkx."""
    import networkx
    from networkx.algorithms.isomorphism import DiGraphMatcher, categorical_node_match

    graphs = []
    for part in (target, pattern):
        graph = networkx.DiGraph()
        graph.add_nodes_from((node, {"label": label}) for node, label in enumerate(part.labels))
        graph.add_edges_from(part.edges)
        graphs.append(graph)
    same_label = categorical_node_match("label", None)

    def search() -> int:
        matcher = DiGraphMatcher(*graphs, node_match=same_label)
        return sum(1 for _ in matcher.subgraph_monomorphisms_iter())

    note = f"VF2 of networkx {networkx.__version__}"
    return Result(search(), best_time(search, seconds), note)


def by_igraph(target: LabelledGraph, pattern: LabelledGraph, seconds: float) -> Result:
    """VF2 of igraph, with native colours, in another process."""
    if importlib.util.find_spec("igraph") is None:
        return Result(None, 0.0, "igraph is not installed: left out")
    task = {"target": asdict(target), "pattern": asdict(pattern), "seconds": seconds}
    done = subprocess.run(
        [sys.executable, str(IGRAPH_SCRIPT)],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        return Result(None, 0.0, f"igraph's process failed: {last[0]}")
    found = json.loads(done.stdout)
    note = f"VF2 of igraph {found['version']}, vertex colours, another process"
    return Result(found["matches"], found["seconds"], note)
