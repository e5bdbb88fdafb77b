# SPDX-License-Identifier: Apache-2.0
"""Questions whose answer is known: a rubric's examples, and judgements.

*Examples.* A language model is shown the rubric's examples with the question, so that asking about
one of them would only show that it can copy. Each half of the examples is asked with a rubric that
holds the other half.

*Judgements* come from the training part of the set that the predicate is judged like, so that what
is held out stays unseen. The choice goes by a hash of the words: it is the same everywhere, and a
larger one contains a smaller one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fcp_ros.domain.model import Anchor, GradedPredicate, Rubric
from fcp_ros.grounding.judged.judgement_set import JudgementSet, compute_fraction, split
from fcp_ros.grounding.protocol.judgement import ArgumentContext, JudgementRequest

HALVES = 2
FOLDS = 5


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question with its answer.

    Args:
        request: the question.
        degree: that is right, in [0, 1].
        fold: questions about the same kind of thing are in the same fold, 0 to FOLDS - 1.
    """

    request: JudgementRequest
    degree: float
    fold: int = 0


def choose_examples(
    predicate: GradedPredicate,
) -> list[tuple[GradedPredicate, list[KnownQuestion]]]:
    """Make questions of a rubric's examples, each with a predicate that doesn't show it."""
    rubric = predicate.rubric
    if rubric is None:
        return []
    return [
        (
            replace(predicate, rubric=_keep_examples(rubric, HALVES - 1 - half)),
            [
                KnownQuestion(_make_request(predicate, example), anchor.score / 100.0)
                for anchor in rubric.anchors
                for example in anchor.examples[half::HALVES]
            ],
        )
        for half in range(HALVES)
    ]


def choose_judgements(
    predicate: GradedPredicate, judged: JudgementSet, count: int
) -> list[KnownQuestion]:
    """Choose judgements of the training part as questions.

    Args:
        predicate: that asks.
        judged: the set that it is judged like.
        count: of questions, if there are as many.

    Returns:
        The questions; none if the predicate doesn't have the two sides of the judgements.
    """
    order = arrange_sides(predicate, judged.columns)
    if order is None:
        return []
    training = split(judged.judgements).training
    chosen = sorted(training, key=lambda judgement: _hash_pair(judgement.pair))[:count]
    return [
        KnownQuestion(
            _make_request(predicate, [judgement.pair[side] for side in order]),
            judgement.degree,
            int(compute_fraction("levels", judgement.item) * FOLDS),
        )
        for judgement in chosen
    ]


def arrange_sides(predicate: GradedPredicate, columns: tuple[str, str]) -> tuple[int, int] | None:
    """Find the side of a judgement that each parameter takes; None if there are no two sides.

    By name if the parameters are named like the columns; else an element takes the first side and a
    text the second; two of a kind take them in order.
    """
    if len(predicate.parameters) != len(columns):
        return None
    first, second = predicate.parameters
    if sorted((first.name, second.name)) == sorted(columns):
        return (0, 1) if first.name == columns[0] else (1, 0)
    return (1, 0) if first.is_text and not second.is_text else (0, 1)


def _keep_examples(rubric: Rubric, half: int) -> Rubric:
    anchors: list[Anchor] = [
        replace(anchor, examples=anchor.examples[half::HALVES]) for anchor in rubric.anchors
    ]
    return replace(rubric, anchors=tuple(anchors))


def _make_request(predicate: GradedPredicate, words: Sequence[str]) -> JudgementRequest:
    arguments = (
        ArgumentContext(parameter.name, word, "" if parameter.is_text else word)
        for parameter, word in zip(predicate.parameters, words, strict=True)
    )
    return JudgementRequest(predicate.name, tuple(arguments))


def _hash_pair(pair: tuple[str, str]) -> str:
    return hashlib.sha256("|".join(("levels", *pair)).encode()).hexdigest()
