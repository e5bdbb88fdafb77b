# SPDX-License-Identifier: Apache-2.0
"""Judging by a trained head: the choice of the head, its two sides, and the rubric's shift."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.grounding.heads.degree_map import DegreeMap, shift_by_rubric
from fcp_ros.grounding.heads.head import Head
from fcp_ros.grounding.heads.head_file import RETRAIN, Heads, hash_file, load_heads
from fcp_ros.grounding.judged.words import find_sides, to_plain
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.oracle import hash_predicate


class HeadJudge:
    """Judges by the heads of one file, which is read at the first question.

    Args:
        encoder: the embedding model.
        file: the file of heads.

    Raises:
        GroundingError: the file can't be read.
    """

    def __init__(self, encoder: SentenceEncoder, file: Path) -> None:
        self._encoder = encoder
        self._file = file
        self.hash = hash_file(file)
        self._heads: Heads | None = None
        self._maps: dict[str, DegreeMap] = {}
        self._lock = threading.Lock()

    def judge(
        self, predicate: GradedPredicate, arguments: Sequence[tuple[str, ...]]
    ) -> list[tuple[float, str]]:
        """Judge tuples of arguments in plain spelling: degree and note of each.

        Raises:
            GroundingError: the heads can't be used, none has the wanted name, or the predicate
                doesn't have two sides.
        """
        head = self.find_head(predicate)
        pairs = [_split_sides(predicate, head, words) for words in arguments]
        degree_map = self.find_map(predicate, head)
        answers: list[tuple[float, str]] = []
        for score in head.score(pairs, self._encoder.encode):
            note = f"like what was judged in the set {head.name} (score {score:.3f})"
            answers.append((degree_map.apply(score), note))
        return answers

    def find_head(self, predicate: GradedPredicate) -> Head:
        """Find the head that a predicate names."""
        heads = self._load_once()
        wanted = predicate.judged_like
        if wanted not in heads.by_name:
            hint = suggest_name(wanted, heads.by_name)
            raise GroundingError(
                GroundingCode.NO_ANCHORS,
                f"{predicate.name} is judged like {wanted!r}, but {self._file} has no head for "
                f"such judgements; {hint}, or add judgements and {RETRAIN}",
            )
        return heads.by_name[wanted]

    def find_map(self, predicate: GradedPredicate, head: Head) -> DegreeMap:
        """Shift the head's map by the predicate's rubric."""
        version = hash_predicate(predicate)
        with self._lock:
            if version not in self._maps:
                self._maps[version] = self._fit_map(predicate, head)
            return self._maps[version]

    def _fit_map(self, predicate: GradedPredicate, head: Head) -> DegreeMap:
        pairs, degrees = [], []
        for anchor in predicate.rubric.anchors if predicate.rubric else ():
            for example in anchor.examples:
                pairs.append(_split_sides(predicate, head, [to_plain(word) for word in example]))
                degrees.append(anchor.score / 100.0)
        scores = head.score(pairs, self._encoder.encode)
        return shift_by_rubric(head.degree_map, list(zip(scores, degrees, strict=True)))

    def _load_once(self) -> Heads:
        with self._lock:
            if self._heads is None:
                self._heads = load_heads(self._file, self._encoder.model)
            return self._heads


def _split_sides(predicate: GradedPredicate, head: Head, words: Sequence[str]) -> tuple[str, str]:
    """Split arguments into the two sides of the head's judgements."""
    sides = find_sides(predicate, head.columns, words)
    if sides is None:
        names = ", ".join(parameter.name for parameter in predicate.parameters)
        raise GroundingError(
            GroundingCode.WRONG_ARGUMENTS,
            f"{predicate.name} has the parameters {names}, so it can't be judged like "
            f"{head.name}, which has two sides ({', '.join(head.columns)}); remove judged_like",
        )
    return sides
