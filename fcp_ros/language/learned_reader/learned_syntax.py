# SPDX-License-Identifier: Apache-2.0
"""Sentences by what was learned from people: each clause of the tree as what it asks for."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.language.domain_reader.reader import ParsedInstruction
from fcp_ros.language.english.turning_words import CHART_LOGIC
from fcp_ros.language.learned_reader.logic import LogicReader
from fcp_ros.language.parsing.trees import Sentence
from fcp_ros.language.syntax.attachments import mend_segment


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
        if not self._logic and any(token.text in CHART_LOGIC for token in parsed.nouns.tokens):
            return []
        parsed = replace(parsed, segments=tuple(map(mend_segment, parsed.segments)))
        return LogicReader(parsed, model).read()
