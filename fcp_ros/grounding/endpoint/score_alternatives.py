# SPDX-License-Identifier: Apache-2.0
"""From the alternatives of an answer's tokens to probabilities of the scores.

A server tells the likeliest tokens at each place of the answers that it gave. A tokenizer that
writes numbers whole says all there is at the first place. One that writes digit by digit says how
a score goes on only behind the digits that it wrote itself; what other digits would have become
stays unread, unless another answer went that way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.grounding.endpoint.chat_completion import Choice
from fcp_ros.grounding.language_model.prompt import read_score
from fcp_ros.grounding.protocol.judgement import HIGHEST_SCORE, SCORE_COUNT

_BEFORE_DIGITS = re.compile(r"\s*(s(c(o(r(e\s*[:=]?)?)?)?)?)?\s*", re.IGNORECASE)
_DIGITS = re.compile(r"\s*(?:score\s*[:=]?\s*)?(\d+)(.*)", re.IGNORECASE | re.DOTALL)
_WHOLE_NUMBER = re.compile(r"\s*\d{2,}")
_MAY_GO_ON = (".", ",", "/")
"""Behind these a number may become another one: 0.7, 7/10."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Probabilities of the scores 0 .. 100, and of answers that go on in a way not told.

    What adds up to less than 1 is answers without a score, and tokens that the server left out.
    """

    scores: tuple[float, ...]
    unread: float

    @property
    def mass(self) -> float:
        """Probability of all scores together."""
        return math.fsum(self.scores)

    @property
    def share(self) -> float:
        """Of what is or may be a score, how much is read, in [0, 1]."""
        whole = self.mass + self.unread
        return self.mass / whole if whole > 0.0 else 0.0


def read_alternatives(choices: Sequence[Choice]) -> Reading:
    """What the tokens of these answers to one question, with their alternatives, say together."""
    reader = _Reader()
    for choice in choices:
        reader.learn(choice)
    reader.walk("", 1.0)
    return Reading(tuple(reader.scores), reader.unread)


class _Reader:
    """Follows every way that the alternatives tell of, from the empty answer on."""

    def __init__(self) -> None:
        self.scores = [0.0] * SCORE_COUNT
        self.unread = 0.0
        self._next: dict[str, dict[str, float]] = {}
        self._ends: set[str] = set()
        self._writes_whole_numbers = False

    def learn(self, choice: Choice) -> None:
        text = ""
        for step in choice.steps:
            self._next.setdefault(text, step.alternatives)
            whole = any(_WHOLE_NUMBER.fullmatch(token) for token in step.alternatives)
            self._writes_whole_numbers |= whole
            text += step.text
        if choice.is_complete and choice.steps:
            self._ends.add(text)

    def walk(self, text: str, probability: float) -> None:
        for token, chance in self._next.get(text, {}).items():
            reached = probability * chance
            # A token without text is the end of the answer.
            if not token:
                self._count(text, reached)
            elif (longer := text + token) in self._next:
                self.walk(longer, reached)
            else:
                self._stop(longer, reached)

    def _stop(self, text: str, probability: float) -> None:
        """An answer that begins with `text`, of which nothing more is told."""
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
        """Whether no other score begins with these digits, as this tokenizer writes them."""
        return self._writes_whole_numbers or (len(digits) >= 2 and digits != "10")

    def _count(self, text: str, probability: float) -> None:
        degree = read_score(text)
        if degree is not None:
            self.scores[round(degree * HIGHEST_SCORE)] += probability
