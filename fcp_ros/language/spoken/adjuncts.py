# SPDX-License-Identifier: Apache-2.0
"""Words around the core of a clause: wishes, times, exceptions, order."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.parsing.clause_parser import ClauseParser
from fcp_ros.language.parsing.clauses.exception_parser import leave_out
from fcp_ros.language.parsing.noun_phrases.noun_parser import NounParser
from fcp_ros.language.parsing.trees import Act, SpokenClause
from fcp_ros.language.reading import WordRole
from fcp_ros.language.spoken.chunks import INSTEAD, ClauseChunk
from fcp_ros.language.spoken.clause_tree import ClauseNode

_INSTEAD = 0.95
_CLAUSAL = frozenset(["without", "avoid", "refrain"])
"""Words before a clause of its own, which the tree has."""


class Adjuncts:
    """A reader of what stands around the core of a clause.

    Args:
        nouns: the chart of noun phrases.
    """

    def __init__(self, nouns: NounParser) -> None:
        self._nouns = nouns
        self._chart = ClauseParser(nouns)

    def add_behind(self, clause: SpokenClause, chunk: ClauseChunk) -> SpokenClause:
        """Add a chunk beside the core; one that isn't read stays unused."""
        if chunk.marker == INSTEAD:  # what is replaced is no longer so by itself
            use = self._nouns.describe_use(chunk.start, chunk.end, WordRole.FILLER, INSTEAD)
            return replace(clause, uses=(*clause.uses, use), degree=clause.degree * _INSTEAD)
        found = [
            longer
            for end, longer in self._chart.read_adverbials(chunk.start, clause)
            if end == chunk.end and longer is not clause
        ]
        return max(found, key=lambda one: one.degree, default=clause)

    def add_before(self, clause: SpokenClause, node: ClauseNode) -> SpokenClause:
        """Add what stands before the verb and the subject: "ideally", "within two minutes"."""
        words = node.list_words()
        if not words or words[0].token >= node.verb.token:
            return clause
        subject = node.find_subject()
        below = node.tree.list_subtree(subject.place) if subject is not None else ()
        ends = [node.tree.words[p].token for p in below if node.tree.words[p].token >= 0]
        limit = min([node.verb.token, *ends])
        for start in sorted({word.token for word in words if word.token < limit})[:3]:
            best: tuple[int, SpokenClause] | None = None
            if self._nouns.get_text(start) in _CLAUSAL:
                break
            for place, opened in self._chart.read_openings(start):
                if start < place <= limit and (best is None or place > best[0]):
                    best = place, opened
            if best is None:
                continue
            return self._merge(clause, best[1], node)
        return clause

    def _merge(self, clause: SpokenClause, opened: SpokenClause, node: ClauseNode) -> SpokenClause:
        """Return a clause with what was read before it."""
        parsed = node.is_negated and node.find_subject() is None
        if opened.excluded:
            clause = leave_out(clause, opened.excluded) or clause
        act = clause.act
        if opened.negated and not parsed and act is Act.STATE:  # "at no time may it be open"
            act = Act.KEEP
        return replace(
            clause,
            act=act,
            negated=clause.negated if parsed else clause.negated != opened.negated,
            preferred=clause.preferred or opened.preferred,
            each=clause.each or opened.each,
            time=clause.time or opened.time,
            sometime=clause.sometime or opened.sometime,
            uses=(*opened.uses, *clause.uses),
        )
