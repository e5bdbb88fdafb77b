# SPDX-License-Identifier: Apache-2.0
"""What a colimit does where it would break a functional leg."""

from enum import Enum


class FunctionalLegs(str, Enum):
    """How to read "at most one tuple for each element in this leg" when things are glued.

    Where gluing breaks no functional leg, all three give the same.
    """

    REFUSE = "refuse"
    """A broken functional leg is an error: the two other readings differ, so choose one of them."""
    MERGE = "merge"
    """Tuples with one element in a functional leg are one tuple, so that their other legs are
    glued, too: the colimit among the instances that keep their functional legs (a chase with
    equality-generating dependencies)."""
    KEEP = "keep"
    """All tuples stay: the colimit among all instances; `Instance.functional_conflicts` says what
    is broken."""
