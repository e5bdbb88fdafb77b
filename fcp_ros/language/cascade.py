# SPDX-License-Identifier: Apache-2.0
"""The reader in use: rules first, and a language model behind them for what they can't read.

The model's reading never counts by itself: it is in doubt, so that a person confirms it. What the
rules read is their own, even in doubt: of 17 such readings that were right a small model took
5 for something else, and put 2 of 5 wrong ones right (docs/language_models.md). A model that fails,
or takes too long, leaves the answer of the rules.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic

from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import shorten_words, to_printable
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.reader import MODEL_SECONDS, InstructionReader, ReadingContext
from fcp_ros.language.reading import Interpretation, ReadingStatus

TUNED = "tuned"
"""The setting `model` that takes the package's own small model."""
SHARE_OF_TIME = 0.5
"""Share of the time left to a request that it may take: the rest is for planning."""


class CascadeReader:
    """Asks a second reader about what the first one can't read."""

    def __init__(
        self,
        first: InstructionReader,
        # makes the reader behind it, when that is needed for the first time
        make_second: Callable[[], InstructionReader],
        seconds: float = MODEL_SECONDS,  # that the second reader may take for one instruction
    ) -> None:
        self._first = first
        self._make_second = make_second
        self._seconds = seconds
        self._lock = threading.Lock()
        self._second: InstructionReader | None = None

    @property
    def name(self) -> str:
        """The kind of the first reader."""
        return self._first.name

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction; ask the second reader if the first one doesn't understand it."""
        answer = self._first.read(instruction, context)
        if not needs_help(answer):
            return answer
        seconds = min(self._seconds, SHARE_OF_TIME * (context.until - monotonic()))
        if seconds <= 0.0:
            return answer
        try:
            second = self._get_second()
        except InputError as error:
            return _note_failure(answer, str(error))
        other = second.read(instruction, replace(context, until=monotonic() + seconds))
        if other.status is ReadingStatus.FAILED:
            return _note_failure(answer, other.message)
        return choose_answer(answer, other)

    def _get_second(self) -> InstructionReader:
        with self._lock:
            if self._second is None:
                self._second = self._make_second()
            return self._second


def needs_help(answer: Interpretation) -> bool:
    """Return True for an answer without a reading.

    A question of the first reader is one for the person, and what is refused is refused.
    """
    return answer.status in (ReadingStatus.NOT_UNDERSTOOD, ReadingStatus.FAILED)


def choose_answer(first: Interpretation, second: Interpretation) -> Interpretation:
    """Choose between the answers of two readers, of which the first has no reading.

    Returns:
        The second reader's reading as one in doubt, which is asked about (`confirmation.py`); its
        question; or the first answer if the second has nothing to say.
    """
    if second.status is ReadingStatus.AMBIGUOUS:
        return second
    if second.best is not None:
        return make_doubtful(second)
    return second if second.readings and not first.readings else first


def make_doubtful(answer: Interpretation) -> Interpretation:
    """Make the best reading of an answer one that is asked about."""
    first, *others = answer.readings
    doubtful = replace(first, degree=min(first.degree, Confidence.LIKELY.degree))
    return replace(answer, readings=(doubtful, *others))


def _note_failure(answer: Interpretation, reason: str) -> Interpretation:
    """Return the first reader's answer, and why the second has none."""
    said = shorten_words(to_printable(reason.strip().rstrip(".")))
    note = f"The language model could not help: {said}."
    return replace(answer, message=f"{answer.message} {note}".strip())


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """The choice of the language model behind the rules."""

    # "tuned" (the small one of the package, where `fcp models fetch` brought it), a file of another
    # change of one (`fcp language train-writer`), or the model's name on the server; "" for none
    model: str = TUNED
    endpoint: str = ""  # the URL of that server, with the OpenAI protocol
    seconds: float = MODEL_SECONDS  # that the language model may take for one instruction


def make_rules() -> InstructionReader:
    """Make the reader by the phrases of the domain and English's syntax; its parser loads ahead.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    from fcp_ros.language.domain_reader import DomainReader
    from fcp_ros.language.syntax import load_pipeline_ahead

    reader = DomainReader()
    load_pipeline_ahead()
    return reader


def make_reader(options: ReaderOptions) -> InstructionReader:
    """Make the reader by rules, with a language model behind it where one is configured.

    Raises:
        InputError: what it reads with is missing.
    """
    reader = make_rules()
    make_second = _find_second(options, reader)
    return reader if make_second is None else CascadeReader(reader, make_second, options.seconds)


def warm_up_server(options: ReaderOptions, check: Callable[[], None]) -> str:
    """Have the configured model server read its examples, which it keeps; it takes up to minutes.

    Args:
        check: called often; may raise to stop waiting.

    Returns:
        Why that failed; "" if it did not, or no server is configured.
    """
    if not options.endpoint:
        return ""
    from fcp_ros.language.model_reader import open_server

    try:
        open_server(options.endpoint, _name_on_server(options)).read_ahead(check)
    except InputError as error:
        return str(error)
    return ""


def _find_second(
    options: ReaderOptions, reader: InstructionReader
) -> Callable[[], InstructionReader] | None:
    """Find the reader of what a language model makes of an instruction; None without a model."""
    if options.endpoint:
        return partial(_make_of_server, options, reader)
    if options.model == TUNED:
        from fcp_ros.language.model_reader.plain_adapter import PACKAGED_FILE, is_base_here

        return partial(_make_of_tuned, PACKAGED_FILE, reader) if is_base_here() else None
    return partial(_make_of_tuned, Path(options.model), reader) if options.model else None


def _make_of_server(options: ReaderOptions, reader: InstructionReader) -> InstructionReader:
    from fcp_ros.language.model_reader import RewritingReader, open_server

    writer = open_server(options.endpoint, _name_on_server(options))
    return RewritingReader("endpoint", writer, reader)


def _make_of_tuned(file: Path, reader: InstructionReader) -> InstructionReader:
    from fcp_ros.language.model_reader import RewritingReader, TunedWriter
    from fcp_ros.language.model_reader.compact_model import open_compact_model

    return RewritingReader(TUNED, TunedWriter(open_compact_model(file)), reader)


def _name_on_server(options: ReaderOptions) -> str:
    return "" if options.model == TUNED else options.model
