# SPDX-License-Identifier: Apache-2.0
"""Noun phrases off a dependency tree: which things are meant, how many, and what is said of them.

The tree gives the head, what depends on it and what is joined to it; words at tokens say how many
are meant, and the lexicon what things are called. A word that has no part in a phrase stays unread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fcp_ros.language.english.prepositions import PREPOSITIONS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.word_lists import PhraseSet, gather_words
from fcp_ros.language.learned_reader.noun_phrases.descriptions import DescriptionReader, FindState
from fcp_ros.language.learned_reader.noun_phrases.head_reader import (
    PRONOUNS,
    UNKNOWN,
    HeadReader,
    PhraseStart,
)
from fcp_ros.language.learned_reader.noun_phrases.joined_nouns import NounLinks, share_head
from fcp_ros.language.parsing.noun_phrases.head_parser import ALONE
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser, share_determiner
from fcp_ros.language.parsing.noun_phrases.quantities import (
    MANY_CLOSED,
    read_limit,
    read_openings,
)
from fcp_ros.language.parsing.noun_phrases.relative_parser import EXCEPT as EXCEPTIONS
from fcp_ros.language.parsing.noun_phrases.tree_spans import TreeSpans
from fcp_ros.language.parsing.trees import (
    PLACE,
    THEME,
    Coordination,
    Determiner,
    ElementName,
    HalfOf,
    Listed,
    Noun,
    NounPhrase,
    Phrase,
    Predication,
    Quantity,
    Reference,
)
from fcp_ros.language.parsing.word_uses import list_phrase_uses
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.tree import Word

EXCEPT = PhraseSet("without", *map(" ".join, EXCEPTIONS))
"""Words before what is left out."""
_LEFT_OVER = 0.5
"""Degree of a phrase for each word of the tree that it leaves out."""
_APART = 0.98
"""Degree of what is said of a thing behind the place where it is."""
_DEEPEST = 3
_NOW = gather_words("now currently already still initially originally right")
"""Adverbs of what is so already, which is how things are described anyway."""
_LOOSE_LINKS = frozenset([",", "also", "either", "both", "neither"])
_AND = gather_words("and & plus as well along together with then")
_UNJOINED = 0.9
"""Degree of a list without "and"."""
_MOST = 8


class NounReader:
    """A reader of the noun phrases of one instruction."""

    def __init__(self, nouns: NounParser, spans: TreeSpans, find_state: FindState) -> None:
        self._nouns = nouns
        self._use, self._get = nouns.describe_use, nouns.get_text
        self._tokens = nouns.tokens
        self._spans = spans
        self._tree = spans.tree
        self._links = NounLinks(spans.tree, nouns.get_text)
        self._barred = frozenset[int]()  # what belongs to none of the phrases that are being read
        self._beside = frozenset[int]()  # what is said of the one that is being read
        self._said = DescriptionReader(nouns, spans, self._read_best, find_state)
        self._heads = HeadReader(nouns, spans, self._said)
        self.domain_phrases = self._said.phrases

    def read(
        self,
        head: int,
        without: frozenset[int] = frozenset(),
        depth: int = 0,
        beside: frozenset[int] = frozenset(),
    ) -> tuple[Phrase, ...]:
        """Return the phrases with a word of the tree as head, best first; none if it isn't known.

        Args:
            head: the place of a noun, pronoun, number or quantifier in the tree.
            without: places of subtrees that belong to something else.
            beside: places of subtrees right behind it that the tree gives to its verb, which are
                said of it nevertheless.
        """
        word = self._tree.words[head]
        outer, self._barred = self._barred, self._barred | without
        inner, self._beside = self._beside, beside
        try:
            return tuple(self._read_any(word, self._barred, depth))
        finally:
            self._barred, self._beside = outer, inner

    def _read_any(self, word: Word, without: frozenset[int], depth: int) -> Sequence[Phrase]:
        joined = [one for one in self._links.list_joined(word) if one.place not in without]
        if joined:
            listed = [p for p in self._read_one(word, without, depth) if isinstance(p.head, Listed)]
            group = listed or self._read_group(word, joined, without, depth)
            if group:
                return group
        return self._read_one(word, without, depth)

    def _read_best(
        self, word: Word, type_: str, depth: int, without: frozenset[int] = frozenset()
    ) -> Phrase | None:
        """Read what is within a phrase."""
        if depth > _DEEPEST:
            return None
        found = self.read(word.place, without, depth)
        rated = [(p.degree * self._nouns.fit(p, type_), p) for p in found]
        degree, phrase = max(rated, key=lambda one: one[0], default=(0.0, None))
        return phrase if degree > UNKNOWN else None

    # --- joined phrases

    def _read_group(
        self, word: Word, joined: Sequence[Word], without: frozenset[int], depth: int
    ) -> list[Phrase]:
        others = frozenset(one.place for one in joined)
        parts: list[NounPhrase] = []
        for one in (word, *joined):
            inner = self._links.list_links(one)
            barred = without | others | {w.place for w in inner}
            barred -= {one.place}
            found = next(iter(self._read_one(one, barred, depth)), None)
            if found is None:
                return []
            parts.append(found)
        parts = share_head(parts)
        links = [w for one in (word, *joined) for w in self._links.list_links(one)]
        texts = {w.text for w in links if w.text not in _LOOSE_LINKS}
        uses = tuple(self._use(w.token, w.token + 1, WordRole.FILLER) for w in links)
        degree = 1.0
        for part in parts:
            degree *= part.degree
        given = share_determiner(parts)
        if "nor" in texts:
            listed = Listed(tuple(replace(part, uses=()) for part in given))
            own = (*uses, *(use for part in given for use in part.uses))
            end, no = given[-1].end, Determiner.NO
            return [
                NounPhrase(given[0].start, end, listed, no, None, True, uses=own, degree=degree)
            ]
        if texts <= _AND:
            return [Coordination(given, False, uses, degree * (1.0 if texts else _UNJOINED))]
        if texts == {"or"}:
            none = given[0].determiner is Determiner.NO
            return [Coordination(given, not none, uses, degree)]
        if texts == {"and", "or"}:
            return [self._group_mixed(given, [word, *joined], uses, degree)]
        return []

    def _group_mixed(
        self,
        parts: tuple[NounPhrase, ...],
        words: Sequence[Word],
        uses: tuple[WordUse, ...],
        degree: float,
    ) -> Phrase:
        """Group "the mug and either the bowl or the glass"."""
        groups: list[list[Phrase]] = [[parts[0]]]
        for before, part in zip(words, parts[1:], strict=False):
            if any(w.text == "and" for w in self._links.list_links(before)):
                groups.append([part])
            else:
                groups[-1].append(part)
        inner = tuple(
            Coordination(tuple(group), True) if len(group) > 1 else group[0] for group in groups
        )
        return Coordination(inner, False, uses, degree) if len(inner) > 1 else inner[0]

    # --- one phrase

    def _read_one(self, word: Word, without: frozenset[int], depth: int) -> list[NounPhrase]:
        own = self._spans.list_own(word, without)
        if depth:  # what stands behind a place may be said of the thing there
            own &= self._spans.list_tokens(word.place, without)
        for place in self._beside:
            own |= self._spans.list_tokens(place, without)
        barred = {
            t for place in without for t in self._spans.list_tokens(place, frozenset([word.place]))
        }
        found: list[NounPhrase] = []
        for begun in self._list_starts(word, own):
            if not barred.isdisjoint(range(begun.start, begun.core.token)):
                continue
            for phrase in self._read_begun(begun):
                for longer in self._extend(phrase, begun, word, own, without, depth):
                    left = [t for t in own if not self._is_read(longer, t) and self._is_content(t)]
                    degree = longer.degree * _LEFT_OVER ** len(left)
                    found.append(replace(longer, degree=degree))
        found += self._read_apart(word, own, without, depth)
        found.sort(key=lambda one: -one.degree)
        different: list[NounPhrase] = []
        for phrase in found:
            if phrase not in different and len(different) < _MOST:
                different.append(phrase)
        return different

    def _read_apart(
        self, word: Word, own: set[int], without: frozenset[int], depth: int
    ) -> Iterator[NounPhrase]:
        """Yield phrases with the clause behind a place: "all surfaces in the hall | that are wet".

        What can't be said of the place may be said of what is there.
        """
        last = self._spans.words[max(own)] if own else word
        while last.role not in ("relcl", "acl") and last.head != last.place:
            last = self._tree.words[last.head]
        inner = last.head not in (last.place, word.place) and last.place not in without
        if not inner or last.token not in own:
            return
        for phrase in self._read_one(word, without | {last.place}, depth):
            said = self._said.read_behind(last, _find_noun(phrase), depth)
            if said is not None:
                yield replace(said.add_to(phrase), degree=phrase.degree * said.degree * _APART)

    def _is_content(self, token: int) -> bool:
        return self._tokens[token].kind is not TokenKind.MARK

    def _is_read(self, phrase: NounPhrase, token: int) -> bool:
        one = self._tokens[token]
        return any(use.start <= one.start and one.end <= use.end for use in phrase.uses)

    def _find_core(self, word: Word, start: int, own: set[int]) -> Word:
        """Find the noun of a phrase from a token on: the mugs of "two of the mugs"."""
        inner = word
        while inner.token < start:
            following = self._spans.find_of(inner)
            if following is None and self._tree.find_child(inner.place, "relcl") is not None:
                return inner  # "all that is on the table"
            if following is None or following.token not in own:
                following = self._spans.find_core(word, start)
                return following if following and following.token in own else inner
            inner = following
        return inner

    def _list_starts(self, word: Word, own: set[int]) -> Iterator[PhraseStart]:
        seen = set[tuple[int, int, Determiner, bool, Quantity | None]]()
        for start in self._spans.list_starts(word):
            for opening in read_openings(self._tokens, start):
                core = self._find_core(word, opening.end, own)
                key = (start, opening.end, opening.determiner, opening.other, opening.number)
                if key in seen:
                    continue
                seen.add(key)
                yield PhraseStart(start, opening, core, word)

    def _read_begun(self, begun: PhraseStart) -> Iterator[NounPhrase]:
        """Yield the phrases from an opening to its core."""
        blank = self._heads.open(begun)
        listed = self._read_listed(begun, blank)
        if listed is not None:
            yield listed
        yield from self._heads.read(begun, blank)

    def _read_listed(self, begun: PhraseStart, blank: NounPhrase) -> NounPhrase | None:
        """Read "one of the mug and the bowl", whichever of them the tree joins the others to."""
        opening, core = begun.opening, begun.core
        several = opening.number is not None or opening.determiner in ALONE
        if not several or not (opening.definite or opening.partitive) or core == begun.word:
            return None
        joined = [*self._links.list_joined(core), *self._links.list_joined(begun.word)]
        if not joined:
            return None
        others = frozenset(one.place for one in (core, *joined))
        parts: list[NounPhrase] = []
        for one in (core, *joined):
            inner_links = {w.place for w in self._links.list_links(one)}
            barred = self._barred | inner_links | (others - {one.place})
            part = next(iter(self._read_one(one, barred, 1)), None)
            if part is None:
                return None
            parts.append(part)
        plurals = sum(part.plural for part in parts)
        if plurals not in (0, len(parts) if opening.number is not None else 0):
            return None
        links = [w for one in (begun.word, core, *joined) for w in self._links.list_links(one)]
        uses = [self._use(w.token, w.token + 1, WordRole.FILLER) for w in links]
        inner = [use for part in parts for use in part.uses]
        given = tuple(replace(part, uses=()) for part in share_determiner(parts))
        degree = blank.degree
        for part in parts:
            degree *= part.degree
        return replace(
            blank,
            end=max(part.end for part in parts),
            head=Listed(given),
            plural=True,
            uses=(*blank.uses, *uses, *inner),
            degree=degree,
        )

    # --- behind the head

    def _extend(
        self,
        phrase: NounPhrase,
        begun: PhraseStart,
        word: Word,
        own: set[int],
        without: frozenset[int],
        depth: int,
    ) -> Iterator[NounPhrase]:
        """Add what stands behind the head."""
        single = phrase.head in PRONOUNS.values() and phrase.head is not Reference.THEM
        if single or depth >= _DEEPEST:
            yield phrase
            return
        phrase = self._read_limit(phrase)
        phrase, excepted = self._read_exception(phrase, own, depth)
        phrase = self._read_same(phrase, own, depth)
        for child in self._list_behind(phrase, begun.core, word, own, without | excepted, depth):
            if child.role == "appos" and self._spans.find_of(child) is not None:
                phrase = self._read_total(phrase, child, without | excepted)
                continue
            said = self._said.read_behind(child, _find_noun(phrase), depth)
            if said is None or all(self._is_read(phrase, t) for t in said.tokens):
                continue
            phrase = replace(
                said.add_to(phrase), end=max(phrase.end, *(t + 1 for t in said.tokens))
            )
        idle = [t for t in own if self._get(t) in _NOW and not self._is_read(phrase, t)]
        uses = [self._use(t, t + 1, WordRole.FILLER) for t in idle]
        yield replace(phrase, uses=(*phrase.uses, *uses))

    def _list_behind(
        self,
        phrase: NounPhrase,
        core: Word,
        word: Word,
        own: set[int],
        without: frozenset[int],
        depth: int,
    ) -> Iterator[Word]:
        """Yield what depends on the head, and what stands right behind it and says more of it."""
        seen = set[int]()
        for head in dict.fromkeys((core.place, word.place)):
            for child in self._tree.list_children(head):
                if (
                    child.place not in without
                    and child.token >= phrase.start
                    and child.place not in seen
                ):
                    seen.add(child.place)
                    if not self._is_read(phrase, child.token) and child.token in own:
                        yield child
        yield from (self._tree.words[place] for place in sorted(self._beside) if not depth)
        for token in sorted(own):
            one = self._spans.words[token]
            if token < phrase.end or one.place in seen or self._is_read(phrase, token):
                continue
            above = one
            while above.head != above.place and above.head not in (word.place, core.place):
                if self._tree.words[above.head].token not in own:
                    break
                above = self._tree.words[above.head]
            if above.place not in seen and above.place not in without and above.place != word.place:
                seen.add(above.place)
                yield above
        if word.head != word.place and word.tag in ("WP", "WDT") and word.head not in without:
            yield self._tree.words[word.head]  # "whatever | is dirty"

    def _read_total(self, phrase: NounPhrase, total: Word, without: frozenset[int]) -> NounPhrase:
        """Read "(the plates,) all three of them", which says again how many are meant."""
        tokens = self._spans.list_tokens(total.place, without)
        start = min(tokens)
        if self._get(max(tokens)) != "them" or phrase.number is not None or not phrase.plural:
            return phrase
        for opening in read_openings(self._tokens, start):
            if opening.end <= start or opening.determiner not in (*ALONE, Determiner.THE):
                continue
            uses = (self._use(t, t + 1, WordRole.QUANTITY) for t in sorted(tokens))
            none = opening.determiner is Determiner.NO
            determiner = Determiner.NO if none else Determiner.ALL
            return replace(phrase, determiner=determiner, uses=(*phrase.uses, *uses))
        return phrase

    def _read_limit(self, phrase: NounPhrase) -> NounPhrase:
        """Read "(two plates) or more", "as many mugs as possible"."""
        if phrase.number is not None and phrase.number.share is HalfOf.MANY:
            for start in range(phrase.end, self._spans.end):
                end = MANY_CLOSED.find_end(self._tokens, start)
                if end > start:
                    use = self._use(start, end, WordRole.QUANTITY)
                    after = end if start == phrase.end else phrase.end
                    return replace(phrase, end=after, uses=(*phrase.uses, use))
        if phrase.number is None:
            return phrase
        for start in range(phrase.end, self._spans.end):  # also behind the place
            found = read_limit(self._tokens, start, phrase.number)
            if found is not None and (start == phrase.end or self._get(start) in (",", "but")):
                use = self._use(start, found[0], WordRole.QUANTITY)
                end = found[0] if start == phrase.end else phrase.end
                return replace(phrase, end=end, number=found[1], uses=(*phrase.uses, use))
        return phrase

    def _read_same(self, phrase: NounPhrase, own: set[int], depth: int) -> NounPhrase:
        """Read "the same room as the desk", "a different room than the desk"."""
        first = range(phrase.start, phrase.end)
        same = any(self._get(t) == "same" for t in first)
        links = ("as",) if same else ("than", "from")
        place = phrase.end
        if not (same or phrase.other) or self._get(place) not in links:
            return phrase
        if place not in own and not same:
            return phrase
        before = PREPOSITIONS.get((self._get(phrase.start - 1),), "")
        where = before if before in ("in", "on") else "from"
        for head in self._spans.list_heads(place + 1):
            other = self._read_best(head, "", depth + 1)
            if other is None:
                continue
            said = Predication(
                None, {THEME: other}, PLACE, where, negated=not same, attributive=True
            )
            use = self._use(place, place + 1, WordRole.QUALITY, "same")
            return replace(
                phrase,
                other=False,
                qualities=(*phrase.qualities, said),
                uses=(*phrase.uses, use, *list_phrase_uses(other)),
                degree=phrase.degree * other.degree,
            )
        return phrase

    def _read_exception(
        self, phrase: NounPhrase, own: set[int], depth: int
    ) -> tuple[NounPhrase, frozenset[int]]:
        """Read "except the mug": what is left out, wherever it stands behind the head."""
        single = phrase.determiner in (Determiner.THE, Determiner.A) and not phrase.plural
        if single or isinstance(phrase.head, ElementName):
            return phrase, frozenset()
        for start in sorted(t for t in own if not phrase.start <= t < phrase.end):
            end = EXCEPT.find_end(self._tokens, start)
            if end == start:
                continue
            words = [self._spans.words[t] for t in range(start, end) if t in self._spans.words]
            for head in self._spans.list_heads(end):
                inner = frozenset(w.place for w in words if w.head == head.place)  # "not"
                excluded = self._read_best(head, "", depth + 1, inner)
                if excluded is None or _says_none(excluded):
                    continue  # "all forks on the table, but no knives"
                use = self._use(start, end, WordRole.LIMIT, "except")
                above = self._spans.words[start].place if start in self._spans.words else -1
                longer = replace(
                    phrase,
                    excluded=(*phrase.excluded, excluded),
                    uses=(*phrase.uses, use, *list_phrase_uses(excluded)),
                    degree=phrase.degree * excluded.degree,
                )
                return longer, frozenset([above, head.place])
        return phrase, frozenset()


def _says_none(phrase: Phrase) -> bool:
    return isinstance(phrase, NounPhrase) and phrase.determiner is Determiner.NO


def _find_noun(phrase: NounPhrase) -> Noun | None:
    return phrase.head if isinstance(phrase.head, Noun) else None
