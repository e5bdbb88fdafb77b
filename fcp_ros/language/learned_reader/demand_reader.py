# SPDX-License-Identifier: Apache-2.0
"""Demands of clauses by the demand model, and the things that they are about.

Phrases of the domain that were said word for word ("put detergent in the washer") come first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.phrases import NUMBER, PhraseWord
from fcp_ros.language.confidence import LEARNED, Confidence
from fcp_ros.language.demands.frames import OBJECT, SOURCES, Frame
from fcp_ros.language.demands.model import Demand, DemandModel
from fcp_ros.language.demands.parsed_clauses import SpokenParts
from fcp_ros.language.domain_reader.preparation import ParsedInstruction
from fcp_ros.language.english.function_words import ARTICLES, FILLERS, PREPOSITIONS
from fcp_ros.language.english.inflection import list_stems
from fcp_ros.language.english.number_words import NUMBERS
from fcp_ros.language.english.verbs import PARTICLES
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.nucleus import list_uses
from fcp_ros.language.learned_reader.phrases import DIRECTIONS, LearnedPhrases
from fcp_ros.language.learned_reader.repetition import take_for_known
from fcp_ros.language.meanings import Meaning, MeaningSource, make_rule_meaning
from fcp_ros.language.parsing.meanings import SpokenPattern
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import PartsMatch
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Argument,
    Determiner,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    Sentence,
    SpokenClause,
    collect_phrase_uses,
    collect_uses,
    list_argument_uses,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.clauses import Mood, ParsedClause
from fcp_ros.language.syntax.tree import Tree


class LiteralReader:
    """A reader of clauses that are phrases of the domain, with words of its own in them."""

    def __init__(self, parsed: ParsedInstruction) -> None:
        self._nouns = parsed.nouns
        self._patterns = parsed.patterns

    def read(self, parsed: ParsedClause, marked: Collection[int]) -> SpokenClause | None:
        """Read an imperative, all of whose words a phrase has; None for another clause.

        Args:
            marked: tokens that are read by themselves.
        """
        tree, verb = parsed.tree, parsed.tree.words[parsed.verb]
        if parsed.mood is not Mood.IMPERATIVE or verb.token < 0:
            return None
        own = [tree.words[p].token for p in tree.list_subtree(verb.place)]
        end = max(token for token in own if token not in marked) + 1
        best: SpokenClause | None = None
        for stem in list_stems(verb.text):
            phrases = self._patterns.find_imperatives(stem)
            for pattern, found in self._nouns.match_phrases(phrases, verb.token, 0):
                if found.end > end or not _has_words(pattern):
                    continue
                clause = self._close(pattern, found, verb.token, end)
                if clause is not None and (best is None or clause.degree > best.degree):
                    best = clause
        return best

    def _close(
        self, pattern: SpokenPattern, found: PartsMatch, start: int, end: int
    ) -> SpokenClause | None:
        behind = range(found.end, end)
        if self._nouns.get_text(found.end) == ",":
            behind = range(0)  # what follows is read by itself
        if any(self._nouns.get_text(place) not in FILLERS for place in behind):
            return None
        fillers = tuple(
            self._nouns.describe_use(place, place + 1, WordRole.FILLER) for place in behind
        )
        said = Predication(
            pattern.meaning,
            found.arguments,
            uses=(*found.uses, *fillers),
            degree=found.degree * pattern.degree,
        )
        uses = (*list_argument_uses(said), *said.uses)
        verb = self._nouns.get_text(start)
        return SpokenClause(Act.ACHIEVE, (said,), verb=verb, uses=uses, degree=said.degree)

    # --- beside tasks

    def add_remarks(self, clauses: Sequence[SpokenClause]) -> Iterator[SpokenClause]:
        """Add to tasks what is said beside them: "(set the table,) we'll have soup"."""
        asked = tuple(c for c in clauses if c.act not in (Act.REMARK, Act.TOPIC))
        uses = [u for u in collect_uses(Sentence(asked)) if u.role is not WordRole.FILLER]
        free = {
            place
            for place, token in enumerate(self._nouns.tokens)
            if not any(use.start <= token.start < use.end for use in uses)
        }
        for clause in clauses:
            found = [self._add(said, free) for said in clause.predications]
            yield replace(clause, predications=tuple(found))

    def _add(self, said: Predication, free: set[int]) -> Predication:
        meaning = said.meaning
        if meaning is None or meaning.source is not MeaningSource.TASK:
            return said
        phrases = self._patterns.find_remarks(meaning.name)
        for start in sorted(free):
            best: tuple[int, Predication] | None = None
            matches = self._nouns.match_phrases(phrases, start, 0) if start in free else ()
            for pattern, found in matches:
                if not free.issuperset(range(start, found.end)):
                    continue
                longer = replace(
                    said,
                    arguments={**said.arguments, **found.arguments},
                    additions=(*said.additions, pattern.meaning),
                    uses=(*said.uses, *found.uses),
                )
                if best is None or found.end > best[0]:
                    best = found.end, longer
            if best is not None:
                free -= set(range(start, best[0]))
                said = best[1]
        return said


def _has_words(pattern: SpokenPattern) -> bool:
    """Return True for a phrase with nouns or adjectives of its own."""
    return any(
        isinstance(part, PhraseWord)
        and part.text not in ARTICLES | PARTICLES
        and (part.text,) not in PREPOSITIONS
        for part in pattern.parts[1:]
    )


_HOLDING = frozenset(["with", "containing", "holding"])
_PLACES = gather_words("in on into onto inside to at")
_BESIDE = gather_words("in on at inside under")
"""Prepositions of where a thing is: "wipe every surface | in the kitchen"."""
_NO_THING = 0.3
"""Degree of a demand that lacks a thing."""
_LEAST, _MOST_DEMANDS = 0.02, 3
_KNOWN = 0.5
"""Least degree of a demand whose verb was understood: what is less likely than all others together
is offered at most with the verb ("I did not understand 'glimp'")."""
_CLOSE = 0.8
"""Share of a demand's degree at which another one may be meant as well."""


@dataclass(frozen=True, slots=True)
class DemandFound:
    """The demand of a clause.

    Attributes:
        degree: how well that is known, without the degrees of the clauses.
    """

    clauses: tuple[SpokenClause, ...] = ()  # all but the first go on from it
    degree: float = 1.0
    demand: Demand | None = None
    left: int = 0  # things that it says nothing of


class DemandReader:
    """Reads the clauses of one instruction by the demand model."""

    def __init__(
        self, parsed: ParsedInstruction, model: DemandModel, phrases: LearnedPhrases
    ) -> None:
        self._parsed = parsed
        self._model = model
        self._phrases = phrases
        self._uses: list[WordUse] = []
        self._degree = 1.0
        self._has_said = False

    def read(self, parsed: ParsedClause, parts: SpokenParts, has_said: bool) -> DemandFound:
        """Read a clause.

        Args:
            has_said: something was said before that "it" may mean.
        """
        tree = parsed.tree
        self._uses, self._degree, self._has_said = [], 1.0, has_said
        heads: dict[str, int] = {}
        for argument, head in zip(parts.clause.arguments, parts.heads, strict=True):
            heads.setdefault(argument.noun, head)

        def fit(noun: str, type_: str) -> float:
            return self._phrases.rate(tree, heads[noun], type_) if noun in heads else 0.0

        demands = self._model.rank(parts.clause, self._parsed.context.domain, fit, _MOST_DEMANDS)
        demand = next((one for one in demands if self._has_things(one)), None)
        if demand is None or demand.degree < (_LEAST if demand.slots else _KNOWN):
            return DemandFound()
        rivals = [one.degree for one in demands if one is not demand]
        if demand.degree < _KNOWN and max(rivals, default=0.0) > _CLOSE * demand.degree:
            return DemandFound()  # "wash | the mug" is no more putting away than wiping
        said = self._fill(demand, parts, tree)
        if said is None:
            return DemandFound((), self._degree, demand)
        self._degree *= demand.degree**0.5
        if self._degree < LEARNED.alone and demand.frame.verb != parts.clause.verb:
            self._degree = min(self._degree, Confidence.LIKELY.degree)
        uses = tuple(self._list_uses(parsed, parts, demand))
        beside = list(self._read_rest(demand, parts, tree))
        found = []
        for one in self._nest(said, beside):
            found.append(SpokenClause(Act.ACHIEVE, (one,), verb=parts.clause.verb, uses=uses))
            uses = ()
        found[0] = replace(found[0], uses=(*found[0].uses, *self._uses))
        filled = set(demand.slots.values())
        left = sum(a.is_thing and i not in filled for i, a in enumerate(parts.clause.arguments))
        left -= sum(bool(role.word) for role in demand.frame.roles)
        return DemandFound(tuple(found), self._degree, demand, max(0, left))

    def _is_used(self, start: int, end: int) -> bool:
        return any(use.start <= start and end <= use.end for use in self._uses)

    def _read_rest(
        self, demand: Demand, parts: SpokenParts, tree: Tree
    ) -> Iterator[tuple[str, Phrase]]:
        """Yield the phrases that fill no place of a demand, and the prepositions before them."""
        for i, argument in enumerate(parts.clause.arguments):
            filled = i in demand.slots.values()
            if not filled and argument.preposition and argument.is_thing:
                yield from self._read_beside(tree, argument.preposition, parts.heads[i])
            elif filled:
                for child in tree.list_children(parts.heads[i], "prep"):
                    for noun in tree.list_children(child.place, "pobj"):
                        yield from self._read_beside(tree, child.text, noun.place)
                for child in tree.list_children(parts.heads[i], "acl"):
                    for noun in tree.list_children(child.place, "dobj"):
                        if child.text in _HOLDING:
                            yield from self._read_beside(tree, child.text, noun.place)

    def _read_beside(
        self, tree: Tree, preposition: str, place: int
    ) -> Iterator[tuple[str, Phrase]]:
        """Yield the phrase behind a preposition if it has no part in what was read."""
        head = tree.words[place]
        if (
            head.is_noun
            and head.lemma not in DIRECTIONS
            and not self._is_used(head.start, head.end)
        ):
            phrase, above = self._phrases.read(tree, place, ""), tree.words[head.head]
            if phrase is not None and not above.is_inserted:
                use = WordUse(above.start, above.end, WordRole.ACTION, preposition)
                yield preposition, replace(phrase, uses=(*phrase.uses, use))

    def _nest(
        self, said: Predication, beside: Sequence[tuple[str, Phrase]]
    ) -> Iterator[Predication]:
        """Yield what a clause asks for, and what is said of the thing and the place in it.

        "A bowl with a spoon | in the sink", "a spoon in a bowl | in the sink".
        """
        slots = list(said.arguments)
        filled = [one for one in said.arguments.values() if isinstance(one, NounPhrase)]
        if not filled or len(filled) < len(slots):
            yield said
            return
        thing, place = filled[0], filled[1] if len(filled) > 1 else None
        for preposition, phrase in beside:
            found = self._nest_one(said, preposition, phrase, thing, place)
            if found:
                self._uses += collect_phrase_uses(phrase)
                yield from found
                return
        yield said

    def _nest_one(
        self,
        said: Predication,
        preposition: str,
        phrase: Phrase,
        thing: NounPhrase,
        place: NounPhrase | None,
    ) -> tuple[Predication, ...]:
        """Say what a phrase behind a preposition says besides; nothing if that makes no sense."""
        slots = list(said.arguments)
        if preposition in _HOLDING and self._may_be(phrase, thing, "in"):
            inner = replace(said, arguments={**said.arguments, slots[0]: take_for_known(thing)})
            return _place(phrase, thing, "in"), inner  # "it" is the bowl, not what is in it
        if preposition not in _PLACES or place is None or not isinstance(phrase, NounPhrase):
            return ()
        if self._phrases.is_there(place, phrase):
            where = Predication(None, {PLACE: phrase}, THEME, preposition)
            told = replace(place, qualities=(*place.qualities, where))
            return (replace(said, arguments={**said.arguments, slots[1]: told}),)
        if self._may_be(place, phrase, preposition):
            return said, _place(take_for_known(place), phrase, preposition)
        if self._may_be(phrase, place, "in"):
            inner = replace(said, arguments={**said.arguments, slots[1]: phrase})
            return inner, _place(take_for_known(phrase), place, "in")
        return ()

    def _may_be(self, thing: Phrase, place: Phrase, preposition: str) -> bool:
        """Return True if a thing may be at a place, which it isn't at by itself."""
        if not isinstance(thing, NounPhrase) or not isinstance(place, NounPhrase):
            return False
        types = self._phrases.list_types(thing), self._phrases.list_types(place)
        return all(types) and self._parsed.places.choose(preposition, *types) is not None

    def _has_things(self, demand: Demand) -> bool:
        """Return True unless a demand is about "it" before anything was spoken of."""
        objects = [role.slot for role in demand.frame.roles if role.slot and role.marker == OBJECT]
        return bool(self._has_said) or all(slot in demand.slots for slot in objects)

    def _fill(self, demand: Demand, parts: SpokenParts, tree: Tree) -> Predication | None:
        """Fill the places of a demand with what the clause speaks of."""
        arguments: dict[str, Argument] = {}
        others = [parts.heads[i] for i in demand.slots.values()]
        for slot, position in demand.slots.items():
            head, type_ = parts.heads[position], demand.meaning.types.get(slot, "")
            if type_ == NUMBER:
                number = self._read_number(tree, head)
                if number is None:
                    return None
                arguments[slot] = number
                continue
            without = frozenset(_list_prepositions(tree, head, others))
            beside = frozenset(_list_behind(tree, head, others))
            phrase = self._phrases.read(tree, head, type_, without, beside) if beside else None
            phrase = phrase or self._phrases.read(tree, head, type_, without)
            if phrase is None:
                self._degree *= _NO_THING
                return None
            self._degree *= phrase.degree
            arguments[slot] = phrase
            self._uses += collect_phrase_uses(phrase)
        for role in demand.frame.roles:
            if role.slot and role.slot not in arguments:
                if (arguments and role.marker != OBJECT) or not self._has_said:
                    self._degree *= _NO_THING
                else:
                    arguments[role.slot] = NounPhrase(0, 0, Reference.IT, Determiner.THE)
        return Predication(self._drop_source(demand, arguments), arguments)

    def _read_number(self, tree: Tree, place: int) -> int | None:
        """Read "(set the table) for | two", "two guests"."""
        for word in (tree.words[place], *tree.list_children(place, "nummod", "det")):
            number = int(word.text) if word.text.isdigit() else NUMBERS.get(word.text)
            if number is not None:
                said = list_uses({word, tree.words[place]}, WordRole.QUANTITY, str(number))
                self._uses += said
                return number
        return None

    def _drop_source(self, demand: Demand, arguments: dict[str, Argument]) -> Meaning:
        """Say nothing of where a thing was: that it isn't there any more is nobody's wish."""
        meaning = demand.meaning
        sources = [r.slot for r in demand.frame.roles if r.marker.removeprefix("prep:") in SOURCES]
        if meaning.source is not MeaningSource.RULE or not any(s in arguments for s in sources):
            return meaning
        kept = [slot for slot in demand.frame.slots if slot not in sources]
        rule = self._parsed.context.domain.rules[meaning.name]
        without = make_rule_meaning(rule, kept)
        if without is None:
            return meaning
        for slot in sources:
            arguments.pop(slot, None)
        return without

    def _list_uses(
        self, parsed: ParsedClause, parts: SpokenParts, demand: Demand
    ) -> Iterator[WordUse]:
        """Yield the uses of the verb, its particle, complement and prepositions."""
        tree, name = parsed.tree, demand.meaning.name
        said = [tree.words[parsed.verb]] if demand.degree >= _KNOWN else []
        for child in tree.list_children(parsed.verb):
            if child.text in (parts.clause.particle, parts.clause.complement) or child.role in (
                "prt",
                "aux",
                "auxpass",
            ):
                said.append(child)
        frames = self._model.list_frames(demand.meaning, self._parsed.context.domain)
        words = {word for frame in frames for word in frame.complement.split()}
        for child in tree.list_children(parsed.verb, "dobj", "attr", "acomp"):
            said_so = parts.clause.complement.split()[-1:] == [child.lemma]
            if child.lemma in words and (
                said_so or demand.degree >= _KNOWN
            ):  # "has | a clean floor"
                before = tree.list_children(child.place, "det", "amod", "compound")
                said += [child, *(w for w in before if w.role == "det" or w.text in words)]
        own = list(_list_own_words(parts, demand, frames))
        for place in own:
            said += [tree.words[place], *tree.list_children(place, "det", "compound")]
        for position in (*demand.slots.values(), *(parts.heads.index(place) for place in own)):
            above = tree.words[tree.words[parts.heads[position]].head]
            while above.tag in ("IN", "TO", "RP", "RB") and above.head != above.place:
                said.append(above)
                above = tree.words[above.head]
        for word in said:
            if not word.is_inserted:
                yield WordUse(word.start, word.end, WordRole.ACTION, name)


def _list_own_words(parts: SpokenParts, demand: Demand, frames: Sequence[Frame]) -> Iterator[int]:
    """Yield the nouns that are words of a phrase itself: "refill {what} | with detergent"."""
    words = {role.word.split()[-1] for frame in frames for role in frame.roles if role.word}
    for i, argument in enumerate(parts.clause.arguments):
        if i not in demand.slots.values() and argument.noun.split()[-1] in words:
            yield parts.heads[i]


def _place(thing: Phrase, place: Phrase, preposition: str) -> Predication:
    return Predication(None, {THEME: thing, PLACE: place}, preposition=preposition)


def _list_prepositions(tree: Tree, head: int, others: Sequence[int]) -> Iterator[int]:
    """Yield the prepositions below a noun that lead to what fills another place."""
    below = set(tree.list_subtree(head))
    for other in others:
        if other != head and other in below:
            above = tree.words[tree.words[other].head]
            while tree.words[above.head].role == "prep" and above.head != head:
                above = tree.words[above.head]  # "out of"
            yield above.place


def _list_behind(tree: Tree, head: int, others: Sequence[int]) -> Iterator[int]:
    """Yield the place right behind an object that the parser gave to its verb, if it fills none."""
    word = tree.words[head]
    last = max(tree.list_subtree(head))
    for prep in tree.list_children(word.head, "prep") if word.role == "dobj" else ():
        noun = tree.find_child(prep.place, "pobj")
        behind = prep.place == last + 1 and prep.text in _BESIDE
        if behind and noun is not None and noun.place not in others:
            yield prep.place
