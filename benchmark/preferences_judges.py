# SPDX-License-Identifier: Apache-2.0
"""Judges that are wrong a little each time, for the ablation: the median of k of their answers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from planning_vague import degree_of

from fcp_ros.grounding.protocol.aggregation import compute_median
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.planning import PlanningResult

NOISE = 0.05
"""Standard deviation of one answer about the true degree."""


class NoisySource:
    """A membership source that answers with the median of some noisy judgements.

    Arguments:
        lowest: true degrees lie in [lowest, 1].
        count: number of judgements, odd.
    """

    def __init__(self, lowest: float, count: int) -> None:
        self._lowest = lowest
        self._count = count

    def judge(self, requests: Sequence[JudgementRequest]) -> Sequence[Membership]:
        """A degree for each request; the same one whenever it is asked."""
        return [self._answer(request) for request in requests]

    def find_true_membership(self, result: PlanningResult) -> float | None:
        """The membership of a plan by the true degrees, composed by Lukasiewicz; None without one.

        What it gives up counts with its weight.
        """
        if result.plan is None:
            return None
        judged = [judged for step in result.plan.steps for judged in step.judgements]
        judged += result.plan.goal_judgements
        loss = sum(1.0 - self._true_degree(one.request) for one in judged)
        return max(0.0, 1.0 - loss - sum(one.weight for one in result.given_up))

    def _true_degree(self, request: JudgementRequest) -> float:
        return degree_of(request.context_key, self._lowest)

    def _answer(self, request: JudgementRequest) -> Membership:
        generator = random.Random(request.context_key)
        true = self._true_degree(request)
        samples = tuple(
            round(min(1.0, max(0.0, generator.gauss(true, NOISE))), 2) for _ in range(self._count)
        )
        degree, spread = compute_median(samples)
        return Membership(degree, degree, samples, spread, source="noise")
