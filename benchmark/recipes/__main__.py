# SPDX-License-Identifier: Apache-2.0
"""Recipes with something missing: how many keep the constraints (docs/recipes.md).

    python -m benchmark.recipes [--quick] [--held-out] [--json FILE]

The data is looked for in ../shared/bench/recipes (or FCP_RECIPES). The development half is run
unless `--held-out` is given, which is for the end only. Exit status 1 if a goal is missed.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from benchmark.recipes.checker import Document, Fault, check, keeps_constraints
from benchmark.recipes.food_words import FoodWords
from benchmark.recipes.tasks import BINDING, Task, make_tasks, read_pairs, read_recipes
from benchmark.tables import Line, Part, finish, limit, open_console, share, show_part
from fcp_ros.recipes import Kitchen, RecipeError, cook

QUICK_TASKS, QUICK_BINS = 8, (1, 3)
"""Tasks of a bin in a quick run, and its numbers of missing ingredients."""
SUCCESS, SECONDS = 0.95, 1.0
"""Goals: share of recipes that keep the constraints, and CPU time of the median recipe (s)."""
DRAWS, SEED = 1_000, 33


@dataclass(frozen=True)
class Outcome:
    """What became of a task; `faults` is None where no recipe was given."""

    task: Task
    faults: Sequence[Fault] | None
    seconds: float

    @property
    def keeps(self) -> bool:
        return self.faults is not None and keeps_constraints(self.faults)


def main(
    quick: Annotated[
        bool, typer.Option("--quick", help="Few tasks, one and three missing.")
    ] = False,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="The half that is set aside.")
    ] = False,
    json: Annotated[Path | None, typer.Option(help="All figures as JSON.")] = None,
) -> None:
    """Rewrite the recipes of one half, and check them."""
    console, words, kitchen = open_console(), FoodWords(), Kitchen()
    made = make_tasks(read_recipes(not held_out), read_pairs(), words)
    tasks = {n: made[n][:QUICK_TASKS] for n in QUICK_BINS} if quick else made
    found = {
        number: [rewrite(task, kitchen, words) for task in of_bin]
        for number, of_bin in tasks.items()
    }
    every = [one for outcomes in found.values() for one in outcomes]
    seconds = statistics.median(one.seconds for one in every)
    part = Part(
        f"success ({'held-out' if held_out else 'development'} half)",
        [summarise(f"{number} missing", outcomes) for number, outcomes in found.items()],
        [
            share("success, all bins", [one.keeps for one in every], SUCCESS),
            limit("a recipe, median of CPU time", seconds, SECONDS, "s"),
            share(
                "tasks whose unconstrained best is forbidden",
                [one.task.binds for one in every],
                BINDING,
            ),
        ],
    )
    show_part(part, console)
    finish([part], console, json, held_out=held_out)


def rewrite(task: Task, kitchen: Kitchen, words: FoodWords) -> Outcome:
    """Rewrite the recipe of a task by the function for users, and check it."""
    begin = time.process_time()
    document: Document | None = None
    with suppress(RecipeError):
        document = cook(
            task.recipe.as_json(),
            missing=task.missing,
            without=task.without,
            diet=task.diet,
            tools_absent=task.tools_absent,
            minutes=task.minutes,
            kitchen=kitchen,
        ).to_json()
    seconds = time.process_time() - begin
    return Outcome(task, None if document is None else check(document, task, words), seconds)


def summarise(task: str, outcomes: Sequence[Outcome]) -> Line:
    """The row of one bin."""
    keeps = [one.keeps for one in outcomes]
    low, high = interval_of_share(keeps, [one.task.recipe.key for one in outcomes])
    rules = Counter(
        rule.name for one in outcomes for rule in {fault.rule for fault in one.faults or ()}
    )
    return Line(
        task,
        "ours",
        {
            "tasks": len(outcomes),
            "success %": 100.0 * sum(keeps) / len(outcomes),
            "95 %": f"{100 * low:.0f} to {100 * high:.0f}",
            "no fault of our rules either %": 100.0
            * sum(one.faults == [] for one in outcomes)
            / len(outcomes),
            "no answer": sum(one.faults is None for one in outcomes),
            "s CPU": statistics.median(one.seconds for one in outcomes),
            "faults": ", ".join(f"{name} {count}" for name, count in rules.most_common(4)),
        },
    )


def interval_of_share(marks: Sequence[bool], clusters: Sequence[str]) -> tuple[float, float]:
    """95 % interval of a share: whole recipes are drawn again (several tasks share one)."""
    names, places = np.unique(np.asarray(clusters), return_inverse=True)
    good = np.bincount(places, np.asarray(marks, float), len(names))
    every = np.bincount(places, minlength=len(names))
    draws = np.random.default_rng(SEED).integers(len(names), size=(DRAWS, len(names)))
    low, high = np.percentile(good[draws].sum(1) / every[draws].sum(1), [2.5, 97.5])
    return float(low), float(high)


if __name__ == "__main__":
    typer.run(main)
