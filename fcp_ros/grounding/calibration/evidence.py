# SPDX-License-Identifier: Apache-2.0
"""What calibration rests on: observed outcomes, and the resets that set some of them aside."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observed outcome.

    Args:
        predicate: the graded predicate that the step relied on.
        context_key: the judgement's context (`JudgementRequest.context_key`).
        quality: how well the step went, in [0, 1].
        stamp: when, seconds since the epoch.
        step: the step in words, for the audit.
        id: the record's number; 0 before it is recorded.
        reset_id: the reset that set it aside; None while it counts.
        prior: the oracle's degree that the step relied on, in [0, 1]; None where nobody knows.
        degree: the same after calibration, as it stood before this outcome; None as for prior.
        source: the kind of oracle ("embedding"); "" where nobody knows.
        model: which model or table it was; "" where nobody knows.
        weight: share of an outcome that this is, in [0, 1]; below 1 where the blame for one
            failure is spread over several judgements.
    """

    predicate: str
    context_key: str
    quality: float
    stamp: float
    step: str = ""
    id: int = 0
    reset_id: int | None = None
    prior: float | None = None
    degree: float | None = None
    source: str = ""
    model: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Reset:
    """A reset, for the audit: which evidence it set aside (None: any), when, whether undone."""

    id: int
    stamp: float
    predicate: str | None
    context_key: str | None
    undone: bool
    count: int
