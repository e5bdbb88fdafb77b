# SPDX-License-Identifier: Apache-2.0
"""Claims: what a name of a scene means in the domain, with the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from fcp_ros.domain.scene_names import AttributeReading, RelationReading

Meaning = str | RelationReading | AttributeReading
"""A label or type of the domain, or a reading of a relation or attribute."""


class NameKind(str, Enum):
    """The kind of a name of a scene."""

    LABEL = "label"
    RELATION = "relation"
    ATTRIBUTE = "attribute"


class ClaimStanding(str, Enum):
    """The state of knowledge about a claim."""

    KNOWN = "known"
    """The domain has the name, and nothing speaks against it."""
    KEPT = "kept"
    """A plan that rests on it succeeded."""
    PROPOSED = "proposed"
    """Likely enough to be written, but not tried."""
    DOUBTFUL = "doubtful"
    """Too unlikely to be written, not decided by trials, or too wide for what the scene shows."""
    REFUTED = "refuted"
    """A plan failed for which nothing else is to blame."""
    UNKNOWN = "unknown"
    """The name means nothing in the domain, as far as can be told."""

    @property
    def is_written(self) -> bool:
        """Return True if overrides get it."""
        return self in (ClaimStanding.KEPT, ClaimStanding.PROPOSED)


@dataclass(frozen=True)
class NameClaim:
    """The meaning of a name of a scene in the domain, or that it has none."""

    kind: NameKind
    name: str
    meaning: Meaning | None  # in the domain; None if it means nothing there
    # of the meaning, in [0, 1): before any trial a judgement, which counts like two trials
    # afterwards
    probability: float
    standing: ClaimStanding
    count: int = 0  # how many elements or tuples of the scene have the name
    reasons: tuple[str, ...] = ()
    # other meanings with their probabilities, the most likely first
    rivals: tuple[tuple[Meaning, float], ...] = ()
    succeeded: int = 0  # number of trials in which an action succeeded that rests on it
    failed: int = 0  # number of trials in which the action that failed rests on it

    def __str__(self) -> str:
        meaning = "nothing in the domain" if self.meaning is None else str(self.meaning)
        return f"{self.name} = {meaning}"

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data for JSON."""
        return {
            "kind": self.kind.value,
            "name": self.name,
            "meaning": None if self.meaning is None else str(self.meaning),
            "probability": round(self.probability, 3),
            "standing": self.standing.value,
            "count": self.count,
            "reasons": list(self.reasons),
            "rivals": [
                {"meaning": str(meaning), "probability": round(probability, 3)}
                for meaning, probability in self.rivals
            ],
            "succeeded": self.succeeded,
            "failed": self.failed,
        }
