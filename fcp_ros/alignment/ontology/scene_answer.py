# SPDX-License-Identifier: Apache-2.0
"""The answer to a request to align a scene with a domain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fcp_ros.alignment.answer import AlignmentStatus
from fcp_ros.alignment.ontology.claims import ClaimStanding, NameClaim, NameKind
from fcp_ros.alignment.ontology.experiments import NameExperiment
from fcp_ros.alignment.simulator import Observation
from fcp_ros.domain.scene_names import AttributeReading, RelationReading, SceneNames


@dataclass(frozen=True)
class SceneAlignmentOptions:
    """The settings of an alignment."""

    time_limit: float = 60.0  # for the whole request (s)
    most_trials: int = 60
    seed: int = 0  # decides between equally good plans


@dataclass(frozen=True)
class SceneAlignment:
    """The meanings of a scene's names."""

    status: AlignmentStatus
    message: str  # it in one or two sentences
    # one for each name of the scene, and for each meaning that was refuted
    claims: tuple[NameClaim, ...] = ()
    # the actions that were tried, with what was seen
    trials: tuple[tuple[NameExperiment, Observation], ...] = ()
    notes: tuple[str, ...] = ()  # sentences about what was left out
    seconds: float = 0.0
    _written: SceneNames = field(default_factory=SceneNames)

    @property
    def names(self) -> SceneNames:
        """The overrides: all meanings that are kept or likely enough."""
        return self._written

    def list_standing(self, *standings: ClaimStanding) -> tuple[NameClaim, ...]:
        """List the claims with a standing."""
        return tuple(claim for claim in self.claims if claim.standing in standings)

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data for JSON."""
        return {
            "status": self.status.value,
            "message": self.message,
            "claims": [claim.to_plain() for claim in self.claims],
            "trials": [
                {
                    "actions": [f"{name}({', '.join(given)})" for name, given in tried.actions],
                    "done": seen.done,
                    "reason": seen.reason,
                }
                for tried, seen in self.trials
            ],
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }


def collect_names_of(claims: tuple[NameClaim, ...]) -> SceneNames:
    """Collect what is written of claims: overrides."""
    labels: dict[str, str] = {}
    relations: dict[str, tuple[RelationReading, ...]] = {}
    attributes: dict[str, AttributeReading] = {}
    doubtful = {(one.kind, one.name) for one in claims if one.standing is ClaimStanding.DOUBTFUL}
    for claim in claims:
        # Of several readings of a relation, all are written or none.
        if not claim.standing.is_written or (claim.kind, claim.name) in doubtful:
            continue
        meaning = claim.meaning
        if isinstance(meaning, RelationReading):
            relations[claim.name] = (*relations.get(claim.name, ()), meaning)
        elif isinstance(meaning, AttributeReading):
            attributes[claim.name] = meaning
        elif meaning is not None and claim.kind is NameKind.LABEL:
            labels[claim.name] = meaning
    return SceneNames(labels, relations, attributes)
