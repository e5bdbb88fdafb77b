# SPDX-License-Identifier: Apache-2.0
"""Synonyms, and the pairs of names that an executive noticed, as messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from builtin_interfaces.msg import Time

from fcp_ros.alignment.synonyms import Standing, SynonymEvidence
from fcp_ros.msg import NameProposals, Synonym

STANDINGS = {
    Standing.OPEN: Synonym.OPEN,
    Standing.KEPT: Synonym.KEPT,
    Standing.PROVEN: Synonym.PROVEN,
    Standing.REFUTED: Synonym.REFUTED,
}
"""Standing of a synonym -> its number in the message."""


def synonym_to_ros(evidence: SynonymEvidence) -> Any:
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
        reasons=list(evidence.reasons),
        rivals=list(map(str, evidence.rivals)),
    )


def proposals_to_ros(pairs: Iterable[SynonymEvidence], stamp: Time) -> Any:
    message = NameProposals(synonyms=[synonym_to_ros(one) for one in pairs])
    message.header.stamp = stamp
    return message
