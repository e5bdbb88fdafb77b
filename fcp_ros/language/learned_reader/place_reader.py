# SPDX-License-Identifier: Apache-2.0
"""Clauses by which something shall be somewhere: "put | the mug | on the table"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset.instance.facts import facts
from fcp_ros.language.domain_reader.reader import ParsedInstruction
from fcp_ros.language.english.verbs import (
    PUT_VERBS,
    REMOVE_VERBS,
)
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.nucleus import (
    Nucleus,
    SpokenPlace,
    find_places,
    list_uses,
    may_name,
)
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
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
)
from fcp_ros.language.parsing.word_uses import collect_phrase_uses
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Word

_BEING = gather_words(
    "be stand lie sit belong go live rest remain stay hang end need want move come"
)
"""Verbs of where the subject shall be."""
LASTING = gather_words("stay remain keep leave")
WANTING = gather_words("want need like love prefer wish have see")
PLACED = gather_words("on in at near under behind before above to where")


_DEICTIC = {"there": Reference.THERE, "here": Reference.HERE}


@dataclass(frozen=True, slots=True)
class _Placing:
    """The parts of a clause by which something shall be somewhere."""

    act: Act
    word: Word  # what shall be there
    goals: list[SpokenPlace]
    sources: list[SpokenPlace]
    barred: list[SpokenPlace]  # where it shall not be
    described: list[SpokenPlace]  # where it is, which says what is meant
    joined: list[Word]  # more things
    pairs: list[tuple[Word, SpokenPlace]]  # more things with a place of their own

    @property
    def roots(self) -> list[Word]:
        """The words above what has a part of its own in the clause."""
        places = (*self.goals, *self.sources, *self.barred, *self.described)
        return [*(p.root for p in places), *self.joined, *(one for one, _ in self.pairs)]

    @property
    def early(self) -> list[Word]:
        """Things that are named before the place."""
        goals = self.goals
        return [one for one in self.joined if not goals or one.place < goals[0].noun.place]


class PlaceReader:
    """A reader of clauses by which something shall be somewhere."""

    def __init__(self, parsed: ParsedInstruction, phrases: LearnedPhrases) -> None:
        self._places = parsed.places
        self._instance = parsed.context.instance
        self._phrases = phrases

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
        head = _DEICTIC.get(word.text)
        if head is None:
            return self.read_noun(said, word, without)
        return NounPhrase(word.token, word.token + 1, head, Determiner.THE)

    def find_movable(self) -> str:
        """Return the type of things that most relations say the place of."""
        types = [place.meaning.types[place.theme] for place in self._places.list_theme_relations()]
        return max(types, key=types.count, default="")

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
        names = place.head.members if isinstance(place.head, Noun) else ()
        if not isinstance(things, NounPhrase) or not isinstance(things.head, Noun):
            return place
        inner = {*things.head.members}
        known = facts(self._instance)
        told = any(f.arguments[0] in inner and f.arguments[-1] in names for f in known)
        if len(names) < 2 or not told:
            return place
        uses = list_uses(content.words, WordRole.QUALITY, "what is there")
        there = Predication(None, {THEME: things}, PLACE, "from", degree=things.degree, uses=uses)
        own = (*place.uses, *uses, *collect_phrase_uses(things))
        return replace(place, qualities=(*place.qualities, there), uses=own)

    def place(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "put | the mug | on the table", "the mug belongs | on the table"."""
        parts = self._find_parts(said)
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
            yield self.make(said, parts.act, one)
        yield from self._place_again(said, theme, parts, placed=one is not None)
        yield from self._place_others(said, parts, one)

    def _find_parts(self, said: Nucleus) -> _Placing | None:
        """Find what shall be somewhere, and where; None if the clause says nothing of the kind."""
        found = self._find_theme(said)
        if found is None:
            return None
        act, word = found
        own = [p for p in said.places if p.preposition in (*PLACED, "from")]
        attached = said.list_behind(word)
        if not said.lemma and word is said.verb:
            own, attached = [p for p in attached if p.preposition in (*PLACED, "from")], []
        barred = [p for p in own if _is_negated(said, p)]
        sources = [p for p in own if p.preposition == "from" and p not in barred]
        goals = [p for p in own if p not in (*sources, *barred)]
        joined, pairs = self._find_joined(said, word, goals)
        if not goals:
            goals = [p for p in attached if p.preposition in PLACED][-1:]
        if not goals and pairs:
            goals = [pairs[-1][1]]  # "the mug and the book | on the table"
            joined, pairs = [*joined, *(one for one, _ in pairs)], []
        goals = [p for p in goals if p.noun.text not in _DEICTIC or p is goals[0]]
        described = goals[:1] if self._says_which(said, goals) else []
        return _Placing(
            act, word, goals[len(described) :], sources, barred, described, joined, pairs
        )

    def _says_which(self, said: Nucleus, goals: Sequence[SpokenPlace]) -> bool:
        """Return True for "(everything) on the counter | on the table": it is there already."""
        if len(goals) < 2 or goals[0].preposition == "where" or _goes_on(said, goals[1]):
            return False
        return self._is_at_none(said, goals[0].noun, goals[1])

    def _is_at_none(self, said: Nucleus, noun: Word, where: SpokenPlace) -> bool:
        """Return True if no relation says of one place that it is at another one."""
        inner = self.read_place(said, noun, (where.root,))
        outer = self.read_place(said, where.noun)
        if inner is None or outer is None:
            return False
        types = self._phrases.list_types(inner), self._phrases.list_types(outer)
        return all(types) and self._places.choose(where.preposition, *types) is None

    def _find_apart(self, said: Nucleus, parts: _Placing) -> tuple[Word, ...]:
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
        self, said: Nucleus, theme: Phrase, parts: _Placing, apart: tuple[Word, ...]
    ) -> Predication | None:
        """Say where the thing shall be at first, and where that place is."""
        if not parts.goals:
            return None
        where, *further = parts.goals
        inner = [p for p in further if not _goes_on(said, p) and where.preposition != "where"]
        others = tuple(word for word in (*parts.roots, *apart) if word is not where.root)
        return self.make_place(said, theme, where, others, inner)

    def _place_again(
        self, said: Nucleus, theme: Phrase, parts: _Placing, placed: bool
    ) -> Iterator[SpokenClause]:
        """Read "(on the table) and afterwards | in the fridge", "(on the table,) not | on it"."""
        again = _repeat(theme)
        for further in parts.goals[1:]:
            if _goes_on(said, further):
                one = self.make_place(said, again, further)
                if one is not None:
                    yield self._make_more(parts.act, one, said.lemma)
        for place in parts.barred:
            one = self.make_place(said, again if placed else theme, place)
            if one is not None:
                clause = self._make_more(Act.STATE, one, "")
                no = list_uses([said.tree.words[place.words[0].place - 1]], WordRole.LIMIT, "not")
                yield replace(clause, negated=True, uses=(*clause.uses, *no))

    def _place_others(
        self, said: Nucleus, parts: _Placing, one: Predication | None
    ) -> Iterator[SpokenClause]:
        """Read "and | the book | on the couch", and what goes to the same place: "and the book"."""
        for other, there in parts.pairs:
            moved = self.read_noun(said, other, (there.root,))
            placed = self.make_place(said, moved, there) if moved is not None else None
            if placed is not None:
                yield self._make_more(parts.act, placed, said.lemma)
        where = one.arguments[PLACE] if one is not None else 0
        if one is None or isinstance(where, int):
            return
        for other in parts.joined:
            moved = self.read_noun(said, other) if other not in parts.early else None
            if moved is not None:
                arguments: dict[str, Argument] = {THEME: moved, PLACE: _repeat(where)}
                same = replace(one, arguments=arguments, uses=())
                yield self._make_more(parts.act, same, said.lemma)

    def place_same(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "(the milk to the table, then) back | into the fridge"."""
        same = NounPhrase(0, 0, Reference.IT, Determiner.THE)
        one = self.make_place(said, same, said.places[0])
        if one is not None:
            clause = self.make(said, Act.STATE, one)
            back = list_uses([said.verb], WordRole.ACTION, "back")
            yield replace(clause, uses=(*clause.uses, *back))

    def _find_theme(self, said: Nucleus) -> tuple[Act, Word] | None:
        """Find what shall be somewhere, and how that is asked for."""
        word = said.subject
        if said.thing is not None and said.lemma in PUT_VERBS | WANTING | LASTING | REMOVE_VERBS:
            there = any(p.noun.text == "there" for p in said.places)
            act = Act.STATE if there else Act.KEEP  # "(put it on the table and) leave it there"
            return (act if said.lemma in LASTING else Act.ACHIEVE), said.thing
        if word is None:
            return None
        if said.passive and said.lemma in PUT_VERBS | REMOVE_VERBS | {"allow", "permit"}:
            return Act.STATE, word
        if said.lemma and said.lemma not in _BEING:
            return None
        return (Act.KEEP if said.lemma in LASTING else Act.STATE), word

    def _find_joined(
        self, said: Nucleus, theme: Word, goals: list[SpokenPlace]
    ) -> tuple[list[Word], list[tuple[Word, SpokenPlace]]]:
        """Find what goes on without its verb: "and the book", "and the book | on the couch"."""
        tree, alone = said.tree, list[Word]()
        pairs: list[tuple[Word, SpokenPlace]] = []
        open_ = [*said.joined, *(p.noun for p in goals)]
        seen: set[int] = {theme.place}
        if tree.children[theme.place]:
            open_.insert(0, theme)
        while open_:
            word = open_.pop(0)
            is_joined = word in said.joined or word.role == "conj"
            if is_joined and word.place not in seen and word not in (p.noun for p in goals):
                seen.add(word.place)
                there = self._find_own_place(said, word)
                if there is not None:
                    pairs.append((word, there))
                    open_.append(there.noun)
                elif word in said.joined:
                    alone.append(word)
            for child in tree.list_children(word.place, "conj", "appos", "dep"):
                there = next((p for p in goals if p.noun is word), None)
                if (
                    may_name(tree, child)
                    and there is not None
                    and self._is_no_place(said, theme, there, child)
                ):
                    alone.append(child)
                    continue
                if may_name(tree, child) and self._find_own_place(said, child) is not None:
                    open_.append(child)
                elif may_name(tree, child) and word in said.joined:
                    alone.append(child)
        return alone, pairs

    def _find_own_place(self, said: Nucleus, word: Word) -> SpokenPlace | None:
        """Find where something joined shall be: "(the apple here and) the rest of it | there".

        A place behind another one at which that can't be is where the thing shall be: "and all that
        is on the counter | on the couch".
        """
        for noun in _list_places_of(said, word):
            inner = [p for p in said.list_behind(noun) if p.preposition in PLACED]
            if inner and self._is_at_none(said, noun, inner[0]):
                return inner[0]
        own = [p for p in said.list_behind(word) if p.preposition in PLACED]
        return next(iter(own[1:] if self._says_which(said, own) else own), None)

    def _is_no_place(self, said: Nucleus, theme: Word, where: SpokenPlace, other: Word) -> bool:
        """Return True for the book of "the mug on the table, then the book"."""
        if any(p.preposition in PLACED for p in said.list_behind(other)):
            return False
        one, two = (self.read_noun(said, word) for word in (theme, other))
        if one is None or two is None:
            return False
        types = self._phrases.list_types(one), self._phrases.list_types(two)
        if not all(types):
            return False
        return self._places.choose(where.preposition, *types) is None

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

    def _remove(self, said: Nucleus, theme: Phrase, parts: _Placing) -> Iterator[SpokenClause]:
        """Read "take the mug | off the table"."""
        word = parts.word
        if said.lemma not in REMOVE_VERBS | LASTING | _BEING and said.lemma:
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
        place = self.read_noun(said, source.noun)
        if place is None or not isinstance(theme, NounPhrase):
            return theme
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


def _repeat(phrase: object) -> NounPhrase:
    """Speak again of the same thing."""
    several = isinstance(phrase, Coordination) or (isinstance(phrase, NounPhrase) and phrase.plural)
    if isinstance(phrase, NounPhrase) and not several and not isinstance(phrase.head, Reference):
        return replace(phrase, determiner=Determiner.THE, number=None, qualities=(), uses=())
    head = Reference.THEM if several else Reference.IT
    return NounPhrase(0, 0, head, Determiner.THE, None, several)


def _list_places_of(said: Nucleus, word: Word) -> Iterator[Word]:
    """Yield the places by which a thing is described: "the rest of | the shelf"."""
    tree = said.tree
    yield from (place.noun for place in said.list_behind(word))
    for clause in tree.list_children(word.place, "relcl"):
        yield from (place.noun for place in find_places(tree, clause.place))
    for of in tree.list_children(word.place, "prep"):
        noun = tree.find_child(of.place, "pobj") if of.text == "of" else None
        if noun is not None:
            yield noun
            yield from _list_places_of(said, noun)


def _covers(phrase: Phrase, word: Word) -> bool:
    """Return True if a word has a part in a phrase."""
    return any(u.start <= word.start and word.end <= u.end for u in collect_phrase_uses(phrase))


def _list(phrase: Phrase) -> tuple[WordUse, ...]:
    return tuple(collect_phrase_uses(phrase))


def _is_negated(said: Nucleus, place: SpokenPlace) -> bool:
    """Return True for "not | on the couch"."""
    words = said.tree.words
    before = words[place.words[0].place - 1] if place.words[0].place else None
    return before is not None and before.text == "not" and before.head != said.verb.place


def _goes_on(said: Nucleus, place: SpokenPlace) -> bool:
    """Return True for "(on the table) and afterwards | in the fridge"."""
    words, first = said.tree.words, place.words[0].place
    before = [words[p].text for p in range(max(0, first - 3), first)]
    return "and" in before or "then" in before or "," in before
