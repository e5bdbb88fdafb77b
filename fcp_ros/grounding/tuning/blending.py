# SPDX-License-Identifier: Apache-2.0
"""One degree of a head and of a tuned encoder, and the error that is to be expected of it.

Both are fitted on judgements about kinds of things that the tuning never saw: its logits of what it
was trained on are too good, and it is too sure of all others. The head knows random pairs apart
better, the tuned encoder near misses; where they differ, either may be wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.head import (
    KNOTS,
    DegreeMap,
    Head,
    Pairs,
    ScoreMemory,
    Scores,
    fit_error_map,
    fit_quantile_map,
)
from fcp_ros.grounding.tuning.adapter import TunedEncoder

Reals = NDArray[np.float64]

EDGE = 0.01  # Degrees are kept this far from 0 and 1, where a logit has no bound
RIDGE = 1e-3  # Of the regressions, for each unit of worth
STEPS = 30  # Of Newton's method, which needs less than ten
PARTS = 5  # Of the cross-validation that tells if a blend is any better than the head


@dataclass(frozen=True, slots=True)
class Blend:
    """The way from a head's degree and a tuned encoder's logit to one degree and its error."""

    degree: tuple[
        float, float, float
    ]  # factors of 1, of the logit and of the head's degree's logit
    degree_map: DegreeMap
    error: tuple[float, ...]  # factors of `list_signs`
    error_map: DegreeMap  # to the expected squared error

    def score(self, logits: Reals, plain: Reals) -> Reals:
        """Compute scores in [0, 1], which the map makes degrees of."""
        return _apply_logistic(list_logits(logits, plain) @ np.array(self.degree))

    def expect_error(self, logits: Reals, plain: Reals, errors: Reals) -> Reals:
        """Compute the root of the expected squared error of degrees."""
        degrees = self.degree_map.apply_all(self.score(logits, plain))
        signs = list_signs(degrees, logits, plain, errors)
        return np.sqrt(self.error_map.apply_all(signs @ np.array(self.error)))


def list_logits(logits: Reals, plain: Reals) -> Reals:
    inner = np.clip(plain, EDGE, 1.0 - EDGE)
    return np.stack([np.ones(len(logits)), logits, np.log(inner / (1.0 - inner))], axis=1)


def list_signs(degrees: Reals, logits: Reals, plain: Reals, errors: Reals) -> Reals:
    """List what tells of an error: the degree, how far both differ, and the head's own estimate."""
    apart = np.abs(_apply_logistic(logits) - plain)
    spread = np.sqrt(degrees * (1.0 - degrees))
    return np.stack([np.ones(len(degrees)), degrees, spread, apart, errors], axis=1)


def fit_blend(logits: Reals, plain: Reals, errors: Reals, given: Reals, worth: Reals) -> Blend:
    """Fit a blend to judgements; `worth` of each; a pair of less than 1 tells nothing of errors."""
    factors = _fit_logistic(list_logits(logits, plain), given, worth)
    scores = _apply_logistic(list_logits(logits, plain) @ factors)
    degree_map = fit_quantile_map(scores, given, KNOTS, worth)
    degrees = degree_map.apply_all(scores)
    signs = list_signs(degrees, logits, plain, errors)
    distance = np.abs(degrees - given)
    judged = (worth >= 1.0).astype(np.float64)
    weighed = signs * judged[:, None]
    normal = weighed.T @ signs + RIDGE * judged.sum() * np.eye(signs.shape[1])
    told = np.linalg.solve(normal, weighed.T @ distance)
    error_map = fit_error_map(signs @ told, distance**2, judged)
    a, b, c = factors.tolist()
    return Blend((a, b, c), degree_map, tuple(told.tolist()), error_map)


def measure_gain(
    logits: Reals, plain: Reals, given: Reals, worth: Reals, parts: NDArray[np.int64]
) -> tuple[float, float]:
    """Measure by how much a blend lowers the squared error of a head, and its standard error.

    `parts`: the number of each pair's kind of thing; those of a fifth of the kinds are judged by a
    blend that was fitted to the others. Kinds are the independent units.
    """
    numbers = np.unique(parts, return_inverse=True)[1]
    folds = numbers % PARTS
    degrees = np.array(plain)
    for fold in range(PARTS):
        others, own = folds != fold, folds == fold
        if not own.any() or not others.any():
            continue
        factors = _fit_logistic(
            list_logits(logits[others], plain[others]), given[others], worth[others]
        )
        scores = _apply_logistic(list_logits(logits, plain) @ factors)
        degree_map = fit_quantile_map(scores[others], given[others], KNOTS, worth[others])
        degrees[own] = degree_map.apply_all(scores[own])
    gains = worth * ((plain - given) ** 2 - (degrees - given) ** 2)
    sums = np.bincount(numbers, gains)
    sizes = np.bincount(numbers, worth)
    mean = sums.sum() / sizes.sum()
    return float(mean), float(np.sqrt(((sums - mean * sizes) ** 2).sum()) / sizes.sum())


def _fit_logistic(rows: Reals, given: Reals, worth: Reals) -> Reals:
    """Fit factors by the cross entropy of degrees, with a small ridge, by Newton's method."""
    factors = np.zeros(rows.shape[1])
    ridge = RIDGE * worth.sum()
    for _ in range(STEPS):
        found = _apply_logistic(rows @ factors)
        slope = rows.T @ (worth * (found - given)) + ridge * factors
        curve = (rows * (worth * found * (1.0 - found))[:, None]).T @ rows
        factors = factors - np.linalg.solve(curve + ridge * np.eye(len(factors)), slope)
    return factors


def _apply_logistic(values: Reals) -> Reals:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0))), np.float64)


@dataclass(frozen=True)
class TunedHead:
    """A head that a tuned encoder helps; scores pairs as `Head` does."""

    plain: Head
    encoder: TunedEncoder
    blend: Blend
    lock: threading.RLock  # of the plain heads, which another oracle asks, too
    memory: ScoreMemory = field(default_factory=ScoreMemory, compare=False)

    @property
    def name(self) -> str:
        return self.plain.name

    @property
    def columns(self) -> tuple[str, str]:
        return self.plain.columns

    @property
    def degree_map(self) -> DegreeMap:
        return self.blend.degree_map

    def score(self, pairs: Pairs) -> Scores:
        """Score pairs in plain spelling; a pass of the encoder for each new one, in batches."""
        return self.memory.score(pairs, self._compute)

    def _compute(self, pairs: Pairs) -> NDArray[np.float32]:
        with self.lock:
            plain = self.plain.score(pairs)
        degrees = self.plain.degree_map.apply_all(plain.values)
        errors = plain.errors.astype(np.float64)
        logits = self.encoder.score(self.name, pairs)
        columns: list[NDArray[Any]] = [
            self.blend.score(logits, degrees),
            self.blend.expect_error(logits, degrees, errors),
            plain.cosines,
        ]
        return np.asarray(np.stack(columns, axis=1), np.float32)


def list_tuned_heads(
    heads: Mapping[str, Head],
    encoder: TunedEncoder,
    blends: Mapping[str, Blend],
    lock: threading.RLock,
) -> dict[str, TunedHead]:
    """Pair the heads of a model with a tuned encoder, where there is a blend of both."""
    return {
        name: TunedHead(heads[name], encoder, blend, lock)
        for name, blend in blends.items()
        if name in heads
    }
