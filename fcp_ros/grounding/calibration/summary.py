# SPDX-License-Identifier: Apache-2.0
"""What was learnt, as people look at it: for each predicate its contexts and models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.grounding.calibration.calibrator import Calibrator, Question
from fcp_ros.grounding.calibration.drift import Drift
from fcp_ros.grounding.calibration.evidence import Evidence
from fcp_ros.grounding.calibration.pool import PoolFit
from fcp_ros.grounding.calibration.reliability import Reliability

POINTS = tuple(number / 10 for number in range(11))


@dataclass(frozen=True, slots=True)
class ContextSummary:
    """What outcomes taught about one context.

    Attributes:
        context_key: which one.
        words: the same in words.
        outcomes: how many there were.
        weight: what they weigh now, after forgetting and shared blame.
        prior: the oracle's degree that the last of them relied on; None where nobody knows.
        degree: that degree calibrated by all that is known now; None as for prior.
        model: whose degree it is; "" where nobody knows.
        mean_quality: of the outcomes, weighted by their shares.
        last: stamp of the newest outcome, s since the epoch.
        last_step: in words.
    """

    context_key: str
    words: str
    outcomes: int
    weight: float
    prior: float | None
    degree: float | None
    model: str
    mean_quality: float
    last: float
    last_step: str


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """What outcomes taught about one model's degrees for a predicate.

    Attributes:
        model: which one.
        outcomes: how many the pooled map and the neighbours rest on.
        points: (degree of the oracle, recalibrated degree) at 0, 0.1 .. 1.
        strength: how many outcomes a recalibrated degree is worth.
        trust: how far twins are believed, then contexts that share the first argument, the second
            and so on, each in [0, 1].
        reliability: how good its degrees were; None where nobody knows.
        drift: whether outcomes have left the degrees; None where they haven't.
    """

    model: str
    outcomes: int
    points: tuple[tuple[float, float], ...]
    strength: float
    trust: tuple[float, ...]
    reliability: Reliability | None
    drift: Drift | None


@dataclass(frozen=True, slots=True)
class PredicateSummary:
    """What outcomes taught about one predicate."""

    predicate: str
    contexts: tuple[ContextSummary, ...]
    models: tuple[ModelSummary, ...]


def summarise(calibrator: Calibrator, predicate: str | None = None) -> tuple[PredicateSummary, ...]:
    """What was learnt, sorted by predicate; contexts in the order of their first outcome.

    Args:
        calibrator: who knows.
        predicate: only this one; None means all.

    Raises:
        GroundingError: the store can't be read.
    """
    grouped: dict[str, dict[str, list[Evidence]]] = {}
    for item in calibrator.store.entries(predicate):
        grouped.setdefault(item.predicate, {}).setdefault(item.context_key, []).append(item)
    fits = calibrator.fits()
    reliabilities = {(item.predicate, item.model): item for item in calibrator.reliabilities()}
    drifts = {(item.predicate, item.model): item for item in calibrator.drifts()}
    return tuple(
        PredicateSummary(
            name,
            tuple(_context(calibrator, entries) for entries in grouped[name].values()),
            tuple(
                _model(key[1], fit, reliabilities.get(key), drifts.get(key))
                for key, fit in fits.items()
                if key[0] == name
            ),
        )
        for name in sorted(grouped)
    )


def words_of(context_key: str) -> str:
    """A context in words: "mug (name mug_1), drinking"; the key itself where it is no such key."""
    try:
        return ", ".join(_argument(argument) for argument in json.loads(context_key)["arguments"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return context_key


def _argument(argument: dict[str, object]) -> str:
    attributes = argument.get("attributes")
    words = str(argument.get("category") or argument["text"])
    if isinstance(attributes, dict) and attributes:
        words += f" ({', '.join(f'{name} {value}' for name, value in attributes.items())})"
    return words


def _context(calibrator: Calibrator, entries: Sequence[Evidence]) -> ContextSummary:
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
        words_of(last.context_key),
        len(entries),
        answer.weight,
        prior,
        None if prior is None else answer.degree,
        model,
        total / shares if shares > 0.0 else 0.0,
        max(item.stamp for item in entries),
        last.step,
    )


def _model(
    model: str, fit: PoolFit, reliability: Reliability | None, drift: Drift | None
) -> ModelSummary:
    return ModelSummary(
        model,
        fit.outcomes,
        tuple((point, fit.map.at(point)) for point in POINTS),
        fit.strength,
        fit.neighbourhood.trust if fit.neighbourhood is not None else (),
        reliability,
        drift,
    )
