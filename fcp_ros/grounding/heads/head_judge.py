# SPDX-License-Identifier: Apache-2.0
"""Judging by trained heads: the choice of the head, its two sides, and the rubric's shift."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.grounding.heads.head import DegreeMap, ScoringHead, shift_by_rubric
from fcp_ros.grounding.heads.head_file import RETRAIN, ScoringSource
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, JudgementRequest, Membership
from fcp_ros.grounding.judgement_set import (
    Places,
    find_side_places,
    read_all_arguments,
    take_sides,
    to_plain,
)
from fcp_ros.grounding.membership_oracle import hash_predicate


class HeadOracle:
    """Membership from trained heads, read at the first question; for several threads.

    It judges predicates that name a set of judgements (``judged_like: substitution``); the
    embedding oracle judges all others by the examples of their rubrics. `name` is its kind.
    """

    name = "head"

    def __init__(self, source: ScoringSource, name: str = name) -> None:
        self.name = name
        self.source = source
        self._heads: Mapping[str, ScoringHead] | None = None
        self._maps: dict[str, DegreeMap] = {}

    @property
    def model(self) -> str:
        return self.source.model

    @property
    def mode(self) -> str:
        """The hash of the heads: retrained heads get new answers."""
        return f"heads2:{self.source.hash}"

    @property
    def is_loaded(self) -> bool:
        return self.source.is_loaded

    @property
    def is_english_only(self) -> bool:
        """True if the model knows no other language than English."""
        return self.source.is_english_only

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """Judge requests, with one call of the model for all that is new in them."""
        if not predicate.judged_like:
            raise GroundingError(
                GroundingCode.NO_ANCHORS,
                f"{predicate.name} names no set of judgements, so the head oracle can't judge it; "
                "write judged_like: function (or another set), or oracle: embedding, which judges "
                "by the rubric's examples",
            )
        begun = time.perf_counter()
        with self.source.lock:
            head = self._find_head(predicate)
            sides = _find_sides(predicate, head)
            degree_map = self._find_map(predicate, head)
            scores = head.score(take_sides(read_all_arguments(requests), sides))
        degrees = np.clip(degree_map.apply_all(scores.values), 0.0, 1.0).tolist()
        errors = np.clip(scores.errors.astype(np.float64), 0.0, 1.0).tolist()
        note = f"like what was judged in the set {head.name} (score %.3f)"
        return Membership.of_degrees(
            degrees,
            map(note.__mod__, scores.values.tolist()),
            errors,
            source=self.name,
            model=self.source.model,
            latency=(time.perf_counter() - begun) / max(len(requests), 1),
        )

    def _find_head(self, predicate: GradedPredicate) -> ScoringHead:
        if self._heads is None:
            self._heads = self.source.load()
        wanted = predicate.judged_like
        if wanted not in self._heads:
            hint = suggest_name(wanted, self._heads)
            raise GroundingError(
                GroundingCode.NO_ANCHORS,
                f"{predicate.name} is judged like {wanted!r}, but {self.source.file} has no head "
                f"for such judgements; {hint}, or add judgements and {RETRAIN}",
            )
        return self._heads[wanted]

    def _find_map(self, predicate: GradedPredicate, head: ScoringHead) -> DegreeMap:
        """Shift the head's map by the predicate's rubric."""
        version = hash_predicate(predicate)
        if version not in self._maps:
            rows, degrees = [], []
            for anchor in predicate.rubric.anchors if predicate.rubric else ():
                for example in anchor.examples:
                    rows.append([to_plain(word) for word in example])
                    degrees.append(anchor.score / 100.0)
            pairs = take_sides(rows, _find_sides(predicate, head))
            scores = head.score(pairs).values.tolist() if pairs else []
            examples = list(zip(scores, degrees, strict=True))
            self._maps[version] = shift_by_rubric(head.degree_map, examples)
        return self._maps[version]


def _find_sides(predicate: GradedPredicate, head: ScoringHead) -> tuple[Places, Places]:
    """Find the arguments on the two sides of the head's judgements."""
    sides = find_side_places(predicate, head.columns)
    if sides is None:
        names = ", ".join(parameter.name for parameter in predicate.parameters)
        raise GroundingError(
            GroundingCode.WRONG_ARGUMENTS,
            f"{predicate.name} has the parameters {names}, so it can't be judged like "
            f"{head.name}, which has two sides ({', '.join(head.columns)}); remove judged_like",
        )
    return sides
