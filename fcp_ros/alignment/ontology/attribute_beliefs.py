# SPDX-License-Identifier: Apache-2.0
"""The attributes of a domain that a truth value of a scene may stand for, or its opposite."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fcp_ros.alignment.ontology.label_beliefs import Belief, soften
from fcp_ros.alignment.ontology.target import DomainTarget
from fcp_ros.alignment.ontology.vocabulary import SceneVocabulary
from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity
from fcp_ros.domain.scene_names import AttributeFact, AttributeReading
from fcp_ros.foundation.labels import normalise_label

_SAME_NAME = 6.0
_LIKE, _LIKENESS = 8.0, 0.4
"""Weight of the likeness of names, and the likeness that says nothing."""
_PRIOR = math.log(0.25)
_TAKEN = 2.0
"""Weight against a second name of what the scene has under the domain's own name."""


@dataclass(frozen=True)
class AttributeScore:
    """A reading of an attribute."""

    reading: AttributeReading  # the attribute of the domain, or its opposite
    fact: AttributeFact  # what it states in the domain
    probability: float
    fit: float  # share of the things with the attribute whose type fits
    likeness: float | None  # of the names in meaning; None if that was not compared


class AttributeWeigher:
    """Weighs the readings of the truth values of a scene."""

    def __init__(
        self,
        vocabulary: SceneVocabulary,
        target: DomainTarget,
        similarity: LabelSimilarity | None,  # compares names; None compares none
    ) -> None:
        self._vocabulary = vocabulary
        self._target = target
        relations = {one.name: one for one in target.relations if len(one.legs) == 1}
        self._facts = [
            (fact, relations[fact.relation])
            for fact in target.mapping.attribute_facts
            if isinstance(fact.equals, bool) and fact.relation in relations
        ]
        self._likeness = self._compare(similarity)

    def _compare(
        self, similarity: LabelSimilarity | None
    ) -> Mapping[tuple[str, AttributeReading], float]:
        """Compare each name with what states and what denies each attribute of the domain."""
        names = list(self._vocabulary.attributes)
        if similarity is None or not names or not self._facts:
            return {}
        said = {
            AttributeReading(fact.attribute, denied): self._list_words(fact, denied)
            for fact, _ in self._facts
            for denied in (False, True)
        }
        words = sorted({word for several in said.values() for word in several})
        try:
            table = similarity.similarities([split_attribute(name) for name in names], words)
        except NoSimilarity:
            return {}
        at = {word: position for position, word in enumerate(words)}
        return {
            (name, reading): max(float(row[at[word]]) for word in several)
            for name, row in zip(names, table, strict=True)
            for reading, several in said.items()
            if several
        }

    def _list_words(self, fact: AttributeFact, denied: bool) -> tuple[str, ...]:
        relation = next(one for known, one in self._facts if known == fact)
        states = fact.equals != denied
        words = relation.words if states else relation.opposite
        return words if denied else (split_attribute(fact.attribute), *words)

    def weigh(
        self,
        name: str,
        beliefs: Mapping[str, Belief],  # about the types of labels
        # weights that trials have given to readings, by perceived name
        taken: Mapping[tuple[str, AttributeReading], float],
    ) -> tuple[AttributeScore, ...]:
        """Return the readings of an attribute, the most likely first."""
        holders = [self._vocabulary.label_of[id_] for id_ in self._vocabulary.attributes[name]]
        found: list[tuple[AttributeReading, AttributeFact, float, float | None]] = []
        weights = [0.0]
        for fact, relation in self._facts:
            fits = [float(beliefs[label][relation.legs[0]].sum()) for label in holders]
            base = self._measure_base(relation.legs[0], beliefs)
            weight = _average([math.log(soften(fit) / soften(base)) for fit in fits])
            for denied in (False, True):
                reading = AttributeReading(fact.attribute, denied)
                likeness = self._likeness.get((name, reading))
                more = taken.get((name, reading), 0.0)
                if name == fact.attribute:
                    more += 0.0 if denied else _SAME_NAME
                elif likeness is not None:
                    more += max(-1.0, min(4.0, _LIKE * (likeness - _LIKENESS)))
                if name != fact.attribute and fact.attribute in self._vocabulary.attributes:
                    more -= _TAKEN
                weights.append(weight + more + _PRIOR)
                found.append((reading, fact, float(np.mean([f > 0.5 for f in fits])), likeness))
        powers = np.exp(np.array(weights) - max(weights))
        powers /= powers.sum()
        scores = [
            AttributeScore(reading, fact, float(power), fit, likeness)
            for (reading, fact, fit, likeness), power in zip(found, powers[1:], strict=True)
        ]
        return tuple(sorted(scores, key=lambda one: (-one.probability, one.reading)))

    def _measure_base(self, leg: np.ndarray, beliefs: Mapping[str, Belief]) -> float:  # type: ignore[type-arg]
        labels = self._vocabulary.labels
        total = sum(len(ids) for ids in labels.values())
        fit = sum(len(ids) * float(beliefs[label][leg].sum()) for label, ids in labels.items())
        return fit / max(total, 1)


def split_attribute(name: str) -> str:
    """Return the words of an attribute without "is": `isShut` gives `shut`."""
    words = normalise_label(name).split(" ")
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("is", "has") else words)


def _average(weights: Sequence[float]) -> float:
    return sum(weights) / len(weights) * (1.0 + math.log2(len(weights))) if weights else 0.0
