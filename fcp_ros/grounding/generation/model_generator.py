# SPDX-License-Identifier: Apache-2.0
"""The generator of a causal language model in a folder, in a thread of its own."""

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

from fcp_ros.grounding.generation.beam_search import BeamSearch, prepare_search
from fcp_ros.grounding.generation.generator import TextRequest, WrittenText
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.language_model.causal_model import (
    LanguageModel,
    check_architecture,
    load_language_model,
)
from fcp_ros.grounding.language_model.prompt import apply_template, tokenize_texts
from fcp_ros.grounding.models.model_folder import check_model_folder, compute_fingerprint
from fcp_ros.grounding.models.torch_device import is_out_of_memory
from fcp_ros.grounding.options import Device, Precision

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
        check: Callable[[], None],
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
        """Identity of the model, for people."""
        return self._model

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return self._search is not None

    def write(self, request: TextRequest, check: Callable[[], None]) -> list[WrittenText]:
        """Write the likeliest texts."""
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
    text = apply_template(tokenizer, f"{request.task}\n\n{request.question}")
    (tokens,) = tokenize_texts(tokenizer, [text])
    return tokens
