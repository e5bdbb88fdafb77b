# SPDX-License-Identifier: Apache-2.0
"""The default oracle: degrees from the similarity of sentence embeddings.

There are three ways, chosen by the form of the predicate:

- *Judged like*: a predicate that names a set of judgements (``judged_like: substitution``) is
  judged by the head that was trained on them (head.py, head_judge.py).
- *Pairs*: a predicate with both elements and texts, and examples at its anchors, such as
  ``serves_as(item, purpose)``. The two sides' similarity (phrasing.py) goes through a monotone map
  fitted from the examples (degree_map.py).
- *Statements*: any other predicate. The arguments as one phrase are compared with each anchor's
  text and examples; the degree is the mean of the anchors' scores, weighted by a softmax of the
  similarities.

docs/grounding.md lists what this can't judge.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fcp_ros.domain.model import GradedPredicate, Rubric
from fcp_ros.grounding.embedding.phrasing import compare_pairs, measure_concordance
from fcp_ros.grounding.heads.degree_map import DegreeMap, fit_degree_map
from fcp_ros.grounding.heads.head_file import find_packaged_heads
from fcp_ros.grounding.heads.head_judge import HeadJudge
from fcp_ros.grounding.heads.head_source import HeadSource
from fcp_ros.grounding.judged.words import (
    join_statement,
    read_arguments,
    split_sides,
)
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import JudgementRequest, Membership
from fcp_ros.grounding.protocol.oracle import hash_predicate

SHARPNESS = 0.05
"""Similarity difference that makes an anchor e times as likely, for statements."""
POOR_AGREEMENT = 0.75
"""Below this share of correctly ordered examples, answers note that the rubric fits badly."""


@dataclass(frozen=True, slots=True)
class PairFit:
    """The map fitted to one rubric, and the share of its examples that similarity orders right."""

    degree_map: DegreeMap
    agreement: float


class EmbeddingOracle:
    """Membership from sentence embeddings; see the module's text.

    Args:
        encoder: the model.
        heads: file of trained heads; None: those that the package ships for this model. Without,
            all predicates are judged by their rubrics.

    Raises:
        GroundingError: the file of heads can't be read.
    """

    name = "embedding"
    is_english_only = True

    def __init__(self, encoder: SentenceEncoder, heads: Path | None = None) -> None:
        self._encoder = encoder
        file = heads or find_packaged_heads(encoder.weights)
        self._head_judge: HeadJudge | None = None
        if file is not None:
            self._head_judge = HeadJudge(HeadSource(encoder, file), self.name)
        self._fitted: dict[str, PairFit] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The embedding model's name and fingerprint."""
        return self._encoder.model

    @property
    def mode(self) -> str:
        """The version of the method and the hash of the heads: retrained heads get new answers."""
        return (
            f"anchors2+heads3:{self._head_judge.hash if self._head_judge is not None else 'none'}"
        )

    @property
    def is_loaded(self) -> bool:
        """True if the model is in memory."""
        return self._encoder.is_loaded

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """Judge requests, with one model call for all new phrases.

        Raises:
            GroundingError: the predicate has no rubric, or its anchors or its head can't be used.
        """
        if predicate.judged_like and self._head_judge is not None:
            return self._head_judge.judge(predicate, requests)
        answers = self._judge_by_rubric(predicate, requests)
        if not predicate.judged_like:
            return answers
        without = f"no heads are trained for {self.model}, so by the rubric's examples alone"
        return [replace(answer, note=f"{answer.note}; {without}") for answer in answers]

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
        way = self._judge_pairs if _is_pair(predicate, rubric) else self._judge_statements
        return way(predicate, rubric, requests)

    def find_fit(self, predicate: GradedPredicate) -> PairFit:
        """Return the fit to the rubric of a pair predicate, computed once."""
        assert predicate.rubric is not None
        version = hash_predicate(predicate)
        with self._lock:
            if version not in self._fitted:
                self._fitted[version] = self._fit(predicate, predicate.rubric)
            return self._fitted[version]

    def _fit(self, predicate: GradedPredicate, rubric: Rubric) -> PairFit:
        is_text = [parameter.is_text for parameter in predicate.parameters]
        pairs, scores = [], []
        for anchor in rubric.anchors:
            for example in anchor.examples:
                pairs.append(split_sides(example, is_text))
                scores.append(anchor.score)
        similarities = compare_pairs(pairs, self._encoder.encode)
        by_score: dict[int, list[float]] = {}
        for score, similarity in zip(scores, similarities, strict=True):
            by_score.setdefault(score, []).append(similarity)
        return PairFit(fit_degree_map(by_score), measure_concordance(scores, similarities))

    def _judge_pairs(
        self, predicate: GradedPredicate, rubric: Rubric, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        fit = self.find_fit(predicate)
        is_text = [parameter.is_text for parameter in predicate.parameters]
        pairs = [split_sides(read_arguments(request), is_text) for request in requests]
        similarities = compare_pairs(pairs, self._encoder.encode)
        answers = []
        for (left, right), similarity in zip(pairs, similarities, strict=True):
            if left == right:
                answers.append(self._build_answer(1.0, "identical words"))
            else:
                note = f"similarity {similarity:.3f}"
                if fit.agreement < POOR_AGREEMENT:
                    note += f"; similarity orders only {fit.agreement:.0%} of the examples right"
                answers.append(self._build_answer(fit.degree_map.apply(similarity), note))
        return answers

    def _judge_statements(
        self, predicate: GradedPredicate, rubric: Rubric, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        prototypes = [
            (anchor.score / 100.0, phrase)
            for anchor in rubric.anchors
            for phrase in (anchor.text, *(join_statement(example) for example in anchor.examples))
            if phrase
        ]
        statements = [join_statement(read_arguments(request)) for request in requests]
        phrases = [phrase for _, phrase in prototypes]
        self._encoder.encode([*phrases, *statements])
        similarities = self._encoder.encode(statements) @ self._encoder.encode(phrases).T
        answers = []
        for row in similarities:
            best: dict[float, float] = {}
            for (score, _), similarity in zip(prototypes, row, strict=True):
                best[score] = max(best.get(score, -1.0), float(similarity))
            answers.append(self._build_answer(_average_scores(best), "nearest anchors"))
        return answers

    def _build_answer(self, degree: float, note: str) -> Membership:
        return Membership.of_degree(min(max(degree, 0.0), 1.0), self.name, self.model, note)


def _average_scores(best: dict[float, float]) -> float:
    """Average the scores, weighted by the softmax of their similarities."""
    scores = np.array(list(best))
    logits = np.array(list(best.values())) / SHARPNESS
    weights = np.exp(logits - logits.max())
    return float((scores * weights).sum() / weights.sum())


def _is_pair(predicate: GradedPredicate, rubric: Rubric) -> bool:
    """Return True if there are elements, texts, and examples to fit a map from."""
    kinds = {parameter.is_text for parameter in predicate.parameters}
    with_examples = sum(1 for anchor in rubric.anchors if anchor.examples)
    return kinds == {True, False} and with_examples >= 2
