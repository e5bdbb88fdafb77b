# SPDX-License-Identifier: Apache-2.0
"""igraph's part of the C-set benchmark, as a process of its own: igraph is under the GPL.

Reads a JSON object with a graph, a pattern and a time from standard input; writes the number of
matches, the shortest time that one search took, and igraph's version to standard output.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def search(task: dict[str, Any]) -> dict[str, Any]:
    """All matches by VF2, with the labels as native vertex colours."""
    import igraph

    target, pattern = (
        igraph.Graph(n=len(part["labels"]), edges=part["edges"], directed=True)
        for part in (task["target"], task["pattern"])
    )
    colours = {"color1": task["target"]["labels"], "color2": task["pattern"]["labels"]}
    best, matches = float("inf"), 0
    end = time.perf_counter() + task["seconds"]
    while best == float("inf") or time.perf_counter() < end:
        start = time.perf_counter()
        matches = len(target.get_subisomorphisms_vf2(pattern, **colours))
        best = min(best, time.perf_counter() - start)
    return {"matches": matches, "seconds": best, "version": igraph.__version__}


if __name__ == "__main__":
    json.dump(search(json.load(sys.stdin)), sys.stdout)
