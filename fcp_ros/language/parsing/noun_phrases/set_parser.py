# SPDX-License-Identifier: Apache-2.0
"""Noun phrases for sets: "the parts of a shed", "all that is needed to build a shed", "a shed"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.english.function_words import ARTICLES
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.wholes import MAKING_VERBS, NEED_PHRASES, NEEDED, PART_LINKS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.parsing.noun_phrases.modifier_parser import ModifierParser
from fcp_ros.language.parsing.noun_phrases.quantities import NounOpening, read_number
from fcp_ros.language.parsing.set_index import SetMention
from fcp_ros.language.parsing.trees import Determiner, Noun, NounPhrase, Quantity
from fcp_ros.language.reading import WordRole

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
