# SPDX-License-Identifier: Apache-2.0
"""Noun phrases over a dependency tree.

The tree says which nouns there are, which words belong to each and where its phrase begins; words
at tokens say the rest, so that a place which the tree gives to the wrong noun or to the verb is
offered as an alternative, and types decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from fcp_ros.language.english.tokens import Token
from fcp_ros.language.english.word_lists import PhraseSet
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.meanings import PatternTable
from fcp_ros.language.parsing.noun_phrases.adjective_parser import UNKNOWN_ADJECTIVE
from fcp_ros.language.parsing.noun_phrases.head_parser import PRONOUNS, HeadParser
from fcp_ros.language.parsing.noun_phrases.pattern_matcher import DEEPEST, MOST_TREES
from fcp_ros.language.parsing.noun_phrases.quantities import read_openings
from fcp_ros.language.parsing.noun_phrases.relative_parser import RelativeParser, Said
from fcp_ros.language.parsing.noun_phrases.set_parser import SetParser
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    Coordination,
    Determiner,
    ElementName,
    Listed,
    NounPhrase,
    Phrase,
    Reference,
    list_phrase_uses,
)
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Tree, Word

_MOST_OF_LENGTH = 4
"""Phrases that are kept of one length."""
_REST_JOINED, _PLACED_JOINED, _UNJOINED = 0.85, 0.9, 0.9
"""Degrees: of "the mug and the others" as one phrase, of "the cups in the kitchen and the dishes",
of phrases that the tree doesn't join."""
_PRONOUNS = (
    Reference.IT,
    Reference.SPEAKER,
    Reference.ADDRESSEE,
    Reference.THERE,
    Reference.HERE,
)
_GUESSED = 0.93
"""Degree of a phrase whose head is none in the tree."""
_MOST_PARTS = 24
_ASIDE = ", along with"
"""A joint between commas."""
_ALSO = PhraseSet("as well as", "(along|together) with", "and also")
_AnyPhrase = TypeVar("_AnyPhrase", bound=Phrase)


@dataclass(frozen=True, slots=True)
class _Chain:
    """Phrases in a row, and the words between them."""

    end: int
    parts: tuple[Phrase, ...]
    joints: tuple[str, ...] = ()
    uses: tuple[WordUse, ...] = ()
    degree: float = 1.0


class NounParser(SetParser):
    """A chart of the noun phrases of one instruction, over its tree."""

    def __init__(
        self,
        tokens: Sequence[Token],
        lexicon: Lexicon,
        patterns: PatternTable,
        # the degree to which a phrase may fill a slot of a type
        fits: Callable[[Phrase, str], float],
        check: Callable[[], None],
        tree: Tree,  # over (some of) the tokens
    ) -> None:
        super().__init__(tokens, lexicon, patterns, fits, check)
        self.spans = TreeSpans(tree, tokens)
        self._heads = HeadParser(self, self.spans)
        self._tails = RelativeParser(self, self.spans)

    def parse_phrases(self, start: int, depth: int = 0) -> list[tuple[int, Phrase]]:
        """Return the noun phrases, also joined ones, that begin at a token, and their ends."""
        key = (start, depth)
        if key not in self._phrases:
            self._phrases[key] = []  # a circle finds nothing
            simple = self.parse_simple(start, depth)
            found = [*simple, *self._join(start, simple, depth)]
            self._phrases[key] = _keep_best(found)
        return self._phrases[key]

    def parse_simple(self, start: int, depth: int = 0) -> list[tuple[int, NounPhrase]]:
        """Return the noun phrases with one head that begin at a token."""
        key = (start, depth)
        if start >= self.spans.end or depth > DEEPEST:
            return []
        if key not in self._simple:
            self._simple[key] = []
            heads = self.spans.list_heads(start)
            found = [pair for word in heads for pair in self._read_head(word, start, depth)]
            alone = self.get_text(start) in PRONOUNS.keys() - {"that", "this"}
            if not alone and not any(_has_noun(phrase) for _, phrase in found):
                for word in dict.fromkeys(self._guess_heads(start)):
                    found += [
                        (end, replace(phrase, degree=phrase.degree * _GUESSED))
                        for end, phrase in self._read_head(word, start, depth)
                    ]
            self._simple[key] = _keep_best(found)
        return self._simple[key]

    def read_behind(self, start: int, depth: int) -> Iterator[Said]:
        """Yield what is said of something behind its noun: places, states, relative clauses."""
        yield from self._tails.read_behind(start, depth)

    def _read_head(self, word: Word, start: int, depth: int) -> list[tuple[int, NounPhrase]]:
        """Return the phrases of a head from a token on."""
        self._check()
        below = self.spans.list_tokens(word.place)
        found: list[tuple[int, NounPhrase]] = []
        for phrase in self._heads.read(start, word):
            if depth >= DEEPEST or self._is_pronoun(phrase):
                found.append((phrase.end, phrase))
            else:
                longer = self._tails.extend(phrase, depth, below)
                found += [(one.end, one) for one in longer]
        return _keep_best(found)

    def _is_pronoun(self, phrase: NounPhrase) -> bool:
        """Return True for what nothing is said of behind it: in "it | on the table"."""
        single = phrase.end == phrase.start + 1 and phrase.head is Reference.THEM
        return phrase.head in _PRONOUNS or (single and self.get_text(phrase.start) in PRONOUNS)

    def _guess_heads(self, start: int) -> Iterator[Word]:
        """Yield what may be a head where the tree has none: nouns that it took for verbs."""
        for opening in read_openings(self.tokens, start):
            for place in range(opening.end, min(opening.end + 2, len(self.tokens))):
                nouns = self.lexicon.find_nouns(self.tokens, place)
                ends = [match.end for match in nouns]
                if place > start and self.get_text(place) in ("one", "ones"):
                    ends.append(place + 1)
                yield from (self.spans.words[e - 1] for e in ends if e - 1 in self.spans.words)

    # --- joined phrases

    def _join(
        self, start: int, simple: Sequence[tuple[int, Phrase]], depth: int
    ) -> Iterator[tuple[int, Phrase]]:
        """Yield phrases that are joined by commas, "and" and "or"."""
        opened = self.get_text(start)
        chains = [_Chain(end, (one,), degree=one.degree) for end, one in simple]
        if opened in ("both", "either", "neither"):
            chains = [chain for chain in chains if _is_plural(chain.parts[0])]
            use = self.describe_use(start, start + 1, WordRole.QUANTITY)
            after = self.parse_simple(start + 1, depth)
            chains += [_Chain(end, (one,), (), (use,), one.degree) for end, one in after]
        for _ in range(_MOST_PARTS):
            longer = [more for chain in chains for more in self._lengthen(chain, depth)]
            if not longer:
                return
            longer.sort(key=lambda chain: (-chain.degree, -chain.end))
            chains = longer[:MOST_TREES]
            for chain in chains:
                if chain.joints[-1] != ",":
                    for phrase in _group(chain, opened, start):
                        yield chain.end, phrase

    def _lengthen(self, chain: _Chain, depth: int) -> Iterator[_Chain]:
        for place, joint in self._read_joint(chain.end):
            more: list[tuple[int, Phrase]] = [*self.parse_simple(place, depth)]
            if self.get_text(place) in ("either", "both"):
                more += self._join(place, (), depth)
            rate = 1.0 if self._is_joined(place) else _UNJOINED
            use = self.describe_use(chain.end, place, WordRole.FILLER)
            for after, part in more:
                closing = joint == _ASIDE and self.get_text(after) == ","
                word = "and" if joint == _ASIDE else joint
                yield _Chain(
                    after + closing,
                    (*chain.parts, part),
                    (*chain.joints, word),
                    (*chain.uses, use),
                    chain.degree * part.degree * rate,
                )

    def _is_joined(self, place: int) -> bool:
        """Return True if the tree joins what begins at a token with something before it."""
        heads = self.spans.list_heads(place)
        return any(word.role in ("conj", "appos") or word.role == "pobj" for word in heads)

    def _read_joint(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield where the next part begins, and the word that joins it."""
        text, following = self.get_text(start), self.get_text(start + 1)
        if text == "," and following in ("and", "or", "nor"):
            yield start + 2, following
        elif text == ",":
            yield start + 1, ","
        elif text in ("and", "or", "nor"):
            yield start + (2 if following == "also" else 1), text
        elif text in ("&", "plus"):
            yield start + 1, "and"
        comma = text == ","
        also = _ALSO.find_end(self.tokens, start + comma)
        if also > start + comma:
            yield also, _ASIDE if comma else "and"


def _group(chain: _Chain, opened: str, start: int) -> Iterator[Phrase]:
    """Yield what a chain means: one group, or two where "and" and "or" are mixed."""
    parts = share_determiner(chain.parts)
    joints = list(chain.joints)
    last = "and"
    for place in reversed(range(len(joints))):  # a comma stands for what comes next
        last = joints[place] = last if joints[place] == "," else joints[place]
    degree = chain.degree
    simple = [part for part in parts if isinstance(part, NounPhrase)]
    if any(said.preposition for part in simple[:-1] for said in part.qualities):
        degree *= _PLACED_JOINED
    if any(part.determiner is Determiner.REST for part in simple[1:]):
        degree *= _REST_JOINED
    if opened == "neither" and "nor" in joints:
        uses = (*chain.uses, *(use for part in parts for use in list_phrase_uses(part)))
        listed = Listed(tuple(replace(part, uses=()) for part in simple))
        none = Determiner.NO
        yield NounPhrase(start, chain.end, listed, none, None, True, uses=uses, degree=degree)
    elif "or" not in joints or (simple and simple[0].determiner is Determiner.NO):
        yield Coordination(parts, False, chain.uses, degree)
    elif "and" not in joints:
        yield Coordination(parts, True, chain.uses, degree)
    else:
        for outer in ("and", "or"):
            groups: list[list[Phrase]] = [[parts[0]]]
            for joint, part in zip(joints, parts[1:], strict=True):
                if joint == outer:
                    groups.append([part])
                else:
                    groups[-1].append(part)
            inner = tuple(
                Coordination(tuple(group), outer == "and") if len(group) > 1 else group[0]
                for group in groups
            )
            yield Coordination(inner, outer == "or", chain.uses, degree)


def _has_noun(phrase: NounPhrase) -> bool:
    return phrase.degree > UNKNOWN_ADJECTIVE and phrase.head is not Reference.THEM


def _is_plural(phrase: Phrase) -> bool:
    return isinstance(phrase, NounPhrase) and phrase.plural and phrase.number is None


def share_determiner(parts: Sequence[_AnyPhrase]) -> tuple[_AnyPhrase, ...]:
    """Give a determiner to parts that have none: "the kitchen and living room"."""
    given: list[Phrase] = []
    phrases: Sequence[Phrase] = parts
    first = before = phrases[0]
    for part in phrases:
        if given and isinstance(part, NounPhrase) and isinstance(first, NounPhrase):
            bare = part.determiner is Determiner.BARE and part.number is None
            singular = not part.plural and not isinstance(part.head, ElementName)
            sharing = (Determiner.THE, Determiner.ALL, Determiner.NO)
            if bare and (singular or first.determiner in sharing):
                known = before.determiner if isinstance(before, NounPhrase) else first.determiner
                part = replace(part, determiner=known)
        given.append(part)
        before = part
    return cast("tuple[_AnyPhrase, ...]", tuple(given))


def _keep_best(found: list[tuple[int, _AnyPhrase]]) -> list[tuple[int, _AnyPhrase]]:
    """Keep the best phrases, and of each length at least a few."""
    found.sort(key=lambda pair: (-pair[1].degree, -pair[0]))
    kept: list[tuple[int, _AnyPhrase]] = []
    of_end: dict[int, int] = {}
    for end, phrase in found:
        if (end, phrase) in kept:
            continue
        if of_end.get(end, 0) < _MOST_OF_LENGTH and len(kept) < 2 * MOST_TREES:
            of_end[end] = of_end.get(end, 0) + 1
            kept.append((end, phrase))
    return kept
