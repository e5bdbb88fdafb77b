# SPDX-License-Identifier: Apache-2.0
"""Why a plan is worth what it is worth, and what was looked at to find it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Share:
    """What one step, or the goal, takes from the membership of a plan.

    Attributes:
        what: the step, or "the goal".
        degree: its degree, in [0, 1].
        share: its part of the plan's loss, in [0, 1]; all of them add up to 1 where losses add up.
    """

    what: str
    degree: float
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """What explains a planning result.

    Attributes:
        shares: steps and goal with a degree below 1, the most expensive first.
        binding: one sentence: what binds at alpha, and how far away alpha is.
        considered: element -> one sentence: the first action for which it was looked at.
        elements: number of elements of the scene.
        operators: number of actions that were looked at.
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
        """One sentence: how much was looked at, and asked for."""
        return (
            f"Looked at {self.operators} actions and {len(self.considered)} of {self.elements} "
            f"elements; asked for {self.asked} of {self.askable} judgements."
        )

    def sentences(self) -> tuple[str, ...]:
        """All of it in words, what costs most first."""
        costs = (f"{s.what} has {s.degree:.2f}: {s.share:.0%} of the loss." for s in self.shares)
        return tuple(filter(None, (*costs, self.binding, self.looked)))

    def why(self, element: str) -> str:
        """Why an element was or was not considered, in one sentence."""
        found = self.considered.get(element)
        if found is not None:
            return f"{element} was considered: {found}"
        return (
            f"{element} was not considered: no action that can matter for the goal, as far as it "
            "was looked for, involves it."
        )
