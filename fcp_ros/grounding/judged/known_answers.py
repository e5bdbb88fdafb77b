# SPDX-License-Identifier: Apache-2.0
"""Answers that need no model: what people judged word for word is looked up, whoever is asked.

The first of these that applies, for a predicate and the words of a request:

1. an example of the predicate's rubric: the anchor's score;
2. identical words on both sides of a predicate that is judged like one of `SAME_IS_PERFECT`: 1;
3. a pair of the set that the predicate is judged like: its degree; "mugs" as "mug" if they were not
   judged themselves.

Nothing is known of an argument whose declared context has numbers: no words hold them.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.judged.judged_pairs import JudgedPairs, list_pair_files, load_pairs
from fcp_ros.grounding.judged.words import find_sides, read_arguments, to_plain, to_singular
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.grounding.protocol.judgement import ArgumentContext, JudgementRequest, Membership

SOURCE, MODEL = "judged", "judgements"
"""Source and model of the memberships. The model doesn't change with the judgements, so that the
evidence about them stays together in calibration."""
SAME_IS_PERFECT = ("function", "substitution")
"""Sets in which a thing is as good as can be for what is called the same."""

MOST_KEPT = 16_384
"""Most answers that are remembered."""
LONGEST_KEPT = 500
"""Characters of the requests among them."""

EXAMPLE = "an example of the rubric"
IDENTICAL = "identical words"


@dataclass(frozen=True, slots=True)
class _Known:
    """Degrees of the examples of one predicate, and the set that it is judged like."""

    examples: dict[tuple[str, ...], float]
    pairs: JudgedPairs | None
    same_is_perfect: bool


class KnownAnswers:
    """Looks up what was judged. Safe to use from several threads.

    Args:
        own: file of heads that the user trained, or of a stack; its sets replace the package's of
            the same name.

    Attributes:
        note: why the pairs of a file are not looked up, or "".
    """

    def __init__(self, own: Path | None = None) -> None:
        self._own = own
        self._sets: dict[str, JudgedPairs] | None = None
        self._known: dict[str, _Known] = {}
        self._found: dict[tuple[str, tuple[ArgumentContext, ...]], Membership | None] = {}
        self._lock = threading.Lock()
        self.note = ""

    def find(
        self, predicate: GradedPredicate, version: str, request: JudgementRequest
    ) -> Membership | None:
        """Find the answer to a request, or None.

        Args:
            predicate: that the request asks about.
            version: of the predicate, see `hash_predicate`.
            request: the question.
        """
        key = version, request.arguments
        if key in (found := self._found):
            return found[key]
        answer = self._find(predicate, version, request)
        if len(found) >= MOST_KEPT:
            self._found = {}  # not cleared: another thread may be reading
        if len(str(request)) < LONGEST_KEPT:
            self._found[key] = answer
        return answer

    def _find(
        self, predicate: GradedPredicate, version: str, request: JudgementRequest
    ) -> Membership | None:
        if any(_has_numbers(argument) for argument in request.arguments):
            return None
        known = self._known.get(version) or self._prepare(predicate, version)
        words = read_arguments(request)
        degree = known.examples.get(words)
        if degree is not None:
            return Membership.of_degree(degree, SOURCE, MODEL, EXAMPLE)
        if known.same_is_perfect and len(words) > 1 and len(set(words)) == 1:
            return Membership.of_degree(1.0, SOURCE, MODEL, IDENTICAL)
        sides = known.pairs and find_sides(predicate, known.pairs.columns, words)
        degree = _look_up(known.pairs, sides) if known.pairs and sides else None
        if degree is None:
            return None
        note = f"judged so in the set {predicate.judged_like}"
        return Membership.of_degree(degree, SOURCE, MODEL, note)

    def _prepare(self, predicate: GradedPredicate, version: str) -> _Known:
        examples: dict[tuple[str, ...], float] = {}
        for anchor in predicate.rubric.anchors if predicate.rubric is not None else ():
            for example in anchor.examples:
                examples.setdefault(tuple(map(to_plain, example)), anchor.score / 100.0)
        like = predicate.judged_like
        known = _Known(
            examples, self._load_once().get(like) if like else None, like in SAME_IS_PERFECT
        )
        self._known[version] = known
        return known

    def _load_once(self) -> dict[str, JudgedPairs]:
        """Read the files once. Whoever uses a damaged one refuses it; here it only has a note."""
        with self._lock:
            if self._sets is None:
                sets: dict[str, JudgedPairs] = {}
                for file in list_pair_files(self._own):
                    try:
                        sets |= load_pairs(file)
                    except GroundingError as error:
                        self.note = f"judged pairs are not looked up: {error.sentence}"
                self._sets = sets
            return self._sets


def _look_up(pairs: JudgedPairs, sides: tuple[str, str]) -> float | None:
    """Look a pair up as it stands, then with the singular of the thing, then of both sides."""
    left, right = sides
    singular = _to_singular(left)
    for pair in dict.fromkeys(((left, right), (singular, right), (singular, _to_singular(right)))):
        degree = pairs.look_up(pair)
        if degree is not None:
            return degree
    return None


def _to_singular(phrase: str) -> str:
    *before, last = phrase.split(" ")
    return " ".join([*before, to_singular(last)])


def _has_numbers(argument: ArgumentContext) -> bool:
    return any(
        isinstance(value, int | float) and not isinstance(value, bool)
        for _, value in argument.attributes
    )
