# SPDX-License-Identifier: Apache-2.0
"""Names of things as people read them."""

from __future__ import annotations

import re

from fcp_ros.foundation.labels import normalise_label

_CODE = re.compile(r"[A-Za-z]?\d+")


def printable(text: str) -> str:
    """A name from a file without what a terminal or a picture would obey or choke on."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def said(identifier: str, category: str) -> str:
    """An id as it is said: "mug 1" for ``mug_1``, "table O24" where the id is only a code."""
    if _CODE.fullmatch(identifier) and category:
        return f"{normalise_label(category)} {identifier}"
    return identifier.replace("_", " ")
