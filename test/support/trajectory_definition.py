# SPDX-License-Identifier: Apache-2.0
"""Trajectory constraints by their definition: slow and obvious, the twin of `decide_constraint`.

Gerevini and Long, Plan Constraints and Preferences in PDDL3, 2005, section 4; each operator is a
formula over the numbers of the states.
"""

import math

from fcp_ros.domain.expressions.trajectories import TrajectoryOperator


def is_kept_by_definition(operator, truths, reached=(), times=()):
    """Decide a constraint; arguments as of `decide_constraint`."""
    first, last = truths[0], truths[-1]
    states = range(len(first))
    if operator is TrajectoryOperator.ALWAYS:
        return all(first[i] for i in states)
    if operator is TrajectoryOperator.SOMETIME:
        return any(first[i] for i in states)
    if operator is TrajectoryOperator.AT_MOST_ONCE:
        return all(
            all(first[j] for j in range(i, k))
            for i in states
            if first[i]
            for k in states
            if first[k]
        )
    if operator is TrajectoryOperator.AFTER:
        return all(any(first[j] for j in states if j >= i) for i in states if last[i])
    if operator is TrajectoryOperator.BEFORE:
        return all(any(first[j] for j in states if j < i) for i in states if last[i])
    if operator is TrajectoryOperator.FIRST_THEN:
        return _follow(truths, 0)
    if operator is TrajectoryOperator.WITHIN:
        return any(first[i] and reached[i] <= times[0] for i in states)
    if operator is TrajectoryOperator.ALWAYS_WITHIN:
        return all(
            any(first[j] and reached[j] - reached[i] <= times[0] for j in states if j >= i)
            for i in states
            if last[i]
        )
    end = times[1] if operator is TrajectoryOperator.HOLD_DURING else math.inf
    lasts = [*reached[1:], math.inf]
    return all(
        first[i]
        for i in states
        if times[0] <= reached[i] < end or reached[i] <= times[0] < lasts[i]
    )


def _follow(truths, begin):
    """Return True if the parts hold one after the other from some state on."""
    if not truths:
        return True
    return any(truths[0][i] and _follow(truths[1:], i) for i in range(begin, len(truths[0])))
