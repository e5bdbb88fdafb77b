# SPDX-License-Identifier: Apache-2.0
"""Landmark count: how many landmarks are still to be reached, or to be reached again.

A search keeps for each state a row of bits: the landmarks that were reached on the way to it.
Richter and Westphal, "The LAMA planner", 2010. Not admissible.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fcp_ros.planning.flat.kernel import kernel, part
from fcp_ros.planning.flat.task import Floats, Ints
from fcp_ros.planning.heuristics.landmarks import Landmarks

Row = NDArray[np.uint64]


@kernel
def landmark_progress(landmarks: Landmarks, parent_row: Row, state: Ints, out_row: Row) -> None:
    """Writes which landmarks were reached on the way to a state, the state included.

    Arguments:
        landmarks: the landmarks.
        parent_row: those that were reached on the way to the state before; zeros for the first one.
        state: value of each variable, int32[n].
        out_row: the result, uint64[w]; may be `parent_row`.
    """
    for word in range(len(out_row)):
        out_row[word] = parent_row[word]
    for number in range(len(landmarks.var)):
        if _holds(landmarks, number, state):
            out_row[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@kernel
def landmark_estimate(landmarks: Landmarks, worth: Floats, row: Row, state: Ints) -> float:
    """What the landmarks ahead of a state are worth; where all are worth more, 0 only at the goal.

    Counts what was not reached yet; and what was, but does not hold any more, where the goal asks
    for it or a landmark that was not reached yet needs it just before.

    Arguments:
        landmarks: the landmarks.
        worth: of each landmark, float64[l]; all 1 to count them. See `landmarks.worth_of`.
        row: those that were reached on the way to the state, uint64[w].
        state: value of each variable, int32[n].
    """
    ahead = 0.0
    for number in range(len(landmarks.var)):
        if not _reached(row, number):
            ahead += worth[number]
        elif not _holds(landmarks, number, state):
            again = landmarks.goal[number] == 1
            for k in range(landmarks.after_start[number], landmarks.after_start[number + 1]):
                again |= not _reached(row, landmarks.after[k])
            if again:
                ahead += worth[number]
    return ahead


@part
def _holds(landmarks: Landmarks, number: int, state: Ints) -> bool:
    equal = state[landmarks.var[number]] == landmarks.val[number]
    return bool(equal != (landmarks.other[number] == 1))


@part
def _reached(row: Row, number: int) -> bool:
    return bool((row[number >> 6] >> np.uint64(number & 63)) & np.uint64(1))
