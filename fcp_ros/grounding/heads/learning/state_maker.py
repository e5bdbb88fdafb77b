# SPDX-License-Identifier: Apache-2.0
"""The features of a training by a causal model: its hidden states, kept on disk, then reduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.features.hidden_states import StatePlaces
from fcp_ros.grounding.heads.features.questions import QuestionForm
from fcp_ros.grounding.heads.features.state_features import (
    StateEncoder,
    StateFeatures,
    StateReduction,
)
from fcp_ros.grounding.heads.learning.feature_maker import Pairs, Report
from fcp_ros.grounding.heads.learning.feature_store import FeatureStore

Array = NDArray[np.float32]

BATCH = 64
MOST_SAMPLED = 6000
"""Questions whose states the reduction is fitted on."""
POWER_STEPS = 6
MARGIN = 32
"""Directions beyond the wanted ones, which make the wanted ones exact sooner."""


class StateMaker:
    """Makes the features of pairs by a causal model.

    Args:
        encoder: the model.
        forms: the question of each set.
        places: the states that are read.
        components: features of a pair.
        folder: of the states on disk.
        report: is told how it goes.
    """

    encode = None

    def __init__(
        self,
        encoder: StateEncoder,
        forms: Mapping[str, QuestionForm],
        places: StatePlaces,
        components: int,
        folder: Path,
        report: Report,
    ) -> None:
        self.model = encoder.model
        self.weights = encoder.weights
        self.places = places
        self._forms = forms
        self._components = components
        self._report = report
        self._reading = encoder.make_reading(places)
        self._reduction: StateReduction | None = None
        width = places.count_features(encoder.width)
        self._stores = {
            name: FeatureStore(
                folder, f"{encoder.weights}|{places.layers}|{form}", width, is_halved=True
            )
            for name, form in forms.items()
        }

    def prepare(self, training: Mapping[str, Pairs], others: Mapping[str, Pairs]) -> None:
        """Read the states of all questions, and fit the reduction on those of the training."""
        counts = {name: len(dict.fromkeys([*training[name], *others[name]])) for name in training}
        before = 0
        for name in training:
            pairs = list(dict.fromkeys([*training[name], *others[name]]))
            self._fill(name, pairs, before, sum(counts.values()))
            before += counts[name]
        self._report("reducing", before, before)
        self._reduction = fit_reduction(self._sample(training), self._components)

    def make(self, name: str, training: Pairs) -> StateFeatures:
        """Return the features of a set; the reduction is that of all sets."""
        assert self._reduction is not None

        def read(_form: QuestionForm, pairs: Pairs) -> Array:
            self._fill(name, pairs, 0, 0)
            return self._stores[name].read([join_pair(pair) for pair in pairs])

        return StateFeatures(read, self._forms[name], self._reduction)

    def close(self) -> None:
        """Release the files."""
        for store in self._stores.values():
            store.close()

    def _fill(self, name: str, pairs: Pairs, before: int, every: int) -> None:
        by_text = {join_pair(pair): pair for pair in pairs}
        # Questions of equal length share passes without waste, and passes are checked less often.
        texts = sorted(by_text, key=len)

        def compute(batch: Sequence[str]) -> Array:
            return self._reading(self._forms[name], [by_text[text] for text in batch])

        def report(done: int, _all: int) -> None:
            if every:
                self._report(f"{name}: hidden states", before + done, every)

        self._stores[name].fill(texts, compute, BATCH, report)

    def _sample(self, training: Mapping[str, Pairs]) -> Array:
        total = sum(map(len, training.values()))
        step = max(1.0, total / MOST_SAMPLED)
        parts = []
        for name, pairs in training.items():
            chosen = [pairs[int(place)] for place in np.arange(0, len(pairs), step)]
            parts.append(self._stores[name].read([join_pair(pair) for pair in chosen]))
        return np.concatenate(parts)


def join_pair(pair: tuple[str, str]) -> str:
    """Write both sides as one text, by which the states are kept."""
    return "\n".join(pair)


def fit_reduction(states: Array, components: int) -> StateReduction:
    """Fit shift, scale and principal directions of standardised states.

    The directions come from subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4),
    which needs products with a narrow matrix only.

    Args:
        states: one question a row.
        components: directions that are wanted; fewer if the states have fewer.
    """
    mean = states.mean(axis=0)
    deviation = np.maximum(states.std(axis=0), 1e-3)
    standard = (states - mean) / deviation
    count = min(components, *standard.shape)
    width = min(count + MARGIN, *standard.shape)
    start = np.random.default_rng(0).normal(size=(standard.shape[1], width))
    basis = np.linalg.qr(standard @ start.astype(np.float32))[0]
    for _ in range(POWER_STEPS):
        basis = np.linalg.qr(standard @ np.linalg.qr(standard.T @ basis)[0])[0]
    _, _, directions = np.linalg.svd(basis.T @ standard, full_matrices=False)
    # In the half precision of the file, so that heads are trained on what they will see.
    projection = directions[:count].T.astype(np.float16).astype(np.float32)
    length = np.sqrt(((standard @ projection) ** 2).sum(axis=1).mean())
    factor = 1.0 / (deviation * max(float(length), 1e-9))
    return StateReduction(np.asarray(mean, np.float32), np.asarray(factor, np.float32), projection)
