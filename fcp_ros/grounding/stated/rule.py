# SPDX-License-Identifier: Apache-2.0
"""The rule oracle: fuzzy sets over numeric attributes, for predicates that are geometry.

Each line of the rule reckons a value and says how well it fits; a t-norm composes the lines. A
value that is not known (an object without a box) is not guessed: the rule then has no answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.oracle import Answer, all_answered
from fcp_ros.grounding.stated.arithmetic import NotKnownError, known_numbers, value_of


class RuleOracle:
    """Reckons the degree by the predicate's rule."""

    name = "rule"
    model = "rule"
    mode = "stated"
    is_kept = False

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request.

        Raises:
            GroundingError: the predicate has no rule, or lacks a value for a request (NOT_KNOWN).
        """
        return all_answered(self.judge_each(predicate, requests))

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """For each request its membership, or why there is none."""
        return [self._answer(predicate, request) for request in requests]

    def _answer(self, predicate: GradedPredicate, request: JudgementRequest) -> Answer:
        rule = predicate.rule
        if rule is None or not rule.lines:
            return GroundingError(
                GroundingCode.NOT_KNOWN,
                f"{predicate.name} has no rule; write `rule:` in the domain, or name another "
                "oracle for it",
            )
        numbers = known_numbers(request)
        degrees, said = [], []
        for line in rule.lines:
            try:
                value = value_of(line.value, numbers)
            except NotKnownError as error:
                return GroundingError(
                    GroundingCode.NOT_KNOWN,
                    f"the rule of {predicate.name} can't judge {request} by {line.text}: {error}; "
                    "give the scene what is missing, or the predicate a default_degree",
                )
            degrees.append(line.fits.degree(value))
            said.append(f"{line.text} = {value:.3g} -> {degrees[-1]:.2f}")
        degree = tnorm_by_name(rule.t_norm).compose_all(degrees)
        if len(degrees) > 1:
            said.append(f"together ({rule.t_norm}) {degree:.2f}")
        return Membership(
            degree,
            degree,
            samples=(degree,),
            source=self.name,
            model=f"{self.model}:{predicate.name}",
            note="; ".join(said),
        )
