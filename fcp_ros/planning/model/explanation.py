# SPDX-License-Identifier: Apache-2.0
"""Explanations: the parts of a plan's loss, and what the planner has considered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Share:
    """The share of one step, or of the goal, in the loss of a plan.

    Attributes:
        what: the step, or "the goal".
        degree: its degree, in [0, 1].
        share: its part of the plan's loss, in [0, 1]; the shares add up to 1 if losses do.
    """

    what: str
    degree: float
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a planning result.

    Attributes:
        shares: steps and goal with a degree below 1, the most expensive first.
        binding: a sentence: what binds at alpha, and the distance to alpha.
        considered: element -> a sentence: the first action for which it was considered.
        elements: number of elements of the scene.
        operators: number of actions that were considered.
        asked: number of judgements that were asked for.
        askable: number of judgements that all these actions and goals rest on.
    """

    shares: tuple[Share, ...] = ()
    binding: str = ""
    considered: Mapping[str, str] = field(default_factory=dict)
    elements: int = 0
    operators: int = 0
    asked: int = 0
    askable: int = 0

    @property
    def looked(self) -> str:
        """A sentence: the numbers of things considered and asked for."""
        return (
            f"Looked at {self.operators} actions and {len(self.considered)} of {self.elements} "
            f"elements; asked for {self.asked} of {self.askable} judgements."
        )

    def sentences(self) -> tuple[str, ...]:
        """Put all of it into words, the most expensive part first."""
        costs = (f"{s.what} has {s.degree:.2f}: {s.share:.0%} of the loss." for s in self.shares)
        return tuple(filter(None, (*costs, self.binding, self.looked)))

    def explain_element(self, element: str) -> str:
        """Say in one sentence why an element was or was not considered."""
        found = self.considered.get(element)
        if found is not None:
            return f"{element} was considered: {found}"
        return (
            f"{element} was not considered: no action that can matter for the goal, as far as it "
            "was looked for, involves it."
        )
