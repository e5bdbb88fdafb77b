# SPDX-License-Identifier: Apache-2.0
"""The table of readers by name. A reader's file is imported when one is made.

To add a reader: a class after `reader.InstructionReader`, a function that makes it here, and its
row in `READERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.language.reader import MODEL_SECONDS, InstructionReader

DOMAIN = "domain"
"""The reader that has a language model asked about what it can't read."""
TUNED = "tuned"
"""The setting `model` that takes the package's own small model."""


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """The choice of a reader."""

    reader: str = DOMAIN  # one of `READERS`
    file: str = ""  # of the reader `file`: readings by instruction
    # the language model that is asked about what the reader `domain` can't read: "tuned" (the
    # small one of the package, where `fcp models fetch` brought it), a file of another change of
    # one, a folder (Hugging Face format), or the model's name on the server; "" for none
    model: str = TUNED
    endpoint: str = ""  # the URL of that server, with the OpenAI protocol
    device: str = "auto"  # of the model in a folder: "auto", "cpu" or "cuda"
    seconds: float = MODEL_SECONDS  # that the language model may take for one instruction


def make_domain(_options: ReaderOptions) -> InstructionReader:
    """Make the reader by the phrases of the domain and English's syntax; its parser loads ahead.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    from fcp_ros.language.domain_reader import DomainReader
    from fcp_ros.language.syntax import load_pipeline_ahead

    reader = DomainReader()
    load_pipeline_ahead()
    return reader


def make_file(options: ReaderOptions) -> InstructionReader:
    """Make the reader whose readings a file has.

    Raises:
        InputError: there is no file, or its content can't be used.
    """
    from fcp_ros.language.file_reader import FileReader

    return FileReader(Path(_require(options.file, "file", "a YAML file with readings")))


READERS: Mapping[str, Callable[[ReaderOptions], InstructionReader]] = {
    DOMAIN: make_domain,
    "file": make_file,
}
"""The maker of every reader by its name in options and parameters."""

ADAPTER_SUFFIX = ".safetensors"
"""Of a file that makes a small model write plain English (`fcp language train-writer`)."""


def make_reader(options: ReaderOptions) -> InstructionReader:
    """Make the reader of that name, with a language model behind it where one is configured.

    Raises:
        InputError: no reader has this name, or what it reads with is missing.
    """
    if options.reader not in READERS:
        hint = suggest_name(options.reader, READERS)
        raise InputError(f"there is no reader called {options.reader!r}; {hint}")
    reader = READERS[options.reader](options)
    if options.reader != DOMAIN:
        return reader
    make_second = _find_second(options, reader)
    if make_second is None:
        return reader
    from fcp_ros.language.cascade import CascadeReader

    return CascadeReader(reader, make_second, options.seconds)


def warm_up_server(options: ReaderOptions, check: Callable[[], None]) -> str:
    """Have the configured model server read its examples, which it keeps; it takes up to minutes.

    Args:
        check: called often; may raise to stop waiting.

    Returns:
        Why that failed; "" if it did not, or no server is configured.
    """
    if options.reader != DOMAIN or not options.endpoint:
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
    if options.model.endswith(ADAPTER_SUFFIX):
        return partial(_make_of_tuned, Path(options.model), reader)
    return partial(_make_of_folder, options, reader) if options.model else None


def _make_of_server(options: ReaderOptions, reader: InstructionReader) -> InstructionReader:
    from fcp_ros.language.model_reader import RewritingReader, open_server

    writer = open_server(options.endpoint, _name_on_server(options))
    return RewritingReader("endpoint", writer, reader)


def _make_of_folder(options: ReaderOptions, reader: InstructionReader) -> InstructionReader:
    from fcp_ros.language.model_reader import RewritingReader, open_folder

    return RewritingReader("model", open_folder(Path(options.model), options.device), reader)


def _make_of_tuned(file: Path, reader: InstructionReader) -> InstructionReader:
    from fcp_ros.language.model_reader import RewritingReader, TunedWriter
    from fcp_ros.language.model_reader.compact_model import open_compact_model

    return RewritingReader(TUNED, TunedWriter(open_compact_model(file)), reader)


def _name_on_server(options: ReaderOptions) -> str:
    return "" if options.model == TUNED else options.model


def _require(value: str, reader: str, what: str) -> str:
    if not value:
        raise InputError(f"the reader {reader!r} needs {what}: name it (reader_{reader})")
    return value
