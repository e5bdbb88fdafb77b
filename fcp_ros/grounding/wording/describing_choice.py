# SPDX-License-Identifier: Apache-2.0
"""The choice of the words that describe, by the packaged sentence model; it is made once.

A list of praise and orders has no end, and endings don't tell "unopened" from "recommended". But
one direction in the model's vectors separates the words that people put in front of judged things
from those of orders and praise (tables.py). Of the latter, held out in five parts, none is within
the narrow limit and 8 % are within the wide one; of the former 80 % are within the narrow one. The
area under the curve is 0.98. `fcp grounding collect-words` writes the words within a limit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.models.sentence_encoder import Encode, SentenceEncoder, find_packaged_model
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.wording.describing_words import SORT_LIMIT
from fcp_ros.grounding.wording.known_words import load_known_words, read_model_words
from fcp_ros.grounding.wording.tables import CLAIMS, LINKS, LOOSE_ENDS, ORDERS, PRAISE

PHRASE = "a {} thing"
RIDGE = 1.0
"""Weight of the ridge, in multiples of the mean squared feature (0.01 to 1: the same area)."""


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


def write_describing_words(file: Path) -> None:
    """Score the whole words of the model and the judged ones, and write those within a limit.

    Raises:
        GroundingError: the model is not there, or the file can't be written.
    """
    known = load_known_words()
    judged = (word for word in known.judged_words if word.isalpha() and len(word) > 2)
    words = sorted({*read_model_words(), *judged})
    encode = SentenceEncoder(find_packaged_model()).encode
    direction = fit_direction(known.order.modifiers, list_evaluative(), encode)
    scores = score_words(words, direction, encode).tolist()
    rows = [(w, s) for w, s in zip(words, scores, strict=True) if s < SORT_LIMIT]
    try:
        file.write_text("".join(f"{w} {s:.2f}\n" for w, s in rows), encoding="utf-8")
    except OSError as error:
        raise GroundingError(
            GroundingCode.STORE_FAILED,
            f"the words can't be written to {file} ({error.strerror or error}); give a file in a "
            "folder with write permission",
        ) from error
