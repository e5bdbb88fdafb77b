# SPDX-License-Identifier: Apache-2.0
"""The information limit: the degrees of a judge who knows in which way a model is wrong.

Bayes' rule for somebody who is told the family of the oracle's mistake (which of slope and shift
are not 1 and 0, and how large they tend to be), the size of its noise, and that rates are spread
evenly; only the values of slope and shift must be learnt from the outcomes. No calibration that
knows less can have a lower expected error over that family.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from grounding_simulated import Floats, Oracle

SHIFTS = np.linspace(-4.5, 4.5, 37)
LOG_SLOPES = np.linspace(-2.4, 2.4, 25)
SHIFT_SPREAD, SLOPE_SPREAD = 1.5, 0.9
"""Of the oracles in the family: the standard deviations of shift and of the slope's logarithm."""
RATES = np.linspace(0.05, 0.97, 93)
DEGREES = np.linspace(0.01, 0.99, 99)
LEAST_NOISE = 0.05


@dataclass(frozen=True)
class Tried:
    """The outcomes of a context: the model's degree, successes and failures."""

    degree: float
    successes: int
    failures: int


class KnowingJudge:
    """A judge who knows the family of an oracle's mistake.

    Args:
        oracle: one of the family.
    """

    def __init__(self, oracle: Oracle) -> None:
        shifts, shift_chance = _spread(SHIFTS, SHIFT_SPREAD if oracle.shift else 0.0)
        slopes, slope_chance = _spread(LOG_SLOPES, SLOPE_SPREAD if oracle.slope != 1.0 else 0.0)
        maps = np.asarray(list(itertools.product(np.exp(slopes), shifts)))
        self._log_prior = np.log(np.outer(slope_chance, shift_chance).ravel())
        noise = max(oracle.noise, LEAST_NOISE)
        said = maps[:, :1] * _to_odds(RATES) + maps[:, 1:]
        # The distribution over RATES, given the degree and the map: float64[map, degree, rate].
        odds = -0.5 * ((_to_odds(DEGREES)[None, :, None] - said[:, None, :]) / noise) ** 2
        odds -= odds.max(axis=2, keepdims=True)
        chance = np.exp(odds)
        self._chance = chance / chance.sum(axis=2, keepdims=True)
        self._log_success, self._log_failure = np.log(RATES), np.log1p(-RATES)

    def judge(self, degrees: Floats, tried: Sequence[Tried], elsewhere: Sequence[Tried]) -> Floats:
        """Return the mean rate of contexts, given all outcomes.

        Args:
            degrees: the model's degree of each context.
            tried: the outcomes of the first contexts, in the same order.
            elsewhere: the outcomes of other predicates of the same model.
        """
        belief = self._log_prior.copy()
        for one in (*tried, *elsewhere):
            if one.successes or one.failures:
                belief += np.log(self._seen(one).sum(axis=1) + 1e-300)
        belief = np.exp(belief - belief.max())
        belief /= belief.sum()
        found = (belief @ (self._chance @ RATES))[_place(degrees)]
        for place, one in enumerate(tried):
            if one.successes or one.failures:
                seen = self._seen(one)
                found[place] = belief @ ((seen @ RATES) / (seen.sum(axis=1) + 1e-300))
        return np.asarray(found, dtype=np.float64)

    def _seen(self, one: Tried) -> Floats:
        chance = np.exp(one.successes * self._log_success + one.failures * self._log_failure)
        return np.asarray(self._chance[:, int(_place(np.asarray(one.degree)))] * chance)


def _spread(values: Floats, spread: float) -> tuple[Floats, Floats]:
    if spread == 0.0:
        return np.zeros(1), np.ones(1)
    chance = np.exp(-0.5 * (values / spread) ** 2)
    return values, chance / chance.sum()


def _to_odds(degree: Floats) -> Floats:
    return np.log(degree / (1.0 - degree))


def _place(degrees: Floats) -> np.ndarray:
    return np.rint((np.clip(degrees, DEGREES[0], DEGREES[-1]) - DEGREES[0]) * 100).astype(np.int64)


def bound_by_information(outcomes: int, variance: float, spread: float) -> float:
    """Bound the mean distance of a learnt shift of log-odds (van Trees inequality).

    Args:
        outcomes: number of outcomes.
        variance: mean of rate * (1 - rate): the information of one outcome about the shift.
        spread: standard deviation of the shift in the family.

    Returns:
        The mean absolute error of a degree, to first order, for a normal posterior.
    """
    error = 1.0 / (1.0 / spread**2 + outcomes * variance)
    return math.sqrt(2.0 / math.pi * error) * variance
