# SPDX-License-Identifier: Apache-2.0
"""Two transitions that no feature of a pool tells apart, though one has to be refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fcp_ros.abstraction.proposers.separation.classes import collapse_transitions
from fcp_ros.abstraction.proposers.separation.problem import SeparationProblem


@dataclass(frozen=True)
class TransitionConflict:
    """A state without a transition that may be good, and the reason for one of them."""

    needed: int
    # one that looks the same, but leads where the goal can't be reached, or changes nothing that a
    # feature sees
    refused: int


def find_conflict(problem: SeparationProblem) -> TransitionConflict | None:
    """Find the state nearest to the beginning that no selection of features can serve."""
    classes = collapse_transitions(problem)
    refused = ~problem.alive[problem.targets] | problem.refused
    refused |= classes.node_of_state[problem.sources] == classes.node_of_state[problem.targets]
    for state in np.flatnonzero(problem.alive & ~problem.goal & problem.expanded).tolist():
        leaving = np.flatnonzero(problem.sources == state)
        options = classes.of_transition[leaving]
        if len(options) and classes.bad[options].all():
            safe = leaving[problem.alive[problem.targets[leaving]]]
            needed = int(safe[0]) if len(safe) else int(leaving[0])
            same = classes.of_transition == classes.of_transition[needed]
            return TransitionConflict(needed, int(np.flatnonzero(same & refused)[0]))
    return None
