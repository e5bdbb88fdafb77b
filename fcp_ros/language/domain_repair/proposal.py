# SPDX-License-Identifier: Apache-2.0
"""A domain that a language model amended, as values, with the chain of its attempts."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.model import Domain


@dataclass(frozen=True, slots=True)
class RepairAttempt:
    """One answer of the model."""

    text: str  # the addition that it wrote, in YAML
    faults: tuple[Diagnostic, ...]  # found in it, with lines of `text`; empty: it was accepted


@dataclass(frozen=True)
class DomainProposal:
    """The outcome of a repair."""

    domain: Domain | None  # the amended domain; None if no attempt was valid
    text: str  # of the amended domain; empty if there is none
    generated: tuple[str, ...]  # the rules that the model wrote
    attempts: tuple[RepairAttempt, ...]  # all answers, in order
    message: str  # a sentence for a person
    model: str = ""
