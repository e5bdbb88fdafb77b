# SPDX-License-Identifier: Apache-2.0
"""The changing facts that a goal speaks of, by polarity: where compiling on demand starts."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros.cset import Fact


@dataclass(frozen=True)
class Wanted:
    """Facts by polarity; one may be in both.

    Attributes:
        positive: the goal's degree may rise when they become true.
        negative: the goal's degree may rise when they become false.
    """

    positive: frozenset[Fact] = frozenset()
    negative: frozenset[Fact] = frozenset()
