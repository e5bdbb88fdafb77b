# SPDX-License-Identifier: Apache-2.0
"""A small model with its change, merged and rounded to 8 bits for CTranslate2.

It is made once, with torch (12 s), and kept in the folder of the model that was fetched, so that it
is removed with it. From then on no process that reads needs torch: a sentence costs a third of the
time and the process a quarter of the memory (docs/language_models.md).
"""

from __future__ import annotations

import ctypes
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import Check
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.model_folder import compute_weights_fingerprint
from fcp_ros.grounding.models.model_store import (
    find_ready_folder,
    hash_file,
    remove_folder,
    suggest_repair,
)
from fcp_ros.grounding.models.torch_device import suppress_progress_bars
from fcp_ros.language.model_reader.plain_adapter import (
    PACKAGED_FILE,
    RETRAIN,
    add_change,
    load_adapter,
)

TOKENIZER = "tokenizer.json"
PAUSE = 0.01  # Seconds between two checks
_PREFIX = "compact-"


class CompactModel:
    """Continues a text by beam search; deterministic. Loaded at first use; for several threads."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name = name
        self._folder = folder  # that `find_compact_folder` made
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None  # tokenizer, generator

    def write(
        self, prompt: str, count: int, most_tokens: int, seconds: float, check: Check
    ) -> tuple[str, ...]:
        """Write the likeliest texts that end, likeliest first.

        Raises:
            GroundingError: the model can't be loaded, or takes longer (NO_ANSWER).
        """
        until = monotonic() + seconds
        tokenizer, generator = self._load()
        tokens = tokenizer.encode(prompt, add_special_tokens=False).tokens
        (answer,) = generator.generate_batch(
            [tokens],
            asynchronous=True,
            beam_size=count,
            num_hypotheses=count,
            max_length=most_tokens,
            length_penalty=0.0,  # the likeliest text, not the likeliest per token
            include_prompt_in_result=False,
        )
        while True:
            check()
            if monotonic() >= until:
                late = f"the language model {self._name} did not answer within {seconds:.3g} s"
                raise GroundingError(GroundingCode.NO_ANSWER, f"{late}; give it more time")
            if answer.done():
                break
            sleep(PAUSE)
        return _list_texts(tokenizer, answer.result().sequences_ids, most_tokens)

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load_folder(self._folder)
            return self._loaded


def _list_texts(
    tokenizer: Any, found: Sequence[Sequence[int]], most_tokens: int
) -> tuple[str, ...]:
    """List texts once; one of so many tokens was cut."""
    texts = (tokenizer.decode(ids).strip() for ids in found if len(ids) < most_tokens)
    return tuple(dict.fromkeys(texts))


def _load_folder(folder: Path) -> tuple[Any, Any]:
    try:
        import ctranslate2
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder.parent / TOKENIZER))
        generator = ctranslate2.Generator(str(folder), device="cpu", compute_type="int8")
    except ImportError as error:
        raise _miss(error) from error
    except Exception as error:  # both libraries raise bare exceptions for damaged files
        sentence = (
            f"the language model in {folder} can't be loaded ({error}); "
            f"{suggest_repair(folder.parent)}"
        )
        raise GroundingError(GroundingCode.MODEL_FAILED, sentence) from error
    give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if give_back is not None:  # glibc would keep 100 MB that loading is done with
        give_back(0)
    return tokenizer, generator


def open_compact_model(file: Path) -> CompactModel:
    """Open the model that a file changes, and make it first where that wasn't done yet.

    Raises:
        InputError: the file is damaged, or was made for other weights.
        GroundingError: its model was not fetched, or can't be converted.
    """
    return CompactModel(file.stem, find_compact_folder(file))


def make_ready(base: str) -> None:
    """Convert a model that was fetched, if it is the packaged file's; errors as above.

    What was converted before goes: it may be damaged, or of an earlier training.
    """
    if base == load_adapter(PACKAGED_FILE)[0].base:
        for old in find_ready_folder(base).glob(f"{_PREFIX}*"):
            remove_folder(old)
        find_compact_folder(PACKAGED_FILE)


def find_compact_folder(file: Path) -> Path:
    """Find the folder of the merged model, and make it where it isn't there; errors as above."""
    adapter, _ = load_adapter(file)
    base = find_ready_folder(adapter.base)
    if compute_weights_fingerprint(base) != adapter.weights:
        raise InputError(
            f"{file} was trained on other weights than those of {adapter.base} in {base}; {RETRAIN}"
        )
    folder = base / f"{_PREFIX}{hash_file(file)[:16]}"
    if not folder.is_dir():
        _convert(base, adapter.arrays, folder)
    return folder


def _convert(base: Path, arrays: Any, folder: Path) -> None:
    """Write a folder, whole or not at all."""
    try:
        import torch  # noqa: F401 (the converter fails without saying so)
        import transformers  # noqa: F401
        from ctranslate2.converters import TransformersConverter
    except ImportError as error:
        raise _miss(error) from error

    class _ChangedConverter(TransformersConverter):  # type: ignore[misc]
        def load_model(self, model_class: Any, name: str, **options: Any) -> Any:
            model = super().load_model(model_class, name, **options).float()
            add_change(model, arrays)  # rounded once: in bfloat16 5 of 300 sentences were lost
            return model

    try:
        folders = tempfile.TemporaryDirectory(prefix=f".{_PREFIX}", dir=base)
        with folders as made, suppress_progress_bars():
            _ChangedConverter(str(base)).convert(f"{made}/model", quantization="int8")
            Path(made, "model").rename(folder)
    except OSError as error:
        if folder.is_dir():  # another process was faster
            return
        raise _refuse(base, error) from error
    except Exception as error:  # libraries raise whatever a damaged model leads them to
        raise _refuse(base, error) from error


def _miss(error: ImportError) -> GroundingError:
    sentence = (
        f"the language model that says plainly what people mean needs ctranslate2, tokenizers and, "
        f"to be made ready once, torch and transformers ({error}); pip install 'fcp_ros[models]'"
    )
    return GroundingError(GroundingCode.MISSING_LIBRARY, sentence)


def _refuse(base: Path, error: Exception) -> GroundingError:
    what = f"the language model in {base} can't be made ready ({type(error).__name__}: {error})"
    return GroundingError(GroundingCode.MODEL_FAILED, f"{what}; {suggest_repair(base)}")
