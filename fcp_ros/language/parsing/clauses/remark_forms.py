# SPDX-License-Identifier: Apache-2.0
"""Sentences that tell something, known by their form: a subject, a finite verb, no demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum

from fcp_ros.language.english.remark_words import (
    ADJUNCT_STARTS,
    ADVISING,
    AUXILIARIES,
    COPULAS,
    DEMANDING,
    JOINING,
    LEAD_INS,
    VOLITIONS,
)
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.syntax.clauses import SUBJECTS
from fcp_ros.language.syntax.tree import Tree, Word

_SPEAKERS = frozenset(["i", "we"])
_MOST_PIECES = 6
"""Most parts between commas of one remark."""
_WISHES_TO_BE = frozenset(["be", "see", "have", "get"])
_EXPLAINING = frozenset(["where", "why", "when", "how", "because", "what"])
_PLURALS = frozenset(["they", "these", "those"])
_FINITE = frozenset(["VBZ", "VBP", "VBD", "MD"])
_BARE_VERBS = frozenset(["is", "are", "was", "were", "has", "have", "had", "will", "'s"])


class Telling(Enum):
    """The form of a statement."""

    SPEAKER = "speaker"
    """Of who speaks."""
    STATE = "state"
    """How something is."""
    EVENT = "event"
    """What somebody or something does."""
    EXPLANATION = "explanation"
    """That is where, why, how ..."""


class TellingForms:
    """A recogniser of statements in a sentence.

    Args:
        asks: says whether a request begins at a token.
    """

    def __init__(self, tokens: Sequence[Token], tree: Tree, asks: Callable[[int], bool]) -> None:
        self._tokens = tokens
        self._tree = tree
        self._asks = asks
        self._subjects = dict(self._list_subjects())

    def list_ends(self, start: int) -> Iterator[tuple[int, Telling]]:
        """Yield where a statement that begins at a token may end, the first end first."""
        found: Telling | None = None
        place = start
        for number in range(_MOST_PIECES):
            stop = self._find_stop(place)
            form = self.tell(place, stop)
            if number == 0:
                found = form
            if found is None or (number and form is None and not self._goes_on(place, stop)):
                return
            yield stop, found
            if self._text(stop) == ",":
                place = stop + 1
            elif self._text(stop) in JOINING:
                place = stop
            else:
                return

    def tell(self, start: int, stop: int) -> Telling | None:
        """Return the form of the statement between two tokens; None if it is none."""
        while start < stop and self._text(start) in LEAD_INS | JOINING:
            start += 1
        words = [self._tokens[place].text for place in range(start, stop)]
        if len(words) < 2:
            return None
        if words[0] == "what" and words[1] in ("a", "an"):
            return None if demands(words) else Telling.STATE
        verb = self._find_verb(start, stop) - start
        if verb < 0 or demands(words) or not _is_told(words, verb):
            return None
        if words[0] in _SPEAKERS:
            return Telling.SPEAKER
        explained = verb + 1 < len(words) and words[verb + 1] in _EXPLAINING
        if words[0] in ("that", "this", "it") and words[verb] in COPULAS and explained:
            return Telling.EXPLANATION
        return Telling.STATE if words[verb] in COPULAS else Telling.EVENT

    def _list_subjects(self) -> Iterator[tuple[int, Word]]:
        """Yield the first token of each subject that was said, and the verb that it has."""
        for word in self._tree.words:
            if word.role in SUBJECTS and not word.is_inserted:
                below = self._tree.list_subtree(word.place)
                first = min(w.token for p in below if (w := self._tree.words[p]).token >= 0)
                yield first, self._tree.words[word.head]

    def _find_verb(self, start: int, stop: int) -> int:
        """Return the token of the finite verb of the first clause between two; -1 without one."""
        for first, verb in sorted(self._subjects.items(), key=lambda pair: pair[0]):
            if not start <= first < stop:
                continue
            if not self._leads(start, first, verb):
                return -1
            helpers = list(self._tree.list_children(verb.place, "aux", "auxpass"))
            finite = [word for word in (*helpers, verb) if word.tag in _FINITE]
            if not helpers and verb.tag == "VBN":  # a past tense for the parser's participle
                finite = [verb]
            return finite[0].token if finite and start <= finite[0].token < stop else -1
        return -1

    def _leads(self, start: int, first: int, verb: Word) -> bool:
        """Return True if only adverbs of a verb stand before its subject: "last time there was"."""
        adverbs = self._tree.list_children(verb.place, "advmod", "npadvmod", "intj", "punct")
        below = {p for word in adverbs for p in self._tree.list_subtree(word.place)}
        tokens = {self._tree.words[place].token for place in below}
        return tokens.issuperset(range(start, first))

    def _text(self, place: int) -> str:
        return self._tokens[place].text if place < len(self._tokens) else ""

    def _find_stop(self, start: int) -> int:
        """Return the next mark, or word before a request or another statement."""
        for place in range(start + 1, len(self._tokens)):
            if self._tokens[place].kind is TokenKind.MARK:
                return place
            if self._text(place) in JOINING and self._begins_clause(place + 1):
                return place
        return len(self._tokens)

    def _begins_clause(self, place: int) -> bool:
        while self._text(place) in JOINING or self._text(place) == ",":
            place += 1
        so = self._text(place - 1) in ("so", "therefore", "thus", "hence")
        return place in self._subjects or so or self._asks(place)

    def _goes_on(self, start: int, stop: int) -> bool:
        """Return True for what stands behind a statement without a subject: ", because ..."."""
        words = [self._tokens[place].text for place in range(start, stop)]
        if not words or demands(words) or words[0] == "not":
            return False
        adverb = words[0] in ADJUNCT_STARTS or words[0].endswith("ly")
        return adverb and not self._asks(start + (words[0] in ("just", "even")))


def demands(words: Sequence[str]) -> bool:
    """Return True if words hold what a mere statement lacks: a wish, a ban, a condition."""
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        after = words[place + 1] if place + 1 < len(words) else ""
        if word in DEMANDING and not (word == "sure" and before in ("not", "am")):
            return True
        if word in ("not", "n't") and before not in AUXILIARIES | {"do"}:
            return True
        if word == "only" and before not in AUXILIARIES and place > 1:
            return True
        own_duty = words[0] in _SPEAKERS and word == "have"
        if word in _BARE_VERBS and after == "to" and not own_duty:
            return True
        if word in ("get", "gets") and after.endswith("ed"):
            return True
        if word in ADVISING and after in ("to", "that", "for"):
            return True
        if word in VOLITIONS and _wants(words, place):
            return True
        if word in ("you", "your", "yourself") and place:
            return True
        if (word == "time" and after in ("to", "for")) or (word == "no" and place == 0):
            return True
    return words[0] == "never"


def _wants(words: Sequence[str], place: int) -> bool:
    """Return True unless somebody only wants to do something, or something looks like it."""
    word = words[place]
    if word == "like" and place and words[place - 1].rstrip("s") in ("look", "feel", "sound"):
        return False
    following = words[place + 1 : place + 3]
    if len(following) < 2 or following[0] != "to":
        return True
    return words[0] not in _SPEAKERS and following[1] in _WISHES_TO_BE


def _is_told(words: Sequence[str], verb: int) -> bool:
    """Return False for verbs by which one asks for something in the form of a statement."""
    finite, subject = words[verb], words[0]
    if finite in ("would", "may", "do", "does", "can"):
        following = words[verb + 1 : verb + 4]
        wish = following[:2] in (["like", "to"], ["love", "to"])
        negated = following[:1] == ["not"]
        return negated or wish or (finite == "can" and subject in _SPEAKERS)
    if subject == "you" and finite in ("have", "could", "might"):
        return False
    if subject in _PLURALS and finite == "go":
        return False
    return not (
        finite == "will" and subject in _SPEAKERS and words[verb + 1 : verb + 2] == ["have"]
    )
