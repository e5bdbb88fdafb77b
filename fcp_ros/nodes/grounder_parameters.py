# SPDX-License-Identifier: Apache-2.0
"""The parameters of the node ``grounder``, and the grounding options that they stand for."""

from __future__ import annotations

from pathlib import Path

from fcp_ros.grounding import (
    CalibrationOptions,
    Device,
    GroundingOptions,
    LanguageModelOptions,
    ScoringMode,
)
from fcp_ros.grounding.registry import ORACLES
from fcp_ros.nodes.domain_parameter import DOMAIN
from fcp_ros.nodes.parameters import ParameterSpec, ParameterTable, TakesEffect

PARAMETERS = (
    DOMAIN,
    ParameterSpec(
        "oracle", "embedding", "Who judges by default.", choices=tuple(sorted(ORACLES))
    ),
    ParameterSpec(
        "model", "", 'Folder of the default oracle\'s model; "" for the packaged embedding model.'
    ),
    ParameterSpec(
        "calibration_path",
        "~/.local/state/fcp_ros/calibration.sqlite",
        'SQLite file of the evidence; "" keeps it in memory only.',
    ),
    ParameterSpec(
        "cache_path",
        "~/.cache/fcp_ros/judgements.sqlite",
        'SQLite file of the oracles\' answers; "" keeps them in memory only.',
    ),
    ParameterSpec(
        "mode",
        "exact",
        "How a language model is asked: its distribution over scores, or samples.",
        choices=tuple(mode.value for mode in ScoringMode),
    ),
    ParameterSpec("samples", 5, "Judgements a membership in sample mode, odd.", 1, 99),
    ParameterSpec("seed", 0, "Seed of the samples.", 0, 2**31 - 1),
    ParameterSpec("temperature", 0.7, "Temperature of the samples.", 0.01, 10.0),
    ParameterSpec(
        "device",
        "auto",
        "Where the model runs; auto is a CUDA device where there is one.",
        choices=tuple(device.value for device in Device),
    ),
    ParameterSpec("strength", 4.0, "How many outcomes the oracle's degree is worth.", 0.1, 1000.0),
    ParameterSpec("cap", 0.6, "Largest shift of a degree by calibration.", 0.0, 1.0),
    ParameterSpec(
        "judge_timeout",
        60.0,
        "How long a judge or calibration request may take where it says nothing [s].",
        0.1,
        3600.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
    ParameterSpec("warm_up", True, "Load the model when the node is activated, not when asked."),
    ParameterSpec("queue_size", 4, "Requests that may wait while one is answered.", 0, 6),
)


def grounding_options(values: ParameterTable) -> GroundingOptions:
    """The options that the parameters stand for; ``~`` in paths is expanded.

    Raises:
        GroundingError: they don't fit together.
    """
    return GroundingOptions(
        oracle=values.text("oracle"),
        model=_path(values.text("model")) or "",
        device=Device(values.text("device")),
        cache_path=_path(values.text("cache_path")),
        language_model=LanguageModelOptions(
            mode=ScoringMode(values.text("mode")),
            samples=values.integer("samples"),
            seed=values.integer("seed"),
            temperature=values.number("temperature"),
        ),
        calibration=CalibrationOptions(
            path=_path(values.text("calibration_path")),
            strength=values.number("strength"),
            cap=values.number("cap"),
        ),
    )


def _path(text: str) -> Path | None:
    return Path(text).expanduser() if text else None
