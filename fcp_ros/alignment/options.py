# SPDX-License-Identifier: Apache-2.0
"""The settings of an alignment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AlignmentOptions:
    """The settings of an alignment.

    Attributes:
        time_limit: for the whole request (s).
        plan_time: for one plan (s).
        settling: plans that are tried after the first success, to tell synonyms from others that
            explain it as well.
        seed: decides between plans that are equally good.
    """

    time_limit: float = 60.0
    plan_time: float = 10.0
    most_trials: int = 200
    most_candidates: int = 100_000
    settling: int = 3
    seed: int = 0
