# SPDX-License-Identifier: Apache-2.0
"""From the texts of a model to checked goals: equal ones joined, with their probabilities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Expression, ExpressionError, to_text
from fcp_ros.grounding.generation import WrittenText
from fcp_ros.language.model_reader.goal_grammar import UNCLEAR
from fcp_ros.language.model_reader.names import OfferedNames
from fcp_ros.language.model_reader.normal_form import write_normal_form
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.self_relations import find_self_relation

MOST_FAULTS = 3
"""Faults that are told to the model."""

_FENCE = re.compile(r"```\w*\n?|^\s*Goal:\s*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GoalCandidate:
    """A goal that a model wrote, perhaps in several ways."""

    goals: tuple[Expression, ...]  # ways to write it, all checked, likeliest first
    share: float  # their probability among all checked goals and "unclear", in [0, 1]


@dataclass(frozen=True, slots=True)
class CheckedTexts:
    """The outcome of checking a model's texts."""

    # likeliest first, all different in meaning as far as their form tells
    candidates: tuple[GoalCandidate, ...]
    unclear: float  # the share of the answer that there is no goal
    faults: tuple[str, ...]  # of texts that are no goals, each with what the checker says


def check_texts(
    texts: Sequence[WrittenText], names: OfferedNames, context: ReadingContext
) -> CheckedTexts:
    """Parse and check texts, and join those that mean the same."""
    goals: dict[str, list[Expression]] = {}
    weights: dict[str, float] = {}
    faults: dict[str, None] = {}
    unclear = 0.0
    top = max((one.log_probability for one in texts), default=-inf)
    for one in texts:
        line = _find_line(one.text)
        weight = exp(one.log_probability - top)  # sums of tiny numbers would vanish
        if line.rstrip(".").lower() == UNCLEAR:
            unclear += weight
            continue
        try:
            if not one.is_complete:
                raise ExpressionError("It never ends: write a shorter goal.")
            goal = check_goal(
                names.restore(parse_expression(line)), context.domain, context.instance
            )
            same = find_self_relation(goal)
            if same is not None:
                raise ExpressionError(f"{to_text(same)} relates a thing to itself: name another.")
        except ExpressionError as error:
            faults.setdefault(f"{line[:200]} -- {error.message}")
            continue
        form = write_normal_form(goal, context.instance)
        goals.setdefault(form, []).append(goal)
        weights[form] = weights.get(form, 0.0) + weight
    total = sum(weights.values()) + unclear
    candidates = (
        GoalCandidate(tuple(dict.fromkeys(goals[form])), weight / total)
        for form, weight in weights.items()
    )
    return CheckedTexts(
        tuple(sorted(candidates, key=lambda one: -one.share)),
        unclear / total if total else 0.0,
        tuple(faults)[:MOST_FAULTS],
    )


def _find_line(text: str) -> str:
    """Return the first line of an answer, without the frame that chat models like to put around."""
    lines = [line.strip() for line in _FENCE.sub("", text).splitlines()]
    return next((line for line in lines if line), "")
