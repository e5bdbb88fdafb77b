# SPDX-License-Identifier: Apache-2.0
"""The outcome of a step (docs/design.md), and the judgements that it is evidence for."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from fcp_ros.planning.model.plan import PlanStep, chunk_name


class OutcomeCode(Enum):
    """The ways in which a step can end; the values are those of the message `OutcomeCode`."""

    SUCCEEDED = 1
    PRECONDITION_FAILED = 2
    """The world did not meet the step's conditions; nothing was done."""
    PLANNING_FAILED = 3
    """The executor found no motion or grasp."""
    EXECUTION_FAILED = 4
    """It tried and failed."""
    POSTCONDITION_FAILED = 5
    """It ran to its end, but the effect is not there."""
    INVALID_ACTION = 6
    """The executor does not know, or refuses, such a step."""
    CANCELLED = 7
    TIMED_OUT = 8
    BUSY = 9
    """The executor is at work on another step; nothing was done."""
    NODE_INACTIVE = 10
    """The executor's node is not active; nothing was done."""
    EXECUTOR_LOST = 11
    """The executor died or lost its connection while it acted: how far it came is unknown."""
    SCENE_LOST = 12
    """The executor acts by the scene graph, and nobody keeps that up to date; nothing was done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of an executor, or a stand-in if none came."""

    code: OutcomeCode  # how the step ended
    message: str = ""  # details for a person; may be empty
    # how well the step was done, in [0, 1]; None if it was not measured
    quality: float | None = None

    def __post_init__(self) -> None:
        if self.quality is not None and not 0.0 <= self.quality <= 1.0:
            raise ValueError(
                f"the quality of an outcome must lie in [0, 1] and is {self.quality}; "
                "leave it out if it was not measured"
            )

    @property
    def succeeded(self) -> bool:
        return self.code is OutcomeCode.SUCCEEDED


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One attempt at one step of a plan."""

    index: int
    step: PlanStep
    outcome: Outcome
    duration: float  # of the attempt (s)
    # the scene graph was stale, so that the outcome is the executor's word alone
    scene_lost: bool = False


# --- credit assignment: the judgements that the outcome of a step speaks about, and their weights
#
# *The step.* A chunk that is judged as a whole carries its judgements at its first step (see
# `planning/model/chunks.py`). They are known to be right or wrong when the chunk has ended: with
# its last step, or with the step that fails (`find_credited_step`).
#
# *The judgements of one step.* A step does what it is for if all that its degree rests on holds: a
# noisy AND. Success speaks for all judgements alike. After a failure the i-th one, of degree d_i,
# was at fault with the probability
#
#     r_i = (1 - d_i) / (1 - d_1 * ... * d_n)
#
# if they are independent, and 1 - r_i is what was observed of it (`credit_step`): the expectation
# step of the EM algorithm (Dempster, Laird and Rubin 1977). If the degrees are right, the qualities
# recorded for a judgement have its degree as their mean: no judgement is blamed on the average.
#
# *The judgements of earlier steps.* If a step finds the world not as the plan left it, something
# before it may have gone wrong unnoticed (what was put down fell over). Or the cause was something
# else, with the probability `LEAK`. The share of the earlier judgements is spread over them
# (`credit_earlier_steps`).
#
# Invariants: a credit has a quality and a weight in [0, 1]; the credits of earlier steps together
# weigh less than one outcome; a plan is blamed at most once (`PlanMemory.blame` forgets it).


SUREST = 0.999
"""Higher degrees count as this one when blame is shared: no judgement is beyond blame."""
LEAK = 0.2
"""Probability that the world changed by itself or by somebody's hand."""
PLANS = 32
"""Plans that are remembered."""

Relied = TypeVar("Relied")


@dataclass(frozen=True, slots=True)
class Credit:
    """The evidence of an outcome for one judgement."""

    quality: float  # observed of the judgement, in [0, 1]
    weight: float = 1.0  # the share of an outcome that it counts for, in [0, 1]


def find_credited_step(
    labels: Sequence[str], whole: Collection[str], index: int, succeeded: bool
) -> int | None:
    """Return the step whose judgements an outcome speaks about; None if it is too early to say.

    Args:
        labels: the chunk of each step of the plan (`PlanStep.chunk`).
        whole: names of the chunks that are judged as a whole.
        succeeded: True if it did what it was for.
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


def share_blame(degrees: Sequence[float]) -> list[float]:
    """Return the probability of each judgement to be at fault, given that the step failed."""
    doubts = [1.0 - min(degree, SUREST) for degree in degrees]
    failed = 1.0 - math.prod(1.0 - doubt for doubt in doubts)
    return [doubt / failed for doubt in doubts]


def credit_step(degrees: Sequence[float], quality: float) -> list[Credit]:
    """Return the credit of each judgement of a step for the step's outcome.

    `degrees`: of the judgements that the step relied on, in [0, 1]. `quality`: of the outcome, in
    [0, 1]. The credits are linear in it between failure (0) and success (1); the only judgement of
    a step is credited with the quality itself.
    """
    return [Credit(1.0 - (1.0 - quality) * share) for share in share_blame(degrees)]


def credit_earlier_steps(degrees: Sequence[float], leak: float = LEAK) -> list[Credit]:
    """Return the credits of the judgements of earlier steps, as the world is not as they left it.

    `degrees`: of those judgements, in [0, 1]. `leak`: probability that something else is to blame.
    Returns failures whose weights add up to the probability that one of the judgements was at
    fault, which is less than one outcome.
    """
    doubts = [1.0 - min(degree, SUREST) for degree in degrees]
    kept = math.prod(1.0 - doubt for doubt in doubts)
    fault = (1.0 - kept) / (1.0 - kept * (1.0 - leak)) if doubts else 0.0
    return [Credit(0.0, fault * doubt / sum(doubts)) for doubt in doubts]


@dataclass(frozen=True, slots=True)
class Reliance(Generic[Relied]):
    """A judgement that a step relied on which seemed to succeed."""

    judgement: Relied  # the caller's handle of it
    degree: float  # of the judgement, in [0, 1]
    elements: frozenset[str]  # the elements that the step acted on, without the agent


class PlanMemory(Generic[Relied]):
    """The judgements that the steps of the last plans relied on. Not thread-safe."""

    def __init__(self) -> None:
        self._plans: OrderedDict[Hashable, list[Reliance[Relied]]] = OrderedDict()

    def remember(self, plan: Hashable, reliances: Iterable[Reliance[Relied]]) -> None:
        """Remember what a step of a plan relied on that has succeeded."""
        self._plans.setdefault(plan, []).extend(reliances)
        self._plans.move_to_end(plan)
        while len(self._plans) > PLANS:
            self._plans.popitem(last=False)

    def blame(self, plan: Hashable, elements: Collection[str]) -> list[tuple[Relied, Credit]]:
        """Blame the judgements of earlier steps: a step found the world not as it should be.

        `plan`: the plan; it is forgotten, so that no judgement is blamed twice. `elements`: the
        elements that the step acts on, without the agent. Only judgements of steps that acted on
        one of these are blamed.
        """
        earlier = [
            reliance
            for reliance in self._plans.pop(plan, [])
            if not reliance.elements.isdisjoint(elements)
        ]
        credits = credit_earlier_steps([reliance.degree for reliance in earlier])
        return [(one.judgement, credit) for one, credit in zip(earlier, credits, strict=True)]
