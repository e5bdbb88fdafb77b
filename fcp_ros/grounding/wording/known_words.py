# SPDX-License-Identifier: Apache-2.0
"""Known words: those of the judgements, and the whole words of the packaged model's tokenizer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.grounding.judged.judged_pairs import list_pair_files, load_pairs
from fcp_ros.grounding.judged.words import to_singular
from fcp_ros.grounding.models.sentence_encoder import find_packaged_model
from fcp_ros.grounding.protocol.errors import GroundingError

LEAST_LETTERS = 3
"""Shorter words of a tokenizer are pieces of words."""


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Known words and phrases, in plain spelling.

    Args:
        phrases: that people judged.
        judged_words: the words in them.
        words: all known words, those too.
    """

    phrases: frozenset[str]
    judged_words: frozenset[str]
    words: frozenset[str]

    def knows(self, word: str) -> bool:
        """Return True for a known word, its singular or plural, or a number."""
        forms = (word, to_singular(word), f"{word}s")
        return any(form in self.words for form in forms) or word.isdecimal()

    def is_judged(self, word: str) -> bool:
        """Return True for a word that stands in a judgement, its plural, or a number."""
        judged = self.judged_words
        return word in judged or to_singular(word) in judged or word.isdecimal()


def make_known_words(phrases: Iterable[str], more: Iterable[str] = ()) -> KnownWords:
    """Make the known words of these phrases, and more."""
    kept = frozenset(phrases)
    judged = frozenset(word for phrase in kept for word in phrase.split())
    return KnownWords(kept, judged, judged.union(more))


def load_known_words(own: Path | None = None) -> KnownWords:
    """Load the known words of the package and of the user's training.

    A file that can't be read has none: whoever uses it for more says so.
    """
    phrases: set[str] = set()
    for file in list_pair_files(own):
        try:
            for pairs in load_pairs(file).values():
                phrases |= pairs.phrases
        except GroundingError:
            continue
    return make_known_words(phrases, _read_model_words())


def _read_model_words() -> list[str]:
    try:
        lines = (find_packaged_model() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    except (GroundingError, OSError, UnicodeDecodeError):
        return []
    return [w for w in lines if len(w) >= LEAST_LETTERS and w.isascii() and w.isalpha()]
