# SPDX-License-Identifier: Apache-2.0
"""Kernel ridge regression on supports: how rows like this one were judged. Only numpy.

A row of features has one block or several. With supports s, drawn from the rows of the training,

    score(x) = mean + sum_s weight_s * likeness(x, s)
    likeness(x, s) = sum_blocks exp(-sharpness_block * |x_block - s_block|^2)

The weights minimise

    sum_x (score(x) - target(x))^2 + ridge * weights^T likeness(s, s) weights

With all rows as supports, this is kernel ridge regression on the whole.

*Cross-validation*: the score of a row by a regression that saw no row of its fold, nor any row that
is barred for the fold. Sharpness and ridge are those with the least squared error of such scores,
among a few, with fewer supports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.head import Kernel

Array = NDArray[np.float32]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

CHUNK = 2048  # Rows whose likeness is in memory at a time


@dataclass(frozen=True, slots=True)
class RegressionOptions:
    """Settings of a regression."""

    supports: int = 2500  # most rows to compare with
    # factors on the kernel's sharpness, one of which is chosen
    sharpenings: tuple[float, ...] = (0.25, 0.5, 1.0)
    # penalties on the weights, > 0, one of which is chosen
    ridges: tuple[float, ...] = (0.1, 0.3, 1.0)
    sample: int = 800  # most supports while they are chosen
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Folds:
    """Parts of the rows for cross-validation."""

    inside: tuple[Flags, ...]  # for each fold, the rows whose scores it gives; each row in one fold
    # for each fold, the rows that its regression must not see, `inside` among them
    barred: tuple[Flags, ...]


@dataclass(frozen=True, slots=True)
class Equations:
    """The normal equations of some rows; linear has one column for each target."""

    square: Reals
    linear: Reals

    def solve(self, among: Reals, ridge: float) -> Reals:
        """Solve for the weights, one column for each target; `among`: the supports' likeness."""
        matrix = self.square + ridge * among
        # Nearly equal supports make the matrix singular to working precision.
        matrix[np.diag_indices_from(matrix)] += 1e-12 * np.trace(matrix)
        return np.asarray(np.linalg.solve(matrix, self.linear), np.float64)


@dataclass(frozen=True)
class KernelRegression:
    """The rows of a training, compared with supports that were drawn from them."""

    kernel: Kernel
    ridge: float
    chosen: NDArray[np.intp]
    likeness: Array  # of all rows to the supports, shape (rows, supports)
    folds: Folds
    _squares: list[Reals] = field(default_factory=list)

    @property
    def among(self) -> Reals:
        """Likeness of the supports among each other."""
        own = self.likeness[self.chosen].astype(np.float64)
        return np.asarray((own + own.T) / 2.0, np.float64)

    def fit(self, target: Reals, ridge: float | None = None) -> tuple[Array, Reals]:
        """Fit the weights of a target; return them and each row's cross-validated score.

        `target` is less the score of a row like no support.
        """
        ridge = self.ridge if ridge is None else ridge
        every = np.ones(len(target), np.bool_)
        if not self._squares:
            parts = (every, *self.folds.barred)
            self._squares.extend(_sum_squares(self.likeness, part) for part in parts)
        among, whole = self.among, _sum_targets(self.likeness, target, every)
        scores = np.zeros(len(target))
        for number, (inside, barred) in enumerate(
            zip(self.folds.inside, self.folds.barred, strict=True)
        ):
            rest = Equations(
                self._squares[0] - self._squares[1 + number],
                whole - _sum_targets(self.likeness, target, barred),
            )
            scores[inside] = self.likeness[inside] @ rest.solve(among, ridge)
        weights = Equations(self._squares[0], whole).solve(among, ridge)
        return np.asarray(weights, np.float32), scores


@dataclass(frozen=True, slots=True)
class RegressionRows:
    """The rows of a training."""

    features: Array  # rounded as they will be kept, shape (rows, features)
    measured: Flags  # the rows whose errors count in the choice of sharpness and ridge
    folds: Folds


def prepare_regression(
    rows: RegressionRows, target: Reals, kernel: Kernel, options: RegressionOptions
) -> KernelRegression:
    """Choose sharpness (a factor on the kernel's), ridge and supports, and compare all rows."""
    kernel, ridge = choose_settings(rows, target, kernel, options)
    return _compare(rows, kernel, ridge, options.supports, options.seed)


def choose_settings(
    rows: RegressionRows, target: Reals, kernel: Kernel, options: RegressionOptions
) -> tuple[Kernel, float]:
    """Choose sharpness and ridge by the squared error of cross-validated scores."""
    if len(options.sharpenings) == len(options.ridges) == 1:
        return kernel.sharpen(options.sharpenings[0]), options.ridges[0]
    best: tuple[float, Kernel, float] | None = None
    for factor in options.sharpenings:
        tried = kernel.sharpen(factor)
        regression = _compare(rows, tried, options.ridges[0], options.sample, options.seed)
        for ridge in options.ridges:
            _, scores = regression.fit(target, ridge)
            error = float(np.mean((scores - target)[rows.measured] ** 2))
            if best is None or error < best[0]:
                best = (error, tried, ridge)
    assert best is not None
    return best[1], best[2]


def _compare(
    rows: RegressionRows, kernel: Kernel, ridge: float, supports: int, seed: int
) -> KernelRegression:
    """Draw supports, and compare all rows with them."""
    features, count = rows.features, len(rows.features)
    generator = np.random.default_rng(seed)
    chosen = np.sort(generator.choice(count, min(supports, count), replace=False))
    parts = [
        kernel.compute(features[start : start + CHUNK], features[chosen])
        for start in range(0, count, CHUNK)
    ]
    return KernelRegression(kernel, ridge, chosen, np.concatenate(parts), rows.folds)


def make_folds(kinds: Sequence[int], barred: Sequence[Flags]) -> Folds:
    """Make folds from the number of each row's fold, and the further rows barred for each."""
    numbers = np.asarray(kinds)
    inside = tuple(numbers == fold for fold in range(len(barred)))
    return Folds(inside, tuple(i | b for i, b in zip(inside, barred, strict=True)))


def _sum_squares(likeness: Array, part: Flags) -> Reals:
    total = np.zeros((likeness.shape[1], likeness.shape[1]))
    rows = np.flatnonzero(part)
    for start in range(0, len(rows), CHUNK):
        chosen = rows[start : start + CHUNK]
        own = likeness[chosen].astype(np.float64)
        total += own.T @ own
    return total


def _sum_targets(likeness: Array, target: Reals, part: Flags) -> Reals:
    return np.asarray(likeness[part].T.astype(np.float64) @ target[part], np.float64)
