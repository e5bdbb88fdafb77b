# SPDX-License-Identifier: Apache-2.0
"""Descriptions of things: adjectives before a noun, places and relative clauses behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fcp_ros.domain.expressions.syntax import Atom, Expression, Or, Text, Variable
from fcp_ros.domain.model import IS_A
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.noun_phrases.domain_phrases import (
    PARTNERS,
    DomainPhrases,
    Read,
    Said,
)
from fcp_ros.language.meanings import Meaning, MeaningSource
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Determiner,
    Noun,
    NounPhrase,
    Predication,
    Reference,
)
from fcp_ros.language.parsing.word_uses import list_phrase_uses
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.attachments import FINDING
from fcp_ros.language.syntax.tree import Word

_POSTURES = gather_words(
    "lie stand sit place locate leave store keep find rest hang situate put be"
)
"""Verbs that say that something is somewhere."""
_LEAVING = gather_words("leave put place store keep set lay")
"""Verbs of clauses that say where somebody left something."""
_RELATIVE = frozenset(["WDT", "WP"])
_THAT = gather_words("that which who what whatever whichever")
_IDLE = gather_words(
    "currently now still already initially originally previously just recently here there "
    "necessary needed required respective corresponding usual actual available existing present "
    "whole entire various individual appropriate very really single little nice good old"
)
"""Adjectives and adverbs that say nothing of a thing."""
_HERE = {"there": Reference.THERE, "here": Reference.HERE}
_ROOM, _IS_ROOM = "room", 0.9
"""Type of the places in which things are, and the least fit of a noun for one."""
_LABELLED = 0.98
"""Degree of a word of labels as an adjective, below that of the whole label as a noun."""
_UNREAD = 0.3
"""Degree of a phrase for a word before its noun that is not known."""

FindState = Callable[[str, str], Predication | None]
"""Finds the state that an adjective says of things of a type."""


class DescriptionReader:
    """A reader of what stands before and behind nouns."""

    def __init__(
        self, nouns: NounParser, spans: TreeSpans, read: Read, find_state: FindState
    ) -> None:
        self._nouns = nouns
        self._use, self._get = nouns.describe_use, nouns.get_text
        self._tokens = nouns.tokens
        self._spans = spans
        self._tree = spans.tree
        self._read = read
        self._find_state = find_state
        self.phrases = DomainPhrases(nouns, spans, read, self._read_place)

    # --- before the noun

    def read_adjectives(self, start: int, end: int, noun: Noun | None) -> Said:
        """Read the words between the opening of a phrase and its noun.

        Args:
            noun: of the things, if it is known.
        """
        said, negated = Said(), False
        for token in range(start, end):
            text, use = (
                self._tokens[token].text,
                self._use(token, token + 1, WordRole.FILLER),
            )
            quality = None if text in _IDLE else self._find_quality(text, noun)
            degree = 1.0
            attribute: tuple[str, ...] = ()
            if quality is not None:
                use = replace(use, role=WordRole.QUALITY, meaning=text)
                quality = replace(quality, negated=quality.negated != negated)
                degree = quality.degree
            elif self._nouns.lexicon.find_attribute(text):
                use, attribute = replace(use, role=WordRole.QUALITY, meaning=text), (text,)
            elif text not in _IDLE and text not in ("not", "and", ","):
                use, degree = replace(use, role=WordRole.UNREAD, degree=0.0), _UNREAD
            negated = text == "not" or (negated and text in FILLERS)
            said = Said(
                (*said.qualities, *((quality,) if quality else ())),
                (*said.attributes, *attribute),
                (*said.uses, use),
                said.tokens | {token},
                said.degree * degree,
            )
        return said

    def _find_quality(self, text: str, noun: Noun | None) -> Predication | None:
        """Find what an adjective says: a state, or what some of the things are labelled with."""
        quality = self._find_known_quality(text, noun)
        if quality is None and noun is not None and not self._nouns.lexicon.find_attribute(text):
            labels = self._nouns.lexicon.list_labels_with(text, noun)
            return Predication(_make_kind(labels), {}, THEME, degree=_LABELLED) if labels else None
        return quality

    def _find_known_quality(self, text: str, noun: Noun | None) -> Predication | None:
        known = [
            pattern
            for pattern in self._nouns.patterns.modifiers.get(text, ())
            if pattern.is_adjective and not pattern.finite and len(pattern.parts) == 1
        ]
        if not known:
            return self._find_state(text, noun.type) if noun is not None and noun.type else None
        thing = NounPhrase(0, 0, Noun("", (), noun.type if noun is not None else "", ()))
        best = max(known, key=lambda p: self._nouns.fit(thing, p.meaning.types.get(p.subject, "")))
        return Predication(best.meaning, {}, best.subject, attributive=True, degree=best.degree)

    # --- behind the noun

    def read_behind(self, child: Word, noun: Noun | None, depth: int) -> Said | None:
        """Read what depends on a noun and stands behind it; None if it is not understood.

        What can't be said of such things is not understood, either: it is about something else.
        """
        said = self._read_below(child, noun, depth)
        thing = NounPhrase(0, 0, noun) if noun is not None and noun.type else None
        for quality in said.qualities if said is not None and thing is not None else ():
            types = quality.meaning.types if quality.meaning is not None else {}
            if thing is not None and not self._nouns.fit(thing, types.get(quality.subject, "")):
                return None
        return said

    def _read_below(self, child: Word, noun: Noun | None, depth: int) -> Said | None:
        below = sorted(self._spans.list_tokens(child.place))
        if not below:
            return None
        if child.role in ("prep", "dative"):
            said = self._read_place(child, depth) or self._match(below, depth)
            return said or self._read_content(child, noun, depth)
        if child.text in _HERE:
            return self._say_there(child)
        if child.role == "appos" and child.text in ("one", "ones"):
            return self._read_apposition(child, noun, depth)
        if child.role in ("relcl", "acl", "advcl", "ccomp") or child.is_verb:
            return self._read_clause(child, noun, depth)
        if child.role in ("amod", "acomp", "advmod", "appos", "oprd", "amod", "prt"):
            return self._match(below, depth) or self._read_complement(child, noun, depth)
        return None

    def _read_apposition(self, one: Word, noun: Noun | None, depth: int) -> Said | None:
        """Read "(my jacket,) the clean one", "(the book,) the one on the couch"."""
        below = self._spans.list_tokens(one.place)
        start = min(below)
        if self._get(start) in ("the", "that", "this"):
            start += 1
        found = [self.read_adjectives(start, one.token, noun)]
        for child in self._tree.list_children(one.place):
            said = self.read_behind(child, noun, depth + 1) if child.token > one.token else None
            found += [said] if said is not None else []
        used = [use for said in found for use in said.uses]
        fillers = self._use_words({*range(min(below), start), one.token}, WordRole.FILLER)
        return Said(
            tuple(quality for said in found for quality in said.qualities),
            tuple(attribute for said in found for attribute in said.attributes),
            (*fillers, *used),
            frozenset(below),
            min(said.degree for said in found),
        )

    def _use_words(self, tokens: set[int] | frozenset[int], role: WordRole) -> tuple[WordUse, ...]:
        return tuple(self._use(token, token + 1, role) for token in sorted(tokens))

    def _say_there(self, word: Word) -> Said:
        token = word.token
        place = NounPhrase(token, token + 1, _HERE[word.text], Determiner.THE)
        use = self._use(token, token + 1, WordRole.THING, word.text)
        said = Predication(None, {PLACE: place}, THEME, "at", uses=(use,), degree=0.97)
        return Said((said,), (), (use,), frozenset([token]))

    def _read_place(self, prep: Word, depth: int) -> Said | None:
        """Read "on the table", "from the shelf", "out of the fridge"."""
        words, last = [prep], prep
        for inner in self._tree.list_children(prep.place, "prep"):
            words.append(inner)
            last = inner
        before = [w for w in self._tree.list_children(prep.place, "advmod") if w.token < prep.token]
        noun = self._tree.find_child(last.place, "pobj") or self._tree.find_child(
            prep.place, "pobj"
        )
        if noun is None:
            there = self._tree.find_child(prep.place, "pcomp", "advmod")
            return self._say_there(there) if there and there.text in _HERE else None
        key, place = tuple(w.text for w in words), noun
        if (prep.text, noun.text) in (("on", "top"), ("in", "front"), ("on", "back")):
            inner_of = self._spans.find_of(noun)
            if inner_of is not None:
                words += [noun, *self._tree.list_children(noun.place, "prep")]
                key, place = (prep.text, noun.text, "of"), inner_of
        preposition = PREPOSITIONS.get(key) or PREPOSITIONS.get((prep.text,))
        if preposition in (None, "for", "with") or any(w.text not in FILLERS for w in before):
            return None
        phrase = self._read(place, "", depth + 1)
        if phrase is None:
            return None
        vague = isinstance(phrase, NounPhrase) and phrase.head in (Reference.THING, Reference.ONE)
        if preposition == "to" and vague:
            return None
        tokens = {w.token for w in (*words, *before)}
        uses = self._use_words(tokens, WordRole.ACTION)
        assert preposition is not None
        said = Predication(
            None,
            {PLACE: phrase},
            THEME,
            preposition,
            source=preposition == "from",
            degree=phrase.degree,
            uses=uses,
        )
        return Said(
            (said,), (), (*uses, *list_phrase_uses(phrase)), frozenset(tokens), phrase.degree
        )

    def _read_content(self, prep: Word, noun: Noun | None, depth: int) -> Said | None:
        """Read "(the room) with the desk": what is in a room says which one is meant."""
        content = self._tree.find_child(prep.place, "pobj")
        if prep.text != "with" or content is None or noun is None:
            return None
        is_room = self._nouns.lexicon.has_type(_ROOM)
        is_room = is_room and self._nouns.fit(NounPhrase(0, 0, noun), _ROOM) >= _IS_ROOM
        phrase = self._read(content, "", depth + 1) if is_room else None
        if phrase is None:
            return None
        below = frozenset(self._spans.list_tokens(prep.place))
        uses = (self._use(prep.token, prep.token + 1, WordRole.QUALITY, "where something is"),)
        said = Predication(None, {THEME: phrase}, PLACE, "from", degree=phrase.degree)
        return Said((said,), (), (*uses, *list_phrase_uses(phrase)), below, phrase.degree)

    def _match(self, below: Sequence[int], depth: int) -> Said | None:
        """Match the words from the first to the last token with a phrase of the domain."""
        return self.phrases.match(below[0], below[-1] + 1, depth)

    # --- clauses

    def _read_clause(self, verb: Word, noun: Noun | None, depth: int) -> Said | None:
        """Read "that is dirty", "lying on the table", "you can find", "I can drink from"."""
        below = self._spans.list_tokens(verb.place)
        if not below:
            return None
        start, end = min(below), max(below) + 1
        where = self._read_where(verb, depth)
        if where is not None:
            return where
        pronoun = self._find_pronoun(verb)
        subject = self._tree.find_child(verb.place, "nsubj", "nsubjpass", "expl")
        if subject is not None and subject.text in PARTNERS and self._is_idle(verb, below):
            return Said((), (), (self._use(start, end, WordRole.FILLER),), frozenset(below))
        negated = any(self._tree.list_children(verb.place, "neg"))
        left = verb.lemma in _LEAVING and subject is not None and verb.tag in ("VBD", "VBN", "VBP")
        if (verb.lemma in _POSTURES and subject in (None, pronoun)) or left:
            said = self._read_copula(verb, pronoun, negated, noun, depth)
            if said is not None:
                return said
        first = start
        if self._get(start) in _THAT:
            first += 1
        helpers = {w.token for w in self._tree.list_children(verb.place, "aux", "auxpass", "neg")}
        passive = any(self._tree.list_children(verb.place, "auxpass")) or verb.tag == "VBN"
        for begin in dict.fromkeys((first, *self._skip(first, helpers))):
            found = self.phrases.match(begin, end, depth)
            if found is not None:
                skipped = set(range(start, begin))
                fillers = self._use_words(skipped, WordRole.FILLER)
                qualities = found.qualities
                if negated and begin > first:
                    qualities = tuple(replace(q, negated=not q.negated) for q in qualities)
                return replace(
                    found,
                    qualities=qualities,
                    uses=(*fillers, *found.uses),
                    tokens=found.tokens | skipped,
                )
        purpose = self.phrases.read_purpose(first, end)
        if purpose is not None:
            that = frozenset(range(start, first))
            uses = (*self._use_words(that, WordRole.FILLER), *purpose.uses)
            return replace(purpose, uses=uses, tokens=purpose.tokens | that)
        if passive and noun is not None and noun.type:
            state = self._find_state(verb.text, noun.type)
            rest = below - helpers - {verb.token} - ({pronoun.token} if pronoun else set())
            if state is not None and not rest:
                one = replace(state, negated=state.negated != negated, attributive=False)
                use = self._use(start, end, WordRole.QUALITY, verb.text)
                return Said((one,), (), (use,), frozenset(below))
        return None

    def _skip(self, start: int, helpers: set[int]) -> Iterator[int]:
        """Yield where a clause goes on behind its helping verbs and idle adverbs."""
        place = start
        while place in helpers or self._get(place) in _IDLE:
            place += 1
            yield place

    def _find_pronoun(self, verb: Word) -> Word | None:
        for word in self._tree.list_children(verb.place):
            if word.tag in _RELATIVE or (word.text in _THAT and word.token < verb.token):
                return word
        return None

    def _is_idle(self, verb: Word, below: set[int]) -> bool:
        """Return True for "you can find", which says nothing of the things."""
        told = {w.token for w in self._tree.list_children(verb.place)} | {verb.token}
        return verb.lemma in FINDING and below <= told

    def _read_where(self, verb: Word, depth: int) -> Said | None:
        """Read "(the room) where the desk is"."""
        children = list(self._tree.list_children(verb.place))
        subject = self._tree.find_child(verb.place, "nsubj")
        if subject is None or verb.lemma not in _POSTURES:
            return None
        given = next((w for w in children if w.role == "prep" and self._is_open(w)), None)
        if given is None and not any(w.text == "where" for w in children):
            return None
        phrase = self._read(subject, "", depth + 1)
        if phrase is None:
            return None
        preposition = PREPOSITIONS.get((given.text,), "from") if given else "from"
        said = Predication(None, {THEME: phrase}, PLACE, preposition, degree=phrase.degree)
        below = self._spans.list_tokens(verb.place)
        use = self._use(min(below), max(below) + 1, WordRole.QUALITY, "where something is")
        return Said((said,), (), (use,), frozenset(below), phrase.degree)

    def _is_open(self, prep: Word) -> bool:
        """Return True for "in which" and for an "in" with nothing behind it."""
        noun = self._tree.find_child(prep.place, "pobj")
        return not self._tree.children[prep.place] or (noun is not None and noun.tag in _RELATIVE)

    def _read_copula(
        self, verb: Word, pronoun: Word | None, negated: bool, noun: Noun | None, depth: int
    ) -> Said | None:
        """Read what is said behind "that is", "lying"."""
        found, parts = Said(), list[Said]()
        skip = {verb.token, *({pronoun.token} if pronoun else ())}
        subject = self._tree.find_child(verb.place, "nsubj")
        if subject is not None:  # "that | somebody | left on the couch"
            skip |= self._spans.list_tokens(subject.place)
        for child in self._tree.list_children(verb.place):
            if child.token in skip or child.is_inserted:
                continue
            inner = [child]
            idle = child.role in ("aux", "auxpass", "punct") or child.text in _IDLE
            if child.role == "neg" or (idle and child.text not in _HERE):
                role = WordRole.LIMIT if child.role == "neg" else WordRole.FILLER
                uses = (self._use(child.token, child.token + 1, role),)
                found = replace(
                    found, uses=(*found.uses, *uses), tokens=found.tokens | {child.token}
                )
                inner = list(self._tree.list_children(child.place))  # "good | for wiping"
            for one in inner:
                part = self._read_complement(one, noun, depth)
                if part is None:
                    return None
                parts.append(part)
        if not parts:
            return None
        qualities = tuple(
            replace(one, negated=one.negated != negated) for part in parts for one in part.qualities
        )
        return Said(
            qualities,
            tuple(a for part in parts for a in part.attributes),
            (
                *self._use_words(skip, WordRole.FILLER),
                *found.uses,
                *(use for part in parts for use in part.uses),
            ),
            frozenset(skip) | found.tokens | {t for part in parts for t in part.tokens},
            min(part.degree for part in parts),
        )

    def _read_complement(self, child: Word, noun: Noun | None, depth: int) -> Said | None:
        """Read a state, a place or a kind: "dirty", "on the table", "a mug"."""
        below = sorted(self._spans.list_tokens(child.place))
        if child.role in ("prep", "dative"):
            return self._read_place(child, depth) or self.phrases.match(
                below[0], below[-1] + 1, depth
            )
        if child.text in _HERE:
            return self._say_there(child)
        if child.role == "attr" and child.is_noun:
            return self._read_kind(child)
        joined = list(self._tree.list_children(child.place, "conj"))
        if joined and not any(w.text != "and" for w in self._tree.list_children(child.place, "cc")):
            parts = [self._read_state(one, noun) for one in (child, *joined)]
            known = [one for one in parts if one is not None]
            if len(known) == len(parts):
                return Said(
                    tuple(q for one in known for q in one.qualities),
                    tuple(a for one in known for a in one.attributes),
                    self._use_words(set(below), WordRole.QUALITY),
                    frozenset(below),
                )
        return self._match(below, depth) or self._read_state(child, noun)

    def _read_state(self, word: Word, noun: Noun | None) -> Said | None:
        quality = self._find_quality(word.text, noun)
        attribute = (word.text,) if self._nouns.lexicon.find_attribute(word.text) else ()
        if quality is None and not attribute:
            return None
        use = self._use(word.token, word.token + 1, WordRole.QUALITY, word.text)
        qualities = (quality,) if quality is not None else ()
        return Said(
            qualities, attribute if quality is None else (), (use,), frozenset([word.token])
        )

    def _read_kind(self, word: Word) -> Said | None:
        """Read "(that are) not cups", "(that is) a mug"."""
        for match in self._nouns.lexicon.find_nouns(self._tokens, word.token):
            if not isinstance(match.head, Noun) or match.end != word.token + 1:
                continue
            below = self._spans.list_tokens(word.place)
            use = self._use(min(below), match.end, WordRole.THING, match.head.said)
            kind = _make_kind(match.head.labels)
            said = Predication(kind, {}, THEME, degree=match.degree)
            return Said((said,), (), (use,), frozenset(below))
        return None


def _make_kind(labels: Sequence[str]) -> Meaning:
    """Make the meaning that something is called by one of some labels."""
    parts = tuple(Atom(IS_A, (Variable(THEME), Text(label))) for label in labels)
    goal: Expression = Or(parts) if len(parts) > 1 else parts[0]
    return Meaning(IS_A, MeaningSource.RELATION, {THEME: ""}, goal)
