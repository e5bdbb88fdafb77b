# SPDX-License-Identifier: Apache-2.0
"""Settings out of range are refused by name."""

from typing import Any

import pytest

from fcp_ros.grounding import (
    CalibrationOptions,
    EndpointOptions,
    GroundingError,
    GroundingOptions,
    LanguageModelOptions,
)


@pytest.mark.parametrize(
    ("options", "change", "sentence"),
    [
        (LanguageModelOptions, {"samples": 4}, "odd number"),
        (LanguageModelOptions, {"temperature": 0.0}, "temperature"),
        (LanguageModelOptions, {"temperature": float("nan")}, "temperature"),
        (LanguageModelOptions, {"token_budget": 7}, "token_budget"),
        (LanguageModelOptions, {"least_mass": 1.5}, "least_mass"),
        (LanguageModelOptions, {"mode": "guess"}, "exact, sample"),
        (LanguageModelOptions, {"precision": "int3"}, "float32, bfloat16"),
        (CalibrationOptions, {"strength": -1.0}, "strength"),
        (CalibrationOptions, {"cap": 2.0}, "cap"),
        (CalibrationOptions, {"half_life": -1.0}, "half_life"),
        (CalibrationOptions, {"half_life_days": float("nan")}, "half_life_days"),
        (CalibrationOptions, {"pooled_half_life": -0.5}, "pooled_half_life"),
        (CalibrationOptions, {"neighbours": 1.5}, "neighbours"),
        (CalibrationOptions, {"drift_threshold": 0.0}, "drift_threshold"),
        (CalibrationOptions, {"kept_after_change": -0.1}, "kept_after_change"),
        (EndpointOptions, {"timeout": 0.0}, "timeout"),
        (EndpointOptions, {"concurrency": 0}, "concurrency"),
        (EndpointOptions, {"retries": 11}, "retries"),
        (GroundingOptions, {"device": "tpu"}, "auto, cpu, cuda"),
    ],
)
def test_out_of_range(options: type, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(GroundingError, match=sentence):
        options(**change)
