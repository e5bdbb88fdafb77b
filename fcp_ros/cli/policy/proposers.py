# SPDX-License-Identifier: Apache-2.0
"""The proposer of abstractions, chosen on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from fcp_ros.abstraction.proposers.proposer import AbstractionProposer
from fcp_ros.abstraction.proposers.symbolic.learning import ReportCallback, SymbolicOptions
from fcp_ros.abstraction.proposers.symbolic.symbolic_proposer import SymbolicProposer
from fcp_ros.abstraction.proposers.written.file_proposer import FileProposer
from fcp_ros.abstraction.proposers.written.model_proposer import (
    LanguageModelProposer,
    ModelProposerOptions,
)
from fcp_ros.abstraction.proposers.written.transcript import write_transcript
from fcp_ros.cli.terminal import fail
from fcp_ros.grounding.generation.generator import TextGenerator
from fcp_ros.grounding.generation.model_generator import make_model_generator
from fcp_ros.grounding.generation.server_generator import ServerGenerator
from fcp_ros.grounding.model_files.fetching import find_model_folder
from fcp_ros.grounding.protocol.options import EndpointOptions


class ProposerName(str, Enum):
    """The proposers."""

    SYMBOLIC = "symbolic"
    FILE = "file"
    LANGUAGE_MODEL = "language-model"


@dataclass(frozen=True)
class ProposerChoice:
    """The options that choose a proposer.

    Attributes:
        name: of the proposer; None: the one that the other options are for.
        file: an abstraction, for the proposer of files.
        model: name or folder of a language model, or its name on the server.
        endpoint: URL of a model server.
        transcript: file for what a language model was asked and answered.
        time_limit: for everything (s).
    """

    name: ProposerName | None
    file: Path | None
    model: str
    endpoint: str
    transcript: Path | None
    time_limit: float


def make_proposer(choice: ProposerChoice, report: ReportCallback) -> AbstractionProposer:
    """Make the proposer; leaves the program if options are missing or do not fit it.

    Args:
        choice: the options.
        report: told in a sentence what the symbolic proposer tries.
    """
    asks_model = bool(choice.model or choice.endpoint or choice.transcript)
    name = choice.name or _find_name(choice.file is not None, asks_model)
    if (choice.file is not None) != (name is ProposerName.FILE):
        fail("--file FILE and --proposer file belong together")
    if asks_model and name is not ProposerName.LANGUAGE_MODEL:
        fail("--model, --endpoint and --transcript are for --proposer language-model")
    if choice.file is not None:
        return FileProposer(choice.file)
    if name is ProposerName.SYMBOLIC:
        return SymbolicProposer(SymbolicOptions(seconds=choice.time_limit), report)
    options = ModelProposerOptions(seconds=choice.time_limit)
    return LanguageModelProposer(_make_generator(choice), options)


def _find_name(has_file: bool, asks_model: bool) -> ProposerName:
    """Return the proposer that the options are for."""
    if has_file:
        return ProposerName.FILE
    return ProposerName.LANGUAGE_MODEL if asks_model else ProposerName.SYMBOLIC


def save_transcript(choice: ProposerChoice, proposer: AbstractionProposer) -> None:
    """Write what a language model was asked and answered, if the options say so."""
    if choice.transcript is not None and isinstance(proposer, LanguageModelProposer):
        text = write_transcript(proposer.name, proposer.exchanges)
        choice.transcript.write_text(text, encoding="utf-8")


def _make_generator(choice: ProposerChoice) -> TextGenerator:
    if choice.endpoint:
        server = EndpointOptions(
            url=choice.endpoint, model=choice.model, timeout=choice.time_limit, retries=1
        )
        return ServerGenerator(server)
    if not choice.model:
        fail("there is no language model: give --model NAME_OR_FOLDER or --endpoint URL")
    return make_model_generator(find_model_folder(choice.model))
