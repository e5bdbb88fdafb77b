# SPDX-License-Identifier: Apache-2.0
"""Category labels: one spelling for all sources, and their match with a domain's labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

_WORD_BREAK = re.compile(r"[\s_\-]+|(?<=[a-z0-9])(?=[A-Z])")
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_ALTERNATIVES = re.compile(r"[,;/|]")
_TRAILING_NUMBERS = re.compile(r"(?<=\S)(?:\s+\d+)+$")


@lru_cache(maxsize=16_384)
def normalise_label(label: str) -> str:
    """One spelling of a label: ``Dining_Table_12``, ``DiningTable`` give ``dining table``.

    Lower case, underscores and hyphens as spaces, camel case split, trailing numbers dropped
    (a label that is only a number stays).
    """
    words = " ".join(part for part in _WORD_BREAK.split(label) if part)
    return _TRAILING_NUMBERS.sub("", words.lower())


def match_label(label: str, labels: Mapping[str, str]) -> str | None:
    """What a table of normalised labels says about a label.

    The whole label counts first, then its last words ("dining table" -> "table"); each also
    without a plural ending.

    Args:
        label: The label as given by the source.
        labels: Normalised label -> whatever it stands for.

    Returns:
        The table's value, or None when no form of the label is in it.
    """
    form = matching_form(label, labels)
    return None if form is None else labels[form]


def matching_form(label: str, labels: Mapping[str, str]) -> str | None:
    """The form of a label that a table of normalised labels holds; None where it holds none."""
    return next((form for form in label_forms(label) if form in labels), None)


def label_forms(label: str) -> Iterator[str]:
    """The forms under which a label may be known, most specific first.

    A label that lists several names ("refrigerator, icebox", as in ADE20k) or has brackets
    ("refrigerator (stainless)") is known under each of them, what is in brackets last.
    """
    for name in names_in(label):
        words = normalise_label(name).split(" ")
        for start in range(len(words)):
            tail = " ".join(words[start:])
            yield tail
            if tail.endswith("s") and not tail.endswith("ss"):
                yield tail[:-1]
                if tail.endswith("es"):
                    yield tail[:-2]


def names_in(label: str) -> list[str]:
    """The names that a label lists, as they stand; the label itself where it is a single one."""
    bracketed = _IN_BRACKETS.findall(label)
    names = _ALTERNATIVES.split(_IN_BRACKETS.sub(" ", label) if bracketed else label)
    if len(names) == 1 and not bracketed:
        return [label]
    return [name for name in (*names, *bracketed) if name.strip()] or [label]
