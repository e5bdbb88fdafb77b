# SPDX-License-Identifier: Apache-2.0
"""From a solution to a plan that may leave: assembled, scheduled, verified."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expression import Expression
from fcp_ros.planning.model.memberships import MembershipSource
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.result import PlanningResult
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.verdict import Verdict
from fcp_ros.planning.schedule.schedule import schedule_steps
from fcp_ros.planning.schedule.step_network import Inconsistency
from fcp_ros.planning.session import PlanningSession
from fcp_ros.planning.verification.meeting import PlanMeeting
from fcp_ros.planning.verification.verify import verify


@dataclass(frozen=True)
class Handover:
    """What a plan is handed over with.

    Attributes:
        session: what is kept of the domain.
        instance: the state that the plan starts in.
        goal: the checked goal.
        source: judges graded predicates, once more.
        amounts: resource -> what there is of it at first.
        deadline: seconds that the plan may take.
        check: called now and then; may raise to stop.
    """

    session: PlanningSession
    instance: Instance
    goal: Expression
    source: MembershipSource
    amounts: Mapping[str, float]
    deadline: float = math.inf
    check: Callable[[], None] = lambda: None

    def verdict(self, plan: Plan, meeting: PlanMeeting | None = None) -> Verdict:
        """What the verifier says of a plan."""
        return verify(
            self.session.domain,
            self.instance,
            plan,
            self.goal,
            self.source,
            alpha=plan.alpha,
            resources=self.amounts,
            deadline=self.deadline,
            meeting=meeting,
            spans=self.session.spans,
            check=self.check,
        )

    def result(
        self,
        plan: Plan,
        optimal: bool,
        message: Callable[[Plan], str],
        meeting: PlanMeeting | None = None,
        verdict: Verdict | None = None,
    ) -> PlanningResult:
        """The plan, scheduled, once the verifier has agreed; or why it may not leave.

        Arguments:
            plan: what was found.
            optimal: whether it is proven to be the best.
            message: what is said of it.
            meeting: where its halves met, if it was searched for from both ends.
            verdict: the verifier's, if it was asked already.
        """
        schedule = plan.schedule or schedule_steps(
            self.session.domain,
            self.instance,
            plan.steps,
            levels=self.amounts,
            deadline=self.deadline,
        )
        if isinstance(schedule, Inconsistency):
            return PlanningResult(
                PlanStatus.UNSOLVABLE_INCOMPLETELY,
                f"A plan of {len(plan.steps)} steps was found, but no times for it: "
                f"{schedule.message}",
            )
        plan = replace(plan, schedule=schedule)
        verdict = verdict or self.verdict(plan, meeting)
        if not verdict.ok:
            refused = "The verifier refused the plan: " + " ".join(verdict.problems)
            return PlanningResult(PlanStatus.INTERNAL_ERROR, refused, verification=verdict)
        self.session.remember(plan)
        return PlanningResult(
            PlanStatus.SOLVED_OPTIMALLY if optimal else PlanStatus.SOLVED_SATISFICING,
            message(plan),
            plan=plan,
            verification=verdict,
        )
