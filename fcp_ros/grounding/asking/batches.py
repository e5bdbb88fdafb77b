# SPDX-License-Identifier: Apache-2.0
"""One batch to one oracle, with an answer or an error for each of its questions.

An oracle that knows only "the batch failed" is asked again in halves, where the reason lies in a
question: a text that is too long for the model must not cost the other answers.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest
from fcp_ros.grounding.protocol.oracle import Answer, MembershipOracle

ABOUT_THE_QUESTION = frozenset(
    {
        GroundingCode.NO_TABLE_ENTRY,
        GroundingCode.NOT_KNOWN,
        GroundingCode.NO_ANSWER,
        GroundingCode.CONTEXT_TOO_LONG,
    }
)
"""Reasons that hold of one question; the oracle may well answer the next."""

_LOG = logging.getLogger(__name__)


def answer_each(
    oracle: MembershipOracle, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
) -> list[Answer]:
    """For each request its membership or why there is none; never raises an `Exception`."""
    if not requests:
        return []
    try:
        judge_each = getattr(oracle, "judge_each", None)
        answers: list[Answer] = list((judge_each or oracle.judge)(predicate, requests))
    except GroundingError as error:
        if error.code not in ABOUT_THE_QUESTION or len(requests) == 1:
            return [error] * len(requests)
        middle = len(requests) // 2
        return [
            *answer_each(oracle, predicate, requests[:middle]),
            *answer_each(oracle, predicate, requests[middle:]),
        ]
    # Libraries raise whatever a broken model or device leads them to; another oracle may know.
    except Exception as error:
        _LOG.exception("the oracle %s failed on %s", oracle.name, predicate.name)
        return [_unexpected(oracle, f"{type(error).__name__}: {error}")] * len(requests)
    if len(answers) != len(requests):
        what = f"it gave {len(answers)} answers to {len(requests)} questions"
        return [_unexpected(oracle, what)] * len(requests)
    return answers


def _unexpected(oracle: MembershipOracle, what: str) -> GroundingError:
    return GroundingError(
        GroundingCode.MODEL_FAILED, f"the oracle {oracle.name} failed unexpectedly ({what})"
    )
