# SPDX-License-Identifier: Apache-2.0
"""Acts that any domain may be asked for, by the structure of a clause: placing, bringing, going."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.domain_reader.reader import ParsedInstruction
from fcp_ros.language.english.verbs import (
    BRING_VERBS,
    CLEAR_VERBS,
    GO_VERBS,
    HOLD_VERBS,
    PUT_VERBS,
    REMOVE_VERBS,
)
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.nucleus import NOT_OF_PLACE, Nucleus, SpokenPlace
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
        if said.thing is None and said.subject is None and said.lemma in GO_VERBS | {"be", "stay"}:
            return list(self._go(said))
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
        self, said: Nucleus, theme: Phrase, where: SpokenPlace, without: tuple[Word, ...] = ()
    ) -> Predication | None:
        """Make the condition that something is somewhere; None if that makes no sense."""
        place = self.read_noun(said, where.noun, without)
        if place is None or where.preposition not in _PLACED:
            return None
        types = self._phrases.list_types(theme), self._phrases.list_types(place)
        if all(types) and self._parsed.places.choose(where.preposition, *types) is None:
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
        act = Act.STATE
        theme_word = said.subject
        if said.lemma in PUT_VERBS | _WANTING and said.thing is not None:
            act, theme_word = Act.ACHIEVE, said.thing
        elif said.lemma and said.lemma not in _BEING:
            return
        elif said.lemma in _LASTING:
            act = Act.KEEP
        if theme_word is None:
            return
        verb = said.lemma
        attached = said.list_behind(theme_word)
        if said.lemma == "" and theme_word is said.verb:
            attached, own = [], [p for p in attached if p.preposition not in NOT_OF_PLACE]
        else:
            own = [p for p in said.places if p.preposition in (*_PLACED, "from")]
        goals = [p for p in own if p.preposition != "from"]
        sources = [p for p in own if p.preposition == "from"]
        taken = goals
        if not goals and (said.lemma or not own):
            taken = [p for p in attached if p.preposition in _PLACED][-1:]
        gaps = list(self._find_gaps(said, theme_word, taken))
        if not taken and gaps:
            taken = [gaps[-1][1]]  # "the mug and the book | on the table"
            gaps = []
        whereabouts = self._find_whereabouts(said)
        without = tuple(p.root for p in (*taken, *sources)) + tuple(word for word, _ in gaps)
        without += tuple(word for word, _ in whereabouts)
        theme = self.read_noun(said, theme_word, without)
        if theme is None:
            return
        if not taken and not whereabouts:
            if sources or any(p.preposition == "from" for p in attached):
                yield from self._remove(said, theme, theme_word, sources)
            return
        if sources:
            theme = self._add_source(said, theme, sources[0])
        if whereabouts:
            word, other = whereabouts[0]
            place = self.read_noun(said, other)
            if place is None:
                return
            one: Predication | None = Predication(
                None,
                {THEME: theme, PLACE: place},
                preposition="where",
                uses=_use([w for w in self._list_where(said, word)], WordRole.ACTION, "where"),
                degree=theme.degree * place.degree,
            )
        else:
            one = self.make_place(said, theme, taken[0], tuple(word for word, _ in gaps))
        if one is None:
            return
        yield self._make(said, act, one, verb)
        for word, where in gaps:
            other_theme = self.read_noun(said, word, (where.root,))
            placed = self.make_place(said, other_theme, where) if other_theme else None
            if placed is None:
                continue
            yield SpokenClause(act, (placed,), verb=verb, degree=placed.degree)

    def _find_gaps(
        self, said: Nucleus, theme: Word, taken: list[SpokenPlace]
    ) -> Iterator[tuple[Word, SpokenPlace]]:
        """Yield what goes on without its verb: "... and the book | on the couch"."""
        tree = said.tree
        open_ = [theme, *(p.noun for p in taken), said.verb]
        while open_:
            word = open_.pop(0)
            for child in tree.list_children(word.place, "conj", "appos", "npadvmod", "dep"):
                if not child.is_noun:
                    continue
                inner = [p for p in said.list_behind(child) if p.preposition in _PLACED]
                if inner:
                    yield child, inner[0]
                    open_.append(inner[0].noun)
                open_.append(child)

    def _find_whereabouts(self, said: Nucleus) -> list[tuple[Word, Word]]:
        """Find "where | the bowl | is"."""
        found = []
        for child in said.tree.list_children(said.verb.place, "advcl", "ccomp", "relcl"):
            where = next(
                (w for w in said.tree.list_children(child.place, "advmod") if w.text == "where"),
                None,
            )
            subject = said.tree.find_child(child.place, "nsubj", "nsubjpass")
            if where is not None and subject is not None and subject.tag != "PRP":
                found.append((child, subject))
        return found

    def _list_where(self, said: Nucleus, verb: Word) -> Iterator[Word]:
        yield verb
        for child in said.tree.list_children(verb.place):
            if child.role in ("advmod", "aux", "auxpass", "prep"):
                yield child

    def _remove(
        self, said: Nucleus, theme: Phrase, word: Word, sources: list[SpokenPlace]
    ) -> Iterator[SpokenClause]:
        """Read "take the mug | off the table"."""
        if said.lemma not in REMOVE_VERBS and said.lemma:
            return
        attached = [p for p in said.list_behind(word) if p.preposition == "from"]
        sources = sources or attached
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
        yield self._make(said, Act.ACHIEVE, away)

    def _add_source(self, said: Nucleus, theme: Phrase, source: SpokenPlace) -> Phrase:
        place = self.read_noun(said, source.noun)
        if place is None or not isinstance(theme, NounPhrase):
            return theme
        uses = _use(source.words, WordRole.ACTION, "from")
        there = Predication(None, {PLACE: place}, THEME, "from", source=True, uses=uses)
        return replace(theme, qualities=(*theme.qualities, there))

    def _keep(self, said: Nucleus, demanded: bool) -> Iterator[SpokenClause]:
        """Read "leave | the mug | as it is", "the mug stays where it is", "don't touch it"."""
        touching = said.lemma in _TOUCHING and not said.places
        word = said.thing if said.thing is not None else said.subject
        if word is None or not (said.lemma in _LASTING or touching):
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
        if not same and (said.places or said.states or said.list_behind(word)):
            return
        if not same and said.lemma not in ("leave", "stay"):
            return
        roots = tuple(w for w in same if w.head in (word.place, said.verb.place))
        theme = self.read_noun(said, word, roots)
        if theme is not None:
            uses = _use(same, WordRole.ACTION, "stays")
            one = Predication(None, {THEME: theme}, uses=uses, degree=theme.degree)
            yield self._make(said, Act.STAY, one)

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
        uses = _use([w for w in marked if w.text not in ("me",)], WordRole.ACTION, "bring")
        degree = theme.degree * person.degree
        one = Predication(None, {THEME: theme, PERSON: person}, uses=uses, degree=degree)
        yield replace(self._make(said, Act.BRING, one), verb="bring")

    def _hold(self, said: Nucleus, demanded: bool) -> Iterator[SpokenClause]:
        if said.thing is None or said.lemma not in HOLD_VERBS:
            return
        theme = self.read_noun(said, said.thing)
        if theme is not None:
            one = Predication(None, {THEME: theme}, degree=theme.degree)
            yield self._make(said, Act.HOLD, one)

    def _go(self, said: Nucleus) -> Iterator[SpokenClause]:
        """Read "go | to the kitchen", "stay | there"."""
        where = next((p for p in said.places if p.preposition in ("to", "in", "at", "near")), None)
        stay = said.lemma in ("stay", "remain", "be")
        if where is not None:
            phrase = self.read_noun(said, where.noun)
            words = where.words
        else:
            adverb = next(
                (
                    c
                    for c in said.tree.list_children(said.verb.place)
                    if c.text in ("there", "here")
                ),
                None,
            )
            if adverb is None:
                return
            head = Reference.THERE if adverb.text == "there" else Reference.HERE
            phrase = NounPhrase(adverb.token, adverb.token + 1, head, Determiner.THE)
            words = (adverb,)
        if phrase is None:
            return
        uses = _use(words, WordRole.ACTION, "to")
        one = Predication(None, {PLACE: phrase}, preposition="to", uses=uses, degree=phrase.degree)
        yield replace(self._make(said, Act.GO, one), verb="stay" if stay else "go")

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


def _speaker(token: int) -> NounPhrase:
    return NounPhrase(token, token, Reference.SPEAKER, Determiner.THE)


def _use(words: object, role: WordRole, meaning: str) -> tuple[WordUse, ...]:
    return tuple(
        WordUse(word.start, word.end, role, meaning)
        for word in words  # type: ignore[attr-defined]
        if not word.is_inserted
    )
