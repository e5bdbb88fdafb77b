# SPDX-License-Identifier: Apache-2.0
"""The words behind the head of a noun phrase: relative clauses, participles, places, exceptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from fcp_ros.domain.expressions.syntax import Atom, Expression, Or, Text, Variable, atoms
from fcp_ros.domain.model import IS_A
from fcp_ros.language.english.function_words import ARTICLES
from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.word_lists import gather_phrases, gather_words
from fcp_ros.language.meanings import Meaning, MeaningSource
from fcp_ros.language.parsing.noun_phrases.head_parser import (
    HeadParser,
    list_argument_uses,
    list_phrase_uses,
)
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import DEEPEST
from fcp_ros.language.parsing.noun_phrases.quantities import match_words, read_limit
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Determiner,
    ElementName,
    Noun,
    NounPhrase,
    Predication,
    Reference,
    Words,
)
from fcp_ros.language.reading import WordRole, WordUse

_FROM = 0.93
"""Degree of a thing "from" a place, beside a verb of taking away."""
_DISAGREEING = 0.5
"""Degree of a relative clause whose verb does not fit the number of the noun."""
_OTHER_KIND = 0.4
"""Degree of saying that something is not what no thing of its kind can be."""
_RELATIVES = frozenset(("that", "which", "is", "are"))
_SPOKEN_OF = frozenset(["put", "took", "brought", "set", "found", "got", "left"])
_ATTACHED = 0.98
"""Degree of a place that is said of the thing before it, beside one of the whole clause."""
_NOW = gather_phrases(
    "right now",
    "at the moment",
    "at present",
    "now",
    "currently",
    "already",
    "so far",
    "initially",
    "originally",
    "at the beginning",
    "before",
)
"""Words behind where something is."""
_TAILS = gather_phrases(
    "that there are",
    "that there is",
    "there are",
    "there is",
    "that you can find",
    "that you find",
    "that you can see",
    "that you see",
    "you can find",
    "you can see",
    "you can get",
    "you find",
    "you see",
    "that we have",
    "that i have",
    "we have",
    "i have",
    "that exist",
    "from wherever they are",
    "wherever they are",
    "from wherever it is",
    "wherever it is",
    "wherever you find them",
    "in question",
    "of mine",
    "of ours",
    "again",
)
"""Words behind a noun that say nothing of the things."""
EXCEPT: tuple[tuple[str, ...], ...] = (
    ("with", "the", "exception", "of"),
    ("except", "for"),
    ("apart", "from"),
    ("aside", "from"),
    ("other", "than"),
    ("but", "not"),
    ("and", "not"),
    ("not",),
    ("all", "but"),
    ("just", "not"),
    ("only", "not"),
    ("but", "just", "not"),
    ("not", "counting"),
    ("leaving", "out"),
    ("with", "exception", "of"),
    ("barring",),
    ("except",),
    ("excluding",),
    ("besides",),
    ("but",),
    ("save",),
)
"""Words before what is left out."""
_POSTURES = gather_words(
    "originally initially previously before just recently now lying standing sitting "
    "located placed left stored kept found resting hanging situated lie lies stand stands "
    "sit sits currently still already"
)


_KNOWN_FOR = 0.6
"""Degree of "the mug to drink from": a purpose tells no thing from others."""
_PLACED_PRONOUN = 0.8
"""Degree of "two of them on the table" as two of those that are there."""


class RelativeParser(HeadParser):
    """A reader of what stands behind heads."""

    def extend_phrase(self, phrase: NounPhrase, depth: int) -> Iterator[tuple[int, NounPhrase]]:
        """Yield a noun phrase, and with what is said of it behind its head."""
        begun = [phrase, *self._read_tail(phrase), *self._read_limit(phrase)]
        begun += self._read_same(phrase, depth)
        begun += self._read_label(phrase)
        begun += self._read_included(phrase, depth)
        for one in begun:
            yield one.end, one
        if depth >= DEEPEST:
            return
        frontier, seen = begun, list(begun)
        for _ in range(2):
            longer: list[NounPhrase] = []
            for current in frontier:
                agreeing = self._rate_agreement(current)
                placed_pronoun = current.head is Reference.THEM
                known = current.determiner is Determiner.THE and not current.plural
                for end, said, uses in self.read_behind(current.end, depth):
                    longer.append(
                        replace(
                            current,
                            end=end,
                            qualities=(*current.qualities, said)
                            if said.arguments or said.meaning
                            else current.qualities,
                            uses=(*current.uses, *uses),
                            degree=current.degree
                            * said.degree
                            * agreeing
                            * (_FROM if said.source else _ATTACHED)
                            * (_PLACED_PRONOUN if placed_pronoun else 1.0)
                            * (_KNOWN_FOR if known and _is_purpose(said) else 1.0)
                            * self._rate_kind(current, said),
                        )
                    )
            longer.sort(key=lambda p: (-p.degree, -p.end))
            frontier = longer[:6]
            seen += frontier
            for longer_phrase in frontier:
                yield longer_phrase.end, longer_phrase
            if not frontier:
                break
        for current in seen:
            yield from self._read_exception(current, depth)

    def _read_tail(self, phrase: NounPhrase) -> Iterator[NounPhrase]:
        """Read "(all the cups) you can find": it says nothing of the things."""
        if isinstance(phrase.head, Reference) and phrase.head is not Reference.THING:
            return
        for words in _TAILS:
            if match_words(self.tokens, phrase.end, words):
                end = phrase.end + len(words)
                use = self.describe_use(phrase.end, end, WordRole.FILLER)
                yield replace(phrase, end=end, uses=(*phrase.uses, use))
                return

    def _read_limit(self, phrase: NounPhrase) -> Iterator[NounPhrase]:
        """Read "(two plates) or more", "(one hall), and not more than one,"."""
        if phrase.number is None:
            return
        found = read_limit(self.tokens, phrase.end, phrase.number)
        if found is not None:
            use = self.describe_use(phrase.end, found[0], WordRole.QUANTITY)
            yield replace(phrase, end=found[0], number=found[1], uses=(*phrase.uses, use))

    def _rate_kind(self, phrase: NounPhrase, said: Predication) -> float:
        """Rate "the kitchen that is not the counter" lower: that is said of something else."""
        if said.meaning is None or said.meaning.name != IS_A or not isinstance(phrase.head, Noun):
            return 1.0
        assert said.meaning.goal is not None
        for atom in atoms(said.meaning.goal):
            label = atom.arguments[1]
            kind = self.lexicon.find_noun(label.value) if isinstance(label, Text) else None
            if kind is None or not {*kind.members}.isdisjoint(phrase.head.members):
                return 1.0
        return _OTHER_KIND

    def _rate_agreement(self, phrase: NounPhrase) -> float:
        """Rate "the counter that are ..." lower: something else is meant."""
        comma = self.get_text(phrase.end) == ","
        said, verb = (self.get_text(phrase.end + comma + i) for i in range(2))
        if said not in ("that", "which", "who", "and") or not isinstance(phrase.head, Noun):
            return 1.0
        wrong = ("is", "was", "has") if phrase.plural else ("are", "were", "have")
        return _DISAGREEING if verb in wrong else 1.0

    def read_behind(
        self, start: int, depth: int
    ) -> Iterator[tuple[int, Predication, tuple[WordUse, ...]]]:
        """Yield what is said of something behind its noun: places, states, relative clauses."""
        comma = self.get_text(start) == "," and self.get_text(start + 1) in ("that", "which")
        start += comma
        yield from self._read_where(start, depth)
        place, uses = start, list[WordUse]()
        again = self.get_text(start) == "and" and self.get_text(start + 1) in _RELATIVES
        if again:
            start += self.get_text(start + 1) in ("that", "which")
            place = start + 1
        elif self.get_text(start) in ("that", "which", "who", "whatever"):
            place = start + 1
        if place > start or self.get_text(place) in ("is", "are"):
            if self.get_text(place) in ("is", "are", "was", "were", "has", "have", "been"):
                place += 1
                if self.get_text(place) == "been":
                    place += 1
            elif self.get_text(start) in ("is", "are"):
                return
        negated = False
        while self.get_text(place) in ("not", *_POSTURES):
            if self.get_text(place) == "not":
                negated = True
                uses.append(self.describe_use(place, place + 1, WordRole.LIMIT, "not"))
            place += 1
        if place > start:
            uses.append(self.describe_use(start, place, WordRole.FILLER))
        if self.get_text(start) == "that" and self.get_text(start + 1) in ("you", "i", "we"):
            yield from self._read_mention(start)
        if place > start + 1:
            yield from self._read_kind(place, negated, uses)
        for end, said in self.parse_modifiers(place, depth + 1):
            if comma and self.get_text(end) == ",":
                end += 1
            direction = said.preposition == "to" or self.get_text(place) in ("back", "onto", "into")
            if direction and place == start:
                continue  # not where something is
            one = replace(said, negated=said.negated != negated)
            found = (*uses, *said.uses, *list_argument_uses(said))
            yield end, one, found
            for words in _NOW:
                if match_words(self.tokens, end, words) and (place > start or words != ("before",)):
                    after = end + len(words)
                    yield after, one, (*found, self.describe_use(end, after, WordRole.FILLER))
                    break

    def _read_where(
        self, start: int, depth: int
    ) -> Iterator[tuple[int, Predication, tuple[WordUse, ...]]]:
        """Read "(the room) where the desk is", "that the desk stands in", "in which it is"."""
        text, place, given = self.get_text(start), start + 1, ""
        if text in ("in", "on") and self.get_text(place) == "which":
            place, given = place + 1, text
        elif text not in ("where", "that", "which"):
            return
        for end, phrase, preposition in self.parse_whereabouts(place, depth + 1):
            where = given or preposition or ("from" if text == "where" else "")
            if not where or (given and preposition):
                continue
            said = Predication(None, {THEME: phrase}, PLACE, where, degree=phrase.degree)
            use = self.describe_use(start, end, WordRole.QUALITY, "where something is")
            yield end, said, (use,)

    def _read_included(self, phrase: NounPhrase, depth: int) -> Iterator[NounPhrase]:
        """Read "(all the cups), the glasses included": things that are meant anyway."""
        comma = self.get_text(phrase.end) == ","
        start = phrase.end + comma
        ahead = self.get_text(start) == "including"
        if not isinstance(phrase.head, Noun) or not phrase.plural or not (ahead or comma):
            return
        if not (ahead or self._has_included):
            return
        for end, part in self.parse_simple(start + ahead, depth + 1):
            after = end if ahead else end + 1
            if not isinstance(part.head, Noun) or not (ahead or self.get_text(end) == "included"):
                continue
            if not part.head.members or not set(part.head.members) <= set(phrase.head.members):
                continue
            after += comma and self.get_text(after) == ","
            use = self.describe_use(phrase.end, after, WordRole.FILLER)
            yield replace(phrase, end=after, uses=(*phrase.uses, use))

    @cached_property
    def _has_included(self) -> bool:
        return any(token.text == "included" for token in self.tokens)

    def _read_label(self, phrase: NounPhrase) -> Iterator[NounPhrase]:
        """Read "the bottle that is empty" where the label is "empty bottle"."""
        that, verb, said = (self.get_text(phrase.end + i) for i in range(3))
        if not isinstance(phrase.head, Noun) or verb not in ("is", "are"):
            return
        noun = self.lexicon.find_noun(f"{said} {phrase.head.said}")
        if that in ("that", "which") and noun is not None and noun.members:
            end = phrase.end + 3
            use = self.describe_use(phrase.start, end, WordRole.THING, noun.said)
            yield replace(phrase, end=end, head=noun, uses=(*phrase.uses, use))

    def _read_same(self, phrase: NounPhrase, depth: int) -> Iterator[NounPhrase]:
        """Read "the same room as the desk", "a different room than the desk"."""
        same = self.get_text(phrase.end) == "as" and self.get_text(phrase.start + 1) == "same"
        if not same and not (phrase.other and self.get_text(phrase.end) in ("than", "from")):
            return
        before = PREPOSITIONS.get((self.get_text(phrase.start - 1),), "")
        where = before if before in ("in", "on") else "from"
        for end, other in self.parse_simple(phrase.end + 1, depth + 1):
            said = Predication(
                None, {THEME: other}, PLACE, where, negated=not same, attributive=True
            )
            use = self.describe_use(phrase.end, phrase.end + 1, WordRole.QUALITY, "same")
            yield replace(
                phrase,
                end=end,
                other=False,
                qualities=(*phrase.qualities, said),
                uses=(*phrase.uses, use, *list_phrase_uses(other)),
                degree=phrase.degree * other.degree,
            )

    def _read_kind(
        self, start: int, negated: bool, uses: Sequence[WordUse]
    ) -> Iterator[tuple[int, Predication, tuple[WordUse, ...]]]:
        """Read "(that are) not cups", "(that is) a mug"."""
        place = start + (self.get_text(start) in ARTICLES)
        if place >= len(self.tokens):
            return
        for match in self.lexicon.find_nouns(self.tokens, place):
            if isinstance(match.head, ElementName) or not (match.plural or place > start):
                continue
            atoms = tuple(Atom(IS_A, (Variable(THEME), Text(n))) for n in match.head.labels)
            goal: Expression = Or(atoms) if len(atoms) > 1 else atoms[0]
            meaning = Meaning(IS_A, MeaningSource.RELATION, {THEME: ""}, goal)
            said = Predication(meaning, {}, THEME, negated=negated, degree=match.degree)
            use = self.describe_use(start, match.end, WordRole.THING, match.head.said)
            yield match.end, said, (*uses, use)

    def _read_mention(self, start: int) -> Iterator[tuple[int, Predication, tuple[WordUse, ...]]]:
        """Read "that you just moved": it was spoken of before."""
        place = start + 2
        while self.get_text(place) in ("just", "have", "already", "had", "recently"):
            place += 1
        if self.get_text(place).endswith("ed") or self.get_text(place) in _SPOKEN_OF:
            use = self.describe_use(start, place + 1, WordRole.FILLER)
            yield place + 1, Predication(None, {}, THEME, "", degree=0.97), (use,)

    def _read_exception(self, phrase: NounPhrase, depth: int) -> Iterator[tuple[int, NounPhrase]]:
        start = phrase.end
        if self.get_text(start) == ",":
            start += 1
        single = phrase.determiner in (Determiner.THE, Determiner.A) and not phrase.plural
        if single or isinstance(phrase.head, ElementName):
            return  # nothing can be left out of it
        for words in EXCEPT:
            if match_words(self.tokens, start, words):
                place = start + len(words)
                use = self.describe_use(start, place, WordRole.LIMIT, "except")
                for end, excluded in self.parse_phrases(place, depth + 1):
                    yield (
                        end,
                        replace(
                            phrase,
                            end=end,
                            excluded=(*phrase.excluded, excluded),
                            uses=(*phrase.uses, use, *list_phrase_uses(excluded)),
                            degree=phrase.degree * excluded.degree,
                        ),
                    )
                return


def _is_purpose(said: Predication) -> bool:
    """Return True for what something is good for."""
    graded = said.meaning is not None and said.meaning.source is MeaningSource.GRADED
    return graded and any(
        isinstance(argument, NounPhrase) and isinstance(argument.head, Words)
        for argument in said.arguments.values()
    )
