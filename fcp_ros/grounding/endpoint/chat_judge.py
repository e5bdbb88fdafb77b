# SPDX-License-Identifier: Apache-2.0
"""One question to a chat model on a server, and the membership that its answers come to.

Exact mode asks once, with the alternatives of each token, and reads the distribution over the
scores from them. Where these say too little, or the server tells none, and in sample mode, it
draws k seeded answers and takes their median; alternatives that come with them are read together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from fcp_ros.grounding.endpoint.chat_completion import Choice, read_choices
from fcp_ros.grounding.endpoint.model_server import ModelServer
from fcp_ros.grounding.endpoint.offer import Offer
from fcp_ros.grounding.endpoint.refusals import Refusal
from fcp_ros.grounding.endpoint.score_alternatives import Reading, read_alternatives
from fcp_ros.grounding.language_model.prompt import read_score
from fcp_ros.grounding.protocol.aggregation import distribution_median_and_spread, median_and_spread
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import HIGHEST_SCORE, JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import LanguageModelOptions, ScoringMode

COMPLETIONS = "/chat/completions"
ALTERNATIVES = (20, 5)
"""Tokens told for each place: the most that the protocol allows, and what some servers allow."""
MOST_TOKENS = 8
"""Enough for a score in single digits behind "Score:"."""
LEAST_SHARE = 0.9
"""Of what may be a score, how much must be read before the distribution is believed."""
SEEDS = 1 << 31
"""Seeds lie below; some servers keep them in 32 bits."""


class ChatJudge:
    """Asks one model on a server; safe to use from several threads.

    Args:
        server: is asked.
        options: how.
    """

    def __init__(self, server: ModelServer, options: LanguageModelOptions) -> None:
        self._server = server
        self._options = options
        # Asking for what the server doesn't have would cost a request each time.
        self._alternatives = Offer()
        self._told_at_once = ALTERNATIVES[0]
        self._several_at_once = Offer()

    def judge(self, model: str, name: str, request: JudgementRequest, prompt: str) -> Membership:
        """The membership for one prompt.

        Args:
            model: of the membership.
            name: by which the server knows the model.
            request: what is asked, for messages and seeds.
            prompt: the question.

        Raises:
            GroundingError: the server can't answer, or the model gives no score (NO_ANSWER).
        """
        body = {
            "model": name,
            # What is no text (half a pair from a broken file) becomes a question mark.
            "messages": [{"role": "user", "content": prompt.encode("utf-8", "replace").decode()}],
            "max_tokens": MOST_TOKENS,
            "stream": False,
        }
        told: list[Choice] = []
        exact = self._options.mode == ScoringMode.EXACT
        if exact and self._alternatives.is_worth_asking():
            told = self._with_alternatives(body)
            reading = read_alternatives(told)
            if told and reading.share >= LEAST_SHARE:
                return self._exact(model, request, reading, told)
            if told and reading.mass + reading.unread < self._options.least_mass:
                raise self._no_answer(request, told, f"have {reading.mass:.2%} of its probability")
        drawn = self._draw(body, request, with_alternatives=bool(told))
        reading = read_alternatives([*told, *drawn])
        if exact and reading.share >= LEAST_SHARE:
            return self._exact(model, request, reading, drawn)
        return self._median(model, request, drawn)

    def _with_alternatives(self, body: dict[str, Any]) -> list[Choice]:
        """The likeliest answer with the alternatives of its tokens; none if the server has none."""
        choices: tuple[Choice, ...] = ()
        for count in [count for count in ALTERNATIVES if count <= self._told_at_once]:
            asked = {**body, "temperature": 0.0, "logprobs": True, "top_logprobs": count}
            try:
                choices = self._ask(asked)
            except Refusal as refusal:
                if refusal.status not in (400, 422, 501) or "logprob" not in refusal.words.lower():
                    raise
            else:
                self._told_at_once = count
                break
        has_them = any(choice.steps for choice in choices)
        # Of an answer without text there is nothing to tell.
        has_them |= bool(choices) and not choices[0].text
        self._alternatives.came(has_them)
        return list(choices) if has_them else []

    def _draw(
        self, body: dict[str, Any], request: JudgementRequest, *, with_alternatives: bool
    ) -> list[Choice]:
        """k answers; the same question and seed give the same, as far as the server is seeded."""
        wanted, options = self._options.samples, self._options
        digest = hashlib.sha256(f"{options.seed}:{request.context_key}".encode()).digest()
        seed = int.from_bytes(digest[:8], "big") % (SEEDS - wanted)
        asked = {**body, "temperature": options.temperature}
        if with_alternatives:
            asked |= {"logprobs": True, "top_logprobs": self._told_at_once}
        drawn: list[Choice] = []
        if wanted > 1 and self._several_at_once.is_worth_asking():
            drawn = self._several(asked, seed)
        while len(drawn) < wanted:
            drawn += self._ask({**asked, "seed": seed + len(drawn)})[:1]
        return drawn[:wanted]

    def _several(self, asked: dict[str, Any], seed: int) -> list[Choice]:
        try:
            drawn = self._ask({**asked, "n": self._options.samples, "seed": seed})
        except Refusal as refusal:
            if refusal.status not in (400, 422, 501):
                raise
            drawn = ()  # the next request says whether it was n that it did not like
        self._several_at_once.came(len(drawn) > 1)
        return list(drawn)

    def _ask(self, body: dict[str, Any]) -> tuple[Choice, ...]:
        return read_choices(self._server.post(COMPLETIONS, body), self._server.shown)

    def _exact(
        self, model: str, request: JudgementRequest, reading: Reading, told: Sequence[Choice]
    ) -> Membership:
        mass = reading.mass
        if mass < self._options.least_mass:
            raise self._no_answer(request, told, f"have {mass:.2%} of its probability")
        degrees = [score / HIGHEST_SCORE for score in range(len(reading.scores))]
        degree, spread = distribution_median_and_spread(degrees, reading.scores)
        note = f"distribution told by the server, {mass:.0%} of the probability on scores"
        if reading.unread > 0.005:
            note += f", {reading.unread:.0%} not told"
        return Membership(
            degree,
            degree,
            spread=spread,
            source="endpoint",
            model=model,
            note=note,
            distribution=tuple(weight / mass for weight in reading.scores),
        )

    def _median(self, model: str, request: JudgementRequest, drawn: Sequence[Choice]) -> Membership:
        samples = tuple(s for s in (read_score(choice.text) for choice in drawn) if s is not None)
        if len(samples) * 2 <= len(drawn):
            failed = len(drawn) - len(samples)
            raise self._no_answer(
                request, drawn, f"are missing in {failed} of {len(drawn)} answers"
            )
        degree, spread = median_and_spread(samples)
        note = f"median of {len(samples)} samples at temperature {self._options.temperature:g}"
        if len(samples) < len(drawn):
            note += f"; {len(drawn) - len(samples)} answers without a score"
        if len(drawn) > 1 and len({choice.text for choice in drawn}) == 1:
            # Some servers overlook temperature and seed; the spread then means nothing.
            note += "; all alike: the model is sure, or the server does not draw at random"
        return Membership(degree, degree, samples, spread, "endpoint", model, note=note)

    def _no_answer(
        self, request: JudgementRequest, told: Sequence[Choice], what: str
    ) -> GroundingError:
        first = " ".join(told[0].text.split())[:60] if told else ""
        return GroundingError(
            GroundingCode.NO_ANSWER,
            f"the model on {self._server.host} does not answer {request} with a score: scores "
            f"{what}; its answer begins with {first!r}; use a model that follows instructions and "
            "does not think aloud",
        )
