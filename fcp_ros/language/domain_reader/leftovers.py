# SPDX-License-Identifier: Apache-2.0
"""Words that no reading has, and that ask for nothing: known by their place in the tree.

Nobody can list what people say beside a request. But where it stands in the tree tells most of it:
"before he finds it" is a clause of somebody else's, "for hygiene" a purpose, "you" a subject.
Such a part is a remark if it has no word of the domain, and none that could turn what was read
round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from fcp_ros.language.english.number_words import NUMBERS, UNITS
from fcp_ros.language.english.turning_words import (
    CONTRARY,
    CORRECTIONS,
    NEGATIVES,
    NOT_REMARKED,
    SAFETY,
)
from fcp_ros.language.english.verbs import SOCIAL_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.parsing.sentence_parser import SKIPPED, SKIPPED_FILLER
from fcp_ros.language.parsing.trees import Act, Sentence, collect_uses
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.requests import is_person
from fcp_ros.language.syntax.statements import demands
from fcp_ros.language.syntax.tree import SUBJECTS, Tree, Word
from fcp_ros.language.syntax.units import find_units

_EXCUSED = 0.97
"""Degree of a part that asks for nothing."""
_ADDRESSED = frozenset(["you", "yourself"])
_AT_ONCE = gather_words("now fast quick quickly promptly immediately asap flat")
"""Adverbs that a robot obeys by beginning."""
_ADDING = frozenset(["too", "also"])
_LOOSE = frozenset(["advcl", "ccomp", "parataxis", "conj", "ROOT", "dep"])
"""Roles of a clause that restricts nothing: no relative clause, no object."""
_BESIDE = frozenset(["parataxis", "conj", "dep"])
"""Roles of a clause that depends on another one only in the parser's tree."""

_JOINTS = frozenset(["DT", "IN", "TO", "PRP$"])
"""Tags of words without a meaning of their own here."""

Concerns = Callable[[int], bool]
"""True for a token that is a number, or a word of the domain."""


class Leftovers:
    """The parts of an instruction that a reading may leave out.

    Args:
        tree: of the whole instruction.
        concerns: whether a token speaks of what the domain has.
        phrase_words: the words of all phrases of each meaning, by its key.
        names: tokens with a capital letter, of somebody or something.
    """

    def __init__(
        self,
        tree: Tree,
        concerns: Concerns,
        phrase_words: Mapping[tuple[str, bool], frozenset[str]] = MappingProxyType({}),
        names: frozenset[int] = frozenset(),
    ) -> None:
        self._tree = tree
        self._concerns = concerns
        self._phrase_words = phrase_words
        self._names = names
        self._words = {word.token: word for word in tree.words if not word.is_inserted}
        self._units: list[frozenset[int]] = [
            frozenset(w.token for w in unit.tree.words if not w.is_inserted)
            for unit in find_units(tree)
        ]

    def excuse(self, sentence: Sentence) -> Sentence:
        """Take what asks for nothing for a remark, as if it had been read."""
        if not sentence.unread:
            return sentence
        read = self._list_read(sentence)
        implied = self._list_implied(sentence)
        parts = [
            part
            for part in self._list_parts(frozenset(sentence.unread), read)
            if self._asks_nothing(part) or self._is_implied(part, implied)
        ]
        whole = frozenset[int]().union(*parts)
        excused = whole & {*sentence.unread}
        if not excused:
            return sentence
        uses = [
            WordUse(self._words[token].start, self._words[token].end, WordRole.FILLER, ASIDE)
            for token in sorted(excused)
        ]
        fillers = len(whole - excused - self._list_used(sentence))
        lost = SKIPPED ** len(excused) * SKIPPED_FILLER**fillers
        return replace(
            sentence,
            uses=(*sentence.uses, *uses),
            unread=tuple(token for token in sentence.unread if token not in excused),
            degree=min(1.0, sentence.degree * _EXCUSED ** len(parts) / lost),
        )

    def lacks_verb(self, sentence: Sentence) -> bool:
        """Return True if a clause only has what an unread imperative is about.

        "*Greet* the man in the hall" doesn't ask that he be in the hall.
        """
        for verb in self._words.values():
            if verb.token not in sentence.unread or not self._is_imperative(verb):
                continue
            beside = frozenset(c.place for c in self._tree.list_children(verb.place, *_BESIDE))
            below = self._list_tokens(verb.place, beside)
            for clause in sentence.clauses:
                used = self._list_used(replace(sentence, clauses=(clause,), uses=()))
                if used and used <= below and clause.act not in (Act.REMARK, Act.TOPIC):
                    return True
        return False

    def find_social(self) -> str:
        """Return the verb of company or speech that the domain doesn't know; "" for none."""
        said = (word for word in self._words.values() if word.lemma in SOCIAL_VERBS)
        told = (w for w in said if self._is_imperative(w) and not self._concerns(w.token))
        return next((word.lemma for word in told), "")

    def _is_imperative(self, word: Word) -> bool:
        subject = self._tree.find_child(word.place, *SUBJECTS)
        return word.tag == "VB" and (subject is None or subject.text in _ADDRESSED)

    def _list_implied(self, sentence: Sentence) -> frozenset[str]:
        """List the words by which people say what the clauses of a sentence ask for."""
        said = (p for clause in sentence.clauses for p in clause.predications)
        keys = {p.meaning.key for p in said if p.meaning is not None}
        return frozenset[str]().union(*(self._phrase_words.get(key, ()) for key in keys))

    def _list_read(self, sentence: Sentence) -> frozenset[int]:
        """List the tokens that have a meaning in a sentence."""
        return self._list_used(sentence, WordRole.FILLER)

    def _list_used(self, sentence: Sentence, *without: WordRole) -> frozenset[int]:
        """List the tokens that have a use in a sentence, but for some roles."""
        spans = [(u.start, u.end) for u in collect_uses(sentence) if u.role not in without]
        return frozenset(
            token
            for token, word in self._words.items()
            if token not in sentence.unread
            and any(start <= word.start and word.end <= end for start, end in spans)
        )

    def _list_tokens(self, place: int, without: frozenset[int] = frozenset()) -> frozenset[int]:
        words = (self._tree.words[one] for one in self._tree.list_subtree(place, without))
        return frozenset(word.token for word in words if not word.is_inserted)

    def _list_parts(self, unread: frozenset[int], read: frozenset[int]) -> Iterator[frozenset[int]]:
        """Yield the greatest parts of the tree, left to right, that were not read at all."""
        done: set[int] = set()
        for token in sorted(unread):
            if token in done or token not in self._words:
                continue
            unit = next((one for one in self._units if token in one), frozenset())
            part = unit if unit and not unit & read else self._find_part(token, read)
            done |= part
            if part:
                yield part

    def _find_part(self, token: int, read: frozenset[int]) -> frozenset[int]:
        """Return the greatest subtree around a token of which nothing was read; none may be."""
        top, found = self._words[token], frozenset[int]()
        while True:
            part = self._take_subtree(top, read)
            if part & read:
                return found
            found = part
            if top.head == top.place:
                return found
            top = self._tree.words[top.head]
            if top.is_inserted:
                return found

    def _take_subtree(self, top: Word, read: frozenset[int]) -> frozenset[int]:
        """Return the tokens below a word, without clauses beside it of which something was read."""
        beside = frozenset(
            child.place
            for child in self._tree.list_children(top.place, *_BESIDE)
            if child.is_verb and self._list_tokens(child.place) & read
        )
        return self._list_tokens(top.place, beside)

    # --- what a part says

    def _counts(self, words: Sequence[Word]) -> bool:
        return any(NUMBERS.get(word.text, 0) > 1 or word.text in UNITS for word in words)

    def _is_implied(self, part: frozenset[int], implied: frozenset[str]) -> bool:
        """Return True for "with detergent" if a machine is refilled: a phrase has these words."""
        words = [self._words[token] for token in sorted(part)]
        if any(word.is_verb or word.text in NOT_REMARKED | NEGATIVES for word in words):
            return False
        telling = [word for word in words if word.tag not in _JOINTS and word.role != "punct"]
        return bool(telling) and all({w.text, w.lemma} & implied for w in telling)

    def _asks_nothing(self, part: frozenset[int]) -> bool:
        words = [self._words[token] for token in sorted(part)]
        top = _find_top(words)
        if any(word.lemma in SAFETY or self._concerns(word.token) for word in words):
            return False
        said = [word for word in words if word.role not in ("punct", "cc")]
        if all(word.lemma == "robot" for word in said):
            return True
        if len(said) == 1 and self._says_nothing(said[0]):
            return True
        if any(w.text in CORRECTIONS for w in words) and not self._has_purpose(top):
            return False
        if self._counts(words) or any(word.text in NOT_REMARKED for word in words):
            return False
        return self._tells(top, words) or self._is_purpose(top, words)

    def _says_nothing(self, word: Word) -> bool:
        """Return True for "you", "ugh", "now", "too"."""
        if word.text in _ADDRESSED:
            joined = self._tree.find_child(word.head, "mark")  # "while you wipe it"
            return word.role in SUBJECTS and joined is None
        if word.tag == "UH" or word.role == "intj":
            return word.text not in CONTRARY | CORRECTIONS
        if word.text in _ADDING:
            return word.role == "advmod"
        return word.text in _AT_ONCE

    def _tells(self, top: Word, words: list[Word]) -> bool:
        """Return True for a clause about somebody or something else that wishes nothing."""
        subject = self._tree.find_child(top.place, *SUBJECTS)
        if subject is None and top.tag == "JJ":  # not "the glimp (mug)"
            named = any(word.is_noun or word.text in CONTRARY for word in words)
            return not named and self._has_purpose(top)
        if top.role not in _LOOSE or not (top.is_verb or top.tag == "JJ"):
            return False
        if subject is None or subject.is_inserted or subject.text in _ADDRESSED:
            return False
        if top.role == "advcl" and any(word.text in CONTRARY for word in words):
            return False
        return not any(demands(self._tree, word) for word in words)

    def _has_purpose(self, top: Word) -> bool:
        """Return True for "sorry to disturb"."""
        return top.tag == "JJ" and self._tree.find_child(top.place, "xcomp") is not None

    def _is_purpose(self, top: Word, words: list[Word]) -> bool:
        """Return True for "for hygiene": nothing here, and nobody who must be taken care of."""
        if top.text != "for" or top.role != "prep":
            return False
        above = self._tree.words[top.head]
        named = all(not w.is_verb and w.text not in CONTRARY for w in words)
        served = self._tree.find_child(top.place, "pobj")
        if served is not None and (served.token in self._names or is_person(served)):
            return False
        return named and above.is_verb and any(w.is_noun for w in words)


def _find_top(words: Sequence[Word]) -> Word:
    """Return the first word whose head is not among them."""
    inner = {word.place for word in words}
    found = (word for word in words if word.head not in inner or word.head == word.place)
    return next(found, words[0])
