# SPDX-License-Identifier: Apache-2.0
"""Admissible bounds: how good the rest of a plan can be at best, for any t-norm.

A t-norm with an additive generator turns degrees into losses that add up (Lukasiewicz: 1 - d,
product: -log d), and landmarks bound their sum. For any other t-norm the weakest link is the bound.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.forward.heuristic import INFINITY, LandmarkCut, max_membership
from fcp_ros.planning.forward.local_task import LocalTask, Resources
from fcp_ros.planning.forward.relaxed import RelaxedTask

WORST_LOG = 60.0
"""The loss -log d is cut off here, to stay finite; exp(-60) is far below any tolerance."""


def _product_loss(degree: float) -> float:
    return min(WORST_LOG, -math.log(degree)) if degree > 0.0 else WORST_LOG


GENERATORS: Mapping[str, tuple[Callable[[float], float], Callable[[float], float]]] = (
    MappingProxyType(
        {
            "lukasiewicz": (lambda degree: 1.0 - degree, lambda loss: max(0.0, 1.0 - loss)),
            "product": (_product_loss, lambda loss: math.exp(-loss)),
        }
    )
)
"""t-norm -> (degree to additive loss, and back)."""


class RemainingMembership(abc.ABC):
    """An upper bound of the composed degrees of the steps that are still to come."""

    @abc.abstractmethod
    def at(self, state: int) -> float | None:
        """The bound at a state of the local task, in [0, 1]; None where no plan exists."""


class AdditiveBound(RemainingMembership):
    """Landmarks over additive losses."""

    def __init__(self, relaxed: RelaxedTask, degrees: Sequence[float], tnorm: TNorm) -> None:
        loss, self._degree = GENERATORS[tnorm.name]
        self._cut = LandmarkCut(relaxed, [loss(degree) for degree in degrees])

    def at(self, state: int) -> float | None:
        loss = self._cut.bound(state)
        return None if loss == INFINITY else self._degree(loss)


class WeakestLinkBound(RemainingMembership):
    """hmax over degrees; right for every t-norm."""

    def __init__(self, relaxed: RelaxedTask, degrees: Sequence[float], tnorm: TNorm) -> None:
        self._relaxed = relaxed
        self._degrees = degrees
        self._tnorm = tnorm

    def at(self, state: int) -> float | None:
        return max_membership(self._relaxed, self._degrees, self._tnorm, state)


def remaining_membership(
    relaxed: RelaxedTask, degrees: Sequence[float], tnorm: TNorm
) -> RemainingMembership:
    """The sharpest bound there is for a t-norm."""
    kind = AdditiveBound if tnorm.name in GENERATORS else WeakestLinkBound
    return kind(relaxed, degrees, tnorm)


class ResourceBound:
    """Whether what is left of the resources can suffice at all.

    Looks only at resources of which more is never worse, and only where they are tight: where the
    least that must still be spent is at least a third of what there is.
    """

    def __init__(self, local: LocalTask, relaxed: RelaxedTask) -> None:
        self._cuts: list[tuple[int, LandmarkCut]] = []
        for position, direction in enumerate(local.directions):
            uses = [operator.uses[position] for operator in local.operators]
            if direction == 1 and any(uses):
                cut = LandmarkCut(relaxed, uses)
                slack = local.initial_resources[position] - local.bounds[position][0]
                if 3.0 * cut.bound(local.initial) >= slack:
                    self._cuts.append((position, cut))
        self._minimum = [low for low, _ in local.bounds]

    def suffices(self, state: int, available: Resources) -> bool:
        """False only if no plan from here stays within the resources."""
        return all(
            cut.bound(state) <= available[position] - self._minimum[position] + EPSILON
            for position, cut in self._cuts
        )
