# SPDX-License-Identifier: Apache-2.0
"""The demand model: what a clause asks for, of the meanings of a domain that it need not know.

A clause is compared with the frames of the domain's phrases: how alike the words are in meaning
(masked clause, verb, complement, by a sentence encoder), how probably both ask for the same of the
kinds of demands that people's sentences taught, and how well the arguments fill the places. The
weights of these features are the same in every domain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fcp_ros.domain.model import Domain
from fcp_ros.foundation.wordnet import find_wordnet
from fcp_ros.language.demands.frames import DemandClause, Frame, list_frames
from fcp_ros.language.demands.names import LearnedNames
from fcp_ros.language.demands.roles import Assignment, Fit, RoleModel, fit_anything
from fcp_ros.language.demands.vector_cache import read_vectors, write_vectors
from fcp_ros.language.meanings import Meaning

Array = NDArray[np.float64]
Places = NDArray[np.intp]
"""Positions of frames in a table."""
Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns the unit vectors of texts, one a row."""
FEATURES = (
    "likeness of the clauses",
    "likeness of the verbs",
    "same verb",
    "kinship of the verbs",
    "same particle",
    "other particle",
    "same kind of demand",
    "likeness of the complements",
    "other complement",
    "roles",
    "arguments without a place",
    "places without an argument",
)
FAMILIARITY_FEATURES = (
    "likeness of the clauses",
    "likeness of the verbs",
    "kinship of the verbs",
    "same kind of demand",
    "roles",
    "arguments without a place",
    "places without an argument",
)
"""Features of the best meaning that say if a clause asks for anything that is known; then 1."""
_LEAST_FIT = 1e-4
SHORT_LIST = 48
"""Number of frames whose roles are assigned: those that are likest by their words."""


@dataclass(frozen=True, slots=True)
class Demand:
    """One meaning that a clause may have."""

    meaning: Meaning
    slots: Mapping[str, int]  # slot -> position of the argument that fills it
    # its probability among the meanings of the domain, times the probability that the clause asks
    # for any of them, and times how well nouns and markers fit
    degree: float
    frame: Frame  # the frame of the domain's phrases that the clause is likest to


@dataclass(frozen=True)
class DemandWeights:
    """Weights that training finds: all that a file of weights holds."""

    features: Array  # weight of each of `FEATURES`
    roles: Array  # weight of each of `roles.ROLE_FEATURES`
    familiarity: Array  # weights of `describe_best`
    # softmax weights of the kinds of demands, shape (3 dimension + 1, kinds)
    kinds: NDArray[np.float32]
    kind_names: tuple[str, ...]  # a name for each kind, "domain: meaning"
    encoder: str  # fingerprint of the weights of the sentence encoder
    # label -> noun -> number of times that people said it for that
    names: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


class TextVectors:
    """Unit vectors of short texts, each encoded once; the empty text is the zero vector."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[str, NDArray[np.float32]] = {}

    def find(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors, shape (texts, dimension)."""
        new = [t for t in dict.fromkeys(texts) if t and t not in self._known]
        if new:
            self._known.update(zip(new, self._encode(new), strict=True))
        if not self._known:
            self._known["something"] = self._encode(["something"])[0]
        zero = np.zeros_like(next(iter(self._known.values())))
        return np.stack([self._known.get(text, zero) for text in texts])

    def recall(self, encoder: str, texts: Sequence[str]) -> None:
        """Find the vectors of texts, and keep them on disk for the next process.

        Args:
            encoder: fingerprint of the encoder's weights.
            texts: those of a domain's phrases.
        """
        wanted = [t for t in dict.fromkeys(texts) if t]
        kept = read_vectors(encoder, wanted)
        if kept is None:
            kept = write_vectors(encoder, wanted, self.find(wanted))
        self._known.update(zip(wanted, kept, strict=True))

    def compare(self, one: str, other: str) -> float:
        """Return the cosine of two texts."""
        first, second = self.find([one, other])
        return float(first @ second)


_MeaningKey = tuple[str, str, frozenset[str]]


class FrameTable:
    """The frames of a domain with their vectors.

    Args:
        weights: gives the kinds of demands.
    """

    def __init__(
        self, frames: Sequence[Frame], vectors: TextVectors, kinds: NDArray[np.float32]
    ) -> None:
        self.frames = tuple(frames)
        self.masked = vectors.find([f.masked for f in frames])
        self.actions = vectors.find([f.action for f in frames])
        self.complements = vectors.find([f.complement for f in frames])
        self.kinds = find_kinds(self.masked, self.actions, self.complements, kinds)
        keys: dict[_MeaningKey, int] = {}
        self.groups = np.array([keys.setdefault(_key_of(f.meaning), len(keys)) for f in frames])
        """For each frame the number of its meaning."""
        self._numbers = keys
        signatures: dict[Hashable, int] = {}
        self.places = [signatures.setdefault(_sign_places(f), len(signatures)) for f in frames]
        """For each frame the number of its places: equal ones take the same arguments."""

    def list_frames(self, meaning: Meaning) -> list[Frame]:
        """List the frames of a meaning."""
        number = self._numbers.get(_key_of(meaning), -1)
        return [self.frames[place] for place in np.flatnonzero(self.groups == number)]


def _sign_places(frame: Frame) -> Hashable:
    return frame.roles, tuple(frame.meaning.types.get(role.slot, "") for role in frame.roles)


def _key_of(meaning: Meaning) -> _MeaningKey:
    goal = str(meaning.goal) if meaning.goal is not None else ""
    return meaning.name, goal, frozenset(meaning.types)


def find_kinds(
    masked: NDArray[np.float32],
    actions: NDArray[np.float32],
    complements: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Compute the square roots of the probabilities of all kinds of demands, shape (n, kinds)."""
    ones = np.ones((len(masked), 1), np.float32)
    scores = np.hstack([masked, actions, complements, ones]) @ weights
    scores -= scores.max(axis=1, keepdims=True)
    chances = np.exp(scores)
    root: NDArray[np.float32] = np.sqrt(chances / chances.sum(axis=1, keepdims=True))
    return root


class ClauseComparison:
    """Compares clauses with the frames of a domain, feature by feature."""

    def __init__(self, vectors: TextVectors, roles: RoleModel, kinds: NDArray[np.float32]) -> None:
        self._vectors = vectors
        self._roles = roles
        self._kinds = kinds

    def make_table(self, frames: Sequence[Frame]) -> FrameTable:
        """Make the table of a domain's frames."""
        return FrameTable(frames, self._vectors, self._kinds)

    def compare(
        self,
        clause: DemandClause,
        table: FrameTable,
        fit: Fit = fit_anything,
        # root probabilities of the clause's kinds; computed where they are None
        kinds: NDArray[np.float32] | None = None,
    ) -> tuple[Places, Array, list[Assignment]]:
        """Compute the features of a clause beside the frames that are likest to it.

        Returns:
            Positions of the frames, the features of each, and the assignment of its roles.
        """
        masked, action, complement = self._vectors.find(
            [clause.masked, clause.action, clause.complement]
        )
        if kinds is None:
            kinds = find_kinds(masked[None], action[None], complement[None], self._kinds)[0]
        likeness = table.masked @ masked
        verbs = table.actions @ action
        same_kind = table.kinds @ kinds
        chosen = np.argsort(-(likeness + verbs + same_kind), kind="stable")[:SHORT_LIST]
        rows, assignments = [], []
        known: dict[int, Assignment] = {}
        for place in chosen:
            frame, group = table.frames[place], table.places[place]
            if group not in known:
                known[group] = self._roles.assign(clause.arguments, frame, fit)
            found = known[group]
            said = bool(clause.complement) or bool(frame.complement)
            both = bool(clause.complement) and bool(frame.complement)
            rows.append(
                [
                    likeness[place],
                    verbs[place],
                    frame.verb == clause.verb,
                    compare_actions(clause, frame),
                    bool(clause.particle) and frame.particle == clause.particle,
                    frame.particle != clause.particle,
                    same_kind[place],
                    float(table.complements[place] @ complement) if both else 0.0,
                    said and not both,
                    found.score,
                    found.left_over,
                    found.empty,
                ]
            )
            assignments.append(found)
        return chosen, np.array(rows, np.float64), assignments


def compare_actions(clause: DemandClause, frame: Frame) -> float:
    """Compute how close the verbs are by WordNet; 0 without it."""
    wordnet = find_wordnet()
    if wordnet is None:
        return 0.0
    whole = wordnet.compare_verbs(clause.action, frame.action)
    return max(whole, 0.5 * wordnet.compare_verbs(clause.verb, frame.verb))


def weigh_fits(assignments: Sequence[Assignment]) -> Array:
    """Compute what the fits of the nouns add to the scores of the frames."""
    return np.log(np.maximum([found.fit for found in assignments], _LEAST_FIT))


class DemandModel:
    """Ranks the meanings of a domain for clauses. Equal questions get equal answers.

    Args:
        encode: the sentence encoder that they were trained with.
    """

    def __init__(self, weights: DemandWeights, encode: Encode) -> None:
        self._vectors = vectors = TextVectors(encode)
        self._weights = weights
        self.names = LearnedNames(weights.names, vectors.compare)
        """The names that people gave to things."""
        roles = RoleModel(weights.roles, vectors.compare)
        self._best_role = roles.compare_best()
        self._comparison = ClauseComparison(vectors, roles, weights.kinds)
        self._tables: dict[int, tuple[Domain, FrameTable]] = {}

    def rank(
        self, clause: DemandClause, domain: Domain, fit: Fit = fit_anything, most: int = 5
    ) -> list[Demand]:
        """Rank what a clause may ask for, best first.

        Args:
            domain: gives the meanings by its phrases; none of them need have been trained on.
            fit: degree to which a noun fits a type.
        """
        table = self._find_table(domain)
        if not table.frames:
            return []
        ways = (clause.as_state or clause, clause.with_particle, clause.with_preposition)
        readings = [one for one in ways if one is not None]
        compared = [self._comparison.compare(one, table, fit) for one in readings]
        best = max(compared, key=self._score_best)
        return choose(table, *best, self._weights, self._best_role)[:most]

    def list_frames(self, meaning: Meaning, domain: Domain) -> list[Frame]:
        """List the frames by which a domain says a meaning."""
        return self._find_table(domain).list_frames(meaning)

    def _score_best(self, compared: tuple[Places, Array, list[Assignment]]) -> float:
        """Return the score of the best frame."""
        _, features, assignments = compared
        return float((features @ self._weights.features + weigh_fits(assignments)).max())

    def compare(self, one: str, other: str) -> float:
        """Return the cosine of two texts in meaning."""
        return self._vectors.compare(one, other)

    def _find_table(self, domain: Domain) -> FrameTable:
        known = self._tables.get(id(domain))
        if known is None or known[0] is not domain:
            if len(self._tables) >= _MOST_DOMAINS:
                self._tables.clear()
            frames = list_frames(domain)
            texts = [text for f in frames for text in (f.masked, f.action, f.complement)]
            self._vectors.recall(self._weights.encoder, texts)
            known = (domain, self._comparison.make_table(frames))
            self._tables[id(domain)] = known
        return known[1]


_MOST_DOMAINS = 8


def choose(
    table: FrameTable,
    chosen: Places,
    features: Array,
    assignments: Sequence[Assignment],
    weights: DemandWeights,
    best_role: float,
) -> list[Demand]:
    """Choose the best frame of each meaning, and order the meanings by their degrees."""
    scores = features @ weights.features + weigh_fits(assignments)
    best: dict[int, tuple[float, int]] = {}
    for i, place in enumerate(chosen):
        group = int(table.groups[int(place)])
        value = float(scores[i])
        if group not in best or value > best[group][0]:
            best[group] = (value, i)
    highest = max((value for value, _ in best.values()), default=0.0)
    total = sum(math.exp(value - highest) for value, _ in best.values())
    known = compute_familiarity(features[[i for _, i in best.values()]], weights)
    demands = []
    for value, i in best.values():
        found = assignments[i]
        roles = math.exp(min(0.0, found.score - len(found.slots) * best_role))
        degree = math.exp(value - highest) / total * found.fit * roles * known
        frame = table.frames[int(chosen[i])]
        demands.append(Demand(frame.meaning, found.slots, min(1.0, degree), frame))
    order = sorted(range(len(demands)), key=lambda k: -list(best.values())[k][0])
    return [demands[k] for k in order]


def compute_familiarity(features: Array, weights: DemandWeights) -> float:
    """Compute the probability that a clause asks for anything that its domain has words for.

    Args:
        features: of the best frame of each meaning, shape (meanings, features).
    """
    inputs = describe_best(features, weights.features)
    return float(1.0 / (1.0 + np.exp(-float(inputs @ weights.familiarity))))


def describe_best(features: Array, weights: Array) -> Array:
    """Describe the best meaning by `FAMILIARITY_FEATURES`, for `compute_familiarity`."""
    scores = features @ weights
    best = features[int(scores.argmax())]
    return np.array([*(best[FEATURES.index(name)] for name in FAMILIARITY_FEATURES), 1.0])
