# SPDX-License-Identifier: Apache-2.0
"""Words that say which thing is meant, and not how good it is: "damp", "brass", "unopened".

A word that nobody judged may stand in front of the kind of a thing if it describes it. A list of
praise and orders has no end, and endings don't tell "unopened" from "recommended". But the packaged
sentence model does: one direction in its vectors separates the words that people put in front of
judged things from those of orders and praise (tables.py). Of the latter, held out in five parts,
none is beyond the limit, of the former 80 % are; the area under the curve is 0.98.

Directly before the kind, where one noun makes another kind of it ("vanity table"), the limit is
wider: 5 % of the words of orders and praise are within it.

The whole words of the model and the judged words within either limit lie beside this file with
their scores, so that no model is needed to read a label. They were written by

    python -m fcp_ros.grounding.wording.describing_words FILE
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.models.sentence_encoder import Encode, SentenceEncoder, find_packaged_model
from fcp_ros.grounding.wording.tables import CLAIMS, LINKS, LOOSE_ENDS, ORDERS, PRAISE

FILE = Path(__file__).with_name("describing_words.txt")
PHRASE = "a {} thing"
LIMIT = -0.4
"""Scores below it describe; -1 is what people put in front of things, 1 orders and praise."""
SORT_LIMIT = 0.0
"""Scores below it may make another kind of a kind."""
RIDGE = 1.0
"""Weight of the ridge, in multiples of the mean squared feature (0.01 to 1: the same area)."""


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


def list_evaluative() -> list[str]:
    """List the words of orders and praise."""
    return _list_usable(ORDERS | PRAISE | CLAIMS)


def fit_direction(
    modifiers: Collection[str], evaluative: Collection[str], encode: Encode
) -> NDArray[np.float64]:
    """Fit the direction from the former to the latter: ridge regression, both of equal weight."""
    describing = _list_usable(modifiers)
    rows = _compute_rows([*describing, *evaluative], encode)
    target = np.repeat([-1.0, 1.0], [len(describing), len(evaluative)])
    weight = np.repeat([1.0, len(describing) / len(evaluative)], [len(describing), len(evaluative)])
    weighed = rows * weight[:, None]
    ridge = RIDGE * weight.sum() / rows.shape[1] * np.eye(rows.shape[1])
    return np.asarray(np.linalg.solve(weighed.T @ rows + ridge, weighed.T @ target))


def score_words(
    words: Sequence[str], direction: NDArray[np.float64], encode: Encode
) -> NDArray[np.float64]:
    """Score words in a direction."""
    return np.asarray(_compute_rows(words, encode) @ direction)


def _list_usable(words: Collection[str]) -> list[str]:
    return sorted(w for w in words if w.isalpha() and len(w) > 2 and w not in LINKS | LOOSE_ENDS)


def _compute_rows(words: Sequence[str], encode: Encode) -> NDArray[np.float64]:
    vectors = encode([PHRASE.format(word) for word in words])
    return np.concatenate([vectors, np.ones((len(words), 1))], axis=1, dtype=np.float64)


def main(file: Path) -> None:
    """Score the whole words of the model and the judged ones, and write those within a limit."""
    from fcp_ros.grounding.wording.known_words import load_known_words, read_model_words

    known = load_known_words()
    judged = (word for word in known.judged_words if word.isalpha() and len(word) > 2)
    words = sorted({*read_model_words(), *judged})
    encode = SentenceEncoder(find_packaged_model()).encode
    direction = fit_direction(known.order.modifiers, list_evaluative(), encode)
    scores = score_words(words, direction, encode).tolist()
    rows = [(w, s) for w, s in zip(words, scores, strict=True) if s < SORT_LIMIT]
    file.write_text("".join(f"{w} {s:.2f}\n" for w, s in rows), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
