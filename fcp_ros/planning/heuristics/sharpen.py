# SPDX-License-Identifier: Apache-2.0
"""Which of several equally dear needs LM-cut follows: the bound depends on it.

The first one in the order of the needs is followed. No order is the best one for all tasks, so a
few are tried at one state. Each gives an admissible bound; only how close it comes differs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.task import Ints
from fcp_ros.planning.heuristics.lm_cut import lm_cut
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, workspace


def sharpen(relaxed: RelaxedTask, state: Ints) -> RelaxedTask:
    """The same relaxation with its needs in the order that gives the highest LM-cut at a state.

    Takes six evaluations of LM-cut; the other heuristics don't change. Weighing the task again
    keeps the order.
    """
    work = workspace(relaxed)
    best, highest = relaxed, lm_cut(relaxed, work, state)
    if relaxed.bottleneck or not np.isfinite(highest):
        return relaxed
    for priority in _priorities(relaxed):
        other = relaxed._replace(pre=_ordered(relaxed, priority))
        bound = lm_cut(other, work, state)
        if bound > highest:
            best, highest = other, bound
    return best


def _priorities(relaxed: RelaxedTask) -> Iterator[NDArray[np.int64]]:
    """For each fact a number; low ones come first."""
    needed_by = np.diff(relaxed.consumer_start).astype(np.int64)
    reached_by = np.diff(relaxed.achiever_start).astype(np.int64)
    yield -np.arange(len(needed_by))
    yield needed_by
    yield -needed_by
    yield reached_by
    yield -reached_by


def _ordered(relaxed: RelaxedTask, priority: NDArray[np.int64]) -> Ints:
    """The needs of each action by priority, then by number."""
    action = np.repeat(np.arange(len(relaxed.operator)), np.diff(relaxed.pre_start))
    ordered: Ints = relaxed.pre[np.lexsort((relaxed.pre, priority[relaxed.pre], action))]
    return ordered
