# SPDX-License-Identifier: Apache-2.0
"""Settings out of range are refused by name."""

from typing import Any

import pytest

from fcp_ros.grounding import GroundingError, GroundingOptions


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"samples": 4}, "odd number"),
        ({"temperature": 0.0}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"score_step": 7}, "score_step"),
        ({"strength": -1.0}, "strength"),
        ({"cap": 2.0}, "cap"),
        ({"mode": "guess"}, "exact, sample"),
        ({"device": "tpu"}, "auto, cpu, cuda"),
    ],
)
def test_out_of_range(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GroundingError, match=sentence):
        GroundingOptions(**change)
