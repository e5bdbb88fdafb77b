# SPDX-License-Identifier: Apache-2.0
"""What the default costs: ``python -m benchmark.grounding resources``.

Each measurement is a fresh process, which makes a grounder for the household as the node does and
asks it. The best of a few counts, so that other jobs on the machine don't decide.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from benchmark.planning.child import peak_mebibytes
from benchmark.tables import Line, Part, limit, show_part

RUNS = 3
STARTUP_SECONDS, PHRASE_MILLISECONDS, THOUSAND_MILLISECONDS, MEBIBYTES = 3.0, 15.0, 5.0, 1200.0
"""Wanted."""
NEW = 30
"""Questions with a new phrase, asked one by one."""
ITEMS, PURPOSES = 50, 20
"""Known phrases: all pairs of them are a thousand."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process measured.

    Args:
        startup: seconds from the start of the process to the first answer.
        phrase: milliseconds for a question with a new phrase, the median.
        thousand: milliseconds for 1,000 new pairs of known phrases.
        again: milliseconds for the same 1,000 once more.
        memory: peak of the resident memory, MiB.
    """

    startup: float
    phrase: float
    thousand: float
    again: float
    memory: float


def run(console: Console, quick: bool) -> Part:
    """Measure, and print the best."""
    costs = [measure_in_child() for _ in range(1 if quick else RUNS)]
    best = {name: min(getattr(cost, name) for cost in costs) for name in asdict(costs[0])}
    verdicts = (
        limit("start of the process to the first answer", best["startup"], STARTUP_SECONDS, "s"),
        limit("a question with a new phrase", best["phrase"], PHRASE_MILLISECONDS, "ms"),
        limit("1,000 new pairs of known phrases", best["thousand"], THOUSAND_MILLISECONDS, "ms"),
        limit("peak of the resident memory", best["memory"], MEBIBYTES, "MiB"),
    )
    names = ("start-up, s", "new phrase, ms", "1,000 known, ms", "the same again, ms", "MiB")
    figures = dict(zip(names, best.values(), strict=True))
    part = Part("resources", (Line("household", "default", figures),), verdicts)
    show_part(part, console)
    return part


def measure_in_child() -> Cost:
    """Measure in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), repr(time.time())]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def measure_here(started: float) -> Cost:
    """Make a grounder and ask it.

    Arguments:
        started: when the process was started, in seconds since the epoch.
    """
    from fcp_ros.domain import load_domain
    from fcp_ros.grounding import ArgumentContext, JudgementRequest, make_grounder

    household = Path(__file__).resolve().parents[2] / "config" / "domains" / "household.yaml"
    grounder = make_grounder(load_domain(household))

    def ask(item: str, purpose: str) -> JudgementRequest:
        words = ArgumentContext("item", "x", item), ArgumentContext("purpose", purpose)
        return JudgementRequest("serves_as", words)

    grounder.judge([ask("paper lantern", "brightening a porch")])
    startup = time.time() - started
    items = [f"{size} {thing}" for size in SIZES for thing in THINGS][:ITEMS]
    purposes = [f"{doing} {where}" for doing in DOINGS for where in PLACES][:PURPOSES]
    phrase = statistics.median(
        _time(lambda item=item: grounder.judge([ask(item, "brightening a porch")]))
        for item in items[:NEW]
    )
    grounder.judge([ask(item, purposes[i % PURPOSES]) for i, item in enumerate(items)])
    pairs = [ask(item, purpose) for item in items for purpose in purposes]
    thousand = _time(lambda: grounder.judge(pairs))
    again = _time(lambda: grounder.judge(pairs))
    grounder.close()
    return Cost(startup, phrase, thousand, again, peak_mebibytes())


SIZES = ("big", "old", "wooden", "folding", "painted", "narrow")
THINGS = ("crate", "kettle", "ladder", "pouch", "whistle", "tray", "lantern", "rope", "basket")
DOINGS = ("holding", "moving", "hiding", "sorting", "drying")
PLACES = ("apples in the cellar", "letters at work", "clothes on a journey", "toys in the garden")


def _time(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - before)


if __name__ == "__main__":
    print(json.dumps(asdict(measure_here(float(sys.argv[1])))))
