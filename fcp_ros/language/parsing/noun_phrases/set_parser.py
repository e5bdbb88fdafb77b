# SPDX-License-Identifier: Apache-2.0
"""States, places and purposes that are said of something; noun phrases for sets.

Sets: "the parts of a shed", "all that is needed to build a shed", "a shed".
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from fcp_ros.language.english.function_words import ARTICLES, PREPOSITIONS, SEQUENCE
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.states import MAKING_VERBS, NEED_PHRASES, NEEDED, PART_LINKS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.parsing.meanings import SetMention, match_word
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import (
    DEEPEST,
    MOST_TREES,
    PatternMatcher,
)
from fcp_ros.language.parsing.noun_phrases.quantities import NounOpening, match_words, read_number
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Coordination,
    Determiner,
    Noun,
    NounPhrase,
    Predication,
    Quantity,
    Reference,
)
from fcp_ros.language.reading import WordRole

_WHOLE_PLACE = 0.8
"""Degree of "inside" for a place that was said itself, not what is there."""
_LOOSE = gather_words("somewhere anywhere someplace right straight directly safely up down over")
"""Words before a preposition without a meaning of their own."""
_VAGUE_HEADS = (Reference.THING, Reference.ONE)
_STANDING = PhraseSet("(standing|lying|sitting|placed|located|kept)")
NOW = PhraseSet(
    "[right] now",
    "at (the moment|present|the beginning)",
    "(so far|currently|already|before)",
    "(initially|originally)",
)
WHERE = "where"
"""Preposition of a place that is that of something else."""
_PLACE_NOUNS = PhraseSet("[old|current|present] place", "(spot|position|location)")
_PLACE_NAMES = PhraseSet(
    "[the [same|very]] [old|current|present] place", "[the [same|very]] (spot|position|location)"
)
_EXCEPT = PhraseSet("[but] not", "(except [for]|but|other than|apart from|besides)")
_IS_SOMEWHERE = gather_words("is are am was were stands stand lies lie sits sit stood lay sat 's")


class ModifierParser(PatternMatcher):
    """A chart of what may be said of something from a token on."""

    def parse_modifiers(self, start: int, depth: int = 0) -> list[tuple[int, Predication]]:
        """Return what may be said of something from a token on: states, places, purposes."""
        key = (start, depth)
        if start >= len(self.tokens) or depth > DEEPEST + 1:
            return []
        if key not in self._modifiers:
            self._modifiers[key] = []
            self._check()
            found = list(self._parse_places(start, depth))
            found += self._parse_patterns(start, depth)
            found.sort(key=lambda pair: (-pair[1].degree, -pair[0]))
            self._modifiers[key] = found[: 2 * MOST_TREES]
        return self._modifiers[key]

    def _parse_places(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        yield from self._parse_loose_place(start, depth)
        yield from self._parse_there(start)
        yield from self._parse_bare_preposition(start)
        yield from self._parse_places_of(start, depth)
        yield from self._parse_elsewhere(start, depth)
        yield from self._parse_either_place(start, depth)
        yield from self._parse_prepositional(start, depth)

    def _parse_loose_place(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read "somewhere in the kitchen" and the like."""
        following = self.get_text(start + 1)
        placed = (following,) in PREPOSITIONS or following in _LOOSE
        if self.get_text(start) in _LOOSE and placed:
            use = self.describe_use(start, start + 1, WordRole.FILLER)
            for end, said in self.parse_modifiers(start + 1, depth):
                if said.preposition:
                    yield end, replace(said, uses=(use, *said.uses))

    def _parse_there(self, start: int) -> Iterator[tuple[int, Predication]]:
        """Read "there", "back there", "in here with me"."""
        for word, reference in (("there", Reference.THERE), ("here", Reference.HERE)):
            before = next(
                (w for w in ("back", "in", "on") if match_words(self.tokens, start, (w, word))), ""
            )
            if self.get_text(start) != word and not before:
                continue
            end = start + (2 if before else 1)
            if word == "here" and match_words(self.tokens, end, ("with", "me")):
                end += 2
            use = self.describe_use(start, end, WordRole.THING, word)
            place = NounPhrase(start, end, reference, Determiner.THE)
            preposition = before if before in ("in", "on") else "at"
            said = Predication(None, {PLACE: place}, THEME, preposition, uses=(use,))
            yield end, replace(said, degree=0.97)

    def _parse_bare_preposition(self, start: int) -> Iterator[tuple[int, Predication]]:
        """Read "inside", "in", "on" at the end of a clause: in or on what was spoken of."""
        if self.get_text(start) in ("inside", "in", "on") and self.ends_clause(start + 1):
            use = self.describe_use(start, start + 1, WordRole.THING, "there")
            preposition = PREPOSITIONS[(self.get_text(start),)]
            # a shelf that was brought somewhere, rather than the room where it was brought
            for head, degree in ((Reference.IT, 0.9), (Reference.THERE, _WHOLE_PLACE)):
                place = NounPhrase(start, start + 1, head, Determiner.THE)
                said = Predication(None, {PLACE: place}, THEME, preposition, uses=(use,))
                yield start + 1, replace(said, degree=degree)

    def _parse_prepositional(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read a preposition of place with its noun phrase."""
        for after, preposition in self.match_preposition(start):
            if preposition in ("for", "with"):
                continue
            use = self.describe_use(start, after, WordRole.ACTION, self.get_text(start))
            for end, phrase in self.parse_phrases(after, depth + 1):
                is_vague = isinstance(phrase, NounPhrase) and phrase.head in _VAGUE_HEADS
                if is_vague and preposition == "to":
                    continue
                yield (
                    end,
                    Predication(
                        None,
                        {PLACE: phrase},
                        THEME,
                        preposition,
                        source=preposition == "from",
                        degree=phrase.degree,
                        uses=(use,),
                    ),
                )

    def _parse_either_place(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read "(either) on the couch or on the table"."""
        if not self._has_alternative:
            return
        opened = start + (self.get_text(start) == "either")
        for after, preposition in self.match_preposition(opened):
            if preposition in ("for", "with", "from"):
                continue
            for end, first in self.parse_simple(after, depth + 1):
                if self.get_text(end) != "or":
                    continue
                for again, same in self.match_preposition(end + 1):
                    if same != preposition:
                        continue
                    for last, second in self.parse_simple(again, depth + 1):
                        where = Coordination(
                            (first, second), True, (), first.degree * second.degree
                        )
                        use = self.describe_use(opened, after, WordRole.ACTION, preposition)
                        joint = self.describe_use(end, again, WordRole.ACTION, "or")
                        said = Predication(None, {PLACE: where}, THEME, preposition)
                        yield last, replace(said, uses=(use, joint), degree=where.degree)

    @cached_property
    def _has_alternative(self) -> bool:
        return any(token.text == "or" for token in self.tokens)

    def _parse_elsewhere(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read "anywhere except on the table": not there."""
        if self.get_text(start) not in ("anywhere", "somewhere", "elsewhere"):
            return
        place = start + 1 + (self.get_text(start + 1) == "else")
        end = _EXCEPT.find_end(self.tokens, place)
        if end == place:
            return
        use = self.describe_use(start, end, WordRole.LIMIT, "not")
        for after, said in self._parse_places(end, depth):
            if said.preposition and not said.source:
                yield after, replace(said, negated=True, uses=(use, *said.uses))
        for after, phrase in self.parse_phrases(end, depth + 1):
            said = Predication(None, {PLACE: phrase}, THEME, "from", True, uses=(use,))
            yield after, replace(said, degree=phrase.degree)

    def _parse_places_of(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        """Read "where the mug is now", "in the mug's place", "to the place of the mug"."""
        prepositions = [after for after, _ in self.match_preposition(start)]
        for place in dict.fromkeys((start, *prepositions)):
            named = _PLACE_NAMES.find_end(self.tokens, place)
            if named > place and self.get_text(named) in ("of", "as"):
                for end, phrase in self.parse_simple(named + 1, depth + 1):
                    yield from self._make_place_of(start, end, phrase)
            if self.get_text(named) == "where":
                for end, phrase, _ in self.parse_whereabouts(named + 1, depth):
                    yield from self._make_place_of(start, end, phrase)
            if place > start and self._has_genitive:
                for end, phrase in self.parse_simple(place, depth + 1):
                    owned = _PLACE_NOUNS.find_end(self.tokens, end + 1)
                    if self.get_text(end) == "'s" and owned > end + 1:
                        yield from self._make_place_of(start, owned, phrase)

    @cached_property
    def _has_genitive(self) -> bool:
        return any(token.text == "'s" for token in self.tokens)

    def _make_place_of(
        self, start: int, end: int, phrase: NounPhrase
    ) -> Iterator[tuple[int, Predication]]:
        if phrase.head in (Reference.IT, Reference.THEM, Reference.ONE, Reference.SPEAKER):
            return  # back to its own place; to who speaks
        use = self.describe_use(start, end, WordRole.ACTION, "where something is")
        yield (
            end,
            Predication(
                None, {PLACE: phrase}, THEME, WHERE, degree=phrase.degree * 0.98, uses=(use,)
            ),
        )

    def parse_whereabouts(self, start: int, depth: int) -> Iterator[tuple[int, NounPhrase, str]]:
        """Yield "the mug is now", "the mug stands on": its end, the thing and the preposition."""
        for end, phrase in self.parse_simple(start, depth + 1):
            if self.get_text(end) not in _IS_SOMEWHERE:
                continue
            place = _STANDING.find_end(self.tokens, end + 1)
            yield place, phrase, ""
            if NOW.find_end(self.tokens, place) > place:
                yield NOW.find_end(self.tokens, place), phrase, ""
            for after, preposition in self.match_preposition(place):
                if preposition in ("in", "on", "at"):
                    yield after, phrase, preposition

    @abstractmethod
    def parse_simple(self, start: int, depth: int = 0) -> list[tuple[int, NounPhrase]]:
        """Return the noun phrases with one head that begin at a token."""

    def ends_clause(self, place: int) -> bool:
        """Return True if a clause may end before a token."""
        if place >= len(self.tokens) or self.tokens[place].kind is TokenKind.MARK:
            return True
        return (self.get_text(place),) in SEQUENCE

    def _parse_patterns(self, start: int, depth: int) -> Iterator[tuple[int, Predication]]:
        negated = self.get_text(start) == "not"
        first = start + negated
        for word in self._list_first_words(first):
            phrases = self.patterns.find_modifiers(word)
            for pattern, match in self.match_phrases(phrases, first, depth):
                uses = match.uses
                if negated:
                    use = self.describe_use(start, first, WordRole.LIMIT, "not")
                    uses = (use, *uses)
                yield (
                    match.end,
                    Predication(
                        pattern.meaning,
                        match.arguments,
                        pattern.subject,
                        negated=negated,
                        attributive=pattern.is_adjective,
                        degree=pattern.degree * match.degree,
                        uses=uses,
                    ),
                )

    def _list_first_words(self, start: int) -> list[str]:
        """List the words that a modifier may begin with at a token."""
        text = self.get_text(start)
        if not text or self.tokens[start].kind is not TokenKind.WORD:
            return []
        found = [text] if text in self.patterns.modifiers else []
        if self._match_ability(start) > start and "to" in self.patterns.modifiers:
            found.append("to")
        if not found:
            found = [w for w in self.patterns.modifiers if w != text and match_word(text, w)]
            near = self.lexicon.is_near_phrase_word(text)
            if not found and near in self.patterns.modifiers:
                found = [near]
        return found


_WHOLE = 0.97
"""Degree of a whole that stands for its parts: "put the shed in the garden"."""
_EACH = (Determiner.ALL, Determiner.THE, Determiner.BARE, Determiner.EACH)
_DESCRIPTIONS = gather_words("new whole own entire single simple") | NEEDED
_OWNERS = ARTICLES | gather_words("my our your this that one another")


class SetParser(ModifierParser):
    """A reader of sets as heads of noun phrases, and of what is said of them elsewhere."""

    def read_set_head(
        self, start: int, place: int, opening: NounOpening
    ) -> Iterator[tuple[int, NounPhrase]]:
        """Yield the phrases whose head is a set or its parts, from its first word on."""
        if not self.patterns.sets.sets:
            return
        blank = NounPhrase(
            start, place, self._make_union("", ()), opening.determiner, opening.number
        )
        for end, said in self._match_whole(place):
            parts = self.patterns.sets.match_part(self.tokens, end, said.given)
            if parts is None:
                yield from self._close_whole(place, end, said, blank)
                continue
            for after, whole in ((parts[0], said), *self._list_complements(parts[0], said)):
                yield from self._close_parts(place, after, whole, blank, parts[1])
        parts = self.patterns.sets.match_part(self.tokens, place, None)
        if parts is not None:
            for after, whole in self.read_purpose(parts[0]):
                yield from self._close_parts(place, after, whole, blank, parts[1])
            if self.is_set_needed(opening.end, place):
                only = SetMention(next(one for one in self.patterns.sets.sets if one.parts))
                yield from self._close_parts(place, parts[0], only, blank, parts[1])
        if place == opening.end > start and opening.determiner is Determiner.ALL:
            yield from self.read_set_behind(start, place)

    def is_set_needed(self, start: int, end: int) -> bool:
        """Return True if adjectives say that things are needed, and for one set only."""
        needed = any(self.get_text(place) in NEEDED for place in range(start, end))
        return needed and sum(bool(one.parts) for one in self.patterns.sets.sets) == 1

    def is_part_noun(self, head: object) -> bool:
        """Return True for a noun for the parts of any set."""
        return isinstance(head, Noun) and head.said in self.patterns.sets.part_nouns

    def read_set_behind(self, start: int, place: int) -> Iterator[tuple[int, NounPhrase]]:
        """Yield "everything" and the like with the whole that is named behind it."""
        anything = NounPhrase(start, place, self._make_union("", ()), Determiner.ALL)
        for end, whole in self.read_purpose(place):
            yield from self._close_parts(start, end, whole, anything, True)

    def read_purpose(self, start: int) -> Iterator[tuple[int, SetMention]]:
        """Read the whole behind its parts: "of a shed", "that I need to build a new shed"."""
        if not self.patterns.sets.sets:
            return
        for place in dict.fromkeys((start, NEED_PHRASES.find_end(self.tokens, start))):
            after = PART_LINKS.find_end(self.tokens, place)
            if after > place:
                yield from self._read_whole(after)
                yield from self._read_making(after)
            if self.get_text(place) == "to":
                yield from self._read_making(place + 1)

    # --- the words of a whole

    def _match_whole(self, start: int) -> Iterator[tuple[int, SetMention]]:
        """Yield a whole with the words that belong to it before and behind its noun."""
        for one in self.patterns.sets.sets:
            place, more = self._skip_more(start, one.name)
            for end, given in self.patterns.sets.match_whole(self.tokens, place):
                if given is not one:
                    continue
                said = SetMention(given, more)
                after, behind = self._skip_more(end, one.name)
                if after > end:
                    yield after, replace(said, more=more | behind)
                yield end, said
                break

    def _skip_more(self, start: int, name: str) -> tuple[int, frozenset[int]]:
        """Return the end of the extensions of a set that are said at a token, and which."""
        place, more = start, set[int]()
        for _ in range(3):
            found = next(self.patterns.sets.match_more(self.tokens, place, name), None)
            if found is None and self.get_text(place) in _DESCRIPTIONS and place == start:
                place += 1
                continue
            if found is None:
                break
            place = found[0]
            more.add(found[1])
        return (place, frozenset(more)) if more or place > start else (start, frozenset())

    def _read_whole(self, start: int) -> Iterator[tuple[int, SetMention]]:
        """Read a whole with its article or number."""
        count = read_number(self.tokens, start)
        if count is not None and count[1] > 0:
            for end, said in self._match_whole(count[0]):
                yield end, replace(said, number=count[1])
        if self.get_text(start) in _OWNERS:
            yield from self._match_whole(start + 1)
        else:
            yield from self._match_whole(start)

    def _read_making(self, start: int) -> Iterator[tuple[int, SetMention]]:
        """Read "build a shed", "putting a shed together"."""
        verb = next((v for v in list_stems(self.get_text(start)) if v in MAKING_VERBS), "")
        if not verb:
            return
        particle, after = MAKING_VERBS[verb], start + 1
        if particle and self.get_text(after) == particle:
            yield from self._read_whole(after + 1)
            return
        for end, said in self._read_whole(after):
            yield end + bool(particle and self.get_text(end) == particle), said

    # --- phrases

    def _list_complements(self, start: int, said: SetMention) -> list[tuple[int, SetMention]]:
        """List the same whole named again: "shed parts to build a shed"."""
        found = self.read_purpose(start)
        return [(end, said.join(other)) for end, other in found if other.given is said.given]

    def _close_whole(
        self, place: int, end: int, said: SetMention, blank: NounPhrase
    ) -> Iterator[tuple[int, NounPhrase]]:
        single = (Determiner.A, Determiner.THE, Determiner.BARE)
        if blank.determiner not in single or (blank.number and blank.number.share):
            return
        use = self.describe_use(place, end, WordRole.THING, said.given.name)
        phrase = self._name_kinds(blank, said)
        number = blank.number if blank.number and blank.number.value != 1 else phrase.number
        yield end, replace(phrase, number=number, uses=(use,), degree=_WHOLE)

    def _close_parts(
        self, place: int, end: int, said: SetMention, blank: NounPhrase, plural: bool
    ) -> Iterator[tuple[int, NounPhrase]]:
        use = self.describe_use(place, end, WordRole.THING, f"part of {said.given.name}")
        number = blank.number
        whole = blank.determiner in _EACH and (plural or blank.determiner is Determiner.EACH)
        if number is not None and number.value == len(said.members) and number.share is None:
            number = None if blank.determiner is Determiner.THE else number
        if whole and number is None:
            yield end, replace(self._name_kinds(blank, said), uses=(use,))
            return
        union = self._make_union(f"part of {said.given.name}", said.members)
        yield (
            end,
            replace(blank, head=union, set_name=said.given.name, plural=plural, uses=(use,)),
        )

    def _name_kinds(self, phrase: NounPhrase, said: SetMention) -> NounPhrase:
        """Return a phrase for one of each kind of a set."""
        return replace(
            phrase,
            head=self._make_union(said.given.name, said.members),
            determiner=Determiner.ALL,
            number=Quantity(value=said.number) if said.number > 1 else None,
            kinds=self._list_kinds(said.members),
            set_name=said.given.name,
            plural=True,
        )

    def _list_kinds(self, members: tuple[str, ...]) -> tuple[Noun, ...]:
        found = (self.lexicon.find_noun(member) for member in members)
        return tuple(noun for noun in found if noun is not None)

    def _make_union(self, said: str, members: tuple[str, ...]) -> Noun:
        """Return a noun for anything of some kinds."""
        kinds = self._list_kinds(members)
        labels = tuple(dict.fromkeys(label for kind in kinds for label in kind.labels))
        names = dict.fromkeys(name for kind in kinds for name in kind.members)
        return Noun(said, labels, self.lexicon.find_common_type(labels), tuple(names))
