# SPDX-License-Identifier: Apache-2.0
"""Sampled transitions with the values of a pool of features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SeparationProblem:
    """Transitions, and the features that may tell them apart.

    Attributes:
        values: (states, features), integers of at least 0; a boolean feature is 0 or 1.
        weights: (features,), the cost of selecting each, of at least 1.
        boolean: (features,), True for boolean features.
        sources: (transitions,), index of the state before.
        targets: (transitions,), index of the state after.
        goal: (states,), True where the goal holds.
        alive: (states,), True where the goal can be reached.
        expanded: (states,), True where all transitions of the state are listed.
        initial: (states,), True where the policy must begin. Every expanded state that it reaches
            from there needs a good transition.
        refused: (transitions,), True for those that must not be good, as those that lead where the
            goal can't be reached.
    """

    values: np.ndarray
    weights: np.ndarray
    boolean: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    goal: np.ndarray
    alive: np.ndarray
    expanded: np.ndarray
    initial: np.ndarray
    refused: np.ndarray


@dataclass(frozen=True)
class Selection:
    """Features and good transitions.

    Attributes:
        features: indices of the selected features, increasing.
        good: (transitions,), True for the good transitions of states that the policy reaches.
        order: (feature, direction) by which the policy terminates: a good transition improves the
            first that it changes. 1: a number decreases or a boolean is cleared; -1: it is set.
        proven: True if no cheaper selection exists.
    """

    features: tuple[int, ...]
    good: np.ndarray
    order: tuple[tuple[int, int], ...]
    cost: int
    proven: bool
