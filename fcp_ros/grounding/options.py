# SPDX-License-Identifier: Apache-2.0
"""Settings of the grounding layer, checked where they are made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from fcp_ros.grounding.aggregation import check_sample_count
from fcp_ros.grounding.calibration import CAP, STRENGTH
from fcp_ros.grounding.errors import GroundingCode, GroundingError
from fcp_ros.grounding.judgement import check_degree


class ScoringMode(str, Enum):
    """How a language model is asked: read its distribution over scores, or draw samples."""

    EXACT = "exact"
    SAMPLE = "sample"


class Device(str, Enum):
    """Where a model runs; AUTO is a CUDA device where there is one, else the CPU."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


@dataclass(frozen=True, slots=True)
class GroundingOptions:
    """Settings of `make_grounder`.

    Args:
        oracle: the default oracle: "embedding", "causal_lm" or "table".
        model: folder of the default oracle's model; "" means the packaged model ("embedding").
        calibration_path: SQLite file of the evidence; None keeps evidence in memory only.
        cache_path: SQLite file of the judgement cache; None keeps answers in memory only.
        mode: "exact" or "sample"; only a language model is asked in different modes.
        samples: judgements a membership in sample mode, odd.
        seed: of the samples.
        temperature: of the samples, > 0.
        score_step: distance of the scores that exact mode weighs: 1, 2, 5, 10, 20, 25 or 50.
        device: "auto", "cpu" or "cuda".
        strength: how many outcomes the oracle's degree is worth in calibration, > 0.
        cap: the largest shift by calibration, in [0, 1].

    Raises:
        GroundingError: a value out of range; the sentence names it.
    """

    oracle: str = "embedding"
    model: str | Path = ""
    calibration_path: str | Path | None = None
    cache_path: str | Path | None = None
    mode: ScoringMode = ScoringMode.EXACT
    samples: int = 5
    seed: int = 0
    temperature: float = 0.7
    score_step: int = 10
    device: Device = Device.AUTO
    strength: float = STRENGTH
    cap: float = CAP

    def __post_init__(self) -> None:
        check_sample_count(self.samples)
        if not math.isfinite(self.temperature) or self.temperature <= 0.0:
            raise _out_of_range("temperature", self.temperature, "a number above 0")
        if self.score_step not in (1, 2, 5, 10, 20, 25, 50):
            raise _out_of_range("score_step", self.score_step, "1, 2, 5, 10, 20, 25 or 50")
        if not math.isfinite(self.strength) or self.strength <= 0.0:
            raise _out_of_range("strength", self.strength, "a number above 0")
        check_degree(self.cap, "the cap of the calibration shift")
        _one_of("mode", self.mode, tuple(mode.value for mode in ScoringMode))
        _one_of("device", self.device, tuple(device.value for device in Device))


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise _out_of_range(name, value, f"one of {', '.join(allowed)}")


def _out_of_range(name: str, value: object, wanted: str) -> GroundingError:
    return GroundingError(
        GroundingCode.INVALID_OPTION,
        f"the grounding option {name} is {value!r}; it must be {wanted}",
    )
