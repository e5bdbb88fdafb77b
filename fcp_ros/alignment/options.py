# SPDX-License-Identifier: Apache-2.0
"""The settings of an alignment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AlignmentOptions:
    """The settings of an alignment."""

    time_limit: float = 60.0  # for the whole request (s)
    plan_time: float = 10.0  # for one plan (s)
    most_trials: int = 200
    most_candidates: int = 100_000
    # plans that are tried after the first success, to tell synonyms from others that explain it as
    # well
    settling: int = 3
    seed: int = 0  # decides between plans that are equally good
