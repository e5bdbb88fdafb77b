# SPDX-License-Identifier: Apache-2.0
"""Abstractions and features as YAML texts, read strictly; faults are those of a proposal."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from fcp_ros.abstraction.policy.abstraction_data import read_abstraction
from fcp_ros.abstraction.policy.general_policy import PolicyError
from fcp_ros.abstraction.policy.policy_file import parse_policy
from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    ProposerStopped,
    RejectedProposal,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal, TrainingTask, join_names
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.domain.diagnostics import Diagnostic, Diagnostics, DomainError
from fcp_ros.domain.yaml.domain_files import parse_lines, read_text
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import shorten_words

LONGEST = 100_000
"""Characters of a text."""
MOST_FEATURES = 40
MOST_ACTIONS = 60
MOST_PROGRAMS = 20
"""Programs of one action."""

_FENCED = re.compile(r"^\s*```\w*[ \t]*$(.*?)^\s*```\s*$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^\s*```\w*\s*$", re.MULTILINE)


def take_off_frame(text: str) -> str:
    """Return the first part between lines of ```, if there is one, else all of a text."""
    fenced = _FENCED.search(text)
    inner = fenced.group(1) if fenced is not None else _FENCE.sub("", text)
    return inner.strip() + "\n"


def has_actions(text: str) -> bool:
    """Return True if a text has the key `actions` of an abstraction."""
    return re.search(r"^actions\s*:", text, re.MULTILINE) is not None


def has_features(text: str) -> bool:
    """Return True if a text has the key `features` of an abstraction."""
    return re.search(r"^features\s*:", text, re.MULTILINE) is not None


def parse_abstraction(
    text: str, source: str, training: tuple[TrainingTask, ...]
) -> AbstractionProposal:
    """Read an abstraction: features, initial condition, goal, actions with programs.

    Raises RejectedProposal with all faults, each with its line and what to do.
    """
    return _parse(text, source, training, {})


def parse_proposal(
    text: str, source: str, training: tuple[TrainingTask, ...]
) -> AbstractionProposal:
    """Read an abstraction, or the file of a policy with its policy.

    A policy may be one of another version of the domain: the checks say if it fits this one. Raises
    RejectedProposal with all faults, each with its line and what to do.
    """
    if re.search(r"^format\s*:", text, re.MULTILINE) is None:
        return parse_abstraction(text, source, training)
    try:
        policy = parse_policy(text, source)
    except PolicyError as error:
        fault = AbstractionError(
            AbstractionCheck.ASC, AbstractionFault.SYNTAX, shorten_words(error.sentence, 2000)
        )
        raise RejectedProposal((fault,)) from None
    return AbstractionProposal(policy.qnp, policy.refinement, policy.policy)


def check_features(text: str, source: str, training: tuple[TrainingTask, ...]) -> None:
    """Check a text with the key `features` alone.

    Raises RejectedProposal with all faults, each with its line and what to do.
    """
    _parse(text, source, training, {"goal": [], "actions": {}})


def _parse(
    text: str, source: str, training: tuple[TrainingTask, ...], besides: dict[str, Any]
) -> AbstractionProposal:
    try:
        if len(text) > LONGEST:
            _refuse(source, f"the text has {len(text)} characters", f"write at most {LONGEST}")
        parsed = parse_lines(text, source)
        data = parsed.data
        if isinstance(data, dict):
            _check_sizes(data, source)
            data = {**besides, **data}
        report = Diagnostics(source, parsed.lines)
        known = join_names(training)
        name = re.sub(r"\s+", "_", training[0].domain.name) or "abstraction"
        qnp, refinement = read_abstraction(data, report, name, known)
    except DomainError as error:
        raise RejectedProposal(tuple(map(_to_fault, error.diagnostics))) from None
    return AbstractionProposal(qnp, refinement)


def _check_sizes(data: dict[str, Any], source: str) -> None:
    features, actions = data.get("features"), data.get("actions")
    if isinstance(features, dict) and len(features) > MOST_FEATURES:
        _refuse(source, f"{len(features)} features are too many", f"write at most {MOST_FEATURES}")
    if not isinstance(actions, dict):
        return
    if len(actions) > MOST_ACTIONS:
        _refuse(source, f"{len(actions)} actions are too many", f"write at most {MOST_ACTIONS}")
    for name, action in actions.items():
        programs = action.get("programs") if isinstance(action, dict) else None
        if isinstance(programs, list) and len(programs) > MOST_PROGRAMS:
            fault = f"the action {name} has {len(programs)} programs"
            _refuse(source, fault, f"write at most {MOST_PROGRAMS}")


def _refuse(source: str, fault: str, fix: str) -> NoReturn:
    raise DomainError([Diagnostic(source, 0, fault, fix)])


def _to_fault(fault: Diagnostic) -> AbstractionError:
    place = f"line {fault.line}: " if fault.line else ""
    sentence = f"{place}{fault.message}. Fix: {fault.fix}."
    return AbstractionError(AbstractionCheck.ASC, AbstractionFault.SYNTAX, sentence)


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
        check: Check,
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
