# SPDX-License-Identifier: Apache-2.0
"""The role model: which argument of a clause fills which place of a frame.

All arguments are assigned at once, so that two never fill one place. A place is filled as well as
its marker is like that of the argument, times how well the noun fits the type of the slot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
