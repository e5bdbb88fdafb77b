# SPDX-License-Identifier: Apache-2.0
"""The default oracle: degrees from the similarity of sentence embeddings.

There are three ways, chosen by the form of the predicate:

- *Judged like*: a predicate that names a set of judgements (``judged_like: substitution``) is
  judged by the head that was trained on them (head_judge.py).
- *Pairs*: a predicate with both elements and texts, and examples at its anchors, such as
  ``serves_as(item, purpose)``. The two sides' similarity goes through a monotone map
  fitted from the examples (head.py).
- *Statements*: any other predicate. The arguments as one phrase are compared with each anchor's
  text and examples; the degree is the mean of the anchors' scores, weighted by a softmax of the
  similarities.

docs/grounding.md lists what this can't judge.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fcp_ros.domain.model import GradedPredicate, Rubric
from fcp_ros.grounding.heads.head import DegreeMap, fit_degree_map
from fcp_ros.grounding.heads.head_file import HeadSource, find_packaged_heads
from fcp_ros.grounding.heads.head_judge import HeadOracle
from fcp_ros.grounding.judgement import GroundingCode, GroundingError, JudgementRequest, Membership
from fcp_ros.grounding.judgement_set import join_statement, read_arguments, split_sides
from fcp_ros.grounding.membership_oracle import hash_predicate
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder

#
# For ``serves_as(item, purpose)`` the sides are the item's words and the purpose's words. One
# phrasing brings out the use of a thing, another the kind of thing; no single one is best for every
# predicate, so the similarity is the mean over the three below.
#
# Raw cosine has *hubs*: some phrases are close to everything. So a share of each side's mean
# similarity to a fixed reference list is subtracted (the idea of cross-domain similarity local
# scaling: Conneau et al. 2018, "Word translation without parallel data", section 2.3).

HUB_SHARE = 0.25
"""A higher share orders purposes of household things better, substitutes of food worse."""

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]

_THINGS = """
    table chair lamp book knife spoon cup plate bottle towel pillow apple bread shoe box phone
    television clock plant picture bucket broom hammer key pen bag curtain soap candle radio toy
    hat rug mirror door bed pan scissors coin umbrella
"""
REFERENCE_THINGS = tuple(_THINGS.split())
REFERENCE_PURPOSES = (
    "drinking",
    "eating",
    "cleaning",
    "reading",
    "sitting",
    "sleeping",
    "cooking",
    "cutting",
    "giving light",
    "writing",
    "carrying things",
    "playing music",
    "decorating a room",
    "keeping warm",
    "fastening things",
    "measuring",
    "telling the time",
    "storing food",
    "washing hands",
    "travelling",
)


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Templates for the two sides, each with one ``{}``, and the right side's reference words."""

    name: str
    left: str
    right: str
    right_references: tuple[str, ...]

    def list_phrases(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """List all phrases that `compare` will encode for these pairs."""
        lefts = [self.left.format(left) for left, _ in pairs]
        rights = [self.right.format(right) for _, right in pairs]
        return [*lefts, *rights, *self._list_left_references(), *self._list_right_references()]

    def compare(self, pairs: Sequence[tuple[str, str]], encode: Encode) -> Vectors:
        """Compute the similarity of each pair under this phrasing, corrected for hubs."""
        left = encode([self.left.format(left) for left, _ in pairs])
        right = encode([self.right.format(right) for _, right in pairs])
        left_hub = (left @ encode(self._list_right_references()).T).mean(axis=1)
        right_hub = (right @ encode(self._list_left_references()).T).mean(axis=1)
        cosine = np.einsum("ij,ij->i", left, right)
        return np.asarray(cosine - HUB_SHARE * (left_hub + right_hub), np.float32)

    def _list_left_references(self) -> list[str]:
        return [self.left.format(word) for word in REFERENCE_THINGS]

    def _list_right_references(self) -> list[str]:
        return [self.right.format(word) for word in self.right_references]


PHRASINGS = (
    Phrasing("function", "the purpose of a {}", "the purpose of a {}", REFERENCE_THINGS),
    Phrasing("purpose", "a {}", "What do you use for {}?", REFERENCE_PURPOSES),
    Phrasing("kind", "a kind of {}", "a kind of {}", REFERENCE_THINGS),
)
"""The phrasings whose similarities are averaged."""


def compare_pairs(pairs: Sequence[tuple[str, str]], encode: Encode) -> list[float]:
    """Compute the similarity of (element words, text words), from about 0 to 0.7.

    `encode` is first called with all phrases, so that one model call is enough.
    """
    if not pairs:
        return []
    encode([phrase for phrasing in PHRASINGS for phrase in phrasing.list_phrases(pairs)])
    rows = [phrasing.compare(pairs, encode) for phrasing in PHRASINGS]
    return [float(similarity) for similarity in np.mean(rows, axis=0)]


def measure_concordance(scores: Sequence[float], similarities: Sequence[float]) -> float:
    """Measure the share of pairs of examples that the similarities order like the scores.

    Pairs of equal scores are left out; a tie in similarity counts half. 0.5 is chance, 1.0 perfect
    (the concordance index; for two scores, the area under the ROC curve); 0.5 if all are equal.
    """
    ordered = 0.0
    count = 0
    for i, score in enumerate(scores):
        for j in range(i):
            if score == scores[j]:
                continue
            count += 1
            difference = (score - scores[j]) * (similarities[i] - similarities[j])
            ordered += 1.0 if difference > 0 else 0.5 if difference == 0 else 0.0
    return ordered / count if count else 0.5


# --- the default oracle: degrees from the similarity of sentence embeddings ---

SHARPNESS = 0.05  # Similarity difference that makes an anchor e times as likely, for statements
POOR_AGREEMENT = 0.75
"""Below this share of correctly ordered examples, answers note that the rubric fits badly."""


@dataclass(frozen=True, slots=True)
class PairFit:
    """The map fitted to one rubric, and the share of its examples that similarity orders right."""

    degree_map: DegreeMap
    agreement: float


class EmbeddingOracle:
    """Membership from sentence embeddings (see the module) and heads; None: the packaged ones."""

    name = "embedding"
    is_english_only = True

    def __init__(self, encoder: SentenceEncoder, heads: Path | None = None) -> None:
        self._encoder = encoder
        file = heads or find_packaged_heads(encoder.weights)
        self.source = HeadSource(encoder, file) if file is not None else None
        self._heads = HeadOracle(self.source, self.name) if self.source is not None else None
        self._fitted: dict[str, PairFit] = {}
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The embedding model's name and fingerprint."""
        return self._encoder.model

    @property
    def mode(self) -> str:
        """The version of the method and the hash of the heads: retrained heads get new answers."""
        return f"anchors2+heads3:{self.source.hash if self.source is not None else 'none'}"

    @property
    def is_loaded(self) -> bool:
        return self._encoder.is_loaded

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        """Judge requests, with one model call for all new phrases; NO_ANCHORS without examples."""
        if predicate.judged_like and self._heads is not None:
            return self._heads.judge(predicate, requests)
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
