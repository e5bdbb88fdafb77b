# SPDX-License-Identifier: Apache-2.0
"""The oracle of trained heads, for any model that heads are trained for.

It judges predicates that name a set of judgements (``judged_like: substitution``); the embedding
oracle judges all others by the examples of their rubrics.
"""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.heads.head_judge import HeadJudge
from fcp_ros.grounding.heads.head_source import HeadSource
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership


class HeadOracle:
    """Membership from trained heads. Safe to call from several threads.

    Args:
        source: where the heads come from.
    """

    name = "head"

    def __init__(self, source: HeadSource) -> None:
        self._source = source
        self._judge = HeadJudge(source, self.name)

    @property
    def model(self) -> str:
        """Name and fingerprint of the model."""
        return self._source.model

    @property
    def mode(self) -> str:
        """The hash of the heads: retrained heads get new answers."""
        return f"heads2:{self._judge.hash}"

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return self._source.is_loaded

    @property
    def is_english_only(self) -> bool:
        """True if the model knows no other language than English."""
        return self._source.is_english_only

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """Judge requests, with one call of the model for all that is new in them.

        Raises:
            GroundingError: the predicate is judged like no set, or its head can't be used.
        """
        if not predicate.judged_like:
            raise GroundingError(
                GroundingCode.NO_ANCHORS,
                f"{predicate.name} names no set of judgements, so the head oracle can't judge it; "
                "write judged_like: function (or another set), or oracle: embedding, which judges "
                "by the rubric's examples",
            )
        return self._judge.judge(predicate, requests)
