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

GENERATING, FEWEST_SPLIT = 2, 4
"""A language model is given 2 of 4 tasks or more, as in Cui et al., arXiv 2602.10485."""


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

    @property
    def asks_model(self) -> bool:
        """True if some option is for a language model."""
        return bool(self.model or self.endpoint or self.transcript)

    @property
    def proposer(self) -> ProposerName:
        """The proposer that is meant."""
        if self.name is not None:
            return self.name
        if self.file is not None:
            return ProposerName.FILE
        return ProposerName.LANGUAGE_MODEL if self.asks_model else ProposerName.SYMBOLIC

    def choose_generating(self, tasks: int) -> int:
        """Choose how many of some training tasks the proposer is given at first; 0: all."""
        splits = self.proposer is ProposerName.LANGUAGE_MODEL and tasks >= FEWEST_SPLIT
        return GENERATING if splits else 0


def make_proposer(choice: ProposerChoice, report: ReportCallback) -> AbstractionProposer:
    """Make the proposer; leaves the program if options are missing or do not fit it.

    Args:
        choice: the options.
        report: told in a sentence what the symbolic proposer tries.
    """
    name = choice.proposer
    if (choice.file is not None) != (name is ProposerName.FILE):
        fail("--file FILE and --proposer file belong together")
    if choice.asks_model and name is not ProposerName.LANGUAGE_MODEL:
        fail("--model, --endpoint and --transcript are for --proposer language-model")
    if choice.file is not None:
        return FileProposer(choice.file)
    if name is ProposerName.SYMBOLIC:
        return SymbolicProposer(SymbolicOptions(seconds=choice.time_limit), report)
    options = ModelProposerOptions(seconds=choice.time_limit)
    return LanguageModelProposer(_make_generator(choice), options)


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
