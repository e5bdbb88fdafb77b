# SPDX-License-Identifier: Apache-2.0
"""The likeness of names in meaning: `handempty` and `not-holding`, `faucet` and `tap`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity

_PARTS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z0-9])")


def split_name(name: str) -> str:
    """Return the words of a name, without a mark: `at-robby@own` as `at robby`."""
    return " ".join(filter(None, _PARTS.split(name.partition("@")[0]))).lower()


class NameLikeness:
    """Compares names by their sentence embeddings, or by their letters where there is no model.

    `similarity`: of words in meaning; None compares letters.
    """

    def __init__(self, similarity: LabelSimilarity | None) -> None:
        self._similarity = similarity
        # why letters were compared; empty if meanings were
        self.note = "" if similarity is not None else "names were compared by their letters"

    def compare(
        self, pairs: Sequence[tuple[str, str]], check: Callable[[], None] = lambda: None
    ) -> list[float]:
        """Return the likeness of the names of each pair, at most 1; equal names have 1."""
        if not pairs:
            return []
        words = {name: split_name(name) for pair in pairs for name in pair}
        if self._similarity is not None:
            check()
            known = sorted(set(words.values()))
            at = {word: position for position, word in enumerate(known)}
            try:
                table = self._similarity.similarities(known, known)
                return [float(table[at[words[a]], at[words[b]]]) for a, b in pairs]
            except NoSimilarity as reason:
                self._similarity = None
                self.note = f"names were compared by their letters: {reason}"
        values = []
        for first, second in pairs:
            check()
            values.append(SequenceMatcher(None, words[first], words[second]).ratio())
        return values
