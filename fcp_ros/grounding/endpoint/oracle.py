# SPDX-License-Identifier: Apache-2.0
"""The endpoint oracle: a language model on any server with the OpenAI protocol.

vLLM, the server of llama.cpp and Ollama speak it. Up to `EndpointOptions.concurrency` questions
are in flight at a time; one server can serve a whole fleet, and batches what arrives.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.grounding.endpoint.chat_requests import find_first_model
from fcp_ros.grounding.endpoint.judge import ChatJudge
from fcp_ros.grounding.endpoint.model_server import (
    FIRST_PAUSE,
    TIMEOUTS_A_REQUEST,
    ModelServer,
    ServerRefusal,
)
from fcp_ros.grounding.language_model.prompt import PROMPT_VERSION, write_prompt
from fcp_ros.grounding.protocol.aggregation import Estimate
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.options import EndpointOptions, LanguageModelOptions, ScoringMode
from fcp_ros.grounding.protocol.oracle import Answer, PerRequestOracle


class EndpointOracle(PerRequestOracle):
    """Membership from a language model on a server; safe to use from several threads.

    Args:
        endpoint: the server.
        options: settings for asking the model.
        first_pause: seconds before the second try after a transient failure.

    Raises:
        GroundingError: there is no URL, or it is invalid.
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
        """Judge one request in this thread.

        Raises:
            GroundingError: it can't be answered.
        """
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
