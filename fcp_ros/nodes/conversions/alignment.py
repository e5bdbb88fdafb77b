# SPDX-License-Identifier: Apache-2.0
"""Synonyms and alignments as messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from builtin_interfaces.msg import Time

from fcp_ros.alignment.answer import (
    AlignmentResult,
    AlignmentStatus,
    Standing,
    SynonymEvidence,
    write_action,
)
from fcp_ros.msg import Alignment, NameProposals, Synonym

STANDINGS = {
    Standing.OPEN: Synonym.OPEN,
    Standing.KEPT: Synonym.KEPT,
    Standing.PROVEN: Synonym.PROVEN,
    Standing.REFUTED: Synonym.REFUTED,
}
"""Standing of a synonym -> its number in the message."""


@dataclass(frozen=True)
class AlignmentOrigin:
    """The request behind an alignment: the names of both domains, and the goal translated."""

    own: str = ""
    other: str = ""
    goal: str = ""


def synonym_to_ros(evidence: SynonymEvidence) -> Any:
    """Return a synonym with its evidence as a message."""
    synonym = evidence.proposal.synonym
    return Synonym(
        source=synonym.source,
        target=synonym.target,
        places=list(synonym.places),
        fillers=list(synonym.fillers),
        text=str(synonym),
        standing=STANDINGS[evidence.standing],
        confidence=evidence.confidence,
        succeeded=evidence.succeeded,
        failed=evidence.failed,
        reasons=list(evidence.proposal.reasons),
        rivals=list(map(str, evidence.rivals)),
    )


def proposals_to_ros(pairs: Iterable[SynonymEvidence], stamp: Time) -> Any:
    """Return the pairs that an executive noticed as a message."""
    message = NameProposals(synonyms=[synonym_to_ros(one) for one in pairs])
    message.header.stamp = stamp
    return message


def alignment_to_ros(result: AlignmentResult, origin: AlignmentOrigin, stamp: Time) -> Any:
    """Return the answer to a request for alignment as a message."""
    message = Alignment(
        status=status_to_ros(result.status),
        message=result.message,
        own=origin.own,
        other=origin.other,
        mapping=[synonym_to_ros(one) for one in result.mapping],
        others=[synonym_to_ros(one) for one in result.others],
        plan=[write_action(one) for one in result.plan or ()],
        goal=origin.goal,
        trials=len(result.trials),
        failures=result.failures,
        candidates=result.candidates,
        notes=list(result.notes),
        seconds=result.seconds,
    )
    message.header.stamp = stamp
    return message


def status_to_ros(status: AlignmentStatus) -> int:
    """Return the number of a status: the constant of the same name."""
    return int(getattr(Alignment, status.value))
