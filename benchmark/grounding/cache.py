# SPDX-License-Identifier: Apache-2.0
"""Latency of cached answers: from memory, from the file, through the grounder."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from fcp_ros.grounding import ArgumentContext, JudgementCache, JudgementRequest, Membership
from fcp_ros.grounding.asking.judgement_cache import CacheKey

MEMORY_GOAL, FILE_GOAL = 20.0, 200.0
"""Microseconds asked for."""


@dataclass(frozen=True)
class Latencies:
    """Microseconds of single calls: median and 99th percentile."""

    median: float
    high: float


def run(console: Console, quick: bool) -> None:
    """Show a table of latencies."""
    count = 2_000 if quick else 50_000
    table = Table(title=f"Cache of {count:,} answers", box=None, header_style="dim")
    for column in ("answer", "from", "median, us", "99th percentile, us", "asked, us"):
        table.add_column(column, justify="left" if column in ("answer", "from") else "right")
    uniform = tuple(1.0 / 101 for _ in range(101))
    plain = Membership(0.5, 0.5, (0.5,), source="embedding", model="m", note="similarity 0.512")
    exact = Membership(0.5, 0.5, source="causal_lm", model="m", distribution=uniform)
    for name, answer in (("a degree", plain), ("an exact distribution", exact)):
        memory, file = measure(answer, count)
        for where, took, goal in (("memory", memory, MEMORY_GOAL), ("file", file, FILE_GOAL)):
            verdict = "[green]" if took.median < goal else "[red]"
            table.add_row(
                name, where, f"{verdict}{took.median:.1f}[/]", f"{took.high:.1f}", f"{goal:.0f}"
            )
    console.print(table)


def measure(answer: Membership, count: int) -> tuple[Latencies, Latencies]:
    """Measure hits in memory and in the file, with `count` answers stored."""
    keys = [CacheKey("0123456789abcdef", request(n).context_key, "m@1", "e") for n in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache.sqlite"
        writer = JudgementCache(path)
        writer.put([(key, answer) for key in keys])
        writer.close()
        reader = JudgementCache(path)
        chosen = random.Random(1).sample(keys, min(count, 5_000))
        file = latencies(reader.get, chosen)
        memory = latencies(reader.get, chosen)
        reader.close()
    return memory, file


def request(number: int) -> JudgementRequest:
    """Make a question like those of plans."""
    return JudgementRequest(
        "serves_as",
        (
            ArgumentContext("item", f"mug_{number}", f"mug number {number}"),
            ArgumentContext("purpose", "drinking"),
        ),
    )


def latencies(get: Callable[[CacheKey], Membership | None], keys: Sequence[CacheKey]) -> Latencies:
    """Time each call separately; every key must be found."""
    took = []
    for key in keys:
        start = time.perf_counter()
        found = get(key)
        took.append((time.perf_counter() - start) * 1e6)
        assert found is not None
    return Latencies(statistics.median(took), statistics.quantiles(took, n=100)[98])
