# SPDX-License-Identifier: Apache-2.0
"""The relations of a domain that a relation of a scene may stand for, in any order of arguments.

Evidence against "it stands for none of them" is added up as log-likelihood ratios: the types of
both ends, arguments that occur once, what geometry finds of the same things, and the words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from fcp_ros.alignment.ontology.label_beliefs import UNLIKELY, Belief, soften
from fcp_ros.alignment.ontology.target import DomainTarget, TargetRelation
from fcp_ros.alignment.ontology.vocabulary import SceneVocabulary
from fcp_ros.domain.scene_names import DOORLESS, RelationReading
from fcp_ros.scene.graph.elements import Layer
from fcp_ros.scene.graph.graph import SceneGraph

_LEAST = -1.5
"""Least weight of one tuple: another reading may account for it."""
_SAME_NAME = 6.0
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
