# SPDX-License-Identifier: Apache-2.0
"""The state spaces of several tasks as one table of transitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.abstraction.sampling.exploration import SampledSpace, Step
from fcp_ros.abstraction.states.state import RelationalState


@dataclass(frozen=True)
class TransitionSample:
    """States of several spaces, with all steps between them."""

    states: tuple[RelationalState, ...]
    spaces: NDArray[np.int64]  # (states,), number of the space of each state
    sources: NDArray[np.int64]  # (transitions,), index of the state before
    targets: NDArray[np.int64]  # (transitions,), index of the state after
    # for each transition the rule and its binding; of a journey the last ones
    steps: tuple[Step, ...]
    places: tuple[int, ...]  # for each journey where (bitset) its last step is; 0 for single steps
    goal: NDArray[np.bool_]  # (states,), True where the goal holds
    distances: NDArray[np.int64]  # (states,), least number of steps to the goal; -1 for dead ends
    initial: NDArray[np.bool_]  # (states,), True for the first state of each space


def join_spaces(spaces: Sequence[SampledSpace]) -> TransitionSample:
    """Join state spaces into one sample."""
    starts = np.cumsum([0, *(len(space.states) for space in spaces)])
    initial = np.zeros(starts[-1], dtype=bool)
    initial[starts[:-1]] = True

    def shift(lists: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        parts = [np.array(part, dtype=np.int64) for part in lists]
        return np.concatenate([part + start for part, start in zip(parts, starts, strict=False)])

    return TransitionSample(
        states=tuple(state for space in spaces for state in space.states),
        spaces=np.repeat(np.arange(len(spaces)), np.diff(starts)),
        sources=shift([space.sources for space in spaces]),
        targets=shift([space.targets for space in spaces]),
        steps=tuple(step for space in spaces for step in space.steps),
        places=tuple(place for space in spaces for place in space.places),
        goal=np.concatenate([np.array(space.goal, dtype=bool) for space in spaces]),
        distances=np.concatenate([np.array(s.distances, dtype=np.int64) for s in spaces]),
        initial=initial,
    )
