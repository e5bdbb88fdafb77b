# SPDX-License-Identifier: Apache-2.0
"""States such as "open" and "clean": opposites, synonyms, verbs that bring them about."""

from __future__ import annotations

ANTONYMS = (
    ("open", "closed"),
    ("open", "shut"),
    ("clean", "dirty"),
    ("empty", "full"),
    ("switched on", "switched off"),
    ("on", "off"),
    ("locked", "unlocked"),
    ("wet", "dry"),
    ("lit", "unlit"),
    ("hot", "cold"),
    ("full", "empty"),
    ("washed", "dirty"),
)
"""States of which one holds if the other does not."""

SAME_STATES = {
    "shut": "closed",
    "opened": "open",
    "filthy": "dirty",
    "unclean": "dirty",
    "stained": "dirty",
    "soiled": "dirty",
    "messy": "dirty",
    "cleaned": "clean",
    "wiped": "clean",
    "spotless": "clean",
    "turned on": "switched on",
    "turned off": "switched off",
    "on": "switched on",
    "off": "switched off",
    "running": "switched on",
    "powered on": "switched on",
    "powered off": "switched off",
    "unwashed": "dirty",
}
"""States that mean another one, which a domain is more likely to name."""

STATE_VERBS = {
    "open": "open",
    "unlatch": "open",
    "close": "closed",
    "shut": "closed",
    "clean": "clean",
    "wipe": "clean",
    "wash": "clean",
    "scrub": "clean",
    "dry": "dry",
    "lock": "locked",
    "unlock": "unlocked",
    "refill": "refilled",
    "fill": "full",
    "dirty": "dirty",
    "empty": "empty",
    "switch on": "switched on",
    "turn on": "switched on",
    "power on": "switched on",
    "switch off": "switched off",
    "turn off": "switched off",
    "power off": "switched off",
    "light": "lit",
}
"""Verbs that bring a state about; used where no phrase of the domain has the verb."""
