# SPDX-License-Identifier: Apache-2.0
"""Which judgements the outcome of a step speaks about, and how loudly.

*Which step's.* A chunk that is judged as a whole carries its judgements at its first step (see
`planning/chunks/library.py`). Whether they were right is known when the chunk has ended: with
its last step, or with the step that fails (`credited_step`).

*Which of several.* A step does what it is for if all that its degree rests on holds: a noisy AND.
Success speaks for all judgements alike. After a failure the i-th one, of degree d_i, was at fault
with the probability

    r_i = (1 - d_i) / (1 - d_1 * ... * d_n)

if they are independent, and 1 - r_i is what was observed of it (`step_credits`): the expectation
step of the EM algorithm (Dempster, Laird and Rubin 1977). If the degrees are right, the qualities
recorded for a judgement have its degree as their mean, so nobody is blamed on the average.

*Which earlier step's.* Where a step finds the world not as the plan left it, something before it
may have gone wrong unnoticed: what was put down fell over. Or it was something else altogether,
with the probability `LEAK`. The share of the earlier judgements is spread over them
(`late_credits`).
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fcp_ros.planning.model.plan import chunk_name

SUREST = 0.999
"""A higher degree counts as this where blame is shared: nothing is beyond blame."""
LEAK = 0.2
"""Probability that the world changed by itself or by somebody's hand."""
PLANS = 32
"""So many plans are remembered."""

Relied = TypeVar("Relied")


@dataclass(frozen=True, slots=True)
class Credit:
    """What an outcome says about one judgement.

    Attributes:
        quality: how well it proved, in [0, 1].
        weight: which share of an outcome that is, in [0, 1].
    """

    quality: float
    weight: float = 1.0


def credited_step(
    labels: Sequence[str], whole: Collection[str], index: int, succeeded: bool
) -> int | None:
    """The step whose judgements an outcome speaks about; None where it is too early to say.

    Args:
        labels: the chunk of each step of the plan (`PlanStep.chunk`).
        whole: names of the chunks that are judged as a whole.
        index: the step that has ended.
        succeeded: whether it did what it was for.
    """
    label = labels[index]
    if chunk_name(label) not in whole:
        return index
    last = index + 1 == len(labels) or labels[index + 1] != label
    if succeeded and not last:
        return None
    first = index
    while first > 0 and labels[first - 1] == label:
        first -= 1
    return first


def responsibilities(degrees: Sequence[float]) -> list[float]:
    """For each judgement the probability that it was at fault, given that the step failed."""
    doubts = [1.0 - min(degree, SUREST) for degree in degrees]
    failed = 1.0 - math.prod(1.0 - doubt for doubt in doubts)
    return [doubt / failed for doubt in doubts]


def step_credits(degrees: Sequence[float], quality: float) -> list[Credit]:
    """What the outcome of a step says about each of its judgements.

    Args:
        degrees: of the judgements that the step relied on, in [0, 1].
        quality: how well it went, in [0, 1]. Between failure (0) and success (1) the credits are
            between those; the only judgement of a step is credited with the quality itself.
    """
    return [Credit(1.0 - (1.0 - quality) * share) for share in responsibilities(degrees)]


def late_credits(degrees: Sequence[float], leak: float = LEAK) -> list[Credit]:
    """What it says about the judgements of earlier steps that the world is not as they left it.

    Args:
        degrees: of those judgements, in [0, 1].
        leak: probability that something else is to blame.

    Returns:
        failures that together weigh as much as it is likely that one of the judgements was at
        fault: less than one outcome.
    """
    doubts = [1.0 - min(degree, SUREST) for degree in degrees]
    kept = math.prod(1.0 - doubt for doubt in doubts)
    fault = (1.0 - kept) / (1.0 - kept * (1.0 - leak)) if doubts else 0.0
    return [Credit(0.0, fault * doubt / sum(doubts)) for doubt in doubts]


@dataclass(frozen=True, slots=True)
class Reliance(Generic[Relied]):
    """A judgement that a step relied on which seemed to succeed.

    Attributes:
        judgement: whatever the caller knows it by.
        degree: of it, in [0, 1].
        elements: what the step acted on, without who did it.
    """

    judgement: Relied
    degree: float
    elements: frozenset[str]


class PlanMemory(Generic[Relied]):
    """What the steps of the last plans relied on. Not thread-safe."""

    def __init__(self) -> None:
        self._plans: OrderedDict[Hashable, list[Reliance[Relied]]] = OrderedDict()

    def remember(self, plan: Hashable, reliances: Iterable[Reliance[Relied]]) -> None:
        """A step of a plan has succeeded."""
        self._plans.setdefault(plan, []).extend(reliances)
        self._plans.move_to_end(plan)
        while len(self._plans) > PLANS:
            self._plans.popitem(last=False)

    def blame(self, plan: Hashable, elements: Collection[str]) -> list[tuple[Relied, Credit]]:
        """A step of a plan found the world not as it should be.

        Args:
            plan: which one; it is forgotten, so that nobody is blamed twice.
            elements: what the step acts on, without who does it; only judgements of steps that
                acted on one of these are blamed.
        """
        earlier = [
            reliance
            for reliance in self._plans.pop(plan, [])
            if not reliance.elements.isdisjoint(elements)
        ]
        credits = late_credits([reliance.degree for reliance in earlier])
        return [(one.judgement, credit) for one, credit in zip(earlier, credits, strict=True)]
