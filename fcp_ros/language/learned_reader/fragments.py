# SPDX-License-Identifier: Apache-2.0
"""Fragments behind a clause: noun phrases that say it again of other things, or leave them out.

"(take the glass to the table,) and after that | the milk", "(all of it goes in the sink,) bar | the
knife", "(bowl on the table,) not | the mug", "(something to drink,) ideally | the milk". The parser
ties them to anything near, so that they are cut out of its tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.function_words import INSTEAD_OF, PREPOSITIONS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.learned_reader.marks import Mark, MarkKind
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.repetition import drop_uses, list_names
from fcp_ros.language.learned_reader.sentence_draft import SentenceDraft
from fcp_ros.language.parsing.noun_phrases.relative_parser import EXCEPT
from fcp_ros.language.parsing.trees import (
    THEME,
    Act,
    Argument,
    Coordination,
    Determiner,
    Link,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    collect_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.sentences import Segment
from fcp_ros.language.syntax.tree import Tree
from fcp_ros.language.syntax.units import take_words

_LEFT_OUT = PhraseSet(
    "without",
    "(bar|minus|excl|excluding|not including|not counting|cept)",
    "[just] all of (them|those|these) (but|except|bar|save) [for]",
)
"""Words before what is left out that are nouns or prepositions elsewhere."""
_NOT = PhraseSet("[but|and] [just|only] not")
_NONE = PhraseSet("[but|and] no")
_BEHIND = {
    "not": PhraseSet("not"),
    "then": PhraseSet("(second|after|afterwards|later|next|last|third|thereafter|after that)"),
    "and": PhraseSet("(too|as well|also)", "just the same"),
}
_LOOSE = PhraseSet(
    "(though|tho|mind|please|thanks|of course|obviously|instead|then|too|as well|also)"
)
"""Words behind a fragment without a meaning."""
_LONGEST = max(map(len, PREPOSITIONS))
_JOINING = gather_words("and but um uh so then plus also well hmm")
_UNIVERSAL = gather_words(
    "all every everything everyone everywhere each any anything whole both those these"
)


class FragmentKind(Enum):
    """The way in which a fragment goes on from the clause before it."""

    LEFT_OUT = "except"
    NOT = "not"
    NONE = "no"
    INSTEAD = "instead of"
    THEN = "then"
    EARLIER = "earlier"
    WISH = "a wish"
    AND = "and"


_DESCRIBED = (FragmentKind.LEFT_OUT, FragmentKind.NOT, FragmentKind.INSTEAD)
"""Kinds whose phrase may say where something is, not where it shall be."""
_OF_MARKS = {
    MarkKind.THEN: FragmentKind.THEN,
    MarkKind.EARLIER: FragmentKind.EARLIER,
    MarkKind.WISH: FragmentKind.WISH,
}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A noun phrase that goes on from a clause."""

    kind: FragmentKind
    tokens: range  # with the words that join it
    phrase: Phrase
    uses: tuple[WordUse, ...]  # without those of the phrase
    preposition: str = ""  # before the phrase
    joined: bool = False  # "and" stands before it


class FragmentFinder:
    """A finder of the fragments of one instruction."""

    def __init__(
        self, parsed: ParsedInstruction, phrases: LearnedPhrases, marks: Sequence[Mark]
    ) -> None:
        self._tokens = parsed.nouns.tokens
        self._spans = parsed.nouns.spans
        self._phrases = phrases
        self._marks = {mark.start: mark for mark in marks}

    def find(self, unit: Segment, goes_on: bool) -> list[Fragment]:
        """Find the fragments among the words of a tree, from left to right.

        Args:
            goes_on: something was said before.
        """
        said = [word.token for word in unit.tree.words if not word.is_inserted]
        if not said:
            return []
        start, end = min(said), max(said) + 1
        found, place = list[Fragment](), start
        while place < end:
            one = self._find(place, start, end, unit.piece.links if goes_on else None)
            if one is not None:
                found.append(one)
            place = place + 1 if one is None else one.tokens.stop
        return found

    def _is_word(self, token: int) -> bool:
        return token >= 0 and self._tokens[token].kind is not TokenKind.MARK

    def _find(
        self, place: int, start: int, end: int, links: Sequence[int] | None
    ) -> Fragment | None:
        """Find the fragment that begins at a token of the words of a tree."""
        first = place == start
        if first and links is None:
            return None
        before = self._tokens[place - 1] if place else None
        loose = first or (
            before is not None and (before.kind is TokenKind.MARK or before.text in _JOINING)
        )
        for kind, after in self._open(place, start, loose, first and links is not None):
            preposition, begin = self._find_preposition(after) if kind else ("", after)
            for stop, (behind, closed) in self._list_stops(begin, end, kind):
                phrase = self._read(begin, closed)
                if phrase is None:
                    continue
                one = kind or behind or (self._find_linked(links) if first and links else None)
                if one is None or (one not in _DESCRIBED and _is_placed(phrase)):
                    continue
                said = [*range(place, begin), *range(closed, stop)]
                role = WordRole.ORDER if one is FragmentKind.THEN else WordRole.LIMIT
                words = [self._tokens[t] for t in said if self._is_word(t)]
                used = tuple(WordUse(w.start, w.end, role, one.value) for w in words)
                joined = self._is_joined(place)
                return Fragment(one, range(place, stop), phrase, used, preposition, joined)
        return None

    def _open(
        self, place: int, start: int, loose: bool, goes_on: bool
    ) -> Iterator[tuple[FragmentKind | None, int]]:
        """Yield the kinds of fragments that may begin at a token, and where their phrase begins."""
        mark = self._marks.get(place)
        if mark is not None and mark.kind in _OF_MARKS and place > start:
            comma = mark.end < len(self._tokens) and self._tokens[mark.end].text == ","
            yield _OF_MARKS[mark.kind], mark.end + comma  # "and, if possible, | the book"
        end = _NOT.find_end(self._tokens, place)
        if end > place and (loose or self._follows_noun(place)):
            yield FragmentKind.NOT, end
        end = INSTEAD_OF.find_end(self._tokens, place)
        if end > place and place > start:
            yield FragmentKind.INSTEAD, end
        end = _NONE.find_end(self._tokens, place)
        if end > place and loose:
            yield FragmentKind.NONE, end - 1  # "no" is a part of the phrase
        end = max(one.find_end(self._tokens, place) for one in (EXCEPT, _LEFT_OUT))
        acts = end in self._spans.words and self._spans.words[end].is_verb  # "without opening it"
        if end > place and not acts and (goes_on or self._is_of_all(start, place)):
            yield FragmentKind.LEFT_OUT, end
        if loose:
            yield None, place

    def _is_joined(self, place: int) -> bool:
        """Return True for "and, | if possible, the book"."""
        words = [self._tokens[t].text for t in range(max(0, place - 2), place)]
        return "and" in words[-1:] or words == ["and", ","]

    def _find_preposition(self, start: int) -> tuple[str, int]:
        """Find the preposition at a token, and its end."""
        for end in range(start + _LONGEST, start, -1):
            meant = PREPOSITIONS.get(tuple(t.text for t in self._tokens[start:end]), "")
            if meant:
                return meant, end
        return "", start

    def _follows_noun(self, place: int) -> bool:
        word = self._spans.words.get(place - 1)
        return word is not None and word.is_noun

    def _is_of_all(self, start: int, place: int) -> bool:
        """Return True if something is said of many things before a token."""
        before = [self._spans.words[t] for t in range(start, place) if t in self._spans.words]
        return any(w.text in _UNIVERSAL or w.tag in ("NNS", "NNPS") for w in before)

    def _find_linked(self, links: Sequence[int]) -> FragmentKind | None:
        """Find the kind of a fragment that is a piece of its own: "and then | the milk"."""
        for token in links:
            mark = self._marks.get(token)
            if mark is not None and mark.kind in (MarkKind.THEN, MarkKind.EARLIER):
                return FragmentKind.AND  # the order is that of the words before the piece
        return None

    def _list_stops(
        self, start: int, end: int, kind: FragmentKind | None
    ) -> Iterator[tuple[int, tuple[FragmentKind | None, int]]]:
        """Yield the ends that a fragment may have, the last one first.

        Yields:
            The end; the kind that words at the end give it, and the end of its phrase.
        """
        marks = [t for t in range(start + 1, end) if self._tokens[t].kind is TokenKind.MARK]
        for stop in (end, *reversed(marks)):
            yield stop, (None, stop)
            for place in range(stop - 1, max(start, stop - 4), -1):
                if _LOOSE.find_end(self._tokens, place) == stop:
                    yield stop, (None, place)
                mark = self._marks.get(place)
                if mark is not None and mark.kind is MarkKind.WISH and mark.end == stop:
                    yield stop, (FragmentKind.WISH, place)
                for name, table in _BEHIND.items():
                    if kind is None and table.find_end(self._tokens, place) == stop:
                        yield stop, (FragmentKind(name), place)

    def _read(self, start: int, end: int) -> Phrase | None:
        """Read a noun phrase from its first to its last token."""
        if end <= start:
            return None
        words = self._spans.words
        without = frozenset(w.place for t, w in words.items() if not start <= t < end)
        said = [self._tokens[t] for t in range(start, end) if self._is_word(t)]
        for head in self._spans.list_heads(start):
            if not (head.is_noun or head.text in ("one", "ones", "others", "everything")):
                continue
            phrase = self._phrases.read(self._spans.tree, head.place, "", without - {head.place})
            if phrase is None:
                continue
            uses = list(collect_phrase_uses(phrase))
            if all(any(u.start <= w.start and w.end <= u.end for u in uses) for w in said):
                return phrase
        return None


def _is_placed(phrase: Phrase) -> bool:
    """Return True for "no books | on the couch", which is a clause without a verb."""
    parts = phrase.parts if isinstance(phrase, Coordination) else (phrase,)
    return any(isinstance(part, NounPhrase) and part.qualities for part in parts)


def cut_tokens(tree: Tree, gone: Collection[int]) -> Tree | None:
    """Cut words off a tree; None if no other word was said."""
    kept = [w.place for w in tree.words if w.token not in gone]
    if not any(tree.words[p].token >= 0 and tree.words[p].role != "punct" for p in kept):
        return None
    tops = [p for p in kept if tree.words[p].head == p or tree.words[p].head not in kept]
    top = next((p for p in tops if tree.words[p].is_verb), tops[0])
    return take_words(tree, top, kept)


_ALL = (Determiner.ALL, Determiner.EACH, Determiner.REST)
_OPEN = (Determiner.A, Determiner.ANY)
_LINKS = {FragmentKind.THEN: Link.THEN, FragmentKind.EARLIER: Link.EARLIER}


class FragmentWriter:
    """A writer of the clauses of one instruction that leave out their verb."""

    def __init__(self, draft: SentenceDraft, phrases: LearnedPhrases) -> None:
        self._draft = draft
        self._phrases = phrases

    def write(self, fragment: Fragment) -> None:
        """Add what a fragment says; without a clause before it, its words stay unread."""
        place = self._find_clause()
        if place is None:
            return
        clause = self._draft.clauses[place]
        if fragment.kind is FragmentKind.WISH and not fragment.joined:
            if _is_elsewhere(clause.predications[0], fragment):
                return  # "on the table, ideally in the fridge": which of them is demanded?
            clause = self._draft.clauses[place] = self._allow(clause, fragment)
        left = fragment.kind is FragmentKind.LEFT_OUT
        if left or fragment.kind is FragmentKind.NOT:
            shorter = self._leave_out(clause, fragment)
            if shorter is not None:
                self._draft.clauses[place] = shorter
                return
        if fragment.kind is FragmentKind.INSTEAD:
            uses = (*clause.uses, *fragment.uses, *collect_phrase_uses(fragment.phrase))
            self._draft.clauses[place] = replace(clause, uses=uses)
        elif not left:
            self._repeat(clause, fragment)

    def _find_clause(self) -> int | None:
        """Find the last clause that asks for something."""
        clauses = self._draft.clauses
        for place in reversed(range(len(clauses))):
            clause = clauses[place]
            if clause.act not in (Act.REMARK, Act.TOPIC):
                single = len(clause.predications) == 1 and clause.predications[0].arguments
                return place if single else None
        return None

    # --- without it

    def _leave_out(self, clause: SpokenClause, fragment: Fragment) -> SpokenClause | None:
        """Leave things out of those that a clause is about; None if they aren't among them."""
        (said,) = clause.predications
        for slot, argument in said.arguments.items():
            if not isinstance(argument, NounPhrase):
                continue
            among = _has(argument, fragment.phrase)
            among = among or (fragment.kind is FragmentKind.LEFT_OUT and _is_of_many(argument))
            if among and (_is_of_many(argument) or argument.determiner in _OPEN):
                fewer = replace(
                    argument,
                    excluded=(*argument.excluded, fragment.phrase),
                    degree=argument.degree * fragment.phrase.degree,
                )
                one = replace(said, arguments={**said.arguments, slot: fewer})
                uses = (*clause.uses, *fragment.uses)
                return replace(clause, predications=(one,), uses=uses)
        return None

    # --- better so

    def _allow(self, clause: SpokenClause, fragment: Fragment) -> SpokenClause:
        """Allow what is better: "on the table, ideally | on the shelf" is on either of them."""
        (said,) = clause.predications
        slot = self._find_slot(said, fragment)
        named = said.arguments.get(slot or "")
        if not isinstance(named, NounPhrase) or not slot or isinstance(named.head, Reference):
            return clause
        if named.determiner is not Determiner.THE:
            return clause  # "a cup, preferably | the mug"
        either = Coordination((named, fragment.phrase), alternative=True)
        one = replace(said, arguments={**said.arguments, slot: either})
        return replace(clause, predications=(one,))

    # --- again

    def _repeat(self, clause: SpokenClause, fragment: Fragment) -> None:
        (said,) = clause.predications
        slot = self._find_slot(said, fragment)
        if slot is None:
            return
        kind = fragment.kind
        negated = kind is FragmentKind.NOT
        again = {s: drop_uses(a) for s, a in said.arguments.items()}
        same = replace(said, arguments={**again, slot: fragment.phrase}, uses=())
        if negated or kind is FragmentKind.NONE:
            same = replace(same, negated=False)  # "(off the table,) not | on the couch"
        if fragment.preposition and said.meaning is None:
            same = replace(same, preposition=fragment.preposition)
        one = replace(
            clause,
            predications=(same,),
            uses=fragment.uses,
            order=None,
            negated=negated or (clause.negated and kind is not FragmentKind.NONE),
            preferred=clause.preferred or kind is FragmentKind.WISH,
            degree=fragment.phrase.degree,
        )
        placing = negated and said.meaning is None  # where it shall not be in the end
        if (placing or kind is FragmentKind.NONE) and one.act is Act.ACHIEVE:
            one = replace(one, act=Act.STATE)
        if kind in _LINKS:
            self._draft.link = _LINKS[kind]
        self._draft.add(one)

    def _find_slot(self, said: Predication, fragment: Fragment) -> str | None:
        """Find the place that a phrase takes: of a thing of its types, else of the first thing."""
        types = self._list_types(fragment.phrase)
        slots = [s for s, a in said.arguments.items() if not _is_partner(a)]
        if fragment.preposition:
            slots = slots[1:]
        alike = [s for s in slots if types & self._list_types(said.arguments[s])]
        if len(alike) == 1:
            return alike[0]
        return THEME if THEME in slots else next(iter(slots), None)

    def _list_types(self, argument: Argument) -> frozenset[str]:
        if isinstance(argument, Coordination):
            return frozenset().union(*map(self._list_types, argument.parts))
        return (
            self._phrases.list_types(argument) if isinstance(argument, NounPhrase) else frozenset()
        )


def _is_elsewhere(said: Predication, fragment: Fragment) -> bool:
    return said.meaning is None and fragment.preposition not in ("", said.preposition)


def _is_partner(argument: Argument) -> bool:
    head = argument.head if isinstance(argument, NounPhrase) else None
    return head in (Reference.SPEAKER, Reference.ADDRESSEE)


def _is_of_many(phrase: NounPhrase) -> bool:
    return phrase.determiner in _ALL or (phrase.plural and phrase.number is None)


def _has(all_: NounPhrase, some: Phrase) -> bool:
    """Return True if things are among others: "(all cups,) not | the mug"."""
    if isinstance(some, Coordination):
        return all(_has(all_, part) for part in some.parts)
    if all_.head is Reference.THING or some.head is Reference.ONE:
        return True
    names = list_names(some)
    return bool(names) and names <= list_names(all_)
