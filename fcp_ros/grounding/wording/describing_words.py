# SPDX-License-Identifier: Apache-2.0
"""Words that say which thing is meant, and not how good it is: "damp", "brass".

A word that nobody judged may stand in front of the kind of a thing if it describes it. Directly
before the kind, where one noun makes another kind of it ("vanity table"), the limit is wider. The
words lie beside this file with their scores, so that no model is needed to read a label;
describing_choice.py wrote them (`fcp grounding collect-words`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("describing_words.txt")
LIMIT = -0.4
"""Scores below it describe; -1 is what people put in front of things, 1 orders and praise."""
SORT_LIMIT = 0.0
"""Scores below it may make another kind of a kind."""


@dataclass(frozen=True, slots=True)
class DescribingWords:
    """Words that say which thing is meant.

    Args:
        describing: they may stand anywhere in front of a kind.
        sorts: they may stand directly before it; those of `describing` among them.
    """

    describing: frozenset[str] = frozenset()
    sorts: frozenset[str] = frozenset()


def load_describing_words(file: Path = FILE) -> DescribingWords:
    """Load the packaged words."""
    lines = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    scores = {word: float(score) for word, score in lines}
    return DescribingWords(
        frozenset(word for word, score in scores.items() if score < LIMIT), frozenset(scores)
    )
