# SPDX-License-Identifier: Apache-2.0
"""States such as "open" and "clean": opposites, synonyms, verbs that bring them about."""

from __future__ import annotations

from collections.abc import Mapping

ANTONYMS = (
    *(("open", "closed"), ("open", "shut"), ("clean", "dirty"), ("washed", "dirty")),
    *(("empty", "full"), ("full", "empty"), ("locked", "unlocked"), ("wet", "dry")),
    *(("switched on", "switched off"), ("on", "off"), ("lit", "unlit"), ("hot", "cold")),
)
"""States of which one holds if the other does not."""


def _turn_round(table: Mapping[str, str]) -> dict[str, str]:
    return {said: state for state, words in table.items() for said in words.split(", ")}


SAME_STATES = _turn_round(
    {
        "closed": "shut",
        "open": "opened",
        "dirty": "filthy, unclean, stained, soiled, messy, unwashed, grubby, grimy, mucky, muddy",
        "clean": "cleaned, wiped, spotless",
        "empty": "bare, cleared, emptied",
        "switched on": "turned on, on, running, powered on",
        "switched off": "turned off, off, powered off",
    }
)
"""States that mean another one, which a domain is more likely to name."""

STATE_VERBS = _turn_round(
    {
        "open": "open, unlatch",
        "closed": "close, shut",
        "clean": "clean, wipe, wash, scrub",
        "dry": "dry",
        "locked": "lock",
        "unlocked": "unlock",
        "refilled": "refill",
        "full": "fill",
        "empty": "empty",
        "lit": "light",
        "switched on": "switch on, turn on, power on",
        "switched off": "switch off, turn off, power off",
    }
)
"""Verbs that bring a state about; used where no phrase of the domain has the verb."""
