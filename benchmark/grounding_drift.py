# SPDX-License-Identifier: Apache-2.0
"""Tests for drift side by side, at equal false alarms: ``python benchmark/grounding.py drift``.

The outcomes of simulated robots and the degrees as they stood before each outcome are recorded once
(`grounding_simulated.py`; alarms change no degree), and every test sees the same ones:

- *mixture*: the package's detector;
- *odds*, *share*: one of its two kinds of change alone, a plain risk-adjusted CUSUM (Steiner 2000),
  the former also for a smaller change, and mixed with the latter for this one;
- *residuals*: Page's CUSUM (1954) on degree minus quality, with a slack, which knows no likelihood.

Each runs in both directions. Its threshold is the one at which it has as many false alarms as the
mixture at `THRESHOLDS`, in the same streams without a change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from grounding_calibration import CHANGES, CHANGING, LEARNT
from grounding_simulated import Floats, Robot, make_world
from planning_tables import Line, Part, show_part
from rich.console import Console

from fcp_ros.grounding import CalibrationOptions
from fcp_ros.grounding.calibration.drift import EDGE, ODDS, SHARE, ChangeDetector

QUIET = 1000
"""Outcomes without a change."""
MOST = 500
"""Outcomes after a change."""
FULL_SEEDS, QUICK_SEEDS = 200, 10
THRESHOLDS = (7.0, 6.0, 5.0)
"""Of the mixture: the default, and ones with more false alarms."""
SLACKS = (0.05, 0.1, 0.2)
SMALL_ODDS = 2.5
UNTOUCHED = CalibrationOptions(kept_after_change=1.0)
"""Alarms change no degree, so that every test sees the same ones."""

Stream = Sequence[tuple[float, float]]
"""Degree and quality of each outcome."""
Step = Callable[[float, float, float], float]
"""From statistic, degree and quality to the next statistic, for "worse"."""


# --- the tests ----------------------------------------------------------------------------------


def add_odds(odds: float) -> Step:
    """Likelihood ratio of odds that are lower by a factor; its logarithm adds up."""

    def step(value: float, degree: float, quality: float) -> float:
        sure = min(degree, 1.0 - EDGE)
        ratio = (quality + (1.0 - quality) * odds) / (sure + odds * (1.0 - sure))
        return max(value, 0.0) + math.log(ratio)

    return step


def add_share(value: float, degree: float, quality: float) -> float:
    """Likelihood ratio of a new cause that leaves `SHARE` of the successes."""
    sure = min(degree, 1.0 - EDGE)
    ratio = quality * SHARE + (1.0 - quality) * (1.0 - SHARE * sure) / (1.0 - sure)
    return max(value, 0.0) + math.log(ratio)


def add_residual(slack: float) -> Step:
    """Sum of degree minus quality, less a slack an outcome."""
    return lambda value, degree, quality: max(value, 0.0) + degree - quality - slack


def follow_mixture(stream: Stream) -> Iterator[float]:
    """The statistic of the package's detector, of one direction."""
    detector = ChangeDetector(threshold=20.0)  # for the bound of the evidence only
    for number, (degree, quality) in enumerate(stream):
        detector.add(degree, quality, 1.0, 0.0, number)
        yield detector.evidence


def follow(step: Step) -> Callable[[Stream], Iterator[float]]:
    """The statistic of a CUSUM, of one direction."""

    def run_through(stream: Stream) -> Iterator[float]:
        value = 0.0
        for degree, quality in stream:
            value = step(value, degree, quality)
            yield value

    return run_through


def follow_mean(*steps: Step) -> Callable[[Stream], Iterator[float]]:
    """The logarithm of the mean of several likelihood ratios, of one direction."""

    def run_through(stream: Stream) -> Iterator[float]:
        values = [0.0] * len(steps)
        for degree, quality in stream:
            pairs = zip(steps, values, strict=True)
            values = [step(value, degree, quality) for step, value in pairs]
            yield math.log(sum(map(math.exp, values)) / len(values))

    return run_through


MIXTURE = "mixture"
TESTS: Mapping[str, Callable[[Stream], Iterator[float]]] = {
    MIXTURE: follow_mixture,
    **{f"odds / {odds:g}": follow(add_odds(odds)) for odds in (ODDS, SMALL_ODDS)},
    "share": follow(add_share),
    f"mixture with odds / {SMALL_ODDS:g}": follow_mean(add_odds(SMALL_ODDS), add_share),
    **{f"residuals - {slack:g}": follow(add_residual(slack)) for slack in SLACKS},
}


def compute_path(name: str, stream: Stream) -> Floats:
    """The larger statistic of both directions after each outcome since the learning."""
    mirrored = [(1.0 - degree, 1.0 - quality) for degree, quality in stream]
    both = [list(TESTS[name](one)) for one in (stream, mirrored)]
    return np.max(np.asarray(both), axis=0)[LEARNT - 1 :]


# --- streams ------------------------------------------------------------------------------------


def record(seed: int, change: Callable[[Floats], Floats] | None, count: int) -> Stream:
    """Record the outcomes of a robot: `LEARNT`, then `count` after a change."""
    random = np.random.default_rng(seed)
    robot = Robot(make_world(CHANGING, random), random, UNTOUCHED)
    robot.act(LEARNT)
    if change is not None:
        robot.rates = change(robot.rates)
    robot.act(count)
    found = robot.calibrator.store.read_after(0)
    return [(float(one.degree or 0.0), one.quality) for one in found]


@dataclass(frozen=True)
class Paths:
    """The statistic of one test in each stream, from the last outcome before the change on."""

    quiet: Sequence[Floats]
    changed: Mapping[str, Sequence[Floats]]


def record_paths(seeds: Iterable[int]) -> dict[str, Paths]:
    """Record all streams, and follow every test through them."""
    found = {name: Paths([], {change: [] for change in CHANGES}) for name in TESTS}
    for seed in seeds:
        for change in (None, *CHANGES):
            count = QUIET if change is None else MOST
            stream = record(seed, change and CHANGES[change], count)
            for name, paths in found.items():
                kept = paths.quiet if change is None else paths.changed[change]
                kept.append(compute_path(name, stream))  # type: ignore[attr-defined]
    return found


# --- figures ------------------------------------------------------------------------------------


def find_delay(path: Floats, threshold: float) -> float:
    """Outcomes until the statistic reaches a threshold; the number of all if it doesn't.

    NaN if it was there before: such an alarm is no notice.
    """
    if path[0] >= threshold:
        return math.nan
    reached = np.flatnonzero(path >= threshold)
    return float(reached[0]) if len(reached) else float(len(path) - 1)


def find_delays(paths: Sequence[Floats], threshold: float) -> Floats:
    """The delay in each stream."""
    return np.asarray([find_delay(path, threshold) for path in paths])


def measure_false_alarms(quiet: Sequence[Floats], threshold: float) -> float:
    """First alarms for each outcome without a change."""
    delays = find_delays(quiet, threshold)
    delays = delays[~np.isnan(delays)]
    return float((delays < QUIET).sum() / max(delays.sum(), 1.0))


def match_threshold(quiet: Sequence[Floats], rate: float) -> float:
    """The least threshold with at most this rate of false alarms."""
    candidates = np.unique(np.concatenate([np.maximum.accumulate(path) for path in quiet]))
    low, high = 0, len(candidates) - 1
    while low < high:
        middle = (low + high) // 2
        if measure_false_alarms(quiet, candidates[middle]) <= rate:
            high = middle
        else:
            low = middle + 1
    return float(candidates[low])


def describe(delays: Floats, rival: Floats) -> str:
    """Median with 95 % interval, share noticed, and the paired difference of the means."""
    random = np.random.default_rng(0)
    both = ~np.isnan(delays) & ~np.isnan(rival)
    own, other = delays[both], rival[both]
    draws = random.integers(len(own), size=(1000, len(own)))
    low, high = np.percentile(np.median(own[draws], axis=1), [2.5, 97.5])
    difference = own - other
    half = 1.96 * difference.std() / math.sqrt(len(own))
    noticed = float((own < MOST).mean())
    return (
        f"{np.median(own):.0f} [{low:.0f}, {high:.0f}], {noticed:.0%}; "
        f"{difference.mean():+.1f} ±{half:.1f}"
    )


def list_figures(found: Mapping[str, Paths], threshold: float) -> list[Line]:
    """One line a test, at the false alarms of the mixture at this threshold."""
    rate = measure_false_alarms(found[MIXTURE].quiet, threshold)
    rivals = found[MIXTURE].changed
    lines = []
    for name, paths in found.items():
        own = threshold if name == MIXTURE else match_threshold(paths.quiet, rate)
        figures: dict[str, float | int | str | None] = {
            "threshold": own,
            "false alarms in 10,000": 1e4 * measure_false_alarms(paths.quiet, own),
        }
        for change in CHANGES:
            mixture = find_delays(rivals[change], threshold)
            figures[change] = describe(find_delays(paths.changed[change], own), mixture)
        lines.append(Line(f"as the mixture at {threshold:g}", name, figures))
    return lines


def run(console: Console, quick: bool) -> Part:
    """Print a table for each threshold."""
    found = record_paths(range(QUICK_SEEDS if quick else FULL_SEEDS))
    lines = [line for threshold in THRESHOLDS for line in list_figures(found, threshold)]
    note = "outcomes: median [95 %], share noticed; difference of the means to the mixture ± 95 %"
    part = Part("drift", lines, notes=(note,))
    show_part(part, console)
    return part
