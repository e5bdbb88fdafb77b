# SPDX-License-Identifier: Apache-2.0
"""The default oracle: degrees from the similarity of sentence embeddings.

Two ways, chosen by what the predicate looks like:

- *Pairs*: a predicate with both elements and texts, and examples at its anchors, such as
  ``serves_as(item, purpose)``. The two sides' similarity (phrasing.py) goes through a monotone map
  fitted from the examples (degree_map.py).
- *Statements*: any other predicate. The arguments as one phrase are compared with each anchor's
  text and examples; the degree is the mean of the anchors' scores, weighted by a softmax of the
  similarities.

In both, arguments that are word for word an example of the rubric get that anchor's score, and
the two sides of a pair in identical words get 1. docs/grounding.md says what this can't judge.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fcp_ros.domain.model import GradedPredicate, Rubric
from fcp_ros.grounding.embedding.degree_map import DegreeMap, fit_degree_map
from fcp_ros.grounding.embedding.phrasing import pair_similarities, rank_agreement
from fcp_ros.grounding.embedding.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.judgement import ArgumentContext, JudgementRequest, Membership
from fcp_ros.grounding.protocol.oracle import predicate_version

SHARPNESS = 0.05
"""Similarity difference that makes an anchor e times as likely, for statements."""


POOR_AGREEMENT = 0.75
"""Below this share of rightly ordered examples, each answer says that the rubric fits badly."""


@dataclass(frozen=True, slots=True)
class FittedPairs:
    """What was fitted to one rubric: the map, and how well similarity orders the examples."""

    degree_map: DegreeMap
    agreement: float


class EmbeddingOracle:
    """Membership from sentence embeddings; see the module's text.

    Args:
        encoder: the model.
    """

    name = "embedding"
    mode = "anchors1"

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self._fitted: dict[str, FittedPairs] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The embedding model's name and fingerprint."""
        return self._encoder.model

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._encoder.is_loaded

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """One membership a request; one model call for all new phrases.

        Raises:
            GroundingError: the predicate has no rubric, or its anchors can't be used.
        """
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
                pairs.append(_sides(example, is_text))
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
        pairs = [_sides(_words(request), is_text) for request in requests]
        similarities = pair_similarities(pairs, self._encoder.encode)
        answers = []
        for request, (left, right), similarity in zip(requests, pairs, similarities, strict=True):
            known = _known(rubric, request)
            if known is not None:
                answers.append(self._answer(known, "an example of the rubric"))
            elif left == right:
                answers.append(self._answer(1.0, "identical words"))
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
            for phrase in (anchor.text, *(_statement(example) for example in anchor.examples))
            if phrase
        ]
        statements = [_statement(_words(request)) for request in requests]
        phrases = [phrase for _, phrase in prototypes]
        self._encoder.encode([*phrases, *statements])
        similarities = self._encoder.encode(statements) @ self._encoder.encode(phrases).T
        answers = []
        for request, row in zip(requests, similarities, strict=True):
            known = _known(rubric, request)
            if known is not None:
                answers.append(self._answer(known, "an example of the rubric"))
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


def _sides(words: Sequence[str], is_text: Sequence[bool]) -> tuple[str, str]:
    """The elements' words and the texts' words, each joined."""
    left = " and ".join(word for word, text in zip(words, is_text, strict=True) if not text)
    right = " and ".join(word for word, text in zip(words, is_text, strict=True) if text)
    return _plain(left), _plain(right)


def _words(request: JudgementRequest) -> tuple[str, ...]:
    return tuple(_described(argument) for argument in request.arguments)


def _described(argument: ArgumentContext) -> str:
    """The argument's words, with what its declared attributes say in words before them.

    A text value ("glass") and the name of an attribute that is true ("dirty") are words; numbers
    and names say nothing to this model and are left out.
    """
    said = []
    for name, value in argument.attributes:
        if value is True:
            said.append(name)
        elif isinstance(value, str) and name != "name":
            said.append(value)
    return _plain(" ".join([*said, argument.words]))


def _known(rubric: Rubric, request: JudgementRequest) -> float | None:
    """The score of the anchor that has these very words as an example."""
    words = _words(request)
    for anchor in rubric.anchors:
        if any(tuple(map(_plain, example)) == words for example in anchor.examples):
            return anchor.score / 100.0
    return None


def _statement(words: Sequence[str]) -> str:
    return " and ".join(f"a {_plain(word)}" for word in words)


def _plain(text: str) -> str:
    return " ".join(text.replace("_", " ").replace("-", " ").lower().split())
