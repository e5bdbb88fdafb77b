# SPDX-License-Identifier: Apache-2.0
"""Instructions as dependency trees: normalised, parsed piece by piece, cut by a second look.

"Mug to the sink, TV off" has no verb, so that a parser that has read news makes one of its nouns.
Where a first tree finds none beside the names of things, the clauses are parsed again with "should
be" in them. Dictated speech lacks marks ("that mug is dirty take it to the sink").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fcp_ros.language.english.function_words import LONGEST_LINK, SEQUENCE
from fcp_ros.language.english.tokens import Token, tokenise
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.syntax.closed_classes import (
    ADVERBS,
    CONJUNCTIONS,
    DETERMINERS,
    NUMBERS,
    PRONOUNS,
    SUBORDINATORS,
)
from fcp_ros.language.syntax.normalisation import Hints, Piece, normalise, rate_verb
from fcp_ros.language.syntax.pipeline import parse_words
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word

_GOING = gather_words("to into onto back out over away")
_BEING = gather_words("on in at under behind next inside beside upon near by below above")
_INNER = frozenset(["from", "of", "with"])
_STATES = gather_words("on off up open shut closed away here there")
_LOOSE = ("dep", "parataxis", "ccomp", "advcl", "conj", "appos", "acl", "relcl", "npadvmod")
_LEADERS = gather_words("help let make have see watch try dare need would rather")
"""Verbs with a bare infinitive below them."""
_NOT_BEFORE = CONJUNCTIONS | gather_words(
    "to not go come please i you we he she they who that which can could will would should must "
    "may might shall do does did never just also"
)
_OPENING = gather_words("i you we one could can would will may might please let")
_RESUMING = gather_words("it them that those one ones both this these him her she he they")
_RELATIVE = gather_words("that which who whose where")
_ALL = gather_words("everything all both nothing none")
_NOMINAL = gather_words("nn nns nnp nnps jj jjr jjs cd dt pdt prp$ pos hyph")
_WEIGHTY = gather_words("not no never only except instead but rather without within by in at")
"""Words before a list that are no mere announcement of it."""
_SURE = 0.5


@dataclass
class _Found:
    imperatives: set[int] = field(default_factory=set)
    breaks: set[int] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    inserted: dict[int, tuple[str, ...]] = field(default_factory=dict)


def look_again(parsed: Sequence[tuple[Piece, Tree]], names: frozenset[int]) -> Hints | None:
    """Return how to cut an instruction by its first trees; None if they are cut well."""
    found = _Found()
    for piece, tree in parsed:
        words = [word for word in tree.words if not word.is_inserted]
        if not words:
            continue
        found.imperatives |= {w.token for w in words[1:] if _runs_on(tree, w, names)}
        clauses = _VerblessClauses(tree, words, names)
        if piece.imperative:
            clauses.read_later(found)
        elif piece.end == "?" or not clauses.read(found):
            found.breaks |= _find_topic(tree, words, names)
    if not (found.imperatives or found.breaks or found.inserted):
        return None
    return Hints(
        names,
        frozenset(found.imperatives),
        frozenset(found.breaks),
        found.inserted,
        frozenset(found.dropped),
    )


# --- clauses without a verb


class _VerblessClauses:
    """Reads a piece as clauses without a verb: a list of things, and where or how they shall be."""

    def __init__(self, tree: Tree, words: Sequence[Word], names: frozenset[int]) -> None:
        self._tree = tree
        self._words = words
        self._names = names

    def read(self, found: _Found) -> bool:
        """Add the cuts and copulas of a piece; return False if it isn't such a list."""
        for start in self._list_starts():
            place = self._read_from(start, found)
            if place > start:
                found.breaks.discard(self._words[start].token)
                led = self._words[: start if start > self._skip_links(0) else 0]
                found.dropped |= {word.token for word in led}
                return True
        return False

    def _list_starts(self) -> Iterator[int]:
        """Yield where a list may begin: at once, or behind "three things:"."""
        yield self._skip_links(0)
        for place, word in enumerate(self._words):
            named = word.token in self._names and word.lemma != "thing"
            if word.text in _WEIGHTY | SUBORDINATORS or named:
                return
            if word.text == ":" or (
                word.text == "," and not any(w.is_verb for w in self._words[:place])
            ):
                yield self._skip_links(place)

    def read_later(self, found: _Found) -> None:
        """Add those behind an imperative: "open the fridge, then | milk on the table"."""
        for place, word in enumerate(self._words):
            if word.text == "then" and place:
                self._read_from(self._skip_links(place), found)

    def _skip_sequence(self, place: int) -> int | None:
        """Return where "and after that" ends; None if it doesn't stand at a place."""
        for end in range(min(len(self._words) - 1, place + LONGEST_LINK), place, -1):
            said = tuple(word.text for word in self._words[place:end])
            if SEQUENCE.get(said) == "then":
                return end
        return None

    def _read_from(self, place: int, found: _Found) -> int:
        """Read clauses from a place on; return where they end."""
        while place < len(self._words):
            tail = self._find_tail(place)
            end = self._find_end(tail) if tail is not None else None
            if tail is None or end is None:
                break
            opening = self._words[place]
            found.breaks.add(opening.token)
            bare = opening.text not in DETERMINERS | NUMBERS | PRONOUNS and opening.tag != "PRP$"
            if bare:
                found.inserted[opening.token] = ("the",)
            joint = self._find_joint(place, tail)
            if joint is not None:
                found.inserted[joint.token] = ("and",)
            verb = "go" if self._words[tail].text in _GOING else "be"
            found.inserted[self._words[tail].token] = ("should", verb)
            place = self._skip_links(end)
            if place < len(self._words):
                found.breaks.add(self._words[place].token)
        return place

    def _skip_links(self, place: int) -> int:
        while place < len(self._words):
            end = self._skip_sequence(place)
            if end is None and self._words[place].text not in CONJUNCTIONS | ADVERBS:
                break
            place = end or place + 1
        return place

    def _find_tail(self, place: int) -> int | None:
        """Find where "to the sink" or "off" begins behind the things at a place."""
        start, named = place, False
        while place < len(self._words):
            word = self._words[place]
            link = word.text in (",", "and", "or", "&")
            if place > start and ((link and named) or word.text in _INNER):
                place += 1
                continue
            if word.text in _GOING | _BEING | _STATES and place > start:
                break
            if not self._is_nominal(word):
                break
            named = self._names_thing(word)
            place += 1
        if place == len(self._words) or not named:
            return None
        before, word = self._words[place - 1], self._words[place]
        last = place + 1 == len(self._words)
        if before.text in ("and", "or", "&"):
            return None
        if word.text in _GOING | _BEING and not last:
            following = self._words[place + 1]
            if following.text not in CONJUNCTIONS | ADVERBS:
                return self._find_destination(place)
        state = word.text in _STATES or self._may_be_state(word)
        closed = last or self._words[place + 1].text in CONJUNCTIONS | ADVERBS
        return place if state and closed and before.text != "," else None

    def _find_destination(self, place: int) -> int:
        """Skip what says where a thing is: "(the mug on the table) | to the sink"."""
        if self._words[place].text not in _BEING:
            return place
        for later in range(place + 2, len(self._words) - 1):
            word = self._words[later]
            if word.text in CONJUNCTIONS or not (self._is_nominal(word) or word.text in _GOING):
                break
            if word.text in _GOING:
                return later
        return place

    def _find_joint(self, place: int, tail: int) -> Word | None:
        """Find the last thing of "two forks, two plates (on the table)", which lacks an "and"."""
        links = [i for i in range(place, tail - 1) if self._words[i].text in CONJUNCTIONS]
        if not links or any(self._words[i].text != "," for i in links):
            return None
        return self._words[links[-1] + 1]

    def _names_thing(self, word: Word) -> bool:
        return word.token in self._names or word.text in _ALL

    def _is_nominal(self, word: Word) -> bool:
        if word.token in self._names or word.text in DETERMINERS | NUMBERS | _ALL:
            return True
        return word.tag.lower() in _NOMINAL and not self._may_be_state(word)

    def _may_be_state(self, word: Word) -> bool:
        """Return True for "wiped" in "counter wiped", which the parser may take for the past."""
        if word.token in self._names or word.tag not in ("VBN", "VBD", "JJ", "VB", "RB"):
            return False
        behind = self._words.index(word) + 1
        closed = behind == len(self._words) or self._words[behind].text in CONJUNCTIONS | ADVERBS
        participle = word.tag in ("VBN", "VBD", "JJ")
        return closed and participle and not any(self._tree.list_children(word.place, "aux"))

    def _find_end(self, tail: int) -> int | None:
        """Find where a clause ends: before the next one; None if it has a verb after all."""
        place = tail + 1
        while place < len(self._words):
            word = self._words[place]
            if word.text in SUBORDINATORS:
                return len(self._words)
            if word.text in CONJUNCTIONS:
                following = self._skip_links(place)
                if self._find_tail(following) is not None or self._begins_clause(following):
                    return place
            elif self._is_verb(word):
                return None
            place += 1
        return place

    def _begins_clause(self, place: int) -> bool:
        """Return True for "milk stays (inside)"."""
        start = place
        while place < len(self._words) and self._is_nominal(self._words[place]):
            place += 1
        return start < place < len(self._words) and self._is_verb(self._words[place])

    def _is_verb(self, word: Word) -> bool:
        return word.is_verb and word.token not in self._names and not self._may_be_state(word)


# --- what is named first


def _find_topic(tree: Tree, words: Sequence[Word], names: frozenset[int]) -> set[int]:
    """Find where a clause begins behind what it is about: "the two clocks, | you bring them"."""
    if words[0].text not in DETERMINERS | NUMBERS | _ALL and words[0].token not in names:
        return set()
    told = False
    for place, word in enumerate(words[:-1]):
        told = told or word.text in _RELATIVE
        if word.is_verb and word.token not in names and not told:
            return set()
        if word.text == "you" and place and words[place - 1].text not in _RELATIVE:
            return {word.token} if _lacks_object(tree, words[place:], names) else set()
        if word.text not in (",", ":"):
            continue
        named = any(one.token in names or one.text in _ALL for one in words[:place])
        resumed = any(one.text in _RESUMING for one in words[place + 2 :])
        if named and resumed and words[place + 1].text in _OPENING:
            return {words[place + 1].token}
    return set()


def _lacks_object(tree: Tree, words: Sequence[Word], names: frozenset[int]) -> bool:
    """Return True for "(the mug) you don't touch", not for "(the mug) you need is on the table"."""
    verbs = [w for w in words if w.is_verb and w.token not in names and w.role != "aux"]
    return len(verbs) == 1 and not any(
        child.place > verbs[0].place for child in tree.list_children(verbs[0].place, "dobj")
    )


# --- run-ons


def _resumes(tree: Tree, verb: Word, names: frozenset[int]) -> bool:
    """Return True for "(the mug) | put it there", whose verb has no ending for a subject."""
    subject = tree.find_child(verb.place, "nsubj")
    behind = tree.words[verb.place + 1 : verb.place + 2]
    resumed = any(w.text in ("it", "them") and w.role == "dobj" for w in behind)
    helped = any(tree.list_children(verb.place, "aux", "mark"))
    named = subject is not None and subject.token in names
    base = verb.is_verb and verb.text == verb.lemma and rate_verb(verb.text) >= _SURE
    return base and named and resumed and not helped


def _runs_on(tree: Tree, word: Word, names: frozenset[int]) -> bool:
    """Return True for the verb of a further request: "(it is dirty) | take it to the sink"."""
    if word.role == "ROOT":
        return _resumes(tree, word, names)
    if not word.is_verb or word.token in names or word.role not in _LOOSE:
        return False
    if rate_verb(word.text) < _SURE or word.place + 1 >= len(tree.words):
        return False
    before, behind = tree.words[word.place - 1], tree.words[word.place + 1]
    if before.text in _NOT_BEFORE or before.text in SUBORDINATORS or before.is_inserted:
        return False
    objects = DETERMINERS | PRONOUNS | NUMBERS
    if behind.text not in objects and behind.token not in names:
        return False
    if any(tree.list_children(word.place, *SUBJECTS, "aux", "mark", "neg")):
        return False
    return tree.words[word.head].lemma not in _LEADERS


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of an instruction with its tree."""

    piece: Piece
    tree: Tree


def parse_segments(
    tokens: Sequence[Token], names: frozenset[int] = frozenset()
) -> tuple[Segment, ...]:
    """Parse the pieces of an instruction.

    Args:
        names: the tokens that name things of the domain; none: it isn't known.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    segments = _parse(tokens, Hints(names))
    hints = look_again([(one.piece, one.tree) for one in segments], names)
    return segments if hints is None else _parse(tokens, hints)


def _parse(tokens: Sequence[Token], hints: Hints) -> tuple[Segment, ...]:
    pieces = [piece for piece in normalise(tokens, hints) if piece.words]
    return tuple(Segment(piece, parse_words(piece.words)) for piece in pieces)


def parse_instruction(text: str) -> tuple[Segment, ...]:
    """Parse an instruction (see `parse_segments`)."""
    return parse_segments(tokenise(text))
