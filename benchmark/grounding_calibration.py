# SPDX-License-Identifier: Apache-2.0
"""Error of calibrated degrees by outcomes: ``python benchmark/grounding.py calibration``.

Simulated executors with known success rates (`grounding_simulated.py`), so that the error is known
exactly and not only estimated from outcomes:

- *error*: mean squared distance of degree and true rate over all contexts. That is by how much the
  expected Brier score is above that of an oracle who knows the rates;
- *ECE*: the same degrees in ten bins, the distance of mean degree and mean true rate.

Means over seeds with 95 % confidence intervals. "Never worse" is judged by the interval of the
paired differences: the error of a seed after n outcomes less its error before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from grounding_models import MISTAKES, PREDICATES, ModelTrial, make_judged
from grounding_simulated import (
    BIASED,
    CALIBRATED,
    MODEL,
    PREDICATE,
    TOGETHER,
    Floats,
    Mean,
    Oracle,
    Robot,
    make_world,
    mean_of,
    squared_error,
    true_calibration_error,
)
from rich.console import Console
from rich.table import Table

from fcp_ros.grounding import (
    CalibrationOptions,
    CalibrationStore,
    Calibrator,
    Evidence,
    Question,
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


# --- drift --------------------------------------------------------------------------------------

CHANGING = Oracle("too kind", shift=1.0, noise=0.5)
LEARNT = 400
"""Outcomes before the world changes, so that the degrees are right by then."""
QUIET = 1000
"""Outcomes without a change, for false alarms."""


def _third_broken(rates: Floats) -> Floats:
    found = rates.copy()
    found[::3] *= 0.1
    return found


CHANGES: Mapping[str, Callable[[Floats], Floats]] = {
    "rates halved": lambda rates: 0.5 * rates,
    "each third context broken (a tenth left)": _third_broken,
    "rates 0.7 of what they were": lambda rates: 0.7 * rates,
    "odds a third of what they were": lambda rates: rates / (rates + 3.0 * (1.0 - rates)),
    "rates up by a third of what is missing": lambda rates: rates + (1.0 - rates) / 3.0,
}


def show_drift(console: Console, seeds: int) -> None:
    """Show false alarms without a change, and the outcomes until a change is detected.

    The limit is Lorden's (1971): who knows rates and change needs ln(a) / information outcomes on
    the average if false alarms are one in a; here a is exp(threshold).
    """
    table = Table(title=f"Drift (after {LEARNT} outcomes the world changes)")
    for column in ("change", "noticed in", "outcomes until then (median, 90 %)", "limit"):
        table.add_column(column)
    quiet, alarms = 0, 0
    for seed in range(seeds):
        robot = _learnt(CHANGING, seed)
        noticed = _until_alarm(robot, QUIET)
        quiet, alarms = quiet + noticed, alarms + (noticed < QUIET)
    for name, change in CHANGES.items():
        delays, information = [], []
        for seed in range(seeds):
            robot = _learnt(CHANGING, seed)
            if robot.calibrator.drifts():
                continue  # an alarm from before is no notice
            before, robot.rates = robot.rates, change(robot.rates)
            information.append(_measure_information(robot.rates, before))
            delays.append(_until_alarm(robot, 500))
        found = sum(delay < 500 for delay in delays)
        middle, late = np.percentile(delays, [50, 90])
        limit = CalibrationOptions().drift_threshold / np.mean(information)
        table.add_row(
            name, f"{found} of {len(delays)}", f"{middle:.0f}, {late:.0f}", f"{limit:.0f}"
        )
    console.print(table)
    console.print(f"false alarms: {alarms} in {quiet} outcomes without a change")


GRIPPER = (0, 1, 2)
"""The places of the predicates that a worn gripper concerns; the last one it doesn't."""


def show_shared_drift(console: Console, seeds: int) -> None:
    """Show the outcomes of each predicate until a worn gripper is noticed for three of four."""
    table = Table(title="Drift of three predicates of four (their rates are halved)")
    for column in ("models", "outcomes of each (median, 90 %)", "the fourth is blamed"):
        table.add_column(column)
    for shared in (False, True):
        delays, blamed = [], 0
        for seed in range(seeds):
            random = np.random.default_rng(seed)
            trial = ModelTrial(make_judged(MISTAKES[0], random), random, shared=shared)
            for _ in range(100):
                _act_in_turn(trial)
            if trial.calibrator.drifts():
                continue
            for place in GRIPPER:
                one = trial.judged[place]
                trial.judged[place] = replace(one, rates=0.5 * one.rates)
            delays.append(_until_all_alarm(trial, 200))
            blamed += any(drift.predicate == PREDICATES[-1] for drift in trial.calibrator.drifts())
        middle, late = np.percentile(delays, [50, 90])
        name = "one for all" if shared else "one for each"
        table.add_row(name, f"{middle:.0f}, {late:.0f}", f"{blamed} of {len(delays)}")
    console.print(table)


def _act_in_turn(trial: ModelTrial) -> None:
    for place in range(len(trial.judged)):
        trial.act(place, 1)


def _until_all_alarm(trial: ModelTrial, most: int) -> int:
    """Count the outcomes of each predicate until all of the gripper's have an alarm."""
    wanted = {PREDICATES[place] for place in GRIPPER}
    for count in range(1, most + 1):
        _act_in_turn(trial)
        if wanted <= {drift.predicate for drift in trial.calibrator.drifts()}:
            return count
    return most


def _measure_information(after: Floats, before: Floats) -> float:
    """Measure the mean information of an outcome about a change (Kullback and Leibler)."""
    success = after * np.log(after / before)
    failure = (1.0 - after) * np.log((1.0 - after) / (1.0 - before))
    return float(np.mean(success + failure))


NEVER = CalibrationOptions(half_life=0.0, pooled_half_life=0.0, kept_after_change=1.0)
LATER = (0, 50, 100, 200, 400)
"""Outcomes after a change."""


def show_relearning(console: Console, seeds: int) -> None:
    """Show the error after a change by outcomes, with and without its detection."""
    table = Table(title="Error after the rates were halved (a worn gripper)")
    table.add_column("evidence from before")
    for count in LATER:
        table.add_column(f"{count} later", justify="right")
    usual = CalibrationOptions()
    for name, options in (
        (f"{usual.kept_after_change:.0%} left after an alarm", usual),
        ("kept", CalibrationOptions(kept_after_change=1.0)),
        ("kept, no forgetting", NEVER),
    ):
        errors: list[list[float]] = [[] for _ in LATER]
        for seed in range(seeds):
            robot = _learnt(CHANGING, seed, options)
            robot.rates = robot.rates / 2.0
            done = 0
            for place, count in enumerate(LATER):
                robot.act(count - done)
                done = count
                errors[place].append(squared_error(robot.degrees(), robot.rates))
        table.add_row(name, *(str(mean_of(column)) for column in errors))
    console.print(table)


def _learnt(oracle: Oracle, seed: int, options: CalibrationOptions | None = None) -> Robot:
    random = np.random.default_rng(seed)
    robot = Robot(make_world(oracle, random), random, options)
    robot.act(LEARNT)
    return robot


def _until_alarm(robot: Robot, most: int) -> int:
    """Count the outcomes until an alarm; `most` if there is none."""
    for count in range(most):
        if count % TOGETHER == 0:
            degrees = robot.degrees()
        robot.act_once(degrees, 1)
        if robot.calibrator.drifts():
            return count + 1
    return most


# --- speed --------------------------------------------------------------------------------------


def show_speed(console: Console, quick: bool) -> None:
    """Show the time of a batch, and of reading the evidence."""
    outcomes = 2_000 if quick else 20_000
    store = CalibrationStore(":memory:")
    keys = [
        f'{{"arguments":[{{"category":"item {n % 200}","parameter":"item"}},'
        f'{{"parameter":"purpose","text":"purpose {n // 200}"}}],"predicate":"{PREDICATE}"}}'
        for n in range(1000)
    ]
    random = np.random.default_rng(0)
    for number in range(outcomes):
        prior = float(random.random())
        key = keys[int(random.integers(len(keys)))]
        quality = float(random.random() < prior)
        store.record(
            Evidence(PREDICATE, key, quality, float(number), prior=prior, degree=prior, model=MODEL)
        )
    questions = [Question(PREDICATE, key, float(random.random()), MODEL) for key in keys]
    calibrator = Calibrator(store)
    times = {"first batch of 1,000 (reads all evidence)": _time(calibrator, questions)}
    times["the same batch again"] = min(_time(calibrator, questions) for _ in range(5))
    fresh = [one._replace(prior=one.prior / 2) for one in questions]
    times["1,000 new judgements"] = _time(calibrator, fresh)
    store.record(Evidence(PREDICATE, keys[0], 1.0, outcomes, prior=0.5, degree=0.5, model=MODEL))
    times["1,000 judgements after one more outcome"] = _time(calibrator, questions)
    table = Table(title=f"Speed ({outcomes:,} outcomes in {len(keys):,} contexts)")
    table.add_column("what")
    table.add_column("ms of CPU", justify="right")
    for name, seconds in times.items():
        table.add_row(name, f"{1000 * seconds:.2f}")
    console.print(table)


def _time(calibrator: Calibrator, questions: Sequence[Question]) -> float:
    """Measure the CPU seconds of this process, which other processes don't affect."""
    began = time.process_time()
    calibrator.calibrate(questions)
    return time.process_time() - began


def run(console: Console, quick: bool = False) -> None:
    """Run everything and show it.

    Args:
        console: where.
        quick: few seeds.
    """
    seeds = QUICK_SEEDS if quick else FULL_SEEDS
    show_learning([learn(oracle, seeds) for oracle in (*BIASED, *CALIBRATED)], console)
    show_drift(console, seeds)
    show_shared_drift(console, seeds // 2)
    show_relearning(console, seeds)
    show_speed(console, quick)
