# SPDX-License-Identifier: Apache-2.0
"""Simulated models that judge several predicates, each wrong in a way of its own.

A second family of worlds beside `grounding_simulated.py`: the settings of calibration were chosen
here (with seeds from 1000 on), and are reported there and here (seeds from 0 on). A model judges
`PREDICATES` predicates over the same things. True rates are mostly high, as on a robot that works,
and differ from predicate to predicate. Each `Mistake` turns them into degrees.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from grounding_simulated import Floats, Oracle

from fcp_ros.grounding import (
    ArgumentContext,
    CalibrationStore,
    Calibrator,
    Evidence,
    JudgementRequest,
    Question,
)

PREDICATES = ("can_grasp", "supports", "contains", "serves_as")
ITEMS, PURPOSES = 8, 3
FRESH = 150
"""Items that are never tried, for the error on contexts never tried."""
MODEL = "simulated"


@dataclass(frozen=True)
class Judged:
    """The contexts of one predicate, with the true success rates and a model's degrees.

    Args:
        predicate: its name.
        keys: of the contexts; those of the first `tried` items may be tried.
        rates: the true success rate of each.
        priors: the model's degree of each.
        tried: number of contexts that may be tried.
    """

    predicate: str
    keys: Sequence[str]
    rates: Floats
    priors: Floats
    tried: int


Distort = Callable[[Sequence[Floats], np.random.Generator], Sequence[Floats]]


@dataclass(frozen=True)
class Mistake:
    """A way of being wrong: from the log-odds of the rates of each predicate to degrees' log-odds.

    Args:
        name: in words.
        distort: float64[item, purpose] of each predicate to the same.
    """

    name: str
    distort: Distort


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


def _shake(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    return [one + random.normal(0.0, 0.9, one.shape) for one in odds]


def _say_steps(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    """A model that says only "hardly", "perhaps" or "surely"."""
    low, high = random.normal(-0.7, 0.7), random.normal(1.2, 0.7)
    return [np.where(one < min(low, high), -2.2, np.where(one < high, 0.0, 2.2)) for one in odds]


def _squash(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    """A model that says 0.5 to 0.85 to everything, as language models do."""
    degrees = [
        0.5 + 0.35 / (1.0 + np.exp(-one - 0.7 * random.normal(size=one.shape))) for one in odds
    ]
    return [np.log(one / (1.0 - one)) for one in degrees]


def _saturate(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    """A sigmoid of the log-odds: right in the middle, too shy at the ends, and moved."""
    shift = random.normal(0.0, 0.6)
    return [2.0 * np.tanh(one / 2.0) + shift for one in odds]


def _keep(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
    return list(odds)


MISTAKES = (
    Mistake("shift of the model", _shift_together),
    Mistake("shift of each predicate", _shift_apart),
    Mistake("too sure or too shy", _stretch_together),
    Mistake("shift of each category", _shift_by_category),
    Mistake("shaken", _shake),
    Mistake("three steps", _say_steps),
    Mistake("0.5 to 0.85", _squash),
    Mistake("saturated", _saturate),
)
RIGHT = Mistake("exactly right", _keep)
HONEST = Mistake("right on the average", _keep)
"""As `RIGHT`, with rates scattered about the degrees."""
HONEST_STRENGTH = 6.0


def copy_oracle(oracle: Oracle) -> Mistake:
    """Make the mistake of an oracle of the first family, the same for all predicates."""
    if oracle.honest:
        return HONEST

    def distort(odds: Sequence[Floats], random: np.random.Generator) -> Sequence[Floats]:
        return [
            oracle.slope * one + oracle.shift + oracle.noise * random.normal(size=one.shape)
            for one in odds
        ]

    return Mistake(oracle.name, distort)


def make_judged(
    mistake: Mistake, random: np.random.Generator, *, even: bool = False
) -> list[Judged]:
    """Make the predicates of one world, and a model's opinion of them.

    Args:
        mistake: of the model.
        random: the source of chance.
        even: the true rates are spread evenly, as in the first family.
    """
    shape = (ITEMS + FRESH, PURPOSES)
    means = random.uniform(0.45, 0.85, len(PREDICATES))
    rates = [
        random.uniform(0.05, 0.97, shape)
        if even
        else np.clip(random.beta(6.0 * mean, 6.0 * (1.0 - mean), shape), 0.03, 0.98)
        for mean in means
    ]
    odds = mistake.distort([np.log(one / (1.0 - one)) for one in rates], random)
    found = []
    for name, rate, one in zip(PREDICATES, rates, odds, strict=True):
        degrees = np.clip(1.0 / (1.0 + np.exp(-one)), 0.01, 0.99)
        if mistake is HONEST:
            rate = random.beta(HONEST_STRENGTH * degrees, HONEST_STRENGTH * (1.0 - degrees))
        keys = [
            _write_key(name, item, purpose)
            for item, purpose in itertools.product(range(shape[0]), range(shape[1]))
        ]
        found.append(Judged(name, keys, rate.ravel(), degrees.ravel(), ITEMS * PURPOSES))
    return found


def _write_key(predicate: str, item: int, purpose: int) -> str:
    element = ArgumentContext("item", f"item {item}", f"item {item}")
    text = ArgumentContext("purpose", f"purpose {purpose}")
    return JudgementRequest(predicate, (element, text)).context_key


class ModelTrial:
    """A robot that acts on the degrees for several predicates.

    Args:
        judged: the predicates.
        random: decides what is tried and how it goes.
        shared: False if each predicate has a model of its own.
    """

    def __init__(
        self, judged: Sequence[Judged], random: np.random.Generator, *, shared: bool = True
    ) -> None:
        self.judged = list(judged)
        self.calibrator = Calibrator(CalibrationStore(":memory:"))
        self._shared = shared
        self._random = random
        self._stamp = 0.0

    def ask(self, place: int) -> Floats:
        """Return the calibrated degrees of all contexts of a predicate."""
        one = self.judged[place]
        questions = [
            Question(one.predicate, key, prior, self._name_model(one))
            for key, prior in zip(one.keys, one.priors.tolist(), strict=True)
        ]
        return np.asarray([answer.degree for answer in self.calibrator.calibrate(questions)])

    def act(self, place: int, count: int) -> None:
        """Observe outcomes of a predicate, in contexts drawn at random."""
        one = self.judged[place]
        for context in self._random.integers(one.tried, size=count).tolist():
            self._stamp += 1.0
            key, prior = one.keys[context], float(one.priors[context])
            question = Question(one.predicate, key, prior, self._name_model(one))
            self.calibrator.store.record(
                Evidence(
                    one.predicate,
                    key,
                    float(self._random.random() < one.rates[context]),
                    self._stamp,
                    prior=prior,
                    degree=self.calibrator.calibrate([question])[0].degree,
                    source="simulated",
                    model=question.model,
                )
            )

    def _name_model(self, one: Judged) -> str:
        return MODEL if self._shared else one.predicate
