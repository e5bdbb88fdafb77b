# SPDX-License-Identifier: Apache-2.0
"""The generators of texts: a causal language model in a folder, or one on a server.

A model in a folder runs in a thread of its own. A server has the OpenAI protocol; the grammar goes
along in the fields that servers know: `structured_outputs` and `guided_grammar` (vLLM), `grammar`
(llama.cpp), `ebnf` (SGLang). Servers ignore fields that they don't know; one that refuses them is
asked without. So an answer need not follow the grammar, and has to be checked.

Libraries (torch, transformers, llguidance, httpx2) are imported at the first request.
"""

from __future__ import annotations

import atexit
import math
import queue
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from fcp_ros.foundation.stopping import Check
from fcp_ros.grounding.beam_search import BeamSearch, prepare_search
from fcp_ros.grounding.chat_completion import (
    ChatAnswer,
    OptionalFeature,
    ask_model,
    draw_answers,
    find_first_model,
    write_request,
)
from fcp_ros.grounding.generation import Grammar, TextRequest, WrittenText
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.language_model.causal_model import (
    LanguageModel,
    check_architecture,
    load_language_model,
)
from fcp_ros.grounding.language_model.rubric_prompt import apply_chat_template, tokenize_texts
from fcp_ros.grounding.model_server import ModelServer, ServerRefusal
from fcp_ros.grounding.models.model_folder import check_model_folder, compute_fingerprint
from fcp_ros.grounding.models.torch_device import is_out_of_memory
from fcp_ros.grounding.options import Device, EndpointOptions, Precision

#
# A model has one thread of its own: torch keeps a pool of threads for each thread that calls it.
# The thread is a daemon, so that a model that hangs does not keep the process from ending.

Result = TypeVar("Result")

_Tasks = queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]

PAUSE = 0.05  # Seconds between two checks


class StoppedError(Exception):
    """Raised inside a computation that nobody waits for any more."""


class ModelThread:
    """Runs computations one after the other, until nobody refers to it; for several threads.

    The end of the process waits `last_wait` seconds for one that was stopped: torch aborts a
    process that ends while it computes.
    """

    def __init__(self, name: str, last_wait: float = 0.0) -> None:
        self._name = name
        self._last_wait = last_wait
        self._tasks: _Tasks = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def run(
        self,
        compute: Callable[[Callable[[], None]], Result],
        check: Check,
        seconds: float,
        late: str,
    ) -> Result:
        """Compute something there, and wait `seconds`, behind others, for it (else NO_ANSWER).

        `compute` is given a function to call often, which raises once nobody waits.
        """
        stop = threading.Event()

        def raise_if_stopped() -> None:
            if stop.is_set():
                raise StoppedError

        def begin() -> Result:
            raise_if_stopped()
            return compute(raise_if_stopped)

        future: Future[Result] = Future()
        self._start()
        self._tasks.put((future, begin))
        until = monotonic() + seconds
        try:
            while True:
                check()
                left = until - monotonic()
                if left <= 0.0:
                    raise GroundingError(GroundingCode.NO_ANSWER, late)
                try:
                    return future.result(timeout=min(PAUSE, left))
                except FutureTimeout:
                    if future.done():  # the computation itself raised a timeout
                        raise
        finally:
            stop.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                # Nothing here may refer to this object: it could never be freed.
                tasks = (self._tasks,)
                thread = threading.Thread(target=_work, args=tasks, name=self._name, daemon=True)
                thread.start()
                weakref.finalize(self, self._tasks.put, None).atexit = False
                if self._last_wait:
                    atexit.register(_finish, self._tasks, thread, self._last_wait)
                self._thread = thread


def _work(tasks: _Tasks) -> None:
    """Compute until None comes."""
    while (task := tasks.get()) is not None:
        future, begin = task
        try:
            future.set_result(begin())
        except BaseException as error:  # the one who waits decides
            future.set_exception(error)
        del task, future, begin  # or a model would stay in memory until the next task


def _finish(tasks: _Tasks, thread: threading.Thread, seconds: float) -> None:
    """End the thread, and wait for what it computes."""
    tasks.put(None)
    thread.join(seconds)


# --- the generator of a causal language model in a folder, in a thread of its own ---

LAST_WAIT = 20.0  # Seconds that the end of the process waits for a model that is being loaded


class ModelGenerator:
    """Writes texts by beam search; deterministic. Loaded at first use; for several threads."""

    def __init__(self, model: str, load: Callable[[], LanguageModel]) -> None:
        self._model = model
        self._load = load
        self._search: BeamSearch | None = None
        self._thread = ModelThread("language model", LAST_WAIT)

    @property
    def model(self) -> str:
        return self._model

    @property
    def is_loaded(self) -> bool:
        return self._search is not None

    def write(self, request: TextRequest, check: Check) -> list[WrittenText]:
        late = (
            f"the language model {self._model} did not answer within {request.seconds:g} s; give "
            "it more time, use a smaller model, a GPU, or a model server"
        )
        return self._thread.run(partial(self._write, request), check, request.seconds, late)

    def _write(self, request: TextRequest, stop: Callable[[], None]) -> list[WrittenText]:
        try:
            if self._search is None:
                self._search = prepare_search(self._load(), self._model)
            prompt = write_prompt_tokens(self._search.loaded.tokenizer, request)
            return self._search.search(prompt, request, stop)
        except (GroundingError, StoppedError):
            raise
        except Exception as error:  # libraries raise whatever a damaged model leads them to
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> GroundingError:
        if is_out_of_memory(error):
            fix = "use a smaller model, a lower precision, or a model server (endpoint)"
            what = f"has too little memory ({error}); {fix}"
        else:
            what = f"fails ({type(error).__name__}: {error}); copy it again or use another one"
        sentence = f"the language model {self._model} {what}"
        return GroundingError(GroundingCode.MODEL_FAILED, sentence)


def make_model_generator(
    folder: Path, device: Device = Device.AUTO, precision: Precision = Precision.AUTO
) -> ModelGenerator:
    """Make the generator of a model in a folder; checks the folder, loads nothing."""
    checked = check_model_folder(folder)
    check_architecture(checked)
    load = partial(load_language_model, checked, Device(device), Precision(precision))
    return ModelGenerator(compute_fingerprint(checked), load)


def write_prompt_tokens(tokenizer: Any, request: TextRequest) -> list[int]:
    """Write a prompt in the model's chat template if it has one, else as plain text."""
    text = apply_chat_template(tokenizer, request.turns)
    (tokens,) = tokenize_texts(tokenizer, [text])
    return tokens


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

    def write(self, request: TextRequest, check: Check) -> list[WrittenText]:
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
        body = write_request(self._model_name, request.turns, request.most_tokens)

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
