# SPDX-License-Identifier: Apache-2.0
"""Clauses by which something shall be somewhere: "put | the mug | on the table"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.verbs import REMOVE_VERBS
from fcp_ros.language.learned_reader.nucleus import (
    BEING,
    DEICTIC,
    LASTING,
    PLACED,
    Nucleus,
    Placing,
    PlacingFinder,
    SpokenPlace,
    goes_on,
    list_uses,
)
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.learned_reader.repetition import repeat_phrase
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Argument,
    Coordination,
    Determiner,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    SpokenClause,
    collect_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Word

_IT = NounPhrase(0, 0, Reference.IT, Determiner.THE)


class PlaceReader:
    """A reader of clauses by which something shall be somewhere."""

    def __init__(self, parsed: ParsedInstruction, phrases: LearnedPhrases) -> None:
        self._places = parsed.places
        self._schema = parsed.context.domain.schema
        self._phrases = phrases
        self._finder = PlacingFinder(self._bars)

    def read_noun(
        self,
        said: Nucleus,
        word: Word,
        without: tuple[Word, ...] = (),
        type_: str = "",
        beside: tuple[Word, ...] = (),
    ) -> Phrase | None:
        """Read the phrase of a noun, without what has a part of its own in the clause.

        Args:
            beside: clauses elsewhere that are said of it.
        """
        barred, more = (frozenset(one.place for one in words) for words in (without, beside))
        phrase = self._phrases.read(said.tree, word.place, type_, barred, more)
        if not isinstance(phrase, Coordination):
            return phrase
        starts = {one.start for one in without}
        own = [p for p in phrase.parts if not starts & {u.start for u in collect_phrase_uses(p)}]
        if len(own) <= 1:
            return own[0] if own else None
        return replace(phrase, parts=tuple(own)) if len(own) < len(phrase.parts) else phrase

    def read_place(
        self, said: Nucleus, word: Word, without: tuple[Word, ...] = ()
    ) -> Phrase | None:
        """Read the phrase of a noun, also "there"."""
        head = DEICTIC.get(word.text)
        if head is None:
            return self.read_noun(said, word, without)
        return NounPhrase(word.token, word.token + 1, head, Determiner.THE)

    def make_place(
        self,
        said: Nucleus,
        theme: Phrase,
        where: SpokenPlace,
        without: tuple[Word, ...] = (),
        inner: Sequence[SpokenPlace] = (),
    ) -> Predication | None:
        """Make the condition that something is somewhere; None if that makes no sense.

        Args:
            inner: where that place is: "(on the table) | in the kitchen".
        """
        place = self.read_place(said, where.noun, without)
        content = next((p for p in said.places if p.preposition == "with"), None)
        if content is not None and isinstance(place, NounPhrase):
            place = self._tell_by_content(said, place, content)
        for further in inner:
            place = self.add_place(said, place, further) if place is not None else None
        if place is None or where.preposition not in PLACED:
            return None
        types = self._phrases.list_types(theme), self._phrases.list_types(place)
        loose = where.preposition in ("near", "where")
        if not loose and all(types) and self._places.choose(where.preposition, *types) is None:
            return None
        degree = theme.degree * place.degree
        return Predication(
            None,
            {THEME: theme, PLACE: place},
            preposition=where.preposition,
            uses=list_uses(where.words, WordRole.ACTION, where.preposition),
            degree=degree,
        )

    def _tell_by_content(
        self, said: Nucleus, place: NounPhrase, content: SpokenPlace
    ) -> NounPhrase:
        """Say of a place what is there: "(to the room) | with the desk"."""
        things = self.read_noun(said, content.noun)
        several = isinstance(place.head, Noun) and len(place.head.members) > 1
        if not (several and isinstance(things, NounPhrase)):
            return place
        if not self._phrases.is_there(things, place):
            return place
        uses = list_uses(content.words, WordRole.QUALITY, "what is there")
        there = Predication(None, {THEME: things}, PLACE, "from", degree=things.degree, uses=uses)
        own = (*place.uses, *uses, *collect_phrase_uses(things))
        return replace(place, qualities=(*place.qualities, there), uses=own)

    def place(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "put | the mug | on the table", "the mug belongs | on the table"."""
        parts = self._finder.find(said)
        if parts is None:
            return
        barred = tuple(w for w in parts.roots if w != parts.word)
        apart = self._find_apart(said, parts)
        theme = self.read_noun(said, parts.word, barred, beside=apart)
        if theme is None:
            return
        if not parts.goals and not parts.barred:
            yield from self._remove(said, theme, parts)
            return
        for source in (*parts.sources[:1], *parts.described):
            theme = self.add_place(said, theme, source)
        theme = self.join(said, theme, parts.early, tuple(parts.roots))
        if theme is None:
            return
        one = self._place_first(said, theme, parts, apart)
        if one is None and not parts.barred:
            return
        if one is not None:
            one, outer = self._split_place(one)
            yield self.make(said, parts.act, one)
            if outer is not None:
                yield self._make_more(parts.act, outer, said.lemma)
        yield from self._place_again(said, theme, parts, placed=one is not None)
        yield from self._place_others(said, parts, one)

    def _bars(self, said: Nucleus, thing: Word, where: SpokenPlace, place: Word) -> bool:
        """Return True if no relation says of a thing that it is at a place."""
        one = self.read_place(said, thing, (where.root,))
        two = self.read_place(said, place)
        if one is None or two is None:
            return False
        types = self._phrases.list_types(one), self._phrases.list_types(two)
        return all(types) and self._places.choose(where.preposition, *types) is None

    def _find_apart(self, said: Nucleus, parts: Placing) -> tuple[Word, ...]:
        """Find the clause behind a place that can't be said of it, but of the thing before it.

        "Put something on the couch | that I can drink from".
        """
        noun = parts.goals[0].noun if parts.goals else None
        clause = said.tree.find_child(noun.place, "relcl") if noun is not None else None
        if noun is None or clause is None or clause.is_inserted or noun.place < parts.word.place:
            return ()
        place = self.read_noun(said, noun)
        if place is None or _covers(place, clause):
            return ()
        barred = tuple(w for w in parts.roots if w != parts.word)
        theme = self.read_noun(said, parts.word, barred, beside=(clause,))
        return (clause,) if theme is not None and _covers(theme, clause) else ()

    def _place_first(
        self, said: Nucleus, theme: Phrase, parts: Placing, apart: tuple[Word, ...]
    ) -> Predication | None:
        """Say where the thing shall be at first, and where that place is."""
        if not parts.goals:
            return None
        where, *further = parts.goals
        inner = [p for p in further if not goes_on(said, p) and where.preposition != "where"]
        others = tuple(word for word in (*parts.roots, *apart) if word is not where.root)
        return self.make_place(said, theme, where, others, inner)

    def _place_again(
        self, said: Nucleus, theme: Phrase, parts: Placing, placed: bool
    ) -> Iterator[SpokenClause]:
        """Read "(on the table) and afterwards | in the fridge", "(on the table,) not | on it"."""
        again = repeat_phrase(theme)
        for further in parts.goals[1:]:
            if goes_on(said, further):
                one = self.make_place(said, again, further)
                if one is not None:
                    yield self._make_more(parts.act, one, said.lemma)
        for place in parts.barred:
            one = self.make_place(said, again if placed else theme, place)
            if one is not None:
                clause = self._make_more(Act.STATE, one, "")
                before = said.tree.words[max(0, place.words[0].place - 2) : place.words[0].place]
                words = [w for w in before if w.text in ("not", "anywhere", "but", "except")]
                no = list_uses(words, WordRole.LIMIT, "not")
                yield replace(clause, negated=True, uses=(*clause.uses, *no))

    def _place_others(
        self, said: Nucleus, parts: Placing, one: Predication | None
    ) -> Iterator[SpokenClause]:
        """Read "and | the book | on the couch", and what goes to the same place: "and the book"."""
        nouns = [one for one, _ in parts.pairs]
        for other, there in parts.pairs:
            further = (one for one in nouns if one is not other)
            moved = self.read_noun(said, other, (there.root, *further))
            placed = self.make_place(said, moved, there) if moved is not None else None
            if placed is not None:
                yield self._make_more(parts.act, placed, said.lemma)
        where = one.arguments[PLACE] if one is not None else 0
        if one is None or isinstance(where, int):
            return
        for other in parts.joined:
            moved = self.read_noun(said, other) if other not in parts.early else None
            if moved is not None:
                arguments: dict[str, Argument] = {THEME: moved, PLACE: repeat_phrase(where)}
                same = replace(one, arguments=arguments, uses=())
                yield self._make_more(parts.act, same, said.lemma)

    def _split_place(self, one: Predication) -> tuple[Predication, Predication | None]:
        """Split "(a potato) in a pot | in the fridge", unless a pot is there that may be meant."""
        place = one.arguments[PLACE]
        if not isinstance(place, NounPhrase):
            return one, None
        for quality in place.qualities:
            where = quality.arguments.get(PLACE)
            placed = quality.meaning is None and quality.subject == THEME
            if not placed or not isinstance(where, NounPhrase) or quality.negated or quality.source:
                continue
            types = self._phrases.list_types(place), self._phrases.list_types(where)
            chosen = self._places.choose(quality.preposition, *types) if all(types) else None
            if chosen is None or quality.preposition not in ("in", "on"):
                continue
            relation = chosen.meaning.name
            if self._schema.has_relation(relation) and self._schema.relation(relation).static:
                continue
            if self._phrases.is_there(place, where):
                continue
            kept = tuple(q for q in place.qualities if q is not quality)
            inner = replace(one, arguments={**one.arguments, PLACE: replace(place, qualities=kept)})
            arguments = {THEME: repeat_phrase(replace(place, qualities=kept)), PLACE: where}
            return inner, Predication(None, arguments, preposition=quality.preposition)
        return one, None

    def place_same(self, said: Nucleus, same: NounPhrase = _IT) -> Iterator[SpokenClause]:
        """Read "(the milk to the table, then) back | into the fridge", "(the milk,) put | there".

        Args:
            same: speaks of what was named before.
        """
        one = self.make_place(said, same, said.places[0])
        if one is not None:
            clause = self.make(said, Act.STATE, one)
            back = list_uses([said.verb], WordRole.ACTION, "back")
            yield replace(clause, uses=(*clause.uses, *back))

    def join(
        self, said: Nucleus, theme: Phrase, others: list[Word], without: tuple[Word, ...]
    ) -> Phrase | None:
        """Join what the parser gave to the verb to a phrase: "the mug | and the bowl"."""
        parts = [theme]
        for other in others:
            phrase = self.read_noun(said, other, tuple(w for w in without if w is not other))
            if phrase is None:
                return None
            parts.append(phrase)
        if len(parts) == 1:
            return theme
        links = [c.text for c in said.tree.list_children(said.verb.place, "cc")]
        degree = min(part.degree for part in parts)
        uses = list_uses(list(said.tree.list_children(said.verb.place, "cc")), WordRole.FILLER, "")
        return Coordination(tuple(parts), "or" in links, uses=uses, degree=degree)

    def _make_more(self, act: Act, one: Predication, verb: str) -> SpokenClause:
        """Make a clause that goes on from the one before it; its verb is left out."""
        uses = [u for a in one.arguments.values() if not isinstance(a, int) for u in _list(a)]
        return SpokenClause(act, (one,), verb=verb, uses=tuple(uses), degree=one.degree)

    def _remove(self, said: Nucleus, theme: Phrase, parts: Placing) -> Iterator[SpokenClause]:
        """Read "take the mug | off the table"."""
        word = parts.word
        if said.lemma not in REMOVE_VERBS | LASTING | BEING and said.lemma:
            return
        attached = [p for p in said.list_behind(word) if p.preposition == "from"]
        sources = parts.sources or attached
        if not sources:
            return
        if attached and sources == attached:
            bare = self.read_noun(said, word, tuple(p.root for p in attached))
            if bare is None:
                return
            theme = bare
        place = self.read_noun(said, sources[0].noun)
        if place is None:
            return
        if isinstance(theme, NounPhrase) and _is_any_thing(theme):
            theme = self.add_place(said, theme, sources[0])  # "take that thing off the table"
        away = Predication(
            None,
            {THEME: theme, PLACE: place},
            preposition="from",
            negated=True,
            uses=list_uses(sources[0].words, WordRole.ACTION, "from"),
            degree=theme.degree * place.degree,
        )
        yield self.make(said, parts.act, away)

    def add_place(self, said: Nucleus, theme: Phrase, source: SpokenPlace) -> Phrase:
        """Say of a thing where it is: "(bring me the mug) | from the shelf"."""
        if isinstance(theme, Coordination):
            parts = tuple(self.add_place(said, part, source) for part in theme.parts)
            return replace(theme, parts=parts)
        place = self.read_noun(said, source.noun)
        if place is None or not isinstance(theme, NounPhrase):
            return theme
        if not self._phrases.may_be(theme, source.preposition, place):
            return theme  # its words stay unread
        uses = list_uses(source.words, WordRole.ACTION, "from")
        from_ = source.preposition == "from"
        there = Predication(
            None, {PLACE: place}, THEME, source.preposition, source=from_, uses=uses
        )
        return replace(theme, qualities=(*theme.qualities, there))

    def make(
        self,
        said: Nucleus,
        act: Act,
        one: Predication,
        verb: str = "",
        negated: bool = False,
    ) -> SpokenClause:
        """Make a clause with the uses of its verb, particles and auxiliaries."""
        words = [said.verb] if said.lemma else []
        words += said.tree.list_children(said.verb.place, "aux", "auxpass", "expl")
        words += [
            w for w in said.tree.list_children(said.verb.place, "advmod") if w.text == "better"
        ]
        words += said.particles
        if said.speaker:
            words += said.tree.list_children(said.verb.place, "nsubj")
        uses = list_uses(words, WordRole.ACTION, act.value)
        for argument in one.arguments.values():
            if not isinstance(argument, int):
                uses = (*uses, *collect_phrase_uses(argument))
        return SpokenClause(
            act, (one,), negated, verb=verb or said.lemma, uses=uses, degree=one.degree
        )


def _is_any_thing(phrase: NounPhrase) -> bool:
    """Return True for "the thing", of which nothing is said."""
    vague = phrase.head is Reference.THING and phrase.determiner is Determiner.THE
    return vague and not (phrase.plural or phrase.qualities or phrase.attributes)


def _covers(phrase: Phrase, word: Word) -> bool:
    """Return True if a word has a part in a phrase."""
    return any(u.start <= word.start and word.end <= u.end for u in collect_phrase_uses(phrase))


def _list(phrase: Phrase) -> tuple[WordUse, ...]:
    return tuple(collect_phrase_uses(phrase))
