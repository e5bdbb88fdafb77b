# SPDX-License-Identifier: Apache-2.0
"""Noun phrases off a dependency tree: which things are meant, how many, and what is said of them.

The tree gives the head, what depends on it and what is joined to it; words at tokens say how many
are meant, and the lexicon what things are called. A word that has no part in a phrase stays unread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.tokens import Token, TokenKind
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.learned_reader.descriptions import DescriptionReader, FindState
from fcp_ros.language.parsing.lexicon import Lexicon, NounMatch
from fcp_ros.language.parsing.meanings import PatternTable
from fcp_ros.language.parsing.noun_phrases.quantities import (
    MANY_CLOSED,
    NounOpening,
    read_limit,
    read_openings,
)
from fcp_ros.language.parsing.noun_phrases.set_parser import SetParser
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Coordination,
    Determiner,
    ElementName,
    HalfOf,
    Listed,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Quantity,
    Reference,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Word

PRONOUNS = {
    **dict.fromkeys(("it", "this", "that", "itself", "him", "her"), Reference.IT),
    **dict.fromkeys(("them", "they", "these", "those", "themselves"), Reference.THEM),
    **dict.fromkeys(("me", "i", "us", "myself"), Reference.SPEAKER),
    **dict.fromkeys(("you", "yourself"), Reference.ADDRESSEE),
    "there": Reference.THERE,
    "here": Reference.HERE,
}
_THINGS = {
    **dict.fromkeys(("everything", "whatever", "what", "whichever"), Determiner.ALL),
    "something": Determiner.A,
    "anything": Determiner.ANY,
    "nothing": Determiner.NO,
}
_THING_NOUNS = gather_words("thing things stuff object objects item items")
_MEASURES = gather_words(
    "piece item article bit unit carton bottle glass cup mug can tin box bag packet pack jar tube "
    "bowl plate slice loaf bar stick sheet roll pair set portion kind type sort copy chunk head "
    "wedge bunch pile stack"
)
"""Nouns before "of" that say in which form something is there."""
_GENERAL = gather_words("item items thing things object objects product products floor floors")
"""Nouns behind another one that add nothing: "food items"."""
EXCEPT = PhraseSet(
    "with [the] exception of",
    "(except|save) [for]",
    "(apart|aside) from",
    "[but] [just|only] not",
    "(excluding|leaving out|not counting|other than|all but|barring|besides|but|and not|without)",
)
"""Words before what is left out."""
_ALONE = (Determiner.ALL, Determiner.BOTH, Determiner.EACH, Determiner.REST, Determiner.NO)
"""Determiners that stand without a noun."""
_SHARING = (Determiner.THE, Determiner.ALL, Determiner.NO)
_LEFT_OVER = 0.5
"""Degree of a phrase for each word of the tree that it leaves out."""
_ABSENT, _UNKNOWN, _PRONOUN_ONE, _THERE = 0.93, 0.1, 0.9, 0.97
"""Degrees: of a kind that the scene lacks, of a noun that is not known, of "those" as things of a
kind, of "there"."""
_STATE_IN_LABEL = 0.85
"""Degree of "dirty pants" as a label."""
_MEASURED, _MEASURE_PRESENT, _NO_PLURAL = 0.97, 0.8, 0.3
"""Of "two pieces of" before what is meant, of "a bowl of fruit" as fruit where there are bowls, of
"one of the mug"."""
_DEEPEST = 3
_NOW = gather_words("now currently already still initially originally right")
"""Adverbs of what is so already, which is how things are described anyway."""
_MORE = gather_words("more less fewer")
_BOUNDING = frozenset(["than", "most", "least"])
"""Words of a number that limits another one: "one, but no more than two"."""
_LOOSE_LINKS = frozenset([",", "also", "either", "both", "neither"])
_AND = gather_words("and & plus as well along together with then")
_UNJOINED = 0.9
"""Degree of a list without "and"."""
_MOST = 8

Fits = Callable[[Phrase, str], float]
"""Rates how well a phrase may fill a slot of a type."""


@dataclass(frozen=True, slots=True)
class _Start:
    """The beginning of a phrase, and the word at its core."""

    start: int
    opening: NounOpening
    core: Word
    word: Word  # the head in the tree


class NounReader:
    """A reader of the noun phrases of one instruction."""

    def __init__(
        self,
        tokens: Sequence[Token],
        spans: TreeSpans,
        lexicon: Lexicon,
        patterns: PatternTable,
        fits: Fits,
        find_state: FindState,
        sets: SetParser,
    ) -> None:
        self._sets = sets
        self._tokens = tuple(tokens)
        self._spans = spans
        self._tree = spans.tree
        self._lexicon = lexicon
        self._patterns = patterns
        self._fits = fits
        self._barred = frozenset[int]()  # what belongs to none of the phrases that are being read
        self._beside = frozenset[int]()  # what is said of the one that is being read
        self._said = DescriptionReader(
            self._tokens, spans, lexicon, patterns, self._read_best, fits, find_state
        )

    def read(
        self,
        head: int,
        without: frozenset[int] = frozenset(),
        depth: int = 0,
        beside: frozenset[int] = frozenset(),
    ) -> tuple[Phrase, ...]:
        """Return the phrases with a word of the tree as head, best first; none if it isn't known.

        Args:
            head: the place of a noun, pronoun, number or quantifier in the tree.
            without: places of subtrees that belong to something else.
            beside: places of subtrees right behind it that the tree gives to its verb, which are
                said of it nevertheless.
        """
        word = self._tree.words[head]
        outer, self._barred = self._barred, self._barred | without
        inner, self._beside = self._beside, beside
        try:
            return tuple(self._read_any(word, self._barred, depth))
        finally:
            self._barred, self._beside = outer, inner

    def _read_any(self, word: Word, without: frozenset[int], depth: int) -> Sequence[Phrase]:
        joined = [one for one in self._list_joined(word) if one.place not in without]
        if joined:
            listed = [p for p in self._read_one(word, without, depth) if isinstance(p.head, Listed)]
            group = listed or self._read_group(word, joined, without, depth)
            if group:
                return group
        return self._read_one(word, without, depth)

    def _read_best(self, word: Word, type_: str, depth: int) -> Phrase | None:
        """Read what is within a phrase."""
        if depth > _DEEPEST:
            return None
        rated = [(p.degree * self._fits(p, type_), p) for p in self.read(word.place, depth=depth)]
        degree, phrase = max(rated, key=lambda one: one[0], default=(0.0, None))
        return phrase if degree > _UNKNOWN else None

    # --- joined phrases

    def _list_joined(self, word: Word) -> list[Word]:
        """List what "and", "or" and commas join to a noun, from left to right."""
        found: list[Word] = []
        for child in self._tree.list_children(word.place, "conj", "appos"):
            if child.is_inserted or child.is_verb or (child.role == "appos" and not found):
                continue
            if child.text in _MORE or self._get(child.token - 1) in _BOUNDING:
                continue
            found += [child, *self._list_joined(child)]
        for child in self._tree.list_children(word.place, "prep", "advmod"):
            noun = self._find_along(child) if self._is_along(child) else None
            if noun is not None:
                found += [noun, *self._list_joined(noun)]
        return found

    def _read_group(
        self, word: Word, joined: Sequence[Word], without: frozenset[int], depth: int
    ) -> list[Phrase]:
        others = frozenset(one.place for one in joined)
        parts: list[NounPhrase] = []
        for one in (word, *joined):
            inner = self._list_links(one)
            barred = without | others | {w.place for w in inner}
            barred -= {one.place}
            found = next(iter(self._read_one(one, barred, depth)), None)
            if found is None:
                return []
            parts.append(found)
        parts = self._share_head(parts)
        links = [w for one in (word, *joined) for w in self._list_links(one)]
        texts = {w.text for w in links if w.text not in _LOOSE_LINKS}
        uses = tuple(self._use(w.token, w.token + 1, WordRole.FILLER) for w in links)
        degree = 1.0
        for part in parts:
            degree *= part.degree
        given = _share_determiner(parts)
        if "nor" in texts:
            listed = Listed(tuple(replace(part, uses=()) for part in given))
            own = (*uses, *(use for part in given for use in part.uses))
            end, no = given[-1].end, Determiner.NO
            return [
                NounPhrase(given[0].start, end, listed, no, None, True, uses=own, degree=degree)
            ]
        if texts <= _AND:
            return [Coordination(given, False, uses, degree * (1.0 if texts else _UNJOINED))]
        if texts == {"or"}:
            none = given[0].determiner is Determiner.NO
            return [Coordination(given, not none, uses, degree)]
        if texts == {"and", "or"}:
            return [self._group_mixed(given, [word, *joined], uses, degree)]
        return []

    def _group_mixed(
        self,
        parts: tuple[NounPhrase, ...],
        words: Sequence[Word],
        uses: tuple[WordUse, ...],
        degree: float,
    ) -> Phrase:
        """Group "the mug and either the bowl or the glass"."""
        groups: list[list[Phrase]] = [[parts[0]]]
        for before, part in zip(words, parts[1:], strict=False):
            if any(w.text == "and" for w in self._list_links(before)):
                groups.append([part])
            else:
                groups[-1].append(part)
        inner = tuple(
            Coordination(tuple(group), True) if len(group) > 1 else group[0] for group in groups
        )
        return Coordination(inner, False, uses, degree) if len(inner) > 1 else inner[0]

    def _list_links(self, word: Word) -> list[Word]:
        """List the words and marks that join something to a noun."""
        links = list(self._tree.list_children(word.place, "cc", "punct", "preconj"))
        links += [w for w in self._tree.list_children(word.place) if self._is_along(w)]
        inner = [w for one in links for w in self._tree.list_children(one.place)]
        inner = [w for w in inner if w.role in ("advmod", "prep", "pcomp")]
        return [w for w in (*links, *inner) if not w.is_inserted]

    def _is_along(self, word: Word) -> bool:
        """Return True for "along with", which joins like "and"."""
        return word.text in ("along", "together") and self._find_along(word) is not None

    def _find_along(self, word: Word) -> Word | None:
        for inner in (word, *self._tree.list_children(word.place, "prep", "pcomp")):
            noun = self._tree.find_child(inner.place, "pobj")
            if noun is not None:
                return noun
        return None

    def _share_head(self, parts: list[NounPhrase]) -> list[NounPhrase]:
        """Give the noun to what lacks one: "the red and the blue mug"."""
        noun = next((p for p in reversed(parts) if isinstance(p.head, Noun)), None)
        if noun is None:
            return parts
        return [
            replace(p, head=noun.head, plural=noun.plural and p.determiner is not Determiner.A)
            if p.head is Reference.ONE and (p.qualities or p.attributes) and not p.other
            else p
            for p in parts
        ]

    # --- one phrase

    def _read_one(self, word: Word, without: frozenset[int], depth: int) -> list[NounPhrase]:
        own = self._spans.list_own(word, without)
        if depth:  # what stands behind a place may be said of the thing there
            own &= self._spans.list_tokens(word.place, without)
        for place in self._beside:
            own |= self._spans.list_tokens(place, without)
        barred = {
            t for place in without for t in self._spans.list_tokens(place, frozenset([word.place]))
        }
        found: list[NounPhrase] = []
        for begun in self._list_starts(word, own):
            if not barred.isdisjoint(range(begun.start, begun.core.token)):
                continue
            for phrase in self._read_begun(begun):
                for longer in self._extend(phrase, begun, word, own, without, depth):
                    left = [t for t in own if not self._is_read(longer, t) and self._is_content(t)]
                    degree = longer.degree * _LEFT_OVER ** len(left)
                    found.append(replace(longer, degree=degree))
        found.sort(key=lambda one: -one.degree)
        different: list[NounPhrase] = []
        for phrase in found:
            if phrase not in different and len(different) < _MOST:
                different.append(phrase)
        return different

    def _is_content(self, token: int) -> bool:
        return self._tokens[token].kind is not TokenKind.MARK

    def _is_read(self, phrase: NounPhrase, token: int) -> bool:
        one = self._tokens[token]
        return any(use.start <= one.start and one.end <= use.end for use in phrase.uses)

    def _find_core(self, word: Word, start: int, own: set[int]) -> Word:
        """Find the noun of a phrase from a token on: the mugs of "two of the mugs"."""
        inner = word
        while inner.token < start:
            following = self._spans.find_of(inner)
            if following is None or following.token not in own:
                following = self._spans.find_core(word, start)
                return following if following and following.token in own else inner
            inner = following
        return inner

    def _list_starts(self, word: Word, own: set[int]) -> Iterator[_Start]:
        seen = set[tuple[int, int, Determiner, bool, Quantity | None]]()
        for start in self._spans.list_starts(word):
            for opening in read_openings(self._tokens, start):
                core = self._find_core(word, opening.end, own)
                key = (start, opening.end, opening.determiner, opening.other, opening.number)
                if key in seen:
                    continue
                seen.add(key)
                yield _Start(start, opening, core, word)

    def _use(
        self, start: int, end: int, role: WordRole, meaning: str = "", degree: float = 1.0
    ) -> WordUse:
        first, last = self._tokens[start], self._tokens[end - 1]
        return WordUse(first.start, last.end, role, meaning, degree)

    def _get(self, token: int) -> str:
        return self._tokens[token].text if 0 <= token < len(self._tokens) else ""

    def _open(self, begun: _Start) -> NounPhrase:
        """Make the phrase of an opening that has no head yet."""
        start, opening = begun.start, begun.opening
        uses = [
            self._use(i, i + 1, WordRole.QUANTITY if i in opening.quantity else WordRole.FILLER)
            for i in range(start, opening.end)
        ]
        return NounPhrase(
            start,
            opening.end,
            Reference.ONE,
            opening.determiner,
            opening.number,
            other=opening.other,
            only=opening.only,
            uses=tuple(uses),
        )

    def _read_begun(self, begun: _Start) -> Iterator[NounPhrase]:
        """Yield the phrases from an opening to its core."""
        opening, core, start = begun.opening, begun.core, begun.start
        blank = self._open(begun)
        if core.token == start and opening.end == start:
            yield from self._read_pronoun(core)
        if opening.end > start and not opening.partitive and core.token < opening.end:
            yield from self._read_headless(blank, opening)
        if core.token < opening.end:
            return
        listed = self._read_listed(begun, blank)
        if listed is not None:
            yield listed
        found = False
        for place in range(opening.end, core.token + 1):
            for phrase, type_ in self._read_nouns(place, core, opening, blank):
                said = self._said.read_adjectives(opening.end, place, type_)
                found = found or said.degree == 1.0
                yield said.add_to(phrase)
            for end, phrase in self._sets.read_set_head(start, place, opening):
                if end > max(core.token, place):
                    said = self._said.read_adjectives(opening.end, place, "")
                    uses = (*blank.uses, *phrase.uses)
                    found = found or said.degree == 1.0
                    yield said.add_to(replace(phrase, end=end, uses=uses))
        yield from self._read_measure(core, opening, blank)
        if found:
            return
        yield from self._read_vague(core, opening, blank)

    def _read_listed(self, begun: _Start, blank: NounPhrase) -> NounPhrase | None:
        """Read "one of the mug and the bowl", whichever of them the tree joins the others to."""
        opening, core = begun.opening, begun.core
        several = opening.number is not None or opening.determiner in _ALONE
        if not several or not (opening.definite or opening.partitive) or core == begun.word:
            return None
        joined = [*self._list_joined(core), *self._list_joined(begun.word)]
        if not joined:
            return None
        others = frozenset(one.place for one in (core, *joined))
        parts: list[NounPhrase] = []
        for one in (core, *joined):
            inner_links = {w.place for w in self._list_links(one)}
            barred = self._barred | inner_links | (others - {one.place})
            part = next(iter(self._read_one(one, barred, 1)), None)
            if part is None:
                return None
            parts.append(part)
        plurals = sum(part.plural for part in parts)
        if plurals not in (0, len(parts) if opening.number is not None else 0):
            return None
        links = [w for one in (begun.word, core, *joined) for w in self._list_links(one)]
        uses = [self._use(w.token, w.token + 1, WordRole.FILLER) for w in links]
        inner = [use for part in parts for use in part.uses]
        given = tuple(replace(part, uses=()) for part in _share_determiner(parts))
        degree = blank.degree
        for part in parts:
            degree *= part.degree
        return replace(
            blank,
            end=max(part.end for part in parts),
            head=Listed(given),
            plural=True,
            uses=(*blank.uses, *uses, *inner),
            degree=degree,
        )

    def _read_pronoun(self, word: Word) -> Iterator[NounPhrase]:
        text, start = word.text, word.token
        use = self._use(start, start + 1, WordRole.THING)
        if text in PRONOUNS:
            head = PRONOUNS[text]
            plural = head is Reference.THEM
            degree = _THERE if head in (Reference.THERE, Reference.HERE) else 1.0
            the = Determiner.THE
            phrase = NounPhrase(start, start + 1, head, the, None, plural, uses=(use,))
            if plural and self._get(start + 1) in ("all", "both", "each"):
                more = self._use(start + 1, start + 2, WordRole.QUANTITY)
                phrase = replace(phrase, end=start + 2, uses=(use, more))
            yield replace(phrase, degree=degree)
            if text in ("those", "these", "that"):
                yield replace(phrase, head=Reference.ONE, degree=_PRONOUN_ONE)
        if text in _THINGS:
            other = self._get(start + 1) == "else"
            rest = other and _THINGS[text] is Determiner.ALL
            determiner = Determiner.REST if rest else _THINGS[text]
            end = start + 1 + other
            use = self._use(start, end, WordRole.THING)
            yield NounPhrase(
                start, end, Reference.THING, determiner, None, other=other, uses=(use,)
            )
            if determiner is Determiner.ALL:
                for after, parts in self._sets.read_set_behind(start, end):
                    yield replace(parts, end=after, uses=(use, *parts.uses))

    def _read_headless(self, blank: NounPhrase, opening: NounOpening) -> Iterator[NounPhrase]:
        """Read "the other", "all", "two" without a noun."""
        determiner, number = opening.determiner, opening.number
        if determiner is Determiner.REST:
            single = [self._get(blank.start), self._get(blank.start + 1)] == ["the", "other"]
            yield replace(blank, plural=not single or self._get(blank.end) == "others")
        elif opening.other and determiner is Determiner.A and number is None:
            yield blank
        elif determiner in _ALONE or (number is not None and determiner is Determiner.A):
            yield replace(blank, head=Reference.THEM, plural=True, degree=0.9)

    def _read_nouns(
        self, place: int, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[tuple[NounPhrase, str]]:
        """Yield what the lexicon knows by the words from a token to the core."""
        for match in self._lexicon.find_nouns(self._tokens, place):
            if match.end <= core.token and not self._adds_nothing(match, core):
                yield from self._read_located(match, core, blank, place)
                continue
            if match.end == place + 1 and self._means_anything(place):
                continue
            end = max(match.end, core.token + 1)
            named = self._name_following(match, end)
            if named is not None:
                after, name = named
                use = self._use(place, after, WordRole.THING, name.name)
                yield replace(blank, end=after, head=name, uses=(*blank.uses, use)), ""
            plural = match.plural if end == match.end else self._get(end - 1).endswith("s")
            degree = match.degree * (1.0 if _is_here(match) else _ABSENT)
            degree *= self._rate_described(match, place)
            several = opening.number is not None or opening.determiner in (
                Determiner.EACH,
                Determiner.ANY,
                Determiner.NO,
                Determiner.BOTH,
            )
            if opening.definite and not plural and several:
                degree *= _NO_PLURAL
            head = match.head
            shown = head.name if isinstance(head, ElementName) else head.said
            meaning = f"{shown}, {match.note}" if match.note else shown
            use = self._use(place, end, WordRole.THING, meaning, match.degree)
            phrase = replace(
                blank,
                end=end,
                head=head,
                plural=plural,
                uses=(*blank.uses, use),
                degree=blank.degree * degree,
            )
            if phrase.determiner is Determiner.BOTH and phrase.number is None and plural:
                two = Quantity(value=2)
                phrase = replace(phrase, determiner=Determiner.THE, number=two)
            yield self._move_rest(phrase, core), head.type if isinstance(head, Noun) else ""

    def _rate_described(self, match: NounMatch, place: int) -> float:
        """Rate a label that begins with a state lower: the dirty plate need not be called so."""
        if match.end <= place + 1 or self._get(place) not in self._patterns.states:
            return 1.0
        inner = self._lexicon.find_nouns(self._tokens, place + 1)
        return _STATE_IN_LABEL if any(map(_is_here, inner)) else 1.0

    def _means_anything(self, place: int) -> bool:
        """Return True for "thing" and the like, and "item" where nothing is called so."""
        text = self._get(place)
        if text not in ("item", "items"):
            return text in _THING_NOUNS
        noun = self._lexicon.find_noun("item")
        return not self._lexicon.has_type("item") and not (noun and noun.members)

    def _adds_nothing(self, match: NounMatch, core: Word) -> bool:
        """Return True for the items of "food items"."""
        return match.end == core.token and core.text in _GENERAL

    def _read_located(
        self, match: NounMatch, core: Word, blank: NounPhrase, place: int
    ) -> Iterator[tuple[NounPhrase, str]]:
        """Read "bedroom table"."""
        room = isinstance(match.head, Noun) and match.head.type == "room" and match.head.members
        if not room or match.end > core.token:
            return
        for named in self._lexicon.find_nouns(self._tokens, match.end):
            head = named.head
            if named.end <= core.token or not isinstance(head, Noun) or not head.members:
                continue
            where = NounPhrase(place, match.end, match.head, Determiner.THE)
            said = Predication(None, {PLACE: where}, THEME, "in")
            use = self._use(place, named.end, WordRole.THING, head.said)
            yield (
                replace(
                    blank,
                    end=named.end,
                    head=head,
                    plural=named.plural,
                    qualities=(*blank.qualities, said),
                    uses=(*blank.uses, use),
                    degree=blank.degree * match.degree * named.degree * 0.95,
                ),
                head.type,
            )

    def _name_following(self, match: NounMatch, end: int) -> tuple[int, ElementName] | None:
        """Find the name behind a noun: "table O24"."""
        if not isinstance(match.head, Noun) or end >= len(self._tokens):
            return None
        for named in self._lexicon.find_nouns(self._tokens, end):
            if isinstance(named.head, ElementName) and named.head.name in match.head.members:
                return named.end, named.head
        return None

    def _move_rest(self, phrase: NounPhrase, core: Word) -> NounPhrase:
        """Read "the rest of the table" as the other things that are there, not as the table."""
        noun = phrase.head
        if phrase.determiner is not Determiner.REST or not isinstance(noun, Noun):
            return phrase
        if phrase.plural or core.tag != "NN" or len(noun.members) > 1:
            return phrase
        if not any(self._get(place) == "of" for place in range(phrase.start, phrase.end)):
            return phrase
        where = replace(phrase, determiner=Determiner.THE, qualities=(), attributes=(), uses=())
        said = Predication(None, {PLACE: where}, THEME, "at")
        qualities = (*phrase.qualities, said)
        return replace(phrase, head=Reference.THING, plural=True, qualities=qualities)

    def _read_measure(
        self, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read "(two) pieces of clothing", "(the) carton of milk": the noun behind "of"."""
        inner = self._spans.find_of(core)
        singular = core.text if core.text in _MEASURES else core.lemma
        if inner is None or singular not in _MEASURES or core.token < opening.end:
            return
        known = self._lexicon.find_noun(singular)
        present = known is not None and bool(known.members) and singular not in ("kind", "sort")
        use = self._use(core.token, core.token + 2, WordRole.FILLER)
        several = core.text != singular
        measured = replace(
            blank,
            uses=(*blank.uses, use),
            degree=blank.degree * (_MEASURE_PRESENT if present else _MEASURED),
        )
        if opening.determiner is Determiner.BOTH and several:
            measured = replace(measured, determiner=Determiner.THE, number=Quantity(value=2))
        after = replace(opening, end=core.token + 2, definite=False, partitive=False, many=False)
        for place in range(core.token + 2, inner.token + 1):
            for phrase, type_ in self._read_nouns(place, inner, after, measured):
                before = self._said.read_adjectives(opening.end, core.token, type_)
                said = self._said.read_adjectives(core.token + 2, place, type_)
                yield replace(said.add_to(before.add_to(phrase)), plural=several)

    def _read_vague(
        self, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read "thing", "one", "others", "them", an adjective alone, and what is not known."""
        text, end = core.text, core.token + 1
        use = self._use(core.token, end, WordRole.THING)
        said = self._said.read_adjectives(opening.end, core.token, "")
        uses = (*blank.uses, use)
        if self._means_anything(core.token):
            plural = text.endswith("s") or text == "stuff"
            thing = replace(blank, end=end, head=Reference.THING, plural=plural, uses=uses)
            yield said.add_to(thing)
        elif text in ("one", "ones", "others") and core.token > blank.start:
            determiner = Determiner.REST if text == "others" else opening.determiner
            one = replace(blank, end=end, determiner=determiner, plural=text != "one", uses=uses)
            yield said.add_to(one)
        elif text in ("them", "these", "those", "it") and opening.end > blank.start:
            yield replace(blank, end=end, head=Reference.THEM, plural=True, uses=uses)
        elif core.tag.startswith("JJ") and core.token > blank.start:
            described = self._said.read_adjectives(opening.end, end, "")
            if described.degree == 1.0 and (described.qualities or described.attributes):
                yield described.add_to(replace(blank, end=end, degree=_MEASURED))
        elif core.is_noun and core.text not in PRONOUNS and core.token > blank.start:
            unread = self._use(core.token, end, WordRole.UNREAD, "", 0.0)
            yield replace(
                blank,
                end=end,
                head=Reference.THING,
                uses=(*blank.uses, unread),
                degree=blank.degree * _UNKNOWN,
            )

    # --- behind the head

    def _extend(
        self,
        phrase: NounPhrase,
        begun: _Start,
        word: Word,
        own: set[int],
        without: frozenset[int],
        depth: int,
    ) -> Iterator[NounPhrase]:
        """Add what stands behind the head."""
        single = phrase.head in PRONOUNS.values() and phrase.head is not Reference.THEM
        if single or depth >= _DEEPEST:
            yield phrase
            return
        phrase = self._read_limit(phrase)
        phrase, excepted = self._read_exception(phrase, own, depth)
        phrase = self._read_same(phrase, own, depth)
        for child in self._list_behind(phrase, begun.core, word, own, without | excepted, depth):
            said = self._said.read_behind(child, _find_type(phrase), depth)
            if said is None or all(self._is_read(phrase, t) for t in said.tokens):
                continue
            phrase = replace(
                said.add_to(phrase), end=max(phrase.end, *(t + 1 for t in said.tokens))
            )
        idle = [t for t in own if self._get(t) in _NOW and not self._is_read(phrase, t)]
        uses = [self._use(t, t + 1, WordRole.FILLER) for t in idle]
        yield replace(phrase, uses=(*phrase.uses, *uses))

    def _list_behind(
        self,
        phrase: NounPhrase,
        core: Word,
        word: Word,
        own: set[int],
        without: frozenset[int],
        depth: int,
    ) -> Iterator[Word]:
        """Yield what depends on the head, and what stands right behind it and says more of it."""
        seen = set[int]()
        for head in dict.fromkeys((core.place, word.place)):
            for child in self._tree.list_children(head):
                if (
                    child.place not in without
                    and child.token >= phrase.start
                    and child.place not in seen
                ):
                    seen.add(child.place)
                    if not self._is_read(phrase, child.token) and child.token in own:
                        yield child
        yield from (self._tree.words[place] for place in sorted(self._beside) if not depth)
        for token in sorted(own):
            one = self._spans.words[token]
            if token < phrase.end or one.place in seen or self._is_read(phrase, token):
                continue
            above = one
            while above.head != above.place and above.head not in (word.place, core.place):
                if self._tree.words[above.head].token not in own:
                    break
                above = self._tree.words[above.head]
            if above.place not in seen and above.place not in without and above.place != word.place:
                seen.add(above.place)
                yield above
        if word.head != word.place and word.tag in ("WP", "WDT") and word.head not in without:
            yield self._tree.words[word.head]  # "whatever | is dirty"

    def _read_limit(self, phrase: NounPhrase) -> NounPhrase:
        """Read "(two plates) or more", "as many mugs as possible"."""
        if phrase.number is not None and phrase.number.share is HalfOf.MANY:
            for start in range(phrase.end, self._spans.end):
                end = MANY_CLOSED.find_end(self._tokens, start)
                if end > start:
                    use = self._use(start, end, WordRole.QUANTITY)
                    after = end if start == phrase.end else phrase.end
                    return replace(phrase, end=after, uses=(*phrase.uses, use))
        if phrase.number is None:
            return phrase
        for start in range(phrase.end, self._spans.end):  # also behind the place
            found = read_limit(self._tokens, start, phrase.number)
            if found is not None and (start == phrase.end or self._get(start) in (",", "but")):
                use = self._use(start, found[0], WordRole.QUANTITY)
                end = found[0] if start == phrase.end else phrase.end
                return replace(phrase, end=end, number=found[1], uses=(*phrase.uses, use))
        return phrase

    def _read_same(self, phrase: NounPhrase, own: set[int], depth: int) -> NounPhrase:
        """Read "the same room as the desk", "a different room than the desk"."""
        first = range(phrase.start, phrase.end)
        same = any(self._get(t) == "same" for t in first)
        links = ("as",) if same else ("than", "from")
        place = phrase.end
        if not (same or phrase.other) or self._get(place) not in links or place not in own:
            return phrase
        before = PREPOSITIONS.get((self._get(phrase.start - 1),), "")
        where = before if before in ("in", "on") else "from"
        for head in self._spans.list_heads(place + 1):
            other = self._read_best(head, "", depth + 1)
            if other is None:
                continue
            said = Predication(
                None, {THEME: other}, PLACE, where, negated=not same, attributive=True
            )
            use = self._use(place, place + 1, WordRole.QUALITY, "same")
            return replace(
                phrase,
                other=False,
                qualities=(*phrase.qualities, said),
                uses=(*phrase.uses, use, *_list_uses(other)),
                degree=phrase.degree * other.degree,
            )
        return phrase

    def _read_exception(
        self, phrase: NounPhrase, own: set[int], depth: int
    ) -> tuple[NounPhrase, frozenset[int]]:
        """Read "except the mug": what is left out, wherever it stands behind the head."""
        single = phrase.determiner in (Determiner.THE, Determiner.A) and not phrase.plural
        if single or isinstance(phrase.head, ElementName):
            return phrase, frozenset()
        last = max(own, default=phrase.end) + 1
        for start in range(phrase.end, last + 1):
            end = EXCEPT.find_end(self._tokens, start)
            if end == start or start not in own:
                continue
            for head in self._spans.list_heads(end):
                excluded = self._read_best(head, "", depth + 1)
                if excluded is None:
                    continue
                use = self._use(start, end, WordRole.LIMIT, "except")
                above = self._spans.words[start].place if start in self._spans.words else -1
                longer = replace(
                    phrase,
                    excluded=(*phrase.excluded, excluded),
                    uses=(*phrase.uses, use, *_list_uses(excluded)),
                    degree=phrase.degree * excluded.degree,
                )
                return longer, frozenset([above, head.place])
        return phrase, frozenset()


def _is_here(match: NounMatch) -> bool:
    return isinstance(match.head, ElementName) or bool(match.head.members)


def _find_type(phrase: NounPhrase) -> str:
    return phrase.head.type if isinstance(phrase.head, Noun) else ""


def _share_determiner(parts: Sequence[NounPhrase]) -> tuple[NounPhrase, ...]:
    """Give a determiner to parts that have none: "the kitchen and living room"."""
    given: list[NounPhrase] = []
    for part in parts:
        if given and part.determiner is Determiner.BARE and part.number is None:
            singular = not part.plural and not isinstance(part.head, ElementName)
            if singular or given[0].determiner in _SHARING:
                part = replace(part, determiner=given[-1].determiner)
        given.append(part)
    return tuple(given)


def _list_uses(phrase: Phrase) -> tuple[WordUse, ...]:
    if isinstance(phrase, Coordination):
        return (*(use for part in phrase.parts for use in _list_uses(part)), *phrase.uses)
    return phrase.uses
