# SPDX-License-Identifier: Apache-2.0
"""Error of calibrated degrees by outcomes: ``python -m benchmark.grounding calibration``.

Simulated executors with known success rates (`simulated.py`), so that the error is known
exactly and not only estimated from outcomes:

- *error*: mean squared distance of degree and true rate over all contexts. That is by how much the
  expected Brier score is above that of an oracle who knows the rates;
- *ECE*: the same degrees in ten bins, the distance of mean degree and mean true rate.

Means over seeds with 95 % confidence intervals. "Never worse" is judged by the interval of the
paired differences: the error of a seed after n outcomes less its error before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmark.grounding.simulated import (
    BIASED,
    CALIBRATED,
    Mean,
    Oracle,
    Robot,
    make_world,
    mean_of,
    squared_error,
    true_calibration_error,
)

AFTER = (0, 10, 100, 1000)
GOAL = 5.0
"""The least factor by which the error is lower after 1000 outcomes."""
FULL_SEEDS, QUICK_SEEDS = 40, 6


@dataclass(frozen=True)
class Learning:
    """The errors of one oracle under calibration.

    Attributes:
        oracle: which one.
        errors: after each number of `AFTER` the error of each seed.
        eces: the same for the expected calibration error.
        brier: the expected Brier score before and after all outcomes.
    """

    oracle: Oracle
    errors: Sequence[Sequence[float]]
    eces: Sequence[Sequence[float]]
    brier: tuple[float, float]

    @property
    def factor(self) -> float:
        """Factor by which the mean error is lower at the end."""
        return float(np.mean(self.errors[0]) / np.mean(self.errors[-1]))

    def change(self, place: int) -> Mean:
        """Change of the error since the beginning; below 0 is better."""
        return mean_of(np.subtract(self.errors[place], self.errors[0]).tolist())


def learn(oracle: Oracle, seeds: int) -> Learning:
    """Let a robot learn in one world a seed."""
    errors: list[list[float]] = [[] for _ in AFTER]
    eces: list[list[float]] = [[] for _ in AFTER]
    unavoidable = []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        world = make_world(oracle, random)
        robot = Robot(world, random)
        unavoidable.append(float(np.mean(world.rates * (1.0 - world.rates))))
        done = 0
        for place, count in enumerate(AFTER):
            robot.act(count - done)
            done = count
            degrees = robot.degrees()
            errors[place].append(squared_error(degrees, world.rates))
            eces[place].append(true_calibration_error(degrees, world.rates))
    floor = float(np.mean(unavoidable))
    brier = floor + float(np.mean(errors[0])), floor + float(np.mean(errors[-1]))
    return Learning(oracle, errors, eces, brier)


def show_learning(found: Sequence[Learning], console: Console) -> None:
    """Show the errors before and after numbers of outcomes, and the goals that are met."""
    table = Table(title="Error (mean squared distance to the true rate; 95 % interval)")
    table.add_column("oracle")
    for count in AFTER:
        table.add_column(f"after {count}" if count else "before", justify="right")
    columns = ("times lower", *(f"ECE after {count}" for count in AFTER))
    for column in (*columns, "Brier before", "Brier after"):
        table.add_column(column, justify="right")
    for one in found:
        lower = f"{one.factor:.1f}" if np.mean(one.errors[0]) > 1e-6 else "-"
        eces = [mean_of(eces) for eces in one.eces]
        table.add_row(
            one.oracle.name,
            *(str(mean_of(errors)) for errors in one.errors),
            lower,
            *(f"{ece.value:.3f}" for ece in eces),
            *(f"{brier:.3f}" for brier in one.brier),
        )
    console.print(table)
    biased = [one for one in found if one.oracle in BIASED]
    least = min(biased, key=lambda one: one.factor)
    console.print(
        f"after {AFTER[-1]}: at least {least.factor:.1f} times lower ({least.oracle.name}); goal "
        f"{GOAL:g} times: {_verdict(least.factor >= GOAL)}"
    )
    worst = max(biased, key=lambda one: one.change(1).value)
    worse = [one.oracle.name for one in biased if one.change(1).value - one.change(1).half > 0.0]
    console.print(
        f"after {AFTER[1]}: the least gain is {worst.change(1)} ({worst.oracle.name}); goal never "
        f"worse: {_verdict(not worse)}"
    )
    for one in found:
        if one.oracle not in BIASED:
            changes = ", ".join(f"{one.change(place)}" for place in (1, 2, 3))
            console.print(f"{one.oracle.name}: the error changes by {changes}")


def _verdict(met: bool) -> str:
    return "[green]met[/]" if met else "[red]not met[/]"


def run(console: Console, quick: bool = False) -> None:
    """Let all oracles learn and show it.

    Args:
        console: where.
        quick: few seeds.
    """
    seeds = QUICK_SEEDS if quick else FULL_SEEDS
    show_learning([learn(oracle, seeds) for oracle in (*BIASED, *CALIBRATED)], console)
