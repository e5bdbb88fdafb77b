# SPDX-License-Identifier: Apache-2.0
"""Words, and names that may be shown to a language model.

Names and labels of a scene are data from outside. What looks like a sentence, or has characters
that no plain name has, is not shown.
"""

from __future__ import annotations

import re

_PLAIN_NAME = re.compile(r"[^\W\d_][\w.\-]*(?: [\w.\-]+){0,4}\Z")
_LONGEST_NAME = 48
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def split_words(text: str) -> list[str]:
    """Split a text into words in lower case."""
    return [match.lower() for match in _WORD.findall(text)]


def find_stem(word: str) -> str:
    """Return a word without the ending of a plural, for comparisons."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def is_plain(name: str) -> bool:
    """Return True if a name can be shown to a model: a few words without other characters."""
    return len(name) <= _LONGEST_NAME and _PLAIN_NAME.match(name) is not None
