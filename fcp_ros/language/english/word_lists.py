# SPDX-License-Identifier: Apache-2.0
"""Lists of words and of phrases, written as texts."""

from __future__ import annotations


def gather_words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def gather_phrases(*texts: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each phrase, in the order given."""
    return tuple(tuple(text.split()) for text in texts)
