# SPDX-License-Identifier: Apache-2.0
"""A language model says plainly what a person wants, and another reader reads that.

A small model writes plain English far better than goals, and what it writes has to pass the whole
reader behind it. Its task and examples are the same for all instructions (`plain_english.yaml`), so
that a server reads them once; neither the scene nor the domain is in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from time import monotonic

import yaml

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import ExpressionError
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import shorten_words, to_printable
from fcp_ros.grounding.generation import TextGenerator, TextRequest, quote_data
from fcp_ros.grounding.generators import ServerGenerator, make_model_generator
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.grounding.options import Device, EndpointOptions
from fcp_ros.language.english.turning_words import CONTRARY, RESTRICTIONS
from fcp_ros.language.model_reader.names import split_words
from fcp_ros.language.model_reader.word_uses import align_words
from fcp_ros.language.reader import InstructionReader, ReadingContext, find_excess
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse

MOST_TOKENS = 100
"""Longest plain text that a model may write (tokens)."""
LONGEST_TEXT = 1_000
"""Longest plain text that is read (characters)."""
MOST_SECONDS = 60.0
"""Seconds that it may take where nobody sets a limit."""
WARM_UP_SECONDS = 180.0
"""Seconds that a server may take to read the examples: a minute of CPU on one core."""
_HEEDED = CONTRARY | RESTRICTIONS
"""Words that turn a meaning round: a plain text without any of them has lost it."""


@dataclass(frozen=True)
class PlainEnglish:
    """The task and the examples that a model is given."""

    task: str
    nothing: str  # its answer where nothing is to be done
    examples: tuple[tuple[str, str], ...]  # what was heard, and the same in plain words


class RewritingReader:
    """Reads what a language model makes of an instruction."""

    def __init__(
        self,
        name: str,
        generator: TextGenerator,
        reader: InstructionReader,  # reads the plain text
    ) -> None:
        self._name = name
        self._generator = generator
        self._reader = reader

    @property
    def name(self) -> str:
        """The kind of reader."""
        return self._name

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction; every failure is a status with a sentence, only `check` raises."""
        excess = find_excess(instruction)
        if excess:
            return self._answer(instruction, ReadingStatus.REFUSED, excess)
        try:
            text = self._rewrite(instruction, context)
        except GroundingError as error:
            return self._answer(instruction, ReadingStatus.FAILED, to_printable(error.sentence))
        if not text or text == load_plain_english().nothing:
            message = "The language model finds nothing in this that is to be done."
            return self._answer(instruction, ReadingStatus.NOT_UNDERSTOOD, message)
        if len(text) > LONGEST_TEXT:  # a server that heeds no limit of tokens
            message = f"The language model wrote {len(text)} characters, which are not read."
            return self._answer(instruction, ReadingStatus.NOT_UNDERSTOOD, message)
        found = self._reader.read(text, context)
        if found.status is ReadingStatus.AMBIGUOUS:
            bare = tuple(replace(reading, words=()) for reading in found.readings)
            return replace(found, instruction=instruction, readings=bare, reader=self._name)
        best = found.best
        if best is None:
            message = f'The language model takes this for "{shorten_words(text)}". {found.message}'
            return self._answer(instruction, ReadingStatus.NOT_UNDERSTOOD, message)
        reading = replace(best, words=_account_for(instruction, text, best, context))
        return replace(found, instruction=instruction, readings=(reading,), reader=self._name)

    def _rewrite(self, instruction: str, context: ReadingContext) -> str:
        """Ask the model for plain words; the likeliest answer, on one line."""
        seconds = max(0.1, min(MOST_SECONDS, context.until - monotonic()))
        texts = self._generator.write(_write_request(instruction, seconds), context.check)
        whole = (one.text for one in texts if one.is_complete)
        return to_printable(" ".join(next(whole, "").split()))

    def _answer(self, instruction: str, status: ReadingStatus, message: str) -> Interpretation:
        return Interpretation(instruction, status, message, reader=self._name)


def open_folder(folder: Path, device: str = "auto") -> TextGenerator:
    """Open the language model in a folder; it is loaded at the first request.

    Raises:
        GroundingError: the folder holds no language model that may be loaded.
    """
    return make_model_generator(folder, Device(device))


def open_server(url: str, model: str = "") -> TextGenerator:
    """Open a language model of a server, which is not asked yet.

    Raises:
        GroundingError: the url is none.
    """
    options = EndpointOptions(url=url, model=model, timeout=WARM_UP_SECONDS, retries=1)
    return ServerGenerator(options)


def read_examples_ahead(generator: TextGenerator, check: Check) -> None:
    """Have a model read the task and the examples, so that no instruction waits for that.

    Raises:
        GroundingError: it can't be asked, or takes too long.
    """
    generator.write(_write_request("Hello.", WARM_UP_SECONDS, most_tokens=1), check)


def _write_request(said: str, seconds: float, most_tokens: int = MOST_TOKENS) -> TextRequest:
    told = load_plain_english()
    return TextRequest(
        told.task,
        quote_data(said),
        most_tokens=most_tokens,
        seconds=seconds,
        examples=told.examples,
    )


@cache
def load_plain_english() -> PlainEnglish:
    """Load the task and the examples; they are a file of this package."""
    text = files(__package__).joinpath("plain_english.yaml").read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    examples = tuple((one["heard"], one["plain"]) for one in document["examples"])
    return PlainEnglish(document["task"], document["nothing"], examples)


def _account_for(
    instruction: str, text: str, reading: Reading, context: ReadingContext
) -> tuple[WordUse, ...]:
    """Account for the words of an instruction.

    Words without a counterpart in the goal are taken for what people say besides, as a person
    confirms the goal. Those that would turn it round are unread if the plain text has none such.
    """
    try:
        goal = check_goal(parse_expression(reading.goal), context.domain, context.instance)
    except ExpressionError:
        return ()
    is_kept = any(word in _HEEDED for word in split_words(text))
    return tuple(_settle(instruction, is_kept, align_words(instruction, goal, context)))


def _settle(instruction: str, is_kept: bool, uses: tuple[WordUse, ...]) -> Iterator[WordUse]:
    for use in uses:
        heeded = instruction[use.start : use.end].lower() in _HEEDED
        if heeded and not is_kept:
            yield replace(use, role=WordRole.UNREAD)
        elif use.role is WordRole.UNREAD:
            yield replace(use, role=WordRole.FILLER)
        else:
            yield use
