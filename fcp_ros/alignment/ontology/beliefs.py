# SPDX-License-Identifier: Apache-2.0
"""Meanings that the names of a scene may have, with probabilities: labels, attributes, relations.

Evidence is added up as log-likelihoods: the meaning of the word, the size of the things, and the
parts that they have in relations. The weights of words were fitted on 318 words of
test/benchmark/labels.csv, with MiniLM; of 129 that were held out, 25 had a type with a probability
above 0.6 by their word alone, and 20 of those were right.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from fcp_ros.alignment.ontology.vocabulary import DomainTarget, SceneVocabulary, TargetRelation
from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity, is_only_description
from fcp_ros.domain.scene_names import DOORLESS, AttributeFact, AttributeReading, RelationReading
from fcp_ros.foundation.labels import is_named, normalise_label
from fcp_ros.scene.graph.elements import Layer
from fcp_ros.scene.graph.graph import SceneGraph

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


# --- the attributes of a domain that a truth value of a scene may stand for, or its opposite


_SAME_NAME = 6.0
_LIKE_ATTRIBUTE, _NEUTRAL = 8.0, 0.4
"""Weight of the likeness of names, and the likeness that says nothing."""
_ATTRIBUTE_PRIOR = math.log(0.25)
_ATTRIBUTE_TAKEN = 2.0
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
                    more += max(-1.0, min(4.0, _LIKE_ATTRIBUTE * (likeness - _NEUTRAL)))
                if name != fact.attribute and fact.attribute in self._vocabulary.attributes:
                    more -= _ATTRIBUTE_TAKEN
                weights.append(weight + more + _ATTRIBUTE_PRIOR)
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


# --- the relations of a domain that a relation of a scene may stand for, in any order of arguments
#
# Evidence against "it stands for none of them" is added up as log-likelihood ratios: the types of
# both ends, arguments that occur once, what geometry finds of the same things, and the words.


_LEAST = -1.5
"""Least weight of one tuple: another reading may account for it."""
_LIKE, _LIKENESS = 6.0, 0.4
"""Weight of the likeness of names, and the likeness that says nothing."""
_FOUND, _MISSED = 0.85, 0.15
"""Share of the tuples of a right reading that geometry finds as well, and the others."""
_REPEATED = 3.0
"""Weight of tuples that repeat an argument that may occur once only."""
_UNREPEATED = 0.5
_GEOMETRIC = ("on", "inside", "in_room", "at")
_PRIOR = math.log(0.5)
_FITS = 0.5
_TAKEN = 1.0
"""Weight against a second name of what the scene has under the domain's own name."""

Tuples = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class ReadingScore:
    """A reading of a relation, and how well it explains the scene."""

    reading: RelationReading  # the relation of the domain and the order of its arguments
    target: TargetRelation
    weight: float  # log-likelihood ratio against no reading
    fit: float  # share of the tuples whose types fit
    # share of the tuples that geometry finds as well; None where it can't say
    found: float | None = None
    likeness: float | None = None  # of the names in meaning; None if that was not compared
    repeats: float = 0.0  # share of the tuples that repeat an argument that may occur once only


@dataclass(frozen=True)
class RelationBelief:
    """The readings of a relation with their probabilities."""

    # the readings, the most likely first, with their probabilities
    scores: tuple[tuple[ReadingScore, float], ...]
    nothing: float  # the probability that it stands for no relation of the domain


class RelationWeigher:
    """Weighs the readings of the relations of a scene."""

    def __init__(
        self,
        vocabulary: SceneVocabulary,
        target: DomainTarget,
        geometry: SceneGraph,  # what follows from the boxes of the scene and its hierarchy alone
        # of a perceived name with a relation of the domain, by their names
        likeness: Mapping[tuple[str, str], float],
        # weights that trials have given to readings, by perceived name
        tried: Mapping[tuple[str, RelationReading], float],
    ) -> None:
        self._vocabulary = vocabulary
        self._target = target
        self._likeness = likeness
        self._tried = tried
        self._derived = {
            name: frozenset(one.elements for one in geometry.relations_named(name))
            for name in _GEOMETRIC
        }
        self._located = {
            id_
            for id_, node in vocabulary.graph.nodes.items()
            if node.polygon
            or (node.pose is not None and node.size is not None)
            or (node.pose is not None and node.layer is Layer.AGENT)
        }

    def weigh(self, name: str, tuples: Tuples, beliefs: Mapping[str, Belief]) -> RelationBelief:
        """Return the readings of a relation with their probabilities.

        `tuples`: some of its tuples, all of one length. `beliefs`: about the types of labels.
        """
        arity = len(tuples[0])
        scores = [
            self._score(name, tuples, target, places, shares)
            for target in self._target.find_relations(arity)
            for shares in [_share_by_label(target, beliefs)]
            for places in permutations(range(arity))
            if target.name != DOORLESS or places[0] < places[1]  # it holds both ways
        ]
        if not scores:
            return RelationBelief((), 1.0)
        prior = _PRIOR - math.log(len(scores))
        weights = np.array([0.0, *(score.weight + prior for score in scores)])
        powers = np.exp(weights - weights.max())
        powers /= powers.sum()
        ranked = sorted(
            zip(scores, powers[1:].tolist(), strict=True), key=lambda one: (-one[1], one[0].reading)
        )
        return RelationBelief(tuple(ranked), float(powers[0]))

    def _score(
        self,
        name: str,
        tuples: Tuples,
        target: TargetRelation,
        places: tuple[int, ...],
        shares: Sequence[Mapping[str, float]],
    ) -> ReadingScore:
        reading = RelationReading(target.name, places)
        fits = self._measure_fits(tuples, places, shares)
        base = self._measure_base(shares)
        weight = _add_up(math.log(soften(float(fit)) / soften(base)) for fit in fits)
        found, more = self._compare_geometry(tuples, reading)
        repeats = _measure_repeats(tuples, target, places)
        weight += more - _REPEATED * repeats * min(len(tuples), 3)
        if target.functional and not repeats and len(tuples) > 2:
            weight += _UNREPEATED
        likeness = self._likeness.get((name, target.name))
        if name == target.name:
            weight += _SAME_NAME if places == tuple(range(len(places))) else 0.0
        elif likeness is not None:
            weight += max(-1.0, min(3.0, _LIKE * (likeness - _LIKENESS)))
        if name != target.name and target.name in self._vocabulary.relations:
            weight -= _TAKEN
        weight += self._tried.get((name, reading), 0.0)
        fit = float(np.mean([one > _FITS for one in fits]))
        return ReadingScore(reading, target, weight, fit, found, likeness, repeats)

    def _measure_fits(
        self, tuples: Tuples, places: tuple[int, ...], shares: Sequence[Mapping[str, float]]
    ) -> list[float]:
        """Return for each tuple the probability that its types fit.

        `places`: for each argument of the domain's relation that of the scene. `shares`: for each
        of these, the probability that a label fits.
        """
        label_of = self._vocabulary.label_of
        fits = []
        for elements in tuples:
            fit = 1.0
            for share, place in zip(shares, places, strict=True):
                fit *= share.get(label_of.get(elements[place], ""), 0.0)
            fits.append(fit)
        return fits

    def _measure_base(self, shares: Sequence[Mapping[str, float]]) -> float:
        """Return the probability that things chosen at random fit a relation."""
        counts = {label: len(ids) for label, ids in self._vocabulary.labels.items()}
        total = max(sum(counts.values()), 1)
        return math.prod(
            sum(count * share[label] for label, count in counts.items()) / total for share in shares
        )

    def _compare_geometry(
        self, tuples: Tuples, reading: RelationReading
    ) -> tuple[float | None, float]:
        """Return the share of tuples that geometry finds, and what that weighs."""
        derived = self._derived.get(reading.name)
        seen = [one for one in tuples if self._located.issuperset(one)]
        if derived is None or not seen:
            return None, 0.0
        base = min(max(len(derived) / len(self._located) ** 2, 0.02), 0.5)
        hits = [reading.read(one) in derived for one in seen]
        weight = _add_up(
            math.log(_FOUND / base) if hit else math.log(_MISSED / (1.0 - base)) for hit in hits
        )
        return sum(hits) / len(hits), weight


def _share_by_label(
    target: TargetRelation, beliefs: Mapping[str, Belief]
) -> list[dict[str, float]]:
    """Return for each argument of a relation the probability that a label fits."""
    return [
        {label: float(belief[leg].sum()) for label, belief in beliefs.items()}
        for leg in target.legs
    ]


def _add_up(weights: Iterable[float]) -> float:
    """Add up what tuples say; they depend on one another, so many say little more than a few."""
    given = [max(weight, _LEAST) for weight in weights]
    return sum(given) / len(given) * (1.0 + math.log2(len(given)))


def _measure_repeats(tuples: Tuples, target: TargetRelation, places: tuple[int, ...]) -> float:
    """Return the share of tuples that repeat an argument that may occur once only."""
    worst = 0.0
    for leg in target.functional:
        values = [elements[places[leg]] for elements in tuples]
        worst = max(worst, 1.0 - len(set(values)) / len(values))
    return worst


def weigh_parts(
    vocabulary: SceneVocabulary, relations: Mapping[str, RelationBelief], size: int
) -> dict[str, Belief]:
    """Return what the parts of each label's things in relations say about its type."""
    parts: dict[str, Belief] = {}
    for name, tuples in vocabulary.relations.items():
        belief = relations.get(name)
        if belief is None:
            continue
        for place in range(len(tuples[0])):
            likelihood = np.full(size, belief.nothing * 0.5)
            for score, probability in belief.scores:
                allowed = score.target.legs[score.reading.places.index(place)]
                likelihood += probability * np.where(allowed, 1.0 - UNLIKELY, UNLIKELY)
            counts: dict[str, int] = {}
            for elements in tuples:
                label = vocabulary.label_of.get(elements[place])
                if label is not None:
                    counts[label] = counts.get(label, 0) + 1
            for label, count in counts.items():
                weight = np.log(likelihood) * min(count, 2)
                parts[label] = parts.get(label, np.zeros(size)) + weight
    return parts
