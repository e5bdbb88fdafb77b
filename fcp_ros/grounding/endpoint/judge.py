# SPDX-License-Identifier: Apache-2.0
"""One question to a chat model on a server, and the membership that its answers give.

Exact mode asks once, with the alternatives of each token, and reads the distribution over the
scores from them. If these say too little, or the server sends none, and in sample mode, it draws k
seeded answers and takes their mean or median; alternatives that come with them are read together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fcp_ros.grounding.endpoint.chat_requests import (
    OptionalFeature,
    ask_model,
    draw_answers,
    write_request,
)
from fcp_ros.grounding.endpoint.completion import ChatAnswer
from fcp_ros.grounding.endpoint.model_server import ModelServer, ServerRefusal
from fcp_ros.grounding.endpoint.score_alternatives import ScoreReading, read_alternatives
from fcp_ros.grounding.language_model.prompt import read_score
from fcp_ros.grounding.protocol.aggregation import build_exact_membership, build_sampled_membership
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import LanguageModelOptions, ScoringMode

ALTERNATIVES = (20, 5)
"""Alternatives for each place: the most of the protocol, and the most of some servers."""
MOST_TOKENS = 8
"""Most tokens of an answer: enough for "Score:" and three digits."""
LEAST_SHARE = 0.9
"""The least part of the possible scores that must be read to trust the distribution."""
SEEDS = 1 << 31
"""The upper bound of seeds; some servers keep them in 32 bits."""


class ChatJudge:
    """Asks one model on a server; safe to use from several threads.

    Args:
        server: the server.
        options: settings for asking.
    """

    def __init__(self, server: ModelServer, options: LanguageModelOptions) -> None:
        self._server = server
        self._options = options
        # Asking for a feature that the server lacks would cost a request each time.
        self._alternatives = OptionalFeature()
        self._told_at_once = ALTERNATIVES[0]
        self._batches = OptionalFeature()

    def judge(self, model: str, name: str, request: JudgementRequest, prompt: str) -> Membership:
        """Ask one question.

        Args:
            model: named in the membership.
            name: the server's name of the model.
            request: the request, for messages and seeds.
            prompt: the question.

        Raises:
            GroundingError: the server can't answer, or the model gives no score (NO_ANSWER).
        """
        body = write_request(name, prompt, MOST_TOKENS)
        told: list[ChatAnswer] = []
        exact = self._options.mode == ScoringMode.EXACT
        if exact and self._alternatives.is_worth_asking():
            told = self._ask_for_alternatives(body)
            reading = read_alternatives(told)
            if told and reading.share >= LEAST_SHARE:
                return self._read_distribution(model, request, reading, told)
            if told and reading.mass + reading.unread < self._options.least_mass:
                raise self._build_no_answer(
                    request,
                    told,
                    f"the scores have {reading.mass:.2%} of its probability; "
                    f"{self._options.least_mass:.0%} are needed",
                )
        drawn = self._draw(body, request, with_alternatives=bool(told))
        reading = read_alternatives([*told, *drawn])
        if exact and reading.share >= LEAST_SHARE:
            return self._read_distribution(model, request, reading, drawn)
        return self._judge_drawn(model, request, drawn)

    def _ask_for_alternatives(self, body: dict[str, Any]) -> list[ChatAnswer]:
        """Ask for the likeliest answer with alternatives; empty if the server sends none."""
        answers: tuple[ChatAnswer, ...] = ()
        for count in [count for count in ALTERNATIVES if count <= self._told_at_once]:
            asked = {**body, "temperature": 0.0, "logprobs": True, "top_logprobs": count}
            try:
                answers = self._ask(asked)
            except ServerRefusal as refusal:
                if not (refusal.is_about_fields and "logprob" in refusal.words.lower()):
                    raise
            else:
                self._told_at_once = count
                break
        has_them = any(answer.tokens for answer in answers)
        # An answer without text has no tokens to report.
        has_them |= bool(answers) and not answers[0].text
        self._alternatives.record(has_them)
        return list(answers) if has_them else []

    def _draw(
        self, body: dict[str, Any], request: JudgementRequest, *, with_alternatives: bool
    ) -> list[ChatAnswer]:
        """Draw k answers; equal questions and seeds give equal ones if the server honours seeds."""
        wanted, options = self._options.samples, self._options
        digest = hashlib.sha256(f"{options.seed}:{request.context_key}".encode()).digest()
        seed = int.from_bytes(digest[:8], "big") % (SEEDS - wanted)
        asked = {**body, "temperature": options.temperature}
        if with_alternatives:
            asked |= {"logprobs": True, "top_logprobs": self._told_at_once}
        return draw_answers(self._ask, asked, wanted, seed, self._batches)

    def _ask(self, body: dict[str, Any]) -> tuple[ChatAnswer, ...]:
        return ask_model(self._server, body)

    def _read_distribution(
        self,
        model: str,
        request: JudgementRequest,
        reading: ScoreReading,
        told: Sequence[ChatAnswer],
    ) -> Membership:
        options = self._options
        found = build_exact_membership(
            reading.scores, options.least_mass, options.estimate, "endpoint", model
        )
        if isinstance(found, str):
            raise self._build_no_answer(request, told, found)
        if reading.unread <= 0.005:
            return found
        return replace(found, note=f"{found.note}, {reading.unread:.0%} not told by the server")

    def _judge_drawn(
        self, model: str, request: JudgementRequest, drawn: Sequence[ChatAnswer]
    ) -> Membership:
        scores = [read_score(answer.text) for answer in drawn]
        options = self._options
        found = build_sampled_membership(
            scores, options.temperature, options.least_mass, options.estimate, "endpoint", model
        )
        if isinstance(found, str):
            raise self._build_no_answer(request, drawn, found)
        if len(drawn) > 1 and len({answer.text for answer in drawn}) == 1:
            # Some servers ignore temperature and seed; the spread then means nothing.
            note = "all alike: the model is sure, or the server does not draw at random"
            return replace(found, note=f"{found.note}; {note}")
        return found

    def _build_no_answer(
        self, request: JudgementRequest, told: Sequence[ChatAnswer], what: str
    ) -> GroundingError:
        first = " ".join(told[0].text.split())[:60] if told else ""
        return GroundingError(
            GroundingCode.NO_ANSWER,
            f"the model on {self._server.host} does not answer {request} with a score: "
            f"{what}; its answer begins with {first!r}; use a model that follows instructions and "
            "does not think aloud",
        )
