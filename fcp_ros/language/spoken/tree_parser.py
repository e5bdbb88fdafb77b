# SPDX-License-Identifier: Apache-2.0
"""Sentences of an instruction, read off its dependency trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import prod

from fcp_ros.language.english.connectives import LONGEST_LINK, SEQUENCE
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.sentence_parser import SentenceParser, close_sentences
from fcp_ros.language.parsing.sentences.partial_sentences import PartialSentence
from fcp_ros.language.parsing.trees import Link, Sentence
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.spoken.adjuncts import Adjuncts
from fcp_ros.language.spoken.clause_tree import ClauseNode, make_node
from fcp_ros.language.spoken.core_reader import CoreReader
from fcp_ros.language.spoken.cores import Core
from fcp_ros.language.spoken.coverage import account_words
from fcp_ros.language.spoken.demand_reader import DemandReader
from fcp_ros.language.spoken.span_phrases import MakeNouns, SpanPhrases
from fcp_ros.language.spoken.statement_reader import StatementReader
from fcp_ros.language.spoken.subordinates import Subordinates
from fcp_ros.language.spoken.verb_frames import FrameIndex
from fcp_ros.language.syntax import Segment, Word

MOST = 6
"""Readings that are kept of a clause and of a sentence."""
_LINKS = {"and": Link.AND, "then": Link.THEN, "earlier": Link.EARLIER, "first": Link.FIRST}
_INTENDED = 0.9
"""Degree of a purpose as a request: "take the towel to put it in the tub"."""
_WISHED = 0.68
"""Degree of what who speaks wants to do as a request."""


class TreeParser:
    """A parser of whole instructions.

    Args:
        segments: the pieces of the instruction with their trees.
        nouns: the chart of its noun phrases.
        make_nouns: makes a chart of other tokens.
        frames: the frames of the domain.
        matters: True for the place of a word that names something of the domain.
        chart: reads the pieces beside it, if one is given.
        demands: the learned model, for verbs that no phrase of the domain has.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        nouns: NounParser,
        make_nouns: MakeNouns,
        frames: FrameIndex,
        matters: Callable[[int], bool],
        chart: SentenceParser | None = None,
        demands: DemandReader | None = None,
    ) -> None:
        self._segments = segments
        self._nouns = nouns
        self._tokens = nouns.tokens
        words: dict[int, Word] = {}
        for segment in segments:
            words.update({w.token: w for w in segment.tree.words if w.token >= 0})
        self._words = words
        self._phrases = SpanPhrases(nouns, make_nouns, words)
        self._cores = CoreReader(self._phrases, frames, demands)
        self._statements = StatementReader(self._phrases, self._cores)
        self._adjuncts = Adjuncts(nouns)
        self._subordinates = Subordinates(nouns, self.read_node)
        self._matters = matters
        self._chart = chart

    def parse(self) -> list[Sentence]:
        """Return the best readings of all tokens, best first."""
        found = [PartialSentence(Sentence())]
        for segment, start, end in self._list_spans():
            root = make_node(segment, segment.tree.root)
            read = self.read_node(root)
            longer = [self._join(one, other, segment, root) for one in found for other in read]
            longer = [self._account(partial, start, end) for partial in longer]
            if self._chart is not None:
                chart = self._chart
                longer += chart.read_on(found, start, end) if start else chart.read_first(end)
            elif not read:
                longer = [self._account(partial, start, end) for partial in found]
            longer.sort(key=lambda partial: -partial.sentence.degree)
            found = longer[:MOST]
        return close_sentences(found)

    def _list_spans(self) -> Iterator[tuple[Segment, int, int]]:
        """Yield the segments with their tokens: also the links and marks before them."""
        start = 0
        for number, segment in enumerate(self._segments):
            last = max((w.token for w in segment.tree.words), default=start)
            following = self._segments[number + 1 :]
            end = len(self._tokens) if not following else last + 1
            yield segment, start, end
            start = end

    def _join(
        self, one: PartialSentence, other: Sentence, segment: Segment, root: ClauseNode
    ) -> PartialSentence:
        link, uses = self._find_link(segment, root)
        if link is Link.AND:
            link = one.pending
        clauses = other.clauses
        if one.condition and clauses:
            clauses = (replace(clauses[0], condition=one.condition), *clauses[1:])
        if one.proviso is not None and clauses:
            provisos = (one.proviso, *clauses[0].provisos)
            clauses = (replace(clauses[0], provisos=provisos), *clauses[1:])
        if one.limit is not None and clauses and not clauses[0].negated:
            time = clauses[0].time or one.limit
            clauses = (replace(clauses[0], time=time), *clauses[1:])
        joined = join_sentences(one.sentence, replace(other, clauses=clauses), link, uses)
        return PartialSentence(joined, one.after_next or Link.AND, False)

    def _account(self, partial: PartialSentence, start: int, end: int) -> PartialSentence:
        sentence = account_words(
            partial.sentence, self._tokens, range(start, end), self._says_something
        )
        return replace(partial, sentence=sentence)

    def _says_something(self, place: int) -> bool:
        word = self._words.get(place)
        verb = word is not None and word.is_verb and word.role not in ("aux", "auxpass")
        return verb or self._matters(place)

    # --- clauses

    def read_node(self, node: ClauseNode, wanted: bool = False) -> list[Sentence]:
        """Read a clause with those below it, best first."""
        cores = [] if self._only_leads(node) else self._list_cores(node, wanted)
        found = [self._close(node, core) for core in cores]
        found = found[:MOST]
        for below in node.list_nodes_below():
            if not found:
                found = self._read_below(node, below)
                continue
            found = self._add_below(found, node, below)
            found.sort(key=lambda sentence: -sentence.degree)
            found = found[:MOST]
        return found

    def _only_leads(self, node: ClauseNode) -> bool:
        """Return True for "make sure (that)", "see to it (that)": it names nothing itself."""
        if not any(below.role == "ccomp" for below in node.below):
            return False
        words = (word for word in node.list_words() if word.token != node.verb.token)
        return not any(self._matters(word.token) for word in words)

    def _list_cores(self, node: ClauseNode, wanted: bool) -> list[Core]:
        wishes = self._statements.read_wish(node)
        if wishes:
            return wishes
        if node.find_subject() is not None:
            said = self._statements.read(node, wanted)
            main = node.verb.role in ("ROOT", "conj")
            return said or (self._statements.read_topic(node) if main else [])
        if node.verb.is_verb:
            return self._cores.read(node)
        return self._cores.read(node) or self._statements.read_verbless(node)

    def _close(self, node: ClauseNode, core: Core) -> Sentence:
        """Add the words around the core of a clause."""
        clause = core.clause
        negation = list(node.tree.list_children(node.verb.place, "neg"))
        if negation and node.find_subject() is None:
            uses = [self._use(word, WordRole.LIMIT, "not") for word in negation]
            clause = replace(clause, negated=not clause.negated, uses=(*clause.uses, *uses))
        clause = self._adjuncts.add_before(clause, node)
        for chunk in core.rest:
            clause = self._adjuncts.add_behind(clause, chunk)
        clauses = (clause, *core.following)
        degree = prod(one.degree for one in clauses)
        return Sentence(clauses, (Link.AND,) * len(clauses), degree=degree)

    def _use(self, word: Word, role: WordRole, meaning: str = "") -> WordUse:
        return self._nouns.describe_use(word.token, word.token + 1, role, meaning)

    # --- clauses below

    def _read_below(self, node: ClauseNode, below: ClauseNode) -> list[Sentence]:
        """Read "make sure (that) the door is closed": only what is below asks for something."""
        if below.verb.role not in ("ccomp", "xcomp") or _frees(node):
            return []
        degree = _WISHED if _intends(node, below) else 1.0
        uses = tuple(
            self._use(word, WordRole.FILLER)
            for word in node.list_words()
            if not self._matters(word.token)
        )
        found = []
        for sentence in self.read_node(below, wanted=True):
            clauses = sentence.clauses
            if node.is_negated:
                clauses = tuple(replace(c, negated=not c.negated) for c in clauses)
            found.append(
                replace(
                    sentence,
                    clauses=clauses,
                    uses=(*sentence.uses, *uses),
                    degree=sentence.degree * degree,
                )
            )
        return found

    def _add_below(
        self, found: list[Sentence], node: ClauseNode, below: ClauseNode
    ) -> list[Sentence]:
        """Add a clause below another one to what is read so far."""
        if below.verb.role == "conj" and not _is_marked(below):
            link, uses = self._find_conjunction(node, below)
            read = self.read_node(below)
            joined = [join_sentences(one, other, link, uses) for one in found for other in read]
            return joined or found
        marked = list(self._subordinates.add(found, node, below))
        if marked:
            return marked
        if below.verb.role in ("conj", "advcl", "xcomp", "acl", "relcl", "ccomp"):
            read = self.read_node(below)
            joined = [
                join_sentences(one, other, Link.AND, (), _INTENDED)
                for one in found
                for other in read
            ]
            return joined or found
        return found

    # --- order

    def _find_link(self, segment: Segment, root: ClauseNode) -> tuple[Link, tuple[WordUse, ...]]:
        """Find how a piece goes on from what was said before it."""
        places = list(segment.piece.links)
        for word in root.list_words():
            if word.token >= root.verb.token >= 0:
                break
            if word.role in ("advmod", "cc", "npadvmod") or (word.text,) in SEQUENCE:
                places.append(word.token)
        return self._read_links(places)

    def _find_conjunction(
        self, node: ClauseNode, below: ClauseNode
    ) -> tuple[Link, tuple[WordUse, ...]]:
        places = [
            word.token
            for word in (*node.list_words(), *below.list_words())
            if word.token < below.verb.token
            and word.token > node.verb.token
            and word.role in ("cc", "advmod")
        ]
        return self._read_links(sorted(places))

    def _read_links(self, places: Sequence[int]) -> tuple[Link, tuple[WordUse, ...]]:
        link, uses = Link.AND, list[WordUse]()
        done = -1
        for place in sorted(places):
            if place < done:
                continue
            for length in range(LONGEST_LINK, 0, -1):
                words = tuple(t.text for t in self._tokens[place : place + length])
                if len(words) == length and words in SEQUENCE:
                    found = _LINKS[SEQUENCE[words]]
                    link = found if found is not Link.AND else link
                    role = WordRole.FILLER if found is Link.AND else WordRole.ORDER
                    uses.append(self._nouns.describe_use(place, place + length, role, found.value))
                    done = place + length
                    break
        return link, tuple(uses)


def _frees(node: ClauseNode) -> bool:
    """Return True for "you don't have to ...": nothing is asked."""
    return node.is_negated and node.verb.lemma in ("have", "need")


def _intends(node: ClauseNode, below: ClauseNode) -> bool:
    """Return True for "I want to wipe the counter": who speaks may want to do it."""
    subject = node.tree.find_child(node.verb.place, "nsubj")
    speaks = subject is not None and subject.text in ("i", "we")
    return speaks and below.verb.role == "xcomp" and below.find_subject() is None


def _is_marked(node: ClauseNode) -> bool:
    """Return True for "but only if it is free", which a parser may take for a second clause."""
    return any(node.tree.list_children(node.verb.place, "mark"))


def join_sentences(
    one: Sentence,
    other: Sentence,
    link: Link,
    uses: tuple[WordUse, ...] = (),
    degree: float = 1.0,
) -> Sentence:
    """Return a sentence that another one follows."""
    if not other.clauses:
        return one
    first = other.clauses[0]
    if first.order is not None and one.clauses:
        link = first.order
    return Sentence(
        (*one.clauses, *other.clauses),
        (*one.links, link, *other.links[1:]),
        (*one.uses, *other.uses, *uses),
        one.degree * other.degree * degree,
    )
