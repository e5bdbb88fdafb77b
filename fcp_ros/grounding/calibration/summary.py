# SPDX-License-Identifier: Apache-2.0
"""The results of calibration for people: contexts and models of each predicate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.grounding.calibration.calibrator import Calibrator, Question
from fcp_ros.grounding.calibration.drift import Drift
from fcp_ros.grounding.calibration.pool import PoolFit
from fcp_ros.grounding.calibration.reliability import Reliability
from fcp_ros.grounding.calibration.store import Evidence

POINTS = tuple(number / 10 for number in range(11))


@dataclass(frozen=True, slots=True)
class ContextSummary:
    """The outcomes of one context and their effect."""

    context_key: str
    words: str
    outcomes: int
    weight: float  # their present weight, after forgetting and shared blame
    prior: float | None  # the oracle's degree that the last of them relied on; None if unknown
    degree: float | None  # that degree, calibrated with today's evidence; None if `prior` is
    model: str  # the model that gave it; "" if unknown
    mean_quality: float  # of the outcomes, weighted by their shares
    last: float  # stamp of the newest outcome, s since the epoch
    last_step: str  # the step of the newest outcome in words


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """The effect of outcomes on one model's degrees for a predicate."""

    model: str
    outcomes: int  # number of outcomes behind the pooled map and the neighbours
    # (degree of the oracle, recalibrated degree) at 0, 0.1 .. 1.
    points: tuple[tuple[float, float], ...]
    strength: float  # number of outcomes that a recalibrated degree is worth
    broken: float  # share of failures that is due to things that never work
    # trust in twins, then in contexts that share the first argument, the second and so on, each in
    # [0, 1]
    trust: tuple[float, ...]
    reliability: Reliability | None  # scores of its past degrees; None if unknown
    drift: Drift | None  # the present alarm; None if there is none


@dataclass(frozen=True, slots=True)
class PredicateSummary:
    """The effect of outcomes on one predicate."""

    predicate: str
    contexts: tuple[ContextSummary, ...]
    models: tuple[ModelSummary, ...]


def summarise(calibrator: Calibrator, predicate: str | None = None) -> tuple[PredicateSummary, ...]:
    """Summarise the calibration by predicate; contexts in the order of their first outcome."""
    grouped: dict[str, dict[str, list[Evidence]]] = {}
    for item in calibrator.store.entries(predicate):
        grouped.setdefault(item.predicate, {}).setdefault(item.context_key, []).append(item)
    fits = calibrator.fits()
    reliabilities = {(item.predicate, item.model): item for item in calibrator.reliabilities()}
    drifts = {(item.predicate, item.model): item for item in calibrator.drifts()}
    return tuple(
        PredicateSummary(
            name,
            tuple(_summarise_context(calibrator, entries) for entries in grouped[name].values()),
            tuple(
                _summarise_model(key[1], fit, reliabilities.get(key), drifts.get(key))
                for key, fit in fits.items()
                if key[0] == name
            ),
        )
        for name in sorted(grouped)
    )


def describe_context(context_key: str) -> str:
    """Write a context in words ("mug (name mug_1), drinking"), or as it is if it is no key."""
    try:
        return ", ".join(
            _describe_argument(argument) for argument in json.loads(context_key)["arguments"]
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return context_key


def _describe_argument(argument: dict[str, object]) -> str:
    attributes = argument.get("attributes")
    words = str(argument.get("category") or argument["text"])
    if isinstance(attributes, dict) and attributes:
        words += f" ({', '.join(f'{name} {value}' for name, value in attributes.items())})"
    return words


def _summarise_context(calibrator: Calibrator, entries: Sequence[Evidence]) -> ContextSummary:
    last = entries[-1]
    known = next((item for item in reversed(entries) if item.prior is not None), None)
    prior, model = (known.prior, known.model) if known is not None else (None, "")
    asked = 0.5 if prior is None else prior  # the weight doesn't depend on it
    question = Question(last.predicate, last.context_key, asked, model)
    (answer,) = calibrator.calibrate([question])
    shares = sum(item.weight for item in entries)
    total = sum(item.weight * item.quality for item in entries)
    return ContextSummary(
        last.context_key,
        describe_context(last.context_key),
        len(entries),
        answer.weight,
        prior,
        None if prior is None else answer.degree,
        model,
        total / shares if shares > 0.0 else 0.0,
        max(item.stamp for item in entries),
        last.step,
    )


def _summarise_model(
    model: str, fit: PoolFit, reliability: Reliability | None, drift: Drift | None
) -> ModelSummary:
    return ModelSummary(
        model,
        fit.outcomes,
        tuple((point, fit.map.apply(point)) for point in POINTS),
        fit.strength,
        fit.broken,
        fit.neighbourhood.trust if fit.neighbourhood is not None else (),
        reliability,
        drift,
    )
