# SPDX-License-Identifier: Apache-2.0
"""Probabilities of the scores from the alternatives of an answer's tokens.

A server sends the likeliest tokens at each place of the answers that it gave. If a tokenizer
writes numbers whole, the first place says everything. If it writes digit by digit, the server
tells only how a score continues after the digits of its own answer; the continuations of other
digits stay unread, unless another answer took that path.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.grounding.endpoint.completion import ChatAnswer
from fcp_ros.grounding.language_model.prompt import read_score
from fcp_ros.grounding.protocol.judgement import HIGHEST_SCORE, SCORE_COUNT

_BEFORE_DIGITS = re.compile(r"\s*(s(c(o(r(e\s*[:=]?)?)?)?)?)?\s*", re.IGNORECASE)
_DIGITS = re.compile(r"\s*(?:score\s*[:=]?\s*)?(\d+)(.*)", re.IGNORECASE | re.DOTALL)
_WHOLE_NUMBER = re.compile(r"\s*\d{2,}")
_MAY_GO_ON = (".", ",", "/")
"""Signs that may turn the number before them into another one: 0.7, 7/10."""


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """Probabilities of the scores 0 .. 100, and of beginnings whose continuation is unknown.

    The remainder to 1 is answers without a score, and tokens that the server left out.
    """

    scores: tuple[float, ...]
    unread: float

    @property
    def mass(self) -> float:
        """Probability of all scores together."""
        return math.fsum(self.scores)

    @property
    def share(self) -> float:
        """The part of the probability of actual and possible scores that is read, in [0, 1]."""
        whole = self.mass + self.unread
        return self.mass / whole if whole > 0.0 else 0.0


def read_alternatives(answers: Sequence[ChatAnswer]) -> ScoreReading:
    """Read the distribution that the tokens and alternatives of all these answers give together."""
    reader = _Reader()
    for answer in answers:
        reader.learn(answer)
    reader.walk("", 1.0)
    return ScoreReading(tuple(reader.scores), reader.unread)


class _Reader:
    """Follows every path through the alternatives, beginning with the empty answer."""

    def __init__(self) -> None:
        self.scores = [0.0] * SCORE_COUNT
        self.unread = 0.0
        self._next: dict[str, dict[str, float]] = {}
        self._ends: set[str] = set()
        self._writes_whole_numbers = False

    def learn(self, answer: ChatAnswer) -> None:
        text = ""
        for token in answer.tokens:
            self._next.setdefault(text, token.alternatives)
            whole = any(map(_WHOLE_NUMBER.fullmatch, token.alternatives))
            self._writes_whole_numbers |= whole
            text += token.text
        if answer.is_complete and answer.tokens:
            self._ends.add(text)

    def walk(self, text: str, probability: float) -> None:
        for token, chance in self._next.get(text, {}).items():
            reached = probability * chance
            # A token without text ends the answer.
            if not token:
                self._count(text, reached)
            elif (longer := text + token) in self._next:
                self.walk(longer, reached)
            else:
                self._stop(longer, reached)

    def _stop(self, text: str, probability: float) -> None:
        """Count an answer that begins with `text` and whose continuation is unknown."""
        if text in self._ends:
            self._count(text, probability)
            return
        found = _DIGITS.match(text)
        if found is None:
            self.unread += probability if _BEFORE_DIGITS.fullmatch(text) else 0.0
            return
        digits, rest = found.groups()
        if rest:
            if rest.startswith(_MAY_GO_ON) and len(rest) == 1:
                self.unread += probability
            else:
                self._count(text, probability)
        elif self._is_whole(digits):
            self._count(text, probability)
        elif int(digits) <= HIGHEST_SCORE:
            self.unread += probability

    def _is_whole(self, digits: str) -> bool:
        """Return True if no other score begins with these digits, as this tokenizer writes them."""
        return self._writes_whole_numbers or (len(digits) >= 2 and digits != "10")

    def _count(self, text: str, probability: float) -> None:
        degree = read_score(text)
        if degree is not None:
            self.scores[round(degree * HIGHEST_SCORE)] += probability
