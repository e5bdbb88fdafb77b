# SPDX-License-Identifier: Apache-2.0
"""The calibration store as messages: one entry for each predicate and context."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fcp_ros.grounding import ArgumentContext, Evidence, GroundingError, JudgementRequest
from fcp_ros.grounding.judgement import Membership
from fcp_ros.msg import CalibrationEntry
from fcp_ros.nodes.conversions.common import time_to_ros


@dataclass
class _Sum:
    count: int = 0
    weight: float = 0.0
    total: float = 0.0
    newest: float = 0.0


def make_entries(
    evidence: Iterable[Evidence],  # The outcomes to sum up
    # The grounder's `judge`, asked for the degrees before and after calibration; if it can't answer
    # (the domain changed), they are NaN
    judge: Callable[[Sequence[JudgementRequest]], Sequence[Membership]],
) -> list[CalibrationEntry]:
    """Make entries, sorted by predicate and context."""
    sums: dict[tuple[str, str], _Sum] = {}
    for item in evidence:
        entry = sums.setdefault((item.predicate, item.context_key), _Sum())
        entry.count += 1
        entry.weight += item.weight
        entry.total += item.weight * item.quality
        entry.newest = max(entry.newest, item.stamp)
    return [
        _make_entry(predicate, context, found, _judge_again(context, judge))
        for (predicate, context), found in sorted(sums.items())
    ]


def _make_entry(
    predicate: str, context: str, found: _Sum, membership: Membership | None
) -> CalibrationEntry:
    return CalibrationEntry(
        predicate=predicate,
        context=context,
        prior=membership.prior if membership else math.nan,
        degree=membership.degree if membership else math.nan,
        evidence_count=found.count,
        mean_quality=found.total / found.weight if found.weight > 0.0 else 0.0,
        last_outcome=time_to_ros(found.newest),
    )


def _judge_again(
    context: str, judge: Callable[[Sequence[JudgementRequest]], Sequence[Membership]]
) -> Membership | None:
    request = request_from_context(context)
    if request is None:
        return None
    try:
        return judge([request])[0]
    except GroundingError:
        return None


def request_from_context(context_key: str) -> JudgementRequest | None:
    """Reconstruct a request from its `context_key`; return None if the text is no such key."""
    # Element names are not part of a context (unless declared), so the request names elements by
    # their category.
    try:
        content = json.loads(context_key)
        arguments = tuple(_read_argument(item) for item in content["arguments"])
        request = JudgementRequest(content["predicate"], arguments)
    except (ValueError, KeyError, TypeError):
        return None
    return request if request.context_key == context_key else None


def _read_argument(item: dict[str, object]) -> ArgumentContext:
    parameter = str(item["parameter"])
    if "text" in item:
        return ArgumentContext(parameter, str(item["text"]))
    attributes = item.get("attributes", {})
    if not isinstance(attributes, dict):
        raise TypeError("attributes are no mapping")
    category = str(item["category"])
    name = str(attributes.get("name", category))
    return ArgumentContext(parameter, name, category, tuple(sorted(attributes.items())))
