# SPDX-License-Identifier: Apache-2.0
"""Fewer supports for the blocks of whole pairs, so that a head scores pairs in less time.

The bells of these blocks are wide (half of them lie above 0.8), so that 2,500 of them say little
more than a quarter of them. Those are chosen one after the other, each the one that the chosen ones
explain worst (pivoted Cholesky decomposition); their weights are the least squares fit to the sums
at all supports. What is lost is measured at points between supports, where nothing was fitted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.kernel import Kernel, ReducedSupports

Array = NDArray[np.float32]
Reals = NDArray[np.float64]

KEPT = 640
RIDGE = 1e-8
"""Makes the fit well-posed; from 1e-7 to 1e-9 the loss is the same."""
MOST_LOST = 0.005
"""The largest difference of a score; with more of it all supports are kept."""
LEAST_GAIN = 2.0
"""Supports for each one that is kept, below which a reduction isn't worth it."""


def reduce_supports(
    kernel: Kernel, supports: Array, weights: Array, kept: int = KEPT
) -> ReducedSupports | None:
    """Reduce the supports of the blocks of whole pairs.

    Args:
        kernel: the likeness.
        supports: features of pairs, shape (supports, features).
        weights: of the supports, shape (supports, columns).
        kept: number of supports that are kept.

    Returns:
        None if there are no such blocks, too few supports, or too much would be lost.
    """
    if len(supports) < LEAST_GAIN * kept or all(sides for *_, sides in kernel.list_blocks()):
        return None
    likeness = compute_likeness(kernel, supports, supports)
    places = choose_pivots(likeness, kept)
    columns = likeness[:, places]
    count = len(supports)
    normal = columns.T @ columns / count + RIDGE * likeness[np.ix_(places, places)]
    target = columns.T @ (likeness @ weights.astype(np.float64)) / count
    fitted = np.linalg.solve(normal, target).astype(np.float32)
    reduced = ReducedSupports(places, fitted)
    lost = measure_loss(kernel, supports, weights, reduced)
    return reduced if lost <= MOST_LOST else None


def compute_likeness(kernel: Kernel, rows: Array, others: Array) -> Reals:
    """Compute the likeness by the blocks of whole pairs, in double precision."""
    total = np.zeros((len(rows), len(others)))
    for block, sharpness, sides in kernel.list_blocks():
        if not sides:
            a, b = rows[:, block].astype(np.float64), others[:, block].astype(np.float64)
            squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T
            total += np.exp(-sharpness * squares.clip(0.0))
    return total


def choose_pivots(likeness: Reals, count: int) -> NDArray[np.intp]:
    """Choose rows of a positive semidefinite matrix by pivoted Cholesky decomposition."""
    left = likeness.diagonal().copy()
    factors = np.zeros((count, len(likeness)))
    places = np.zeros(count, np.intp)
    for number in range(count):
        place = places[number] = int(np.argmax(left))
        row = likeness[place] - factors[:number, place] @ factors[:number]
        factors[number] = row / np.sqrt(max(left[place], 1e-12))
        left -= factors[number] ** 2
        left[places[: number + 1]] = -np.inf
    return places


def measure_loss(
    kernel: Kernel, supports: Array, weights: Array, reduced: ReducedSupports, seed: int = 0
) -> float:
    """Measure the largest difference of a score at points between two supports each."""
    generator = np.random.default_rng(seed)
    one, other = generator.integers(len(supports), size=(2, min(len(supports), 1000)))
    rows = (supports[one] + supports[other]) / np.float32(2.0)
    whole = compute_likeness(kernel, rows, supports) @ weights.astype(np.float64)
    part = compute_likeness(kernel, rows, supports[reduced.places])
    return float(np.abs(whole - part @ reduced.weights.astype(np.float64)).max())
