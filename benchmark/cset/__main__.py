# SPDX-License-Identifier: Apache-2.0
"""How fast the C-set engine is, beside others: ``python -m benchmark.cset``.

Searches: all places where an object is on a surface in a room that has a neighbouring room, in
scenes of several sizes; by this engine, by a numpy join written by hand for just this pattern, and
by the subgraph isomorphism of networkx, rustworkx and igraph (the last two where they are
installed). All must find equally many. States: rewriting, memory, match sets.

All times are the shortest of many repetitions, in one thread. Writes Markdown tables to standard
output.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Sequence

import numpy as np

from benchmark.cset.rivals import Result, best_time, by_igraph, by_networkx, by_rustworkx
from benchmark.cset.scene import GRAPH_PATTERN, Scene, numpy_join, pattern
from benchmark.cset.states import Figure, rewriting_figures
from fcp_ros.cset import find_homs

Row = tuple[str, Result]


def our_rows(scene: Scene, seconds: float) -> list[Row]:
    """All matches by this engine, and by hand."""
    target, query = scene.instance(), pattern()
    start = time.perf_counter()
    first = list(find_homs(query, target))
    cold = time.perf_counter() - start
    elements, count = query.all_elements(), len(first)
    images = np.array([[hom(id_) for id_ in elements] for hom in first]).reshape(-1, len(elements))
    _check_columns(scene, list(images.T))

    def timed(action: Callable[[], object]) -> float:
        return best_time(action, seconds)

    iterated = timed(lambda: sum(1 for _ in find_homs(query, target)))
    by_hand = timed(lambda: numpy_join(scene))
    return [
        ("ours, one Morphism after the other", Result(count, iterated, "lazy")),
        ("ours, first time ever", Result(count, cold, "makes the plan and the indexes")),
        ("numpy by hand, 4 elements", Result(count, by_hand, "offsets kept from call to call")),
    ]


def _check_columns(scene: Scene, columns: Sequence[np.ndarray]) -> None:
    """That ours are the matches that numpy finds; ids are numbers plus one, in order of types."""
    objects, surfaces, _ = scene.sizes
    first = (1, 1 + objects, 1 + objects + surfaces, 1 + objects + surfaces)
    ours = [column - begin for column, begin in zip(columns, first, strict=True)]
    theirs = list(numpy_join(scene))
    for found in (ours, theirs):
        order = np.lexsort(found)
        found[:] = [column[order] for column in found]
    assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)), "wrong matches"


def rival_rows(scene: Scene, seconds: float) -> list[Row]:
    """All matches by the libraries."""
    target = scene.labelled_graph()
    return [
        ("rustworkx", by_rustworkx(target, GRAPH_PATTERN, seconds)),
        ("igraph", by_igraph(target, GRAPH_PATTERN, seconds)),
        ("networkx", by_networkx(target, GRAPH_PATTERN, 0.0)),
    ]


def anchored_rows(scene: Scene, seconds: float, rivals: bool) -> list[Row]:
    """The matches of one object: the one that has most neighbouring rooms among the first 100."""
    target, query = scene.instance(), pattern()
    item = query.id_of("object")
    numbers = range(min(100, scene.sizes[0]))
    ids = target.elements("object")
    chosen = max(numbers, key=lambda n: len(list(find_homs(query, target, initial={item: ids[n]}))))
    anchor = {item: ids[chosen]}
    count = len(list(find_homs(query, target, initial=anchor)))
    ours = best_time(lambda: list(find_homs(query, target, initial=anchor)), seconds)
    rows = [("ours, list of Morphisms", Result(count, ours, "call and matches in all"))]
    if rivals:
        graph = scene.labelled_graph().with_label(chosen, 3)
        asked = GRAPH_PATTERN.with_label(0, 3)
        rows += [
            ("rustworkx", by_rustworkx(graph, asked, seconds)),
            ("igraph", by_igraph(graph, asked, seconds)),
            ("networkx", by_networkx(graph, asked, 0.0)),
        ]
    return rows


def print_rows(title: str, rows: list[Row]) -> None:
    """A table, with the ratio of each time to the first."""
    counts = {result.matches for _, result in rows if result.matches is not None}
    assert len(counts) == 1, f"not all found equally many: {rows}"
    print(f"\n{title}: {counts.pop():,} matches\n")
    print("| who | time | times the first | remark |")
    print("|---|---|---|---|")
    unit = rows[0][1].seconds
    for name, result in rows:
        if result.matches is None:
            print(f"| {name} | | | {result.note} |")
        else:
            ratio = f"{result.seconds / unit:,.2f}"
            print(f"| {name} | {_duration(result.seconds)} | {ratio} | {result.note} |")


def print_figures(title: str, figures: list[Figure]) -> None:
    """A table of single numbers."""
    print(f"\n{title}\n\n| what | value | target |\n|---|---|---|")
    for figure in figures:
        print(f"| {figure.what} | {figure.value} | {figure.target} |")


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def main() -> None:
    """Run all parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--rivals-up-to", type=int, default=10_000, help="objects (default: 10000)")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each measurement")
    parser.add_argument("--without-states", action="store_true", help="searches only")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    for objects in options.objects:
        scene, rivals = Scene.random(objects), objects <= options.rivals_up_to
        rows = our_rows(scene, options.seconds)
        if rivals:
            rows += rival_rows(scene, options.seconds)
        print_rows(f"All matches, {objects:,} objects", rows)
        found = anchored_rows(scene, options.seconds, rivals)
        print_rows(f"Matches of one object of {objects:,}", found)
    if not options.without_states:
        start = Scene.random(max(options.objects)).instance()
        print_figures("States: rewriting", rewriting_figures(start, options.seconds))


if __name__ == "__main__":
    main()
