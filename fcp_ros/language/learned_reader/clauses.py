# SPDX-License-Identifier: Apache-2.0
"""Sentences by what was learned from people: each clause of the tree as what it asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fcp_ros.language.confidence import Confidence
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.demands.parsed_clauses import SpokenParts, read_parts
from fcp_ros.language.domain_reader.reader import ParsedInstruction
from fcp_ros.language.english.function_words import FILLERS
from fcp_ros.language.english.tokens import TokenKind
from fcp_ros.language.english.turning_words import CHART_COUNTING, CHART_LOGIC
from fcp_ros.language.english.verbs import KEEP_VERBS
from fcp_ros.language.english.word_lists import gather_words
from fcp_ros.language.learned_reader.demand_reader import DemandReader
from fcp_ros.language.learned_reader.logic import LogicReader
from fcp_ros.language.learned_reader.phrases import LearnedPhrases
from fcp_ros.language.parsing.trees import (
    Link,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.parsing.word_uses import collect_uses
from fcp_ros.language.reading import WordRole, WordUse
from fcp_ros.language.syntax.attachments import mend_segment
from fcp_ros.language.syntax.clauses import Mood, ParsedClause, list_clauses
from fcp_ros.language.syntax.sentences import Segment

_THEN = gather_words("then afterwards next finally")
_EARLIER = frozenset(["after", "once"])
_MODALS = gather_words(
    "should must shall would could can will may might need have has got to 'd let"
)
_PLAIN = FILLERS | gather_words("please then and you i we me us now so let")
_FEW = 2
"""Arguments that a clause without a verb has at least."""


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
        model = parsed.model
        if model is None:
            return []
        parsed = replace(parsed, segments=tuple(map(mend_segment, parsed.segments)))
        if self._logic:
            return LogicReader(parsed, model).read()
        if any(token.text in CHART_LOGIC for token in parsed.nouns.tokens):
            return []
        return _SentenceReader(parsed, model).read()


class _SentenceReader:
    def __init__(self, parsed: ParsedInstruction, model: DemandModel) -> None:
        self._parsed = parsed
        self._demands = DemandReader(parsed, model, LearnedPhrases(parsed, model))
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
        found = self._demands.read(parsed, parts, bool(self._said))
        self._degree *= found.degree
        link = self._find_link(parsed) if found.clauses else Link.AND
        for clause in found.clauses:
            self._uses += clause.uses
            self._said.append(_Said(clause, link))
            link = Link.AND
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
            if token.text in CHART_COUNTING:
                return []
            if token.text in _PLAIN:
                fillers.append(WordUse(token.start, token.end, WordRole.FILLER))
            else:
                unread.append(place)
        degree = sentence.degree * Confidence.NOT.degree ** len(unread)
        used = (*sentence.uses, *fillers)
        return [replace(sentence, degree=degree, unread=tuple(unread), uses=used)]
