# SPDX-License-Identifier: Apache-2.0
"""Plans that are known without a search, such as those of a general policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression


@dataclass(frozen=True, slots=True)
class PolicyFeature:
    """Something about a state that a policy looks at.

    Attributes:
        is_boolean: True if its values are 0 and 1 only.
        no_way: the value of a distance where there is no way; None for other features.
    """

    name: str
    text: str
    is_boolean: bool
    no_way: int | None = None

    def write_value(self, value: int) -> str:
        """Write a value: "yes" or "no", a number, or ∞ for a distance without a way."""
        if self.is_boolean:
            return "yes" if value else "no"
        return "∞" if value == self.no_way else str(value)


@dataclass(frozen=True, slots=True)
class PolicyMove:
    """An abstract action, taken for one step or more.

    Attributes:
        values: of all features before it.
        steps: number of steps of the plan up to its end.
    """

    action: str
    values: tuple[int, ...]
    steps: int


@dataclass(frozen=True, slots=True)
class PolicyTrace:
    """The run of a policy that made a plan.

    Attributes:
        moves: in order; their steps together are the plan's, or its first ones.
        final: the values of all features after the moves.
        left_out: further moves of a long run, which a message does not have.
    """

    features: tuple[PolicyFeature, ...]
    moves: tuple[PolicyMove, ...]
    final: tuple[int, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Steps that lead to a goal, as somebody claims.

    Attributes:
        steps: rule and an element name for each of its parameters, in the rule's order; None if
            there is no suggestion.
        policy: name of the general policy that they come from.
        notes: a sentence for each policy that was looked at before, and why it suggests nothing.
    """

    steps: tuple[tuple[str, tuple[str, ...]], ...] | None
    policy: str = ""
    notes: tuple[str, ...] = ()
    trace: PolicyTrace | None = None


class PlanSuggester(Protocol):
    """Anything that knows plans of a domain without a search. Safe to use from several threads."""

    def suggest(
        self, instance: Instance, goal: Expression, seconds: float, check: Callable[[], None]
    ) -> Suggestion:
        """Suggest steps from a state to a goal.

        Args:
            seconds: time (wall clock) that it may take.
        """
        ...
