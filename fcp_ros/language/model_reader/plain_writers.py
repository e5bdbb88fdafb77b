# SPDX-License-Identifier: Apache-2.0
"""Language models that say plainly what a person wants from a robot.

One that follows instructions is given a task and examples (`plain_english.yaml`), the same for all
that is said, so that a server reads them once. A small one was tuned for it (`plain_adapter.py`)
and is given what was said alone. Neither the scene nor the domain is shown to a model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

import yaml

from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import to_printable
from fcp_ros.grounding.generation import TextGenerator, TextRequest, quote_data
from fcp_ros.grounding.generators import ServerGenerator
from fcp_ros.grounding.options import EndpointOptions
from fcp_ros.language.model_reader.compact_model import CompactModel
from fcp_ros.language.model_reader.plain_adapter import PROMPT

MOST_TOKENS = 100
"""Longest plain text that a model may write (tokens)."""
WARM_UP_SECONDS = 180.0
"""Seconds that a server may take to read the examples: a minute of CPU on one core."""
DRAFTS = 4
"""Texts of a tuned model that are read, likeliest first, until one can be: the share of `fourth`
that is read rose with the first four (docs/language_models.md)."""


class PlainWriter(Protocol):
    """Anything that says plainly what is to be done."""

    def write(self, said: str, seconds: float, check: Check) -> tuple[str, ...]:
        """Write drafts, likeliest first, each on one line; GroundingError without an answer."""
        ...


@dataclass(frozen=True)
class PlainEnglish:
    """The task and the examples that a model is given."""

    task: str
    nothing: str  # its answer where nothing is to be done
    examples: tuple[tuple[str, str], ...]  # what was heard, and the same in plain words


class PromptedWriter:
    """Has a model write by a task and examples: one draft."""

    def __init__(self, generator: TextGenerator) -> None:
        self._generator = generator

    def write(self, said: str, seconds: float, check: Check) -> tuple[str, ...]:
        written = self._generator.write(self._ask(said, seconds), check)
        return _tidy([written.text] if written.is_complete else [])

    def read_ahead(self, check: Check) -> None:
        """Have the model read the task and the examples, so that no instruction waits for that.

        Raises:
            GroundingError: it can't be asked, or takes too long.
        """
        self._generator.write(self._ask("Hello.", WARM_UP_SECONDS, most_tokens=1), check)

    def _ask(self, said: str, seconds: float, most_tokens: int = MOST_TOKENS) -> TextRequest:
        told = load_plain_english()
        return TextRequest(
            told.task,
            quote_data(said),
            most_tokens=most_tokens,
            seconds=seconds,
            examples=told.examples,
        )


class TunedWriter:
    """Has a model write that was tuned for it: a few drafts."""

    def __init__(self, model: CompactModel) -> None:
        self._model = model

    def write(self, said: str, seconds: float, check: Check) -> tuple[str, ...]:
        prompt = PROMPT.format(quote_data(said))
        return _tidy(self._model.write(prompt, DRAFTS, MOST_TOKENS, seconds, check))


def _tidy(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(to_printable(" ".join(text.split())) for text in texts)


def open_server(url: str, model: str = "") -> PromptedWriter:
    """Open a language model of a server, which is not asked yet.

    Raises:
        GroundingError: the url is none.
    """
    options = EndpointOptions(url=url, model=model, timeout=WARM_UP_SECONDS, retries=1)
    return PromptedWriter(ServerGenerator(options))


@cache
def load_plain_english() -> PlainEnglish:
    """Load the task and the examples; they are a file of this package."""
    text = files(__package__).joinpath("plain_english.yaml").read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    examples = tuple((one["heard"], one["plain"]) for one in document["examples"])
    return PlainEnglish(document["task"], document["nothing"], examples)
