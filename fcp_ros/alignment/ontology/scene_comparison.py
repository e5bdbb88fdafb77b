# SPDX-License-Identifier: Apache-2.0
"""Two scenes of one place in different words: what the names of the one are in the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from fcp_ros.alignment.ontology.claims import ClaimStanding, Meaning, NameClaim, NameKind
from fcp_ros.alignment.ontology.proposal import CREDIBLE
from fcp_ros.alignment.ontology.vocabulary import SceneVocabulary
from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity
from fcp_ros.domain.scene_names import DOORLESS, AttributeReading, RelationReading
from fcp_ros.foundation.stopping import Check, never_stop

Matrix = NDArray[np.float64]

MOST_THINGS = 1_000
"""Things of one scene up to which relations are followed; beyond, labels and places decide."""
_ROUNDS = 8
_SAME_LABEL, _OTHER_LABEL = 4.0, -3.0
_LIKE, _LIKENESS = 6.0, 0.4
_NEAR, _NEAR_WEIGHT, _FAR_WEIGHT = 0.3, 5.0, -4.0
"""Distance (m) of things that are in one place, and the weights of that and of the opposite."""
_SHARED = 0.3
"""Share of things with something in their place from which two scenes have one frame."""
_RELATED = 3.0
_TOGETHER = 1.0
"""Weights of relations to things that are alike, and of other things with the same two labels."""
_IMPOSSIBLE = -50.0


@dataclass(frozen=True)
class Counterparts:
    """The counterparts of things, as probabilities."""

    rows: tuple[str, ...]  # ids of the one scene, in the order of the rows
    columns: tuple[str, ...]
    shares: Matrix  # probability of each pair; a row adds up to 1 at most
    has_places: bool  # both scenes have one frame, so places counted

    def find_pairs(self) -> dict[str, str]:
        """Find the best counterpart of each thing, each for one only."""
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(-self.shares)
        return {
            self.rows[row]: self.columns[column]
            for row, column in zip(rows, columns, strict=True)
            if self.shares[row, column] > 1.0 / (2.0 * len(self.columns))
        }


def find_counterparts(
    one: SceneVocabulary,
    other: SceneVocabulary,
    similarity: LabelSimilarity | None,  # compares labels in meaning; None leaves that out
    check: Check = never_stop,
) -> Counterparts:
    """Find the counterparts of a scene's things in another scene."""
    rows, columns = tuple(one.label_of), tuple(other.label_of)
    base = _compare_labels(one, other, rows, columns, similarity)
    base += _compare_layers(one, other, rows, columns)
    places = _compare_places(one, other, rows, columns)
    base = base if places is None else base + places
    shares = _share_out(base)
    if max(len(rows), len(columns)) <= MOST_THINGS:
        first, second = _list_matrices(one, rows), _list_matrices(other, columns)
        labels = _list_label_matrix(one, rows), _list_label_matrix(other, columns)
        for _ in range(_ROUNDS):
            check()
            more = _RELATED * _follow(first, second, shares)
            more += _TOGETHER * _agree(labels, shares)
            shares = _share_out(base + more)
    return Counterparts(rows, columns, shares, places is not None)


def _share_out(weights: Matrix) -> Matrix:
    """Return probabilities; each thing of either scene has one counterpart at most."""
    powers = np.exp(weights - weights.max(axis=1, keepdims=True))
    for _ in range(10):
        powers = powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-12)
        over = np.maximum(powers.sum(axis=0, keepdims=True), 1.0)
        powers = powers / over
    return np.asarray(powers)


def _compare_labels(
    one: SceneVocabulary,
    other: SceneVocabulary,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    similarity: LabelSimilarity | None,
) -> Matrix:
    mine, theirs = list(one.labels), list(other.labels)
    table = np.zeros((len(mine), len(theirs)))
    if similarity is not None and mine and theirs:
        try:
            likeness = similarity.similarities(mine, theirs).astype(np.float64)
            table = np.clip(_LIKE * (likeness - _LIKENESS), -1.0, 3.0)
        except NoSimilarity:
            pass
    for at, label in enumerate(mine):
        if label in other.labels:
            table[at] = _OTHER_LABEL
            table[at, theirs.index(label)] = _SAME_LABEL
    for at, label in enumerate(theirs):
        if label in one.labels:
            column = table[:, at]
            column[[name != label for name in mine]] = _OTHER_LABEL
    row_of = {label: at for at, label in enumerate(mine)}
    column_of = {label: at for at, label in enumerate(theirs)}
    at_rows = [row_of[one.label_of[id_]] for id_ in rows]
    at_columns = [column_of[other.label_of[id_]] for id_ in columns]
    return table[np.ix_(at_rows, at_columns)]


def _compare_layers(
    one: SceneVocabulary, other: SceneVocabulary, rows: tuple[str, ...], columns: tuple[str, ...]
) -> Matrix:
    mine = [one.graph.nodes[id_].layer for id_ in rows]
    theirs = [other.graph.nodes[id_].layer for id_ in columns]
    return np.array([[0.0 if a is b else _IMPOSSIBLE for b in theirs] for a in mine])


def _compare_places(
    one: SceneVocabulary, other: SceneVocabulary, rows: tuple[str, ...], columns: tuple[str, ...]
) -> Matrix | None:
    """Return weights of places; None if the scenes have no places, or not one frame."""
    mine, theirs = _list_places(one, rows), _list_places(other, columns)
    gaps = np.linalg.norm(mine[:, None, :] - theirs[None, :, :], axis=2)
    known = ~np.isnan(gaps)
    near = known & (gaps <= _NEAR)
    placed = known.any(axis=1)
    if not placed.any() or near.any(axis=1)[placed].mean() < _SHARED:
        return None
    return np.where(known, np.where(near, _NEAR_WEIGHT - gaps / _NEAR, _FAR_WEIGHT), 0.0)


def _list_places(vocabulary: SceneVocabulary, ids: tuple[str, ...]) -> Matrix:
    nothing = (np.nan, np.nan, np.nan)
    poses = (vocabulary.graph.nodes[id_].pose for id_ in ids)
    return np.array([nothing if pose is None else pose.position for pose in poses])


def _list_matrices(vocabulary: SceneVocabulary, ids: tuple[str, ...]) -> Mapping[str, Matrix]:
    at = {id_: position for position, id_ in enumerate(ids)}
    found: dict[str, Matrix] = {}
    for name, tuples in vocabulary.relations.items():
        for first, second in combinations(range(len(tuples[0])), 2):
            matrix = np.zeros((len(ids), len(ids)))
            for elements in tuples:
                if elements[first] in at and elements[second] in at:
                    matrix[at[elements[first]], at[elements[second]]] = 1.0
            found[f"{name} {first} {second}"] = matrix
    return found


def _list_label_matrix(vocabulary: SceneVocabulary, ids: tuple[str, ...]) -> Matrix:
    labels = list(vocabulary.labels)
    return np.array([[float(vocabulary.label_of[id_] == label) for label in labels] for id_ in ids])


def _follow(first: Mapping[str, Matrix], second: Mapping[str, Matrix], shares: Matrix) -> Matrix:
    """Return how far the relations of each pair of things lead to things that are alike."""
    total = np.zeros_like(shares)
    for name, mine in first.items():
        for other, theirs in second.items():
            if name != other and (name in second or other in first):
                continue  # names that both have are what they seem, as far as places allow
            for turned in (theirs,) if name == other else (theirs, theirs.T):
                moved = shares @ turned @ shares.T
                common = float((mine * moved).sum())
                agreement = common / max(mine.sum() + theirs.sum() - common, 1e-9)
                if agreement < 0.05:
                    continue
                forward = (mine @ shares @ turned.T) / _count(mine, turned)
                backward = (mine.T @ shares @ turned) / _count(mine.T, turned.T)
                total += agreement * (forward + backward)
    return np.minimum(total, 2.0)


def _count(mine: Matrix, theirs: Matrix) -> Matrix:
    """Return for each pair the larger number of relations, at least 1."""
    counted = np.maximum(mine.sum(axis=1)[:, None], theirs.sum(axis=1)[None, :])
    return np.asarray(np.maximum(counted, 1.0))


def _agree(labels: tuple[Matrix, Matrix], shares: Matrix) -> Matrix:
    """Return for each pair of things how far things with their labels are counterparts."""
    mine, theirs = labels
    table = mine.T @ shares @ theirs
    table = table / np.maximum(mine.sum(axis=0)[:, None], 1.0)
    return np.asarray(mine @ table @ theirs.T)


_MOST_CERTAIN = 0.99
_RIVALS = 3
_WORTH_SAYING = 0.05
_NOTHING = 0.5
_SAME_NAME = 0.5
"""Agreement that a relation of the same name is given in addition."""


def compare_names(
    one: SceneVocabulary,
    other: SceneVocabulary,
    similarity: LabelSimilarity | None,  # compares labels in meaning; None leaves that out
    check: Check = never_stop,
) -> tuple[NameClaim, ...]:
    """Find out what the names of a scene are in another scene of the same place."""
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
        kind, name, meaning, min(share, _MOST_CERTAIN), standing, count, reasons, tuple(rivals[1:])
    )
