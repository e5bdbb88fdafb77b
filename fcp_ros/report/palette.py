# SPDX-License-Identifier: Apache-2.0
"""Colours that all pictures share: one meaning, one colour."""

from __future__ import annotations

from fcp_ros.execution.outcome import OutcomeCode

INK = "#1f2933"
MUTED = "#7b8794"
FAINT = "#d9dfe6"
PAPER = "#ffffff"
ROOM = "#f3f0e9"
ROOM_EDGE = "#b8b09c"
FURNITURE = "#d5dde5"
FURNITURE_EDGE = "#8a99a8"
ITEM = "#2b6cb0"
ROUTE = "#d9480f"
MEMBERSHIP = "#2b6cb0"
ALPHA = "#c92a2a"
GOOD = "#2f9e44"
WARN = "#e8a33d"

_OUTCOMES = {OutcomeCode.SUCCEEDED: GOOD, OutcomeCode.CANCELLED: MUTED}


def outcome_colour(outcome: OutcomeCode | None) -> str:
    """Colour of a step: by how it ended, or neutral while it was only planned."""
    if outcome is None:
        return FURNITURE_EDGE
    return _OUTCOMES.get(outcome, ALPHA)
