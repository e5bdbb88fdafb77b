# SPDX-License-Identifier: Apache-2.0
"""Successive states in the C-set benchmark: rewriting and memory."""

from __future__ import annotations

import gc
import random
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from benchmark.cset.rivals import best_time
from benchmark.cset.scene import SCHEMA
from fcp_ros.cset import Instance, InstanceBuilder, Morphism, Rule, find_hom, inclusion, rewrite


@dataclass(frozen=True)
class Figure:
    """One measured number.

    Attributes:
        what: was measured.
        value: with its unit.
        target: what it is to be, if anything.
    """

    what: str
    value: str
    target: str = ""


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
        result = rewrite(rule, match)
        seconds = time.perf_counter() - start
        assert result.instance is not None, result.violations
        state = result.instance
        yield state, seconds


def rewriting_figures(start: Instance, seconds: float) -> list[Figure]:
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

    times = sorted(time_ for _, time_ in walk(rule, state, 1000))
    size = f"{len(start.elements('object')):,} objects"
    return [
        Figure(
            f"rewrite one relation, {size}, best",
            _micro(best_time(lambda: rewrite(rule, match), seconds)),
            "< 100 us",
        ),
        Figure("... median of 1,000 successive moves", _micro(times[500]), "< 100 us"),
        Figure("... 99th percentile of these", _micro(times[990])),
        Figure(
            "... of which the builder alone, best",
            _micro(best_time(by_builder, seconds)),
            "< 40 us",
        ),
        Figure(
            "find the match, one element given, best",
            _micro(best_time(anchored, seconds)),
            "< 50 us",
        ),
        Figure("memory for each successive state", _memory(rule, state), "< 5 kB"),
    ]


def _memory(rule: Rule, start: Instance, steps: int = 1000) -> str:
    ((start, _),) = walk(rule, start, 1)
    gc.collect()
    tracemalloc.start()
    states = [state for state, _ in walk(rule, start, steps)]
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return f"{held / len(states) / 1000:.2f} kB"


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us"
