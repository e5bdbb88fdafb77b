# SPDX-License-Identifier: Apache-2.0
"""The heuristics as small numbers, for kernels."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """Numbers of the heuristics, in the order of `model.search_options.Heuristic`."""

    BLIND = 0
    MAX = 1
    ADD = 2
    FF = 3
    LANDMARK_COUNT = 4
    LM_CUT = 5
