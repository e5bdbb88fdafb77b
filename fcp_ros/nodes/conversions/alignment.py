# SPDX-License-Identifier: Apache-2.0
"""Alignments as messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from builtin_interfaces.msg import Time

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus, write_action
from fcp_ros.alignment.ontology.claims import ClaimStanding, NameClaim
from fcp_ros.alignment.ontology.scene_alignment import SceneAlignment
from fcp_ros.domain.scene_names import RelationReading
from fcp_ros.domain.yaml.overrides import write_overrides
from fcp_ros.msg import Alignment, Synonym
from fcp_ros.nodes.conversions.synonyms import synonym_to_ros

CLAIM_STANDINGS = {
    ClaimStanding.KNOWN: Synonym.KEPT,
    ClaimStanding.KEPT: Synonym.KEPT,
    ClaimStanding.REFUTED: Synonym.REFUTED,
}
"""Standing of a meaning -> its number in the message; of all others OPEN."""


@dataclass(frozen=True)
class AlignmentOrigin:
    """The request behind an alignment: the names of both domains, and the goal translated."""

    own: str = ""
    other: str = ""
    goal: str = ""


def alignment_to_ros(result: AlignmentResult, origin: AlignmentOrigin, stamp: Time) -> Any:
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


def scene_alignment_to_ros(result: SceneAlignment, origin: AlignmentOrigin, stamp: Time) -> Any:
    """Return the meanings of a scene's names as a message: each is a synonym."""
    written = [claim for claim in result.claims if claim.standing.is_written]
    others = [
        claim
        for claim in result.claims
        if not claim.standing.is_written and claim.standing is not ClaimStanding.KNOWN
    ]
    message = Alignment(
        status=status_to_ros(result.status),
        message=result.message,
        own=origin.own,
        other=origin.other,
        mapping=[claim_to_ros(claim) for claim in written],
        others=[claim_to_ros(claim) for claim in others],
        overrides=write_overrides(result.names) if result.status.is_success else "",
        trials=len(result.trials),
        failures=sum(seen.done < len(tried.actions) for tried, seen in result.trials),
        candidates=len(result.claims),
        notes=list(result.notes),
        seconds=result.seconds,
    )
    message.header.stamp = stamp
    return message


def claim_to_ros(claim: NameClaim) -> Any:
    meaning = claim.meaning
    places = meaning.places if isinstance(meaning, RelationReading) else ()
    target = "" if meaning is None else meaning if isinstance(meaning, str) else meaning.name
    return Synonym(
        source=claim.name,
        target=target,
        places=list(places),
        text=f"{claim.kind.value} {claim}",
        standing=CLAIM_STANDINGS.get(claim.standing, Synonym.OPEN),
        confidence=claim.probability,
        succeeded=claim.succeeded,
        failed=claim.failed,
        reasons=list(claim.reasons),
        rivals=[str(rival) for rival, _ in claim.rivals],
    )


def status_to_ros(status: AlignmentStatus) -> int:
    return int(getattr(Alignment, status.value))
