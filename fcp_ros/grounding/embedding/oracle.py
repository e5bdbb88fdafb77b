# SPDX-License-Identifier: Apache-2.0
"""The default oracle: degrees from the similarity of sentence embeddings.

Three ways, chosen by what the predicate looks like:

- *Judged like*: a predicate that names a set of judgements (``judged_like: substitution``) is
  judged by the head that was trained on them (head.py, headed.py).
- *Pairs*: a predicate with both elements and texts, and examples at its anchors, such as
  ``serves_as(item, purpose)``. The two sides' similarity (phrasing.py) goes through a monotone map
  fitted from the examples (degree_map.py).
- *Statements*: any other predicate. The arguments as one phrase are compared with each anchor's
  text and examples; the degree is the mean of the anchors' scores, weighted by a softmax of the
  similarities.

In all, arguments that are word for word an example of the rubric get that anchor's score, and
the two sides of a pair in identical words get 1. docs/grounding.md says what this can't judge.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fcp_ros.domain.model import GradedPredicate, Rubric
from fcp_ros.grounding.embedding.degree_map import DegreeMap, fit_degree_map
from fcp_ros.grounding.embedding.head_file import PACKAGED_HEADS
from fcp_ros.grounding.embedding.headed import HeadedJudging
from fcp_ros.grounding.embedding.phrasing import pair_similarities, rank_agreement
from fcp_ros.grounding.embedding.request_words import (
    anchor_degree,
    argument_words,
    statement,
    two_sides,
)
from fcp_ros.grounding.embedding.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.oracle import predicate_version

SHARPNESS = 0.05
"""Similarity difference that makes an anchor e times as likely, for statements."""


POOR_AGREEMENT = 0.75
"""Below this share of rightly ordered examples, each answer says that the rubric fits badly."""

EXAMPLE = "an example of the rubric"
IDENTICAL = "identical words"


@dataclass(frozen=True, slots=True)
class FittedPairs:
    """What was fitted to one rubric: the map, and how well similarity orders the examples."""

    degree_map: DegreeMap
    agreement: float


class EmbeddingOracle:
    """Membership from sentence embeddings; see the module's text.

    Args:
        encoder: the model.
        heads: file of trained heads; None: the packaged ones for the packaged model, none for
            another one, whose predicates are then all judged by their rubrics.

    Raises:
        GroundingError: the heads are not there.
    """

    name = "embedding"

    def __init__(self, encoder: SentenceEncoder, heads: Path | None = None) -> None:
        self._encoder = encoder
        if heads is None and encoder.is_packaged:
            heads = PACKAGED_HEADS
        self._headed = HeadedJudging(encoder, heads) if heads is not None else None
        self._fitted: dict[str, FittedPairs] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The embedding model's name and fingerprint."""
        return self._encoder.model

    @property
    def mode(self) -> str:
        """The way of judging and the heads' hash: a retrained head never meets an old answer."""
        return f"anchors1+heads1:{self._headed.hash if self._headed is not None else 'none'}"

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._encoder.is_loaded

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request; one model call for all new phrases.

        Raises:
            GroundingError: the predicate has no rubric, its anchors can't be used, or its head.
        """
        if predicate.judged_like and self._headed is not None:
            return self._judge_by_head(self._headed, predicate, requests)
        answers = self._judge_by_rubric(predicate, requests)
        if not predicate.judged_like:
            return answers
        without = f"no heads are trained for {self.model}, so by the rubric's examples alone"
        return [replace(answer, note=f"{answer.note}; {without}") for answer in answers]

    def _judge_by_head(
        self,
        headed: HeadedJudging,
        predicate: GradedPredicate,
        requests: Sequence[JudgementRequest],
    ) -> list[Membership]:
        arguments = [argument_words(request) for request in requests]
        answers = []
        for words, (degree, note) in zip(
            arguments, headed.degrees(predicate, arguments), strict=True
        ):
            example = anchor_degree(predicate.rubric, words)
            if example is not None:
                answers.append(self._answer(example, EXAMPLE))
            elif len(words) > 1 and len(set(words)) == 1:
                answers.append(self._answer(1.0, IDENTICAL))
            else:
                answers.append(self._answer(degree, note))
        return answers

    def _judge_by_rubric(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        rubric = predicate.rubric
        if rubric is None or not rubric.anchors:
            raise GroundingError(
                GroundingCode.NO_ANCHORS,
                f"{predicate.name} has no rubric, so the embedding oracle can't judge it; write "
                "anchors 0, 50 and 100 with examples, or give it a table",
            )
        judge = self._judge_pairs if _is_pair(predicate, rubric) else self._judge_statements
        return judge(predicate, rubric, requests)

    def fitted(self, predicate: GradedPredicate) -> FittedPairs:
        """What the oracle fitted to the rubric of a pair predicate."""
        assert predicate.rubric is not None
        version = predicate_version(predicate)
        with self._lock:
            if version not in self._fitted:
                self._fitted[version] = self._fit(predicate, predicate.rubric)
            return self._fitted[version]

    def _fit(self, predicate: GradedPredicate, rubric: Rubric) -> FittedPairs:
        is_text = [parameter.is_text for parameter in predicate.parameters]
        pairs, scores = [], []
        for anchor in rubric.anchors:
            for example in anchor.examples:
                pairs.append(two_sides(example, is_text))
                scores.append(anchor.score)
        similarities = pair_similarities(pairs, self._encoder.encode)
        by_score: dict[int, list[float]] = {}
        for score, similarity in zip(scores, similarities, strict=True):
            by_score.setdefault(score, []).append(similarity)
        return FittedPairs(fit_degree_map(by_score), rank_agreement(scores, similarities))

    def _judge_pairs(
        self, predicate: GradedPredicate, rubric: Rubric, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        fitted = self.fitted(predicate)
        is_text = [parameter.is_text for parameter in predicate.parameters]
        pairs = [two_sides(argument_words(request), is_text) for request in requests]
        similarities = pair_similarities(pairs, self._encoder.encode)
        answers = []
        for request, (left, right), similarity in zip(requests, pairs, similarities, strict=True):
            known = anchor_degree(rubric, argument_words(request))
            if known is not None:
                answers.append(self._answer(known, EXAMPLE))
            elif left == right:
                answers.append(self._answer(1.0, IDENTICAL))
            else:
                note = f"similarity {similarity:.3f}"
                if fitted.agreement < POOR_AGREEMENT:
                    note += f"; similarity orders only {fitted.agreement:.0%} of the examples right"
                answers.append(self._answer(fitted.degree_map.degree(similarity), note))
        return answers

    def _judge_statements(
        self, predicate: GradedPredicate, rubric: Rubric, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        prototypes = [
            (anchor.score / 100.0, phrase)
            for anchor in rubric.anchors
            for phrase in (anchor.text, *(statement(example) for example in anchor.examples))
            if phrase
        ]
        statements = [statement(argument_words(request)) for request in requests]
        phrases = [phrase for _, phrase in prototypes]
        self._encoder.encode([*phrases, *statements])
        similarities = self._encoder.encode(statements) @ self._encoder.encode(phrases).T
        answers = []
        for request, row in zip(requests, similarities, strict=True):
            known = anchor_degree(rubric, argument_words(request))
            if known is not None:
                answers.append(self._answer(known, EXAMPLE))
                continue
            best: dict[float, float] = {}
            for (score, _), similarity in zip(prototypes, row, strict=True):
                best[score] = max(best.get(score, -1.0), float(similarity))
            answers.append(self._answer(_expected(best), "nearest anchors"))
        return answers

    def _answer(self, degree: float, note: str) -> Membership:
        degree = min(max(degree, 0.0), 1.0)
        return Membership(
            degree, degree, samples=(degree,), source=self.name, model=self.model, note=note
        )


def _expected(best: dict[float, float]) -> float:
    """Mean of the scores, weighted by the softmax of their similarities."""
    scores = np.array(list(best))
    logits = np.array(list(best.values())) / SHARPNESS
    weights = np.exp(logits - logits.max())
    return float((scores * weights).sum() / weights.sum())


def _is_pair(predicate: GradedPredicate, rubric: Rubric) -> bool:
    """Whether there are two sides, elements and texts, and examples to fit a map from."""
    kinds = {parameter.is_text for parameter in predicate.parameters}
    with_examples = sum(1 for anchor in rubric.anchors if anchor.examples)
    return kinds == {True, False} and with_examples >= 2
