# SPDX-License-Identifier: Apache-2.0
"""Acts that any domain may be asked for, by the structure of a clause: placing, bringing, going."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fcp_ros.language.domain_reader.reader import ParsedInstruction
from fcp_ros.language.english.verbs import (
    BRING_VERBS,
    CLEAR_VERBS,
    GO_VERBS,
    HOLD_VERBS,
    PUT_VERBS,
    REMOVE_VERBS,
    SAME_VERBS,
)
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.nucleus import Nucleus, SpokenPlace
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.parsing.trees import (
    PERSON,
    PLACE,
    THEME,
    Act,
    Coordination,
    Determiner,
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
_LASTING = gather_words("stay remain keep leave")
_WANTING = gather_words("want need like love prefer wish have see")
_TOUCHING = gather_words("touch move disturb")
_WHERE_IT_IS = gather_words("alone untouched put is are was were stands lies sits")
_FORMER = gather_words("back where original old former usual own previous")
_SWAPPING = gather_words("swap exchange interchange switch trade")
_MOVED = ("to", "from")
_PLACED = gather_words("on in at near under behind before above to where")
_THROUGH = ("through", "via", "across", "past")
_WAYS = ("to", "in", "at", "near", *_THROUGH)
_ENTERING = gather_words("enter visit avoid")
_DEICTIC = ("there", "here")
_PERSON_MARKS = ("to", "for")


class GeneralActs:
    """A reader of clauses by verbs of English in general."""

    def __init__(self, parsed: ParsedInstruction, phrases: LearnedPhrases) -> None:
        self._parsed = parsed
        self._nouns = parsed.nouns
        self._phrases = phrases

    def read(self, said: Nucleus, demanded: bool) -> list[SpokenClause]:
        """Return what a clause asks for, several for "the mug there and the bowl here".

        Args:
            demanded: a statement says what shall be so.
        """
        lemma = said.lemma
        if lemma in _SWAPPING:
            return list(self._swap(said))
        going = said.thing is None and said.lemma in GO_VERBS | {
            "be",
            "stay",
            "remain",
            "wait",
            "stand",
        }
        if said.subject is None and (going or said.lemma in _ENTERING):
            return list(self._go(said))
        if not lemma and said.subject is None and said.places:
            return list(self._place_same(said))
        if lemma in CLEAR_VERBS and said.thing is not None and not said.places:
            return list(self._clear(said))
        for read in (self._keep, self._return, self._bring, self._place, self._hold):
            found = list(read(said, demanded))
            if found:
                return found
        return []

    # --- things and places

    def read_noun(self, said: Nucleus, word: Word, without: tuple[Word, ...] = ()) -> Phrase | None:
        """Read the phrase of a noun, without what has a part of its own in the clause."""
        barred = frozenset(one.place for one in without)
        return self._phrases.read(said.tree, word.place, "", barred)

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
        place = self.read_noun(said, where.noun, without)
        for further in inner if place is not None else ():
            place = self._add_source(said, place, further)
        if place is None or where.preposition not in _PLACED:
            return None
        types = self._phrases.list_types(theme), self._phrases.list_types(place)
        loose = where.preposition in ("near", "where")
        if (
            not loose
            and all(types)
            and self._parsed.places.choose(where.preposition, *types) is None
        ):
            return None
        degree = theme.degree * place.degree
        return Predication(
            None,
            {THEME: theme, PLACE: place},
            preposition=where.preposition,
            uses=_use(where.words, WordRole.ACTION, where.preposition),
            degree=degree,
        )

    # --- acts

    def _place(self, said: Nucleus, demanded: bool) -> Iterator[SpokenClause]:
        """Read "put | the mug | on the table", "the mug belongs | on the table"."""
        found = self._find_theme(said)
        if found is None:
            return
        act, word = found
        own = [p for p in said.places if p.preposition in (*_PLACED, "from")]
        attached = said.list_behind(word)
        if not said.lemma and word is said.verb:
            own, attached = [p for p in attached if p.preposition in (*_PLACED, "from")], []
        barred = [p for p in own if _is_negated(said, p)]
        sources = [p for p in own if p.preposition == "from" and p not in barred]
        goals = [p for p in own if p not in (*sources, *barred)]
        joined, pairs = self._find_joined(said, word, goals)
        if not goals:
            goals = [p for p in attached if p.preposition in _PLACED][-1:]
        if not goals and pairs:
            goals = [pairs[-1][1]]  # "the mug and the book | on the table"
            joined, pairs = [*joined, *(one for one, _ in pairs)], []
        if not goals and any(p.preposition in _PLACED for p in barred):
            goals, barred = [], barred
        roots = [p.root for p in (*goals, *sources, *barred)]
        roots += [*joined, *(one for one, _ in pairs)]
        theme = self.read_noun(said, word, tuple(w for w in roots if w is not word))
        if theme is None:
            return
        if not goals and not barred:
            yield from self._remove(said, theme, word, sources, act)
            return
        for source in sources[:1]:
            theme = self._add_source(said, theme, source)
        early = [one for one in joined if not goals or one.place < goals[0].noun.place]
        theme = self._join(said, theme, early, tuple(roots))
        if theme is None:
            return
        where = goals[0] if goals else None
        one = None
        if where is not None:
            inner = [p for p in goals[1:] if not _goes_on(said, p) and where.preposition != "where"]
            others = tuple(w for w in roots if w is not where.root)
            one = self.make_place(said, theme, where, others, inner)
        if one is None and not barred:
            return
        if one is not None:
            yield self._make(said, act, one)
        again = _repeat(theme)
        for further in goals[1:]:
            if _goes_on(said, further):
                placed = self.make_place(said, again, further)
                if placed is not None:
                    yield self._make_more(act, placed, said.lemma, further.words[0].token)
        for place in barred:
            placed = self.make_place(said, theme if one is None else again, place)
            if placed is not None:
                clause = self._make_more(Act.STATE, placed, "", place.words[0].token)
                no = _use([said.tree.words[place.words[0].place - 1]], WordRole.LIMIT, "not")
                yield replace(clause, negated=True, uses=(*clause.uses, *no))
        for other, there in pairs:
            moved = self.read_noun(said, other, (there.root,))
            placed = self.make_place(said, moved, there) if moved is not None else None
            if placed is not None:
                yield self._make_more(act, placed, said.lemma, other.token)
        for other in joined:
            if other in early or where is None:
                continue
            moved = self.read_noun(said, other)
            if moved is not None and one is not None and not isinstance(one.arguments[PLACE], int):
                same = replace(
                    one,
                    arguments={THEME: moved, PLACE: _repeat(one.arguments[PLACE])},
                    uses=(),
                )
                yield self._make_more(act, same, said.lemma, other.token)

    def _place_same(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "(the milk to the table, then) back | into the fridge"."""
        same = NounPhrase(0, 0, Reference.IT, Determiner.THE)
        one = self.make_place(said, same, said.places[0])
        if one is not None:
            clause = self._make(said, Act.STATE, one)
            back = _use([said.verb], WordRole.ACTION, "back")
            yield replace(clause, uses=(*clause.uses, *back))

    def _find_theme(self, said: Nucleus) -> tuple[Act, Word] | None:
        """Find what shall be somewhere, and how that is asked for."""
        word = said.subject
        if said.thing is not None and said.lemma in PUT_VERBS | _WANTING | _LASTING | REMOVE_VERBS:
            return (Act.KEEP if said.lemma in _LASTING else Act.ACHIEVE), said.thing
        if word is None:
            return None
        if said.passive and said.lemma in PUT_VERBS | REMOVE_VERBS | {"allow", "permit"}:
            return Act.STATE, word
        if said.lemma and said.lemma not in _BEING:
            return None
        return (Act.KEEP if said.lemma in _LASTING else Act.STATE), word

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
            inner = [p for p in said.list_behind(word) if p.preposition in _PLACED]
            if is_joined and word.place not in seen and word not in (p.noun for p in goals):
                seen.add(word.place)
                if inner:
                    pairs.append((word, inner[0]))
                    open_.append(inner[0].noun)
                elif word in said.joined:
                    alone.append(word)
            for child in tree.list_children(word.place, "conj", "appos"):
                if child.is_noun and any(p.preposition in _PLACED for p in said.list_behind(child)):
                    open_.append(child)
                elif child.is_noun and word in said.joined:
                    alone.append(child)
        return alone, pairs

    def _join(
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
        uses = _use(list(said.tree.list_children(said.verb.place, "cc")), WordRole.FILLER, "")
        return Coordination(tuple(parts), "or" in links, uses=uses, degree=degree)

    def _make_more(self, act: Act, one: Predication, verb: str, token: int) -> SpokenClause:
        """Make a clause that goes on from the one before it; its verb is left out."""
        uses = [u for a in one.arguments.values() if not isinstance(a, int) for u in _list(a)]
        return SpokenClause(act, (one,), verb=verb, uses=tuple(uses), degree=one.degree)

    def _remove(
        self, said: Nucleus, theme: Phrase, word: Word, sources: list[SpokenPlace], act: Act
    ) -> Iterator[SpokenClause]:
        """Read "take the mug | off the table"."""
        if said.lemma not in REMOVE_VERBS | _LASTING | _BEING and said.lemma:
            return
        attached = [p for p in said.list_behind(word) if p.preposition == "from"]
        sources = sources or attached
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
            uses=_use(sources[0].words, WordRole.ACTION, "from"),
            degree=theme.degree * place.degree,
        )
        yield self._make(said, act, away)

    def _add_source(self, said: Nucleus, theme: Phrase, source: SpokenPlace) -> Phrase:
        place = self.read_noun(said, source.noun)
        if place is None or not isinstance(theme, NounPhrase):
            return theme
        uses = _use(source.words, WordRole.ACTION, "from")
        from_ = source.preposition == "from"
        there = Predication(
            None, {PLACE: place}, THEME, source.preposition, source=from_, uses=uses
        )
        return replace(theme, qualities=(*theme.qualities, there))

    def _keep(self, said: Nucleus, demanded: bool) -> Iterator[SpokenClause]:
        """Read "leave | the mug | as it is", "the mug stays where it is", "don't touch it"."""
        touching = said.lemma in _TOUCHING and not said.places
        word = said.thing if said.thing is not None else said.subject
        if word is None or not (said.lemma in _LASTING or touching):
            return
        if said.lemma == "leave" and said.thing is not None and said.subject is not None:
            yield from self._leave(said)
            return
        if touching:
            if said.list_behind(word) and said.lemma == "move":
                return
            theme = self.read_noun(said, word)
            if theme is not None:
                one = Predication(None, {THEME: theme}, degree=theme.degree)
                yield self._make(said, Act.STAY, one, negated=True)
            return
        same = list(self._list_same(said, word))
        there = [c for c in said.tree.list_children(said.verb.place) if c.text == "there"]
        if said.lemma == "leave" and there and word.tag == "PRP":
            yield from self._keep_there(said, word, there[0])
            return
        if not same and (said.places or said.states or said.list_behind(word)):
            return
        if not same and said.lemma not in ("leave", "stay"):
            return
        if said.joined:
            return
        roots = tuple(w for w in same if w.head in (word.place, said.verb.place))
        theme = self.read_noun(said, word, roots)
        if theme is not None:
            uses = _use(same, WordRole.ACTION, "stays")
            one = Predication(None, {THEME: theme}, uses=uses, degree=theme.degree)
            yield self._make(said, Act.STAY, one)

    def _keep_there(self, said: Nucleus, word: Word, there: Word) -> Iterator[SpokenClause]:
        """Read "(put it on the table and) leave it | there"."""
        theme = self.read_noun(said, word)
        if theme is not None:
            place = NounPhrase(there.token, there.token + 1, Reference.THERE, Determiner.THE)
            uses = _use([there], WordRole.THING, "there")
            arguments = {THEME: theme, PLACE: place}
            one = Predication(None, arguments, preposition="at", uses=uses, degree=theme.degree)
            yield self._make(said, Act.STATE, one)

    def _leave(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "the laptop has to leave | the table"."""
        assert said.subject is not None and said.thing is not None
        theme, place = self.read_noun(said, said.subject), self.read_noun(said, said.thing)
        if theme is not None and place is not None:
            degree = theme.degree * place.degree
            arguments = {THEME: theme, PLACE: place}
            away = Predication(None, arguments, preposition="from", negated=True, degree=degree)
            yield self._make(said, Act.ACHIEVE, away)

    def _list_same(self, said: Nucleus, word: Word) -> Iterator[Word]:
        """Yield the words of "as it is", "where it is", "alone", "in its place"."""
        tree = said.tree
        for head in (said.verb, word):
            for child in tree.list_children(head.place):
                below = [tree.words[p] for p in tree.list_subtree(child.place)]
                texts = [w.text for w in below]
                clause = texts[0] in ("as", "where") and any(w.lemma == "be" for w in below)
                own = {"it", "they", "that"} & {*texts}
                if child.place > head.place and (
                    (clause and own and len(texts) < 6)
                    or texts in (["alone"], ["untouched"], ["in", "place"], ["in", "its", "place"])
                    or texts in (["in", "peace"], ["put"], ["be"], ["as", "is"])
                ):
                    yield from below

    def _return(self, said: Nucleus, demanded: bool) -> Iterator[SpokenClause]:
        """Read "put it | back where it was", "return it to its place"."""
        word = said.thing if said.thing is not None else said.subject
        if word is None or said.lemma not in PUT_VERBS | {"go", "belong", "be", ""}:
            return
        places = [p for p in said.places if p.noun.lemma not in ("place", "spot", "position")]
        if places:
            return
        words = list(self._list_former(said, word))
        if not words:
            return
        theme = self.read_noun(said, word, tuple(w for w in words if w.head == word.place))
        if theme is not None:
            uses = _use(words, WordRole.ACTION, "as initially")
            one = Predication(None, {THEME: theme}, uses=uses, degree=theme.degree)
            yield self._make(said, Act.RETURN, one)

    def _list_former(self, said: Nucleus, word: Word) -> Iterator[Word]:
        tree = said.tree
        found: list[Word] = []
        back = next(
            (
                c
                for c in tree.list_children(said.verb.place)
                if c.text == "back" and c.place != word.place
            ),
            None,
        )
        for head in (said.verb.place, word.place, *([back.place] if back else [])):
            for child in tree.list_children(head):
                below = [tree.words[p] for p in tree.list_subtree(child.place)]
                texts = {w.text for w in below}
                where = "where" in texts and texts & {"it", "they", "you", "he", "she", "i", "we"}
                owned = texts & {"its", "their", "original", "old", "former", "usual", "right"}
                place = owned and {w.lemma for w in below} & {"place", "spot", "position", "home"}
                if (where or place) and child.place != word.place and len(below) < 9:
                    found += [w for w in below if w.place != word.place]
        if back is not None and (found or not tree.children[back.place]):
            found.append(back)
        if (
            not found
            and said.lemma == "return"
            and said.receiver is None
            and said.thing is not None
        ):
            return iter((said.verb,))
        return iter(found)

    def _bring(self, said: Nucleus, demanded: bool) -> Iterator[SpokenClause]:
        """Read "bring | me | the mug", "take it | to Ann", "I need the mug | here"."""
        wanted = said.lemma in _WANTING and said.speaker
        if said.thing is None or not (said.lemma in BRING_VERBS or wanted):
            return
        marked: tuple[Word, ...] = ()
        person = self.read_noun(said, said.receiver) if said.receiver is not None else None
        places = [p for p in (*said.places, *said.list_behind(said.thing))]
        here = next(
            (
                w
                for w in said.tree.words
                if w.text == "here" and w.head in (said.verb.place, said.thing.place)
            ),
            None,
        )
        if person is None and here is not None:
            over = [w for w in said.tree.list_children(here.place) if w.text == "over"]
            marked = (here, *over)
            person = _speaker(here.token)
        for where in places if person is None else ():
            if where.preposition in _PERSON_MARKS:
                one = self.read_noun(said, where.noun)
                if isinstance(one, NounPhrase) and self._nouns.fits_person(one):
                    person, marked = one, where.words
                    marked = (*marked, where.root)
                    break
        if person is None and wanted and not places and not said.states:
            person = _speaker(said.verb.token)
        if not isinstance(person, NounPhrase) or not self._nouns.fits_person(person):
            return
        theme = self.read_noun(said, said.thing, marked)
        if theme is None:
            return
        theme = self._join(said, theme, list(said.joined), marked)
        if theme is None:
            return
        for where in said.places:
            if where.preposition == "from" or (where.preposition in ("in", "on") and said.receiver):
                theme = self._add_source(said, theme, where)
        uses = _use(marked, WordRole.ACTION, "bring")
        degree = theme.degree * person.degree
        one = Predication(None, {THEME: theme, PERSON: person}, uses=uses, degree=degree)
        yield replace(self._make(said, Act.BRING, one), verb="bring")

    def _hold(self, said: Nucleus, demanded: bool) -> Iterator[SpokenClause]:
        """Read "take | the mug", "put | it | down", "keep holding | it"."""
        down = any(w.text == "down" for w in said.particles)
        if said.thing is not None and down and said.lemma in ("put", "set", "lay"):
            theme = self.read_noun(said, said.thing)
            if theme is not None:
                one = Predication(None, {THEME: theme}, degree=theme.degree)
                yield self._make(said, Act.HOLD, one, "keep", negated=True)
            return
        whole = f"{said.lemma} {said.thing.text} of" if said.thing is not None else ""
        if said.thing is None or said.lemma not in HOLD_VERBS or whole in SAME_VERBS:
            return
        kept = said.verb.tag == "VBG" and said.tree.words[said.verb.head].lemma in _LASTING
        theme = self.read_noun(said, said.thing)
        theme = self._join(said, theme, list(said.joined), ()) if theme is not None else None
        if theme is not None:
            one = Predication(None, {THEME: theme}, degree=theme.degree)
            yield self._make(said, Act.HOLD, one, "keep" if kept else "")

    def _go(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "go | to the kitchen", "stay | there", "avoid | the hall"."""
        where = next((p for p in said.places if p.preposition in _WAYS), None)
        stay = said.lemma in ("stay", "remain", "be", "wait", "stand")
        words: tuple[Word, ...] = ()
        phrase: Phrase | None = None
        adverbs = [c for c in said.tree.list_children(said.verb.place) if c.text in _DEICTIC]
        if said.thing is not None and said.lemma in _ENTERING:
            phrase = self.read_noun(said, said.thing)
        elif where is not None:
            inner = [p for p in said.places if p is not where and p.preposition in ("in", "on")]
            phrase, words = self.read_noun(said, where.noun), where.words
            for further in inner if phrase is not None else ():
                phrase = self._add_source(said, phrase, further)
        elif adverbs:
            adverb = adverbs[0]
            head = Reference.THERE if adverb.text == "there" else Reference.HERE
            phrase = NounPhrase(adverb.token, adverb.token + 1, head, Determiner.THE)
            words = (adverb,)
        if phrase is None:
            return
        uses = _use(words, WordRole.ACTION, "to")
        one = Predication(None, {PLACE: phrase}, preposition="to", uses=uses, degree=phrase.degree)
        clause = self._make(said, Act.GO, one, negated=said.lemma == "avoid")
        through = where is not None and where.preposition in _THROUGH and said.thing is None
        yield replace(clause, verb="stay" if stay else "go", sometime=through)

    def _clear(self, said: Nucleus) -> Iterator[SpokenClause]:
        assert said.thing is not None
        place = self.read_noun(said, said.thing)
        if place is None:
            return
        nothing = NounPhrase(said.verb.token, said.verb.token, Reference.THING, Determiner.NO)
        types = self._phrases.list_types(place)
        for preposition in ("on", "in"):
            if self._parsed.places.choose(preposition, frozenset(), types) is not None:
                one = Predication(
                    None,
                    {THEME: nothing, PLACE: place},
                    preposition=preposition,
                    degree=place.degree,
                )
                yield self._make(said, Act.STATE, one)
                return

    def _swap(self, said: Nucleus) -> Iterator[SpokenClause]:
        if said.thing is None:
            return
        pair: list[Phrase] = []
        other = next((p for p in said.places if p.preposition in ("with", "for")), None)
        other = other or next(
            (p for p in said.list_behind(said.thing) if p.preposition in ("with", "for")), None
        )
        phrase = self.read_noun(said, said.thing, (other.root,) if other else ())
        words: tuple[Word, ...] = ()
        if isinstance(phrase, Coordination) and not phrase.alternative:
            pair = list(phrase.parts)
        elif phrase is not None and other is not None:
            second = self.read_noun(said, other.noun)
            pair, words = [phrase, *([second] if second else [])], other.words
        if len(pair) != 2:
            return
        one, two = pair
        for theme, place in ((one, two), (two, one)):
            said_ = Predication(
                None,
                {THEME: theme, PLACE: place},
                preposition="where",
                uses=_use(words, WordRole.ACTION, "swap"),
                degree=theme.degree,
            )
            yield self._make(said, Act.ACHIEVE, said_)

    def _make(
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
        uses = _use(words, WordRole.ACTION, act.value)
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


def _speaker(token: int) -> NounPhrase:
    return NounPhrase(token, token, Reference.SPEAKER, Determiner.THE)


def _use(words: object, role: WordRole, meaning: str) -> tuple[WordUse, ...]:
    return tuple(
        WordUse(word.start, word.end, role, meaning)
        for word in words  # type: ignore[attr-defined]
        if not word.is_inserted
    )
