# SPDX-License-Identifier: Apache-2.0
"""Two scenes of one place in different words: what the names of the one are in the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

import numpy as np

from fcp_ros.alignment.ontology.beliefs.counterparts import Counterparts, find_counterparts
from fcp_ros.alignment.ontology.beliefs.proposal import CREDIBLE
from fcp_ros.alignment.ontology.claims import ClaimStanding, Meaning, NameClaim, NameKind
from fcp_ros.alignment.ontology.vocabulary import SceneVocabulary
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.domain.scene_names import DOORLESS, AttributeReading, RelationReading

_MOST_CERTAIN = 0.99
_RIVALS = 3
_WORTH_SAYING = 0.05
_NOTHING = 0.5
_SAME_NAME = 0.5
"""Agreement that a relation of the same name is given in addition."""


def compare_names(
    one: SceneVocabulary,
    other: SceneVocabulary,
    similarity: LabelSimilarity | None,
    check: Callable[[], None] = lambda: None,
) -> tuple[NameClaim, ...]:
    """Find out what the names of a scene are in another scene of the same place.

    Args:
        one: names of the scene.
        other: names of the other one.
        similarity: compares labels in meaning; None leaves that out.
        check: called often; may raise to stop.
    """
    found = find_counterparts(one, other, similarity, check)
    comparison = _Comparison(one, other, found)
    return tuple(comparison.list_claims())


class _Comparison:
    def __init__(
        self, one: SceneVocabulary, other: SceneVocabulary, counterparts: Counterparts
    ) -> None:
        self._one = one
        self._other = other
        self._counterparts = counterparts
        self._pairs = counterparts.find_pairs()

    def list_claims(self) -> Iterator[NameClaim]:
        """Yield a claim for each name."""
        yield from map(self._claim_label, self._one.labels)
        yield from map(self._claim_relation, self._one.relations)
        yield from map(self._claim_attribute, self._one.attributes)

    def _claim_label(self, label: str) -> NameClaim:
        found = self._counterparts
        mine = [self._one.label_of[id_] == label for id_ in found.rows]
        shares = found.shares[mine].sum(axis=0) / sum(mine)
        by_label: dict[Meaning, float] = {}
        for id_, share in zip(found.columns, shares, strict=True):
            theirs = self._other.label_of[id_]
            by_label[theirs] = by_label.get(theirs, 0.0) + float(share)
        count = len(self._one.labels[label])
        reason = "by place, label and relations" if found.has_places else "by label and relations"
        reasons = (f"{count} of {len(found.rows)} things, matched {reason}",)
        return _conclude(NameKind.LABEL, label, label, by_label, count, reasons)

    def _claim_relation(self, name: str) -> NameClaim:
        tuples = self._one.relations[name]
        moved = [
            tuple(self._pairs[id_] for id_ in elements)
            for elements in tuples
            if all(id_ in self._pairs for id_ in elements)
        ]
        weights: dict[Meaning, float] = {}
        best = 0
        for theirs, facts in self._other.relations.items():
            if len(facts[0]) != len(tuples[0]):
                continue
            known = {*facts, *((one[1], one[0], *one[2:]) for one in facts if theirs == DOORLESS)}
            for places in permutations(range(len(facts[0]))):
                if theirs == DOORLESS and places[0] > places[1]:
                    continue
                reading = RelationReading(theirs, places)
                hits = sum(reading.read(elements) in known for elements in moved)
                best = max(best, hits)
                weights[reading] = hits / max(len(tuples) + len(facts) - hits, 1)
        same = RelationReading(name, tuple(range(len(tuples[0]))))
        if same in weights:
            weights[same] += _SAME_NAME
        reasons = (f"{best} of {len(tuples)} tuples hold in the other scene",)
        return _conclude(NameKind.RELATION, name, same, _normalise(weights), len(tuples), reasons)

    def _claim_attribute(self, name: str) -> NameClaim:
        values = self._one.attributes[name]
        weights: dict[Meaning, float] = {}
        agreeing = 0
        for theirs, others in self._other.attributes.items():
            both = [
                (value, others[self._pairs[id_]])
                for id_, value in values.items()
                if self._pairs.get(id_) in others
            ]
            for denied in (False, True):
                hits = sum((value != other) == denied for value, other in both)
                agreeing = max(agreeing, hits)
                union = len(values) + len(others) - len(both)
                weights[AttributeReading(theirs, denied)] = hits / max(union, 1)
        reasons = (f"{agreeing} of {len(values)} values agree",)
        same = AttributeReading(name)
        return _conclude(NameKind.ATTRIBUTE, name, same, _normalise(weights), len(values), reasons)


def _normalise(weights: Mapping[Meaning, float]) -> dict[Meaning, float]:
    """Turn agreements into probabilities, with one disagreement as the weight of nothing."""
    powers = {meaning: float(np.expm1(6.0 * weight)) for meaning, weight in weights.items()}
    total = sum(powers.values()) + float(np.expm1(6.0 * 0.25))
    return {meaning: power / total for meaning, power in powers.items()}


def _conclude(
    kind: NameKind,
    name: str,
    same: Meaning,
    shares: Mapping[Meaning, float],
    count: int,
    reasons: tuple[str, ...],
) -> NameClaim:
    """Make the claim about a name from the probabilities of its meanings."""
    ranked = sorted(shares.items(), key=lambda one: (-one[1], str(one[0])))
    rivals = [one for one in ranked[: _RIVALS + 1] if one[1] >= _WORTH_SAYING]
    if not ranked or ranked[0][1] < _NOTHING:
        nothing = 1.0 - sum(shares.values()) if ranked else 1.0
        standing = ClaimStanding.UNKNOWN
        return NameClaim(kind, name, None, max(nothing, 0.0), standing, count, (), tuple(rivals))
    meaning, share = ranked[0]
    standing = ClaimStanding.PROPOSED if share >= CREDIBLE else ClaimStanding.DOUBTFUL
    if meaning == same:
        standing = ClaimStanding.KNOWN
    return NameClaim(
        kind,
        name,
        meaning,
        min(share, _MOST_CERTAIN),
        standing,
        count,
        reasons,
        tuple(rivals[1:]),
    )
