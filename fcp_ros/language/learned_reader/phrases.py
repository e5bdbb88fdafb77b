# SPDX-License-Identifier: Apache-2.0
"""Noun phrases by what people call things, where the chart of noun phrases doesn't know them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fcp_ros.cset.state_facts import facts
from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.model import IS_A
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.demands.frames import SUBJECT, DemandClause, SpokenArgument
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.demands.parsed_clauses import name_noun
from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.repetition import list_names
from fcp_ros.language.learned_reader.tree_phrases import TreePhrases
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.noun_phrases.head_parser import PRONOUNS
from fcp_ros.language.parsing.noun_phrases.quantities import MOST_NUMBER, find_determiner
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Coordination,
    Determiner,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Quantity,
    Reference,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Tree, Word, join_trees

_PRONOUNS = {
    **PRONOUNS,
    "both": Reference.THEM,
    "there": Reference.THERE,
    "here": Reference.HERE,
}
PIECES = frozenset(["slice", "piece", "chunk", "half", "wedge"])
"""Forms that something has after it was cut."""
_CUT = "sliced"
_GROUPS, _SETS = frozenset(["pair", "couple"]), frozenset(["set", "bunch", "ring"])
"""Nouns that say that there are two, and those that make one thing of several."""
DIRECTIONS = gather_words("left right front side corner middle")
"""Parts of the space around something, which no relation knows."""
_WELL_KNOWN = 0.75
"""Least degree of a phrase of the chart that is taken before what people call things."""
_ABSENT = 0.7
"""Degree of a noun of the chart for what isn't here."""
_SUBSTITUTED = 0.35
"""Degree of something else for a kind of the domain that isn't here. Relaxing asks about that, so
it is too little to doubt another reader by."""
_LEAST_SUBSTITUTED = 0.5
"""Least probability of such a thing: else the kind is said to be absent, and nothing is guessed."""
_LEAST_FIT = 0.05
_LEAST_STATE, _LEAST_LIKENESS = 0.5, 0.6
"""Least degree of the demand that an adjective is taken for, and its least likeness to its word."""


@dataclass(frozen=True, slots=True)
class _Label:
    """A word that several elements are called by."""

    type: str  # the type that all of them have; empty if they differ
    number: int


class LearnedPhrases:
    """A reader of the noun phrases of one instruction."""

    def __init__(self, parsed: ParsedInstruction, model: DemandModel) -> None:
        self._nouns = parsed.nouns
        self._patterns = parsed.patterns
        self._places = parsed.places
        self._model = model
        self._domain = parsed.context.domain
        self._labels: dict[str, _Label] = {}
        self._instance = instance = parsed.context.instance
        for element in instance.all_elements():
            label = str(instance.attribute(element, CATEGORY) or "")
            known = self._labels.get(label)
            type_ = instance.type_of(element)
            if label:
                same = known is None or known.type == type_
                count = known.number if known is not None else 0
                self._labels[label] = _Label(type_ if same else "", count + 1)
        self._charted: dict[int, tuple[Phrase, ...]] = {}
        self._rated: dict[tuple[int, str], float] = {}
        self._states: dict[tuple[str, str], Predication | None] = {}
        self._ranked: dict[tuple[str, ...], dict[str, float]] = {}
        tree = join_trees(segment.tree for segment in parsed.segments)
        self._spans = TreeSpans(tree, parsed.nouns.tokens)
        self._reader = TreePhrases(parsed.nouns, self._spans, self.find_state)
        self._has_spoken = False

    # --- heads of clauses' arguments

    def rate(self, tree: Tree, place: int, type_: str) -> float:
        """Rate how well a noun phrase may fill a slot of a type, in [0, 1]."""
        word = tree.words[place]
        if self._is_pronoun(tree, word):
            person = _PRONOUNS.get(word.text) in (Reference.SPEAKER, Reference.ADDRESSEE)
            return self._rate_charted(word, type_) if person else 1.0
        called = (p for label, p in self._rank(tree, place).items() if self._fits(label, type_))
        return max(self._rate_charted(word, type_), sum(called, 0.0))

    def read(
        self,
        tree: Tree,
        place: int,
        type_: str,
        without: frozenset[int] = frozenset(),
        beside: frozenset[int] = frozenset(),
    ) -> Phrase | None:
        """Read the phrase of a head for a slot of a type; None if it is nothing here.

        Args:
            without: places of subtrees that belong to something else.
            beside: places of subtrees elsewhere that are said of it.
        """
        word = tree.words[place]
        if self._is_pronoun(tree, word):
            return self._refer(word)
        barred, more = (
            frozenset(
                known.place
                for one in places
                if (known := self._spans.words.get(tree.words[one].token)) is not None
            )
            for places in (without, beside)
        )
        charted, absent = self._find_charted(word, type_, barred, more)
        if charted is None or word.lemma in _SETS or self._is_cut(tree, word):
            charted = self._call_all(tree, word, type_) or charted or absent
        self._has_spoken = self._has_spoken or charted is not None
        return charted

    def _is_pronoun(self, tree: Tree, word: Word) -> bool:
        if word.text in _PRONOUNS:
            head = _PRONOUNS[word.text]
            return head is not Reference.THEM or not tree.children[word.place]
        inner = any(tree.list_children(word.place, "prep", "compound"))
        return word.lemma in PIECES and not inner and self._has_spoken

    def _refer(self, word: Word) -> NounPhrase:
        head = _PRONOUNS.get(word.text, Reference.IT)
        use = WordUse(word.start, word.end, WordRole.THING, "")
        plural = head is Reference.THEM
        the = Determiner.THE
        return NounPhrase(word.token, word.token + 1, head, the, plural=plural, uses=(use,))

    def list_types(self, phrase: Phrase) -> frozenset[str]:
        """List the types of the things that a phrase may mean."""
        head = phrase.head if isinstance(phrase, NounPhrase) else None
        if not isinstance(head, Noun):
            return frozenset()
        instance = self._instance
        types = {instance.type_of(instance.id_of(name)) for name in head.members}
        return frozenset(types or {head.type} - {""})

    def is_there(self, thing: NounPhrase, place: NounPhrase) -> bool:
        """Return True if one of the things that may be meant is at one of the places already."""
        things, places = map(list_names, (thing, place))
        return any(
            fact.arguments[0] in things and places & {*fact.arguments[1:]}
            for fact in facts(self._instance)
        )

    def _is_cut(self, tree: Tree, word: Word) -> bool:
        """Return True for a slice of what can be sliced."""
        if word.lemma not in PIECES:
            return False
        label = next(iter(self._rank(tree, word.place)), "")
        return bool(label) and self.find_state(_CUT, self._labels[label].type) is not None

    # --- by the chart

    def _find_charted(
        self, word: Word, type_: str, without: frozenset[int], beside: frozenset[int]
    ) -> tuple[Phrase | None, Phrase | None]:
        """Find what the words of the domain say; and a kind of it of which nothing may be here."""
        own = self._spans.words.get(word.token)
        if own is None:
            return None, None
        best: tuple[float, Phrase | None] = (0.0, None)
        named: tuple[float, Phrase | None] = (0.0, None)
        for phrase in self._reader.read(own.place, without, beside=beside):
            degree = phrase.degree * self._nouns.fit(phrase, type_)
            if degree > named[0]:
                named = (degree, phrase)
            if isinstance(phrase, NounPhrase):
                degree *= self._rate_head(phrase, word)
                degree *= any(u.start <= word.start < u.end for u in phrase.uses)
            if degree > best[0]:
                best = (degree, phrase)
        if best[1] is None:
            return None, None
        found = self._drop_places(best[1])
        if best[0] < _WELL_KNOWN:
            doubtful = replace(found, degree=found.degree * _ABSENT)
            return None, doubtful if _names_absent(found) else None
        absent = _names_absent(named[1]) and not _names_absent(best[1])
        return (replace(found, degree=found.degree * _SUBSTITUTED) if absent else found), None

    def _drop_places(self, phrase: Phrase) -> Phrase:
        """Leave unread where a thing is if no relation says that: "the counter by the fridge"."""
        if isinstance(phrase, Coordination):
            return replace(phrase, parts=tuple(map(self._drop_places, phrase.parts)))
        for quality in phrase.qualities:
            place = quality.arguments.get(PLACE)
            placed = quality.meaning is None and quality.subject == THEME
            if not placed or place is None or isinstance(place, int):
                continue
            if self.may_be(phrase, quality.preposition, place):
                continue
            dropped = {*quality.uses, *list_phrase_uses(place)}
            kept = tuple(q for q in phrase.qualities if q is not quality)
            uses = tuple(use for use in phrase.uses if use not in dropped)
            phrase = replace(phrase, qualities=kept, uses=uses)
        return phrase

    def may_be(self, thing: Phrase, preposition: str, place: Phrase) -> bool:
        """Return False if no relation says that things of a kind are at places of a kind."""
        types = self.list_types(thing), self.list_types(place)
        if not all(types) or self._places.choose(preposition, *types) is not None:
            return True
        return preposition == "near" and self._places.share(*types, []) is not None

    def _rate_head(self, phrase: NounPhrase, word: Word) -> float:
        """Rate what the chart took a noun for beside what people call so."""
        head = phrase.head
        if not isinstance(head, Noun):
            return 1.0
        kinds = {self._nouns.lexicon.find_label(name) for name in head.members}
        vague = len(kinds) > 1 and self._model.names.knows(word.lemma)
        labelled = any(q.meaning and q.meaning.name == IS_A for q in phrase.qualities)
        sorts = word.lemma not in kinds and all(k.split()[-1:] == [word.lemma] for k in kinds)
        vague = vague and not sorts  # "the bottle" where there are a glass and a plastic bottle
        vague = vague and not (labelled or phrase.plural or self._nouns.lexicon.has_type(head.said))
        return _ABSENT if vague or not head.members else 1.0

    def _rate_charted(self, word: Word, type_: str) -> float:
        own = self._spans.words.get(word.token)
        if own is None:
            return 0.0
        if own.place not in self._charted:
            self._charted[own.place] = self._reader.read(
                own.place, frozenset(w.place for w in self._spans.list_attached(own.place))
            )
        key = own.place, type_
        if key not in self._rated:
            rated = (p.degree * self._nouns.fit(p, type_) for p in self._charted[own.place])
            self._rated[key] = max(rated, default=0.0)
        return self._rated[key]

    # --- by what people call things

    def _rank(self, tree: Tree, place: int) -> dict[str, float]:
        nouns = tuple(_list_nouns(tree, place))
        if nouns not in self._ranked:
            self._ranked[nouns] = self._model.names.rank(nouns, self._labels)
        return self._ranked[nouns]

    def _fits(self, label: str, type_: str) -> bool:
        known, schema = self._labels[label].type, self._domain.schema
        return not type_ or (
            bool(known) and schema.has_type(type_) and schema.is_subtype(known, type_)
        )

    def _call_all(self, tree: Tree, word: Word, type_: str) -> Phrase | None:
        """Take a phrase, and what is joined to it, for the things here that people call so."""
        joined = [one for one in tree.list_children(word.place, "conj") if one.is_noun]
        found = [self._call(tree, one, type_) for one in (word, *joined)]
        parts = [one for one in found if one is not None]
        if len(parts) < len(found):
            return None
        if not joined:
            return parts[0]
        links = tree.list_children(word.place, "cc")
        if any(one.text != "and" for one in links):
            return None
        degree = math.prod(one.degree for one in parts)
        return Coordination(tuple(parts), False, degree=degree)

    def _call(self, tree: Tree, word: Word, type_: str) -> NounPhrase | None:
        """Take a noun for the things here that people most probably call so."""
        nouns = _list_nouns(tree, word.place)
        if not any(map(self._model.names.knows, nouns)):
            return None  # what nobody called anything by is not guessed at
        ranked = self._rank(tree, word.place)
        fitting = {label: p for label, p in ranked.items() if self._fits(label, type_)}
        if sum(fitting.values()) < _LEAST_FIT:
            return None
        label = max(fitting, key=lambda one: fitting[one])
        noun = self._nouns.lexicon.find_noun(label)
        if noun is None:
            return None
        known = list(_list_noun_words(tree, word))
        if any(self._is_whole(tree, one, label, noun) for one in known):
            return None  # "the door of every cabinet" where there is a door, and no cabinet
        said = " ".join(one.text for one in known)
        named = self._nouns.lexicon.find_noun(said)
        absent = named is not None and not named.members
        if absent and fitting[label] < _LEAST_SUBSTITUTED:
            return None
        degree = fitting[label] ** 0.5 * (_SUBSTITUTED if absent else 1.0)
        if word.lemma in PIECES - {"piece"} and not self._is_cut(tree, word):
            degree *= Confidence.LIKELY.degree  # nobody here can cut it: the whole is no slice
        uses = [
            WordUse(one.start, one.end, WordRole.THING, f'"{said}" is a {label}', fitting[label])
            for one in known
        ]
        start = min(one.token for one in known)
        phrase = NounPhrase(start, word.token + 1, noun, degree=degree)
        for one in (word,) if word.lemma in _SETS else known:
            determined = self._determine(tree, one, phrase, uses)
            if determined is None:
                return None
            phrase = determined
        qualities = []
        for one in known:
            qualities += list(self._list_states(tree, one, label))
        return replace(phrase, uses=tuple(uses), qualities=tuple(qualities))

    def _is_whole(self, tree: Tree, word: Word, label: str, part: Noun) -> bool:
        """Return True for a noun behind "of" for another kind, which isn't held ("cup of tea")."""
        link = tree.words[word.head]
        if link.role != "prep" or link.text != "of":
            return False
        whole = self._nouns.lexicon.find_noun(word.lemma)
        if whole is None or not whole.type or word.lemma == label:
            return False
        types = frozenset([whole.type]), frozenset([part.type or self._labels[label].type])
        return all(self._places.choose(one, *types) is None for one in ("in", "on"))

    def _determine(
        self, tree: Tree, word: Word, phrase: NounPhrase, uses: list[WordUse]
    ) -> NounPhrase | None:
        """Add what determiners and numbers say; None if one of them is not known."""
        several = word.tag in ("NNS", "NNPS")
        for child in tree.list_children(word.place, "det", "predet", "nummod", "poss"):
            number, determiner = NUMBERS.get(child.text), find_determiner(child.text)
            if child.text.isdigit():
                number = int(child.text)
            if number is not None and 1 < number <= MOST_NUMBER:
                phrase = replace(phrase, number=Quantity(value=number))
            elif determiner is not None:
                phrase = replace(phrase, determiner=determiner)
            else:
                return None
            role = WordRole.QUANTITY if number else WordRole.FILLER
            uses.append(WordUse(child.start, child.end, role))
        if word.lemma in _SETS:
            uses += [WordUse(w.start, w.end, WordRole.THING) for w in _list_noun_words(tree, word)]
        if word.lemma in _GROUPS or NUMBERS.get(word.text) == 2:
            phrase = replace(phrase, number=Quantity(value=2))
        return replace(phrase, plural=phrase.plural or several)

    def _list_states(self, tree: Tree, word: Word, label: str) -> Iterator[Predication]:
        """Yield the states that adjectives, and forms like "slice", say of a thing."""
        said = list(tree.list_children(word.place, "amod", "acl", "nmod"))
        said += [two for one in said for two in tree.list_children(one.place, "conj", "amod")]
        for one in said:
            if one.tag in ("JJ", "VBN", "VBD", "JJR"):
                state = self.find_state(one.text, self._labels[label].type)
                if state is not None:
                    yield replace(
                        state, uses=(WordUse(one.start, one.end, WordRole.QUALITY, one.text),)
                    )
        if word.lemma in PIECES:
            state = self.find_state(_CUT, self._labels[label].type)
            if state is not None:
                yield state

    def find_state(self, adjective: str, type_: str) -> Predication | None:
        """Find the state of the domain that an adjective says of things of a type."""
        key = adjective, type_
        if key not in self._states:
            self._states[key] = self._seek_state(adjective, type_)
        return self._states[key]

    def _seek_state(self, adjective: str, type_: str) -> Predication | None:
        known = self._patterns.states.get(adjective)
        if known is not None and self._has_type(type_, known.meaning.types.get(known.subject, "")):
            return Predication(known.meaning, {}, known.subject, attributive=True)
        clause = DemandClause("be", "", (SpokenArgument(SUBJECT, "object"),), adjective)
        for demand in self._model.rank(clause, self._domain, most=1):
            subject = next(iter(demand.slots), "")
            if (
                demand.degree >= _LEAST_STATE
                and demand.meaning.source is MeaningSource.RELATION
                and set(demand.meaning.types) == {subject}
                and self._has_type(type_, demand.meaning.types[subject])
                and self._model.compare(adjective, demand.frame.complement) > _LEAST_LIKENESS
            ):
                return Predication(demand.meaning, {}, subject, attributive=True)
        return None

    def _has_type(self, type_: str, wanted: str) -> bool:
        schema = self._domain.schema
        return bool(type_) and schema.has_type(wanted) and schema.is_subtype(type_, wanted)


def _names_absent(phrase: Phrase | None) -> bool:
    """Return True for a kind of the domain that isn't here."""
    head = phrase.head if isinstance(phrase, NounPhrase) else None
    return isinstance(head, Noun) and not head.members


def _list_noun_words(tree: Tree, word: Word) -> Iterator[Word]:
    """Yield the nouns that name one thing: its head, those before it, those behind "of"."""
    yield from (c for c in tree.list_children(word.place, "compound") if not c.is_inserted)
    yield word
    for child in tree.list_children(word.place, "prep"):
        if child.text == "of":
            yield child
            for noun in tree.list_children(child.place, "pobj"):
                yield from _list_noun_words(tree, noun)


def _list_nouns(tree: Tree, place: int) -> list[str]:
    """List the nouns of a phrase: "bar of soap" is bar and soap; a piece of bread is bread."""
    word = tree.words[place]
    if word.lemma in DIRECTIONS:
        return [word.lemma]
    inner = [
        noun
        for child in tree.list_children(place, "prep")
        if child.text == "of"
        for noun in tree.list_children(child.place, "pobj")
    ]
    names = [name_noun(tree, word)]
    if word.lemma in PIECES:
        before = names[0].removesuffix(word.lemma).strip()
        names = [before] if before else []
    elif word.text in ("both", "two", "pair", "couple", "2"):
        names = []
    return [*names, *(name_noun(tree, noun) for noun in inner)] or [word.lemma]
