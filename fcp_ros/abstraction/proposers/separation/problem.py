# SPDX-License-Identifier: Apache-2.0
"""Sampled transitions with the values of a pool of features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SeparationProblem:
    """Transitions, and the features that may tell them apart."""

    values: np.ndarray  # (states, features), integers of at least 0; a boolean feature is 0 or 1
    weights: np.ndarray  # (features,), the cost of selecting each, of at least 1
    boolean: np.ndarray  # (features,), True for boolean features
    sources: np.ndarray  # (transitions,), index of the state before
    targets: np.ndarray  # (transitions,), index of the state after
    goal: np.ndarray  # (states,), True where the goal holds
    alive: np.ndarray  # (states,), True where the goal can be reached
    expanded: np.ndarray  # (states,), True where all transitions of the state are listed
    # (states,), True where the policy must begin. Every expanded state that it reaches from there
    # needs a good transition.
    initial: np.ndarray
    # (transitions,), True for those that must not be good, as those that lead where the goal can't
    # be reached
    refused: np.ndarray


@dataclass(frozen=True)
class Selection:
    """Features and good transitions."""

    features: tuple[int, ...]  # indices of the selected features, increasing
    # (transitions,), True for the good transitions of states that the policy reaches
    good: np.ndarray
    # (feature, direction) by which the policy terminates: a good transition improves the first that
    # it changes. 1: a number decreases or a boolean is cleared; -1: it is set.
    order: tuple[tuple[int, int], ...]
    cost: int
    proven: bool  # True if no cheaper selection exists
