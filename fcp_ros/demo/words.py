# SPDX-License-Identifier: Apache-2.0
"""Words that the demonstration asks for: purposes, far-fetched purposes, things to be missed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Purpose:
    """A purpose as a goal names it ("drinking") and as it is said ("something to drink from")."""

    words: str
    said: str


PURPOSES = (
    Purpose("drinking", "something to drink from"),
    Purpose("giving light", "something that gives light"),
    Purpose("sitting", "something to sit on"),
    Purpose("reading", "something to read"),
    Purpose("cleaning", "something to clean with"),
    Purpose("eating", "something to eat"),
)

UNFIT_PURPOSES = (
    Purpose("cutting paper", "something to cut paper with"),
    Purpose("driving in a nail", "something to drive in a nail with"),
    Purpose("taking a photograph", "something to take a photograph with"),
    Purpose("drinking", "something to drink from"),
    Purpose("writing", "something to write with"),
    Purpose("opening a bottle", "something to open a bottle with"),
    Purpose("keeping warm in bed", "something to keep warm with in bed"),
)

WANTED = (
    "teacup",
    "tumbler",
    "goblet",
    "flashlight",
    "lantern",
    "candle",
    "stool",
    "armchair",
    "magazine",
    "cloth",
    "pear",
)
