# SPDX-License-Identifier: Apache-2.0
"""Simulated models that judge several predicates of a robot with known success rates.

A model judges `PREDICATES` over the same things. Each `Mistake` turns true rates into its degrees.
The first family is wrong in the same way about all predicates, and rates are spread evenly; in the
second, rates are mostly high, as on a robot that works, and differ from predicate to predicate.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding import (
    ArgumentContext,
    CalibrationStore,
    Calibrator,
    Evidence,
    JudgementRequest,
    Question,
)

Floats = NDArray[np.float64]
Distort = Callable[[Sequence[Floats], np.random.Generator], Sequence[Floats]]

PREDICATES = ("can_grasp", "supports", "contains", "serves_as")
ITEMS, PURPOSES = 8, 3
FRESH = 150
"""Items that are never tried: so many that chance adds nothing to a calibration error."""
TOGETHER = 10
"""Outcomes between two judgements: a robot judges, carries out a plan, then judges again."""
HONEST_STRENGTH = 6.0
"""Outcomes that a degree is worth that is right on the average."""
MODEL = "simulated"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A way of being wrong: from the log-odds of each predicate's rates to those of degrees.

    `is_even`: rates are spread evenly; `is_honest`: instead of distorting, rates are scattered
    about the degrees, so that these are right on the average and wrong in each case.
    """

    name: str
    distort: Distort
    is_even: bool = False
    is_honest: bool = False


def _bend(slope: float = 1.0, shift: float = 0.0, noise: float = 0.0) -> Distort:
    def distort(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
        return [slope * one + shift + noise * random.normal(size=one.shape) for one in odds]

    return distort


def _shift_together(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    shift = random.normal(0.0, 1.2)
    return [one + shift + random.normal(0.0, 0.25) for one in odds]


def _shift_apart(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    return [one + random.normal(0.0, 1.2) for one in odds]


def _stretch_together(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    slope = np.exp(random.normal(0.0, 0.6))
    return [slope * one for one in odds]


def _shift_by_category(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    return [one + random.normal(0.0, 0.9, (len(one), 1)) for one in odds]


def _say_steps(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    low, high = random.normal(-0.7, 0.7), random.normal(1.2, 0.7)
    return [np.where(one < min(low, high), -2.2, np.where(one < high, 0.0, 2.2)) for one in odds]


def _squash(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    degrees = [
        0.5 + 0.35 / (1.0 + np.exp(-one - 0.7 * random.normal(size=one.shape))) for one in odds
    ]
    return [np.log(one / (1.0 - one)) for one in degrees]


def _saturate(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    shift = random.normal(0.0, 0.6)
    return [2.0 * np.tanh(one / 2.0) + shift for one in odds]


MISTAKES = (
    Mistake("too harsh", _bend(shift=-1.5), True),
    Mistake("too kind", _bend(shift=1.5), True),
    Mistake("too sure", _bend(slope=2.5), True),
    Mistake("too shy", _bend(slope=0.3), True),
    Mistake("noisy", _bend(noise=1.2), True),
    Mistake("too harsh and noisy", _bend(shift=-1.2, noise=0.8), True),
    Mistake("too kind and noisy", _bend(shift=1.2, noise=0.8), True),
    Mistake("too kind and too sure", _bend(slope=2.0, shift=1.0), True),
    Mistake("right on the average, even", _bend(), True, True),
    Mistake("exactly right, even", _bend(), True),
    Mistake("a shift of the model (sd 1.2)", _shift_together),
    Mistake("a shift of each predicate (sd 1.2)", _shift_apart),
    Mistake("too sure or too shy", _stretch_together),
    Mistake("a shift of each category (sd 0.9)", _shift_by_category),
    Mistake("shaken (sd 0.9)", _bend(noise=0.9)),
    Mistake("says only hardly, perhaps, surely", _say_steps),
    Mistake("says 0.5 to 0.85 to everything", _squash),
    Mistake("a sigmoid, moved", _saturate),
    Mistake("right on the average", _bend(), False, True),
    Mistake("exactly right", _bend()),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The contexts of one predicate, with the true success rates and a model's degrees.

    `tried`: number of the first contexts, which may be tried.
    """

    predicate: str
    keys: Sequence[str]
    rates: Floats
    priors: Floats
    tried: int = ITEMS * PURPOSES


def make_judged(mistake: Mistake, random: np.random.Generator) -> list[Judged]:
    """Make the predicates of one world, and a model's opinion of them."""
    shape = (ITEMS + FRESH, PURPOSES)
    means = random.uniform(0.45, 0.85, len(PREDICATES))
    rates = [
        random.uniform(0.05, 0.97, shape)
        if mistake.is_even
        else np.clip(random.beta(6.0 * mean, 6.0 * (1.0 - mean), shape), 0.03, 0.98)
        for mean in means
    ]
    odds = mistake.distort([np.log(one / (1.0 - one)) for one in rates], random)
    found = []
    for name, rate, one in zip(PREDICATES, rates, odds, strict=True):
        degrees = np.clip(1.0 / (1.0 + np.exp(-one)), 0.01, 0.99)
        if mistake.is_honest:
            rate = random.beta(HONEST_STRENGTH * degrees, HONEST_STRENGTH * (1.0 - degrees))
        keys = [
            write_key(name, f"item {item}", f"purpose {purpose}")
            for item, purpose in itertools.product(range(shape[0]), range(shape[1]))
        ]
        found.append(Judged(name, keys, rate.ravel(), degrees.ravel()))
    return found


def write_key(predicate: str, item: str, purpose: str) -> str:
    """Write the key of a context."""
    arguments = ArgumentContext("item", item, item), ArgumentContext("purpose", purpose)
    return JudgementRequest(predicate, arguments).context_key


class Robot:
    """A robot that acts on the degrees of several predicates, and calibrates them."""

    def __init__(self, judged: Sequence[Judged], random: np.random.Generator) -> None:
        self.judged = judged
        self.calibrator = Calibrator(CalibrationStore(":memory:"))
        self._random = random
        self._stamp = 0.0

    def ask(self, one: Judged) -> Floats:
        """Return the calibrated degrees of all contexts of a predicate."""
        questions = [
            Question(one.predicate, key, prior, MODEL)
            for key, prior in zip(one.keys, one.priors.tolist(), strict=True)
        ]
        return np.asarray([answer.degree for answer in self.calibrator.calibrate(questions)])

    def act(self, count: int) -> None:
        """Observe this many outcomes of each predicate, in contexts drawn at random."""
        for start in range(0, count, TOGETHER):
            for one in self.judged:
                places = self._random.integers(one.tried, size=min(TOGETHER, count - start))
                lucky = self._random.random(len(places)) < one.rates[places]
                self.record(one, places.tolist(), lucky.astype(float).tolist())

    def record(self, one: Judged, places: Sequence[int], qualities: Sequence[float]) -> None:
        """Record outcomes that all rely on the degrees of now."""
        questions = [
            Question(one.predicate, one.keys[place], float(one.priors[place]), MODEL)
            for place in places
        ]
        answers = self.calibrator.calibrate(questions)
        for asked, answer, quality in zip(questions, answers, qualities, strict=True):
            self._stamp += 1.0
            self.calibrator.store.record(
                Evidence(
                    asked.predicate,
                    asked.context_key,
                    quality,
                    self._stamp,
                    prior=asked.prior,
                    degree=answer.degree,
                    source="simulated",
                    model=MODEL,
                )
            )
