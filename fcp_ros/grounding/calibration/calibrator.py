# SPDX-License-Identifier: Apache-2.0
"""The calibrated degree of a judgement, from all evidence of its predicate.

    oracle's degree -> pooled map of the model -> shift by similar contexts
                    -> beta-binomial posterior with the context's own outcomes -> capped shift

Everything follows from the evidence in the store; its sums are kept in memory. A batch asks the
store once if anything changed, also by other processes, and then reads only the new rows.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fcp_ros.grounding.calibration.drift import Drift
from fcp_ros.grounding.calibration.pool import ModelPools, Pool, PoolFit
from fcp_ros.grounding.calibration.posterior import (
    DecayedSum,
    Forgetting,
    compute_posterior,
    convert_uncertainty,
)
from fcp_ros.grounding.calibration.reliability import Reliability
from fcp_ros.grounding.calibration.store import CalibrationStore, Evidence
from fcp_ros.grounding.judgement import NOTICEABLE, GroundingError, check_degree
from fcp_ros.grounding.options import CalibrationOptions

MOST_ANSWERS = 100_000  # Most calibrated degrees that are kept until the evidence changes


class Question(NamedTuple):
    """A judgement to calibrate: predicate, context, the oracle's degree and its model.

    `uncertainty` is the expected error of the degree, None if the oracle doesn't say.
    """

    predicate: str
    context_key: str
    prior: float
    model: str = ""
    uncertainty: float | None = None


class CalibrationResult(NamedTuple):
    """A calibrated degree and its basis."""

    degree: float  # in [0, 1]
    outcomes: int  # number of outcomes of this very context
    weight: float
    centre: float  # the degree without them: recalibrated, and moved by neighbours
    pooled: int  # number of outcomes of the model that moved the centre

    def describe_shift(self, prior: float) -> str:
        """Explain a shift that comes from outcomes of other contexts; "" if there is none."""
        if self.pooled <= self.outcomes or abs(self.centre - prior) < NOTICEABLE:
            return ""
        return (
            f"{self.pooled} outcomes, of other contexts too, moved it from {prior:.2f} to "
            f"{self.centre:.2f}"
        )


class _Row(NamedTuple):
    """An outcome with its present weight for its context."""

    number: int
    context_key: str
    quality: float
    weight: float
    stamp: float


@dataclass(slots=True)
class _PredicateEvidence:
    """The evidence of one predicate, summed up."""

    contexts: dict[str, DecayedSum] = field(default_factory=dict)
    newest: float = float("-inf")
    rows: list[_Row] = field(default_factory=list)


class Calibrator:
    """Calibrates degrees by the evidence in a store, which it doesn't close; for several threads.

    `trouble` is the reason why the newest outcomes don't count, or "".
    """

    def __init__(self, store: CalibrationStore, options: CalibrationOptions | None = None) -> None:
        self.store = store
        self.options = options or CalibrationOptions()
        self._forgetting = Forgetting(self.options.half_life, self.options.half_life_days)
        self._lock = threading.RLock()
        self._by_predicate: dict[str, _PredicateEvidence] = {}
        self._by_model: dict[str, ModelPools] = {}
        self._answers: dict[Question, CalibrationResult] = {}
        self._version: tuple[int, int] | None = None
        self._resets = (0, 0)
        self._last = 0
        self.trouble = ""

    def calibrate(self, questions: Sequence[Question]) -> list[CalibrationResult]:
        """Calibrate degrees, in order. Raises GroundingError: a prior is not in [0, 1]."""
        with self._lock:
            self._refresh()
            return [self._answer(question) for question in questions]

    def has_outcomes(self) -> bool:
        """Return False if nothing was observed that could move a degree."""
        with self._lock:
            self._refresh()
            return bool(self._by_predicate)

    def drifts(self) -> tuple[Drift, ...]:
        """Find the predicates and models whose outcomes no longer agree with their degrees."""
        with self._lock:
            self._refresh()
            found = (
                pool.detector.find_drift(name, model) for name, model, pool in self._list_pools()
            )
            return tuple(drift for drift in found if drift is not None)

    def reliabilities(self) -> tuple[Reliability, ...]:
        """Score the past degrees of each predicate and model."""
        with self._lock:
            self._refresh()
            found = (pool.score_degrees(name, model) for name, model, pool in self._list_pools())
            return tuple(item for item in found if item is not None)

    def fits(self) -> dict[tuple[str, str], PoolFit]:
        with self._lock:
            self._refresh()
            return {
                (name, model): self._by_model[model].fit(name)
                for name, model, _ in self._list_pools()
            }

    def _list_pools(self) -> Iterable[tuple[str, str, Pool]]:
        pools = (
            (name, model, pool)
            for model, found in self._by_model.items()
            for name, pool in found.pools.items()
        )
        return sorted(pools, key=lambda one: one[:2])

    def _answer(self, question: Question) -> CalibrationResult:
        answer = self._answers.get(question)
        if answer is None:
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            answer = self._answers[question] = self._compute(question)
        return answer

    def _compute(self, question: Question) -> CalibrationResult:
        predicate, context_key, prior, name, uncertainty = question
        check_degree(prior, f"the prior of {predicate}")
        centre, strength, broken, pooled = prior, self.options.strength, 0.0, 0
        model = self._by_model.get(name)
        if model is not None:
            fit = model.fit(predicate)
            centre = fit.compute_centre(prior, context_key)
            seen, broken = fit.find_own(context_key)
            strength = fit.compute_strength(seen, centre, uncertainty, strength)
            pooled = fit.outcomes if centre != prior else 0
        elif uncertainty is not None:
            strength = convert_uncertainty(prior, uncertainty, strength)
        learnt = self._by_predicate.get(predicate)
        own = learnt.contexts.get(context_key) if learnt is not None else None
        if learnt is None or own is None:
            count, weight, total = 0, 0.0, 0.0
        else:
            left = self._forgetting.decay_by_age(learnt.newest - own.stamp)
            count, weight, total = own.count, own.weight * left, own.total * left
        degree = compute_posterior(prior, weight, total, strength, self.options.cap, centre, broken)
        return CalibrationResult(degree, count, weight, centre, pooled)

    def _refresh(self) -> None:
        """Add the outcomes recorded since the last call, here or by another process.

        A file that can't be read must not keep a robot from judging: the evidence read before
        still counts, and `trouble` says so.
        """
        try:
            version = self.store.version()
            if version != self._version:
                self._read()
                self._version = version
        except GroundingError as error:
            self.trouble = f"recent outcomes don't count yet: {error}"
        else:
            self.trouble = ""

    def _read(self) -> None:
        # Invariant: the sums hold exactly the counted rows up to `_last`. Rows are only appended,
        # so reading on from there is enough, except after a reset or its undoing.
        resets = self.store.reset_state()
        if resets != self._resets:  # evidence stopped or resumed counting: start over
            self._by_predicate, self._by_model = {}, {}
            self._answers.clear()
            self._last, self._resets = 0, resets
        for evidence in self.store.read_after(self._last):
            self._add_evidence(evidence)
            self._last = evidence.id

    def _add_evidence(self, evidence: Evidence) -> None:
        learnt = self._by_predicate.setdefault(evidence.predicate, _PredicateEvidence())
        row = _Row(
            evidence.id, evidence.context_key, evidence.quality, evidence.weight, evidence.stamp
        )
        learnt.rows.append(row)
        self._add_row(learnt, row)
        learnt.newest = max(learnt.newest, evidence.stamp)
        self._answers.clear()
        # An outcome without prior and model says nothing about a model, only about the world.
        if evidence.prior is not None and evidence.model:
            model = self._by_model.setdefault(evidence.model, ModelPools(self.options))
            for predicate, number in model.add(evidence).items():
                if self.options.kept_after_change < 1.0:
                    self._fade_before(predicate, number)

    def _add_row(self, learnt: _PredicateEvidence, row: _Row) -> None:
        own = learnt.contexts.setdefault(row.context_key, DecayedSum())
        own.add(row.quality, row.weight, row.stamp, self._forgetting)

    def _fade_before(self, predicate: str, number: int) -> None:
        """Reduce the weight of outcomes before this one, with which the world changed."""
        learnt, kept = self._by_predicate[predicate], self.options.kept_after_change
        learnt.contexts.clear()
        for place, row in enumerate(learnt.rows):
            if row.number < number:
                row = learnt.rows[place] = row._replace(weight=row.weight * kept)
            self._add_row(learnt, row)
        for model in self._by_model.values():
            model.fade_before(predicate, number, kept)
