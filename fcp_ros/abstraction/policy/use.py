# SPDX-License-Identifier: Apache-2.0
"""Plan with policies: the first one that fits and reaches the goal makes the plan, else a search.

The plan of a policy is scheduled, judged and verified like any other, and counts only if it passes
the alpha-cut. Who plans more than once for a domain keeps a `PlanningSession` with `DomainPolicies`
as its suggester instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.library import DomainPolicies, describe_refusals
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, Expression
from fcp_ros.planning import PlanningOptions, PlanningResult, PlanningSession, plan
from fcp_ros.planning.model.memberships import MembershipSource


def plan_with_policies(
    policies: Sequence[GeneralPolicy],  # tried in their order
    domain: Domain,
    instance: Instance,
    goal: Expression,
    options: PlanningOptions,  # as of `planning.plan`, like the next ones
    memberships: MembershipSource,  # judges graded predicates
    **more: Any,
) -> PlanningResult:
    """Plan by the first policy that fits and reaches the goal; else by search.

    `more`: further arguments of `planning.plan`, without `session`. Returns the result; `policy`
    names the policy that made the plan, `policy_notes` say why others were not used.
    """
    fitting = DomainPolicies(policies, domain)
    session = PlanningSession(domain, suggester=fitting if fitting.names else None)
    result = plan(domain, instance, goal, options, memberships, session=session, **more)
    refused = describe_refusals(fitting.refused)
    return replace(result, policy_notes=(*result.policy_notes, *refused))
