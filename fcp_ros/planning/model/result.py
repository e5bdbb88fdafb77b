# SPDX-License-Identifier: Apache-2.0
"""What a planning request answers: status, sentence, plan, and everything that explains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fcp_ros.planning.model.explanation import Explanation
from fcp_ros.planning.model.plan import Judged, Plan
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to bind the goal's variables.

    Attributes:
        binding: (variable, element name), in the order of the goal's variables.
        membership: membership of the best plan found with this binding, or an upper bound of it
            where `exact` is False; 0 where no plan exists.
        goal_degree: degree of the goal under this binding once its crisp part is achieved.
        reachable: False when it is proven that the crisp part can't be achieved.
        chosen: whether the plan (or, without one, the best membership reported) rests on it.
        judgements: the judged graded atoms of the goal under this binding.
        reason: one sentence: why it was chosen, why not, or what stands in its way.
        exact: whether `membership` is that of a plan (or proven 0), not just an upper bound.
    """

    binding: tuple[tuple[str, str], ...]
    membership: float
    goal_degree: float
    reachable: bool
    chosen: bool
    judgements: tuple[Judged, ...]
    reason: str
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One change to the goal that made it reachable.

    Attributes:
        kind: "substitution".
        original: what the goal asked for ("flashlight").
        replacement: the element that stands in for it ("lamp_1").
        degree: how well it does so, in [0, 1].
        reason: one sentence for the person who asked.
    """

    kind: str
    original: str
    replacement: str
    degree: float
    reason: str


@dataclass(frozen=True, slots=True)
class PlanningResult:
    """The answer to one planning request.

    Attributes:
        status: how it ended.
        message: one sentence for a person.
        plan: the verified plan; None unless `status.solved`.
        best_membership: the highest membership of any executable plan that was found, in [0, 1].
        candidates: every binding that was considered, best first.
        relaxations: what was changed in the goal; empty when it was planned as stated.
        expansions: states expanded.
        timings: stage -> seconds.
        verification: the verifier's verdict on the plan; None where there was none to verify.
        goal: the goal's text as planned (after relaxation).
        alpha: the alpha-cut that plans had to pass.
        alpha_reason: one sentence: where that alpha comes from.
        kept: how many steps of an earlier plan were left out where it still holds and was kept;
            None for a plan that was made anew.
        explanation: what explains it; None unless that was asked for.
    """

    status: PlanStatus
    message: str
    plan: Plan | None = None
    best_membership: float = 0.0
    candidates: tuple[Candidate, ...] = ()
    relaxations: tuple[Relaxation, ...] = ()
    expansions: int = 0
    timings: Mapping[str, float] = field(default_factory=dict)
    verification: Verdict | None = None
    goal: str = ""
    alpha: float = 0.0
    alpha_reason: str = ""
    kept: int | None = None
    explanation: Explanation | None = None
