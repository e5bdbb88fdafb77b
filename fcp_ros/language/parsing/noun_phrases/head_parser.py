# SPDX-License-Identifier: Apache-2.0
"""Noun phrases up to their head: openings, adjectives, nouns, names and pronouns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.function_words import PLACING
from fcp_ros.language.english.inflection import list_singulars
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.verbs import PUT_VERBS
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.parsing.lexicon import NounMatch
from fcp_ros.language.parsing.noun_phrases.adjective_parser import (
    UNKNOWN_ADJECTIVE,
    AdjectiveParser,
    Adjectives,
)
from fcp_ros.language.parsing.noun_phrases.quantities import (
    MANY_CLOSED,
    NounOpening,
    match_words,
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
    Listed,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Quantity,
    Reference,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole
from fcp_ros.language.syntax.tree import Word

UNKNOWN_NOUN = 0.1
_ABSENT, _STATE_IN_LABEL, _LOCATED, _MEASURED = 0.93, 0.85, 0.95, 0.97
"""Degrees: of a kind that the scene lacks, of "dirty pants" as a label, of "bedroom table" as the
table there, of "two pieces of" before what is meant."""
_MEASURE_PRESENT, _NO_PLURAL, _PART_OF_NOTHING, _SAID_TWICE = 0.8, 0.3, 0.8, 0.5
"""Of "a bowl of fruit" as fruit where there are bowls, of "one of the mug", of "the needed parts"
as any parts, of a misspelt word that stands for a noun that is said beside it."""
_REST_OF_PLACE = Confidence.LIKELY.degree
"""Of the other things on a table for "the rest of the table", which is asked about."""
PRONOUNS = {
    **dict.fromkeys(("it", "this", "that", "itself", "him", "her"), Reference.IT),
    **dict.fromkeys(("them", "they", "these", "those", "themselves"), Reference.THEM),
    **dict.fromkeys(("me", "i", "us", "myself"), Reference.SPEAKER),
    **dict.fromkeys(("you", "yourself"), Reference.ADDRESSEE),
}
THINGS = {
    **dict.fromkeys(("everything", "whatever", "what", "whichever"), Determiner.ALL),
    "something": Determiner.A,
    "anything": Determiner.ANY,
    "nothing": Determiner.NO,
}
THING_NOUNS = gather_words("thing things stuff object objects")
_PARTS = gather_words("piece pieces part parts component components element elements")
_GENERAL = gather_words("item items thing things object objects product products article articles")
"""Nouns behind another one that add nothing: "food items"."""
_FURNITURE = ("furniture",)
"""Nouns that mean what other things are on, where nothing is called so."""
_NO_FURNITURE = 0.6
"""Degree of furniture as a kind of its own where nothing is called so."""
MEASURES = gather_words(
    "piece item article bit unit carton bottle glass cup mug can tin box bag packet pack jar tube "
    "bowl plate slice loaf bar stick sheet roll pair set portion kind type sort copy chunk head "
    "wedge bunch pile stack"
)
"""Nouns before "of" that say in which form something is there."""
_SORTS = gather_words("kind type sort")
_FORMER = gather_words("previous former original")
ALONE = (Determiner.ALL, Determiner.BOTH, Determiner.EACH, Determiner.REST, Determiner.NO)
"""Determiners that stand without a noun."""
_SEVERAL = (Determiner.EACH, Determiner.ANY, Determiner.NO, Determiner.BOTH)
"""Determiners behind which "of" stands with a plural."""
_WHERE_I_AM = PhraseSet(
    "where (i am|we are) [now|right now|sitting|standing|lying|at|waiting|working]"
)


class HeadParser:
    """A reader of phrases up to their head.

    Args:
        chart: reads what is within phrases, and knows the domain.
    """

    def __init__(self, chart: SetParser, spans: TreeSpans) -> None:
        self._chart = chart
        self._spans = spans
        self._tokens = chart.tokens
        self._lexicon = chart.lexicon
        self._get = chart.get_text
        self._use = chart.describe_use
        self._adjectives = AdjectiveParser(chart, spans)

    def read(self, start: int, word: Word) -> Iterator[NounPhrase]:
        """Yield the phrases of a head from a token on; they end behind the head."""
        yield from self._read_pronoun(start, word)
        for opening in read_openings(self._tokens, start):
            yield from self._read_opened(start, opening, word)

    # --- without a noun

    def _read_pronoun(self, start: int, word: Word) -> Iterator[NounPhrase]:
        text = self._get(start)
        here = _WHERE_I_AM.find_end(self._tokens, start)
        if here > start:
            use = self._use(start, here, WordRole.THING, "me")
            yield NounPhrase(start, here, Reference.SPEAKER, Determiner.THE, uses=(use,))
        if word.token != start:
            return
        use = self._use(start, start + 1, WordRole.THING)
        if text in ("there", "here"):
            yield NounPhrase(
                start, start + 1, Reference(text), Determiner.THE, uses=(use,), degree=0.97
            )
        if text in PRONOUNS:
            plural = PRONOUNS[text] is Reference.THEM
            phrase = NounPhrase(
                start, start + 1, PRONOUNS[text], Determiner.THE, None, plural, uses=(use,)
            )
            yield phrase
            if plural and self._get(start + 1) in ("all", "both", "each"):
                yield replace(
                    phrase, end=start + 2, uses=(self._use(start, start + 2, WordRole.THING),)
                )
            if text in ("those", "these"):
                yield replace(phrase, head=Reference.ONE, degree=0.9)
        if text in THINGS:
            other = self._get(start + 1) == "else"
            all_else = other and THINGS[text] is Determiner.ALL
            determiner = Determiner.REST if all_else else THINGS[text]
            end = start + 1 + other
            use = self._use(start, end, WordRole.THING)
            head = Reference.THING
            anything = NounPhrase(start, end, head, determiner, None, other=other, uses=(use,))
            yield anything
            if determiner is Determiner.ALL:
                for after, parts in self._chart.read_set_behind(start, end):
                    yield replace(parts, end=after)
            for after, said in self._adjectives.read(end) if end < len(self._tokens) else ():
                if said.degree > UNKNOWN_ADJECTIVE:
                    yield said.add_to(replace(anything, other=False), after)

    def _read_no_head(self, opening: NounOpening, blank: NounPhrase) -> Iterator[NounPhrase]:
        """Read "the other", "as many as possible", "all", "two" without a noun."""
        determiner, number = opening.determiner, opening.number
        them = replace(blank, head=Reference.THEM, plural=True, degree=0.9)
        if determiner is Determiner.REST:
            single = match_words(self._tokens, blank.start, ("the", "other"))
            yield replace(blank, plural=not single)
        elif opening.other and determiner is Determiner.A and number is None:  # on another
            yield blank
        elif opening.many:
            yield from self._close_many(them, opening)
        elif determiner in ALONE or (number is not None and determiner is Determiner.A):
            yield them

    # --- with a noun

    def _read_opened(self, start: int, opening: NounOpening, word: Word) -> Iterator[NounPhrase]:
        uses = self._chart.list_uses(opening.quantity, WordRole.QUANTITY)
        fillers = [i for i in range(start, opening.end) if i not in opening.quantity]
        uses += self._chart.list_uses(fillers, WordRole.FILLER)
        blank = NounPhrase(
            start,
            opening.end,
            Reference.ONE,
            opening.determiner,
            opening.number,
            other=opening.other,
            only=opening.only,
            uses=tuple(uses),
        )
        if opening.partitive or self._get(opening.end) == "of":
            yield from self._read_listed(opening, blank)
        if opening.end > start and not opening.partitive:
            yield from self._read_no_head(opening, blank)
        core = self._spans.find_core(word, opening.end)
        if core is None:
            return
        found = list(self._read_core(core, opening, blank))
        yield from found
        if all(phrase.degree <= UNKNOWN_ADJECTIVE for phrase in found):
            nearer = self._spans.find_noun_before(core, opening.end)
            if nearer is not None:  # "(keep) the counter clean"
                yield from self._read_core(nearer, opening, blank)

    def _read_core(
        self, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        for place in range(opening.end, core.token + 1):
            for adjectives in self._adjectives.describe(opening.end, place):
                described = adjectives.add_to(blank, place)
                yield from self._read_head(place, core, opening, described)

    def _read_head(
        self, place: int, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Yield the phrases whose noun begins at a token and reaches the core of the tree."""
        found = [*self._read_nouns(place, core, opening, blank)]
        for end, phrase in self._chart.read_set_head(blank.start, place, opening):
            if end > core.token and end > place:
                uses = (*blank.uses, *phrase.uses)
                degree = blank.degree * phrase.degree
                qualities = (*blank.qualities, *phrase.qualities)
                found.append(
                    replace(phrase, end=end, uses=uses, degree=degree, qualities=qualities)
                )
        yield from found
        if self._get(place) in _FORMER and place + 1 == core.token:
            use = self._use(place, place + 1, WordRole.FILLER)
            former = replace(blank, uses=(*blank.uses, use))
            yield from self._read_contents(place + 1, former)
        if place != core.token:
            yield from self._read_cut(place, core, opening, blank)
            return
        yield from self._read_general(place, opening, blank)
        yield from self._read_measure(core, opening, blank)
        yield from self._read_contents(place, blank)
        text, use = self._get(place), self._use(place, place + 1, WordRole.THING)
        if text in ("one", "ones", "others") and place > blank.start:
            determiner = Determiner.REST if text == "others" else opening.determiner
            plural = text != "one"
            uses = (*blank.uses, use)
            yield replace(blank, end=place + 1, determiner=determiner, plural=plural, uses=uses)
        elif text in ("them", "these", "those", "it") and opening.end > blank.start:
            uses = (*blank.uses, use)
            yield replace(blank, end=place + 1, head=Reference.THEM, plural=True, uses=uses)
        elif core.tag.startswith("JJ") and place > blank.start and not found:  # the red and ...
            for after, said in self._adjectives.read(place):
                if said.degree > UNKNOWN_ADJECTIVE:
                    yield said.add_to(replace(blank, degree=blank.degree * _MEASURED), after)
        elif not found and place > blank.start and self._is_unknown(core):
            unread = self._use(place, place + 1, WordRole.UNREAD, "", 0.0)
            degree = blank.degree * UNKNOWN_NOUN
            uses = (*blank.uses, unread)
            yield replace(blank, end=place + 1, head=Reference.THING, uses=uses, degree=degree)

    def _is_unknown(self, core: Word) -> bool:
        thing = core.text in PRONOUNS or core.text in THINGS or core.text in THING_NOUNS
        return core.is_noun and self._tokens[core.token].kind is TokenKind.WORD and not thing

    def _read_nouns(
        self, place: int, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read the nouns and names of the domain and the scene."""
        for match in self._lexicon.find_nouns(self._tokens, place):
            if self._is_thing_noun(place) and match.end == place + 1:
                continue
            if blank.start == place and self._is_put(place, match.end):
                continue
            yield from self._read_named(place, match, core, blank)
            if match.end <= core.token:
                continue
            degree = match.degree * self._rate_noun(match, place)
            part = self._chart.is_part_noun(match.head)
            if part and self._chart.is_set_needed(opening.end, place):
                degree *= _PART_OF_NOTHING
            several = opening.number is not None or opening.determiner in _SEVERAL
            if opening.definite and not match.plural and several:
                degree *= _NO_PLURAL
            phrase = self._name(blank, place, match.end, match, degree)
            yield from self._close_many(self._move_rest(phrase, core), opening)

    def _is_put(self, place: int, end: int) -> bool:
        """Return True for the verb of "cool it, place in the fridge"."""
        joined = self._get(place - 1) in ("and", "then", ",") and end == place + 1
        return joined and self._get(place) in PUT_VERBS and self._get(end) in PLACING

    def _name(
        self, blank: NounPhrase, place: int, end: int, match: NounMatch, degree: float = 1.0
    ) -> NounPhrase:
        head = match.head
        shown = head.name if isinstance(head, ElementName) else head.said
        meaning = f"{shown}, {match.note}" if match.note else shown
        use = self._use(place, end, WordRole.THING, meaning, match.degree)
        plural = self._get(end - 1).endswith("s") if end > match.end else match.plural
        uses = (*blank.uses, use)
        degree *= blank.degree
        phrase = replace(blank, end=end, head=head, plural=plural, uses=uses, degree=degree)
        if phrase.determiner is Determiner.BOTH and phrase.number is None and plural:
            return replace(phrase, determiner=Determiner.THE, number=Quantity(value=2))
        return phrase

    def _rate_noun(self, match: NounMatch, place: int) -> float:
        """Rate a noun lower if the scene has none, if it begins with a state, or is a misprint."""
        if isinstance(match.head, ElementName):
            return 1.0
        degree = 1.0 if match.head.members else _ABSENT
        if not match.head.members and self._get(place) in _FURNITURE:
            degree = _NO_FURNITURE
        described = match.end > place + 1 and self._get(place) in self._chart.patterns.states
        if described and self._lexicon.find_nouns(self._tokens, place + 1):
            degree *= _STATE_IN_LABEL
        if match.note.startswith("spelled"):
            spelled = match.note.split('"')[1].split()
            said = [t.text for i, t in enumerate(self._tokens) if not place <= i < match.end]
            if any(spelled[-1] in (one, *list_singulars(one)) for one in said):
                degree *= _SAID_TWICE
        return degree

    def _move_rest(self, phrase: NounPhrase, core: Word) -> NounPhrase:
        """Read "the rest of the table" as the other things that are there, not as the table."""
        counted = phrase.plural or core.tag != "NN" or not isinstance(phrase.head, Noun)
        several = isinstance(phrase.head, Noun) and len(phrase.head.members) > 1
        if phrase.determiner is not Determiner.REST or counted or several:
            return phrase
        if not any(self._get(place) == "of" for place in range(phrase.start, phrase.end)):
            return phrase
        where = replace(phrase, determiner=Determiner.THE, qualities=(), attributes=(), uses=())
        said = Predication(None, {PLACE: where}, THEME, "at")
        qualities = (*phrase.qualities, said)
        degree = phrase.degree * _REST_OF_PLACE
        return replace(
            phrase, head=Reference.THING, plural=True, qualities=qualities, degree=degree
        )

    def _read_named(
        self, place: int, match: NounMatch, core: Word, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read "table O24", "food items", "bedroom floor", "bedroom table"."""
        if isinstance(match.head, ElementName) or not core.token <= match.end < len(self._tokens):
            return
        following = self._get(match.end)
        floor = following in ("floor", "floors") and "floor" not in self._lexicon.words
        if following in _GENERAL or (floor and match.head.type == "room"):
            yield self._name(blank, place, match.end + 1, match, match.degree)
        for named in self._lexicon.find_nouns(self._tokens, match.end):
            if named.end <= core.token:
                continue
            if isinstance(named.head, ElementName):
                if named.head.name in match.head.members:
                    yield self._name(blank, place, named.end, named)
            elif match.head.type == "room" and match.head.members and named.head.members:
                where = NounPhrase(place, match.end, match.head, Determiner.THE)
                said = Predication(None, {PLACE: where}, THEME, "in")
                located = replace(blank, qualities=(*blank.qualities, said))
                degree = match.degree * named.degree * _LOCATED
                yield self._name(located, place, named.end, named, degree)

    def _is_thing_noun(self, place: int) -> bool:
        """Return True for "thing" and the like, and "item" where the domain has no such type."""
        text = self._get(place)
        if text in ("item", "items"):
            noun = self._lexicon.find_noun("item")
            return not self._lexicon.has_type("item") and not (noun and noun.members)
        return text in THING_NOUNS

    def _read_general(
        self, place: int, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read "thing", and "furniture" and "part" where nothing is called so: anything."""
        text = self._get(place)
        part = text in _PARTS and not self._lexicon.find_nouns(self._tokens, place)
        known = self._lexicon.find_noun(text) if text in _FURNITURE else None
        furniture = text in _FURNITURE and not (known and known.members)
        if self._is_thing_noun(place) or part or furniture:
            use = self._use(place, place + 1, WordRole.THING, "thing")
            plural = text.endswith("s") or text == "stuff"
            uses = (*blank.uses, use)
            anything = replace(blank, end=place + 1, head=Reference.THING, plural=plural, uses=uses)
            yield from self._close_many(anything, opening)

    def _read_measure(
        self, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read "(two) pieces of clothing", "(the) carton of milk": the noun behind "of"."""
        place, inner = core.token, self._spans.find_of(core)
        singular = core.text if core.text in MEASURES else core.lemma
        if inner is None or singular not in MEASURES or self._get(place + 1) != "of":
            return
        known = self._lexicon.find_noun(singular)
        present = known is not None and bool(known.members) and singular not in _SORTS
        degree = _MEASURE_PRESENT if present else _MEASURED
        cut = self._adjectives.read_cut(singular, place, place + 2)
        if cut is None:
            cut = Adjectives(uses=(self._use(place, place + 2, WordRole.FILLER),), degree=degree)
        measured = cut.add_to(blank, place + 2)
        several = core.text != singular
        after = replace(opening, end=place + 2, definite=False, partitive=False, many=False)
        both = opening.determiner is Determiner.BOTH
        if both and several:  # however many kinds of soap there are
            two = Quantity(value=2)
            measured = replace(measured, determiner=Determiner.THE, number=two)
        for begin in range(place + 2, inner.token + 1):
            for said in self._adjectives.describe(place + 2, begin):
                described = said.add_to(measured, begin)
                named = self._read_nouns(begin, inner, after, described)
                general = self._read_general(begin, after, described)
                for phrase in (*named, *(general if self._get(begin) in _FURNITURE else ())):
                    whole = replace(phrase, plural=several)
                    yield from self._close_many(whole, opening)

    def _read_cut(
        self, place: int, core: Word, opening: NounOpening, blank: NounPhrase
    ) -> Iterator[NounPhrase]:
        """Read "(two) apple slices": sliced apples, where the domain has a word for that."""
        cut = self._adjectives.read_cut(core.lemma, core.token, core.token + 1)
        if cut is None:
            return
        for match in self._lexicon.find_nouns(self._tokens, place):
            if match.end == core.token:
                named = self._name(blank, place, match.end, match, match.degree)
                whole = replace(cut.add_to(named, core.token + 1), plural=core.text != core.lemma)
                yield from self._close_many(whole, opening)

    def _read_contents(self, place: int, blank: NounPhrase) -> Iterator[NounPhrase]:
        """Read "(previous) contents of the shelf": all that is in something initially."""
        if self._get(place) != "contents":
            return
        use = self._use(place, place + 1, WordRole.THING, "what is in it")
        anything = NounPhrase(place + 1, place + 1, Reference.THING, Determiner.A)
        inner: list[tuple[int, Phrase]] = [(place + 1, anything)]
        if self._get(place + 1) == "of":
            inner = self._chart.parse_phrases(place + 2, 1)
        for end, where in inner:
            said = Predication(None, {PLACE: where}, THEME, "in")
            yield replace(
                blank,
                end=end,
                head=Reference.THING,
                determiner=Determiner.ALL,
                qualities=(*blank.qualities, said),
                uses=(*blank.uses, use, *list_phrase_uses(where)),
                degree=blank.degree * where.degree,
            )

    def _read_listed(self, opening: NounOpening, blank: NounPhrase) -> Iterator[NounPhrase]:
        """Read "(one of) the mug and the bowl"."""
        place = opening.end + (not opening.partitive)
        for end, group in self._chart.parse_phrases(place, 1):
            parts = group.parts if isinstance(group, Coordination) else ()
            simple = tuple(replace(one, uses=()) for one in parts if isinstance(one, NounPhrase))
            plurals = sum(part.plural for part in simple)
            every = len(parts) if opening.number is not None else 0
            if not parts or len(simple) < len(parts) or plurals not in (0, every):
                continue
            uses = (*blank.uses, *list_phrase_uses(group))
            listed, degree = Listed(simple), group.degree
            yield replace(blank, end=end, head=listed, plural=True, uses=uses, degree=degree)

    def _close_many(self, phrase: NounPhrase, opening: NounOpening) -> Iterator[NounPhrase]:
        """Read "as possible" behind "as many mugs"; `tails` does so behind what is said of them."""
        if not opening.many:
            yield phrase
            return
        yield from close_many(self._chart, phrase)
        yield replace(phrase, degree=phrase.degree * 0.5)


def close_many(chart: SetParser, phrase: NounPhrase) -> Iterator[NounPhrase]:
    """Yield a phrase with "as possible" behind it, if that is there."""
    end = MANY_CLOSED.find_end(chart.tokens, phrase.end)
    if end > phrase.end:
        use = chart.describe_use(phrase.end, end, WordRole.QUANTITY)
        yield replace(phrase, end=end, uses=(*phrase.uses, use))
