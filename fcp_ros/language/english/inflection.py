# SPDX-License-Identifier: Apache-2.0
"""Forms of English words: singular and plural, verb forms, near spellings."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

_MOST_COMPARED = 24
"""Longer words are not compared in spelling."""
_LONG = 8
"""Words of so many letters may have two mistakes."""


def find_misspelt(word: str, known: Iterable[str]) -> list[tuple[str, int]]:
    """Return the known words that a word may be a misspelling of, nearest first.

    Args:
        word: an unknown word, in lower case.

    Returns:
        Words and their distance: letters changed, left out, added or swapped (optimal string
        alignment). Short words may have letters swapped, left out or added, but not changed:
        "boat" is no boot.
    """
    length = len(word)
    if not 3 <= length <= _MOST_COMPARED or not word.isalpha():
        return []
    alike = [other for other in known if len(other) >= 3 and other[0] in word[:2]]
    most = 1 if length < _LONG else 2
    near = process.extract(word, alike, scorer=OSA.distance, score_cutoff=most, limit=None)
    found = {(other, int(distance)) for other, distance, _ in near if distance}
    return sorted(
        (pair for pair in found if _may_be(word, pair[0])), key=lambda pair: (pair[1], pair[0])
    )


def _may_be(word: str, other: str) -> bool:
    length = len(word)
    is_short = length < 4 or (length < 6 and len(other) == length)
    return not is_short or sorted(other) == sorted(word)


_IRREGULAR_PLURALS = (
    "knives/knife shelves/shelf loaves/loaf leaves/leaf halves/half scarves/scarf wives/wife "
    "mice/mouse children/child people/person persons/person men/man women/woman feet/foot "
    "teeth/tooth potatoes/potato tomatoes/tomato dice/die clothes/clothing ones/one "
    "bookcases/bookcase vases/vase cases/case"
)
_PLURALS = dict(pair.split("/") for pair in _IRREGULAR_PLURALS.split())
_IRREGULAR = (
    "take took taken; bring brought; throw threw thrown; give gave given; leave left; keep kept; "
    "make made; go went gone goes; get got gotten; hold held; hang hung; lay laid; sweep swept; "
    "build built; find found; eat ate eaten; drink drank drunk; write wrote written; see saw seen; "
    "do did done does; have had has; be is are was were been being am; sit sat; stand stood; "
    "lie lay lain lying; ride rode ridden; feed fed; drive drove driven; run ran; stick stuck; "
    "slide slid; light lit; sleep slept"
)
_STEMS = {
    form: verb for verb, *forms in map(str.split, _IRREGULAR.split(";")) for form in (*forms, verb)
}


@lru_cache(maxsize=16_384)
def list_singulars(word: str) -> tuple[str, ...]:
    """Return the words that a plural may be of; empty if it does not look like a plural."""
    found: list[str] = []
    if word in _PLURALS:
        found.append(_PLURALS[word])
    if word.endswith("ies") and len(word) > 4:
        found.append(word[:-3] + "y")
    if word.endswith("es") and len(word) > 4 and word[-3] in "sxzho":
        found.append(word[:-2])
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        found.append(word[:-1])
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=16_384)
def list_stems(word: str) -> tuple[str, ...]:
    """Return the verbs that a word may be a form of, the word itself first."""
    found = [word]
    if word in _STEMS:
        found.append(_STEMS[word])
    for ending in ("ing", "ed", "es", "s"):
        if not word.endswith(ending) or len(word) - len(ending) < 2:
            continue
        stem = word[: -len(ending)]
        found.append(stem)
        if ending in ("ing", "ed"):
            found.append(stem + "e")
            if stem.endswith("i"):
                found.append(stem[:-1] + "y")
            if len(stem) > 2 and stem[-1] == stem[-2]:
                found.append(stem[:-1])
        elif ending == "es" and stem.endswith("i"):
            found.append(stem[:-1] + "y")
    if word.endswith("ied") and len(word) > 4:
        found.append(word[:-3] + "y")
    return tuple(dict.fromkeys(found))


def write_gerund(verb: str) -> str:
    """Return the -ing form of a verb: "drink", "drinking"; "sit", "sitting"."""
    if verb.endswith("ing") and len(verb) > 5:
        return verb
    if verb == "be":
        return "being"
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")):
        return verb[:-1] + "ing"
    closed = len(verb) == 3 and verb[1] in "aeiou" and verb[2] not in "aeiouwxy"
    closed = closed and verb[0] not in "aeiou"
    doubled = closed or verb == "shut"
    return verb + verb[-1] + "ing" if doubled else verb + "ing"
