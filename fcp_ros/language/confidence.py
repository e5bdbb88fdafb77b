# SPDX-License-Identifier: Apache-2.0
"""Four levels of confidence in a reading, and where a degree falls among them.

Readers reckon with degrees, which rank readings; what follows from a reading depends on its level
alone. A degree for a whole class of readings, such as those of a construction that people use for
two things, is a level's `degree`. Single constants in between only rank readings of one level.
"""

from __future__ import annotations

from enum import IntEnum


class Confidence(IntEnum):
    """A level of confidence, from the lowest."""

    NOT = 0
    """Shown to say what was missing; it is neither planned for nor asked about."""
    DOUBTFUL = 1
    """It may be meant, and a person has to say so."""
    LIKELY = 2
    """It is probably meant, and a person has to say so."""
    PLAIN = 3
    """It is planned for without a question."""

    @property
    def least(self) -> float:
        """The least degree of the level."""
        return _LEAST[self]

    @property
    def degree(self) -> float:
        """The degree of a reading or a step of reading that is known to be of the level."""
        return _DEGREE[self]

    @classmethod
    def of(cls, degree: float) -> Confidence:
        """Return the level that a degree falls in."""
        return max(level for level in cls if degree >= level.least or level is cls.NOT)


_LEAST = {
    Confidence.NOT: 0.0,
    Confidence.DOUBTFUL: 0.35,
    Confidence.LIKELY: 0.55,
    Confidence.PLAIN: 0.7,
}
_DEGREE = {
    Confidence.NOT: 0.15,
    Confidence.DOUBTFUL: 0.45,
    Confidence.LIKELY: 0.6,
    Confidence.PLAIN: 1.0,
}
