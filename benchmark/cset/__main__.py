# SPDX-License-Identifier: Apache-2.0
"""How fast the C-set engine is: ``python -m benchmark.cset``.

Searches: all places where an object is on a surface in a room that has a neighbouring room, in
scenes of several sizes, and those of one object. States: rewriting, matching, memory.

All times are the shortest of many repetitions, in one thread. Exits with 1 when a goal is missed.
"""

from __future__ import annotations

import gc
import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Annotated

import typer

from benchmark.cset.scene import SCHEMA, Scene, pattern
from benchmark.tables import Part, Verdict, finish, in_milliseconds, limit, open_console
from fcp_ros.cset import Instance, InstanceBuilder, Morphism, Rule, find_hom, find_homs, inclusion
from fcp_ros.cset import rewrite as rewrite_by

SIZES, QUICK_SIZES = (1_000, 10_000, 100_000), (1_000, 10_000)
"""Objects."""
SECONDS, QUICK_SECONDS = 1.0, 0.2
"""For each measurement."""
MOVES = 1_000
REWRITE_US, MATCH_US, BUILDER_US, STATE_KB = 100.0, 50.0, 40.0, 5.0


def main(
    quick: Annotated[bool, typer.Option("--quick", help="Small scenes, few repetitions.")] = False,
) -> None:
    """Run both parts and show their tables."""
    console = open_console()
    sizes, seconds = (QUICK_SIZES, QUICK_SECONDS) if quick else (SIZES, SECONDS)
    searches = [one for size in sizes for one in measure_searches(Scene.random(size), seconds)]
    start = Scene.random(sizes[-1]).instance()
    parts = [Part("searches", (), searches), Part("states", (), measure_states(start, seconds))]
    finish(parts, console)


def best_time(action: Callable[[], object], seconds: float) -> float:
    """The shortest time that an action takes, of as many repetitions as fit in some seconds."""
    best = float("inf")
    end = time.perf_counter() + seconds
    while best == float("inf") or time.perf_counter() < end:
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def measure_searches(scene: Scene, seconds: float) -> Iterator[Verdict]:
    """Find all matches, and those of one object."""
    target, query = scene.instance(), pattern()
    name = f"{scene.sizes[0]:,} objects"
    start = time.perf_counter()
    first = list(find_homs(query, target))
    cold = time.perf_counter() - start
    ours = best_time(lambda: sum(1 for _ in find_homs(query, target)), seconds)
    yield Verdict(f"{name}: all {len(first):,} matches", in_milliseconds(ours))
    yield Verdict("... first time ever, with plan and indexes", in_milliseconds(cold))
    item, ids = query.id_of("object"), target.elements("object")
    anchors = [{item: ids[number]} for number in range(min(100, len(ids)))]
    anchor = max(anchors, key=lambda one: len(list(find_homs(query, target, initial=one))))
    one = best_time(lambda: list(find_homs(query, target, initial=anchor)), seconds)
    yield Verdict(f"{name}: matches of one object", f"{1e6 * one:.1f} us")


def move_rule() -> Rule:
    """Take an object from one surface to another."""

    def side(surface: str | None) -> Instance:
        builder = InstanceBuilder(SCHEMA)
        item = builder.add("object", "object")
        surfaces = {name: builder.add("surface", name) for name in ("old", "new")}
        if surface is not None:
            builder.relate("on", item, surfaces[surface])
        return builder.build()

    glue = side(None)
    return Rule("move", inclusion(glue, side("old")), inclusion(glue, side("new")))


def matches(rule: Rule, state: Instance, seed: int = 2) -> Iterator[Morphism]:
    """Matches of the move rule in a state: random objects to random surfaces."""
    generator = random.Random(seed)
    objects, surfaces = state.elements("object"), state.elements("surface")
    item, new = rule.L.id_of("object"), rule.L.id_of("new")
    while True:
        fixed = {item: generator.choice(objects), new: generator.choice(surfaces)}
        match = find_hom(rule.L, state, initial=fixed)
        if match is not None:  # otherwise the object is there already
            yield match


def walk(rule: Rule, state: Instance, steps: int) -> Iterator[tuple[Instance, float]]:
    """Successive states, and how long each rewrite took, its match given."""
    generator = random.Random(3)
    for _ in range(steps):
        match = next(matches(rule, state, generator.randrange(10**9)))
        start = time.perf_counter()
        result = rewrite_by(rule, match)
        seconds = time.perf_counter() - start
        assert result.instance is not None, result.violations
        state = result.instance
        yield state, seconds


def measure_states(start: Instance, seconds: float) -> list[Verdict]:
    """What it takes to move one object."""
    rule = move_rule()
    ((state, _),) = islice(walk(rule, start, 1), 1)
    match = next(matches(rule, state))
    item, old, new = (match(rule.L.id_of(name)) for name in ("object", "old", "new"))

    def by_builder() -> Instance:
        builder = InstanceBuilder.of(state)
        builder.unrelate("on", item, old)
        builder.relate("on", item, new)
        return builder.build()

    def anchored() -> Morphism | None:
        return find_hom(rule.L, state, initial={rule.L.id_of("object"): item})

    times = sorted(time_ for _, time_ in walk(rule, state, MOVES))
    rewritten = best_time(lambda: rewrite_by(rule, match), seconds)
    built = best_time(by_builder, seconds)
    size = f"{len(start.elements('object')):,} objects"
    return [
        limit(f"rewrite one relation, {size}, best", 1e6 * rewritten, REWRITE_US, "us"),
        limit(f"... median of {MOVES:,} moves", 1e6 * times[MOVES // 2], REWRITE_US, "us"),
        Verdict("... 99th percentile of these", f"{1e6 * times[MOVES * 99 // 100]:.1f} us"),
        limit("... the builder alone, best", 1e6 * built, BUILDER_US, "us"),
        limit("match with one element given", 1e6 * best_time(anchored, seconds), MATCH_US, "us"),
        limit("memory for each successive state", _measure_memory(rule, state), STATE_KB, "kB"),
    ]


def _measure_memory(rule: Rule, start: Instance) -> float:
    """Return the kB that a state holds beside the one before it."""
    ((start, _),) = walk(rule, start, 1)
    gc.collect()
    tracemalloc.start()
    states = [state for state, _ in walk(rule, start, MOVES)]
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / len(states) / 1000


if __name__ == "__main__":
    typer.run(main)
