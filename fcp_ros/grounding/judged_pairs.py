# SPDX-License-Identifier: Apache-2.0
"""Degrees of judged pairs, found by a hash of their words: answers that need no model.

The package's own lie in `PACKAGED_PAIRS`, made from config/judgements by ``fcp grounding collect``.
A file of trained heads holds, in the same arrays, the pairs of the user's own training. No
encoder is needed to read either.

What people judged word for word is looked up, whoever is asked. The first of these that applies,
for a predicate and the words of a request:

1. an example of the predicate's rubric: the anchor's score;
2. identical words on both sides of a predicate that is judged like `SAME_THING`: 1;
3. a pair of the set that the predicate is judged like: its degree; "mugs" as "mug" if they were not
   judged themselves;
4. a word in a label that forbids the use, for predicates that are judged like one of these sets: 0,
   since a dirty mug is nothing to drink from, however near the words are (foundation/vetoes.py).

Nothing is known of an argument whose declared context has numbers: no words hold them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.foundation.array_file import Arrays, pack_arrays, write_whole
from fcp_ros.foundation.vetoes import find_veto
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, JudgementRequest, Membership
from fcp_ros.grounding.judgement_set import (
    JudgementSet,
    Places,
    find_side_places,
    read_all_arguments,
    take_sides,
    to_plain,
    to_singular,
)

PACKAGED_PAIRS = Path(__file__).with_name("judged_pairs.safetensors")
DESCRIPTION = "fcp_ros"  # The entry of a file's metadata that holds its description as JSON
KEYS, DEGREES, PHRASES = "known_keys", "known_degrees", "known_phrases"


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """Degrees of the judged pairs of one set, by a hash of their words."""

    columns: tuple[str, str]  # names of the two sides: ("item", "wanted")
    keys: NDArray[np.uint64]  # sorted; shape (pairs,)
    degrees: NDArray[np.uint8]  # hundredths; shape (pairs,)
    phrases: frozenset[str] = frozenset()  # both sides of all pairs, each once

    def look_up_all(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Look up the judged degrees of pairs in plain spelling, in whole hundredths, or None."""
        if not pairs or not len(self.keys):
            return [None] * len(pairs)
        keys = np.array([hash_pair(pair) for pair in pairs], np.uint64)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found = (self.keys[places] == keys).tolist()
        degrees = (self.degrees[places] / 100.0).tolist()
        return [
            degree if is_there else None for is_there, degree in zip(found, degrees, strict=True)
        ]

    def may_hold(self, side: str) -> bool:
        """Return False for a side that stands in no pair; a file without phrases doesn't say."""
        return not self.phrases or side in self.phrases

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        text = zlib.compress("\n".join(sorted(self.phrases)).encode(), 9)
        return {
            f"{name}.{KEYS}": self.keys,
            f"{name}.{DEGREES}": self.degrees,
            f"{name}.{PHRASES}": np.frombuffer(text, np.uint8),
        }


def hash_pair(pair: Sequence[str]) -> int:
    digest = hashlib.blake2b("\n".join(pair).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def collect_pairs(kind: JudgementSet) -> JudgedPairs:
    keys = np.array([hash_pair(judgement.pair) for judgement in kind.judgements], np.uint64)
    degrees = np.array([round(100 * j.degree) for j in kind.judgements], np.uint8)
    order = np.argsort(keys)
    phrases = frozenset(side for judgement in kind.judgements for side in judgement.pair)
    return JudgedPairs(kind.columns, keys[order], degrees[order], phrases)


def save_pairs(pairs: Mapping[str, JudgedPairs], judgements: str, file: Path) -> None:
    """Write the pairs of each set, with the hash of the judgements (`hash_judgements`)."""
    arrays: Arrays = {}
    for name, own in pairs.items():
        arrays |= own.to_arrays(name)
    columns = {name: list(own.columns) for name, own in pairs.items()}
    text = {"columns": columns, "judgements": judgements}
    store(file, pack_arrays(arrays, DESCRIPTION, text), "judged pairs")


def store(file: Path, content: bytes, what: str) -> None:
    """Write a file whole or not at all; `what` is in it, for messages."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, content)
    except OSError as error:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"the {what} can't be written to {file} ({error.strerror or error}); give a file in a "
            "folder with write permission",
        ) from error


def list_pair_files(own: Path | None) -> list[Path]:
    """List the files to look pairs up in: the package's, then one of the user's own heads."""
    return [PACKAGED_PAIRS] if own is None else [PACKAGED_PAIRS, own.expanduser()]


def load_pairs(file: Path) -> dict[str, JudgedPairs]:
    """Read the pairs of each set in a file; of a file of heads, only its judged pairs."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"judged pairs need safetensors ({error}); pip install safetensors",
        ) from error
    try:
        with safe_open(str(file.expanduser()), framework="numpy") as arrays:
            columns = json.loads(arrays.metadata()[DESCRIPTION])["columns"]
            there = set(arrays.keys())
            return {
                name: _check(
                    name,
                    JudgedPairs(
                        (sides[0], sides[1]),
                        arrays.get_tensor(f"{name}.{KEYS}"),
                        arrays.get_tensor(f"{name}.{DEGREES}"),
                        _read_phrases(arrays.get_tensor(f"{name}.{PHRASES}").tobytes())
                        if f"{name}.{PHRASES}" in there
                        else frozenset(),
                    ),
                )
                for name, sides in columns.items()
                if f"{name}.{KEYS}" in there
            }
    except FileNotFoundError as error:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND, f"there is no file of judged pairs at {file}"
        ) from error
    except (SafetensorError, OSError, LookupError, TypeError, ValueError, zlib.error) as error:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the judged pairs in {file} can't be read: it is damaged "
            f"({type(error).__name__}: {error})",
        ) from error


def _read_phrases(data: bytes) -> frozenset[str]:
    return frozenset(zlib.decompress(data).decode().split("\n"))


def _check(name: str, pairs: JudgedPairs) -> JudgedPairs:
    keys, degrees = pairs.keys, pairs.degrees
    if keys.dtype != np.uint64 or degrees.dtype != np.uint8 or keys.shape != degrees.shape:
        raise ValueError(f"{name} has {keys.dtype} keys and {degrees.dtype} degrees")
    if (keys[1:] <= keys[:-1]).any() or (len(degrees) and degrees.max() > 100):
        raise ValueError(f"the keys of {name} don't rise, or a degree is above 1")
    return pairs


SOURCE, MODEL = "judged", "judgements"
"""Source and model of the memberships. The model doesn't change with the judgements, so that the
evidence about them stays together in calibration."""
ABOUT_USE = ("function", "substitution")
"""Sets of how well a thing does."""
SAME_THING = "substitution"
"""The set of what does in place of another thing: one of the same name does. Not "function":
whoever names a thing "drinking" would have made it the best of all to drink from (issue 34)."""
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
    is_about_use: bool  # True for degrees of how well a thing does
    is_same_thing: bool  # True where identical words are judged 1
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
        if self.is_same_thing and len(set(words)) == 1 < len(words):
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
        known = _Known(examples, pairs, places or None, like in ABOUT_USE, like == SAME_THING)
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
