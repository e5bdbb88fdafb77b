# SPDX-License-Identifier: Apache-2.0
"""The one spelling in which words are compared, split and put into phrases."""

from __future__ import annotations


def plain(text: str) -> str:
    """Lower case, single spaces, underscores and hyphens as spaces: "Dining_Table" unchanged else.

    Judgements, rubric examples and questions meet in this spelling.
    """
    return " ".join(text.replace("_", " ").replace("-", " ").lower().split())


def singular(word: str) -> str:
    """The word without a plural s ("mugs" -> "mug"; "glass" stays); a rule of thumb."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def head_word(text: str) -> str:
    """The last word, which says in English what kind of thing it is: "coffee mugs" -> "mug"."""
    return singular(text.split()[-1]) if text.split() else ""
