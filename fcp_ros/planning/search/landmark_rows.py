# SPDX-License-Identifier: Apache-2.0
"""Which landmarks were reached on the way to each state of a search.

A landmark that was missed on one way to a state lies ahead of it, whatever the other ways have
passed: every plan reaches it. So a state that is reached again keeps what all ways to it have in
common (Richter and Westphal, "The LAMA planner", 2010, section 4.3). That is not passed on to
states that it led to before; what they keep stays true.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.planning.flat.kernel import part
from fcp_ros.planning.flat.task import FlatTask
from fcp_ros.planning.heuristics.landmark_count import landmark_progress
from fcp_ros.planning.heuristics.landmarks import Landmarks
from fcp_ros.planning.search.packing import Packing
from fcp_ros.planning.search.space import Space


@part
def first_row(task: FlatTask, landmarks: Landmarks, space: Space) -> None:
    """Writes the row of the initial state, which is state 0."""
    for word in range(len(space.row)):
        space.row[word] = 0
    landmark_progress(landmarks, space.row, task.initial, space.rows[0])


@part
def pass_on(
    task: FlatTask,
    packing: Packing,
    landmarks: Landmarks,
    space: Space,
    state: int,
    operator: int,
    child: int,
    fresh: bool,
) -> bool:
    """Writes the row of a successor; only variables that the operator writes can reach anything.

    Arguments:
        task, packing, landmarks, space: of the search; the successor lies in `space.fresh`.
        state, operator: where it comes from.
        child: its number.
        fresh: whether it is met for the first time.

    Returns:
        Whether it has lost landmarks that it was thought to have behind it.
    """
    width = len(space.row)
    for word in range(width):
        space.row[word] = space.rows[state, word]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        var = task.eff_var[effect]
        value = (space.fresh[packing.word[var]] >> packing.shift[var]) & packing.mask[var]
        for k in range(landmarks.own_start[var], landmarks.own_start[var + 1]):
            number = landmarks.own[k]
            equal = np.int64(value) == landmarks.val[number]
            if equal != (landmarks.other[number] == 1):
                space.row[number >> 6] |= np.uint64(1) << np.uint64(number & 63)
    lost = False
    for word in range(width):
        if fresh:
            space.rows[child, word] = space.row[word]
        elif space.rows[child, word] & ~space.row[word] != 0:
            space.rows[child, word] &= space.row[word]
            lost = True
    return lost
