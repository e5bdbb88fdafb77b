# SPDX-License-Identifier: Apache-2.0
"""Plans that are known without a search, such as those of a general policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression


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


class PlanSuggester(Protocol):
    """Anything that knows plans of a domain without a search. Safe to use from several threads."""

    def suggest(
        self, instance: Instance, goal: Expression, seconds: float, check: Callable[[], None]
    ) -> Suggestion:
        """Suggest steps from a state to a goal.

        Args:
            instance: the initial state.
            goal: the checked goal.
            seconds: time (wall clock) that it may take.
            check: called often; may raise to stop.
        """
        ...
