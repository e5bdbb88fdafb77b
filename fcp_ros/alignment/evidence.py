# SPDX-License-Identifier: Apache-2.0
"""A synonym that may hold, and what trials say of it; without what trials need.

The executive keeps such evidence, and reads no PDDL.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fcp_ros.alignment.synonyms import Synonym


@dataclass(frozen=True)
class Proposal:
    """A synonym that may hold."""

    # from a name that can hold to one that is needed, as far as they differ in that
    synonym: Synonym
    tier: int  # 0 for the most likely group
    prior: float  # probability before any trial, by structure and names; no measured one
    reasons: tuple[str, ...]
    likeness: float | None = None  # of the names in meaning, at most 1; None if that was not asked
    # share of the initial facts that two vocabularies have in common; None where facts can't be
    # compared
    agreement: float | None = None
    # the arguments have another order, although the given one would fit as well
    is_reordered: bool = False

    @property
    def penalty(self) -> int:
        """The cost of using it once in a plan, where an action costs 1."""
        return 5 + round(-5.0 * math.log(self.prior))


class Standing(str, Enum):
    """The state of knowledge about one synonym."""

    PROVEN = "proven"
    """Nothing else among the candidates explains the trials."""
    KEPT = "kept"
    """A plan that rests on it succeeded."""
    OPEN = "open"
    """It was in plans that failed, among others that may be at fault, or in none."""
    REFUTED = "refuted"
    """No explanation of the trials has it, or a synonym that is kept excludes it."""


@dataclass(frozen=True)
class SynonymEvidence:
    """A synonym and all that is known about it."""

    proposal: Proposal  # the synonym, with what spoke for it before any trial
    standing: Standing
    succeeded: int  # number of plans that succeeded and would have failed without it
    failed: int  # number of plans that used it and failed
    # other synonyms of the same names that explain all trials in its place
    rivals: tuple[Synonym, ...] = ()
    # a synonym that is kept, and that leaves no room for this one
    excluded_by: SynonymEvidence | None = None

    @property
    def confidence(self) -> float:
        """Probability after the trials: the prior counts like two of them, so it is never 1."""
        # It is 0 only where trials refuted the synonym, and no more than what a synonym that
        # excludes it leaves.
        if self.excluded_by is not None:
            return min(self._count_trials(), 1.0 - self.excluded_by.confidence)
        if self.standing is Standing.REFUTED:
            return 0.0
        return self._count_trials()

    def _count_trials(self) -> float:
        against = 0 if self.succeeded else self.failed
        agreeing = 2.0 * self.proposal.prior + self.succeeded
        return agreeing / (2.0 + self.succeeded + against)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The clauses that spoke for it before any trial, and the one that excludes it."""
        if self.excluded_by is None:
            return self.proposal.reasons
        return (*self.proposal.reasons, f"excluded by {self.excluded_by.proposal.synonym}")

    def to_plain(self) -> dict[str, Any]:
        proposal = self.proposal
        return {
            "source": proposal.synonym.source,
            "target": proposal.synonym.target,
            "places": list(proposal.synonym.places),
            "fillers": list(proposal.synonym.fillers),
            "text": str(proposal.synonym),
            "standing": self.standing.value,
            "confidence": round(self.confidence, 3),
            "prior": round(proposal.prior, 3),
            "likeness": None if proposal.likeness is None else round(proposal.likeness, 3),
            "agreement": None if proposal.agreement is None else round(proposal.agreement, 3),
            "reasons": list(self.reasons),
            "succeeded": self.succeeded,
            "failed": self.failed,
            "rivals": list(map(str, self.rivals)),
        }
