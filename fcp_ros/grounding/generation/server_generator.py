# SPDX-License-Identifier: Apache-2.0
"""The generator of a language model on a server with the OpenAI protocol.

The grammar goes along in the fields that servers know: `structured_outputs` and `guided_grammar`
(vLLM), `grammar` (llama.cpp), `ebnf` (SGLang). Servers ignore fields that they don't know; one that
refuses them is asked without. So an answer need not follow the grammar, and has to be checked.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from fcp_ros.grounding.chat_completion import (
    ChatAnswer,
    OptionalFeature,
    ask_model,
    draw_answers,
    find_first_model,
    write_request,
)
from fcp_ros.grounding.generation.generator import Grammar, TextRequest, WrittenText
from fcp_ros.grounding.generation.model_generator import ModelThread
from fcp_ros.grounding.model_server import ModelServer, ServerRefusal
from fcp_ros.grounding.options import EndpointOptions

TEMPERATURE = 0.7  # Of the answers after the first, which is the likeliest one
LEAST_LOG = -1000.0  # The log-probability of a token to which a server gives none


class ServerGenerator:
    """Writes texts by asking a server; safe to call from several threads."""

    def __init__(self, options: EndpointOptions) -> None:
        self._options = options
        self._server = ModelServer(options)  # reports a wrong url at once
        self._model_name = options.model
        self._thread = ModelThread("model server")
        self._lock = threading.Lock()
        self._grammars = OptionalFeature()
        self._probabilities = OptionalFeature()
        self._batches = OptionalFeature()

    @property
    def model(self) -> str:
        """The model's name, as far as it is known, and the server's."""
        return f"{self._model_name or 'the first model'}@{self._server.host}"

    def write(self, request: TextRequest, check: Callable[[], None]) -> list[WrittenText]:
        """Ask for the likeliest text, and for further ones drawn with the seed."""
        late = (
            f"{self._server.shown} did not answer within {request.seconds:g} s; give it more "
            "time, or use a smaller model"
        )
        server, thread = self._server, self._thread
        try:
            return thread.run(
                lambda stop: self._write(server, request, stop), check, request.seconds, late
            )
        except BaseException:
            self._abandon(server)
            raise

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _abandon(self, server: ModelServer) -> None:
        """Leave a server to itself that may still be asked; the next request begins afresh."""
        server.close()
        with self._lock:
            if self._server is server:
                self._server = ModelServer(self._options)
                self._thread = ModelThread("model server")

    def _write(
        self, server: ModelServer, request: TextRequest, stop: Callable[[], None]
    ) -> list[WrittenText]:
        if not self._model_name:
            self._model_name = find_first_model(server)
        words = f"{request.task}\n\n{request.question}"
        body = write_request(self._model_name, words, request.most_tokens)

        def ask(asked: dict[str, Any]) -> list[ChatAnswer]:
            stop()
            return self._ask(server, request.grammar, asked)

        answers = ask({**body, "temperature": 0.0})[:1]
        drawn = {**body, "temperature": TEMPERATURE}
        answers += draw_answers(ask, drawn, request.count - 1, request.seed, self._batches)
        return _weigh(answers)

    def _ask(
        self, server: ModelServer, grammar: Grammar | None, body: dict[str, Any]
    ) -> list[ChatAnswer]:
        """Ask once, with the grammar and for probabilities as far as the server takes that."""
        asked = dict(body)
        with_logs = self._probabilities.is_worth_asking()
        with_grammar = grammar is not None and self._grammars.is_worth_asking()
        if with_logs:
            asked["logprobs"] = True
        if grammar is not None and with_grammar:
            text = grammar.gbnf
            asked |= {"structured_outputs": {"grammar": text}, "guided_grammar": text}
            asked |= {"grammar": text, "ebnf": text}
        try:
            answers = ask_model(server, asked)
        except ServerRefusal as refusal:
            if not refusal.is_about_fields or not (with_logs or with_grammar):
                raise
            # One of the fields is the reason: the words say if it is the probabilities.
            if with_logs and ("logprob" in refusal.words.lower() or not with_grammar):
                self._probabilities.record(False)
            else:
                self._grammars.record(False)
            answers = ask_model(server, body)
        else:
            if with_logs:
                self._probabilities.record(any(answer.tokens for answer in answers))
            if with_grammar:
                self._grammars.record(True)
        return list(answers)


def _weigh(answers: Sequence[ChatAnswer]) -> list[WrittenText]:
    """Return each text once, with its probability or its share of the answers, likeliest first."""
    texts = [answer.text.strip() for answer in answers]
    shares = Counter(texts)
    told = all(answer.tokens for answer in answers if answer.text)
    found: dict[str, WrittenText] = {}
    for text, answer in zip(texts, answers, strict=True):
        log = _sum_logs(answer) if told else math.log(shares[text] / len(texts))
        if text not in found or found[text].log_probability < log:
            found[text] = WrittenText(text, log, answer.is_complete)
    return sorted(found.values(), key=lambda one: -one.log_probability)


def _sum_logs(answer: ChatAnswer) -> float:
    """Sum the log-probabilities of an answer's tokens."""
    shares = (token.alternatives.get(token.text, 0.0) for token in answer.tokens)
    return math.fsum(math.log(share) if share > 0.0 else LEAST_LOG for share in shares)
