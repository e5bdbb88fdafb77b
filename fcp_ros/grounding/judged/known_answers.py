# SPDX-License-Identifier: Apache-2.0
"""Answers that need no model: what people judged word for word is looked up, whoever is asked.

The first of these that applies, for a predicate and the words of a request:

1. an example of the predicate's rubric: the anchor's score;
2. identical words on both sides of a predicate that is judged like one of `ABOUT_USE`: 1;
3. a pair of the set that the predicate is judged like: its degree; "mugs" as "mug" if they were not
   judged themselves;
4. a word in a label that forbids the use, for predicates that are judged like one of these sets: 0,
   since a dirty mug is nothing to drink from, however near the words are (foundation/vetoes.py).

Nothing is known of an argument whose declared context has numbers: no words hold them.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.foundation.vetoes import find_veto
from fcp_ros.grounding.judged.judged_pairs import JudgedPairs, list_pair_files, load_pairs
from fcp_ros.grounding.judged.judgement_set import (
    Places,
    find_side_places,
    read_all_arguments,
    take_sides,
    to_plain,
    to_singular,
)
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership

SOURCE, MODEL = "judged", "judgements"
"""Source and model of the memberships. The model doesn't change with the judgements, so that the
evidence about them stays together in calibration."""
ABOUT_USE = ("function", "substitution")
"""Sets of how well a thing does: a thing is as good as can be for what is called the same."""
VETO = "vetoes"  # Model of the degrees 0 that a word in a label gives
MOST_KEPT = 16_384  # Most answers of a predicate that are remembered
LONGEST_KEPT = 500  # Characters of the words among them

EXAMPLE = "an example of the rubric"
IDENTICAL = "identical words"


Words = tuple[str, ...]  # The words of the arguments of a request, in plain spelling


@dataclass(frozen=True, slots=True)
class _Known:
    """Known answers of one predicate."""

    examples: dict[Words, float]  # degrees of the rubric's examples
    pairs: JudgedPairs | None  # the set that it is judged like
    places: tuple[Places, Places] | None  # of its arguments on both sides of these pairs
    is_about_use: bool  # True for degrees of how well a thing does: identical words are judged 1
    # answers that were looked up, by the words of the arguments
    found: dict[Words, Membership | None] = field(default_factory=dict)

    def look_up_all(self, name: str, rows: Sequence[Words]) -> list[Membership | None]:
        """Look rows of words up; `name` is the set's, for notes."""
        rows = [self._drop_empty(words) for words in rows]
        answers = [self._find_stated(words) for words in rows]
        left = [place for place, answer in enumerate(answers) if answer is None]
        if self.pairs is not None and self.places is not None and left:
            degrees = look_up_forms(self.pairs, take_sides([rows[i] for i in left], self.places))
            note = f"judged so in the set {name}"
            for place, degree in zip(left, degrees, strict=True):
                if degree is not None:
                    answers[place] = Membership.of_degree(degree, SOURCE, MODEL, note)
        return [
            self._find_forbidden(words) if answer is None else answer
            for words, answer in zip(rows, answers, strict=True)
        ]

    def _drop_empty(self, words: Words) -> Words:
        """Drop "empty" where it is no matter: an empty glass is as good to drink from."""
        bare = words[0].removeprefix("empty ")
        if not self.is_about_use or bare == words[0] or len(words) < 2:
            return words
        return words if find_veto(words[0], words[-1]) else (bare, *words[1:])

    def _find_forbidden(self, words: Words) -> Membership | None:
        """Find a word in the label of the thing that forbids what it is wanted for."""
        veto = find_veto(words[0], words[-1]) if self.is_about_use and len(words) > 1 else ""
        note = f"{words[0]!r} is out of the question: {veto}"
        return Membership.of_degree(0.0, SOURCE, VETO, note) if veto else None

    def _find_stated(self, words: Words) -> Membership | None:
        if words in self.examples:
            return Membership.of_degree(self.examples[words], SOURCE, MODEL, EXAMPLE)
        if words[0] == words[-1] and self.is_about_use and len(set(words)) == 1 < len(words):
            return Membership.of_degree(1.0, SOURCE, MODEL, IDENTICAL)
        return None


class KnownAnswers:
    """Looks up what was judged. Safe to use from several threads.

    Sets of `own`, trained by the user, replace the package's of the same name. `note`: why the
    pairs of a file are not looked up, or "".
    """

    def __init__(self, own: Path | None = None) -> None:
        self._own = own
        self._sets: dict[str, JudgedPairs] | None = None
        self._known: dict[str, _Known] = {}
        self._lock = threading.Lock()
        self.note = ""

    def find(
        self, predicate: GradedPredicate, version: str, request: JudgementRequest
    ) -> Membership | None:
        """Find the answer to a request, or None; see `find_all`."""
        return self.find_all(predicate, version, [request])[0]

    def find_all(
        self, predicate: GradedPredicate, version: str, requests: Sequence[JudgementRequest]
    ) -> list[Membership | None]:
        """Find the answer to each request, or None; `version` as of `hash_predicate`."""
        known = self._known.get(version) or self._prepare(predicate, version)
        rows = read_all_arguments(requests)
        found = known.found
        new = [words for words in dict.fromkeys(rows) if words not in found]
        fresh = dict(zip(new, known.look_up_all(predicate.judged_like, new), strict=True))
        if fresh:
            self._keep(version, known, fresh)
        return [
            None if has_numbers(request) else (fresh[words] if words in fresh else found[words])
            for request, words in zip(requests, rows, strict=True)
        ]

    def _keep(self, version: str, known: _Known, fresh: Mapping[Words, Membership | None]) -> None:
        short = {words: fresh[words] for words in fresh if len("".join(words)) < LONGEST_KEPT}
        if len(known.found) + len(short) > MOST_KEPT:
            # Not cleared: another thread may be reading.
            self._known[version] = replace(known, found={})
        else:
            known.found.update(short)

    def _prepare(self, predicate: GradedPredicate, version: str) -> _Known:
        examples: dict[tuple[str, ...], float] = {}
        for anchor in predicate.rubric.anchors if predicate.rubric is not None else ():
            for example in anchor.examples:
                examples.setdefault(tuple(map(to_plain, example)), anchor.score / 100.0)
        like = predicate.judged_like
        pairs = self._load_once().get(like) if like else None
        places = pairs and find_side_places(predicate, pairs.columns)
        known = _Known(examples, pairs, places or None, like in ABOUT_USE)
        self._known[version] = known
        return known

    def _load_once(self) -> dict[str, JudgedPairs]:
        """Read the files once. A damaged one only leaves a note: its oracle will refuse it."""
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


def look_up_forms(pairs: JudgedPairs, sides: Sequence[tuple[str, str]]) -> list[float | None]:
    """Look pairs up as they stand, then with the singular of the thing, then of both sides."""
    distinct = set(itertools.chain.from_iterable(sides))
    singular = {side: _to_singular(side) for side in distinct}
    known = {side for side, one in singular.items() if pairs.may_hold(side) or pairs.may_hold(one)}
    forms = [
        dict.fromkeys(((left, right), (singular[left], right), (singular[left], singular[right])))
        if left in known and right in known
        else ()
        for left, right in sides
    ]
    if not any(forms):  # the usual case of new things
        return [None] * len(forms)
    judged = iter(pairs.look_up_all([form for some in forms for form in some]))
    degrees = ([next(judged) for _ in some] for some in forms)
    return [next((one for one in found if one is not None), None) for found in degrees]


def _to_singular(phrase: str) -> str:
    *before, last = phrase.split(" ")
    return " ".join([*before, to_singular(last)])


def has_numbers(request: JudgementRequest) -> bool:
    """Return True if the declared context of an argument has numbers."""
    for argument in request.arguments:
        if argument.attributes and any(
            isinstance(value, int | float) and not isinstance(value, bool)
            for _, value in argument.attributes
        ):
            return True
    return False
