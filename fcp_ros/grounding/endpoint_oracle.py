# SPDX-License-Identifier: Apache-2.0
"""The endpoint oracle: a language model on any server with the OpenAI protocol.

vLLM, the server of llama.cpp and Ollama speak it. Up to `EndpointOptions.concurrency` questions
are in flight at a time; one server can serve a whole fleet, and batches what arrives.
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.chat_completion import (
    ChatAnswer,
    OptionalFeature,
    ask_model,
    draw_answers,
    find_first_model,
    write_request,
)
from fcp_ros.grounding.judgement import (
    HIGHEST_SCORE,
    SCORE_COUNT,
    GroundingCode,
    GroundingError,
    JudgementRequest,
    Membership,
)
from fcp_ros.grounding.language_model.rubric_prompt import (
    PROMPT_VERSION,
    Turn,
    read_score,
    write_prompt,
)
from fcp_ros.grounding.membership_oracle import Answer, PerRequestOracle
from fcp_ros.grounding.model_server import (
    FIRST_PAUSE,
    TIMEOUTS_A_REQUEST,
    ModelServer,
    ServerRefusal,
)
from fcp_ros.grounding.options import (
    EndpointOptions,
    Estimate,
    LanguageModelOptions,
    ScoringMode,
    build_exact_membership,
    build_sampled_membership,
)

#
# A server sends the likeliest tokens at each place of the answers that it gave. If a tokenizer
# writes numbers whole, the first place says everything. If it writes digit by digit, the server
# tells only how a score continues after the digits of its own answer; the continuations of other
# digits stay unread, unless another answer took that path.

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


# --- one question to a chat model on a server, and the membership that its answers give ---
#
# Exact mode asks once, with the alternatives of each token, and reads the distribution over the
# scores from them. If these say too little, or the server sends none, and in sample mode, it draws
# k seeded answers and takes their mean or median; alternatives that come with them are read
# together.

ALTERNATIVES = (20, 5)
"""Alternatives for each place: the most of the protocol, and the most of some servers."""
MOST_TOKENS = 8  # Most tokens of an answer: enough for "Score:" and three digits
LEAST_SHARE = 0.9
"""The least part of the possible scores that must be read to trust the distribution."""
SEEDS = 1 << 31  # The upper bound of seeds; some servers keep them in 32 bits


class ChatJudge:
    """Asks one model on a server; safe to use from several threads."""

    def __init__(self, server: ModelServer, options: LanguageModelOptions) -> None:
        self._server = server
        self._options = options
        # Asking for a feature that the server lacks would cost a request each time.
        self._alternatives = OptionalFeature()
        self._told_at_once = ALTERNATIVES[0]
        self._batches = OptionalFeature()

    def judge(self, model: str, name: str, request: JudgementRequest, prompt: str) -> Membership:
        """Ask one question (seeded by the request); NO_ANSWER if the model gives no score."""
        body = write_request(name, (Turn("user", prompt),), MOST_TOKENS)
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


# --- the endpoint oracle: a language model on any server with the OpenAI protocol ---


class EndpointOracle(PerRequestOracle):
    """Membership from a language model on a server; safe to use from several threads."""

    name = "endpoint"
    is_concurrent = True

    def __init__(
        self,
        endpoint: EndpointOptions,
        options: LanguageModelOptions,
        *,
        first_pause: float = FIRST_PAUSE,
    ) -> None:
        self._endpoint = endpoint
        self._options = options
        self._server = ModelServer(endpoint, first_pause=first_pause)
        self._judge = ChatJudge(self._server, options)
        self._model_name = endpoint.model
        self._naming = threading.Lock()
        self._workers = ThreadPoolExecutor(endpoint.concurrency, thread_name_prefix="endpoint")

    @property
    def model(self) -> str:
        """The model's name and the server's; asks the server once if the options name none."""
        return f"endpoint:{self._find_model_name()}@{self._server.host}"

    @property
    def known_model(self) -> str:
        """Like `model`, but "" while the server would have to be asked."""
        return self.model if self._model_name else ""

    @property
    def is_loaded(self) -> bool:
        """True if the name of the model is known."""
        return bool(self._model_name)

    @property
    def mode(self) -> str:
        """All settings that an answer depends on."""
        options = self._options
        return (
            f"{ScoringMode(options.mode).value}/{Estimate(options.estimate).value}/"
            f"mass{options.least_mass:g}/k{options.samples}/T{options.temperature:g}/"
            f"seed{options.seed}/{PROMPT_VERSION}"
        )

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """Judge requests: for each one its membership, or the reason why there is none.

        However slow the server is, this returns after one timeout for each round of `concurrency`
        questions plus the limit on the tries of one request.
        """
        try:
            self._find_model_name()
        except GroundingError as error:
            return [error] * len(requests)
        batch = _Batch(self, predicate)
        pending: list[Future[Answer]] = []
        rounds = math.ceil(len(requests) / self._endpoint.concurrency)
        bound = self._endpoint.timeout * (TIMEOUTS_A_REQUEST + rounds)
        begun = time.monotonic()
        try:
            pending = [self._workers.submit(batch.answer, request) for request in requests]
            wait(pending, timeout=bound)
        except RuntimeError as error:  # the pool was closed
            closed = f"the endpoint oracle is closed ({error})"
            return [GroundingError(GroundingCode.SERVER_UNREACHABLE, closed)] * len(requests)
        finally:  # also when the caller is interrupted
            batch.is_over = True
            for future in pending:
                future.cancel()
        late = GroundingError(
            GroundingCode.SERVER_FAILED,
            f"{self._server.shown} did not answer {len(requests)} questions within "
            f"{time.monotonic() - begun:.3g} s; raise the option endpoint timeout, or use a "
            "smaller model",
        )
        # A future that ends at this moment is done and not cancelled.
        return [f.result() if f.done() and not f.cancelled() else late for f in pending]

    def close(self) -> None:
        """End the requests in flight; their callers get an error immediately."""
        # Not cancelled: `wait` would not notice. Queued requests find the server closed.
        self._workers.shutdown(wait=False)
        self._server.close()

    def answer_one(self, predicate: GradedPredicate, request: JudgementRequest) -> Membership:
        """Judge one request in this thread. Raises GroundingError: it can't be answered."""
        prompt = write_prompt(predicate, request)
        return self._judge.judge(self.model, self._find_model_name(), request, prompt)

    def _find_model_name(self) -> str:
        if self._model_name:
            return self._model_name
        with self._naming:
            if not self._model_name:
                self._model_name = find_first_model(self._server)
            return self._model_name


class _Batch:
    """Questions that are asked together; a failure that concerns all of them ends the batch."""

    def __init__(self, oracle: EndpointOracle, predicate: GradedPredicate) -> None:
        self._oracle = oracle
        self._predicate = predicate
        self._hopeless: GroundingError | None = None
        self.is_over = False

    def answer(self, request: JudgementRequest) -> Answer:
        """Judge a request, unless an earlier one found the server unreachable or unwilling."""
        if self._hopeless is not None:
            return self._hopeless
        if self.is_over:
            return GroundingError(GroundingCode.SERVER_FAILED, "the batch of this question is over")
        try:
            return self._oracle.answer_one(self._predicate, request)
        except GroundingError as error:
            refused = isinstance(error, ServerRefusal) and error.status in (401, 403, 404)
            if refused or error.code is GroundingCode.SERVER_UNREACHABLE:
                self._hopeless = error
            return error
