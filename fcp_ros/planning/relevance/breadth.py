# SPDX-License-Identifier: Apache-2.0
"""How much of a scene is considered when compiling on demand."""

from __future__ import annotations

from enum import Enum


class Breadth(Enum):
    """Each contains the one before.

    Attributes:
        NARROW: things are taken from where they are; of places that are as good as each other a few
            are tried. Whatever is reachable when nothing is ever lost stays so.
        WIDE: also intermediate places, and one ring more around everything that matters.
        FULL: everything that can matter. What is unsolvable here is unsolvable.
    """

    NARROW = "narrow"
    WIDE = "wide"
    FULL = "full"
