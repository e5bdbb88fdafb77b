# SPDX-License-Identifier: Apache-2.0
"""The place where the name of a thing, or the text of a goal, ends within a run of words.

A name goes on behind its kind only with words that people judged, and in an order in which they
put them: "mug with a broken handle", but neither "mug superior to all others" nor "mug gold medal".
That is a list of what names are made of, 5,000 words and their order, and not of what orders are
made of, of which there is no end. In front of a judged kind, the core of a name holds words that
people put there; new words there (makers, materials) are of the name and not of its core. In front
of other kinds there may be anything new: "vending machine".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.grounding.wording.known_words import KnownWords
from fcp_ros.grounding.wording.tables import (
    ARTICLES,
    ATTRIBUTED,
    CLAIMS,
    CLAUSES,
    LINKS,
    LOOSE_ENDS,
    NO_NOUNS,
    ORDERS,
    OWNERS,
    PARTS,
    PRAISE,
    PURPOSES,
    STATE,
    WHICH,
)

MOST_WORDS = 10
LONGEST_WORD = 24
LONGEST_KIND = 12
"""Letters of the kind of a thing that no model knows; longer words are made of others."""
MOST_UNKNOWN = 1
"""Words that nobody judged that a text may have after a known one."""
MOST_BEFORE = 2
"""Words that nobody judged that a name may have before its kind."""
MOST_UNLISTED = 3
"""Words of a name of which nobody judged any."""
_WORD = re.compile(r"&|[\w'’.-][\w'’.&-]*|\d+%")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class NameRule:
    """Finds begin and end of the name of a thing.

    Args:
        words: in lower case.
        known: the known words.
    """

    words: Sequence[str]
    known: KnownWords

    def find_end(self, begin: int) -> int:
        """Find the place of the first word that is no part of the name that begins there."""
        words, known = self.words, self.known
        last = min(len(words), begin + MOST_WORDS)
        first = self._find_listed(begin, last)
        new, has_kind = 0, False
        for place in range(begin, last):
            if is_stop(words, place, begin) or (place > begin and words[place] in CLAUSES):
                return place
            if place <= first:
                continue
            has_kind = has_kind or known.is_head(words[place - 1])
            if words[place].isdecimal():
                if not self._is_count(place):
                    return place
            elif words[place] not in WHICH and not is_listed(words[place], known):
                if new >= (1 if has_kind else MOST_BEFORE):
                    return place
                if has_kind and not self._may_be_kind(place, first):
                    return place
                new += 1
            elif not self._may_follow(place):
                return place
        return last if first < last else min(last, begin + MOST_UNLISTED)

    def find_begin(self, begin: int, end: int) -> int:
        """Find where the name begins: words in front of a judged kind are those that people use so.

        Of a kind that nobody judged, only few words stand before the first that people judged.
        """
        words = self.words
        kind = self.find_kind(begin, end)
        if kind is not None:
            return self._go_back(begin, kind)
        second = words[begin + 1 : begin + 2]
        if second and second[0] in ARTICLES and not self.known.is_head(words[begin]):
            begin = min(begin + 2, end)  # a verb stands before an article: "take the mug"
        for place in range(begin, end):
            if words[place] in LINKS and place > begin and not self._is_no_noun(words[place - 1]):
                return begin
            if is_listed(words[place], self.known) and words[place] not in LOOSE_ENDS:
                return begin if place - begin <= MOST_BEFORE else place
        return begin

    def find_kind(self, begin: int, end: int) -> int | None:
        """Find the kind of a thing in a run of words.

        Returns:
            The place of the first word before a link, or else the last word, that is the end of a
            judged phrase; None if there is none.
        """
        for place in range(begin, end):
            following = self.words[place + 1] if place + 1 < end else ""
            if following in ATTRIBUTED | PARTS and self.known.is_head(self.words[place]):
                return place
            is_end = not following or following in LINKS
            if is_end and self.known.ends_as_judged(self.words[begin : place + 1]):
                return place
        return None

    def _go_back(self, begin: int, kind: int) -> int:
        """Go back from a kind to the begin of its name."""
        place = kind
        while place > begin and self._may_precede(place - 1):
            place -= 1
        return place

    def _may_precede(self, place: int) -> bool:
        """Return True for a word that belongs to the name that goes on behind it."""
        word, following = self.words[place : place + 2]
        if word in WHICH:
            return True
        if word.isdecimal():  # "7 up", but no score
            return (word, following) in self.known.order.pairs
        return word not in LINKS and self.known.may_stand_before(word, following)

    def find_core_end(self, begin: int, end: int) -> int:
        """Find the end of the core: before what belongs to the thing, or what it is of.

        What a container holds is a part of it ("bottle of water"): people judged such words before
        "of".
        """
        for place in range(begin + 1, end):
            word = self.words[place]
            is_part = word in PARTS and self.known.is_measure(self.words[place - 1])
            if word in ATTRIBUTED or (word in PARTS and not is_part):
                return place
        return end

    def may_be_makers(self, begin: int, end: int) -> bool:
        """Return True if all words may stand in front of a kind: makers, materials, states."""
        words = self.words[begin:end]
        no_name = LINKS | LOOSE_ENDS | CLAUSES | OWNERS | PRAISE | ORDERS
        return len(words) <= MOST_BEFORE and all(
            word.isalpha() and is_latin(word) and word not in no_name and _is_word(word)
            for word in words
        )

    def find_last_name(self) -> int:
        """Find the begin of a judged name at the very end ("choose the garden chair").

        Returns:
            Its place; the number of words if there is none.
        """
        count = len(self.words)
        begin = max(0, count - MOST_WORDS)
        kind = self.find_kind(begin, count)
        if kind is None or self.find_end(kind) < count:
            kind = count - 1 if self.known.ends_as_judged(self.words[begin:]) else None
        return count if kind is None else self._go_back(begin, kind)

    def _find_listed(self, begin: int, end: int) -> int:
        """Find the first word that people judged; `end` if there is none."""
        places = range(begin, end)
        listed = (
            place
            for place in places
            if is_listed(self.words[place], self.known) and self.words[place] not in LOOSE_ENDS
        )
        return next(listed, end)

    def _may_follow(self, place: int) -> bool:
        """Return True if a name may go on with this word, which people judged."""
        word, before = self.words[place], self.words[place - 1]
        if word in WHICH or not self.known.is_new_name(before, word):
            return True
        is_last = place + 1 == len(self.words)
        return is_last and (self.known.is_head(word) or word.endswith(STATE))

    def _may_be_kind(self, place: int, first: int) -> bool:
        """Return True for a word that nobody judged that may be the kind: "desk calendar".

        It is the last, or something is said of it ("hedge trimmer with a cut cord"), and it has no
        ending of an adjective, an adverb or a verb.
        """
        word, following = self.words[place], self.words[place + 1 : place + 2]
        if following and following[0] not in ATTRIBUTED:
            return False
        if LINKS.intersection(self.words[first:place]):
            return False
        if self.known.knows(word):
            return not word.endswith(NO_NOUNS)
        return len(word) <= LONGEST_KIND

    def _is_count(self, place: int) -> bool:
        """Return True for a number that counts what follows: "set of 3 mugs"."""
        following = self.words[place + 1 : place + 2]
        return bool(following) and is_listed(following[0], self.known)

    def _is_no_noun(self, word: str) -> bool:
        return self.known.knows(word) and word.endswith(NO_NOUNS)


def find_text_end(plain: Sequence[str], begin: int, known: KnownWords) -> int:
    """Find the place of the first word that is no part of the text of a goal."""
    unknown: list[int] = []
    found = False
    for place in range(begin, min(len(plain), begin + MOST_WORDS)):
        word = plain[place]
        if is_stop(plain, place, begin):
            return place
        if not found:
            found = known.knows(word) and word not in LOOSE_ENDS
        elif not known.is_judged(word):
            unknown.append(place)
            if len(unknown) > MOST_UNKNOWN:
                return unknown[0]
    return min(len(plain), begin + MOST_WORDS)


def is_listed(word: str, known: KnownWords) -> bool:
    """Return True for a word that people judged, and no number."""
    return known.is_judged(word) and not word.isdecimal()


def is_stop(plain: Sequence[str], place: int, begin: int) -> bool:
    """Return True for orders and praise, for what is no word, and where the script changes."""
    word = plain[place]
    if word in ORDERS or not _is_word(word):
        return True
    if place == begin:
        return False
    is_claim = word in CLAIMS and bool({*plain[place + 1 : place + 2]} & PURPOSES)
    return word in PRAISE or is_claim or is_latin(word) != is_latin(plain[begin])


def _is_word(word: str) -> bool:
    """Return False for what no name holds: encoded text, or signs within a word."""
    return len(word) <= LONGEST_WORD and _WORD.fullmatch(word) is not None


def is_latin(word: str) -> bool:
    """Return True for a word of Latin letters, or without any letters."""
    return word.isascii() or all(
        unicodedata.name(letter, "").startswith("LATIN") for letter in word if letter.isalpha()
    )
