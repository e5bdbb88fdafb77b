# SPDX-License-Identifier: Apache-2.0
"""The generators of texts: a causal language model in a folder, or one on a server.

A model in a folder runs in a thread of its own. A server has the OpenAI protocol. Libraries (torch,
transformers, httpx2) are imported at the first request.
"""

from __future__ import annotations

import atexit
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from fcp_ros.foundation.stopping import Check
from fcp_ros.grounding.chat_completion import ask_model, find_first_model, write_request
from fcp_ros.grounding.generation import TextRequest, WrittenText
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.language_model.causal_model import (
    LanguageModel,
    check_architecture,
    load_language_model,
)
from fcp_ros.grounding.language_model.rubric_prompt import apply_chat_template, tokenize_texts
from fcp_ros.grounding.model_server import ModelServer
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
    """Writes the likeliest token each time. Loaded at first use; for several threads."""

    def __init__(self, model: str, load: Callable[[], LanguageModel]) -> None:
        self._model = model
        self._load = load
        self._loaded: LanguageModel | None = None
        self._thread = ModelThread("language model", LAST_WAIT)

    @property
    def model(self) -> str:
        return self._model

    @property
    def is_loaded(self) -> bool:
        return self._loaded is not None

    def write(self, request: TextRequest, check: Check) -> WrittenText:
        late = (
            f"the language model {self._model} did not answer within {request.seconds:.3g} s; give "
            "it more time, use a smaller model, a GPU, or a model server"
        )
        return self._thread.run(partial(self._write, request), check, request.seconds, late)

    def _write(self, request: TextRequest, stop: Callable[[], None]) -> WrittenText:
        try:
            if self._loaded is None:
                self._loaded = self._load()
            return self._generate(self._loaded, request, stop)
        except (GroundingError, StoppedError):
            raise
        except Exception as error:  # libraries raise whatever a damaged model leads them to
            raise self._explain(error) from error

    def _generate(
        self, loaded: LanguageModel, request: TextRequest, stop: Callable[[], None]
    ) -> WrittenText:
        import torch

        prompt = write_prompt_tokens(loaded.tokenizer, request)
        if len(prompt) + request.most_tokens > loaded.window:
            raise GroundingError(
                GroundingCode.CONTEXT_TOO_LONG,
                f"the prompt has {len(prompt)} tokens, and the answer up to {request.most_tokens}, "
                f"but the language model {self._model} reads {loaded.window}; use one with a "
                "larger context",
            )
        ends = _find_ends(loaded)

        def stop_generating(*_: object, **__: object) -> Any:
            stop()  # raises
            return torch.zeros(1, dtype=torch.bool, device=loaded.device)

        tokens = torch.tensor([prompt], device=loaded.device)
        with torch.inference_mode():
            told = loaded.model.generate(
                tokens,
                attention_mask=torch.ones_like(tokens),
                do_sample=False,
                max_new_tokens=request.most_tokens,
                eos_token_id=ends or None,
                pad_token_id=ends[0] if ends else None,
                stopping_criteria=[stop_generating],
            )
        written = told[0, len(prompt) :].tolist()
        text = loaded.tokenizer.decode(written, skip_special_tokens=True).strip()
        return WrittenText(text, bool(written) and written[-1] in ends)

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


def _find_ends(loaded: LanguageModel) -> list[int]:
    """Return the tokens that end an answer, as the tokenizer and the configurations tell them."""
    settings = getattr(loaded.model, "generation_config", None)
    told: list[Any] = [
        loaded.tokenizer.eos_token_id,
        getattr(settings, "eos_token_id", None),
        loaded.model.config.get_text_config().eos_token_id,
    ]
    flat = [token for one in told for token in (one if isinstance(one, list) else [one])]
    return sorted({token for token in flat if token is not None})


class ServerGenerator:
    """Writes texts by asking a server; safe to call from several threads."""

    def __init__(self, options: EndpointOptions) -> None:
        self._options = options
        self._server = ModelServer(options)  # reports a wrong url at once
        self._model_name = options.model
        self._thread = ModelThread("model server")
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The model's name, as far as it is known, and the server's."""
        return f"{self._model_name or 'the first model'}@{self._server.host}"

    def write(self, request: TextRequest, check: Check) -> WrittenText:
        """Ask for the likeliest text."""
        late = (
            f"{self._server.shown} did not answer within {request.seconds:.3g} s; give it more "
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
    ) -> WrittenText:
        if not self._model_name:
            self._model_name = find_first_model(server)
        stop()
        body = write_request(self._model_name, request.turns, request.most_tokens)
        answer = ask_model(server, {**body, "temperature": 0.0})[0]
        return WrittenText(answer.text.strip(), answer.is_complete)
