# SPDX-License-Identifier: Apache-2.0
"""Evidence from outside of a scene, as log-likelihoods: trials, and other scenes of its place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fcp_ros.alignment.ontology.claims import NameClaim, NameKind
from fcp_ros.alignment.ontology.label_beliefs import Belief
from fcp_ros.alignment.ontology.target import DomainTarget
from fcp_ros.domain.scene_names import AttributeReading, RelationReading
from fcp_ros.foundation.labels import normalise_label

_LEAST_SHARE = 0.02


@dataclass(frozen=True)
class TrialWeights:
    """The evidence for and against meanings, as log-likelihoods."""

    labels: Mapping[str, Belief] = field(default_factory=dict)
    # by perceived name and reading
    relations: Mapping[tuple[str, RelationReading], float] = field(default_factory=dict)
    # by perceived name and reading
    attributes: Mapping[tuple[str, AttributeReading], float] = field(default_factory=dict)
    # label -> label of the domain that another scene has for the same things
    words: Mapping[str, str] = field(default_factory=dict)

    def join(self, other: TrialWeights) -> TrialWeights:
        """Return the sum of both."""
        relations, attributes = dict(self.relations), dict(self.attributes)
        for one, weight in other.relations.items():
            relations[one] = relations.get(one, 0.0) + weight
        for named, weight in other.attributes.items():
            attributes[named] = attributes.get(named, 0.0) + weight
        words = {**self.words, **other.words}
        return TrialWeights(add_beliefs(self.labels, other.labels), relations, attributes, words)


def add_beliefs(first: Mapping[str, Belief], second: Mapping[str, Belief]) -> dict[str, Belief]:
    """Return the sums of log-likelihoods by label."""
    added = dict(first)
    for label, weights in second.items():
        added[label] = added[label] + weights if label in added else weights
    return added


def weigh_hints(hints: Iterable[NameClaim], target: DomainTarget) -> TrialWeights:
    """Return what another scene says of the names of a scene, where it speaks like the domain."""
    labels: dict[str, Belief] = {}
    relations: dict[tuple[str, RelationReading], float] = {}
    attributes: dict[tuple[str, AttributeReading], float] = {}
    words: dict[str, str] = {}
    count = len(target.types)
    for hint in hints:
        weight = math.log(max(hint.probability, _LEAST_SHARE) * count)
        if isinstance(hint.meaning, RelationReading):
            relations[hint.name, hint.meaning] = weight
        elif isinstance(hint.meaning, AttributeReading):
            attributes[hint.name, hint.meaning] = weight
        elif hint.kind is NameKind.LABEL and hint.meaning is not None:
            type_ = target.find_type(hint.meaning)
            if type_ is None:
                continue
            left = math.log(max(1.0 - hint.probability, _LEAST_SHARE))
            labels[hint.name] = np.where(target.mask(type_), weight, left)
            word = normalise_label(hint.meaning)
            if word in target.mapping.labels and word != hint.name:
                words[hint.name] = word
    return TrialWeights(labels, relations, attributes, words)
