# SPDX-License-Identifier: Apache-2.0
"""Sentences by what was learned from people: each clause of the tree as what it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset.instance.facts import facts
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.demands.clause import OBJECT, SOURCES
from fcp_ros.language.demands.model import Demand, DemandModel
from fcp_ros.language.demands.parsed_clauses import SpokenParts, read_parts
from fcp_ros.language.domain_reader.reader import ParsedInstruction
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.verbs import KEEP_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.phrases import DIRECTIONS, LearnedPhrases
from fcp_ros.language.meanings import Meaning, MeaningSource, make_rule_meaning
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Act,
    Determiner,
    ElementName,
    Link,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Reference,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.parsing.word_uses import collect_phrase_uses, collect_uses
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.clauses import Mood, ParsedClause, list_clauses
from fcp_ros.language.syntax.sentences import Segment
from fcp_ros.language.syntax.tree import Tree

_HOLDING = frozenset(["with", "containing", "holding"])
_PLACES = gather_words("in on into onto inside to at")
_THEN = gather_words("then afterwards next finally")
_EARLIER = frozenset(["after", "once"])
_REFUSED = gather_words(
    "not n't 't never no none nor neither nothing nobody without except unless besides apart "
    "instead rather only just alone if when whenever until till before since because provided case "
    "swap swapped exchange exchanged"
)
"""Words of a logic that a clause by itself doesn't have: they are for the chart alone."""
_COUNTING = gather_words(
    "but or as than most least more less fewer exactly between half other others rest same "
    "different another else while"
)
"""Words that only the chart of noun phrases understands."""
_MODALS = gather_words(
    "should must shall would could can will may might need have has got to 'd let"
)
_PLAIN = FILLERS | gather_words("please then and you i we me us now so let")
_NO_THING = 0.3
"""Degree of a demand that lacks a thing."""
_LEAST, _MOST_DEMANDS = 0.02, 3
_FEW = 2
"""Arguments that a clause without a verb has at least."""
_KNOWN = 0.5
"""Least degree of a demand whose verb was understood: what is less likely than all others together
is offered at most with the verb ("I did not understand 'glimp'")."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A clause, and how it goes on from the one before it."""

    clause: SpokenClause
    link: Link


class LearnedSyntax:
    """Finds what the clauses of an instruction ask for, and of which things.

    Args:
        logic: reads words of logic, too ("not", "if", "only"); else a sentence with one is unread.
    """

    def __init__(self, logic: bool = False) -> None:
        self._logic = logic

    def __call__(self, parsed: ParsedInstruction) -> list[Sentence]:
        """Return the sentence that is most probably meant; none if it can't be known."""
        if parsed.model is None:
            return []
        tokens = parsed.nouns.tokens
        if not self._logic and any(t.text in _REFUSED | _COUNTING for t in tokens):
            return []
        return _SentenceReader(parsed, parsed.model).read()


class _SentenceReader:
    def __init__(self, parsed: ParsedInstruction, model: DemandModel) -> None:
        self._parsed = parsed
        self._model = model
        self._phrases = LearnedPhrases(parsed, model)
        self._said: list[_Said] = []
        self._uses: list[WordUse] = []
        self._link = Link.AND
        self._degree = 1.0

    def read(self) -> list[Sentence]:
        """Read all clauses; none if something is said that they don't have."""
        for segment in self._parsed.segments:
            self._parsed.context.check()
            self._follow_links(segment)
            for clause in list_clauses(segment):
                if not self._read_clause(clause):
                    return []
        if not self._said:
            return []
        sentence = Sentence(
            tuple(one.clause for one in self._said),
            tuple(one.link for one in self._said),
            tuple(self._uses),
            self._degree,
        )
        return self._account(sentence)

    def _follow_links(self, segment: Segment) -> None:
        """Take the order from the words before a piece: "and then"."""
        tokens = self._parsed.nouns.tokens
        links = [tokens[place] for place in segment.piece.links]
        if any(token.text in _THEN for token in links):
            self._link = Link.THEN
            self._uses += [
                WordUse(t.start, t.end, WordRole.ORDER, "then") for t in links if t.text in _THEN
            ]

    # --- clauses

    def _read_clause(self, parsed: ParsedClause) -> bool:
        """Read a clause; False if it says what is not understood at all."""
        tree, verb = parsed.tree, parsed.tree.words[parsed.verb]
        if self._is_used(verb.start, verb.end):
            return True
        if parsed.negated or parsed.mood is Mood.QUESTION:
            return False
        if not self._is_at_once(parsed):
            return False
        purpose = tree.find_child(parsed.verb, "aux")  # "a mug to put on the shelf"
        if parsed.relation == "relcl" or (parsed.relation == "acl" and purpose is None):
            return True
        parts = read_parts(parsed)
        if parsed.lemma in KEEP_VERBS and parts.clause.complement:
            return False  # "leave it empty" is about all times, which is logic: for the chart
        bare = not parsed.lemma and not parts.clause.complement
        if bare and len(parts.clause.arguments) < _FEW:
            return False  # "the mug" names a thing, and nothing to be done with it
        if parts.clause.verb == "be" and (
            not parts.clause.arguments or self._is_remark(parsed, parts)
        ):
            return True
        heads: dict[str, int] = {}
        for argument, head in zip(parts.clause.arguments, parts.heads, strict=True):
            heads.setdefault(argument.noun, head)

        def fit(noun: str, type_: str) -> float:
            return self._phrases.rate(tree, heads[noun], type_) if noun in heads else 0.0

        demands = self._model.rank(parts.clause, self._parsed.context.domain, fit, _MOST_DEMANDS)
        demand = next((one for one in demands if self._has_things(one)), None)
        if demand is None or demand.degree < _LEAST:
            return True
        said = self._fill(demand, parts, tree)
        if said is None:
            return True
        self._degree *= demand.degree**0.5
        uses = tuple(self._list_uses(parsed, parts, demand))
        link = self._find_link(parsed)
        self._uses += uses
        beside = list(self._read_rest(demand, said, parts, tree))
        for one in self._nest(said, beside):
            clause = SpokenClause(Act.ACHIEVE, (one,), verb=parts.clause.verb, uses=uses)
            self._said.append(_Said(clause, link))
            link, uses = Link.AND, ()
        return True

    def _is_at_once(self, parsed: ParsedClause) -> bool:
        """Return False for "while the door is open", not for "while holding the mug"."""
        tree = parsed.tree
        for word in tree.list_children(parsed.verb, "mark", "advmod"):
            if word.text == "while":
                if tree.words[parsed.verb].tag != "VBG" or parsed.subject is not None:
                    return False
                self._uses.append(WordUse(word.start, word.end, WordRole.ORDER, "while"))
        return True

    def _is_remark(self, parsed: ParsedClause, parts: SpokenParts) -> bool:
        """Return True for what is so already: "the door is shut"."""
        helpers = parsed.tree.list_children(parsed.verb, "aux")
        finite = parsed.mood is Mood.STATEMENT and parsed.relation == "ROOT" and bool(parsed.lemma)
        return finite and not any(one.text in _MODALS or one.is_inserted for one in helpers)

    def _read_rest(
        self, demand: Demand, said: Predication, parts: SpokenParts, tree: Tree
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
            inner = replace(said, arguments={**said.arguments, slots[0]: _repeat(thing)})
            return _place(phrase, thing, "in"), inner  # "it" is the bowl, not what is in it
        if preposition not in _PLACES or place is None or not isinstance(phrase, NounPhrase):
            return ()
        if self._is_there(place, phrase):
            where = Predication(None, {PLACE: phrase}, THEME, preposition)
            told = replace(place, qualities=(*place.qualities, where))
            return (replace(said, arguments={**said.arguments, slots[1]: told}),)
        if self._may_be(place, phrase, preposition):
            return said, _place(_repeat(place), phrase, preposition)
        if self._may_be(phrase, place, "in"):
            inner = replace(said, arguments={**said.arguments, slots[1]: phrase})
            return inner, _place(_repeat(phrase), place, "in")
        return ()

    def _is_there(self, thing: NounPhrase, place: NounPhrase) -> bool:
        """Return True if it is said which one is meant: it is there already."""
        things, places = map(_list_names, (thing, place))
        return any(
            fact.arguments[0] in things and places & {*fact.arguments[1:]}
            for fact in facts(self._parsed.context.instance)
        )

    def _may_be(self, thing: Phrase, place: Phrase, preposition: str) -> bool:
        """Return True if a thing may be at a place, which it isn't at by itself."""
        if not isinstance(thing, NounPhrase) or not isinstance(place, NounPhrase):
            return False
        types = self._phrases.list_types(thing), self._phrases.list_types(place)
        return all(types) and self._parsed.places.choose(preposition, *types) is not None

    def _has_things(self, demand: Demand) -> bool:
        """Return True unless a demand is about "it" before anything was spoken of."""
        objects = [role.slot for role in demand.frame.roles if role.slot and role.marker == OBJECT]
        return bool(self._said) or all(slot in demand.slots for slot in objects)

    def _fill(self, demand: Demand, parts: SpokenParts, tree: Tree) -> Predication | None:
        """Fill the places of a demand with what the clause speaks of."""
        arguments: dict[str, Phrase] = {}
        others = [parts.heads[i] for i in demand.slots.values()]
        for slot, position in demand.slots.items():
            head, type_ = parts.heads[position], demand.meaning.types.get(slot, "")
            without = frozenset(_list_prepositions(tree, head, others))
            phrase = self._phrases.read(tree, head, type_, without)
            if phrase is None:
                self._degree *= _NO_THING
                return None
            self._degree *= phrase.degree
            arguments[slot] = phrase
            self._uses += collect_phrase_uses(phrase)
        for role in demand.frame.roles:
            if role.slot and role.slot not in arguments:
                if (arguments and role.marker != OBJECT) or not self._said:
                    self._degree *= _NO_THING
                else:
                    arguments[role.slot] = NounPhrase(0, 0, Reference.IT, Determiner.THE)
        return Predication(self._drop_source(demand, arguments), arguments)

    def _drop_source(self, demand: Demand, arguments: dict[str, Phrase]) -> Meaning:
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
        for position in demand.slots.values():
            above = tree.words[tree.words[parts.heads[position]].head]
            while above.tag in ("IN", "TO", "RP", "RB") and above.head != above.place:
                said.append(above)
                above = tree.words[above.head]
        for word in said:
            if not word.is_inserted:
                yield WordUse(word.start, word.end, WordRole.ACTION, name)

    def _find_link(self, parsed: ParsedClause) -> Link:
        """Find the place of a clause in the order of all."""
        tree = parsed.tree
        marks = {parsed.mark, *(c.text for c in tree.list_children(parsed.verb, "advmod", "mark"))}
        after = parsed.relation == "prep:after" or (marks & _EARLIER)
        link, self._link = self._link, Link.AND
        if after:
            for word in tree.words:
                if word.text in _EARLIER and word.role in ("prep", "mark", "advmod"):
                    self._uses.append(WordUse(word.start, word.end, WordRole.ORDER, "after"))
            if self._said:
                return Link.EARLIER
            self._link = Link.THEN
        elif marks & _THEN:
            link = Link.THEN
        return link

    # --- words

    def _is_used(self, start: int, end: int) -> bool:
        return any(use.start <= start and end <= use.end for use in self._uses)

    def _account(self, sentence: Sentence) -> list[Sentence]:
        """Say which words have no part in a reading; none is made without a logical one."""
        tokens = self._parsed.nouns.tokens
        uses = collect_uses(sentence)
        unread, fillers = list[int](), list[WordUse]()
        for place, token in enumerate(tokens):
            covered = any(u.start <= token.start and token.end <= u.end for u in uses)
            if covered or token.kind is TokenKind.MARK:
                continue
            if token.text in _PLAIN:
                fillers.append(WordUse(token.start, token.end, WordRole.FILLER))
            else:
                unread.append(place)
        degree = sentence.degree * Confidence.NOT.degree ** len(unread)
        used = (*sentence.uses, *fillers)
        return [replace(sentence, degree=degree, unread=tuple(unread), uses=used)]


def _list_names(phrase: NounPhrase) -> set[str]:
    head = phrase.head
    if isinstance(head, ElementName):
        return {head.name}
    return {*head.members} if isinstance(head, Noun) else set()


def _place(thing: Phrase, place: Phrase, preposition: str) -> Predication:
    return Predication(None, {THEME: thing, PLACE: place}, preposition=preposition)


def _repeat(phrase: NounPhrase) -> NounPhrase:
    """Speak again of the same thing."""
    return replace(phrase, determiner=Determiner.THE, number=None, qualities=(), uses=())


def _list_prepositions(tree: Tree, head: int, others: Sequence[int]) -> Iterator[int]:
    """Yield the prepositions below a noun that lead to what fills another place."""
    below = set(tree.list_subtree(head))
    for other in others:
        if other != head and other in below:
            above = tree.words[other]
            while above.head != head and above.head != above.place:
                above = tree.words[above.head]
            yield above.place
