# SPDX-License-Identifier: Apache-2.0
"""What a plan must still take from a resource at least: states that can't afford it are pruned."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.flat.kernel import kernel
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.lm_cut import lm_cut
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace, relax, workspace

TIGHT = 3.0
"""A resource is worth looking at where this many times the need is more than what there is."""


class ResourceNeed(NamedTuple):
    """The need of one resource; kernels take it as one argument.

    Attributes:
        resource: number of the resource.
        sign: 1 if operators only take from it (down to `bound`), -1 if they only add to it (up to
            `bound`), as to a clock.
        bound: what it may not pass.
        relaxed, work: the relaxation, weighed with what operators take or add.
    """

    resource: int
    sign: float
    bound: float
    relaxed: RelaxedTask
    work: Workspace


def resource_needs(task: FlatTask) -> list[ResourceNeed]:
    """The needs of those resources that can run out, the tightest one first.

    A resource that some operators take from and others add to has none: there what is needed can
    be made good again.
    """
    found = []
    for resource in range(len(task.amount)):
        need = _need(task, resource)
        if need is not None:
            least = lm_cut(need.relaxed, need.work, task.initial)
            left = need.sign * (float(task.amount[resource]) - need.bound)
            if TIGHT * least >= left:
                found.append((left - least, resource, need))
    return [need for _, _, need in sorted(found, key=lambda entry: entry[:2])]


@kernel
def suffices(need: ResourceNeed, amounts: Floats, state: Ints) -> bool:
    """False only if every plan from a state needs more of the resource than there is.

    Arguments:
        need: of a resource.
        amounts: what there is of each resource, float64[R].
        state: value of each variable, int32[n].
    """
    left = need.sign * (amounts[need.resource] - need.bound)
    return bool(lm_cut(need.relaxed, need.work, state) <= left + EPSILON)


def _need(task: FlatTask, resource: int) -> ResourceNeed | None:
    use = task.use[:, resource]
    if not use.any():
        return None
    if (use >= 0.0).all():
        sign, bound = 1.0, float(task.low[resource])
    elif (use <= 0.0).all():
        sign, bound = -1.0, float(task.high[resource])
    else:
        return None
    if math.isinf(bound):
        return None
    relaxed = relax(task, np.abs(use))
    return ResourceNeed(resource, sign, bound, relaxed, workspace(relaxed))
