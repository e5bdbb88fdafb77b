# SPDX-License-Identifier: Apache-2.0
"""The role model: which argument of a clause fills which place of a frame.

All arguments are assigned at once, so that two never fill one place. A place is filled as well as
its marker is like that of the argument, times how well the noun fits the type of the slot. Which
nouns people say for a label was learned as well.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.language.demands.frames import (
    JOINED,
    OBJECT,
    PREPOSITION,
    RECEIVER,
    SOURCES,
    SUBJECT,
    Frame,
    Role,
    SpokenArgument,
)

ROUNDS = 8
LEAST_COUNT = 1.5
"""A noun counts for a label if about two sentences said it so."""
_UNSEEN = 2e-3
"""Least probability of a noun that was said for a label."""
_ELSEWHERE = math.log(0.05)
"""Logarithm of the likelihood of a noun that was only said for other labels, if it is the label."""
_NOTHING = -5.0
"""Logarithm of the likelihood of a noun that stands for nothing in the scene."""
_LEAST_SHARE = 0.1
"""Least share of a label in what a noun was said for. Less is noise of the alignment: five of 412
sentences with a knife were about an apple; where no knife is, "bring me the knife" brought it."""
_UNSAID, _PRIOR = 5.0, 0.75
"""The weight of a label that nobody spoke of, and the exponent of how often one was spoken of."""
_SHARPNESS = 12.0
"""Factor of the cosine in the logarithm of a likelihood."""
Likeness = Callable[[str, str], float]


def align_names(
    sentences: Iterable[tuple[Sequence[str], Sequence[str]]],
) -> dict[str, dict[str, int]]:
    """Count how often each noun stood for a label.

    Returns:
        label -> noun -> number of times.
    """
    pairs = [(nouns, (*labels, "")) for nouns, labels in sentences if nouns and labels]
    chances: dict[tuple[str, str], float] = {}
    counts: dict[tuple[str, str], float] = {}
    for _ in range(ROUNDS):
        counts, totals = {}, dict[str, float]()
        for nouns, labels in pairs:
            for noun in nouns:
                shares = [chances.get((noun, label), 1.0) for label in labels]
                every = sum(shares)
                for label, share in zip(labels, shares, strict=True):
                    counts[noun, label] = counts.get((noun, label), 0.0) + share / every
                    totals[label] = totals.get(label, 0.0) + share / every
        chances = {(n, label): c / totals[label] for (n, label), c in counts.items()}
    found: dict[str, dict[str, int]] = {}
    for (noun, label), count in sorted(counts.items()):
        if label and count >= LEAST_COUNT:
            found.setdefault(label, {})[noun] = round(count)
    return found


class LearnedNames:
    """Probabilities of labels for nouns.

    Args:
        likeness: cosine of two nouns in meaning.
    """

    def __init__(self, counts: Mapping[str, Mapping[str, int]], likeness: Likeness) -> None:
        said = Counter[str]()
        for nouns in counts.values():
            said.update(nouns)
        self._chances = {
            label: {
                noun: count / sum(nouns.values())
                for noun, count in nouns.items()
                if count >= _LEAST_SHARE * said[noun]
            }
            for label, nouns in counts.items()
        }
        self._sizes = {label: float(sum(nouns.values())) for label, nouns in counts.items()}
        self._known = {noun for nouns in counts.values() for noun in nouns}
        self._likeness = likeness

    def knows(self, noun: str) -> bool:
        """Return True for a noun that people called anything by."""
        return noun in self._known

    def rank(self, nouns: Sequence[str], labels: Iterable[str]) -> dict[str, float]:
        """Compute the probability of each label, the highest first; the rest is for none of them.

        Args:
            nouns: all nouns of a phrase, its head first: ["bar", "soap"].
        """
        scores = {
            label: sum(self._score(noun, label) for noun in nouns) + math.log(self._prior(label))
            for label in (*labels, "")
        }
        highest = max(scores.values(), default=0.0)
        total = sum(math.exp(score - highest) for score in scores.values())
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return {label: math.exp(score - highest) / total for label, score in ranked if label}

    def _prior(self, label: str) -> float:
        return float((self._sizes.get(label, 1.0) + _UNSAID) ** _PRIOR)

    def _score(self, noun: str, label: str) -> float:
        """Compute the logarithm of the likelihood of a noun, up to a constant."""
        if not label:
            return _NOTHING
        if noun == label:
            return 0.0
        known = self._find_known(noun)
        said = self._chances.get(label, {}).get(known, 0.0)
        if said:
            return math.log(max(said, _UNSEEN))
        alike = _SHARPNESS * (min(self._likeness(noun, label), 1.0) - 1.0)
        return alike + _ELSEWHERE if known in self._known and label in self._chances else alike

    def _find_known(self, noun: str) -> str:
        """Return the longest end of a noun that somebody said: "metal garbage can"."""
        words = noun.split()
        ends = (" ".join(words[start:]) for start in range(len(words)))
        return next((end for end in ends if end in self._known), noun)


Vector = NDArray[np.float64]
Fit = Callable[[str, str], float]
"""Degree to which a noun may name an element of a type, in [0, 1]."""
ROLE_FEATURES = (
    "same marker",
    "two prepositions",
    "likeness of two prepositions",
    "object and subject",
    "object and preposition",
    "receiver and preposition to or for",
    "source and another preposition",
    "constant",
)
_PAIRING = frozenset([JOINED, "prep:with", "prep:for"])
"""Places of the second of two things that are treated alike."""
_WORST = 1e-4
MOST_ARGUMENTS = 6
"""Arguments of a clause beyond this number are left out of an assignment."""


def fit_anything(_noun: str, _type: str) -> float:
    """Take every noun for an element of every type."""
    return 1.0


@dataclass(frozen=True, slots=True)
class Assignment:
    """Arguments in the places of a frame."""

    slots: Mapping[str, int]  # slot -> position of its argument in the clause
    score: float  # sum of the logarithms of the probabilities; 0 is the best
    fit: float  # product of the degrees to which the nouns fit the types of their slots
    left_over: int
    empty: int


def compute_role_features(argument: str, role: str, likeness: float) -> Vector:
    """Compute the features of a pair of markers, as `ROLE_FEATURES` names them."""
    same = argument == role
    kinds = {_kind_of(argument), _kind_of(role)}
    sources = [marker.removeprefix(PREPOSITION) in SOURCES for marker in (argument, role)]
    receiver = RECEIVER in kinds and not kinds.isdisjoint({"to", "for"})
    return np.array(
        [
            same,
            not same and kinds == {"preposition"},
            likeness if not same and kinds == {"preposition"} else 0.0,
            not same and kinds == {OBJECT, SUBJECT},
            not same and OBJECT in kinds and "preposition" in kinds,
            receiver or {argument, role} in ({RECEIVER, "prep:to"}, {RECEIVER, "prep:for"}),
            kinds == {"preposition"} and sources[0] is not sources[1],
            1.0,
        ],
        np.float64,
    )


def _kind_of(marker: str) -> str:
    return "preposition" if marker.startswith(PREPOSITION) else marker


class RoleModel:
    """Probabilities that arguments and places with these markers are the same role.

    Args:
        weights: one for each of `ROLE_FEATURES`.
        likeness: cosine of two prepositions.
    """

    def __init__(self, weights: Vector, likeness: Callable[[str, str], float]) -> None:
        self._weights = weights
        self._likeness = likeness
        self._known: dict[tuple[str, str], float] = {}

    def compare(self, argument: str, role: str) -> float:
        """Compute the logarithm of the probability that two markers mean one role."""
        key = (argument, role)
        if key not in self._known:
            features = compute_role_features(argument, role, self._likeness(argument, role))
            score = float(features @ self._weights)
            self._known[key] = -math.log1p(math.exp(-max(-30.0, min(30.0, score))))
        return self._known[key]

    def compare_best(self) -> float:
        """Compute the logarithm of the probability of two equal markers."""
        return self.compare(OBJECT, OBJECT)

    def assign(
        self, arguments: Sequence[SpokenArgument], frame: Frame, fit: Fit = fit_anything
    ) -> Assignment:
        """Find the best assignment of arguments to the places of a frame."""
        arguments = arguments[:MOST_ARGUMENTS]
        choices = [
            [
                (place, cost, degree)
                for place, role in enumerate(frame.roles)
                for cost, degree in [self._fill(argument, role, frame, fit)]
                if cost > -math.inf
            ]
            for argument in arguments
        ]
        best = (-math.inf, 0.0, 1.0, dict[int, int]())

        def search(i: int, used: dict[int, int], score: float, degree: float) -> None:
            nonlocal best
            if i == len(arguments):
                left = len(arguments) - len(used)
                value = score + math.log(max(degree, _WORST)) - left * -math.log(_LEFT)
                value -= (len(frame.roles) - len(used)) * -math.log(_LEFT)
                if value > best[0]:
                    best = (value, score, degree, dict(used))
                return
            for place, cost, fitting in choices[i]:
                if place not in used:
                    search(i + 1, {**used, place: i}, score + cost, degree * fitting)
            search(i + 1, used, score, degree)

        search(0, {}, 0.0, 1.0)
        _, score, degree, used = best
        slots = {frame.roles[p].slot: i for p, i in used.items() if frame.roles[p].slot}
        loose = sum(
            a.marker in (SUBJECT, JOINED) or not a.is_thing
            for i, a in enumerate(arguments)
            if i not in used.values()
        )
        return Assignment(
            slots, score, degree, len(arguments) - len(used) - loose, len(frame.roles) - len(used)
        )

    def _fill(
        self, argument: SpokenArgument, role: Role, frame: Frame, fit: Fit
    ) -> tuple[float, float]:
        """Compute how well an argument fills a place: by its marker, and by its noun."""
        if argument.marker == JOINED and role.marker not in _PAIRING:
            return -math.inf, 0.0
        cost = self.compare(argument.marker, role.marker)
        if cost <= math.log(_WORST):
            return -math.inf, 0.0  # before the noun is looked at, which is dear
        if role.word:
            said = argument.noun.split()[-1:] == role.word.split()[-1:]
            return (cost, 1.0) if said else (-math.inf, 0.0)
        return cost, max(fit(argument.noun, frame.meaning.types.get(role.slot, "")), _WORST)


_LEFT = 0.05
"""An argument or a place may stay alone if filling it is less probable than this."""
