# SPDX-License-Identifier: Apache-2.0
"""What all stages of one planning request look at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.fuzzy import TNorm, tnorm_by_name
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.session import PlanningSession


@dataclass(frozen=True)
class RequestContext:
    """One request, as its stages see it.

    Attributes:
        session: what is kept of the domain.
        instance: the state to start in.
        options: what is asked for.
        given: resource -> what there is of it now, where that is not the domain's own figure.
        judge: knows the degrees that were asked for, and asks for more.
        watch: limits, progress, cancelling.
    """

    session: PlanningSession
    instance: Instance
    options: PlanningOptions
    given: Mapping[str, float]
    judge: Judge
    watch: Watch

    @property
    def domain(self) -> Domain:
        """What can be done."""
        return self.session.domain

    @property
    def tnorm(self) -> TNorm:
        """How degrees compose."""
        return tnorm_by_name(self.options.tnorm)

    @property
    def amounts(self) -> dict[str, float]:
        """Resource -> what there is of it at first, for every resource of the domain."""
        return {n: self.given.get(n, r.initial) for n, r in self.domain.resources.items()}

    def problems(self) -> tuple[str, ...]:
        """What is wrong with the request's numbers, a sentence each; empty when all are fine."""
        found = list(self.options.problems())
        for name, value in self.given.items():
            if name not in self.domain.resources:
                known = ", ".join(self.domain.resources) or "none"
                found.append(f"Unknown resource {name}: the domain has {known}.")
            elif not math.isfinite(value):
                found.append(f"The amount of {name} is {value!r}: give a finite number.")
        return tuple(found)
