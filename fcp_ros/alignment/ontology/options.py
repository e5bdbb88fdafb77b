# SPDX-License-Identifier: Apache-2.0
"""The settings of aligning a scene with a domain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SceneAlignmentOptions:
    """The settings of an alignment.

    Attributes:
        time_limit: for the whole request (s).
        seed: decides between equally good plans.
    """

    time_limit: float = 60.0
    most_trials: int = 60
    seed: int = 0
