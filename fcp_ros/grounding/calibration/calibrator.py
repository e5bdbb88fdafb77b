# SPDX-License-Identifier: Apache-2.0
"""The calibrated degree of a judgement: what the model means, what neighbours say, what happened.

    oracle's degree -> pooled map of the model -> shift by similar contexts
                    -> beta-binomial posterior with the context's own outcomes -> capped shift

All of it follows from the evidence in the store and is kept summed up in memory. A batch asks the
store once whether anything changed, also by other processes, and then reads only the new rows.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fcp_ros.grounding.calibration.beta_binomial import posterior_degree
from fcp_ros.grounding.calibration.drift import Drift
from fcp_ros.grounding.calibration.evidence import Evidence
from fcp_ros.grounding.calibration.forgetting import DecayedSum, Forgetting
from fcp_ros.grounding.calibration.pool import Pool, PoolFit
from fcp_ros.grounding.calibration.reliability import Reliability
from fcp_ros.grounding.calibration.store import CalibrationStore
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.grounding.protocol.judgement import check_degree
from fcp_ros.grounding.protocol.options import CalibrationOptions

MOST_ANSWERS = 100_000
"""Calibrated degrees of a predicate that are remembered until its evidence changes."""

NOTICEABLE = 0.005
"""Smaller moves of a degree are not worth a note."""


class Question(NamedTuple):
    """A judgement to calibrate: its predicate, context, the oracle's degree and the model."""

    predicate: str
    context_key: str
    prior: float
    model: str = ""


class Calibrated(NamedTuple):
    """A calibrated degree and what it rests on.

    Attributes:
        degree: in [0, 1].
        outcomes: of this very context.
        weight: what they weigh now, after forgetting.
        centre: the degree before they were looked at: recalibrated, and moved by neighbours.
        pooled: outcomes of the predicate and model that moved the centre; 0 where none did.
    """

    degree: float
    outcomes: int
    weight: float
    centre: float
    pooled: int

    def note(self, prior: float) -> str:
        """What a reader should know who sees the degree move without outcomes of its own."""
        if not self.pooled or abs(self.centre - prior) < NOTICEABLE:
            return ""
        return (
            f"{self.pooled} outcomes, of other contexts too, moved it from {prior:.2f} to "
            f"{self.centre:.2f}"
        )


class _Row(NamedTuple):
    """An outcome as it counts for its context."""

    number: int
    context_key: str
    quality: float
    weight: float
    stamp: float


@dataclass(slots=True)
class _Learnt:
    """What is known of one predicate."""

    contexts: dict[str, DecayedSum] = field(default_factory=dict)
    pools: dict[str, Pool] = field(default_factory=dict)
    newest: float = float("-inf")
    rows: list[_Row] = field(default_factory=list)
    answers: dict[Question, Calibrated] = field(default_factory=dict)


class Calibrator:
    """Calibrates degrees by the evidence in a store. Safe to use from several threads.

    Args:
        store: the evidence; it is not closed by the calibrator.
        options: how much it is believed.

    `trouble` says why the newest outcomes don't count; "" where they do.
    """

    def __init__(self, store: CalibrationStore, options: CalibrationOptions | None = None) -> None:
        self.store = store
        self.options = options or CalibrationOptions()
        self._forgetting = Forgetting(self.options.half_life, self.options.half_life_days)
        self._lock = threading.RLock()
        self._learnt: dict[str, _Learnt] = {}
        self._version: tuple[int, int] | None = None
        self._resets = (0, 0)
        self._last = 0
        self.trouble = ""

    def calibrate(self, questions: Sequence[Question]) -> list[Calibrated]:
        """The calibrated degrees, in order.

        Raises:
            GroundingError: a prior is not in [0, 1].
        """
        with self._lock:
            self._refresh()
            return [self._answer(question) for question in questions]

    def drifts(self) -> tuple[Drift, ...]:
        """Predicates and models whose outcomes have left their degrees, and since when."""
        with self._lock:
            self._refresh()
            found = (pool.detector.drift(name, model) for name, model, pool in self._pools())
            return tuple(drift for drift in found if drift is not None)

    def reliabilities(self) -> tuple[Reliability, ...]:
        """How good the degrees of each predicate and model were."""
        with self._lock:
            self._refresh()
            found = (pool.reliability(name, model) for name, model, pool in self._pools())
            return tuple(item for item in found if item is not None)

    def fits(self) -> dict[tuple[str, str], PoolFit]:
        """What was learnt about each predicate and model."""
        with self._lock:
            self._refresh()
            return {(name, model): pool.fit for name, model, pool in self._pools()}

    def _pools(self) -> Iterable[tuple[str, str, Pool]]:
        for name in sorted(self._learnt):
            for model, pool in sorted(self._learnt[name].pools.items()):
                yield name, model, pool

    def _answer(self, question: Question) -> Calibrated:
        learnt = self._learnt.get(question.predicate)
        if learnt is None:
            prior = check_degree(question.prior, f"the prior of {question.predicate}")
            return Calibrated(prior, 0, 0.0, prior, 0)
        answer = learnt.answers.get(question)
        if answer is None:
            if len(learnt.answers) >= MOST_ANSWERS:
                learnt.answers.clear()
            answer = learnt.answers[question] = self._work_out(learnt, question)
        return answer

    def _work_out(self, learnt: _Learnt, question: Question) -> Calibrated:
        predicate, context_key, prior, model = question
        check_degree(prior, f"the prior of {predicate}")
        pool = learnt.pools.get(model)
        centre, strength, pooled = prior, self.options.strength, 0
        if pool is not None:
            fit = pool.fit
            centre, strength = fit.centre(prior, pool.groups, context_key), fit.strength
            pooled = fit.outcomes if centre != prior else 0
        own = learnt.contexts.get(context_key)
        if own is None:
            count, weight, total = 0, 0.0, 0.0
        else:
            left = self._forgetting.by_age(learnt.newest - own.stamp)
            count, weight, total = own.count, own.weight * left, own.total * left
        degree = posterior_degree(prior, weight, total, strength, self.options.cap, centre)
        return Calibrated(degree, count, weight, centre, pooled)

    def _refresh(self) -> None:
        """Take in what was recorded, here or by another process, since the last time.

        A file that can't be read must not keep a robot from judging: what was known before goes on
        to count, and `trouble` says so.
        """
        try:
            version = self.store.version()
            if version != self._version:
                self._read()
                self._version = version
        except GroundingError as error:
            self.trouble = f"outcomes since the last look don't count: {error}"
        else:
            self.trouble = ""

    def _read(self) -> None:
        resets = self.store.reset_state()
        if resets != self._resets:  # evidence stopped or resumed counting: begin anew
            self._learnt, self._last, self._resets = {}, 0, resets
        for evidence in self.store.counted_after(self._last):
            self._take_in(evidence)
            self._last = evidence.id

    def _take_in(self, evidence: Evidence) -> None:
        learnt = self._learnt.setdefault(evidence.predicate, _Learnt())
        row = _Row(
            evidence.id, evidence.context_key, evidence.quality, evidence.weight, evidence.stamp
        )
        learnt.rows.append(row)
        self._add(learnt, row)
        learnt.newest = max(learnt.newest, evidence.stamp)
        learnt.answers.clear()
        # Without prior and model an outcome says something about the world, nothing about a model.
        if evidence.prior is not None and evidence.model:
            if evidence.model not in learnt.pools:
                learnt.pools[evidence.model] = Pool(self.options)
            changed = learnt.pools[evidence.model].add(evidence)
            if changed is not None and self.options.kept_after_change < 1.0:
                self._fade_before(learnt, changed)

    def _add(self, learnt: _Learnt, row: _Row) -> None:
        own = learnt.contexts.setdefault(row.context_key, DecayedSum())
        own.add(row.quality, row.weight, row.stamp, self._forgetting)

    def _fade_before(self, learnt: _Learnt, number: int) -> None:
        """The world has changed with this outcome: what was before says little about it now."""
        kept = self.options.kept_after_change
        learnt.contexts.clear()
        for place, row in enumerate(learnt.rows):
            if row.number < number:
                row = learnt.rows[place] = row._replace(weight=row.weight * kept)
            self._add(learnt, row)
        for pool in learnt.pools.values():
            pool.fade_before(number, kept)
