# SPDX-License-Identifier: Apache-2.0
"""The words behind the head of a noun phrase: places, relative clauses, exceptions, appositions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.english.function_words import PREPOSITIONS
from fcp_ros.language.english.verbs import BEING
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.noun_phrases.head_parser import close_many
from fcp_ros.language.parsing.noun_phrases.modifier_parser import NOW
from fcp_ros.language.parsing.noun_phrases.quantities import read_limit
from fcp_ros.language.parsing.noun_phrases.set_parser import SetParser
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Determiner,
    ElementName,
    HalfOf,
    Noun,
    NounPhrase,
    Predication,
    Reference,
    Words,
    list_argument_uses,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse

Said = tuple[int, Predication, tuple[WordUse, ...]]
"""Where it ends, what is said of a thing, and the words."""

_FROM, _ATTACHED, _ELSEWHERE = 0.93, 0.98, 0.98
"""Degrees: of a thing "from" a place, beside a verb of taking away; of a place that is said of the
thing before it; of one that the tree gives to something else."""
_DISAGREEING, _KNOWN_FOR, _PLACED_PRONOUN = 0.5, 0.6, 0.8
"""Of a verb that doesn't fit the number of the noun, of "the mug to drink from", of "two of them on
the table" as two of those that are there."""
_ROOM, _CONTENT = "room", Confidence.LIKELY.degree
"""Type of the places that are told by what is in them, and the degree of that, which is asked."""
EXCEPT = PhraseSet(
    "with [the] exception of",
    "(except|save) [for]",
    "(apart|aside) from",
    "[but] [just|only] not",
    "(excluding|leaving out|not counting|other than|all but|barring|besides|but|and not)",
)
"""Words before what is left out."""
_BE = BEING | gather_words("has have been be")
_POSTURES = gather_words(
    "originally initially previously before just recently now lying standing sitting placed "
    "located left stored kept found resting hanging situated lie lies stand stands sit sits "
    "currently still already"
)
_WITH = ("with", "containing", "holding")
_LEAVING = gather_words("leave put place store keep set lay")
"""Verbs of clauses that say where somebody left something."""
_FINDING = frozenset(["find", "see", "have", "get", "exist", "be", "need", "want"])
"""Verbs of clauses that say nothing of the things: "(all the cups) that you can find"."""
_HOME = "(house|home|flat|apartment|place)"
_ABLE = ("can", "could", "may")
_IDLE = PhraseSet(
    "of (mine|ours)",
    "(in question|again|at all|whatsoever)",
    f"(in|around|throughout|of) (the|this|our|my) [whole|entire] {_HOME}",
)


class RelativeParser:
    """A reader of what stands behind heads.

    Args:
        chart: reads what is within phrases, and knows the domain.
    """

    def __init__(self, chart: SetParser, spans: TreeSpans) -> None:
        self._chart = chart
        self._spans = spans
        self._tokens = chart.tokens
        self._get = chart.get_text
        self._use = chart.describe_use

    def extend(self, phrase: NounPhrase, depth: int, below: set[int]) -> Iterator[NounPhrase]:
        """Yield a phrase, and with what is said of it behind its head.

        Args:
            below: the tokens that the tree gives to it.
        """
        begun = [phrase, *self._read_idle(phrase), *self._read_limit(phrase)]
        begun += [*self._read_same(phrase, depth), *self._read_aim(phrase)]
        yield from begun
        frontier, seen = begun, list(begun)
        for _ in range(2):
            longer = [more for one in frontier for more in self._add_said(one, depth, below)]
            longer.sort(key=lambda p: (-p.degree, -p.end))
            frontier = longer[:6]
            seen += frontier
            yield from frontier
        for current in seen:
            yield from self._read_exception(current, depth)

    def _add_said(self, phrase: NounPhrase, depth: int, below: set[int]) -> Iterator[NounPhrase]:
        factor = self._rate_agreement(phrase)
        factor *= _PLACED_PRONOUN if phrase.head is Reference.THEM else 1.0
        known = phrase.determiner is Determiner.THE and not phrase.plural
        free = self._get(phrase.start) in ("whatever", "whichever", "what")
        is_free = free and self._get(phrase.end) in _BE  # "whatever (clothing) is dirty"
        is_way = self._get(phrase.end) == "to" and self._chart.leads_somewhere(phrase)
        for end, said, uses in self.read_behind(phrase.end, depth, is_free, is_way):
            kept = bool(said.arguments or said.meaning)
            degree = phrase.degree * said.degree * factor
            degree *= _FROM if said.source else _ATTACHED
            degree *= _KNOWN_FOR if known and _is_purpose(said) else 1.0
            degree *= 1.0 if phrase.end in below else _ELSEWHERE
            longer = replace(
                phrase,
                end=end,
                qualities=(*phrase.qualities, said) if kept else phrase.qualities,
                uses=(*phrase.uses, *uses),
                degree=degree,
            )
            yield longer
            if phrase.number is not None and phrase.number.share is HalfOf.MANY:
                yield from close_many(self._chart, longer)
        yield from self._read_content(phrase, depth)

    def _read_content(self, phrase: NounPhrase, depth: int) -> Iterator[NounPhrase]:
        """Read "(the room) with the desk", "(a bowl) with a watch in it", "(a pot) containing tea".

        What is in an indefinite thing may be put there first.
        """
        head, start = phrase.head, phrase.end + 1
        if not isinstance(head, Noun) or self._get(phrase.end) not in _WITH:
            return
        use = self._use(phrase.end, start, WordRole.QUALITY, "where something is")
        some = phrase.determiner in (Determiner.A, Determiner.BARE) and not phrase.plural
        for end, content in self._chart.parse_simple(start, depth + 1):
            if isinstance(content, NounPhrase) and isinstance(content.head, Words):
                continue  # "(the mug) with the handle"
            after, where = self._read_inside(end)
            if head.type == _ROOM:
                after, where = end, "from"
            said = Predication(None, {THEME: content}, PLACE, degree=content.degree)
            pronoun = [self._use(end, after, WordRole.QUALITY, "in it")] if after > end else []
            for preposition in (where,) if where else ("in", "on"):
                placed = replace(
                    said, preposition=preposition, attributive=some and preposition != "from"
                )
                yield replace(
                    phrase,
                    end=after,
                    qualities=(*phrase.qualities, placed),
                    uses=(*phrase.uses, use, *list_phrase_uses(content), *pronoun),
                    degree=phrase.degree * content.degree * (_ATTACHED if pronoun else _CONTENT),
                )

    def _read_inside(self, start: int) -> tuple[int, str]:
        """Read "in it", "inside": where it ends, and where something is; "" if that isn't said."""
        where = PREPOSITIONS.get((self._get(start),), "")
        if where in ("in", "on") and self._get(start + 1) == "it":
            return start + 2, where
        return (start + 1, "in") if self._get(start) == "inside" else (start, "")

    # --- what is said

    def read_behind(
        self, start: int, depth: int, is_free: bool = False, is_way: bool = False
    ) -> Iterator[Said]:
        """Yield what is said of something behind its noun: places, states, relative clauses.

        Args:
            depth: of the phrases around it.
            is_free: a relative clause begins without a pronoun of its own: "whatever is red".
            is_way: "to" says which it is ("the door to the kitchen"), not where it is moved.
        """
        named = [self._get(start + 1), self._get(start + 2).removesuffix("s")] == ["the", "one"]
        relative = self._get(start + 1) in ("that", "which", "who")
        comma = self._get(start) == "," and (named or relative)
        uses = list[WordUse]()
        if comma and named:  # "(the mug), the one | on the table"
            uses.append(self._use(start, start + 3, WordRole.FILLER))
            start += 3
        start += comma and relative
        yield from self._read_where(start, depth)
        begun, place = start, start
        if self._get(place) == "and" and self._get(place + 1) in ("that", "which", *_BE):
            place += 1
        if self._get(place) in ("that", "which", "who", "whatever"):
            place += 1
        elif self._get(place) in _BE and place == start and not is_free:
            return  # the verb of the sentence
        while (place > start or is_free) and self._get(place) in _BE:
            place += 1
        if place > start:
            place = self._skip_leaving(place)
        negated = False
        while self._get(place) in ("not", *_POSTURES):
            if self._get(place) == "not":
                negated = True
                uses.append(self._use(place, place + 1, WordRole.LIMIT, "not"))
            place += 1
        if place > begun:
            uses.append(self._use(begun, place, WordRole.FILLER))
        yield from self._read_mention(begun)
        for end, said in self._chart.parse_modifiers(place, depth + 1):
            if comma and self._get(end) == ",":
                end += 1
            direction = said.preposition == "to" or self._get(place) in ("back", "onto", "into")
            if direction and place == begun and not is_way:
                continue  # not where something is
            one = replace(said, negated=said.negated != negated)
            found = (*uses, *said.uses, *list_argument_uses(said))
            yield end, one, found
            after = NOW.find_end(self._tokens, end)
            if after > end and (place > begun or self._get(end) != "before"):
                yield after, one, (*found, self._use(end, after, WordRole.FILLER))

    def _skip_leaving(self, start: int) -> int:
        """Skip "(that) somebody left", "(that) I have put": it is where it is said to be."""
        subject = self._spans.words.get(start)
        verb = self._spans.tree.words[subject.head] if subject is not None else None
        if verb is None or verb.lemma not in _LEAVING or verb.token <= start:
            return start
        told = {w.token for w in self._spans.tree.list_children(verb.place)}
        past = verb.tag in ("VBD", "VBN", "VBP")
        return verb.token + 1 if past and told.issuperset(range(start, verb.token)) else start

    def _read_where(self, start: int, depth: int) -> Iterator[Said]:
        """Read "(the room) where the desk is", "that the desk stands in", "in which it is"."""
        text, place, given = self._get(start), start + 1, ""
        if text in ("in", "on") and self._get(place) == "which":
            place, given = place + 1, text
        elif text not in ("where", "that", "which"):
            return
        for end, phrase, preposition in self._chart.parse_whereabouts(place, depth + 1):
            where = given or preposition or ("from" if text == "where" else "")
            if not where or (given and preposition):
                continue
            said = Predication(None, {THEME: phrase}, PLACE, where, degree=phrase.degree)
            yield end, said, (self._use(start, end, WordRole.QUALITY, "where something is"),)

    def _read_mention(self, start: int) -> Iterator[Said]:
        """Read "that you just moved": it was spoken of before."""
        place = start + (self._get(start) in ("that", "which"))
        if self._get(place) not in ("you", "i", "we"):
            return
        verb = self._spans.words.get(place)
        if verb is None:
            return
        above = self._spans.tree.words[verb.head]
        told = {w.token for w in self._spans.tree.list_children(above.place)}
        between = set(range(place, above.token))
        if above.tag in ("VBD", "VBN") and above.token > place and between <= told:
            use = self._use(start, above.token + 1, WordRole.FILLER)
            yield above.token + 1, Predication(None, {}, THEME, "", degree=0.97), (use,)

    def _read_idle(self, phrase: NounPhrase) -> Iterator[NounPhrase]:
        """Read "(all the cups) you can find": it says nothing of the things."""
        if isinstance(phrase.head, Reference) and phrase.head is not Reference.THING:
            return
        ends = [_IDLE.find_end(self._tokens, phrase.end)]
        word = self._spans.words.get(phrase.end)
        place = phrase.end + (word is not None and word.text in ("that", "which"))
        subject = self._spans.words.get(place)
        if subject is not None and subject.text in ("you", "i", "we", "there"):
            verb = self._spans.tree.words[subject.head]
            told = {w.token for w in self._spans.tree.list_children(verb.place)}
            between = set(range(place, verb.token))
            if verb.lemma in _FINDING and verb.token >= place and between <= told:
                ends.append(verb.token + 1)
        if word is not None and word.text in ("wherever", "from"):
            start = phrase.end + (word.text == "from")
            if self._get(start) == "wherever" and self._get(start + 2) in _BE:
                ends.append(start + 3)
        for end in (one for one in ends if one > phrase.end):
            use = self._use(phrase.end, end, WordRole.FILLER)
            yield replace(phrase, end=end, uses=(*phrase.uses, use))

    def _read_limit(self, phrase: NounPhrase) -> Iterator[NounPhrase]:
        """Read "(two plates) or more", "(one hall), and not more than one,"."""
        found = read_limit(self._tokens, phrase.end, phrase.number) if phrase.number else None
        if found is not None:
            use = self._use(phrase.end, found[0], WordRole.QUANTITY)
            yield replace(phrase, end=found[0], number=found[1], uses=(*phrase.uses, use))

    def _read_same(self, phrase: NounPhrase, depth: int) -> Iterator[NounPhrase]:
        """Read "the same room as the desk", "a different room than the desk"."""
        same = self._get(phrase.end) == "as" and self._get(phrase.start + 1) == "same"
        if not same and not (phrase.other and self._get(phrase.end) in ("than", "from")):
            return
        before = PREPOSITIONS.get((self._get(phrase.start - 1),), "")
        where = before if before in ("in", "on") else "from"
        for end, other in self._chart.parse_simple(phrase.end + 1, depth + 1):
            # Not attributive: where the other one is now, lest that one is moved.
            said = Predication(None, {THEME: other}, PLACE, where, negated=not same)
            use = self._use(phrase.end, phrase.end + 1, WordRole.QUALITY, "same")
            yield replace(
                phrase,
                end=end,
                other=False,
                qualities=(*phrase.qualities, said),
                uses=(*phrase.uses, use, *list_phrase_uses(other)),
                degree=phrase.degree * other.degree,
            )

    def _read_aim(self, phrase: NounPhrase) -> Iterator[NounPhrase]:
        """Read "something to drink" where the domain has a kind of things "to drink"."""
        place = phrase.end + (self._get(phrase.end) in ("that", "which"))
        if self._get(place + 1) in _ABLE:  # "that I can drink"
            place += 2
        elif self._get(phrase.end) == "to":
            place += 1
        else:
            return
        noun = self._chart.lexicon.find_noun(f"to {self._get(place)}")
        if noun is not None and phrase.head is Reference.THING:
            noun = replace(noun, labels=tuple(n for n in noun.labels if n != noun.said))
            use = self._use(phrase.start, place + 1, WordRole.THING, noun.said)
            yield replace(phrase, end=place + 1, head=noun, uses=(*phrase.uses, use))

    def _read_exception(self, phrase: NounPhrase, depth: int) -> Iterator[NounPhrase]:
        start = phrase.end + (self._get(phrase.end) == ",")
        single = phrase.determiner in (Determiner.THE, Determiner.A) and not phrase.plural
        if single or isinstance(phrase.head, ElementName):
            return  # nothing can be left out of it
        place = EXCEPT.find_end(self._tokens, start)
        for end, excluded in self._chart.parse_phrases(place, depth + 1) if place > start else ():
            use = self._use(start, place, WordRole.LIMIT, "except")
            yield replace(
                phrase,
                end=end,
                excluded=(*phrase.excluded, excluded),
                uses=(*phrase.uses, use, *list_phrase_uses(excluded)),
                degree=phrase.degree * excluded.degree,
            )

    # --- degrees

    def _rate_agreement(self, phrase: NounPhrase) -> float:
        """Rate "the counter that are ..." lower: something else is meant."""
        comma = self._get(phrase.end) == ","
        said, verb = (self._get(phrase.end + comma + i) for i in range(2))
        if said not in ("that", "which", "who", "and") or not isinstance(phrase.head, Noun):
            return 1.0
        wrong = ("is", "was", "has") if phrase.plural else ("are", "were", "have")
        return _DISAGREEING if verb in wrong else 1.0


def _is_purpose(said: Predication) -> bool:
    """Return True for what something is good for."""
    graded = said.meaning is not None and said.meaning.source is MeaningSource.GRADED
    return graded and any(
        isinstance(argument, NounPhrase) and isinstance(argument.head, Words)
        for argument in said.arguments.values()
    )
