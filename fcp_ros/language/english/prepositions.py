# SPDX-License-Identifier: Apache-2.0
"""Spoken prepositions, and which relations of place they fit."""

from __future__ import annotations

_SPOKEN = {
    "on": "on, on top of, on to, onto, upon, atop, back on, back onto, down on",
    "in": "in, inside of, in to, into, inside, within, back in, back into",
    "at": "at",
    "near": "next to, close to, beside, near, by, around",
    "under": "underneath, under, below, beneath",
    "behind": "behind",
    "before": "in front of",
    "above": "above, over",
    "to": "to, back to, over to",
    "from": "from, out of, off of, off, away from",
    "for": "for",
    "with": "with",
}
PREPOSITIONS = {
    tuple(spoken.split()): meant for meant, said in _SPOKEN.items() for spoken in said.split(", ")
}
"""Spoken prepositions and the one that stands for them."""

FITS = {
    **{(same, same): 1.0 for same in ("on", "in", "at", "near")},
    ("at", "in"): 0.9,
    ("at", "on"): 0.85,
    ("at", "near"): 0.85,
    ("in", "at"): 0.98,
    ("to", "at"): 0.98,
    ("to", "in"): 0.97,
    ("to", "on"): 0.95,
    ("to", "near"): 0.85,
    ("on", "in"): 0.6,
    ("in", "on"): 0.6,
}
"""How well a spoken preposition says that of a relation."""
