# SPDX-License-Identifier: Apache-2.0
"""The endpoint oracle: a language model on any server with the OpenAI protocol.

vLLM, the server of llama.cpp and Ollama speak it. Many questions are under way at a time, up to
the concurrency of the options; one server can so serve a whole fleet, and batches what arrives.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.endpoint.chat_completion import read_model_names
from fcp_ros.grounding.endpoint.chat_judge import ChatJudge
from fcp_ros.grounding.endpoint.model_server import (
    FIRST_PAUSE,
    TIMEOUTS_A_REQUEST,
    ModelServer,
)
from fcp_ros.grounding.endpoint.refusals import Refusal
from fcp_ros.grounding.language_model.prompt import PROMPT_VERSION, write_prompt
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import EndpointOptions, LanguageModelOptions, ScoringMode
from fcp_ros.grounding.protocol.oracle import Answer, all_answered

MODELS = "/models"


class EndpointOracle:
    """Membership from a language model on a server; safe to use from several threads.

    Args:
        endpoint: the server.
        options: how the model is asked.
        first_pause: seconds before the second try of a request that failed in passing.

    Raises:
        GroundingError: there is no URL, or it is none.
    """

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
        """The model's name and the server's; asks the server once if the options name none.

        Raises:
            GroundingError: the server can't be asked, or has no model.
        """
        return f"endpoint:{self._name_of_model()}@{self._server.host}"

    @property
    def known_model(self) -> str:
        """Like `model`, "" as long as the server would have to be asked."""
        return self.model if self._model_name else ""

    @property
    def is_loaded(self) -> bool:
        """Whether the server has been told which model answers."""
        return bool(self._model_name)

    @property
    def mode(self) -> str:
        """All settings that an answer depends on."""
        options = self._options
        return (
            f"{ScoringMode(options.mode).value}/mass{options.least_mass:g}/k{options.samples}/"
            f"T{options.temperature:g}/seed{options.seed}/{PROMPT_VERSION}"
        )

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request.

        Raises:
            GroundingError: the first that can't be answered says why.
        """
        return all_answered(self.judge_each(predicate, requests))

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        """For each request its membership, or why there is none.

        It ends after the timeout for each round of `concurrency` questions and that of the tries
        of one request, however slow the server is.
        """
        try:
            self._name_of_model()
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
        # A future that ends just now is done and not cancelled.
        return [f.result() if f.done() and not f.cancelled() else late for f in pending]

    def close(self) -> None:
        """End what is under way; who waits for it gets an error at once."""
        # Not cancelled: `wait` would not notice. What is queued finds the server closed.
        self._workers.shutdown(wait=False)
        self._server.close()

    def answer_one(self, predicate: GradedPredicate, request: JudgementRequest) -> Membership:
        """The membership for one request, in this thread.

        Raises:
            GroundingError: it can't be answered.
        """
        prompt = write_prompt(predicate, request)
        return self._judge.judge(self.model, self._name_of_model(), request, prompt)

    def _name_of_model(self) -> str:
        if self._model_name:
            return self._model_name
        with self._naming:
            if not self._model_name:
                self._model_name = self._first_model()
            return self._model_name

    def _first_model(self) -> str:
        try:
            names = read_model_names(self._server.get(MODELS), self._server.shown)
        except GroundingError as error:
            if error.code is not GroundingCode.SERVER_FAILED:
                raise
            hint = "or the server lists no models: then name one in the option endpoint model"
            raise GroundingError(error.code, f"{error.sentence}; {hint}") from error
        if not names:
            raise GroundingError(
                GroundingCode.SERVER_FAILED,
                f"{self._server.shown} has no model; load one there, or name one in the option "
                "endpoint model",
            )
        return names[0]


class _Batch:
    """Questions that are asked together; what holds of all of them is found out once."""

    def __init__(self, oracle: EndpointOracle, predicate: GradedPredicate) -> None:
        self._oracle = oracle
        self._predicate = predicate
        self._hopeless: GroundingError | None = None
        self.is_over = False

    def answer(self, request: JudgementRequest) -> Answer:
        """The membership, or why there is none; no longer asks a server that is not there."""
        if self._hopeless is not None:
            return self._hopeless
        if self.is_over:
            return GroundingError(GroundingCode.SERVER_FAILED, "nobody waits for the answer now")
        try:
            return self._oracle.answer_one(self._predicate, request)
        except GroundingError as error:
            refused = isinstance(error, Refusal) and error.status in (401, 403, 404)
            if refused or error.code is GroundingCode.SERVER_UNREACHABLE:
                self._hopeless = error
            return error
