# SPDX-License-Identifier: Apache-2.0
"""The types that a label of a scene may stand for, with their probabilities.

Evidence is added up as log-likelihoods: the meaning of the word, the size of the things, and the
parts that they have in relations. The weights of words were fitted on 318 words of
test/benchmark/labels.csv, with MiniLM; of 129 that were held out, 25 had a type with a probability
above 0.6 by their word alone, and 20 of those were right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fcp_ros.alignment.ontology.target import DomainTarget
from fcp_ros.alignment.ontology.vocabulary import SceneVocabulary
from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity, is_only_description
from fcp_ros.foundation.labels import is_named
from fcp_ros.scene.graph.elements import Layer

Belief = NDArray[np.float64]
"""A probability for each type of a target."""

_NEAREST, _SECOND, _COMMON = 12.0, 6.0, 0.3
"""Weights of a type's nearest label, its second, and of the logarithm of its number of labels."""
_NO_WORD = 8.0
"""Weight of the possibility that the word says nothing."""
_KNOWN = 6.0
"""Log odds of the type that the domain gives to a label."""
_SMALL, _LARGE = 0.85, 0.12
"""Share of things that can be carried among the small ones, and among those above 1 m."""
_LARGE_SIZE = 1.0
UNLIKELY = 0.03
"""Probability that a thing is in a relation that its type does not allow."""


class LabelWords:
    """The meaning of labels, compared with those of the domain in one go.

    `similarity`: compares labels; None compares none.
    """

    def __init__(self, target: DomainTarget, similarity: LabelSimilarity | None) -> None:
        self._target = target
        self._similarity = similarity
        self._rows: dict[str, NDArray[np.float64]] = {}
        self.note = "" if similarity else "labels were not compared in meaning"

    def learn(self, labels: Sequence[str]) -> None:
        """Compare labels with those of the domain."""
        new = [label for label in labels if label not in self._rows and is_named(label)]
        if self._similarity is None or not new:
            return
        try:
            table = self._similarity.similarities(new, self._target.names)
        except NoSimilarity as reason:
            self._similarity = None
            self.note = f"labels were not compared in meaning: {reason}"
            return
        for label, row in zip(new, table.astype(np.float64), strict=True):
            described = [is_only_description(name, label) for name in self._target.names]
            self._rows[label] = np.where(described, np.minimum(row, 0.0), row)

    def weigh(self, label: str, able: NDArray[np.bool_]) -> Belief:
        """Return log-likelihoods of the types, up to a constant."""
        row = self._rows.get(label)
        count = len(self._target.types)
        if row is None:
            return np.zeros(count)
        nearest, second = np.zeros(count), np.zeros(count)
        sizes = np.bincount(self._target.name_types, minlength=count)
        for at, value in zip(self._target.name_types, row, strict=True):
            if value > nearest[at]:
                nearest[at], second[at] = value, nearest[at]
            else:
                second[at] = max(second[at], value)
        weights = _NEAREST * nearest + _SECOND * second + _COMMON * np.log(np.maximum(sizes, 1))
        floor = _NO_WORD - np.log(max(int(able.sum()), 1))
        return np.asarray(np.logaddexp(weights, floor))

    def find_nearest(self, label: str, type_: str) -> tuple[str, float] | None:
        """Find the label of a type that is most like a label; None if none was compared."""
        row = self._rows.get(label)
        if row is None or not len(row):
            return None
        of_type = self._target.name_types == self._target.index(type_)
        at = int(np.argmax(np.where(of_type, row, -1.0)))
        return self._target.names[at], float(row[at])


def believe_labels(
    vocabulary: SceneVocabulary,
    target: DomainTarget,
    words: LabelWords,
    # log-likelihoods of the types by the label's parts in relations, and by trials
    parts: Mapping[str, Belief],
) -> dict[str, Belief]:
    """Return the probability of each type, for each label of a scene."""
    return {
        label: _believe(label, vocabulary, target, words, parts.get(label))
        for label in vocabulary.labels
    }


def _believe(
    label: str,
    vocabulary: SceneVocabulary,
    target: DomainTarget,
    words: LabelWords,
    part: Belief | None,
) -> Belief:
    layer = vocabulary.find_layer(label)
    able = target.find_layer_types(layer)
    if not able.any():
        return np.zeros(len(target.types))
    weights = words.weigh(label, able)
    known = target.find_type(label)
    if known is not None and able[target.index(known)]:
        weights = np.zeros(len(target.types))
        weights[target.index(known)] = _KNOWN + np.log(max(int(able.sum()), 1))
    elif layer is not Layer.OBJECT:
        weights = np.zeros(len(target.types))
        weights[target.index(target.mapping.layer_types[layer.value])] = _KNOWN
    if layer is Layer.OBJECT:
        weights = weights + _weigh_size(label, vocabulary, target)
    if part is not None:
        weights = weights + part
    weights = np.where(able, weights, -np.inf)
    powers = np.exp(weights - weights.max())
    return np.asarray(powers / powers.sum())


def _weigh_size(label: str, vocabulary: SceneVocabulary, target: DomainTarget) -> Belief:
    mapping = target.mapping
    sizes = [vocabulary.graph.nodes[id_].size for id_ in vocabulary.labels[label]]
    extents = [max(size) for size in sizes if size is not None]
    if mapping.small_default_type is None or not extents:
        return np.zeros(len(target.types))
    carried = target.mask(mapping.small_default_type)
    middle = float(np.median(extents))
    share = _SMALL if middle <= mapping.small_size else _LARGE
    if mapping.small_size < middle <= _LARGE_SIZE:
        return np.zeros(len(target.types))
    return np.asarray(np.where(carried, math.log(share), math.log(1.0 - share)), float)


def soften(fit: float) -> float:
    """Return the probability of what was seen, where a fit itself may be wrong."""
    return (1.0 - UNLIKELY) * fit + UNLIKELY * (1.0 - fit)
