# SPDX-License-Identifier: Apache-2.0
"""Wrong accept/reject decisions at alpha by k samples or the exact distribution.

For a request of true degree d, a judge draws a score from a distribution over 0 to 100. Taking the
median of k draws (the source paper's way), or of the distribution (exact mode), accepts where it is
at least alpha. That is wrong where d itself decides otherwise. Pure numbers; no model is asked.

*Steady* noise is a rounded normal, cut at 0 and 100. *Two minds* is what language models rather do:
round scores (multiples of 10), and with some probability a score anywhere. The distribution's
median is d where the judge has no error of its own; there, exact mode is never wrong, by
construction, and the table shows what sampling costs. With an error, the judge's median itself is
off by a normal of that width, which nothing but a better judge, or calibration, puts right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from fcp_ros.grounding.protocol.aggregation import compute_distribution_median, compute_median

Floats = NDArray[np.float64]

SCORES = np.arange(101)
DEGREES = [score / 100 for score in range(101)]
COUNTS = (1, 3, 5, 7)
ALPHAS = tuple(number / 20 for number in range(1, 20))
NEAR = 0.1
"""Requests this close to alpha are the hard ones, shown separately."""


@dataclass(frozen=True)
class Noise:
    """Scatter of single judgements about the true degree.

    Args:
        name: for the table.
        width: standard deviation, in degrees.
        astray: probability of a score anywhere instead.
        step: scores that are answered at all, in points: 1 for all, 10 for round ones.
        error: standard deviation of the judge's median about the true degree.
    """

    name: str
    width: float
    astray: float = 0.0
    step: int = 1
    error: float = 0.0


LEVELS = tuple(
    replace(noise, name=f"{noise.name}, error {error}", error=error)
    for error in (0.0, 0.1)
    for noise in (
        Noise("steady 0.05", 0.05),
        Noise("steady 0.10", 0.10),
        Noise("steady 0.20", 0.20),
        Noise("two minds 0.10 + 10 %", 0.10, astray=0.1, step=10),
        Noise("two minds 0.10 + 30 %", 0.10, astray=0.3, step=10),
    )
)


def run(console: Console, quick: bool) -> None:
    """Count wrong decisions and show them.

    Args:
        console: the table goes there.
        quick: few requests only.
    """
    generator = np.random.default_rng(1)
    columns = [f"k = {count}" for count in COUNTS] + ["exact"]
    table = Table(
        "noise of one judgement", "requests", *columns,
        title=f"wrong decisions, mean over alpha = {ALPHAS[0]} .. {ALPHAS[-1]}",
    )  # fmt: skip
    for noise in LEVELS:
        true, judged = judge_all(noise, 100 if quick else 2000, generator)
        for name, near in (("all", 1.0), (f"within {NEAR} of alpha", NEAR)):
            rates = wrong_rates(true, judged, near)
            table.add_row(noise.name, name, *(f"{rate:.1%}" for rate in rates))
    console.print(table)


def judge_all(noise: Noise, count: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw true degrees and the judgements of each way.

    Args:
        noise: of single judgements.
        count: of requests; their true degrees are spread evenly over 0 to 1.
        generator: of the draws.

    Returns:
        True degrees, shape (count,), and judged ones, shape (count, 5): k = 1, 3, 5, 7, exact.
    """
    true = generator.integers(0, 100 // noise.step, count, endpoint=True) * noise.step
    judged = np.empty((count, len(COUNTS) + 1))
    median = np.clip(np.round(true + generator.normal(0, 100 * noise.error, count)), 0, 100)
    median = np.round(median / noise.step) * noise.step
    for row, score in enumerate(median):
        chances = distribution(noise, int(score))
        draws = generator.choice(SCORES, max(COUNTS), p=chances) / 100.0
        judged[row, :-1] = [compute_median(draws[:k].tolist())[0] for k in COUNTS]
        judged[row, -1], _ = compute_distribution_median(DEGREES, chances.tolist())
    return true / 100.0, judged


def distribution(noise: Noise, score: int) -> Floats:
    """Probabilities of the scores 0 to 100, shape (101,), with the median at a score.

    The weights above and below the score are scaled to equal sums, so that cutting at 0 and 100
    doesn't move the median; at the ends themselves it holds all that is needed.
    """
    weights = np.where(SCORES % noise.step == 0, 1.0, 0.0)
    bell = weights * np.exp(-0.5 * ((SCORES - score) / (100 * noise.width)) ** 2)
    chances = (1 - noise.astray) * bell / bell.sum() + noise.astray * weights / weights.sum()
    below, above = chances[:score].sum(), chances[score + 1 :].sum()
    if below > 0 and above > 0:
        each = (below + above) / 2
        chances[:score] *= each / below
        chances[score + 1 :] *= each / above
    elif max(below, above) >= 0.5:  # at an end: the other scores get less than half
        other = slice(None, score) if below > 0 else slice(score + 1, None)
        chances[other] *= 0.49 / max(below, above)
        chances[score] = 0.51
    return np.asarray(chances / chances.sum())


def wrong_rates(true: Floats, judged: Floats, near: float) -> list[float]:
    """Share of wrong decisions of each way, over all alphas and the requests near each of them.

    Args:
        true: degrees, shape (requests,).
        judged: shape (requests, ways).
        near: only requests whose true degree is at most this far from alpha count.
    """
    wrong, counted = np.zeros(judged.shape[1]), 0
    for alpha in ALPHAS:
        # Degrees are hundredths: compared as such, or 0.35 would miss an alpha of 0.35.
        line = round(alpha * 100)
        hard = np.abs(true - alpha) <= near
        accept = np.round(true[hard] * 100) >= line
        wrong += ((np.round(judged[hard] * 100) >= line) != accept[:, None]).sum(axis=0)
        counted += int(hard.sum())
    return [float(rate) for rate in wrong / max(1, counted)]
