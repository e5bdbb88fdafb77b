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
    """Something about a state that a policy looks at."""

    name: str
    text: str
    is_boolean: bool  # True if its values are 0 and 1 only
    # the value of a distance where there is no way; None for other features
    no_way: int | None = None

    def write_value(self, value: int) -> str:
        """Write a value: "yes" or "no", a number, or ∞ for a distance without a way."""
        if self.is_boolean:
            return "yes" if value else "no"
        return "∞" if value == self.no_way else str(value)


@dataclass(frozen=True, slots=True)
class PolicyMove:
    """An abstract action, taken for one step or more."""

    action: str
    values: tuple[int, ...]  # of all features before it
    steps: int  # number of steps of the plan up to its end


@dataclass(frozen=True, slots=True)
class PolicyTrace:
    """The run of a policy that made a plan."""

    features: tuple[PolicyFeature, ...]
    # in order; their steps together are the plan's, or its first ones
    moves: tuple[PolicyMove, ...]
    final: tuple[int, ...]  # the values of all features after the moves
    left_out: int = 0  # further moves of a long run, which a message does not have


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Steps that lead to a goal, as somebody claims."""

    # rule and an element name for each of its parameters, in the rule's order; None if there is no
    # suggestion
    steps: tuple[tuple[str, tuple[str, ...]], ...] | None
    policy: str = ""  # name of the general policy that they come from
    # a sentence for each policy that was looked at before, and why it suggests nothing
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
