# SPDX-License-Identifier: Apache-2.0
"""The settings of aligning a scene with a domain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SceneAlignmentOptions:
    """The settings of an alignment."""

    time_limit: float = 60.0  # for the whole request (s)
    most_trials: int = 60
    seed: int = 0  # decides between equally good plans
