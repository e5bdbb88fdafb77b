# SPDX-License-Identifier: Apache-2.0
"""The general policies of the planner node: the files of a folder, as far as they can be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import Expression
from fcp_ros.domain.model import Domain
from fcp_ros.planning.model.suggestion import PlanSuggester, Suggestion


@dataclass(frozen=True)
class NodePolicies:
    """The policies that the node plans with.

    Attributes:
        suggester: runs them; None if none fits the domain.
        names: of those that fit.
        refused: sentences about the other files.
        is_damaged: True if a file, or the folder, can't be read at all.
    """

    suggester: PlanSuggester | None = None
    names: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    is_damaged: bool = False


def read_policies(folder: str, domain: Domain) -> NodePolicies:
    """Read the policies of a folder for a domain.

    Args:
        folder: its path; "" for none.
        domain: the domain.
    """
    if not folder:
        return NodePolicies()
    # Only with the parameter: a start is mostly imports.
    from fcp_ros.abstraction.policy.general_policy import PolicyError
    from fcp_ros.abstraction.policy.library import (
        DomainPolicies,
        describe_refusals,
        read_policy_folder,
    )

    try:
        found = read_policy_folder(folder)
    except PolicyError as error:
        return NodePolicies(refused=(error.sentence,), is_damaged=True)
    fitting = DomainPolicies(found.policies, domain)
    return NodePolicies(
        fitting if fitting.names else None,
        fitting.names,
        describe_refusals((*found.refused, *fitting.refused)),
        bool(found.refused),
    )


class LivePolicies:
    """The policies of a folder for one domain, which may be read again while plans are made.

    Args:
        folder: its path; "" for none.
        domain: the domain.
    """

    def __init__(self, folder: str, domain: Domain) -> None:
        self.folder = folder
        self._domain = domain
        self.present = read_policies(folder, domain)
        """The policies as they were read last."""

    @property
    def suggester(self) -> PlanSuggester | None:
        """Suggests plans by the present policies, now and later; None without a folder."""
        return self if self.folder else None

    def read_again(self) -> None:
        """Read the folder again; the next plan is made with what is there."""
        self.present = read_policies(self.folder, self._domain)

    def suggest(
        self, instance: Instance, goal: Expression, seconds: float, check: Callable[[], None]
    ) -> Suggestion:
        """Suggest a plan by the first policy that reaches the goal (see `PlanSuggester`)."""
        suggester = self.present.suggester
        if suggester is None:
            return Suggestion(None)
        return suggester.suggest(instance, goal, seconds, check)
