# SPDX-License-Identifier: Apache-2.0
"""The generator of a causal language model in a folder, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fcp_ros.grounding.generation.beam_search import BeamSearch, prepare_search
from fcp_ros.grounding.generation.generator import TextRequest, WrittenText
from fcp_ros.grounding.generation.model_thread import ModelThread, StoppedError
from fcp_ros.grounding.language_model.loading import (
    LanguageModel,
    check_architecture,
    load_language_model,
)
from fcp_ros.grounding.language_model.prompt_tokens import apply_template, tokenize_texts
from fcp_ros.grounding.models.model_folder import check_model_folder, compute_fingerprint
from fcp_ros.grounding.models.torch_device import is_out_of_memory
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Device, Precision

LAST_WAIT = 20.0
"""Seconds that the end of the process waits for a model that is being loaded."""


class ModelGenerator:
    """Writes texts by beam search; deterministic. Safe to call from several threads.

    Args:
        model: identity of the model.
        load: loads it at the first request, in its thread.
    """

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
        """Write the likeliest texts.

        Raises:
            GroundingError: the model can't be loaded, fails, or is too slow; the prompt is longer
                than its context.
        """
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
    """Make the generator of a model in a folder; checks the folder, loads nothing.

    Raises:
        GroundingError: the folder holds no language model that may be loaded.
    """
    checked = check_model_folder(folder)
    check_architecture(checked)
    load = partial(load_language_model, checked, Device(device), Precision(precision))
    return ModelGenerator(compute_fingerprint(checked), load)


def write_prompt_tokens(tokenizer: Any, request: TextRequest) -> list[int]:
    """Write a prompt in the model's chat template if it has one, else as plain text.

    Raises:
        GroundingError: the template can't be used.
    """
    text = apply_template(tokenizer, f"{request.task}\n\n{request.question}")
    (tokens,) = tokenize_texts(tokenizer, [text])
    return tokens
