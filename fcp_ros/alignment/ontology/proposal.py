# SPDX-License-Identifier: Apache-2.0
"""The proposal: labels, relations and attributes of a scene, weighed together.

A relation tells the types of its ends, and types tell which relation it is. So each is weighed
with what the others say, a few times over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fcp_ros.alignment.ontology.beliefs import (
    AttributeScore,
    AttributeWeigher,
    Belief,
    LabelWords,
    ReadingScore,
    RelationBelief,
    RelationWeigher,
    Tuples,
    believe_labels,
    weigh_parts,
)
from fcp_ros.alignment.ontology.experiments import TrialWeights, add_beliefs
from fcp_ros.alignment.ontology.vocabulary import DomainTarget, SceneVocabulary
from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity
from fcp_ros.domain.scene_names import (
    NATIVE_RELATIONS,
    AttributeReading,
    RelationReading,
    SceneNames,
)
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.complete import complete_relations

CREDIBLE = 0.95
"""Probability from which a meaning is written without a trial."""
_ROUNDS = 4
_GUESSED = 0.2
"""Least probability of a reading that plans may rest on in a trial."""
_SAME_WORD = 0.7
"""Least likeness of two labels of one type that are taken for one another."""
_SPLITS = 8
"""Readings by which the tuples of a relation are split in two."""
_READ_BY_ONE = 0.9
"""Share of fitting tuples from which one reading will do."""
_UNREAD = 0.3
"""Least fit of a tuple with a reading; the others are given to a second one."""


@dataclass(frozen=True)
class OntologyProposal:
    """The meanings of a scene's names with their probabilities."""

    labels: Mapping[str, Belief]
    # of each relation, the readings in the order in which they are applied
    relations: Mapping[str, tuple[RelationBelief, ...]]
    attributes: Mapping[str, tuple[AttributeScore, ...]]


class Proposer:
    """Proposes the meanings of a scene's names."""

    def __init__(
        self,
        vocabulary: SceneVocabulary,
        target: DomainTarget,
        similarity: LabelSimilarity | None,  # compares names in meaning; None leaves that out
        check: Check = never_stop,
    ) -> None:
        self.vocabulary = vocabulary
        self.target = target
        self.words = LabelWords(target, similarity)
        self._check = check
        check()
        unknown = [label for label in vocabulary.labels if target.find_type(label) is None]
        self.words.learn(unknown)
        check()
        self._likeness = self._compare_relations(similarity)
        self._attributes = AttributeWeigher(vocabulary, target, similarity)
        check()
        self.geometry = _derive(vocabulary.graph)

    def propose(self, trials: TrialWeights | None = None) -> OntologyProposal:
        """Weigh all names together. `trials`: what trials said about them."""
        trials = trials or TrialWeights()
        weigher = RelationWeigher(
            self.vocabulary, self.target, self.geometry, self._likeness, trials.relations
        )
        parts: dict[str, Belief] = {}
        for _ in range(_ROUNDS):
            self._check()
            labels = believe_labels(
                self.vocabulary, self.target, self.words, add_beliefs(parts, trials.labels)
            )
            relations = {
                name: self._read_relation(weigher, name, tuples, labels)
                for name, tuples in self.vocabulary.relations.items()
            }
            attributes = {
                name: self._attributes.weigh(name, labels, trials.attributes)
                for name in self.vocabulary.attributes
            }
            parts = self._weigh_parts(relations, attributes)
        return OntologyProposal(labels, relations, attributes)

    def _read_relation(
        self, weigher: RelationWeigher, name: str, tuples: Tuples, labels: Mapping[str, Belief]
    ) -> tuple[RelationBelief, ...]:
        """Weigh the readings of a relation; two of them where its tuples differ in types."""
        if name in NATIVE_RELATIONS and not self.target.domain.schema.has_relation(name):
            return (RelationBelief((), 1.0),)  # it means what it says; the domain has no use for it
        first = weigher.weigh(name, tuples, labels)
        if not first.scores or (first.nothing <= 0.5 and first.scores[0][0].fit >= _READ_BY_ONE):
            return (first,)
        best: tuple[RelationBelief, ...] = (first,)
        share = 0.0
        for score, _ in first.scores[:_SPLITS]:
            left = tuple(one for one in tuples if self._misses(one, score, labels))
            own = tuple(one for one in tuples if one not in left)
            if not left or not own:
                continue
            both = weigher.weigh(name, own, labels), weigher.weigh(name, left, labels)
            sure = min(_find_certainty(belief) for belief in both)
            apart = both[0].scores[0][0].reading != both[1].scores[0][0].reading
            if apart and sure > max(share, 0.5) and sure > _find_certainty(first) / 2.0:
                best, share = both, sure
        # What the name says comes first: of several readings the first that fits counts.
        return tuple(sorted(best, key=lambda belief: not _reads_as(name, belief)))

    def _misses(
        self, elements: tuple[str, ...], score: ReadingScore, labels: Mapping[str, Belief]
    ) -> bool:
        """Return True if the types of a tuple do not fit a reading."""
        fit = 1.0
        for leg, element in zip(score.target.legs, score.reading.read(elements), strict=True):
            label = self.vocabulary.label_of.get(element)
            fit *= 0.0 if label is None else float(labels[label][leg].sum())
        return fit < _UNREAD

    def _weigh_parts(
        self,
        relations: Mapping[str, tuple[RelationBelief, ...]],
        attributes: Mapping[str, tuple[AttributeScore, ...]],
    ) -> dict[str, Belief]:
        single = {name: found[0] for name, found in relations.items() if len(found) == 1}
        parts = weigh_parts(self.vocabulary, single, len(self.target.types))
        legs = {one.name: one.legs[0] for one in self.target.relations if len(one.legs) == 1}
        for name, scores in attributes.items():
            nothing = 1.0 - sum(score.probability for score in scores)
            likelihood = np.full(len(self.target.types), 0.5 * nothing)
            for score in scores:
                allowed = legs[score.fact.relation]
                likelihood += score.probability * np.where(allowed, 0.97, 0.03)
            for label in {
                self.vocabulary.label_of[id_] for id_ in self.vocabulary.attributes[name]
            }:
                known = parts.get(label, np.zeros(len(self.target.types)))
                parts[label] = known + np.log(likelihood)
        return parts

    def _compare_relations(
        self, similarity: LabelSimilarity | None
    ) -> dict[tuple[str, str], float]:
        own = {one.name for one in self.target.relations}
        names = [name for name in self.vocabulary.relations if name not in own]
        said = {one.name: one.words for one in self.target.relations}
        words = sorted({word for several in said.values() for word in several})
        if similarity is None or not names or not words:
            return {}
        try:
            table = similarity.similarities([normalise_label(name) for name in names], words)
        except NoSimilarity:
            return {}
        at = {word: position for position, word in enumerate(words)}
        return {
            (name, relation): max(float(row[at[word]]) for word in several)
            for name, row in zip(names, table, strict=True)
            for relation, several in said.items()
        }

    # --- meanings

    def choose_type(self, belief: Belief) -> tuple[str, float]:
        """Choose the narrowest type of the domain that is credible, with its probability."""
        best, narrowest = "", len(self.target.types) + 1
        mass = 0.0
        for type_ in self.target.domain.schema.types:
            mask = self.target.mask(type_)
            size, share = int(mask.sum()), float(belief[mask].sum())
            if share >= CREDIBLE and (size, -share) < (narrowest, -mass):
                best, narrowest, mass = type_, size, share
        return best, mass

    def find_label(self, label: str, type_: str) -> str:
        """Find the label of the domain that a label means, or else the type."""
        mapping = self.target.mapping
        if type_ in self.target.types:
            nearest = self.words.find_nearest(label, type_)
            if nearest is not None and nearest[1] >= _SAME_WORD:
                return nearest[0]
        word = normalise_label(type_)
        return word if mapping.labels.get(word) == type_ else type_

    def guess(self, proposal: OntologyProposal) -> SceneNames:
        """Return the likeliest meanings, doubtful ones included: what plans of trials rest on."""
        labels = {}
        for label, belief in proposal.labels.items():
            type_, _ = self.choose_type(belief)
            if type_ and type_ != self.target.find_type(label) and not self.is_default(type_):
                inside = np.where(self.target.mask(type_), belief, 0.0)
                labels[label] = self.find_label(label, self.target.types[int(inside.argmax())])
        relations = {
            name: readings
            for name, beliefs in proposal.relations.items()
            if (readings := self.list_readings(name, beliefs))
        }
        attributes = {
            name: scores[0].reading
            for name, scores in proposal.attributes.items()
            if scores and scores[0].probability >= _GUESSED
            if scores[0].reading != AttributeReading(name)
        }
        return SceneNames(labels, relations, attributes)

    def list_readings(
        self, name: str, beliefs: tuple[RelationBelief, ...]
    ) -> tuple[RelationReading, ...]:
        """List the readings of a relation that are worth a trial; none if it reads as it is."""
        readings = tuple(
            belief.scores[0][0].reading
            for belief in beliefs
            if belief.scores and belief.scores[0][1] >= _GUESSED
        )
        plain = len(readings) == 1 and readings[0] == RelationReading(
            name, tuple(range(len(readings[0].places)))
        )
        return () if plain else readings

    def is_default(self, type_: str) -> bool:
        """Return True if a type says no more than that of unknown labels."""
        mapping, is_kind = self.target.mapping, self.target.domain.schema.is_subtype
        return is_kind(mapping.default_type, type_)


def _reads_as(name: str, belief: RelationBelief) -> bool:
    """Return True if the best reading of a relation is the domain's relation of that name."""
    return bool(belief.scores) and belief.scores[0][0].reading.name == name


def _find_certainty(belief: RelationBelief) -> float:
    """Return the probability of the best reading."""
    return belief.scores[0][1] if belief.scores else 0.0


def _derive(graph: SceneGraph) -> SceneGraph:
    """Return what follows from boxes and hierarchy, without what the source states."""
    bare = SceneGraph.of(graph.nodes.values(), (), frame_id=graph.frame_id)
    try:
        return complete_relations(bare)
    except SceneError:
        return bare
