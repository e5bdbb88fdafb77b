# SPDX-License-Identifier: Apache-2.0
"""All transitions that may be good, once features and their order are known.

The selection names enough good transitions for the sample. Elsewhere others are needed: two cars
may wait at one place. A group of transitions that the features treat alike may be good if each
improves the order and none leads to where the policy has nothing more to say.
"""

from __future__ import annotations

import numpy as np

from fcp_ros.abstraction.proposers.separation.problem import (
    Selection,
    SeparationProblem,
    code_transitions,
)


def widen_good(problem: SeparationProblem, selection: Selection) -> np.ndarray:
    """Return (transitions,) True for all that may be good."""
    # The good transitions of the selection are among them. Groups are tried one after the other,
    # those with most transitions first.
    alive = problem.alive & ~problem.goal
    used = np.flatnonzero(alive[problem.sources])
    codes = code_transitions(problem, used)[:, list(selection.features)]
    _, groups = np.unique(codes, axis=0, return_inverse=True)
    groups = groups.reshape(-1)
    count = int(groups.max(initial=-1)) + 1
    kept = np.zeros(count, dtype=bool)
    kept[groups[selection.good[used]]] = True
    candidates = np.zeros(count, dtype=bool)
    candidates[groups[improves_order(problem, selection, used)]] = True
    candidates[groups[~problem.alive[problem.targets[used]] | problem.refused[used]]] = False
    sizes = np.bincount(groups, minlength=count)
    for group in np.argsort(-sizes, kind="stable").tolist():
        if candidates[group] and not kept[group]:
            kept[group] = True
            kept[group] = _is_closed(problem, used[kept[groups]])
    good = np.zeros(len(problem.sources), dtype=bool)
    good[used] = kept[groups]
    return good


def _is_closed(problem: SeparationProblem, good: np.ndarray) -> bool:
    """Return True if good transitions lead only to states with another one, or to goals."""
    sources, targets = problem.sources[good], problem.targets[good]
    covered = problem.goal | ~problem.expanded
    covered[sources] = True
    reached = problem.initial.copy()
    while True:
        found = targets[reached[sources]]
        if reached[found].all():
            return bool(covered[reached].all())
        reached[found] = True


def improves_order(
    problem: SeparationProblem, selection: Selection, transitions: np.ndarray
) -> np.ndarray:
    """Return (transitions,) True for those that improve the first feature that they change."""
    before = problem.values[problem.sources[transitions]]
    after = problem.values[problem.targets[transitions]]
    improved = np.zeros(len(transitions), dtype=bool)
    undecided = np.ones(len(transitions), dtype=bool)
    for feature, direction in selection.order:
        change = direction * np.sign(after[:, feature] - before[:, feature])
        improved |= undecided & (change < 0)
        undecided &= change == 0
    return improved
