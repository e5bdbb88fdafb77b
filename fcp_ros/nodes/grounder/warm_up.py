# SPDX-License-Identifier: Apache-2.0
"""A first question to each model, so that the first user does not wait while it is loaded."""

from __future__ import annotations

from fcp_ros.domain.model import TEXT, GradedPredicate
from fcp_ros.grounding import ArgumentContext, Grounder, GroundingError, JudgementRequest


def warm_up(grounder: Grounder) -> str:
    """Ask each oracle whose model is not loaded one question, taken from a rubric's examples.

    Returns:
        "" or, where a model can't be used, the sentence that says why.
    """
    asked = set()
    for info in grounder.describe():
        question = example_question(grounder.predicates[info.predicate])
        if info.loaded or info.oracle in asked or question is None:
            continue
        asked.add(info.oracle)
        try:
            grounder.judge([question])
        except GroundingError as error:
            return f"{error}."
    return ""


def example_question(predicate: GradedPredicate) -> JudgementRequest | None:
    """A question about a rubric's example, worded a little differently so that it is judged."""
    for anchor in predicate.rubric.anchors if predicate.rubric is not None else ():
        for words in anchor.examples:
            if len(words) == len(predicate.parameters):
                return JudgementRequest(
                    predicate.name,
                    tuple(
                        ArgumentContext(parameter.name, f"some {word}")
                        if parameter.type == TEXT
                        else ArgumentContext(parameter.name, f"some {word}", f"some {word}")
                        for parameter, word in zip(predicate.parameters, words, strict=True)
                    ),
                )
    return None
