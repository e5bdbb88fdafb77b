# SPDX-License-Identifier: Apache-2.0
"""The proposer of an abstraction that a person wrote into a file."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from fcp_ros.abstraction.proposers.faults import (
    AbstractionError,
    GeneralizationStatus,
    ProposerStopped,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal
from fcp_ros.abstraction.proposers.written.abstraction_text import parse_proposal
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.domain.yaml.reader import read_text


class FileProposer:
    """Proposes what a file says, once.

    `path`: of the file: YAML with features, initial, goal and actions; or the file of a policy.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = Path(path)

    @property
    def name(self) -> str:
        """The file's."""
        return f"file {self._path.name}"

    def propose(
        self,
        training: tuple[TrainingTask, ...],
        feedback: tuple[AbstractionError, ...],
        check: Callable[[], None],
    ) -> AbstractionProposal:
        """Read the file; only a person can mend its faults.

        Raises RejectedProposal if it is no abstraction; each fault has a line and what to do.
        Raises ProposerStopped if it was proposed before. Raises DomainError if there is no such
        file.
        """
        if feedback:
            sentence = f"{self._path} has faults: mend it and try again"
            raise ProposerStopped(GeneralizationStatus.UNREPAIRED, sentence, feedback)
        return parse_proposal(read_text(self._path), str(self._path), training)
