# SPDX-License-Identifier: Apache-2.0
"""Known words: those of the judgements, and the whole words of the packaged model's tokenizer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from fcp_ros.grounding.judged.judged_pairs import list_pair_files, load_pairs
from fcp_ros.grounding.judged.words import to_singular
from fcp_ros.grounding.models.sentence_encoder import find_packaged_model
from fcp_ros.grounding.protocol.errors import GroundingError
from fcp_ros.grounding.wording.tables import ENGLISH_THINGS, LINKS, OTHER_LANGUAGES

LEAST_LETTERS = 3
"""Shorter words of a tokenizer are pieces of words."""
CLOSING = 0.8
"""The share of its phrases in which a closing word is the head."""


@dataclass(frozen=True, slots=True)
class WordOrder:
    """The order of words in judged phrases, in the singular.

    Args:
        pairs: words that stand one behind the other, neither of them a link.
        heads: words that are the head of a phrase: its last word, or that before a link.
        closing: those that hardly ever stand before another word: "mug", but not "tin".
        modifiers: words that stand before the head of a phrase: "tin" of "tin mug".
        measures: words that stand before "of": "bottle", "piece".
    """

    pairs: frozenset[tuple[str, str]] = frozenset()
    heads: frozenset[str] = frozenset()
    closing: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    measures: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Known words and phrases, in plain spelling.

    Args:
        phrases: that people judged.
        judged_words: the words in them.
        words: all known words, those too.
        order: of the words in the phrases.
    """

    phrases: frozenset[str]
    judged_words: frozenset[str]
    words: frozenset[str]
    order: WordOrder = field(default_factory=WordOrder)

    def knows(self, word: str) -> bool:
        """Return True for a known word, its singular or plural, or a number."""
        forms = (word, to_singular(word), f"{word}s")
        return any(form in self.words for form in forms) or word.isdecimal()

    def is_judged(self, word: str) -> bool:
        """Return True for a word that stands in a judgement, its plural, or a number."""
        judged = self.judged_words
        return word in judged or to_singular(word) in judged or word.isdecimal()

    def is_new_name(self, word: str, following: str) -> bool:
        """Return True if the following word is no part of the name that the word is in.

        As a rule the word is the last of a name, and nobody put it before this one.
        """
        pair = to_singular(word), to_singular(following)
        return self.is_closing(word) and following not in LINKS and pair not in self.order.pairs

    def is_closing(self, word: str) -> bool:
        """Return True for a word that is the last of a name as a rule."""
        return to_singular(word) in self.order.closing

    def is_head(self, word: str) -> bool:
        """Return True for a word that is the head of a judged phrase."""
        return to_singular(word) in self.order.heads

    def may_stand_before(self, word: str, following: str) -> bool:
        """Return True if a word may stand before another in the name of a thing.

        People put it before this word or before the head of some phrase.
        """
        own = to_singular(word)
        return own in self.order.modifiers or (own, to_singular(following)) in self.order.pairs

    def is_measure(self, word: str) -> bool:
        """Return True for a word before "of" that says how much, or in what: "bottle", "piece"."""
        return to_singular(word) in self.order.measures

    def ends_as_judged(self, words: Sequence[str]) -> bool:
        """Return True if words end in a phrase that people judged as it stands, or its plural."""
        forms = {words[-1], to_singular(words[-1])} if words else ()
        return any(
            " ".join([*words[begin:-1], last]) in self.phrases
            for last in forms
            for begin in range(len(words))
        )


def make_known_words(phrases: Iterable[str], more: Iterable[str] = ()) -> KnownWords:
    """Make the known words of these phrases, and more."""
    kept = frozenset(phrases)
    judged = frozenset(word for phrase in kept for word in phrase.split())
    words = judged.union(more)
    return KnownWords(kept, judged, words, find_word_order(kept))


def find_word_order(phrases: Iterable[str]) -> WordOrder:
    """Find the order of the words in phrases."""
    seen: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    pairs = set()
    modifiers: set[str] = set()
    measures = set()
    for phrase in phrases:
        words = [to_singular(word) for word in phrase.split()]
        seen.update(words)
        modifiers.update(_list_modifiers(words))
        for word, following in pairwise([*words, ""]):
            if following == "of":
                measures.add(word)
            if following and following not in LINKS:
                pairs.add((word, following))
            elif word not in LINKS:
                ends[word] += 1
    closing = frozenset(word for word, count in ends.items() if CLOSING * seen[word] <= count)
    return WordOrder(
        frozenset(pairs), frozenset(ends), closing, frozenset(modifiers), frozenset(measures)
    )


def _list_modifiers(words: Sequence[str]) -> Sequence[str]:
    """List the words before the head of a phrase, which is the last word or that before a link."""
    links = [place for place, word in enumerate(words) if word in LINKS]
    return words[: max((links or [len(words)])[0] - 1, 0)]


def load_known_words(own: Path | None = None) -> KnownWords:
    """Load the known words of the package and of the user's training.

    A file that can't be read counts as empty; the oracle that needs its heads reports it.
    """
    phrases: set[str] = set()
    for file in list_pair_files(own):
        try:
            for pairs in load_pairs(file).values():
                phrases |= pairs.phrases
        except GroundingError:
            continue
    more = ENGLISH_THINGS.union(read_model_words()) - OTHER_LANGUAGES
    return make_known_words(phrases, more)


def read_model_words() -> list[str]:
    """Read the whole words of the packaged model's tokenizer; none if they can't be read."""
    try:
        lines = (find_packaged_model() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    except (GroundingError, OSError, UnicodeDecodeError):
        return []
    return [w for w in lines if len(w) >= LEAST_LETTERS and w.isascii() and w.isalpha()]
