# SPDX-License-Identifier: Apache-2.0
"""Sentences about names that do not exist, with the near miss that was probably meant."""

import difflib
from collections.abc import Iterable


def unknown_name(what: str, name: object, known: Iterable[str], where: str) -> str:
    """A sentence that says that there is no such name, and which were close.

    Args:
        what: kind of thing, for example ``"relation"``.
        name: the name that was asked for.
        known: the names there are.
        where: what was searched, for example ``"schema 'household'"``.
    """
    names = sorted(known)
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.6)
    text = f"no {what} {name!r} in {where}"
    if close:
        return f"{text}; did you mean {close[0]!r}?"
    if not names:
        return f"{text}, which has none"
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"{text}; there are: {shown}"
