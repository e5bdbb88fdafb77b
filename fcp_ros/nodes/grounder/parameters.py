# SPDX-License-Identifier: Apache-2.0
"""The parameters of the node ``grounder``, and the grounding options that they describe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.grounding import (
    CalibrationOptions,
    Device,
    EndpointOptions,
    Estimate,
    EvidenceOrigin,
    GroundingOptions,
    LanguageModelOptions,
    Precision,
    ScoringMode,
)
from fcp_ros.grounding.calibration.store import DEFAULT_PATH, locate_store
from fcp_ros.grounding.grounder import ORACLES
from fcp_ros.grounding.models.model_store import is_registered, locate_models
from fcp_ros.grounding.options import (
    DEFAULT_KEY_VARIABLE,
    KEY_PREFIX,
    PACKAGED,
    check_key_variable,
)
from fcp_ros.nodes.runtime.domain_parameter import DOMAIN, WORLD
from fcp_ros.nodes.runtime.parameters import (
    DOMAIN_FOLDERS,
    FileRule,
    ParameterSpec,
    ParameterTable,
    TakesEffect,
    make_folders,
)


@dataclass(frozen=True)
class ModelRule(FileRule):
    """The models that may be named while a node runs; those of the registry have no path."""

    def resolve(self, address: str, texts: Sequence[str]) -> str:
        is_name = is_registered(address) or address == PACKAGED
        return address if is_name else super().resolve(address, texts)


MODEL_FILES = ModelRule("model_folders", locate_models, with_folders=True)

ENDPOINT = (
    ParameterSpec(
        "endpoint_url",
        "",
        'Model server with the OpenAI protocol, such as "http://localhost:8000/v1"; "" for none.',
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec(
        "endpoint_model", "", 'Name of the model on the server; "" takes the first it lists.'
    ),
    ParameterSpec(
        "endpoint_key_variable",
        DEFAULT_KEY_VARIABLE,
        f"Environment variable that holds the server's key, if it wants one: {KEY_PREFIX}...",
        check=check_key_variable,
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec("endpoint_concurrency", 8, "Requests to the server at a time.", 1, 256),
    ParameterSpec("endpoint_timeout", 30.0, "How long one request to it may take [s].", 0.1, 600.0),
    ParameterSpec("endpoint_retries", 3, "Further tries of a request that failed.", 0, 10),
)

CALIBRATION = (
    ParameterSpec("strength", 4.0, "How many outcomes the oracle's degree is worth.", 0.1, 1000.0),
    ParameterSpec("cap", 0.6, "Largest shift of a degree by calibration.", 0.0, 1.0),
    ParameterSpec(
        "half_life",
        100.0,
        "Later outcomes of a context after which one of its outcomes counts half; 0: never.",
        0.0,
        1e9,
    ),
    ParameterSpec(
        "half_life_days", 0.0, "Days after which an outcome counts half; 0: never.", 0.0, 1e6
    ),
    ParameterSpec(
        "pooled",
        True,
        "Whether all outcomes of a predicate together recalibrate a model's degrees.",
    ),
    ParameterSpec(
        "neighbours",
        0.25,
        "How far similar contexts are believed to be alike before anything was seen.",
        0.0,
        1.0,
    ),
    ParameterSpec(
        "pooled_half_life",
        1000.0,
        "Later outcomes of a predicate after which one counts half for that; 0: never.",
        0.0,
        1e9,
    ),
    ParameterSpec(
        "drift_threshold",
        6.2,
        "Evidence of drift that is reported: h means a false alarm in exp(h) outcomes at most.",
        0.1,
        100.0,
    ),
    ParameterSpec(
        "kept_after_change",
        0.1,
        "What outcomes from before a drift still count once it was noticed.",
        0.0,
        1.0,
    ),
)

PARAMETERS = (
    DOMAIN,
    DOMAIN_FOLDERS,
    ParameterSpec("oracle", "embedding", "Who judges by default.", choices=tuple(sorted(ORACLES))),
    ParameterSpec(
        "model",
        "",
        'Model of the default oracle: a name of `fcp models list`, or a folder; "" for mpnet where '
        "it was fetched, else minilm.",
        files=MODEL_FILES,
    ),
    make_folders(
        MODEL_FILES,
        "Folders with models and heads that may be named while the node runs; without any, that of "
        "the fetched models.",
    ),
    ParameterSpec(
        "fallback",
        "embedding",
        'Who judges where the one who should can\'t, which is said in each answer; "": nobody.',
        choices=("", *sorted(ORACLES)),
    ),
    ParameterSpec(
        "heads",
        "",
        'Trained heads of the model (fcp grounding train); "" for the packaged ones.',
        files=MODEL_FILES,
    ),
    ParameterSpec(
        "tuned",
        PACKAGED,
        "Tuned encoder (fcp grounding train --tune) that judges again what a plan rests on; "
        f'"{PACKAGED}" for the package\'s, which helps mpnet, "" for none.',
        files=MODEL_FILES,
    ),
    ParameterSpec(
        "calibration_path",
        DEFAULT_PATH,
        "SQLite file of the evidence; {robot} is the namespace, {world} real or simulated; "
        '"" keeps it in memory only.',
        takes_effect=TakesEffect.AT_START,
    ),
    WORLD,
    ParameterSpec(
        "cache_path",
        "~/.cache/fcp_ros/judgements.sqlite",
        'SQLite file of the oracles\' answers; "" keeps them in memory only.',
        takes_effect=TakesEffect.AT_START,
    ),
    ParameterSpec(
        "language_model",
        "",
        'Folder of the model of predicates that name causal_lm; "" takes the parameter model.',
        files=MODEL_FILES,
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
        "least_mass",
        0.5,
        "Probability on valid scores, or share of drawn answers with one, under which a language "
        "model's answer is refused.",
        0.0,
        1.0,
    ),
    ParameterSpec(
        "estimate",
        "mean",
        "What the degree is of a language model's distribution or samples.",
        choices=tuple(estimate.value for estimate in Estimate),
    ),
    ParameterSpec(
        "device",
        "auto",
        "Where the model runs; auto is a CUDA device where there is one.",
        choices=tuple(device.value for device in Device),
    ),
    ParameterSpec(
        "precision",
        "auto",
        "Numbers that a language model computes with; auto is the best that the device is fast in.",
        choices=tuple(item.value for item in Precision),
    ),
    ParameterSpec(
        "token_budget", 4096, "Tokens that one pass of a language model may hold.", 64, 1 << 20
    ),
    *ENDPOINT,
    *CALIBRATION,
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


def read_grounding_options(values: ParameterTable, origin: EvidenceOrigin) -> GroundingOptions:
    """Read the options from the parameters; ``~`` in paths is expanded.

    `origin`: the robot and its world, whose evidence counts. Raises GroundingError if they don't
    fit together.
    """
    path = values.text("calibration_path")
    return values.fill(
        GroundingOptions,
        model=_to_path(values.file("model")) or "",
        heads=_to_path(values.file("heads")) or "",
        tuned=values.file("tuned"),
        cache_path=_to_path(values.text("cache_path")),
        language_model=values.fill(
            LanguageModelOptions, folder=_to_path(values.file("language_model")) or ""
        ),
        endpoint=values.fill(EndpointOptions, "endpoint_"),
        calibration=values.fill(
            CalibrationOptions, path=locate_store(path, origin) if path else None, origin=origin
        ),
    )


def _to_path(text: str) -> Path | None:
    return Path(text).expanduser() if text else None
